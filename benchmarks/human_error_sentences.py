"""Errors in a sentence: people's behind the first word, beside those of `misspell` at people's sentence lengths.

    pip install -e ".[benchmarks]" && python benchmarks/human_error_sentences.py sentences.jsonl human_errors.json

The files are those of `human_errors.py`. The counts have the errors of whole sentences, and 41 % of these errors stand
on first words, which no attack imitates. So the first words are taken out: a sentence has N = F + R errors, of which F
is 0 or 1 and stands on the first word. If F and R are independent, P(N = n) = (1 - f) P(R = n) + f P(R = n - 1), which
gives R. Sentences of the file are weighted by exp(t · words), with t such that their mean length is people's; the
lengths of people's sentences are not known beyond their mean. There is no gate, and nothing is protected.
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter
from augment_ru.draws import Floats, Ints

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MOST = 6
"""The most errors in a sentence of the counts."""
_DRAWS = 4000


def without_first_words(shares: Floats, on_first: float) -> Floats:
    """The shares of sentences by errors behind the first word, shape (errors + 1,).

    Args:
        shares: those by all errors, same shape; they sum to 1.
        on_first: the share of the errors that stand on first words.
    """
    first = on_first * float(np.arange(shares.size) @ shares)
    found = np.zeros(shares.size)
    for errors, share in enumerate(shares.tolist()):
        found[errors] = (share - (first * found[errors - 1] if errors else 0.0)) / (1.0 - first)
    return found


def dispersion(shares: Floats) -> float:
    """The variance of the errors in a sentence divided by their mean: 1 if they are independent and sentences alike."""
    errors = np.arange(shares.size)
    mean = float(errors @ shares)
    return float(errors**2 @ shares - mean**2) / mean


def weights_for(lengths: Ints, mean: float) -> Floats:
    """The weight of each sentence, with which the mean length is as wanted; they sum to 1."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        weights: Floats = np.exp(middle * (lengths - lengths.mean()))
        weights /= weights.sum()
        low, high = (middle, high) if float(weights @ lengths) < mean else (low, middle)
    return weights


def of_misspell(texts: Sequence[str], weights: Floats, probability: float | None, seeds: Sequence[int]) -> Floats:
    """The weighted shares of sentences by errors of `misspell`, with more than `_MOST` as `_MOST`."""
    found = np.zeros(_MOST + 1)
    for seed in seeds:
        augmenter = Augmenter("misspell", constraints=(), similarity="none", probability=probability, seed=seed)
        errors = [min(len(result.script.edits), _MOST) for result in augmenter.texts(texts)]
        found += np.bincount(errors, weights, minlength=_MOST + 1) / len(seeds)
    return found


def of_people(counts: Mapping[str, Any]) -> Floats:
    """The shares of sentences by errors in all words, shape (errors + 1,)."""
    overall = counts["overall"]
    wrong = [overall["errors_per_errored_sentence"][str(errors)] for errors in range(1, _MOST + 1)]
    shares: Floats = np.array([overall["sentences"] - sum(wrong), *wrong]) / overall["sentences"]
    return shares


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("counts", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[42])
    parser.add_argument("--probabilities", type=float, nargs="+", default=[0.0454, 0.0716])
    given = parser.parse_args()
    texts = [json.loads(line)["text"] for line in given.sentences.read_text(encoding="utf-8").splitlines()]
    counts = json.loads(given.counts.read_text(encoding="utf-8"))
    overall = counts["overall"]
    lengths = np.array([len(_WORD.findall(text)) for text in texts])
    weights = weights_for(lengths, overall["words"] / overall["sentences"])

    people, first = of_people(counts), overall["first_token_share"]
    drawn = np.random.default_rng(0).multinomial(overall["sentences"], people, _DRAWS) / overall["sentences"]
    rest = [without_first_words(one, first) for one in drawn]
    columns = {"people, all words": people, "people, behind the first": without_first_words(people, first)}
    for probability in (None, *given.probabilities):
        name = "misspell" if probability is None else f"at {probability}"
        columns[name] = of_misspell(texts, weights, probability, given.seeds)

    spread = float(np.sqrt(weights @ (lengths - weights @ lengths) ** 2))
    table = Table("errors in a sentence", *columns, title=f"{weights @ lengths:.1f} words, deviation {spread:.1f}")
    for errors in range(_MOST + 1):
        table.add_row(str(errors), *(f"{one[errors]:.4f}" for one in columns.values()))
    table.add_row("errors", *(f"{np.arange(_MOST + 1) @ one:.3f}" for one in columns.values()))
    table.add_row("variance / mean", *(f"{dispersion(one):.2f}" for one in columns.values()))
    console = Console(width=120)
    console.print(table)
    for name, values in (("clean", [one[0] for one in rest]), ("variance / mean", [dispersion(one) for one in rest])):
        low, high = np.percentile(values, [2.5, 97.5])
        console.print(f"people behind the first word, 95 % of {_DRAWS:,} resamples: {name} {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
