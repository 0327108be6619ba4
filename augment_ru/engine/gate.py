"""The gate: scores levels of the candidates' plans by a similarity, and leaves out changes that fail alone."""

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints
from augment_ru.engine.edit_table import EditTable, apply, one_by_one
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.questions import Questions
from augment_ru.engine.search import DIGITS, Cost, Found, Plan, order_in
from augment_ru.engine.similarity import Candidates, Scorer, checked_scores
from augment_ru.engine.tiles import Tiles
from augment_ru.text.characters import Mask

Number = TypeVar("Number", bound=np.generic)


class Legal(NamedTuple):
    """The legal changes of all candidates.

    Attributes:
        proposals: the changes, in tiles of the batch.
        owners: the try of each change, shape (changes,).
        active: whether each change is active at the attack's probability, shape (changes,).
    """

    proposals: Proposals
    owners: Ints
    active: Mask

    def plan(self, chosen: Mask, tries: int) -> Plan:
        """The plan of the chosen changes."""
        return Plan.of(self.proposals.keep(chosen).settled(), self.owners[chosen], tries)


class Gate:
    """Similarity and threshold: scores levels of a plan; a level passes if its score is at least the threshold.

    A level that makes two options of a question equal fails, whatever its similarity; it is not checked_scores.

    Args:
        tiles: the texts, once for each candidate.
        legal: the legal changes of all candidates.
        scorer: compares changed texts with the texts of the batch.
        threshold: the lowest score that passes.
        min_changes: the least number of active changes of a record.
        questions: the questions whose options must not become equal; None if there are none.

    Attributes:
        plan: the active changes of all tries. If the scorer screens changes, and no candidate of a record passes with
            all of them, they are without the changes that fail alone; if fewer than `min_changes` are left, the
            changes of the next ranks that pass alone are added.
    """

    def __init__(
        self,
        tiles: Tiles,
        legal: Legal,
        scorer: Scorer,
        *,
        threshold: float,
        min_changes: int,
        questions: Questions | None = None,
    ) -> None:
        self._tiles, self._questions = tiles, questions
        self.threshold = threshold
        self._scorer = scorer
        self._cost = Cost()
        self._best = np.full(self.records, np.nan)
        self._known: Floats | None = None
        self.plan = legal.plan(legal.active, tiles.count * self.records)
        if scorer.screens:
            self._screen(legal, min_changes)

    @property
    def records(self) -> int:
        """The number of records."""
        return self._tiles.records

    @property
    def runs_network(self) -> bool:
        """Whether each score takes a forward pass of a network."""
        return self._scorer.runs_network

    def by_candidate(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Values of tries, shape (tries,), as a table, shape (candidates, records)."""
        return values.reshape(self._tiles.count, -1)

    def scores(self, levels: Ints) -> Floats:
        """The similarity of each try at its level, computed in one call.

        The similarity of a try is the lowest of its changed texts.

        Args:
            levels: shape (tries,); a level of 0 is not checked_scores.

        Returns:
            The scores, shape (tries,); NaN where the level is 0, -inf where options are equal.
        """
        found = np.where(levels > 0, np.inf, np.nan)
        if self._known is not None:  # the highest levels were scored when the changes were screened
            done = (levels > 0) & (levels == self.plan.levels) & ~np.isnan(self._known)
            found[done] = self._known[done]
            levels = np.where(done, 0, levels)
        if levels.any():
            applied = apply(self._tiles, self.plan.proposals, self.plan.mask(levels))
            changed, tries = applied.changed, self._tiles.tries.ravel()
            if self._questions is not None:
                broken = self._questions.broken(applied, tries[applied.owners])
                found[broken] = -np.inf
                changed = changed[~np.isin(tries[changed], broken)]
            if changed.size:
                np.minimum.at(found, tries[changed], self._scored(applied.take(changed)))
        self._note_failed(found)
        return found

    def _note_failed(self, scores: Floats) -> None:
        """Keep the best score of each record that failed; of `scores`, shape (tries,), NaN and -inf are none."""
        failed = scores < self.threshold
        if failed.any():
            failed &= scores > -np.inf
            of_tries = np.where(failed, scores, np.nan).reshape(-1, self.records)
            np.fmax(self._best, np.fmax.reduce(of_tries), out=self._best)

    def _screen(self, legal: Legal, min_changes: int) -> None:
        """Leave out the changes that fail alone, of the records of which no candidate passes with all its changes."""
        tops = self.scores(self.plan.levels)
        weak = ~self.by_candidate(tops >= self.threshold).any(axis=0)
        if not weak.any():
            self._known = tops
            return
        weak_tries = np.tile(weak, self._tiles.count)
        self._known = np.where(weak_tries, np.nan, tops)
        of_weak = weak_tries[legal.owners]
        kept = self._passing(legal, legal.active & ~of_weak, legal.active & of_weak)
        counts = np.bincount(legal.owners[kept], minlength=weak_tries.size)
        poor = weak & (self.by_candidate(counts).max(axis=0) < min_changes)
        if poor.any():
            more = ~legal.active & np.tile(poor, self._tiles.count)[legal.owners]
            kept = self._passing(legal, kept, more, min_changes - counts)
        self.plan = legal.plan(kept, weak_tries.size)

    def _passing(self, legal: Legal, kept: Mask, asked: Mask, most: Ints | None = None) -> Mask:
        """The changes that are kept, and those among the asked ones that pass alone, shape (changes,).

        Args:
            legal: the legal changes.
            kept: whether each change is kept already.
            asked: whether each change is scored; one that makes options equal by itself does not pass.
            most: how many changes each try gets at the most, those of the lowest ranks, shape (tries,); None for all.
        """
        if self._questions is not None:
            asked = asked & ~self._questions.broken_alone(self._tiles.proposals_at_home(legal.proposals), asked)
        numbers = asked.nonzero()[0]
        if not numbers.size:
            return kept
        scores = self._scored(one_by_one(self._tiles, legal.proposals.keep(asked).settled()))
        owners = legal.owners[numbers]
        best = np.full(self.plan.levels.size, -np.inf)
        np.maximum.at(best, owners, np.where(scores < self.threshold, scores, -np.inf))
        self._note_failed(best)
        passing = numbers[scores >= self.threshold]
        if most is not None:
            passing = passing[np.lexsort((legal.proposals.ranks[passing], legal.owners[passing]))]
            passing = passing[order_in(legal.owners[passing]) < most[legal.owners[passing]]]
        kept = kept.copy()
        kept[passing] = True
        return kept

    def _scored(self, edits: EditTable) -> Floats:
        """The scores of edited texts, shape (texts,)."""
        scores: Floats = np.round(checked_scores(self._scorer, edits.rows, Candidates(edits)), DIGITS)
        self._cost.calls += 1
        self._cost.pairs += len(edits)
        return scores

    def taken(self, found: Found) -> EditTable:
        """The texts of the batch with the changes of what was found for each record."""
        levels = np.zeros_like(self.plan.levels)
        won = (found.candidates >= 0).nonzero()[0]
        levels[found.candidates[won] * self.records + won] = found.levels[won]
        home = self._tiles.proposals_at_home(self.plan.proposals)
        return apply(self._tiles.batch, home, self.plan.mask(levels))

    def finished(self, found: Found) -> Found:
        """The same findings with the best failed scores, the cost and the scorer's warnings added."""
        failed = found.candidates < 0
        found.similarities[failed] = self._best[failed]
        self._cost.passes = self._scorer.passes
        found.cost = self._cost
        for text, warnings in sorted(self._scorer.warnings.items()):
            record = int(self._tiles.owners[text])
            found.warnings[record] = (*found.warnings.get(record, ()), *warnings)
        return found
