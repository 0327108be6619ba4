"""Which changes are active: cuts through ranks, the levels of a plan, and the gate that scores them.

A record's plan is its legal changes in the order of their ranks. A level is how many of them are active, so the
perturbations of a record at falling levels are nested.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.proposals import Applied, Proposals, apply
from augment_ru.engine.similarity import Similarity
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

DIGITS = 4
"""Similarities are rounded to so many digits before anything is decided, so that no decision hangs on noise."""


def cut(proposals: Proposals, owners: Ints, probability: float, min_changes: int) -> Mask:
    """The changes that are active at a probability: rank < p, and at least `min_changes` an owner.

    Args:
        proposals: legal changes.
        owners: the record of each change, shape (changes,).
        probability: 0 leaves nothing active.
        min_changes: how many changes of an owner are active at least at a positive probability, those of the
            lowest ranks.
    """
    active: Mask = proposals.ranks < probability
    if probability > 0 and min_changes > 0 and owners.size:
        count = np.bincount(owners, weights=active, minlength=int(owners.max()) + 1)
        poor = np.flatnonzero((count < min_changes)[owners])
        if poor.size:
            poor = poor[np.lexsort((proposals.ranks[poor], owners[poor]))]
            active[poor[_order(owners[poor]) < min_changes]] = True
    return active


def _order(owners: Ints) -> Ints:
    """The place of each entry among those of its owner; the owners ascend."""
    place = np.arange(owners.size)
    first = np.diff(owners, prepend=-1) != 0
    return place - np.maximum.accumulate(np.where(first, place, 0))


@dataclass(frozen=True, slots=True)
class Plan:
    """The legal changes of one candidate for every record of a batch, in the order of their ranks.

    Attributes:
        proposals: the changes that are active at the attack's probability.
        owners: the record of each change, shape (changes,).
        order: the place of each change in its record's plan, from 0, shape (changes,).
        levels: how many changes each record has, shape (records,).
    """

    proposals: Proposals
    owners: Ints
    order: Ints
    levels: Ints

    @classmethod
    def of(cls, proposals: Proposals, owners: Ints, records: int) -> "Plan":
        """The plan of these changes."""
        by_rank = np.lexsort((proposals.ranks, owners))
        order = np.empty_like(owners)
        order[by_rank] = _order(owners[by_rank])
        return cls(proposals, owners, order, np.bincount(owners, minlength=records))

    def at(self, probability: float, min_changes: int) -> Ints:
        """The level of each record at a probability."""
        active = cut(self.proposals, self.owners, probability, min_changes)
        return np.bincount(self.owners[active], minlength=self.levels.size)

    def mask(self, levels: Ints) -> Mask:
        """The changes that are active at these levels, shape (changes,)."""
        mask: Mask = self.order < levels[self.owners]
        return mask

    def probabilities(self, levels: Ints, probability: float) -> Floats:
        """The largest probability, at most `probability`, that leaves each record at its level."""
        found = np.full(levels.size, probability)
        following = self.order == levels[self.owners]
        found[self.owners[following]] = self.proposals.ranks[following]
        capped: Floats = np.minimum(found, probability)
        return capped


@dataclass(slots=True)
class Cost:
    """What searches cost: calls of the similarity, pairs in them, texts that went through its network."""

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
    """What a search found, by record: shapes (records,).

    Attributes:
        candidates: the candidate that passed, from 0; -1 where none did.
        levels: how many of its changes are active.
        probabilities: the largest probability at which just these are active.
        similarities: the score; NaN where none passed or nothing was scored.
        cost: what the search cost.
        warnings: what the reader of a score must know, by record.
    """

    candidates: Ints
    levels: Ints
    probabilities: Floats
    similarities: Floats
    cost: Cost = field(default_factory=Cost)
    warnings: dict[int, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def nothing(cls, records: int) -> "Found":
        """Nothing found yet for so many records."""
        return cls(np.full(records, -1), np.zeros(records, dtype=np.int64), np.zeros(records), np.full(records, np.nan))


class Gate:
    """Scores levels of plans; what reaches the threshold passes.

    Args:
        batch: the texts.
        owners: the record of each text, shape (texts,).
        plans: the candidates.
        similarity: scores changed texts against the originals.
        threshold: the lowest score that passes.
    """

    def __init__(
        self, batch: Batch, owners: Ints, plans: Sequence[Plan], similarity: Similarity, threshold: float
    ) -> None:
        self._batch, self._owners = batch, owners
        self.plans, self.threshold = plans, threshold
        self._scorer = similarity.against(batch.texts)
        self._cost = Cost()

    @property
    def runs_network(self) -> bool:
        """Whether each score costs a forward pass."""
        return self._scorer.runs_network

    def scores(self, levels: Sequence[Ints]) -> list[Floats]:
        """The similarity of each record at each candidate's level, in one call.

        A record's similarity is the lowest of its texts that changed.

        Args:
            levels: for each candidate the levels, shape (records,); 0 asks for no score.

        Returns:
            For each candidate the scores, shape (records,); NaN where none was asked for.
        """
        rows: list[Ints] = []
        texts: list[str] = []
        for plan, level in zip(self.plans, levels, strict=True):
            applied = self.applied(plan, level)
            rows.append(applied.changed)
            texts += [applied.texts[row] for row in applied.changed.tolist()]
        found = [np.where(level > 0, np.inf, np.nan) for level in levels]
        if texts:
            scores = np.round(self._scorer.score(np.concatenate(rows), texts), DIGITS)
            self._cost.calls += 1
            self._cost.pairs += len(texts)
            at = 0
            for lowest, changed in zip(found, rows, strict=True):
                np.minimum.at(lowest, self._owners[changed], scores[at : at + changed.size])
                at += changed.size
        return found

    def applied(self, plan: Plan, levels: Ints) -> Applied:
        """The texts at these levels of a plan."""
        return apply(self._batch, plan.proposals, plan.mask(levels))

    def finished(self, found: Found) -> Found:
        """What was found, with what it cost and the scorer's warnings."""
        self._cost.passes = self._scorer.passes
        found.cost = self._cost
        for text, warnings in sorted(self._scorer.warnings.items()):
            record = int(self._owners[text])
            found.warnings[record] = (*found.warnings.get(record, ()), *warnings)
        return found
