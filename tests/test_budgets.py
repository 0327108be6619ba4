"""Laws of cost: no text of whatever shape takes time or memory that grows faster than its length."""

import os
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import pytest

from augment_ru import Normalizer, Perturber, Preparation
from augment_ru.engine.attack import Needs
from augment_ru.engine.prepare import Prepared
from augment_ru.resources import folder
from budgets import BEGINNING, SHAPES, Cost, cost_of, offline_attacks
from profiles import IS_FULL, third

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork and Linux's units"
)

SHORT, LONG = 1_000, 6_000
"""Characters of the two texts of a shape; a search that happens to need more rounds gets texts six times as long."""
MOST_SECONDS = 600e-6
"""Of the processor for a character: three times what was measured at most while the host of the machine was busy."""
MOST_BYTES = 4_000
"""For a character of the longer text: nearly twice what was measured at most, with what is loaded on the first use."""
_NOISE = 0.05
"""Seconds by which two runs may differ: a garbage collection more, a clock of coarse steps."""
_TRIES = 5
"""Runs of each text at most, of which the least is taken: on a busy machine a run takes up to twice its time."""
ONCE_QUADRATIC: list[tuple[str, str, dict[str, Any]]] = [
    ("butterfingers", "commas", {}),
    ("diminutives", "capitals", {}),
    ("eda_swap", "one sentence", {}),
    ("misspell", "one word", {}),
    ("case", "questions", {"constraints": ["answer_options"]}),
]

_OPTIONS: tuple[dict[str, Any], ...] = (
    {"constraints": []}, {"schedule": "strongest"}, {"similarity": "navec"}, {"similarity": None},
)  # fmt: skip
_SOME = ("commas", "one sentence", "sentences", "questions", "line feeds")
_EVERY: list[tuple[str, str, dict[str, Any]]] = [
    *((attack, shape, {}) for shape in SHAPES for attack in offline_attacks()),
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
CASES = _EVERY if IS_FULL else ONCE_QUADRATIC


def _is_linear(short: Cost, long: Cost, size: int = LONG, spent: float = 0.0) -> bool:
    most = min(MOST_SECONDS * size - spent, 1.5 * LONG / SHORT * short.seconds + _NOISE)
    return long.seconds <= most and long.peak <= MOST_BYTES * size


class _Preparing(NamedTuple):
    """How texts of a shape are prepared; attacks that read the same layers share them."""

    shape: str
    constraints: tuple[str, ...] | None
    needs: Needs

    def chunk(self, size: int) -> Prepared:
        """Prepare a text of this many characters."""
        (chunk,) = Preparation(self.constraints).texts([SHAPES[self.shape](size)], needs=[self.needs])
        return chunk

    def works(self, *sizes: int) -> list[Callable[[], str]]:
        self.chunk(BEGINNING)  # loads what is needed
        return [lambda size=size: str(self.chunk(size) and "unchanged") for size in sizes]  # type: ignore[misc]


prepared = lru_cache(maxsize=64)(_Preparing.chunk)


@cache
def seconds_of_preparing(how: _Preparing) -> float:
    """The seconds that a character costs, which must grow with the length."""
    return check(how.works)


@cache
def of_layers(layers: frozenset[str]) -> Needs:
    """What all attacks that read these layers need together."""
    every = [Perturber(attack).needs for attack in offline_attacks()]
    return Needs.of_all(needs for needs in every if needs.layers == layers)


@pytest.mark.parametrize(("attack", "shape", "options"), CASES)
def test_cost_grows_with_the_length(attack: str, shape: str, options: dict[str, Any]) -> None:
    """That of preparing a text, and that of perturbing it then; both together are within the limits."""
    given = options.get("constraints")
    perturber = Perturber(attack, **{name: value for name, value in options.items() if name != "constraints"})
    needs = Needs.of_all([perturber.needs, of_layers(perturber.needs.layers)])
    how = _Preparing(shape, None if given is None else tuple(given), needs)
    perturber.perturb(how.chunk(BEGINNING))

    def works(*sizes: int) -> list[Callable[[], str]]:
        chunks = [prepared(how, size) for size in sizes]
        return [lambda chunk=chunk: str(perturber.perturb(chunk).results[0].status) for chunk in chunks]  # type: ignore[misc]

    check(works, seconds_of_preparing(how))


@pytest.mark.parametrize("shape", third([*SHAPES, "аб", "к<b>а</b>", "ка1", "кт\u0301а", "к.а.з."], 0))
def test_cost_of_reading_back_grows_with_the_length(shape: str) -> None:
    read = Normalizer("evasion+spoken")
    make: Callable[[int], str] = SHAPES.get(shape, lambda size: (shape * size)[:size])
    read(make(LONG))  # loads what is needed: a word that only this text has may need a table of all words

    def work(text: str) -> Callable[[], str]:
        return lambda: read(text).text and "perturbed"

    check(lambda *sizes: [work(make(size)) for size in sizes])


def check(works_of: Callable[..., list[Callable[[], str]]], before: float = 0.0) -> float:
    """Check that the cost of works for texts of two lengths grows no faster than the length.

    Args:
        works_of: makes the works for texts of these lengths.
        before: the seconds for a character that were spent before these works.

    Returns:
        The seconds for a character.
    """
    for times in (1, LONG // SHORT):
        size = LONG * times
        works = works_of(SHORT * times, size)
        short, long = map(cost_of, works)
        for _ in range(_TRIES // times):
            assert {short.status, long.status} <= {"perturbed", "unchanged", "rejected"}
            if _is_linear(short, long, size, before * size):
                return long.seconds / size
            short, long = (cost.least(cost_of(work)) for cost, work in zip((short, long), works, strict=True))
    assert _is_linear(short, long, size, before * size), (short, long)
    return long.seconds / size


def test_every_case_that_was_once_quadratic_is_a_case() -> None:
    assert all(case in _EVERY for case in ONCE_QUADRATIC)


def test_a_cost_that_grows_with_the_square_is_found() -> None:
    def squared(size: int) -> Cost:
        return cost_of(lambda: str(sum(size for _ in range(size * size // 3)) and "perturbed"))

    assert not _is_linear(squared(SHORT), squared(LONG))
