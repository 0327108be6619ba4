"""Does augmenting help? Train a classifier with and without perturbed rows, and perturb the rows it is tested on.

    python examples/augmented_training.py

The classifier tells sentences of books, news and Wikipedia apart (examples/domains). It is trained on the rows as they
are, then also on copies of them with the errors of people, each copy from another draw. The test rows are perturbed
with another seed. Needs the extra `eval`.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru import Augmenter, evaluate
from augment_ru.formats.read import read_rows

DATA = Path(__file__).parent / "domains"
TESTS = ("people", "butterfingers")
"""The attacks on the test rows: errors of the kind that the copies have, and slips of the finger, which they lack."""


def perturbed(attack: str, rows: Sequence[Mapping[str, Any]], *, seed: int, copies: int, meta: str) -> list[str]:
    """The rows under an attack, so many copies of each, as lines of JSON."""
    return [result.line(meta=meta) for result in Augmenter(attack, seed=seed).records(rows, n=copies)]


def written(path: Path, lines: Sequence[str]) -> Path:
    """The path of a file with these lines."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Perturb, train, evaluate, and print a line for each attack and classifier."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", default=str(DATA / "train.jsonl"))
    parser.add_argument("--test", default=str(DATA / "test.jsonl"))
    parser.add_argument(
        "--copies", type=int, default=3, help="perturbed copies of each row, in training and in the test"
    )
    parser.add_argument("--analyzer", default="char_wb", help="what the classifier counts: word, char or char_wb")
    given = parser.parse_args()

    train, test = read_rows(given.train).values, read_rows(given.test).values
    plain = [json.dumps(row, ensure_ascii=False) for row in train]
    copies = perturbed("people", train, seed=1, copies=given.copies, meta="none")
    rows = [row for attack in TESTS for row in perturbed(attack, test, seed=2, copies=given.copies, meta="full")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = {
            "without": f"linear:{written(folder / 'without.jsonl', plain)}",
            "with": f"linear:{written(folder / 'with.jsonl', plain + copies)}",
        }
        source = str(written(folder / "test.jsonl", rows))
        report = evaluate(source, models, options={"linear": {"analyzer": given.analyzer}}).report()

    print("attack         copies   clean  perturbed   ASR")
    for attack in TESTS:
        for model in report["models"]:
            rates = model["attacks"][attack]
            clean, noisy = (rates["metrics"]["accuracy"][when] for when in ("before", "after"))
            print(f"{attack:14} {model['model']:7} {clean:6.2f} {noisy:10.2f} {rates['asr']:5.2f}")
        (found,) = [one for one in report["comparisons"] if one["between"] == "models" and one["attack"] == attack]
        low, high = found["ci95"]
        interval = f"95 % interval {low:+.2f} to {high:+.2f}"
        print(f"  {found['a']} − {found['b']}: ASR {found['difference']:+.2f} points, {interval}")


if __name__ == "__main__":
    main()
