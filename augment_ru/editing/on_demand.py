"""Changes computed only where they may become active, and new texts only where they are asked for."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

T = TypeVar("T")

Work = Callable[[Ints], Mask]
"""Tries to make the changes with these indices, in one batch; returns for each whether it was made."""


def in_rounds(rows: Ints, ranks: Floats, probability: float, work: Work) -> None:
    """Try all changes with a rank below the probability; then, in each text without a change, the next lowest rank.

    So a text has a change of its lowest possible rank, which a search may make active at any probability, and no
    change is computed that can never become active.

    Args:
        rows: the number of the text of each possible change, shape (changes,).
        ranks: their ranks, same shape.
        probability: at 0 nothing is tried.
        work: makes the changes.
    """
    if probability <= 0 or not rows.size:
        return
    waiting = np.ones(rows.size, dtype=np.bool_)
    changed = np.zeros(int(rows.max()) + 1, dtype=np.bool_)
    wanted = np.flatnonzero(ranks < probability)
    while True:
        if wanted.size:
            changed[rows[wanted[work(wanted)]]] = True
            waiting[wanted] = False
        left = np.flatnonzero(waiting & ~changed[rows])
        if not left.size:
            return
        left = left[np.lexsort((ranks[left], rows[left]))]
        wanted = np.sort(left[first_of_each(rows[left])])


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
