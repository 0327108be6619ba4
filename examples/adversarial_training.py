"""Train a classifier with and without the rows that a search finds, and attack both.

    python examples/adversarial_training.py examples/reviews_train.jsonl examples/reviews_test.jsonl

The search breaks rows of the train file. Each broken row keeps its right answer, so a classifier that is trained on
them, too, learns what it got wrong. Both classifiers are then attacked on the test file, which neither has seen.
"""

import argparse
import json
import tempfile
from pathlib import Path

from augment_ru import Adversary
from augment_ru.evaluation.answers import different_golds, labels_of_different
from augment_ru.evaluation.examples import ModelRequest, NamedModel
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

ATTACKS = ("butterfingers", "homoglyphs")
"""The changes of the pool."""


def attacked(train: str, rows: str, given: argparse.Namespace) -> list:
    """What a search finds for the rows of a file against a model that is trained on another."""
    values = read_rows(rows).values
    labels = labels_of_different(different_golds(values, generic()), generic())
    request = ModelRequest("", generic(), labels)
    victim = NamedModel.made(f"{given.model}:{train}", request, {"analyzer": given.analyzer})
    return list(Adversary(ATTACKS, victim, budget=given.budget, threshold=given.threshold).records(values, generic()))


def rate(found: list) -> str:
    """How many rows the model answers right, and how many of them the search breaks."""
    right = [one for one in found if one.status != "wrong_before"]
    broken = sum(one.status == "broken" for one in right)
    share = f"{100 * broken / max(len(right), 1):.1f} %"
    return f"{len(right)} of {len(found)} rows right, {broken} of them broken ({share})"


def main() -> None:
    """Train, attack, train again, attack again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--model", default="linear", help="a kind of model that is trained on a file")
    parser.add_argument("--analyzer", default="char_wb", help="its option: word, char or char_wb")
    parser.add_argument("--budget", type=int, default=50, help="the most questions about a row")
    parser.add_argument("--threshold", type=float, default=0.3, help="the lowest similarity that passes")
    given = parser.parse_args()

    print("without:", rate(attacked(given.train, given.test, given)))
    broken = [one for one in attacked(given.train, given.train, given) if one.status == "broken"]
    print("rows found:", len(broken))
    with tempfile.TemporaryDirectory() as folder:
        both = Path(folder) / "train.jsonl"
        lines = [json.dumps(row, ensure_ascii=False) for row in read_rows(given.train).values]
        lines += [one.line(meta="none") for one in broken]
        both.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print("with:   ", rate(attacked(str(both), given.test, given)))


if __name__ == "__main__":
    main()
