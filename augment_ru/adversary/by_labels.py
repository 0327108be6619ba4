"""The search with labels alone: sets of several sizes until one breaks the answer, then group tests.

Before the first broken set a label says nothing about which change matters. So the search draws sets of six sizes, from
all places to half of them, in which every place and every alternative at a place stands equally often. Many changes
break most answers; those that noise never breaks need some words kept, and the smaller sets keep them.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from augment_ru.adversary.knowledge import ChangeSet, Draws, Knowledge, Search, as_set

_SHARES = (1.0, 0.8, 0.9, 0.7, 0.6, 0.8, 0.9, 0.5)
"""Shares of the places that the sets change, in turn.

Chosen on sentences of three domains against linear models of words and of characters (benchmarks/measurements.md).
With all places alone, a third less was broken against words; with the best single share, 0.8, a tenth less at 10
queries.
"""
_TRIES = 100
"""Draws without a new set after which nothing is left to try."""


def break_by_labels(knowledge: Knowledge, draws: Draws) -> Search:
    """Look for a set that breaks the answer; ends when one does, or when nothing is left to try."""
    for chosen in random_sets(knowledge, draws):
        verdict = yield chosen
        if verdict.broken:
            return


def random_sets(knowledge: Knowledge, draws: Draws) -> Iterator[ChangeSet]:
    """Open sets at random, of each share of the places in turn; ends when no new one is drawn any more.

    The places that were drawn least come first, and at each of them the alternative that was drawn least.
    """
    turn = failures = 0
    count = len(knowledge)
    places = knowledge.pool.places
    most = int(places.max()) + 1
    alike = [1.0] * count
    drawn, drawn_at = np.zeros(count), np.zeros(most)
    while failures < _TRIES:
        share = _SHARES[turn % len(_SHARES)]
        turn += 1
        by_place = draws.uniform(most)
        order = np.lexsort((draws.uniform(count), drawn, by_place[places], drawn_at[places]))
        found = knowledge.fitting(order.tolist(), alike, most=max(1, round(share * most)))
        drawn[found] += 1
        drawn_at += np.bincount(places[found], minlength=most)
        chosen = as_set(found)
        if chosen and knowledge.is_open(chosen):
            failures = 0
            yield chosen
        else:
            failures += 1


def shrink_by_labels(knowledge: Knowledge) -> Search:
    """Take changes back in groups until none can be taken back (delta debugging: Zeller and Hildebrandt 2002).

    The set is split into parts; each part alone is tried, then the set without each part; when nothing breaks the
    answer, the parts are halved.
    """
    broken = knowledge.smallest
    parts = 2
    while broken is not None and len(broken) > 1:
        bounds = [len(broken) * at // parts for at in range(parts + 1)]
        groups = [broken[start:stop] for start, stop in pairwise(bounds)]
        others = [as_set(set(broken) - set(group)) for group in groups]
        tried = groups if parts == 2 else others  # noqa: PLR2004  (each half is the rest of the other)
        for chosen in tried:
            if knowledge.is_open(chosen):
                yield chosen
            if knowledge.is_broken(chosen):
                parts = 2 if tried is groups else max(parts - 1, 2)
                broken = chosen
                break
        else:
            if parts == len(broken):
                return
            parts = min(2 * parts, len(broken))
