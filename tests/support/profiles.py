"""The number of examples that a law draws: few by default, all if HYPOTHESIS_PROFILE is `full`."""

import os
from collections.abc import Sequence
from itertools import cycle, product
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
IS_FULL = PROFILE == "full"
QUICK = 15 if PROFILE == "mutants" else 4
"""The most examples of a law in the quick profile; a mutant may differ in a few cases only."""


def examples(number: int, quick: int = QUICK) -> int:
    """Return the number of examples for a law that draws `number` in the full profile, else `quick` at most."""
    return number if IS_FULL else min(number, quick)


def pairs(longer: Sequence[A], other: Sequence[B]) -> list[tuple[A, B]]:
    """All pairs in the full profile; else as few as have each value."""
    return list(product(longer, other)) if IS_FULL else list(zip(longer, cycle(other), strict=False))


def third(values: Sequence[A], law: int) -> list[A]:
    """All values but in the quick profile; there one of three, others for the next law, so that three laws meet all."""
    return list(values[law % 3 :: 3] if PROFILE == "quick" else values)
