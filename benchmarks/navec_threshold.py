"""How navec's threshold was chosen: how it scores light noise, heavy noise and unrelated texts.

    python benchmarks/navec_threshold.py [FILE.jsonl ...]

For each attack and probability: the mean and quantiles of the similarity, and the share of single
perturbations (one candidate, no search) that the threshold passes. By default on examples/*.jsonl.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from augment_ru import Augmenter
from augment_ru.engine.attack import make
from augment_ru.similarities.navec import Navec

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
GRID = {
    "butterfingers": (0.02, 0.05, 0.1, 0.15, 0.3, 0.5, 1.0),
    "emojify": (0.2, 0.4, 1.0),
    "eda_delete": (0.1, 0.3, 0.5, 0.7, 0.9),
    "eda_swap": (0.1, 0.3, 0.6, 1.0),
    "case": (0.1, 1.0),
}
PAPER: dict[str, dict[str, object]] = {
    "emojify": {"guards": ()},
    "eda_delete": {"guards": ()},
    "eda_swap": {"scope": "anywhere"},
}
"""The paper's attacks, without guards, so that broken texts occur."""


def texts_of(paths: list[Path]) -> list[str]:
    """The texts and questions of the files' rows."""
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [str(row.get("text") or row.get("question")) for row in rows]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    texts = texts_of(options.files or sorted(EXAMPLES.glob("*.jsonl")))
    similarity = Navec()
    table = Table("what", "p", "mean", "5 %", "median", "95 %", f"passes {similarity.threshold}")

    def add(what: str, probability: str, scores: np.ndarray) -> None:
        quantiles = np.quantile(scores, [0.05, 0.5, 0.95])
        passed = np.mean(np.round(scores, 4) >= similarity.threshold)
        table.add_row(what, probability, f"{scores.mean():.3f}", *(f"{one:.3f}" for one in quantiles), f"{passed:.0%}")

    for name, probabilities in GRID.items():
        for probability in probabilities:
            pairs = []
            for seed in range(options.seeds):
                attack = make(name, PAPER.get(name, {}))
                augmenter = Augmenter(attack, probability=probability, constraints=(), similarity="none", seed=seed)
                results = augmenter.texts(texts)
                pairs += [(one.source, one.script.read) for one in results if one.status == "perturbed"]
            add(name, f"{probability}", similarity([one for one, _ in pairs], [two for _, two in pairs]))
    unrelated = [(one, two) for one in texts for two in texts if one != two]
    add("unrelated texts", "", similarity([one for one, _ in unrelated], [two for _, two in unrelated]))
    print(f"{len(texts)} texts, {options.seeds} seeds; {similarity.signature}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
