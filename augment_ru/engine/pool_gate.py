"""The gate for sets of pooled changes: scores them by a similarity before a model is asked about them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.pool import RecordPool
from augment_ru.engine.prepare import Prepared
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
        """Tell whether a score passes."""
        return score >= self.threshold if self._scorer is not None else score > -np.inf

    def scores(self, wanted: Sequence[Wanted]) -> Floats:
        """Return the score of each set, rounded, shape (sets,): the lowest of its texts; -inf where options are equal.

        Without a similarity the score of a set that passes is 1.
        """
        sets = [
            (number, self._first_rows[one.record] + text) for number, one in enumerate(wanted) for text in one.scripts
        ]
        owners, rows = np.array(sets, dtype=np.int64).reshape(-1, 2).T
        return self._lowest(len(wanted), owners, rows, [script for one in wanted for script in one.scripts.values()])

    def scores_alone(self, pools: Sequence[tuple[int, RecordPool]]) -> Floats:
        """Return the score of each change of some pools by itself, one pool behind another, shape (changes,).

        Args:
            pools: the number of a record, and its pool.
        """
        rows = np.array(
            [self._first_rows[record] + text for record, pool in pools for text in pool.texts], dtype=np.int64
        )
        alone = [change for _, pool in pools for change in pool.changes]
        return self._lowest(rows.size, np.arange(rows.size), rows, alone)

    def _lowest(self, sets: int, owners: Ints, rows: Ints, scripts: Sequence[Script]) -> Floats:
        """The score of each set, given the set of each script, ascending, and the text of the batch that it edits."""
        found = np.ones(sets)
        if self._prepared.questions is not None:
            edits = EditTable.of_scripts(scripts, self._prepared.batch.texts, rows)
            found[self._prepared.questions.broken(edits, owners[edits.owners])] = -np.inf
        asked = (found[owners] > -np.inf).nonzero()[0]
        if self._scorer is None or not asked.size:
            return found
        candidates = Candidates(scripts if asked.size == len(scripts) else [scripts[at] for at in asked.tolist()])
        scores = np.round(checked_scores(self._scorer, rows[asked], candidates), DIGITS)
        np.minimum.at(found, owners[asked], scores)
        self.cost.calls += 1
        self.cost.pairs += asked.size
        self.cost.passes = self._scorer.passes
        return found

    def warnings(self, record: int) -> tuple[str, ...]:
        """What the scorer warns of in the texts of a record."""
        if self._scorer is None:
            return ()
        warned = self._scorer.warnings
        return tuple(text for row in self._prepared.rows(record) for text in warned.get(row, ()))
