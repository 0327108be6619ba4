"""The texts of a batch with the active changes applied, and the edits that made them, in columns."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat
from typing import Protocol

import numpy as np

from augment_ru.draws import Ints
from augment_ru.edits import Edit, Note
from augment_ru.engine.proposals import Proposals, Replacements, ranges
from augment_ru.errors import AugmentError
from augment_ru.text.characters import Codes, Mask, decode, surrogates


@dataclass(frozen=True)
class Applied:
    """The texts of a batch with edits applied, and these edits in columns, sorted by place."""

    make_texts: Callable[[], list[str]] | None
    """Makes the texts when they are first read, since a similarity may read the edits alone; None if there are none."""
    starts: Ints
    stops: Ints
    """Global places of each edit in the batch, shape (edits,)."""
    replacements: Replacements
    first_edits: Ints
    """The index of the first edit of each text, and at the end the number of edits, shape (texts + 1,)."""
    make_notes: Callable[[Ints], Sequence[Note | None]] | None = None
    """From the indices of edits to their notes, which are made when they are first read; None if no edit has one."""

    @cached_property
    def texts(self) -> list[str]:
        """The texts with the edits applied; empty if there are none."""
        return [] if self.make_texts is None else self.make_texts()

    def text(self, row: int) -> str | None:
        """Text number `row` with its edits applied; None if there are no texts."""
        return None if self.make_texts is None else self.texts[row]

    @cached_property
    def _firsts(self) -> list[int]:
        found: list[int] = self.first_edits.tolist()
        return found

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[str]]:
        """The starts, the stops and the new texts of all edits."""
        text = decode(self.replacements.codes)
        same: dict[str, str] = {}  # of equal texts, of which there are many, one is kept
        offsets = pairwise(self.replacements.offsets.tolist())
        new = [same.setdefault(own, own) for own in (text[start:stop] for start, stop in offsets)]
        return self.starts.tolist(), self.stops.tolist(), new

    @cached_property
    def every_note(self) -> Sequence[Note | None]:
        """The note of each edit; empty if no edit has one."""
        return () if self.make_notes is None else self.make_notes(np.arange(self.starts.size))

    def count(self, row: int) -> int:
        """The number of edits of text number `row`."""
        return self._firsts[row + 1] - self._firsts[row]

    def edits(self, row: int, start: int) -> Iterator[Edit]:
        """The edits of text number `row` in order, with places in the text; the text starts at global place `start`."""
        own = slice(*self._firsts[row : row + 2])
        starts, stops, texts = self._lists
        notes: Iterable[Note | None] = self.every_note[own] if self.every_note else repeat(None)
        for begin, end, text, note in zip(starts[own], stops[own], texts[own], notes, strict=False):
            yield Edit(begin - start, end - start, text, note)

    def triples(self, row: int, start: int) -> list[tuple[int, int, str]]:
        """The start, the stop and the new text of each of the same edits."""
        own = slice(*self._firsts[row : row + 2])
        starts, stops, texts = self._lists
        columns = zip(starts[own], stops[own], texts[own], strict=True)
        return [(begin - start, end - start, text) for begin, end, text in columns]

    def notes(self, row: int) -> Sequence[Note | None]:
        """The notes of the same edits; empty if none has one."""
        found = self.every_note[slice(*self._firsts[row : row + 2])]
        return found if any(found) else ()

    def of_texts(self, rows: Ints) -> "Applied":
        """The edits of some of the texts, which are numbered anew, without the texts.

        Args:
            rows: their numbers, ascending, shape (texts,).
        """
        firsts, counts = self.first_edits[rows], np.diff(self.first_edits)[rows]
        edits = ranges(firsts, counts)
        first_edits = np.concatenate([[0], counts.cumsum()])
        texts, notes = self.replacements.take(edits), self.make_notes
        made = None if notes is None else lambda indices: notes(edits[indices])
        return Applied(None, self.starts[edits], self.stops[edits], texts, first_edits, made)

    @property
    def changed(self) -> Ints:
        """The numbers of the texts that have an edit, ascending."""
        return np.flatnonzero(np.diff(self.first_edits))


class TextColumns(Protocol):
    """Texts in one array: a `Batch`, or `Tiles` of one."""

    @property
    def codes(self) -> Codes:
        """The code points."""

    @property
    def starts(self) -> Ints:
        """Where each text starts, and where the last one stops, shape (texts + 1,)."""


def apply(batch: TextColumns, proposals: Proposals, active: Mask) -> Applied:
    """The texts of a batch with the active changes applied.

    Args:
        batch: the texts.
        proposals: legal changes.
        active: whether each change is applied, shape (changes,).

    Raises:
        AugmentError: an edit that was stated to be clean holds a lone surrogate.
    """
    if proposals.clean and active.all():
        edits, starts, stops, texts = None, proposals.starts, proposals.stops, proposals.all_texts
    else:
        edits = active[proposals.changes].nonzero()[0]
        if not proposals.clean:
            edits = edits[np.lexsort((proposals.stops[edits], proposals.starts[edits]))]
        starts, stops, texts = proposals.starts[edits], proposals.stops[edits], proposals.replace(edits)
    if proposals.clean and surrogates(texts.codes).any():
        raise AugmentError("an attack proposes a text with a lone surrogate; no text may hold one")
    firsts = np.searchsorted(starts, batch.starts)

    def make_texts() -> list[str]:
        return _texts(batch, starts, stops, texts, firsts)

    return Applied(make_texts, starts, stops, texts, firsts, _notes_of(proposals, edits))


def _texts(batch: TextColumns, starts: Ints, stops: Ints, texts: Replacements, firsts: Ints) -> list[str]:
    """The texts of a batch with these texts in place of these ranges."""
    lengths = texts.lengths
    growth = np.concatenate([[0], np.cumsum(lengths - (stops - starts))])
    if (lengths == 1).all() and (stops - starts == 1).all():
        codes = batch.codes.copy()
        codes[starts] = texts.codes
    else:
        codes = np.empty(batch.codes.size + int(growth[-1]), dtype=np.uint32)
        kept = np.ones(batch.codes.size, dtype=np.bool_)
        kept[ranges(starts, stops - starts)] = False
        is_new = np.zeros(codes.size, dtype=np.bool_)
        is_new[ranges(starts + growth[:-1], lengths)] = True
        codes[is_new] = texts.codes
        codes[~is_new] = batch.codes[kept]
    joined = decode(codes)
    bounds = (batch.starts + growth[firsts]).tolist()
    return [joined[start : stop - 1] for start, stop in pairwise(bounds)]


def _notes_of(proposals: Proposals, edits: Ints | None) -> Callable[[Ints], Sequence[Note | None]] | None:
    """A function from the indices among these edits to their notes; None stands for all edits."""
    notes = proposals.notes
    if notes is None or edits is None:
        return notes
    return lambda indices: notes(edits[indices])


def one_by_one(proposals: Proposals) -> Applied:
    """The edits of each change by themselves: `edits` takes the number of the change; there are no texts."""
    order = np.lexsort((proposals.stops, proposals.starts, proposals.changes))
    firsts = np.searchsorted(proposals.changes, np.arange(proposals.ranks.size + 1))
    starts, stops = proposals.starts[order], proposals.stops[order]
    return Applied(None, starts, stops, proposals.replace(order), firsts, _notes_of(proposals, order))
