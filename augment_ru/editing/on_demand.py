"""Only the work that a probability may make active, for attacks whose changes cost a model's time."""

from collections.abc import Callable

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.text.characters import Mask

Work = Callable[[Ints], Mask]
"""Tries to make changes of these indices, in one batch; says of each whether there is one."""


def in_rounds(rows: Ints, ranks: Floats, probability: float, work: Work) -> None:
    """Try all changes with a rank below the probability; then of each text without one, the next lowest rank.

    So a text has the change of its lowest rank, which a search may make active at any probability, and none is
    worked out that would never be spent.

    Args:
        rows: the text of each possible change, shape (changes,).
        ranks: their ranks, same shape.
        probability: at 0 nothing is tried.
        work: what makes them.
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
