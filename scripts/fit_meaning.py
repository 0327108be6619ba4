"""Fits the weights of the similarity `meaning` to graded pairs, and writes them to its dictionary.

    python scripts/fit_meaning.py [--check]

Reads `benchmarks/graded/fitted.jsonl`; the pairs held out are not looked at. A reader's 3 counts as 1, his 2 as 1/2, 1
and 0 as 0; a pair has the mean of its readers. Pairs written by hand count twice, since they are few and each shows
another way to say the same or the contrary. The weights minimise the logistic loss with a ridge (3 times half the
sum of the squares of the weights, each in units of its feature's root mean square), under the condition that none is
above 0. The dictionary's features and explanations stay as they are; a feature that no pair has gets the weight 0.
With --check nothing is written, and a difference is an error.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from augment_ru.edits import Edit, Note
from augment_ru.script import Script
from augment_ru.similarities.meaning.features import features_of
from augment_ru.similarities.meaning.matching import fates_of, guessed_fates
from augment_ru.similarities.meaning.roles import roles_of
from augment_ru.similarities.meaning.senses import edits_as_said
from augment_ru.similarities.meaning.words import Fates, Source

ROOT = Path(__file__).resolve().parent.parent
PAIRS = ROOT / "benchmarks" / "graded" / "fitted.jsonl"
DICTIONARY = ROOT / "dictionaries" / "meaning.tsv"
RIDGE = 3.0
ROUNDS = 4
VALUE_OF_GRADE = {3: 1.0, 2: 0.5, 1: 0.0, 0: 0.0}


def fates_of_pair(row: Mapping[str, Any]) -> list[Fates]:
    """Return the fates of the words of each edited sentence of a graded pair; of the whole texts if it has no edits."""
    source = Source(row["source"])
    if row["edits"] is None:
        return [guessed_fates(source, row["perturbed"])]
    notes = row.get("notes") or [None] * len(row["edits"])
    pairs = zip(row["edits"], notes, strict=True)
    edits = [Edit(start, stop, text, Note(**note) if note else None) for (start, stop, text), note in pairs]
    return [fates_of(*part) for part in source.parts(edits_as_said(Script(row["source"], edits)))]


def fitted(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[float, list[float]]:
    """Return the constant and the weight of each feature.

    The score of a text is the score of its worst sentence. Which sentence is the worst depends on the weights. So the
    weights are fitted several times, each time to the sentences that were the worst under the previous weights.
    """
    fates = [fates_of_pair(row) for row in rows]
    with_roles = [one for parts in fates for one in parts if one.is_guess or len(one.reshaped) > 1]
    roles_of(*(text for one in with_roles for text in (one.source.text, one.after.text)))  # annotated at once, and kept
    found = [[features_of(one) for one in parts] for parts in fates]
    unknown = {name for parts in found for features in parts for name in features} - set(names)
    if unknown:
        sys.exit(f"{DICTIONARY.name}: no line for {', '.join(sorted(unknown))}; add one with an explanation")
    wanted = np.array([np.mean([VALUE_OF_GRADE[grade] for grade in row["grades"]]) for row in rows])
    counts = np.array([2.0 if row["attack"] == "rewrite" else 1.0 for row in rows])
    constant, weights = 0.0, dict.fromkeys(names, -1.0)
    for _ in range(ROUNDS):
        worst = [
            min(parts, key=lambda part: sum(weights[name] * value for name, value in part.items()), default={})
            for parts in found
        ]
        values = np.array([[features.get(name, 0.0) for name in names] for features in worst])
        constant, new = fitted_to(values, wanted, counts)
        weights = dict(zip(names, new, strict=True))
    return constant, [weights[name] for name in names]


def fitted_to(values: np.ndarray, wanted: np.ndarray, counts: np.ndarray) -> tuple[float, list[float]]:
    """Fit the constant and the weights.

    Args:
        values: the features, shape (pairs, features).
        wanted: the scores that the pairs should get, shape (pairs,).
        counts: how much each pair counts, shape (pairs,).
    """
    scale = np.sqrt((values**2).mean(axis=0))
    scale[scale == 0] = 1.0
    inputs = np.column_stack([np.ones(len(values)), values / scale])
    ridge = np.full(inputs.shape[1], RIDGE)
    ridge[0] = 0.0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        sums = inputs @ weights
        value = counts @ (np.logaddexp(0, sums) - wanted * sums) + 0.5 * (ridge * weights**2).sum()
        return float(value), inputs.T @ (counts * (1 / (1 + np.exp(-sums)) - wanted)) + ridge * weights

    bounds = [(None, None)] + [(None, 0.0)] * (inputs.shape[1] - 1)
    start = np.zeros(inputs.shape[1])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 5000, "ftol": 1e-12})
    return float(best.x[0]), (best.x[1:] / scale).tolist()


def lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of the dictionary with new weights."""
    old = DICTIONARY.read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[0] for line in old if line and not line.startswith("#")]
    names.remove("constant")
    constant, weights = fitted(rows, names)
    new = dict(zip(names, weights, strict=True)) | {"constant": constant}
    for line in old:
        if not line or line.startswith("#"):
            yield line
        else:
            name, _, what = line.split("\t")
            yield f"{name}\t{new[name] + 0.0:.2f}\t{what}".replace("\t-0.00\t", "\t0.00\t")


def main() -> None:
    """Fit the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the dictionary would change")
    check = parser.parse_args().check
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    text = "\n".join(lines(rows)) + "\n"
    if check and text != DICTIONARY.read_text(encoding="utf-8"):
        sys.exit(f"{DICTIONARY.name} has other weights than the pairs give; run scripts/fit_meaning.py")
    if not check:
        DICTIONARY.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
