"""What must be the same on every processor: rows under all attacks, rows of a search, scores of similarities.

    python tests/support/processor_rows.py

Prints {"attacks": …, "search": …, "scores": …}: for each of them lines that tell apart what differs.
"""

import json
import os
import platform
import runpy
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from profiles import IS_FULL

ROOT = Path(__file__).resolve().parents[2]
TRAIN, TEST = (ROOT / "examples" / f"reviews_{part}.jsonl" for part in ("train", "test"))
CORES = {
    "x86_64": ("Prescott", "Haswell", "SkylakeX") if IS_FULL else ("Prescott",),
    "aarch64": ("ARMV8", "NEOVERSEN1") if IS_FULL else ("ARMV8",),
}.get(platform.machine(), ("Prescott",))
"""Kinds of processors that OpenBLAS imitates; a machine of another kind computes otherwise than the first."""
TEXTS = 84 if IS_FULL else 6
"""How many texts all attacks perturb."""
SEARCHED = 1000 if IS_FULL else 12
"""How many rows are searched, at most."""
SCORED = (
    "Вчера старая кошка соседа тихо спала на тёплом окне, а дети не шумели и рисовали дождь.",
    "По словам соседей, этот дом был построен ещё до войны.",
    "На выходных дети очень громко смеялись во дворе нашего большого дома и играли в мяч.",
    "Губернатор подписал указ о выходном дне.",
    "Поезд прибывает в полночь.",
    "Вечером кошка тихо спала на окне.",
    "Собаки допускаются в вагон.",
    "Мать разбудила сына на рассвете.",
    "Шампанское не было в холодильнике.",
    "Северный склон горы круче южного.",
    "Институтом руководит жена декана.",
    "Кошка спит на окне.",
)


def of_attacks() -> list[str]:
    """Digests of the rows under each attack that runs no network."""
    from augment_ru.registry import names  # noqa: PLC0415  (the kind of processor is chosen before NumPy is loaded)

    script = runpy.run_path(str(ROOT / "scripts" / "processors.py"))
    attacks = [name for name in names("attacks") if name not in script["WITH_NETWORKS"]]
    found = script["digests"](script["texts_of"]([TRAIN], TEXTS), attacks)
    return [f"{attack} {at} {digest}" for attack, digests in found for at, digest in enumerate(digests)]


def of_search() -> list[str]:
    """Rows of a search with scores."""
    from augment_ru import Adversary  # noqa: PLC0415
    from augment_ru.evaluation.examples import ModelRequest, model_of  # noqa: PLC0415
    from augment_ru.formats.read import read_rows  # noqa: PLC0415
    from augment_ru.records.task import generic  # noqa: PLC0415

    request = ModelRequest("", generic(), ("negative", "positive"), "cpu")
    model = model_of(f"linear:{TRAIN}", request, {"analyzer": "char"})
    search = Adversary(["butterfingers", "misspell"], model, similarity="none", constraints=())
    return [one.line() for one in search.records(read_rows(str(TEST)).values[:SEARCHED])]


def of_scores() -> list[str]:
    """Texts that pass a gate, and their scores."""
    from augment_ru import Augmenter  # noqa: PLC0415

    return [
        f"{similarity} {attack} {result.text} {result.similarity}"
        for similarity in ("meaning", "navec")
        for attack in ("butterfingers", "eda_delete", "eda_swap", "add_sent")
        for result in Augmenter(attack, similarity=similarity, constraints=()).texts(SCORED)
    ]


WORKS: Mapping[str, Callable[[], list[str]]] = {"attacks": of_attacks, "search": of_search, "scores": of_scores}


def under(core: str) -> dict[str, list[str]] | None:
    """All of it under the arithmetic of a kind of processor; None if this machine cannot compute as it does."""
    import numpy as np  # noqa: PLC0415

    vectors: Any = np.show_config(mode="dicts")
    extra = vectors["SIMD Extensions"].get("found", []) if core == CORES[0] else []
    settings = {
        "OPENBLAS_CORETYPE": core, "OPENBLAS_VERBOSE": "2", "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2",  # the process of the tests has one
        "NPY_DISABLE_CPU_FEATURES": " ".join(extra),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    command = [sys.executable, __file__]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, check=False, text=True)
    if done.returncode < 0 or "Core not found" in done.stderr:  # killed by an instruction that this machine lacks
        return None
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    json.dump({name: work() for name, work in WORKS.items()}, sys.stdout)
