"""What a perturbation costs by character: processor time and memory, over texts of odd shapes.

    python tests/support/budgets.py [ATTACK...]            # the table of docs/scale.md

Each case runs in a copy (a fork) of this process, which has loaded what all need, so that its peak is its own.
"""

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from cProfile import Profile
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
"""Functions that make a text of a given number of characters, by name."""


class Cost(NamedTuple):
    """The cost of a perturbation.

    Attributes:
        seconds: the seconds of processor time.
        peak: the bytes by which the process grew.
        status: the status of the result, or the error.
    """

    seconds: float
    peak: int
    status: str

    def least(self, other: "Cost") -> "Cost":
        """Return the lower cost of two runs of the same work."""
        return Cost(min(self.seconds, other.seconds), min(self.peak, other.peak), other.status)


def cost_of(work: Callable[[], str], *, limit: int = 60) -> Cost:
    """Measure some work in a fork of this process.

    Args:
        work: does the work, and returns a word on how it ended.
        limit: the seconds of processor time after which the fork is stopped.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        gc.freeze()  # a collection would go through all that the parent holds
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


def calls_of(work: Callable[[], object]) -> int:
    """Count the functions that some work calls, those of C among them: the same on every machine, busy or not."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


BEGINNING = 500
"""The characters of a text whose perturbation loads all that is needed."""


def perturbing(attack: str, *texts: str, **options: object) -> list[Callable[[], str]]:
    """Return functions that perturb a text each; the beginning of one is perturbed first, so that all is loaded."""
    augmenter = Augmenter(attack, **options)  # type: ignore[arg-type]
    augmenter(texts[0][:BEGINNING])
    return [lambda text=text: str(augmenter(text).status) for text in texts]  # type: ignore[misc]


def offline_attacks() -> list[str]:
    """Return the attacks that need no network."""
    return [name for name in names("attacks") if name not in ("back_translation", "bae", "paraphrase")]


_SETTINGS: Mapping[str, Mapping[str, object]] = {
    "defaults": {},
    "strongest": {"schedule": "strongest"},
    "no gate, no constraints": {"similarity": None, "constraints": []},
}
_SIZE = 24_000


def main() -> None:
    """Print the table: for each attack and setting the highest cost over all shapes, and its shape."""
    attacks = sys.argv[1:] or offline_attacks()
    print(f"| attack | {' | '.join(_SETTINGS)} |", "|---|" + "---|" * len(_SETTINGS), sep="\n")
    for attack in attacks:
        cells = []
        for options in _SETTINGS.values():
            costs = {name: cost_of(*perturbing(attack, shape(_SIZE), **options)) for name, shape in SHAPES.items()}
            slow, large = (max(costs, key=lambda name: costs[name][at]) for at in (0, 1))
            seconds, peak = costs[slow].seconds / _SIZE * 1e6, costs[large].peak / _SIZE
            cells.append(f"{seconds:.0f} µs ({slow}), {peak:,.0f} bytes ({large})")
        print(f"| `{attack}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
