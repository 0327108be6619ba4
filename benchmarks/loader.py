"""How many texts a worker of a DataLoader perturbs in a second of its processor: python benchmarks/loader.py."""

import json
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from augment_ru import Augmenter
from augment_ru.torch import PerturbedBatches

FILES = ("reviews_train", "reviews_test", "comments")
BATCH = 32
SETTINGS: dict[str, dict[str, Any]] = {
    "the defaults": {},
    "without constraints": {"constraints": ()},
    "without constraints and gate": {"constraints": (), "similarity": "none"},
}


def rows_of_examples() -> list[dict[str, Any]]:
    """The rows of the examples."""
    folder = Path(__file__).parents[1] / "examples"
    return [json.loads(line) for name in FILES for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]


def rate(attack: str, setting: str) -> float:
    """Texts in a second of the processor, each text once; the first batch loads everything and is left out."""
    rows = rows_of_examples()
    batches = PerturbedBatches(Augmenter(attack, **SETTINGS[setting]))
    batches(rows[:BATCH])
    began = time.process_time()
    for at in range(BATCH, len(rows), BATCH):
        batches(rows[at : at + BATCH])
    return (len(rows) - BATCH) / (time.process_time() - began)


if __name__ == "__main__":
    held = rows_of_examples()
    print(f"{len(held)} texts of {sum(len(row['text']) for row in held) / len(held):.0f} characters")
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:  # so that no setting finds what another one loaded
        for name in ("people", "misspell", "butterfingers", "eda_swap"):
            found = [pool.apply(rate, (name, setting)) for setting in SETTINGS]
            print(name, *(f"{setting}: {one:.0f}" for setting, one in zip(SETTINGS, found, strict=True)), sep=" | ")
