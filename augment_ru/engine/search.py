"""Which changes are active: at a probability, or at the levels of a plan that the gate scores.

A record's plan is its legal changes in the order of their ranks. A level is how many of them are active. So the
changes of a record at a level include those at every lower level.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.engine.proposals import Proposals
from augment_ru.text.characters import Mask

DIGITS = 4
"""Similarities are rounded to this number of digits before they are compared, so that rounding errors do not decide."""


def cut(proposals: Proposals, owners: Ints, probability: float, min_changes: int) -> Mask:
    """Whether each change is active at a probability, shape (changes,): its rank is lower, or its record has too few.

    Args:
        proposals: legal changes.
        owners: the record of each change, shape (changes,).
        probability: in [0, 1]; at 0 no change is active.
        min_changes: the least number of active changes of a record at a positive probability; those of the lowest
            ranks are added.
    """
    active: Mask = proposals.ranks < probability
    if probability > 0 and min_changes > 0 and owners.size:
        count = np.bincount(owners, weights=active, minlength=int(owners.max()) + 1)
        poor = np.flatnonzero((count < min_changes)[owners])
        if poor.size:
            poor = poor[np.lexsort((proposals.ranks[poor], owners[poor]))]
            active[poor[order_in(owners[poor]) < min_changes]] = True
    return active


def order_in(owners: Ints) -> Ints:
    """The position of each entry among the entries of its owner, from 0; `owners` is ascending."""
    place = np.arange(owners.size)
    return place - np.maximum.accumulate(np.where(first_of_each(owners), place, 0))


@dataclass(frozen=True)
class Plan:
    """The legal changes of every record of a batch, or of every try of `Tiles`, in the order of their ranks.

    Attributes:
        proposals: the changes that are active at the attack's probability.
        owners: the record or try of each change, shape (changes,). The other shapes and texts below say record.
        levels: the highest level of each record, that is, the number of its changes, shape (records,).
    """

    proposals: Proposals
    owners: Ints
    levels: Ints

    @classmethod
    def of(cls, proposals: Proposals, owners: Ints, records: int) -> "Plan":
        """The plan of these changes."""
        return cls(proposals, owners, np.bincount(owners, minlength=records))

    @cached_property
    def order(self) -> Ints:
        """The position of each change in its record's plan, from 0, shape (changes,)."""
        by_rank = np.lexsort((self.proposals.ranks, self.owners))
        order = np.empty_like(self.owners)
        order[by_rank] = order_in(self.owners[by_rank])
        return order

    def at(self, probability: float, min_changes: int) -> Ints:
        """The level of each record at a probability, shape (records,)."""
        active = cut(self.proposals, self.owners, probability, min_changes)
        return self.levels if active.all() else np.bincount(self.owners[active], minlength=self.levels.size)

    def mask(self, levels: Ints) -> Mask:
        """Whether each change is active at these levels, shape (changes,)."""
        if ((levels == 0) | (levels == self.levels)).all():  # no need to know the order
            whole: Mask = (levels > 0)[self.owners]
            return whole
        mask: Mask = self.order < levels[self.owners]
        return mask

    def probabilities(self, levels: Ints, probability: float) -> Floats:
        """The largest probability, at most `probability`, at which each record has its level, shape (records,)."""
        found = np.full(levels.size, probability)
        following = self.order == levels[self.owners]
        found[self.owners[following]] = self.proposals.ranks[following]
        capped: Floats = np.minimum(found, probability)
        return capped


@dataclass(slots=True)
class Cost:
    """The cost of searches: calls of the similarity, scored pairs, and forward passes."""

    calls: int = 0
    pairs: int = 0
    passes: int = 0

    def add(self, other: "Cost") -> None:
        """Add another search's cost."""
        self.calls += other.calls
        self.pairs += other.pairs
        self.passes += other.passes


@dataclass(slots=True)
class Found:
    """What a search found for each record; all arrays have shape (records,).

    Attributes:
        candidates: the candidate that passed, from 0; -1 if none passed.
        levels: the level of that candidate.
        probabilities: the largest probability with this level.
        similarities: the score; the best score that failed if none passed; NaN if nothing was scored.
        cost: the cost of the search.
        warnings: the scorer's warnings, by record.
    """

    candidates: Ints
    levels: Ints
    probabilities: Floats
    similarities: Floats
    cost: Cost = field(default_factory=Cost)
    warnings: dict[int, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def nothing(cls, records: int) -> "Found":
        """The state before a search of this number of records."""
        return cls(np.full(records, -1), np.zeros(records, dtype=np.int64), np.zeros(records), np.full(records, np.nan))
