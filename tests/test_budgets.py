"""Laws of cost: no text of whatever shape takes time or memory that grows faster than its length."""

import os
import sys
from typing import Any

import pytest

from augment_ru.resources import folder
from budgets import SHAPES, Cost, cost_of, offline_attacks, perturbing
from profiles import IS_FULL

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork and Linux's units"
)

SHORT, LONG = 6_000, 24_000
"""Characters of the two texts of a shape."""
MOST_SECONDS = 300e-6
"""Of the processor for a character: five times what was measured at most."""
MOST_BYTES = 4_000
"""For a character of the longer text: nearly twice what was measured at most, with what is loaded on the first use."""
_NOISE = 0.1
"""Seconds by which two runs may differ on a busy machine."""
QUICK_CASES = {
    ("butterfingers", "commas"),
    ("diminutives", "capitals"),
    ("eda_swap", "one sentence"),
    ("misspell", "one word"),
}
"""Each was once quadratic."""

_OPTIONS: tuple[dict[str, Any], ...] = (
    {"constraints": []}, {"schedule": "strongest"}, {"similarity": "navec"}, {"similarity": None},
)  # fmt: skip
_SOME = ("commas", "one sentence", "sentences", "questions", "line feeds")
_EVERY: list[tuple[str, str, dict[str, Any]]] = [
    *((attack, shape, {}) for attack in offline_attacks() for shape in SHAPES),
    *(
        (attack, shape, options)
        for attack in ("butterfingers", "eda_swap", "diminutives", "word_order")
        for shape in _SOME
        for options in _OPTIONS
    ),
    *(
        ("case", shape, {"constraints": [file.stem]})
        for file in sorted(folder("constraints").glob("*.toml"))
        for shape in _SOME
    ),
]
CASES = _EVERY if IS_FULL else [case for case in _EVERY if case[:2] in QUICK_CASES and not case[2]]


def _assert_linear(short: Cost, long: Cost) -> None:
    assert short.status in ("perturbed", "unchanged", "rejected")
    assert long.status in ("perturbed", "unchanged", "rejected")
    assert long.seconds <= MOST_SECONDS * LONG, long
    assert long.seconds <= 1.5 * LONG / SHORT * short.seconds + _NOISE, (short, long)
    assert long.peak <= MOST_BYTES * LONG, long


@pytest.mark.parametrize(("attack", "shape", "options"), CASES)
def test_cost_grows_with_the_length(attack: str, shape: str, options: dict[str, Any]) -> None:
    short, long = (cost_of(perturbing(attack, SHAPES[shape](size), **options)) for size in (SHORT, LONG))
    _assert_linear(short, long)
