"""The gate for sets of pooled changes: scores them by a similarity before a model is asked about them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.applied import Applied
from augment_ru.engine.lazy_scripts import LazyScripts
from augment_ru.engine.pool import RecordPool
from augment_ru.engine.prepared import Prepared
from augment_ru.engine.proposals import Replacements
from augment_ru.engine.search import DIGITS, Cost
from augment_ru.engine.similarity import Candidates, Scorer, Similarity, checked_scores, scorer_of
from augment_ru.script import Script


class Wanted(NamedTuple):
    """A set of changes of a record that is to be scored: the number of the record, and its scripts by text."""

    record: int
    scripts: Mapping[int, Script]


class PoolGate:
    """Similarity and threshold for sets of changes; a set passes if its score is at least the threshold.

    A set that makes two options of a question equal fails, whatever its similarity; it is not checked_scores.

    Args:
        prepared: the records.
        pools: their pools.
        similarity: the similarity; None lets every set pass that keeps the options apart.
        threshold: the lowest score that passes.

    Attributes:
        threshold: as above.
        cost: what was scored so far.
    """

    def __init__(
        self, prepared: Prepared, pools: Sequence[RecordPool], similarity: Similarity | None, threshold: float
    ) -> None:
        self.threshold = threshold
        self._prepared, self._first_rows = prepared, [pool.first_row for pool in pools]
        self._scorer: Scorer | None = scorer_of(similarity, prepared.references) if similarity else None
        self.cost = Cost()

    @property
    def screens(self) -> bool:
        """Whether changes that fail alone are to be left out: no set that holds one passes."""
        return self._scorer is not None and self._scorer.screens

    def passes(self, score: float) -> bool:
        """Whether a score passes."""
        return score >= self.threshold if self._scorer is not None else score > -np.inf

    def scores(self, wanted: Sequence[Wanted]) -> Floats:
        """The score of each set, rounded, shape (sets,): the lowest of its texts; -inf where options are equal.

        Without a similarity the score of a set that passes is 1.
        """
        found = np.ones(len(wanted))
        broken: frozenset[int] = frozenset()
        if self._prepared.questions is not None and wanted:
            applied, units = self._columns(wanted)
            broken = frozenset(self._prepared.questions.broken(applied, units).tolist())
            found[sorted(broken)] = -np.inf
        if self._scorer is None:
            return found
        rows: list[int] = []
        owners: list[int] = []
        scripts: list[Script] = []
        for number, one in enumerate(wanted):
            if number not in broken:
                for text, script in one.scripts.items():
                    rows.append(self._first_rows[one.record] + text)
                    owners.append(number)
                    scripts.append(script)
        np.minimum.at(found, owners, self._scored(rows, scripts))
        return found

    def scores_alone(self, pools: Sequence[tuple[int, RecordPool]]) -> Floats:
        """The score of each change of some pools by itself, one pool behind another, shape (changes,).

        Args:
            pools: the number of a record, and its pool.
        """
        if self._scorer is None or self._prepared.questions is not None:
            every = [Wanted(record, pool.scripts((one,))) for record, pool in pools for one in range(len(pool))]
            return self.scores(every)
        firsts = np.cumsum([0, *(len(pool) for _, pool in pools)])

        def script(number: int) -> Script:
            at = int(np.searchsorted(firsts, number, side="right")) - 1
            (found,) = pools[at][1].scripts((number - int(firsts[at]),)).values()
            return found

        rows = [self._first_rows[record] + change.text for record, pool in pools for change in pool.changes]
        return self._scored(rows, LazyScripts(len(rows), script))

    def _scored(self, rows: Sequence[int], scripts: Sequence[Script]) -> Floats:
        """The scores of scripts for the texts of these numbers, rounded."""
        if self._scorer is None or not rows:
            return np.ones(len(rows))
        scores: Floats = np.round(
            checked_scores(self._scorer, np.array(rows, dtype=np.int64), Candidates(scripts)), DIGITS
        )
        self.cost.calls += 1
        self.cost.pairs += len(rows)
        self.cost.passes = self._scorer.passes
        return scores

    def warnings(self, record: int) -> tuple[str, ...]:
        """What the scorer warns of in the texts of a record."""
        if self._scorer is None:
            return ()
        warned = self._scorer.warnings
        return tuple(text for row in self._prepared.rows(record) for text in warned.get(row, ()))

    def _columns(self, wanted: Sequence[Wanted]) -> tuple[Applied, Ints]:
        """The edits of all sets with global places, and the set of each edit."""
        starts: list[int] = []
        stops: list[int] = []
        texts: list[str] = []
        units: list[int] = []
        at = self._prepared.batch.starts.tolist()
        for number, one in enumerate(wanted):
            for text, script in one.scripts.items():
                place = at[self._first_rows[one.record] + text]
                for edit in script.edits:
                    starts.append(place + edit.start)
                    stops.append(place + edit.stop)
                    texts.append(edit.text)
                    units.append(number)
        begins, ends, numbers = (np.array(values, dtype=np.int64) for values in (starts, stops, units))
        return Applied(None, begins, ends, Replacements.of(texts), np.zeros(1, dtype=np.int64)), numbers
