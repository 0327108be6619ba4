"""How much of what was proposed is spent: cuts through ranks, and the search for what still means the same.

A record's plan is its legal changes in the order of their ranks. A level is how many of them are active, so
levels are nested; probabilities and similarity tests are both ways to choose one.
"""

from collections.abc import Callable, Sequence
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
        min_changes: how many of an owner's lowest ranks are active whatever a positive p says.
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
        proposals: the changes that the largest probability makes active.
        owners: the record of each change.
        order: the place of each change in its record's plan, from 0.
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

    def spent(self, levels: Ints, probability: float) -> Floats:
        """The largest probability, not over `probability`, that leaves each record at its level."""
        spent = np.full(levels.size, probability)
        following = self.order == levels[self.owners]
        spent[self.owners[following]] = self.proposals.ranks[following]
        capped: Floats = np.minimum(spent, probability)
        return capped


@dataclass(slots=True)
class Counts:
    """What a search cost: calls of the similarity, pairs in them, texts that went through a network."""

    rounds: int = 0
    pairs: int = 0
    passes: int = 0

    def add(self, other: "Counts") -> None:
        """Add another search's cost."""
        self.rounds += other.rounds
        self.pairs += other.pairs
        self.passes += other.passes


@dataclass(slots=True)
class Found:
    """What passed, per record: shapes (records,); candidate -1 where nothing did."""

    candidates: Ints
    levels: Ints | Floats
    probabilities: Floats
    similarities: Floats
    counts: Counts = field(default_factory=Counts)
    warnings: dict[int, tuple[str, ...]] = field(default_factory=dict)


class Gate:
    """Scores levels of plans: which records, at which candidate and level, pass the threshold."""

    def __init__(
        self, batch: Batch, records_of: Ints, plans: Sequence[Plan], similarity: Similarity, threshold: float
    ) -> None:
        self._batch, self._records_of = batch, records_of
        self.plans, self.threshold = plans, threshold
        self._scorer = similarity.against(batch.texts)
        self.counts = Counts()

    def scores(self, levels: Sequence[Ints]) -> list[Floats]:
        """The similarity of each record at each candidate's level (0: not asked), in one call.

        A record is as similar as the least similar of its texts that changed.
        """
        rows: list[Ints] = []
        texts: list[str] = []
        for plan, level in zip(self.plans, levels, strict=True):
            applied = self._apply(plan, level)
            changed = np.flatnonzero(np.diff(applied.edits.rows))
            rows.append(changed)
            texts += [applied.texts[row] for row in changed.tolist()]
        found = [np.where(level > 0, np.inf, np.nan) for level in levels]
        if texts:
            every = np.concatenate(rows)
            scores = np.round(self._scorer.score(every, texts), DIGITS)
            self.counts.rounds += 1
            self.counts.pairs += len(texts)
            at = 0
            for worst, changed in zip(found, rows, strict=True):
                np.minimum.at(worst, self._records_of[changed], scores[at : at + changed.size])
                at += changed.size
        return found

    @property
    def slack(self) -> float:
        """The share of a record's changes that a search may leave unspent to save scores."""
        return _SLACK if self._scorer.passes else 0.0

    def finished(self, found: Found) -> Found:
        """What was found, with what it cost and what its reader must know."""
        self.counts.passes = self._scorer.passes
        found.counts = self.counts
        for text, warnings in sorted(self._scorer.warnings.items()):
            record = int(self._records_of[text])
            found.warnings[record] = (*found.warnings.get(record, ()), *warnings)
        return found

    def _apply(self, plan: Plan, levels: Ints) -> Applied:
        return apply(self._batch, plan.proposals, plan.mask(levels))


Schedule = Callable[[Gate, float, int, float], Found]


def paper(gate: Gate, probability: float, min_changes: int, floor: float) -> Found:
    """TAPE's search: the most similar candidate at p; below the threshold, p is halved, down to the floor.

    A level that was scored is not scored again: where halving changes nothing, it goes on.
    """
    records = gate.plans[0].levels.size
    found = _nothing(records)
    tried = [np.full(records, -1) for _ in gate.plans]
    while True:
        levels = [plan.at(probability, min_changes) for plan in gate.plans]
        asked = [
            np.where((found.candidates < 0) & (level != before), level, 0)
            for level, before in zip(levels, tried, strict=True)
        ]
        tried = levels
        if any(level.any() for level in asked):
            for candidate, (level, scores) in enumerate(zip(asked, gate.scores(asked), strict=True)):
                better = (level > 0) & (scores >= gate.threshold)
                better &= (found.candidates < 0) | (scores > found.similarities)
                found.candidates[better] = candidate
                found.levels[better] = level[better]
                found.probabilities[better] = probability
                found.similarities[better] = scores[better]
        probability /= 2
        if probability < floor or (found.candidates >= 0).all():
            return gate.finished(found)


