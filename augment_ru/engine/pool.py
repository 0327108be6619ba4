"""The pool of a record: every change of several attacks that is legal by itself, and which of them exclude each other.

`perturb` takes one random draw of the changes that an attack can make. A search against a model chooses among all of
them: every rank counts, and a place may have several alternatives, of one attack or of several.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.edits import Edit, Note
from augment_ru.engine.applied import one_by_one
from augment_ru.engine.legality import legal
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepared import Prepared
from augment_ru.engine.proposals import Proposals
from augment_ru.script import Script

_Place: TypeAlias = tuple[int, int, int, str, Edit]
"""An edit in the order of places: its text, start, stop and new text, and the edit itself."""


class PooledChange(NamedTuple):
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
        found: list[list[int] | None] = [None] * len(self.changes)
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
                    _append(found, number, other)
                    _append(found, other, number)
            reached.append((text, start, stop, number))
        return [() if others is None else tuple(sorted(set(others))) for others in found]

    def scripts(self, chosen: Iterable[int]) -> dict[int, Script]:
        """The script of each text that these changes edit, by the number of the text.

        Raises:
            AugmentError: two of them conflict.
        """
        changes = self.changes
        edits = sorted([place for number in chosen for place in _places_of(changes[number])])
        if len(self.sources) == 1:
            return {0: _script(self.sources[0], edits)} if edits else {}
        return {text: _script(self.sources[text], list(own)) for text, own in groupby(edits, itemgetter(0))}

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


def _append(lists: list[list[int] | None], at: int, value: int) -> None:
    """Append to a list that is made with its first value; most changes exclude no others, or few."""
    own = lists[at]
    if own is None:
        lists[at] = [value]
    else:
        own.append(value)


def _places_of(change: PooledChange) -> list[_Place]:
    """The edits of a change."""
    return [(change.text, edit.start, edit.stop, edit.text, edit) for edit in change.edits]


class _SetEdits:
    """The edits of a set of changes in one text, as a script reads them; the text is made when it is read."""

    __slots__ = ("_places", "_source")

    def __init__(self, source: str, places: list[_Place]) -> None:
        self._source, self._places = source, places

    def edits(self, row: int, start: int) -> Iterator[Edit]:  # noqa: ARG002  (there is one text, and it starts at 0)
        return map(itemgetter(4), self._places)

    def triples(self, row: int, start: int) -> list[tuple[int, int, str]]:  # noqa: ARG002
        return [one[1:4] for one in self._places]

    def notes(self, row: int) -> Sequence[Note | None]:  # noqa: ARG002
        found = [one[4].note for one in self._places]
        return found if any(found) else ()

    def count(self, row: int) -> int:  # noqa: ARG002
        return len(self._places)

    def text(self, row: int) -> str:  # noqa: ARG002
        pieces: list[str] = []
        at = 0
        for _, start, stop, new, _ in self._places:
            pieces += (self._source[at:start], new)
            at = stop
        pieces.append(self._source[at:])
        return "".join(pieces)


def _script(source: str, places: list[_Place]) -> Script:
    """The script of these edits, which lie in the source and are sorted.

    Raises:
        AugmentError: two of them overlap.
    """
    at, last = 0, (-1, -1)
    for _, start, stop, _, _ in places:
        if start < at or (start, stop) == last:
            return Script(source, [one[4] for one in places])  # raises the error
        at, last = stop, (start, stop)
    return Script.of_columns(source, _SetEdits(source, places), 0, 0)


_Key: TypeAlias = tuple[int, tuple[tuple[int, int, str], ...]]
"""What tells the changes of a record apart: the number of the text, and the edits."""


def pools(prepared: Prepared, perturbers: Sequence[Perturber], draws: int) -> list[RecordPool]:
    """The pool of each record.

    Changes whose rank is not below the probability of their attack are left out; at probability 1 every rank is in.

    Args:
        prepared: the records.
        perturbers: the attacks; their numbers in this order stand in the changes.
        draws: how many draws of each attack are pooled, at least 1: the most alternatives of one kind at a place.
    """
    found: list[dict[_Key, PooledChange]] = [{} for _ in range(len(prepared))]
    for number, perturber in enumerate(perturbers):
        seen = prepared.seen_by(perturber.attack)
        for draw in range(draws):
            proposed = legal(seen.batch, perturber.proposals(seen, draw), alternatives=True)
            _add(found, seen, proposed.keep(proposed.ranks < perturber.attack.probability), number)
    return _with_places(prepared, found)


def _add(found: Sequence[dict[_Key, PooledChange]], prepared: Prepared, proposed: Proposals, number: int) -> None:
    """Add the changes of attack `number` that are not known yet to the pools of their records."""
    firsts, owners = prepared.first_rows, prepared.owners.tolist()
    starts = prepared.batch.starts.tolist()
    alone = one_by_one(proposed.settled())
    for change, row in enumerate(prepared.batch.rows(proposed.starts[proposed.first_edits]).tolist()):
        held, text = found[owners[row]], row - firsts[owners[row]]
        key = (text, tuple(alone.triples(change, starts[row])))
        if key not in held:
            held[key] = PooledChange(text, tuple(alone.edits(change, starts[row])), number)


def _sorted(held: dict[_Key, PooledChange]) -> list[PooledChange]:
    """The changes of a record in the order of their keys, which are not needed any more."""
    found = [held[key] for key in sorted(held)]
    held.clear()
    return found


def _with_places(prepared: Prepared, found: Sequence[dict[_Key, PooledChange]]) -> list[RecordPool]:
    """The pools of these changes of each record."""
    batch = prepared.batch.prepared
    begins, ends = batch.words
    changes = [_sorted(held) for held in found]
    bounds = np.cumsum([0, *map(len, changes)])
    owners = np.repeat(np.arange(len(changes)), np.diff(bounds))
    rows = [prepared.rows(at) for at in range(len(changes))]
    own_rows = [own[one.text] for own, held in zip(rows, changes, strict=True) for one in held]
    texts = batch.starts[np.array(own_rows, dtype=np.int64)]
    starts = texts + np.array([one.edits[0].start for held in changes for one in held], dtype=np.int64)
    words = np.searchsorted(begins, starts, side="right") - 1
    before = words < np.searchsorted(begins, texts)  # the first word of its text
    sizes = np.where(before, 0, np.append(ends - begins, 0)[words]).astype(np.float64)
    names = np.where(before, -1 - texts, words)
    order = np.lexsort((names, owners))
    is_new = first_of_each(names[order]) | first_of_each(owners[order])
    counted = np.append(np.cumsum(is_new) - 1, 0)
    places = np.empty_like(owners)
    places[order] = counted[:-1] - counted[bounds[:-1]][owners]
    return [
        RecordPool(
            [prepared.fields[row] for row in own],
            [batch.texts[row] for row in own],
            own.start,
            held,
            places[start:stop],
            sizes[start:stop],
        )
        for own, held, start, stop in zip(rows, changes, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
