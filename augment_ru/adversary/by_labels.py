"""The search against a model that gives only labels: random sets until one breaks the answer, then group tests.

Before the first wrong answer, labels do not tell which changes matter. So the search draws sets of six sizes: the
largest change all places, the smallest half of them. A place is a word that can be changed, and each gets one change;
only one set of nine may change several letters of a word. Every place is drawn about equally often, and so is every
alternative at a place. Many changes at once break most answers. Some answers break only if certain words stay as they
are; smaller sets leave more words as they are.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from augment_ru.adversary.knowledge import ChangeSet, Draws, Knowledge, Search, as_set

_SHARES = (1.0, 0.8, 0.9, 0.7, 0.6, 0.8, 0.9, 0.5)
"""The shares of the places that sets change, used in turn.

They were chosen on sentences of three domains against linear models of words and of characters
(benchmarks/measurements.md). If all places were always changed, a third fewer answers of the word models broke; with
the best single share, 0.8, a tenth fewer at 10 queries.
"""
_LETTERS = 9
"""One of this many sets may change several letters of a word; the others change one at most."""
_TRIES = 100
"""After this many draws in a row without a new set, the search ends."""


def break_by_labels(knowledge: Knowledge, draws: Draws) -> Search:
    """Search for a set of changes that breaks the answer, by random sets, for a model that gives labels alone.

    The generator yields the next set to ask the model about; the caller sends back what came of the set. The search
    ends when a set broke the answer, or when no new set is found.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        draws: the random numbers of the search.
    """
    for chosen in random_sets(knowledge, draws):
        verdict = yield chosen
        if verdict.broken:
            return


def random_sets(knowledge: Knowledge, draws: Draws) -> Iterator[ChangeSet]:
    """Yield random sets of changes that the model was not asked about before, until 100 draws in a row give no new set.

    A set changes at least half of the words that can be changed, or fewer if the gate is expected to refuse more. Words
    and changes that were seldom chosen so far are preferred.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        draws: the random numbers of the search.
    """
    turn = failures = 0
    count = len(knowledge)
    places = knowledge.pool.places
    most = int(places.max()) + 1
    alike = [1.0] * count
    drawn, drawn_at = np.zeros(count), np.zeros(most)
    while failures < _TRIES:
        share = _SHARES[turn % len(_SHARES)]
        alone = turn % _LETTERS != _LETTERS - 1
        turn += 1
        by_place = draws.uniform(most)
        order = np.lexsort((draws.uniform(count), drawn, by_place[places], drawn_at[places]))
        found = knowledge.fitting(order.tolist(), alike, most=max(1, round(share * most)), alone=alone)
        drawn[found] += 1
        drawn_at += np.bincount(places[found], minlength=most)
        chosen = as_set(found)
        if chosen and knowledge.is_open(chosen):
            failures = 0
            yield chosen
        else:
            failures += 1


def shrink_by_labels(knowledge: Knowledge) -> Search:
    """Make the smallest set of changes that broke the answer smaller, until none of its changes can be undone.

    The generator yields the next set to ask the model about; the caller sends back what came of the set. The method is
    delta debugging (Zeller and Hildebrandt 2002).

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
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
