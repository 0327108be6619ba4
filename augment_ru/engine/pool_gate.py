"""The gate (similarity check) of a search against a model: scores sets of changes before the model is asked."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.pool import RecordPool
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.search import DIGITS, Cost, raised_threshold
from augment_ru.engine.similarity import Candidates, Scorer, Similarity, checked_scores, scorer_of
from augment_ru.script import Script

if TYPE_CHECKING:
    from augment_ru.edits import Edit


class Wanted(NamedTuple):
    """States a set of changes of a record that is to be scored.

    Attributes:
        record: the index of the record among the prepared ones, from 0.
        scripts: the script (the edits) of each text that changes, by the index of the text in the record.
    """

    record: int
    scripts: Mapping[int, Script]


class PoolGate:
    """Checks, for a search against a model, whether the texts that sets of changes give stay similar enough.

    A set of changes passes if its score is at least the threshold, which is higher if the set changes several
    sentences. A set that makes two options (offered answers) of a question equal fails without being scored.

    Args:
        prepared: the records.
        pools: the pool of each record: the changes that may be chosen.
        similarity: scores how alike the new text and the original are. With None every set passes, unless it makes two
            options equal.
        threshold: the lowest score that passes a set that changes one sentence.

    Attributes:
        threshold: the lowest score that passes a set that changes one sentence, as given.
        cost: how much the similarity was used so far: calls, scored pairs of texts, and texts that a network read.
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
        """Whether a change that fails by itself is left out of all sets, because a set with it hardly ever passes."""
        return self._scorer is not None and self._scorer.screens

    def passes(self, score: float, one: Wanted) -> bool:
        """Tell whether a set of changes passes the gate: whether the texts that it gives stay similar enough.

        Args:
            score: the score of the set, as `scores` returned it.
            one: the set.
        """
        if self._scorer is None:
            return score > -np.inf
        return score >= raised_threshold(self.threshold, len(self._parts(one)))

    def sentences(self, one: Wanted) -> tuple[tuple[str, int, int, float], ...]:
        """Return the sentences that a set of changes edits; none unless it edits several, each scored by itself.

        Returns:
            For each sentence: its field, its start and stop in the original text, and its similarity.
        """
        parts = self._parts(one)
        if self._scorer is None or len(parts) == 1:
            return ()
        rows = np.array([row for row, *_ in parts], dtype=np.int64)
        scores = checked_scores(self._scorer, rows, Candidates([script for *_, script in parts])).round(DIGITS)
        places = [(self._prepared.fields[row], start, stop) for row, start, stop, _ in parts]
        return tuple((*place, score) for place, score in zip(places, scores.tolist(), strict=True))

    def _parts(self, one: Wanted) -> list[tuple[int, int, int, Script]]:
        """Divide a set by the sentences in which its edits start.

        Returns:
            For each sentence: the number of its text in the batch, its start, its stop, and the script of its edits. If
            the scorer scores a text as a whole, or the record is a question, one part that stands for all texts.
        """
        prepared, first = self._prepared, self._first_rows[one.record]
        starts = None if self._scorer is None else self._scorer.sentences
        whole = prepared.questions is not None and one.record in prepared.questions.records
        found: dict[int, list[Edit]] = {}
        for text, script in one.scripts.items():
            at = int(prepared.batch.starts[first + text])
            for edit in script.edits:
                number = 0 if starts is None or whole else int(starts.searchsorted(at + edit.start, side="right"))
                found.setdefault(number, []).append(edit)
        if starts is None or len(found) < 2:  # noqa: PLR2004  (there are not several)
            return [(first, 0, 0, script) for script in [*one.scripts.values()][:1]]
        parts = []
        for number, edits in found.items():
            start, row = int(starts[number - 1]), int(prepared.batch.rows(starts[number - 1 : number])[0])
            at, source = int(prepared.batch.starts[row]), prepared.batch.texts[row]
            stop = int(starts[number]) - at if number < starts.size else len(source)
            sentence = source[start - at : stop].rstrip()
            parts.append((row, start - at, start - at + len(sentence), Script(source, edits)))
        return parts

    def scores(self, wanted: Sequence[Wanted]) -> Floats:
        """Return the score of each set of changes, shape (sets,): the lowest similarity of its new texts, to 4 digits.

        The score is -inf if the set makes two options of a question equal. If the run has no similarity, all other sets
        score 1.
        """
        if self._scorer is None and self._prepared.questions is None:
            return np.ones(len(wanted))
        sets = [
            (number, self._first_rows[one.record] + text) for number, one in enumerate(wanted) for text in one.scripts
        ]
        owners, rows = np.array(sets, dtype=np.int64).reshape(-1, 2).T
        return self._lowest(len(wanted), owners, rows, [script for one in wanted for script in one.scripts.values()])

    def scores_alone(self, pools: Sequence[RecordPool]) -> Floats:
        """Score each change of some pools as if it were the only one (see `scores`), shape (changes,).

        Args:
            pools: the pools (possible changes) of records. The scores of the first pool come first, then those of the
                second, and so on.
        """
        if not pools:
            return np.zeros(0)
        alone = EditTable.joined([pool.changes for pool in pools])
        return self._lowest(len(alone), np.arange(len(alone)), alone.rows, alone)

    def _lowest(self, sets: int, owners: Ints, rows: Ints, scripts: Sequence[Script]) -> Floats:
        """Score scripts, and return the lowest score of each set, shape (sets,).

        Args:
            sets: the number of sets.
            owners: the number of the set that each script belongs to, ascending, shape (scripts,).
            rows: the number of the text of the batch that each script edits, shape (scripts,).
            scripts: the scripts.
        """
        found = np.ones(sets)
        if self._prepared.questions is not None:
            texts = self._prepared.batch.texts
            edits = scripts if isinstance(scripts, EditTable) else EditTable.of_scripts(scripts, texts, rows)
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
        """Return the warnings of the similarity, such as that a text was cut, about the record with this index."""
        if self._scorer is None:
            return ()
        warned = self._scorer.warnings
        return tuple(text for row in self._prepared.rows(record) for text in warned.get(row, ()))
