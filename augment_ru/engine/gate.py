"""The gate: scores levels of the candidates' plans by a similarity, and leaves out changes that fail alone."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.applied import Applied, apply, one_by_one
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.questions import Questions
from augment_ru.engine.search import DIGITS, Cost, Found, Plan, order_in
from augment_ru.engine.similarity import Candidates, Scorer
from augment_ru.script import EditColumns, Script
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask


class Legal(NamedTuple):
    """The legal changes of one candidate.

    Attributes:
        proposals: the changes.
        owners: the record of each change, shape (changes,).
        active: whether each change is active at the attack's probability, shape (changes,).
    """

    proposals: Proposals
    owners: Ints
    active: Mask

    def plan(self, chosen: Mask, records: int) -> Plan:
        """The plan of the chosen changes."""
        return Plan.of(self.proposals.keep(chosen).settled(), self.owners[chosen], records)

    def changes_of(self, records: int) -> Ints:
        """The number of active changes of each record, shape (records,)."""
        return np.bincount(self.owners[self.active], minlength=records)

    def clean(self, records: int) -> Mask:
        """Whether each record has legal changes, but no active one, shape (records,)."""
        clean: Mask = (np.bincount(self.owners, minlength=records) > 0) & (self.changes_of(records) == 0)
        return clean

    def without(self, records: Mask) -> "Legal":
        """The same with no active change of the records where the mask, of shape (records,), is true."""
        return self._replace(active=self.active & ~records[self.owners])


class Gate:
    """Similarity and threshold: scores levels of plans; a level passes if its score is at least the threshold.

    A level that makes two options of a question equal fails, whatever its similarity; it is not scored.

    Args:
        batch: the texts.
        owners: the record of each text, shape (texts,).
        candidates: the legal changes of each candidate.
        scorer: compares changed texts with these texts.
        threshold: the lowest score that passes.
        min_changes: the least number of active changes of a record.
        questions: the questions whose options must not become equal; None if there are none.

    Attributes:
        plans: the active changes of the candidates. If the scorer screens changes, and no candidate of a record passes
            with all of them, they are without the changes that fail alone; if fewer than `min_changes` are left, the
            changes of the next ranks that pass alone are added.
    """

    def __init__(
        self,
        batch: Batch,
        owners: Ints,
        candidates: Sequence[Legal],
        scorer: Scorer,
        *,
        threshold: float,
        min_changes: int,
        questions: Questions | None = None,
    ) -> None:
        self._batch, self._owners, self._questions = batch, owners, questions
        self.threshold = threshold
        self._scorer = scorer
        self._cost = Cost()
        self._records = int(owners[-1]) + 1
        self._best = np.full(self._records, np.nan)
        self._known: list[Floats] | None = None
        self._whole: dict[int, tuple[Plan, Applied]] = {}
        """Plans with all their changes applied: they are scored first, and mostly they are taken."""
        self.plans: Sequence[Plan] = [one.plan(one.active, self._records) for one in candidates]
        if scorer.screens:
            self._screen(candidates, min_changes)

    @property
    def runs_network(self) -> bool:
        """Whether each score takes a forward pass of a network."""
        return self._scorer.runs_network

    def scores(self, levels: Sequence[Ints]) -> list[Floats]:
        """The similarity of each record at each candidate's level, computed in one call.

        The similarity of a record is the lowest of its changed texts.

        Args:
            levels: for each candidate the levels, shape (records,); a level of 0 is not scored.

        Returns:
            For each candidate the scores, shape (records,); NaN where the level is 0, -inf where options are equal.
        """
        found = [np.where(level > 0, np.inf, np.nan) for level in levels]
        asked = list(levels)
        if self._known is not None:  # the highest levels were scored when the changes were screened
            for number, (plan, level) in enumerate(zip(self.plans, levels, strict=True)):
                done = (level > 0) & (level == plan.levels) & ~np.isnan(self._known[number])
                found[number][done] = self._known[number][done]
                asked[number] = np.where(done, 0, level)
        rows: list[Ints] = []
        scripts: list[Script] = []
        for lowest, plan, level in zip(found, self.plans, asked, strict=True):
            if not level.any():
                rows.append(np.zeros(0, dtype=np.int64))
                continue
            applied = self.applied(plan, level)
            changed = applied.changed
            if self._questions is not None:
                broken = self._questions.broken(applied, self._owners[self._batch.rows(applied.starts)])
                lowest[broken] = -np.inf
                changed = changed[~np.isin(self._owners[changed], broken)]
            rows.append(changed)
            scripts += (self._script(row, applied, row) for row in changed.tolist())
        if scripts:
            scores = self._scored(np.concatenate(rows), scripts)
            at = 0
            for lowest, changed in zip(found, rows, strict=True):
                np.minimum.at(lowest, self._owners[changed], scores[at : at + changed.size])
                at += changed.size
        for lowest in found:
            self._note_failed(lowest)
        return found

    def _note_failed(self, scores: Floats) -> None:
        """Keep the best score of each record that failed; of `scores`, shape (records,), NaN and -inf are none."""
        failed = np.isfinite(scores) & (scores < self.threshold)
        np.fmax(self._best, np.where(failed, scores, np.nan), out=self._best)

    def _screen(self, candidates: Sequence[Legal], min_changes: int) -> None:
        """Leave out the changes that fail alone, of the records of which no candidate passes with all its changes."""
        tops = self.scores([plan.levels for plan in self.plans])
        weak = ~np.any([top >= self.threshold for top in tops], axis=0)
        self._known = [np.where(weak, np.nan, top) for top in tops]
        if not weak.any():
            return
        kept = [one.active & ~weak[one.owners] for one in candidates]
        kept = self._passing(candidates, kept, [one.active & weak[one.owners] for one in candidates])
        counts = [
            np.bincount(one.owners[chosen], minlength=self._records)
            for one, chosen in zip(candidates, kept, strict=True)
        ]
        poor = weak & (np.max(counts, axis=0) < min_changes)
        if poor.any():
            more = [~one.active & poor[one.owners] for one in candidates]
            kept = self._passing(candidates, kept, more, [min_changes - count for count in counts])
        self.plans = [one.plan(chosen, self._records) for one, chosen in zip(candidates, kept, strict=True)]

    def _passing(
        self,
        candidates: Sequence[Legal],
        kept: Sequence[Mask],
        asked: Sequence[Mask],
        most: Sequence[Ints] | None = None,
    ) -> list[Mask]:
        """The changes that are kept, and those among the asked ones that pass alone, shape (changes,) each.

        Args:
            candidates: the legal changes.
            kept: whether each change is kept already.
            asked: whether each change is scored; one that makes options equal by itself does not pass.
            most: for each candidate how many changes a record gets at the most, those of the lowest ranks, shape
                (records,); None for all.
        """
        if self._questions is not None:
            pairs = zip(candidates, asked, strict=True)
            asked = [wanted & ~self._questions.broken_alone(one.proposals, wanted) for one, wanted in pairs]
        rows: list[Ints] = []
        scripts: list[Script] = []
        for one, wanted in zip(candidates, asked, strict=True):
            alone = one_by_one(one.proposals.keep(wanted).settled())
            starts = one.proposals.starts[one.proposals.first_edits][wanted]
            rows.append(self._batch.rows(starts))
            scripts += (self._script(row, alone, number) for number, row in enumerate(rows[-1].tolist()))
        if not scripts:
            return list(kept)
        scores = self._scored(np.concatenate(rows), scripts)
        found = []
        at = 0
        for place, (one, chosen, wanted) in enumerate(zip(candidates, kept, asked, strict=True)):
            mine, numbers = scores[at : at + int(wanted.sum())], np.flatnonzero(wanted)
            at += mine.size
            best = np.full(self._records, -np.inf)
            np.maximum.at(best, one.owners[numbers], np.where(mine < self.threshold, mine, -np.inf))
            self._note_failed(best)
            passing = numbers[mine >= self.threshold]
            if most is not None:
                passing = passing[np.lexsort((one.proposals.ranks[passing], one.owners[passing]))]
                passing = passing[order_in(one.owners[passing]) < most[place][one.owners[passing]]]
            more = chosen.copy()
            more[passing] = True
            found.append(more)
        return found

    def _script(self, row: int, columns: EditColumns, number: int) -> Script:
        return Script.of_columns(self._batch.texts[row], columns, number, int(self._batch.starts[row]))

    def _scored(self, rows: Ints, scripts: Sequence[Script]) -> Floats:
        scores: Floats = np.round(self._scorer.score(rows, Candidates(scripts)), DIGITS)
        self._cost.calls += 1
        self._cost.pairs += len(scripts)
        return scores

    def applied(self, plan: Plan, levels: Ints) -> Applied:
        """The texts at these levels of a plan, with their edits."""
        if not (levels == plan.levels).all():
            return apply(self._batch, plan.proposals, plan.mask(levels))
        if id(plan) not in self._whole:
            every = np.ones(plan.proposals.ranks.size, dtype=np.bool_)
            self._whole[id(plan)] = plan, apply(self._batch, plan.proposals, every)
        return self._whole[id(plan)][1]

    def finished(self, found: Found) -> Found:
        """The same findings with the best failed scores, the cost and the scorer's warnings added."""
        failed = found.candidates < 0
        found.similarities[failed] = self._best[failed]
        self._cost.passes = self._scorer.passes
        found.cost = self._cost
        for text, warnings in sorted(self._scorer.warnings.items()):
            record = int(self._owners[text])
            found.warnings[record] = (*found.warnings.get(record, ()), *warnings)
        return found