_GUESSES = 4
"""After so many guesses that did not settle a record, its bracket is halved instead: log2 rounds at the most."""
_SLACK = 1 / 8
"""Of a record's changes: how far below the largest level that passes a network's scorer may leave it."""


def strongest(gate: Gate, probability: float, min_changes: int, floor: float) -> Found:
    """The largest level that passes, of the first candidate of which one does.

    Similarity falls almost linearly with the level, so the next level asked is where the curve through the last
    two scores crosses the threshold. A record is settled when its largest level passed, when no level is left
    between one that passed and one that failed, or when the curve leaves no room for one more change. Where
    every score costs a forward pass, room for an eighth of the record's changes is left, too. What is returned
    was itself scored and passed.
    """
    records = gate.plans[0].levels.size
    found = _nothing(records)
    rows = np.arange(records)
    tops = np.stack([plan.levels for plan in gate.plans])
    bottoms = np.stack([plan.at(floor, max(min_changes, 1)) for plan in gate.plans]).clip(1, np.maximum(tops, 1))
    candidate, low, failed, guesses = (np.zeros(records, dtype=np.int64) for _ in range(4))
    known, loss = np.zeros((2, records)), np.zeros((2, records))  # the last two levels and 1 - their similarities
    level = tops[0].copy()
    while _next_candidates(level, candidate, tops, found):
        fresh = (level > 0) & (level == tops[candidate, rows])
        low[fresh], guesses[fresh], known[:, fresh], loss[:, fresh] = 0, 0, 0, 0
        failed[fresh] = level[fresh] + 1
        scores = np.stack(gate.scores([np.where(candidate == n, level, 0) for n in range(len(tops))]))[candidate, rows]
        good = (level > 0) & (scores >= gate.threshold)
        bad = (level > 0) & ~good
        low[good], failed[bad] = level[good], level[bad]
        found.candidates[good], found.levels[good], found.similarities[good] = (
            candidate[good],
            level[good],
            scores[good],
        )
        asked = level > 0
        known[0, asked], loss[0, asked] = known[1, asked], loss[1, asked]
        known[1, asked], loss[1, asked] = level[asked], 1 - scores[asked]
        crossing = _crossing(known, loss, 1 - gate.threshold)
        slack = gate.slack * tops[candidate, rows]
        least = np.maximum(low, bottoms[candidate, rows] - 1)
        settled = (failed - least <= 1) | (low > 0) & (crossing - low < np.maximum(slack, 1))
        guesses += 1
        guess = np.where(guesses > _GUESSES, (least + failed) // 2, np.floor(crossing - slack / 2).astype(np.int64))
        level = np.where(asked & ~settled, np.clip(guess, least + 1, failed - 1), 0)
    for number, plan in enumerate(gate.plans):
        won = found.candidates == number
        found.probabilities[won] = plan.spent(np.where(won, found.levels, 0), probability)[won]
    return gate.finished(found)


def _crossing(levels: Floats, losses: Floats, wanted: float) -> Floats:
    """Where a power of the level through two points, shape (2, records), reaches the loss that is wanted.

    Through one point, the other being at level 0, it is a line; its exponent stays in [1/4, 4].
    """
    with np.errstate(all="ignore"):
        exponent = np.log(losses[1] / losses[0]) / np.log(levels[1] / levels[0])
        exponent = np.where((levels[0] > 0) & np.isfinite(exponent), exponent.clip(0.25, 4.0), 1.0)
        crossing = levels[1] * (max(wanted, 0.0) / losses[1]) ** (1 / exponent)
    bounded: Floats = np.where(np.isfinite(crossing), crossing, levels[1] * 2).clip(0, 2**31)
    return bounded


def _next_candidates(level: Ints, candidate: Ints, tops: Ints, found: Found) -> bool:
    """Send records with no level to ask and nothing found to the top of their next candidate; whether any asks."""
    for number in range(1, len(tops)):
        poor = (level == 0) & (found.candidates < 0) & (candidate == number - 1)
        candidate[poor] = number
        level[poor] = tops[number][poor]
    return bool(level.any())


def _nothing(records: int) -> Found:
    return Found(np.full(records, -1), np.zeros(records, dtype=np.int64), np.zeros(records), np.full(records, np.nan))


SCHEDULES: dict[str, Schedule] = {"paper": paper, "strongest": strongest}
