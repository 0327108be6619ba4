"""Changes computed only where the probability may make them active, for attacks that run a model for each change."""

from collections.abc import Callable

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.text.characters import Mask

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
        wanted = np.sort(left[np.diff(rows[left], prepend=-1) != 0])
