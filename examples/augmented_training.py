"""Does augmenting help? Train a classifier with and without perturbed rows, and perturb the rows it is tested on.

    python examples/augmented_training.py

The classifier tells sentences of books, news and Wikipedia apart (examples/domains). It is trained on the rows as they
are, then also on copies of them, perturbed by an attack, each copy from another draw. The test rows are perturbed with
another seed. Needs the extra `eval`.
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
ATTACKS = ("people", "butterfingers")


def perturbed(attack: str, rows: Sequence[Mapping[str, Any]], *, seed: int, copies: int, meta: str) -> list[str]:
    """The rows under an attack, so many copies of each, as lines of JSON."""
    return [result.line(meta=meta) for result in Augmenter(attack, seed=seed).records(rows, n=copies)]


def written(path: Path, lines: Sequence[str]) -> Path:
    """The path of a file with these lines."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Perturb, train, evaluate, and print a line for each classifier and attack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", default=str(DATA / "train.jsonl"))
    parser.add_argument("--test", default=str(DATA / "test.jsonl"))
    parser.add_argument("--copies", type=int, default=3, help="perturbed copies of each row, in training and in the test")
    parser.add_argument("--analyzer", default="word", help="what the classifier counts: word, char or char_wb")
    given = parser.parse_args()

    train, test = read_rows(given.train).values, read_rows(given.test).values
    plain = [json.dumps(row, ensure_ascii=False) for row in train]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = {"as they are": f"linear:{written(folder / 'plain.jsonl', plain)}"}
        for attack in ATTACKS:
            copies = perturbed(attack, train, seed=1, copies=given.copies, meta="none")
            models[f"and {attack}"] = f"linear:{written(folder / f'{attack}.jsonl', plain + copies)}"
        tests = [perturbed(attack, test, seed=2, copies=given.copies, meta="full") for attack in ATTACKS]
        rows = written(folder / "test.jsonl", sum(tests, []))
        report = evaluate(str(rows), models, options={"linear": {"analyzer": given.analyzer}}).report()

    print(f"trained on rows    clean | {' | '.join(f'{attack:13}  ASR   with − without' for attack in ATTACKS)}")
    for model in report["models"]:
        cells = []
        for attack in ATTACKS:
            rates = model["attacks"][attack]
            cells.append(f"{rates['metrics']['accuracy']['after']:13.2f}  {rates['asr']:5.2f}  {gain(report, model, attack):14}")
        print(f"{model['model']:18} {model['metrics']['accuracy']['value']:5.2f} | {' | '.join(cells)}".rstrip())


def gain(report: Mapping[str, Any], model: Mapping[str, Any], attack: str) -> str:
    """The 95 % interval of the difference of the ASR to the first model, in points; empty for the first itself."""
    first = report["models"][0]["model"]
    for one in report["comparisons"]:
        if (one["between"], one["a"], one["b"], one.get("attack")) == ("models", first, model["model"], attack):
            low, high = one["ci95"]
            return f"{-high:+.2f} … {-low:+.2f}"
    return ""


if __name__ == "__main__":
    main()
