"""What the schedule `strongest` costs compared with `paper`, on the real weights of a model that you name.

    python benchmarks/strongest.py MODEL@LAYER [--records 40] [--attack butterfingers --attack eda_delete]

For thresholds that reject 10 to 90 % of the first candidates: candidates scored, forward passes (those of the
references included), accepted rows, and mean edits under both schedules.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter
from augment_ru.draws import Rng
from augment_ru.engine.search import Cost
from augment_ru.similarities.bertscore import BertScore

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
REJECTED = (0.1, 0.4, 0.6, 0.9)


def records_of(count: int) -> list[str]:
    """Different texts of one to four sentences of the examples."""
    lines = [line for name in ("reviews", "questions") for line in (EXAMPLES / f"{name}.jsonl").open(encoding="utf-8")]
    sentences = [str(row.get("text") or row.get("question")) for row in map(json.loads, lines)]
    rng = Rng(7)
    return [f"{' '.join(rng.choice(sentences) for _ in range(1 + at % 4))} {at}" for at in range(count)]


def searched(attack: str, gate: BertScore, schedule: str, threshold: float, texts: list[str]) -> tuple[Cost, list[int]]:
    """What a search cost, and the edits of each accepted row."""
    augmenter = Augmenter(attack, similarity=gate, threshold=threshold, schedule=schedule, constraints=())
    (prepared,) = augmenter.preparation.texts(texts, needs=[augmenter.perturber.needs])
    found = augmenter.perturber.perturb(prepared)
    return found.cost, [len(result.script.edits) for result in found.results if result.status == "perturbed"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("model", metavar="MODEL@LAYER")
    parser.add_argument("--records", type=int, default=40)
    parser.add_argument("--attack", action="append")
    options = parser.parse_args()
    gate = BertScore(**BertScore.argument(options.model))
    texts = records_of(options.records)
    table = Table("attack", "rejected", "threshold", "candidates", "passes", "accepted", "edits, paper", "strongest")
    for attack in options.attack or ("butterfingers", "eda_delete"):
        ungated = Augmenter(attack, similarity="none", constraints=()).texts(texts)
        scores = gate(texts, [result.text for result in ungated])
        for rejected in REJECTED:
            threshold = float(np.round(np.quantile(scores, rejected), 4))
            paper, halved = searched(attack, gate, "paper", threshold, texts)
            strongest, most = searched(attack, gate, "strongest", threshold, texts)
            table.add_row(
                attack, f"{rejected:.0%}", f"{threshold}", f"{strongest.pairs / paper.pairs:.2f}",
                f"{strongest.passes / paper.passes:.2f}", f"{len(halved)}, {len(most)}",
                f"{np.mean(halved):.1f}", f"{np.mean(most):.1f}",
            )  # fmt: skip
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
