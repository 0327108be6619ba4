"""What a perturbation costs by character: processor time and memory, over texts of odd shapes.

    python tests/support/budgets.py            # the table for docs/limits, for all attacks and shapes

Each case runs in a copy (a fork) of this process, which has loaded what all need, so that its peak is its own.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from augment_ru import Augmenter
from augment_ru.registry import names

SHAPES: Mapping[str, Callable[[int], str]] = {
    "one letter": lambda size: "а" * size,
    "one word": lambda size: ("привет" * size)[:size],
    "commas": lambda size: ("кот," * size)[:size],
    "tags": lambda size: ("#кот,#дом," * size)[:size],
    "hyphens": lambda size: ("еле-" * size)[:size],
    "digits": lambda size: ("1234567890" * size)[:size],
    "capitals": lambda size: ("КОТ " * size)[:size],
    "one sentence": lambda size: ("старый кот вчера не видел у дома белую собаку " * size)[:size],
    "sentences": lambda size: ("Старый кот вчера не видел у дома белую собаку. " * size)[:size],
    "questions": lambda size: ("Кто пришёл? (A) кот (B) пёс " * size)[:size],
    "marks": lambda size: (".,!?" * size)[:size],
    "stress": lambda size: ("ко\u0301т " * size)[:size],
    "emoji": lambda size: ("👩‍👩‍👧 кот " * size)[:size],
    "quotations": lambda size: ("«кот „дом“» " * size)[:size],
    "line feeds": lambda size: ("кот\n" * size)[:size],
}
"""Texts of a length in characters, by name."""


class Cost(NamedTuple):
    """What a perturbation takes.

    Attributes:
        seconds: of the processor.
        peak: the bytes by which the process grew.
        status: that of the result, or the error.
    """

    seconds: float
    peak: int
    status: str


def cost_of(work: Callable[[], str], *, limit: int = 60) -> Cost:
    """What some work takes in a copy of this process; a copy that takes more than `limit` seconds is stopped.

    Args:
        work: returns a word on how it ended.
        limit: seconds of the processor.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        try:
            status = work()
        except BaseException as error:  # noqa: BLE001  (its name is the result)
            status = f"{type(error).__name__}: {error}"[:300]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writer, json.dumps([time.process_time() - start, peak * 1024, status]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return Cost(*json.loads(said)) if said else Cost(float(limit), 0, "stopped")


def perturbing(attack: str, text: str, **options: object) -> Callable[[], str]:
    """The work of perturbing one text; the attack has perturbed a short one before."""
    augmenter = Augmenter(attack, **options)  # type: ignore[arg-type]
    augmenter("Старый кот вчера не видел у дома белую собаку.")
    return lambda: str(augmenter(text).status)


def offline_attacks() -> list[str]:
    """The attacks that need no network."""
    return [name for name in names("attacks") if name not in ("back_translation", "bae", "paraphrase")]


def main() -> None:
    """Print the table."""
    sizes = [int(size) for size in sys.argv[1].split(",")] if len(sys.argv) > 1 else [4000, 16000]
    attacks = sys.argv[2].split(",") if len(sys.argv) > 2 else offline_attacks()
    options = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    for attack in attacks:
        for name, shape in SHAPES.items():
            cells = []
            for size in sizes:
                cost = cost_of(perturbing(attack, shape(size), **options), limit=30)
                cells.append(f"{cost.seconds / size * 1e6:8.1f} µs {cost.peak / size:8.0f} B {cost.status:10.10}")
            print(f"{attack:16} {name:14}", " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()
