"""The search with scores: asks what the surrogate expects to break the answer with the fewest changes.

It has three ways of choosing the next set, and what each of them learns serves the others:

- the smallest set that the surrogate expects to break the answer, or the strongest one if it expects none to;
- the set nearest to breaking, with one change added, taken back or exchanged: effects are not quite additive, and near
  that set the surrogate errs least;
- sets at random, when these two find nothing new.
"""

from collections.abc import Iterable
from math import fsum

import numpy as np

from augment_ru.adversary.by_labels import random_sets
from augment_ru.adversary.knowledge import ChangeSet, Draws, Knowledge, Search, as_set
from augment_ru.adversary.surrogate import Surrogate
from augment_ru.draws import Floats

_BEYOND = 0.05
"""How far below 0 a margin is expected before a set counts as breaking, as a share of the original's margin."""
_ROUND = 5
"""While nothing comes nearer, one of this number of sets is chosen from all, the others near the nearest."""
_WIDE, _NEAR, _DARING = 0.3, 0.1, 1.0
"""The standard deviations that are added to the effects at random: once something failed, among all sets and near one;
and once the set is minimal, when only what is not known yet can be better."""
_TRIES = 20
"""Draws of these standard deviations before a way of choosing gives up."""
_MORE = 5
"""Smaller sets that are asked about once the smallest is minimal; each that breaks the answer gives as many again."""
_HOPE = 0.3
"""A smaller set is asked about if its chance is at least this; otherwise it is verified that none is smaller."""


def break_by_scores(knowledge: Knowledge, surrogate: Surrogate, draws: Draws) -> Search:
    """Look for a set that breaks the answer; ends when one does, or when nothing is left to try."""
    failures = asked = 0
    while True:
        asked += 1
        nearest = knowledge.nearest
        chosen = None
        if failures and asked % _ROUND:
            chosen = _near(knowledge, surrogate, draws)
        if chosen is None:
            chosen = _promising(knowledge, surrogate, draws, _WIDE if failures else 0.0)
        if chosen is None:
            chosen = next(random_sets(knowledge, draws), None)
        if chosen is None:
            return
        verdict = yield chosen
        if verdict.margins is not None:
            surrogate.learn(chosen, verdict.margins)
        if verdict.broken:
            return
        failures = 0 if knowledge.nearest != nearest else failures + 1


def _promising(
    knowledge: Knowledge, surrogate: Surrogate, draws: Draws, spread: float, most: int | None = None
) -> ChangeSet | None:
    """The smallest open set that is expected to break the answer, or the strongest; None if it was asked already.

    Args:
        knowledge: what is known of the record.
        surrogate: its surrogate.
        draws: its random numbers.
        spread: the standard deviations that are added to the effects; 0 adds some only if what is expected was asked.
        most: how many changes the set has at most; None for any number.
    """
    for attempt in range(_TRIES):
        noise = _noise(surrogate, draws, spread or _WIDE) if spread or attempt else None
        found: list[tuple[bool, float, ChangeSet]] = []
        for effects, margin in zip(surrogate.mean, surrogate.margins.tolist(), strict=True):
            wanted = margin + _BEYOND * surrogate.scale
            drawn = effects if noise is None else effects + noise
            gains = drawn.tolist()
            chosen = knowledge.fitting((-drawn).argsort(kind="stable").tolist(), gains, enough=wanted, most=most)
            rest = wanted - fsum(gains[one] for one in chosen)
            found.append((rest > 0, rest if rest > 0 else len(chosen), as_set(chosen)))
        best = min(found)[2]
        if best and knowledge.is_open(best):
            return best
    return None


def _near(knowledge: Knowledge, surrogate: Surrogate, draws: Draws) -> ChangeSet | None:
    """Return the open set one step from the nearest one that is expected to come nearest to breaking."""
    here = list(knowledge.nearest)  # ascending
    margins = knowledge.known[knowledge.nearest].margins
    if margins is None:
        return None
    effects = surrogate.mean + _noise(surrogate, draws, _NEAR)
    steps = effects.copy()
    for change in here:
        steps[:, knowledge.conflicts(change)] -= effects[:, change, None]
    if here:
        steps[:, here] = -effects[:, here]
    expected = np.minimum.reduce(margins[:, None] - steps)
    for change in expected.argsort(kind="stable").tolist():
        if change in here:
            chosen = tuple(one for one in here if one != change)
        else:
            gone = knowledge.pool.conflicts[change]
            chosen = as_set([*(one for one in here if one not in gone), change])
        if chosen and knowledge.is_open(chosen):
            return chosen
    return None


def _noise(surrogate: Surrogate, draws: Draws, size: float) -> Floats:
    noise: Floats = draws.bell(surrogate.variance.size) * np.sqrt(surrogate.variance) * size
    return noise


def shrink_by_scores(knowledge: Knowledge, surrogate: Surrogate, draws: Draws) -> Search:
    """Look for smaller broken sets until the smallest is known to be minimal, and then for still smaller ones.

    A minimal set need not be the smallest. So a few smaller ones are asked about, most of them of other changes.
    """
    yield from _minimal(knowledge, surrogate)
    left = _MORE
    while left and (broken := knowledge.smallest) is not None and len(broken) > 1:
        chosen = _promising(knowledge, surrogate, draws, _DARING, len(broken) - 1)
        if chosen is None:
            return
        left -= 1
        verdict = yield chosen
        if verdict.margins is not None:
            surrogate.learn(chosen, verdict.margins)
        if verdict.broken:
            yield from _minimal(knowledge, surrogate)
            left = _MORE


def _minimal(knowledge: Knowledge, surrogate: Surrogate) -> Search:
    """Take changes back until the smallest broken set is known to be minimal.

    The next set is the one that saves most changes times the third power of its chance (with the first power, fewer of
    the sets were minimal when a small budget ended); if no chance is worth a question, changes are taken back one by
    one, the one of least effect first.
    """
    chosen: ChangeSet = ()
    margins: Floats | None = None
    while (broken := knowledge.smallest) is not None and len(broken) > 1:
        singles = [one for one in knowledge.without_one(broken) if knowledge.is_open(one)]
        if not singles:
            return
        if margins is not None:
            surrogate.learn(chosen, margins)
        smaller = list(_smaller(knowledge, surrogate, broken))
        worth = [
            (chance**3 * (len(broken) - len(chosen)), chosen)
            for chance, chosen in zip(surrogate.chances(smaller), smaller, strict=True)
            if chance >= _HOPE
        ]
        chosen = max(worth or zip(surrogate.chances(singles), singles, strict=True))[1]
        margins = (yield chosen).margins


def _smaller(knowledge: Knowledge, surrogate: Surrogate, broken: ChangeSet) -> Iterable[ChangeSet]:
    """Open sets with fewer changes: for each rival the strongest of each size, of all changes and of the broken set."""
    most = len(broken) - 1
    found: dict[ChangeSet, None] = {}
    for effects in surrogate.mean:
        gains = effects.tolist()
        for order in ((-effects).argsort(kind="stable").tolist(), sorted(broken, key=lambda one: -gains[one])):
            ordered = knowledge.fitting(order, gains, most=most)
            found.update((as_set(ordered[:size]), None) for size in range(1, len(ordered) + 1))
    return filter(knowledge.is_open, found)
