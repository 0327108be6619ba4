"""Changes computed only where they may become active, and new texts only where they are asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, Self, TypeVar

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.attack import Attack
from augment_ru.engine.search import order_in
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

T = TypeVar("T")

Work = Callable[[Ints], Mask]
"""Tries to make the changes with these indices, in one batch; returns for each whether it was made."""


@dataclass(frozen=True, slots=True)
class MadeOnDemand(Attack):
    """An attack that makes only the changes that may become active.

    Args:
        least: how many changes of each text are made at any positive probability, if it has so many; from 1. It is the
            number that is forced (`min_changes`), and set by the engine.
    """

    least: int = field(default=1, repr=False, compare=False, kw_only=True, metadata={"option": False})

    def with_min_changes(self, count: int) -> Self:
        """The attack if so many changes of a record are forced; one is made even then, which tells clean texts."""
        return replace(self, least=max(count, 1))


def in_rounds(rows: Ints, ranks: Floats, probability: float, work: Work, *, least: int = 1) -> None:
    """Try all changes with a rank below the probability; then, in texts with too few changes, the next lowest ranks.

    So a text has the changes of its lowest possible ranks, which a search may make active at any probability, and no
    change is computed that can never become active.

    Args:
        rows: the number of the text of each possible change, shape (changes,).
        ranks: their ranks, same shape.
        probability: at 0 nothing is tried.
        work: makes the changes.
        least: how many changes a text needs; from 1.
    """
    if probability <= 0 or not rows.size:
        return
    waiting = np.ones(rows.size, dtype=np.bool_)
    made = np.zeros(int(rows.max()) + 1, dtype=np.int64)
    wanted = np.flatnonzero(ranks < probability)
    while True:
        if wanted.size:
            np.add.at(made, rows[wanted[work(wanted)]], 1)
            waiting[wanted] = False
        left = np.flatnonzero(waiting & (made[rows] < least))
        if not left.size:
            return
        left = left[np.lexsort((ranks[left], rows[left]))]
        wanted = np.sort(left[order_in(rows[left]) < least - made[rows[left]]])


def texts_at(batch: Batch, starts: Ints, stops: Ints) -> list[str]:
    """What stands at these ranges of global places, each inside one text."""
    rows_of = batch.rows(starts)
    at = batch.starts[rows_of]
    ranges = zip(rows_of.tolist(), (starts - at).tolist(), (stops - at).tolist(), strict=True)
    return [batch.texts[row][start:stop] for row, start, stop in ranges]


class LastValue(Generic[T]):
    """A function of indices that remembers its last value: new texts and notes are asked one after the other."""

    def __init__(self, function: Callable[[Ints], list[T]]) -> None:
        self._function = function
        self._indices: Ints | None = None
        self._value: list[T] = []

    def __call__(self, indices: Ints) -> list[T]:
        """The value at these indices."""
        if self._indices is None or not np.array_equal(self._indices, indices):
            self._indices, self._value = indices, self._function(indices)
        return self._value
