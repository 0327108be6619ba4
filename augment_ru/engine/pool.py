"""The pool of a record: every change of several attacks that is legal by itself, and which of them exclude each other.

`perturb` takes one random draw of the changes that an attack can make. A search against a model chooses among all of
them: every rank counts, and a place may have several alternatives, of one attack or of several.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.edits import Edit
from augment_ru.engine.applied import one_by_one
from augment_ru.engine.legality import legal
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepared import Prepared
from augment_ru.script import Script


@dataclass(frozen=True, slots=True, order=True)
class PooledChange:
    """A change that is legal by itself.

    Attributes:
        text: which text of the record it changes: its number among the record's fields.
        edits: its edits, sorted, with places in that text.
        attack: the number of the attack among those of the pool.
    """

    text: int
    edits: tuple[Edit, ...]
    attack: int


@dataclass(frozen=True)
class RecordPool:
    """The changes that a record may get, each at most once, sorted by place.

    Attributes:
        fields: the names of the record's texts.
        sources: the texts.
        first_row: the number of its first text in the batch.
        changes: the changes.
        places: for each change the place that it shares with its alternatives: the number of the word in which its
            first edit starts, or of the last word before it; counted through all texts of the record, shape (changes,).
        sizes: for each change the letters of that word, shape (changes,).
    """

    fields: Sequence[str]
    sources: Sequence[str]
    first_row: int
    changes: Sequence[PooledChange]
    places: Ints
    sizes: Floats

    def __len__(self) -> int:
        return len(self.changes)

    @cached_property
    def conflicts(self) -> Sequence[Sequence[int]]:
        """For each change the changes that may not be applied with it, ascending.

        Two changes conflict if an edit of one overlaps an edit of the other; two insertions at one place overlap.
        """
        found: list[set[int]] = [set() for _ in self.changes]
        edits = sorted(
            (change.text, edit.start, edit.stop, number)
            for number, change in enumerate(self.changes)
            for edit in change.edits
        )
        reached: list[tuple[int, int, int, int]] = []
        for text, start, stop, number in edits:
            reached = [one for one in reached if one[0] == text and (one[2] > start or one[1:3] == (start, stop))]
            for _, begun, ended, other in reached:
                if other != number and (begun < stop or (begun, ended) == (start, stop)):
                    found[number].add(other)
                    found[other].add(number)
            reached.append((text, start, stop, number))
        return [sorted(others) for others in found]

    def scripts(self, chosen: Iterable[int]) -> dict[int, Script]:
        """The script of each text that these changes edit, by the number of the text.

        Raises:
            AugmentError: two of them conflict.
        """
        edits: dict[int, list[Edit]] = {}
        for number in chosen:
            change = self.changes[number]
            edits.setdefault(change.text, []).extend(change.edits)
        return {text: Script(self.sources[text], found) for text, found in sorted(edits.items())}

    def attacks_of(self, chosen: Iterable[int], text: int) -> list[int]:
        """The attack of each edit of a text under these changes, in the order of the edits."""
        found = [
            (edit, change.attack)
            for change in (self.changes[number] for number in chosen)
            if change.text == text
            for edit in change.edits
        ]
        return [attack for _, attack in sorted(found, key=lambda pair: pair[0])]

    def without(self, dropped: Iterable[int]) -> "RecordPool":
        """The pool without these changes."""
        gone = set(dropped)
        kept = [number for number in range(len(self.changes)) if number not in gone]
        return replace(
            self,
            changes=[self.changes[number] for number in kept],
            places=self.places[kept],
            sizes=self.sizes[kept],
        )


def pools(prepared: Prepared, perturbers: Sequence[Perturber], draws: int) -> list[RecordPool]:
    """The pool of each record.

    Changes whose rank is not below the probability of their attack are left out; at probability 1 every rank is in.

    Args:
        prepared: the records.
        perturbers: the attacks; their numbers in this order stand in the changes.
        draws: how many draws of each attack are pooled, at least 1: the most alternatives of one kind at a place.
    """
    found: list[dict[tuple[int, tuple[Edit, ...]], int]] = [{} for _ in range(len(prepared))]
    firsts, owners = prepared.first_rows, prepared.owners.tolist()
    for number, perturber in enumerate(perturbers):
        seen = prepared.seen_by(perturber.attack)
        batch, starts = seen.batch, seen.batch.starts.tolist()
        for draw in range(draws):
            proposed = legal(batch, perturber.proposals(seen, draw), alternatives=True)
            proposed = proposed.keep(proposed.ranks < perturber.attack.probability)
            alone = one_by_one(proposed.settled())
            for change, row in enumerate(batch.rows(proposed.starts[proposed.first_edits]).tolist()):
                key = (row - firsts[owners[row]], tuple(alone.edits(change, starts[row])))
                found[owners[row]].setdefault(key, number)
    return [_record_pool(prepared, at, held) for at, held in enumerate(found)]


def _record_pool(prepared: Prepared, at: int, held: Mapping[tuple[int, tuple[Edit, ...]], int]) -> RecordPool:
    rows = prepared.rows(at)
    batch = prepared.batch.prepared
    changes = sorted(PooledChange(text, edits, attack) for (text, edits), attack in held.items())
    begins, ends = batch.words
    texts = batch.starts[np.array([rows[one.text] for one in changes], dtype=np.int64)]
    starts = texts + np.array([one.edits[0].start for one in changes], dtype=np.int64)
    words = np.searchsorted(begins, starts, side="right") - 1
    before = words < np.searchsorted(begins, texts)  # the first word of its text
    lengths = np.where(before, 0, np.append(ends - begins, 0)[words])
    return RecordPool(
        [prepared.fields[row] for row in rows],
        [batch.texts[row] for row in rows],
        rows.start,
        changes,
        np.unique(np.where(before, -1 - texts, words), return_inverse=True)[1].astype(np.int64),
        lengths.astype(np.float64),
    )
