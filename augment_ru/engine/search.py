"""The search for texts that pass the gate (similarity check): candidates of all records, the gate, the schedules.

A unit is a sentence or a whole record; each unit is searched independently (`Units`). A candidate is one random
perturbation, and a try is one candidate of one unit. The changes of a try are made in the order of their ranks (random
numbers), the lowest first. A level is a number of changes: at level n, the first n changes of a try are made. So the
changes at a level include those at every lower level. A schedule searches for all units of a chunk at once, with one
call of the similarity in each round. It takes only candidates that were scored and passed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.engine.edit_table import EditTable, apply, by_group, one_by_one
from augment_ru.engine.proposals import Proposals, ranges
from augment_ru.engine.questions import Questions
from augment_ru.engine.similarity import Candidates, Scorer, checked_scores
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

DIGITS = 4
"""Similarities are rounded to this many decimal places before they are compared, so that rounding errors do not
decide."""


def cut(proposals: Proposals, owners: Ints, probability: float, min_changes: int) -> Mask:
    """Return which changes are made at a probability, shape (changes,).

    A change is made if its rank (random number) is below the probability. If a try (one candidate of one sentence or
    record) has fewer than `min_changes` such changes, its changes with the next lowest ranks are made, too.

    Args:
        proposals: the changes that the engine allows.
        owners: for each change, the index of the try that it belongs to.
        probability: in [0, 1]; at 0 no change is made.
        min_changes: the fewest changes that each try gets at a positive probability.
    """
    active: Mask = proposals.ranks < probability
    if probability > 0 and min_changes > 0 and owners.size:
        count = np.bincount(owners, weights=active, minlength=int(owners.max()) + 1)
        poor = (count < min_changes)[owners].nonzero()[0]
        if poor.size:
            poor = poor[np.lexsort((proposals.ranks[poor], owners[poor]))]
            active[poor[order_in(owners[poor]) < min_changes]] = True
    return active


def order_in(owners: Ints) -> Ints:
    """Number the entries of each owner from 0: owners [4, 4, 7] give [0, 1, 0]. The owners must be ascending."""
    place = np.arange(owners.size)
    return place - np.maximum.accumulate(np.where(first_of_each(owners), place, 0))


@dataclass(frozen=True)
class Plan:
    """Holds the changes that the engine allows for each try, and tells which of them are made at a level.

    A try is one candidate (one random perturbation) of one sentence or record. The number of its changes that are made
    is called its level. Changes with lower ranks (random numbers) are made first.

    Attributes:
        proposals: the changes of all tries.
        owners: the index of the try that each change belongs to, shape (changes,).
        levels: the highest level of each try: how many changes it has, shape (tries,).
    """

    proposals: Proposals
    owners: Ints
    levels: Ints

    @classmethod
    def of(cls, proposals: Proposals, owners: Ints, tries: int) -> "Plan":
        """Make a plan from the changes of all tries. A try is one candidate of one sentence or record.

        Args:
            proposals: the changes that the engine allows.
            owners: the index of the try that each change belongs to, shape (changes,).
            tries: the number of tries.
        """
        return cls(proposals, owners, np.bincount(owners, minlength=tries))

    def keep(self, chosen: Mask) -> "Plan":
        """Return a copy of the plan with only some of its changes.

        Args:
            chosen: True for each change that stays, shape (changes,).
        """
        return Plan.of(self.proposals.keep(chosen).settled(), self.owners[chosen], self.levels.size)

    @cached_property
    def order(self) -> Ints:
        """The position of each change, from 0, among those of its try, the lowest ranks first, shape (changes,)."""
        by_rank = np.lexsort((self.proposals.ranks, self.owners))
        order = np.empty_like(self.owners)
        order[by_rank] = order_in(self.owners[by_rank])
        return order

    def at(self, probability: float, min_changes: int) -> Ints:
        """Return how many changes each try gets at a probability, shape (tries,).

        A try is one candidate of one sentence or record.

        Args:
            probability: changes with a rank below it are made.
            min_changes: the fewest changes that each try gets at a positive probability.
        """
        active = cut(self.proposals, self.owners, probability, min_changes)
        return self.levels if active.all() else np.bincount(self.owners[active], minlength=self.levels.size)

    def mask(self, levels: Ints) -> Mask:
        """Return which changes are made if each try gets a given number of changes, shape (changes,).

        A try is one candidate of one sentence or record.

        Args:
            levels: how many changes each try gets, shape (tries,).
        """
        if ((levels == 0) | (levels == self.levels)).all():  # no need to know the order
            whole: Mask = (levels > 0)[self.owners]
            return whole
        mask: Mask = self.order < levels[self.owners]
        return mask

    def probabilities(self, levels: Ints, probability: float) -> Floats:
        """Return the highest probability at which each try gets exactly this many changes, shape (tries,).

        A try is one candidate of one sentence or record.

        Args:
            levels: how many changes each try gets, shape (tries,).
            probability: the highest value that is returned.
        """
        found = np.full(levels.size, probability)
        following = self.order == levels[self.owners]
        found[self.owners[following]] = self.proposals.ranks[following]
        capped: Floats = np.minimum(found, probability)
        return capped


@dataclass(slots=True)
class Cost:
    """Counts how much searches use the similarity.

    Attributes:
        calls: how many times the similarity was called.
        pairs: how many pairs of texts were scored.
        passes: how many texts a network read for the scores.
    """

    calls: int = 0
    pairs: int = 0
    passes: int = 0

    def add(self, other: "Cost") -> None:
        """Add the cost of another search to this one."""
        self.calls += other.calls
        self.pairs += other.pairs
        self.passes += other.passes


@dataclass(slots=True)
class Found:
    """Holds what a search found for each unit: a sentence or a record.

    Arrays without a stated shape have shape (units,). Without a gate (similarity check) a candidate passes if it has
    changes.

    Attributes:
        candidates: the index of the candidate (random perturbation) that passed the gate, from 0; -1 if none passed.
        levels: how many changes were made in that candidate; 0 if none passed, or without a gate.
        probabilities: the probability (share of the possible changes) at which these changes were made.
        similarities: the score of that candidate; if none passed, the best score; NaN if nothing was scored.
        cost: how many calls, pairs of texts and network passes the similarity took.
        warnings: the warnings of the similarity, by the index of the record.
        orders: the new order of the options (offered answers), by the index of the record, for an attack that permutes
            options.
        sentences: three arrays of shape (sentences,): the start and the stop of each changed sentence, as places in
            `Batch.codes`, and its score. Records with only one changed sentence are left out.
    """

    candidates: Ints
    levels: Ints
    probabilities: Floats
    similarities: Floats
    cost: Cost = field(default_factory=Cost)
    warnings: dict[int, tuple[str, ...]] = field(default_factory=dict)
    orders: dict[int, tuple[int, ...]] = field(default_factory=dict)
    sentences: tuple[Ints, Ints, Floats] | None = None

    @classmethod
    def nothing(cls, count: int) -> "Found":
        """Make the result before the search of `count` sentences or records: nothing has passed or was scored."""
        return cls(np.full(count, -1), np.zeros(count, dtype=np.int64), np.zeros(count), np.full(count, np.nan))


@dataclass(frozen=True, eq=False)
class Units:
    """Divides the texts of a batch into units: sentences, or whole records. Each unit is searched by itself.

    A unit consists of pieces. A piece is a sentence, several sentences in a row, or a whole text.

    Attributes:
        starts: the place in `Batch.codes` (the joined texts) where each piece starts, followed by the length of
            `Batch.codes`, shape (pieces + 1,).
        owners: the index of the unit that each piece belongs to, shape (pieces,).
        records: the index of the record that each unit belongs to, ascending, shape (units,).
    """

    starts: Ints
    owners: Ints
    records: Ints

    @classmethod
    def whole(cls, batch: Batch, owners: Ints, records: int) -> "Units":
        """Make each record one unit, so that it is searched as a whole, not sentence by sentence.

        Args:
            batch: the texts.
            owners: the index of the record that each text belongs to, shape (texts,).
            records: the number of records; some may have no text.
        """
        return cls(batch.starts, owners, np.arange(records))

    @classmethod
    def sentences(cls, batch: Batch, owners: Ints, starts: Ints, legal: Proposals, whole: Ints) -> "Units":
        """Make each sentence a unit, which is searched by itself; sentences that one change edits together are joined.

        A record of which one change edits several texts is searched as a whole.

        Args:
            batch: the texts.
            owners: the index of the record that each text belongs to, shape (texts,).
            starts: places in `Batch.codes` where sentences start, including all starts of texts, shape (sentences,).
            legal: the changes of all candidates that the engine allows.
            whole: the indices of the records that are searched as a whole.
        """
        joint = np.zeros(int(owners[-1]) + 1, dtype=np.bool_)
        joint[whole] = True
        inside = ~np.isin(starts, batch.starts)
        kept = np.ones_like(inside)
        reach = _reach(legal)
        first, last = starts.searchsorted(reach, side="right") - 1
        across = first < last
        if across.any():
            kept[ranges(first[across] + 1, (last - first)[across])] = False
            one, other = batch.rows(reach[:, across])
            joint[owners[one[one != other]]] = True
        starts = starts[~inside | (kept & ~joint[owners[batch.rows(starts)]])]
        records = owners[batch.rows(starts)]
        begins = first_of_each(records) | ~joint[records]
        return cls(np.concatenate((starts, batch.starts[-1:])), begins.cumsum() - 1, records[begins])

    def pieces(self, places: Ints) -> Ints:
        """Return the index of the piece that each place in `Batch.codes` is in, shape (places,)."""
        found: Ints = self.starts.searchsorted(places, side="right") - 1
        return found


def _reach(proposals: Proposals) -> Ints:
    """Return the first and the last place that each change touches, shape (2, changes)."""
    lows, highs = proposals.starts, np.maximum(proposals.starts, proposals.stops - 1)
    if proposals.starts.size > proposals.ranks.size:
        firsts = proposals.first_edits
        lows, highs = np.minimum.reduceat(lows, firsts), np.maximum.reduceat(highs, firsts)
    return np.stack([lows, highs])


Number = TypeVar("Number", bound=np.generic)
_Alone: TypeAlias = tuple[Ints, Floats]
"""The indices of some changes, shape (scored,), and the score of each by itself."""


class Gate:
    """Lets only candidates pass whose similarity to the original is at least the threshold.

    A unit is a sentence or a record. A candidate is one random perturbation, and a try is one candidate of one unit. A
    try passes if its score is at least the threshold of the unit. A try that makes two options (offered answers) of a
    question equal fails without being scored. If no candidate of a unit passes with all its changes, the changes that
    fail by themselves are removed (only if `Scorer.screens`).

    Args:
        batch: the texts.
        units: what is searched by itself: sentences or records.
        legal: the changes of all candidates that the engine allows.
        active: whether the rank (random number) of each change is below the attack's probability, shape (changes,).
        scorer: compares changed texts with the texts of the batch.
        candidates: the number of candidates.
        threshold: the lowest score that passes.
        min_changes: the fewest changes that each unit gets.
        questions: the questions whose options must not become equal; None if there are no questions.

    Attributes:
        thresholds: the lowest score at which each unit passes, shape (units,). It is higher if several sentences of the
            record change, and infinite for a sentence that must stay so that others pass.
        plan: the changes of each try that the search may make.
    """

    def __init__(
        self,
        batch: Batch,
        units: Units,
        legal: Plan,
        active: Mask,
        scorer: Scorer,
        *,
        candidates: int,
        threshold: float,
        min_changes: int,
        questions: Questions | None = None,
    ) -> None:
        self._batch, self._units, self._questions = batch, units, questions
        self.scorer, self._candidates = scorer, candidates
        self._cost = Cost()
        self._best = np.full(self.units, np.nan)
        self._known: Floats | None = None
        self.plan = legal.keep(active)
        self._legal, self._active = (self.by_candidate(plan.levels).sum(axis=0) for plan in (legal, self.plan))
        of, changed = units.records, self.by_candidate(self.plan.levels) > 0
        # for each unit, how many units of its record one candidate changes, at most
        self._most = np.max([np.bincount(of, weights=own) for own in changed], axis=0).astype(np.int64)[of]
        counts = range(self._most.max(initial=0) + 1)
        self._raised = np.array([raised_threshold(threshold, count) for count in counts], dtype=np.float64)
        self.thresholds = self._raised[self._most]
        if scorer.screens:
            self._screen(legal, active, min_changes)

    @property
    def units(self) -> int:
        """The number of units."""
        return self._units.records.size

    def by_candidate(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Arrange values in a table with a row for each candidate and a column for each unit.

        Args:
            values: a value for each candidate of each unit (sentence or record), shape (candidates · units,).
        """
        return values.reshape(self._candidates, -1)

    def scores(self, levels: Ints) -> Floats:
        """Return how similar each try is to its original if only some of its changes are made.

        A try is one candidate of one sentence or record. If several of its sentences or texts change, the lowest score
        counts.

        Args:
            levels: how many changes of each try are made, those with the lowest ranks first, shape (tries,).

        Returns:
            The scores, shape (tries,): NaN for a try without changes, -inf if two options of a question become equal.
        """
        found = np.where(levels > 0, np.inf, np.nan)
        if self._known is not None:  # the highest levels were scored when the changes were screened
            done = (levels > 0) & (levels == self.plan.levels) & ~np.isnan(self._known)
            found[done] = self._known[done]
            levels = np.where(done, 0, levels)
        if levels.any():
            proposals = self.plan.proposals
            edits = self.plan.mask(levels)[proposals.changes].nonzero()[0]
            pieces = self._units.pieces(proposals.starts[edits])
            candidates = self.plan.owners[proposals.changes[edits]] // self.units
            # candidates of a sentence in a row, so that what is kept of it is used at once
            applied, groups = by_group(self._batch, proposals, edits, pieces * self._candidates + candidates)
            tries = self._units.owners[groups // self._candidates] + groups % self._candidates * self.units
            if self._questions is not None:
                broken = self._questions.broken(applied, tries[applied.owners])
                found[broken] = -np.inf
                left = (~np.isin(tries, broken)).nonzero()[0]
                applied, tries = applied.take(left), tries[left]
            if tries.size:
                np.minimum.at(found, tries, self._scored(applied))
        self._note_failed(found)
        return found

    def _note_failed(self, scores: Floats) -> None:
        """Update the best failed score of each unit with scores, shape (tries,); NaN and -inf are ignored."""
        scores = self.by_candidate(scores)
        failed = scores < self.thresholds
        if failed.any():
            failed &= scores > -np.inf
            np.fmax(self._best, np.fmax.reduce(np.where(failed, scores, np.nan)), out=self._best)

    def _screen(self, legal: Plan, active: Mask, min_changes: int) -> None:
        """In units of which no candidate passes with all its changes, remove the changes that fail by themselves.

        Args:
            legal: the legal changes.
            active: whether each change is active, shape (changes,).
            min_changes: the fewest changes that each unit gets.
        """
        tops = self.scores(self.plan.levels)
        best = np.fmax.reduce(self.by_candidate(tops))
        weak = ~(best >= self.thresholds)
        if not weak.any():
            self._known = tops
            return
        numbers, scores = drawn = self._alone(legal, active & weak[legal.owners % self.units])
        owners = legal.owners[numbers]
        passing = np.bincount(owners[scores >= self.thresholds[owners % self.units]], minlength=tops.size)
        poor = weak & (self.by_candidate(passing).max(axis=0) < min_changes)
        others = self._alone(legal, ~active & poor[legal.owners % self.units])
        self._lower_thresholds(legal, best, (drawn, others), weak)
        weak = ~(best >= self.thresholds)
        weak_tries = np.tile(weak, self._candidates)
        self._known = np.where(weak_tries, np.nan, tops)
        kept = self._passing(legal, drawn, active & ~weak_tries[legal.owners])
        counts = self.by_candidate(np.bincount(legal.owners[kept], minlength=tops.size))
        left = np.where(weak & (counts.max(axis=0) < min_changes), min_changes - counts, 0).ravel()
        self.plan = legal.keep(self._passing(legal, others, kept, left))

    def _lower_thresholds(self, legal: Plan, best: Floats, alone: Sequence[_Alone], weak: Mask) -> None:
        """Leave out sentences of a record, so that the most of them pass: the fewer change, the lower their threshold.

        A sentence that is left out gets an infinite threshold. Those with the lowest best scores are left out first; of
        equal ones, those whose lowest rank is the highest.

        Args:
            legal: the legal changes.
            best: the best score of each unit with all changes of a candidate, shape (units,).
            alone: the scores of changes by themselves.
            weak: whether no candidate of each unit passes, shape (units,).
        """
        of, best, ranks = self._units.records, best.copy(), np.full(self.units, np.inf)
        for numbers, scores in alone:
            np.fmax.at(best, legal.owners[numbers] % self.units, scores)
        np.minimum.at(ranks, legal.owners % self.units, legal.proposals.ranks)
        for record in np.unique(of[weak & (self._most > 1)]).tolist():
            own = np.flatnonzero((of == record) & (best > -np.inf))
            own = own[np.lexsort((ranks[own], -best[own]))]
            limits = self._raised[np.minimum(np.arange(own.size) + 1, self._most[own])]
            if (passing := np.flatnonzero(best[own] >= limits)).size:
                self.thresholds[own] = limits[passing[-1]]
                self.thresholds[own[passing[-1] + 1 :]] = np.inf

    def _alone(self, legal: Plan, asked: Mask) -> _Alone:
        """Score changes by themselves.

        Args:
            legal: the legal changes.
            asked: whether each change is scored, shape (changes,); one that makes two options equal is left out.
        """
        if self._questions is not None:
            asked = asked & ~self._questions.broken_alone(legal.proposals, asked)
        numbers = asked.nonzero()[0]
        if not numbers.size:
            return numbers, np.zeros(0)
        return numbers, self._scored(one_by_one(self._batch, legal.proposals.keep(asked)))

    def _passing(self, legal: Plan, alone: _Alone, kept: Mask, most: Ints | None = None) -> Mask:
        """Return a copy of `kept` that is also True for the changes that pass by themselves.

        Args:
            legal: the legal changes.
            alone: the scores of changes by themselves.
            kept: whether each change is kept already, shape (changes,).
            most: the most changes that may be added to each try, the lowest ranks first, shape (tries,); None for no
                limit.
        """
        numbers, scores = alone
        owners = legal.owners[numbers]
        fails = scores < self.thresholds[owners % self.units]
        best = np.full(self.plan.levels.size, -np.inf)
        np.maximum.at(best, owners, np.where(fails, scores, -np.inf))
        self._note_failed(best)
        passing = numbers[~fails]
        if most is not None:
            passing = passing[np.lexsort((legal.proposals.ranks[passing], legal.owners[passing]))]
            passing = passing[order_in(legal.owners[passing]) < most[legal.owners[passing]]]
        kept = kept.copy()
        kept[passing] = True
        return kept

    def _scored(self, edits: EditTable) -> Floats:
        """Return the scores of edited texts, rounded, shape (texts,)."""
        scores: Floats = np.round(checked_scores(self.scorer, edits.rows, Candidates(edits)), DIGITS)
        self._cost.calls += 1
        self._cost.pairs += len(edits)
        return scores

    def taken(self, found: Found) -> EditTable:
        """Make the changes that the search chose, and return the edits of each text.

        Args:
            found: the chosen candidate of each unit, and the number of its changes.
        """
        levels = np.zeros_like(self.plan.levels)
        won = (found.candidates >= 0).nonzero()[0]
        levels[found.candidates[won] * self.units + won] = found.levels[won]
        return apply(self._batch, self.plan.proposals, self.plan.mask(levels))

    def finished(self, found: Found, owners: Ints, records: int, probability: float) -> Found:
        """Turn what was found for each unit into what was found for each record.

        The cost of the search and the warnings of the similarity are added, too.

        Args:
            found: what was found for each unit; it is modified.
            owners: the index of the record that each text belongs to, shape (texts,).
            records: the number of records.
            probability: the attack's probability: the share of its possible changes that it makes.
        """
        failed = found.candidates < 0
        found.similarities[failed] = self._best[failed]
        if self._units.records.size != records or not np.array_equal(self._units.records, np.arange(records)):
            found = self._joined(found, failed, records, probability)
        self._cost.passes = self.scorer.passes
        found.cost = self._cost
        for text, warnings in sorted(self.scorer.warnings.items()):
            record = int(owners[text])
            found.warnings[record] = (*found.warnings.get(record, ()), *warnings)
        return found

    def _joined(self, found: Found, failed: Mask, records: int, probability: float) -> Found:
        """Return the findings for records; `failed` says for each unit whether nothing passed, shape (units,)."""
        of, joined = self._units.records, Found.nothing(records)
        won = np.flatnonzero(~failed)
        firsts = won[first_of_each(of[won])]
        joined.candidates[of[firsts]] = found.candidates[firsts]
        joined.levels[:] = np.bincount(of[won], weights=found.levels[won], minlength=records)
        np.fmax.at(joined.similarities, of[failed], found.similarities[failed])
        joined.similarities[of[won]] = np.inf
        np.minimum.at(joined.similarities, of[won], found.similarities[won])
        reached = np.where(failed, np.where(self._active > 0, 0.0, probability), found.probabilities)
        sums, weights = (
            np.bincount(of, weights=one, minlength=records) for one in (reached * self._legal, self._legal)
        )
        units = np.bincount(of, minlength=records)
        joined.probabilities[of] = reached
        several = (units > 1) & (weights > 0)
        joined.probabilities[several] = np.round(sums[several] / weights[several], _DIGITS)
        listed = won[(np.bincount(of[won], minlength=records) > 1)[of[won]]]
        pieces = np.flatnonzero(np.isin(self._units.owners, listed))
        joined.sentences = self._units.starts[pieces], self._units.starts[pieces + 1], found.similarities[listed]
        return joined


def raised_threshold(threshold: float, sentences: int) -> float:
    """Return the threshold for each changed sentence of a text in which several sentences change.

    It is `threshold ** (sentences ** -0.25)`, rounded to 4 decimal places. The more sentences change, the higher it is:
    one destroyed sentence destroys the whole text. Above 256 sentences the threshold rises no further, so that a
    sentence with a single misspelling can pass.

    Args:
        threshold: the threshold for a text in which one sentence changes.
        sentences: the number of changed sentences.
    """
    if sentences < 2:  # noqa: PLR2004
        return threshold
    return round(float(threshold ** (min(sentences, _MOST_SENTENCES) ** -_STRICTER)), DIGITS)


# By readers' grades, the risk that a sentence with score s is destroyed is about proportional to the square of
# -log s. So the risk of each sentence falls as 1 / √sentences: in four times as many, twice as many are destroyed.
_STRICTER = 1 / 4
"""The exponent by which the threshold of a sentence grows with the number of changed sentences (`raised_threshold`)."""
_MOST_SENTENCES = 256
"""The number of sentences up to which the threshold grows."""


Schedule = Callable[[Gate, float, int, float], Found]
"""A function that searches for changes that pass the gate. It takes the gate, the attack's probability, `min_changes`
and the lowest probability to try, and returns what it finds for each unit (sentence or record)."""


def paper(gate: Gate, probability: float, min_changes: int, floor: float) -> Found:
    """Search as the benchmark TAPE does: take the most similar candidate; if none passes, halve the probability.

    Each sentence or record is searched by itself. The same number of changes is not scored twice: if half the
    probability gives the same changes, it is halved again.

    Args:
        gate: scores candidates (random perturbations).
        probability: the probability at which the search starts.
        min_changes: the fewest changes that each sentence or record gets.
        floor: the search ends when the probability falls below this.
    """
    found = Found.nothing(gate.units)
    tried = np.full_like(gate.plan.levels, -1)
    while True:
        levels = gate.plan.at(probability, min_changes)
        asked = np.where(levels != tried, levels, 0)
        asked = (gate.by_candidate(asked) * (found.candidates < 0)).ravel()
        tried = levels
        if asked.any():
            scores = gate.scores(asked)
            passes = (gate.by_candidate(scores) >= gate.thresholds).ravel()
            passing = np.where((asked > 0) & passes, scores, -np.inf)
            _take(found, gate, levels, passing, probability)
        probability /= 2
        if probability < floor or (found.candidates >= 0).all():
            return found


def _take(found: Found, gate: Gate, levels: Ints, passing: Floats, probability: float) -> None:
    """Write into `found`, for each unit, the passing candidate with the highest score; of equal ones, the first.

    Args:
        found: the findings; they are modified.
        gate: the gate.
        levels: the level of each try, shape (tries,).
        passing: the score of each try that passed, -inf for other tries, shape (tries,).
        probability: the probability of these levels.
    """
    table = gate.by_candidate(passing)
    best = table.argmax(axis=0)
    won = (table.max(axis=0) > -np.inf).nonzero()[0]
    tries = best[won] * gate.units + won
    found.candidates[won], found.levels[won] = best[won], levels[tries]
    found.probabilities[won], found.similarities[won] = probability, passing[tries]


def strongest(gate: Gate, probability: float, min_changes: int, floor: float) -> Found:
    """Search, in each sentence or record, for as many changes as pass the gate (similarity check).

    The candidates (random perturbations) are tried in turn; the first that passes with any number of changes is taken.
    Only some numbers of changes are scored, so a higher number that was not scored may pass, too.

    Args:
        gate: scores candidates.
        probability: only changes with a rank (random number) below it are made.
        min_changes: the fewest changes that each sentence or record gets.
        floor: the lowest probability that is tried.
    """
    bottoms = gate.by_candidate(gate.plan.at(floor, max(min_changes, 1)))
    slack = _SLACK if gate.scorer.runs_network else 0.0
    brackets = Brackets(gate.by_candidate(gate.plan.levels), bottoms, gate.thresholds, slack=slack)
    while (levels := brackets.ask()) is not None:
        brackets.tell(gate.scores(levels))
    found = brackets.found
    won = np.flatnonzero(found.candidates >= 0)
    tries = found.candidates[won] * gate.units + won
    of_tries = np.zeros_like(gate.plan.levels)
    of_tries[tries] = found.levels[won]
    found.probabilities[won] = gate.plan.probabilities(of_tries, probability)[tries]
    return found


SCHEDULES: dict[str, Schedule] = {"paper": paper, "strongest": strongest}

_GUESSES = 4
"""After this many guesses, a unit's bracket is halved in each round, so that the number of rounds is logarithmic."""
_SLACK = 1 / 8
"""The share of a unit's changes that the search may leave unused if each score needs a forward pass."""
_DIGITS = 6
"""The level at which the curve crosses the threshold is rounded to this many decimal places."""


class Brackets:
    """Searches, in each sentence or record, for the most changes with which it passes the gate (similarity check).

    A sentence or record is called a unit, and a number of changes a level. The candidates (random perturbations) of a
    unit are tried one after another until one passes at some level. A try is one candidate of one unit. `ask` says
    which levels to score next, and `tell` takes their scores. The search for a unit ends if

    - its highest level passed,
    - no level is left between one that passed and one that failed, or
    - by the scores so far, hardly any further change would pass: less than one, or less than the share `slack` of the
      unit's changes.

    Args:
        tops: the highest level of each unit for each candidate, shape (candidates, units).
        bottoms: the lowest level to score, shape (candidates, units).
        thresholds: the lowest score at which each unit passes, shape (units,).
        slack: a share of the unit's changes, in [0, 1].

    Attributes:
        found: what was found so far for each unit.
    """

    def __init__(self, tops: Ints, bottoms: Ints, thresholds: Floats, *, slack: float) -> None:
        self.found = Found.nothing(tops.shape[1])
        self._thresholds, self._slack, self._tops = thresholds, slack, tops
        self._bottoms = bottoms.clip(1, np.maximum(self._tops, 1))
        units = self._tops.shape[1]
        self._rows = np.arange(units)
        self._candidate, self._passed, self._failed, self._guesses = (np.zeros(units, dtype=np.int64) for _ in "1234")
        self._levels, self._losses = np.zeros((2, units)), np.zeros((2, units))  # 1 - the last two scores
        self._next = self._tops[0].copy()

    def ask(self) -> Ints | None:
        """Return with how many changes each try is scored next, shape (tries,); None if no try is left.

        A try is one candidate of one sentence or record. A try with 0 changes is not scored.
        """
        for number in range(1, len(self._tops)):
            failed = (self._next == 0) & (self.found.candidates < 0) & (self._candidate == number - 1)
            self._candidate[failed] = number
            self._next[failed] = self._tops[number][failed]
        if not self._next.any():
            return None
        begins = (self._next > 0) & (self._next == self._tops[self._candidate, self._rows])
        self._passed[begins] = self._guesses[begins] = 0
        self._levels[:, begins] = self._losses[:, begins] = 0
        self._failed[begins] = self._next[begins] + 1
        return np.where(self._candidate == np.arange(len(self._tops))[:, None], self._next, 0).ravel()

    def tell(self, scores: Floats) -> None:
        """Take the scores that `ask` asked for, in its order, and choose with how many changes to go on."""
        level, asked = self._next, self._next > 0
        score = scores.reshape(self._tops.shape)[self._candidate, self._rows]
        good = asked & (score >= self._thresholds)
        bad = asked & ~good
        self._passed[good], self._failed[bad] = level[good], level[bad]
        self.found.candidates[good], self.found.levels[good] = self._candidate[good], level[good]
        self.found.similarities[good] = score[good]
        scored = asked & np.isfinite(score)
        self._levels[:, scored] = self._levels[1, scored], level[scored]
        self._losses[:, scored] = self._losses[1, scored], 1 - score[scored]
        self._guesses += 1

        slack = self._slack * self._tops[self._candidate, self._rows]
        least = np.maximum(self._passed, self._bottoms[self._candidate, self._rows] - 1)
        crossing = self._crossing()
        near = (self._passed > 0) & (crossing - self._passed < np.maximum(slack, 1))
        settled = (self._failed - least <= 1) | near & scored
        guess = np.floor(crossing - slack / 2).astype(np.int64)
        halfway = (least + self._failed) // 2
        following = np.clip(np.where((self._guesses > _GUESSES) | ~scored, halfway, guess), least + 1, self._failed - 1)
        self._next = np.where(asked & ~settled, following, 0)

    def _crossing(self) -> Floats:
        """Return the level at which the score is expected to equal the threshold, shape (units,).

        The loss (1 - score) is modelled as a factor times a power of the level, fitted to the last two scores, with an
        exponent in [1/4, 4]. If there is only one score, the exponent is 1.
        """
        levels, losses = self._levels, self._losses
        with np.errstate(all="ignore"):
            exponent = np.log(losses[1] / losses[0]) / np.log(levels[1] / levels[0])
            exponent = np.where((levels[0] > 0) & np.isfinite(exponent), exponent.clip(0.25, 4.0), 1.0)
            crossing = levels[1] * (np.maximum(1 - self._thresholds, 0.0) / losses[1]) ** (1 / exponent)
        bounded = np.where(np.isfinite(crossing), crossing, levels[1] * 2).clip(0, 2**31)
        # A fit through round scores often meets a whole number, which logarithms of other processors miss by a hair.
        return np.asarray(np.round(bounded, _DIGITS), dtype=np.float64)
