"""The proposals of attacks in columns, and texts with the active changes applied.

An attack may propose `Change` objects instead, text by text. `Proposals.of_changes` puts them into columns.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, repeat

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.edits import Change, Edit, Note
from augment_ru.errors import AugmentError
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, Mask, decode, surrogates


@dataclass(frozen=True, slots=True)
class Replacements:
    """Texts in one array of code points: text i is `codes[offsets[i]:offsets[i + 1]]`."""

    codes: Codes
    offsets: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Replacements":
        """The columns of these texts."""
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=offsets[1:])
        joined = "".join(texts).encode("utf-32-le", "surrogatepass")
        return cls(np.frombuffer(joined, dtype="<u4").astype(np.uint32), offsets)

    @classmethod
    def of_ranges(cls, codes: Codes, starts: Ints, stops: Ints) -> "Replacements":
        """The columns of the texts at these ranges of an array."""
        offsets = np.zeros(starts.size + 1, dtype=np.int64)
        np.cumsum(stops - starts, out=offsets[1:])
        return cls(codes[_ranges(starts, stops - starts)], offsets)

    @property
    def lengths(self) -> Ints:
        """The number of code points of each text, shape (texts,)."""
        return np.diff(self.offsets)

    @classmethod
    def nothing(cls, indices: Ints) -> "Replacements":
        """An empty text for each index, for deletions."""
        return cls(np.zeros(0, dtype=np.uint32), np.zeros(indices.size + 1, dtype=np.int64))

    def take(self, indices: Ints) -> "Replacements":
        """The columns of some of the texts."""
        return Replacements.of_ranges(self.codes, self.offsets[indices], self.offsets[indices + 1])


@dataclass(frozen=True, slots=True)
class Proposals:
    """The edits of proposed changes in columns, with global places in a batch.

    Attributes:
        starts, stops: the range that each edit replaces, shape (edits,), as places in `Batch.codes`; text i is
            `codes[starts[i]:starts[i + 1] - 1]`, and an edit stays inside one text.
        changes: the number of the change that each edit belongs to, shape (edits,), ascending from 0 without gaps.
        ranks: the rank of each change, shape (changes,), in [0, 1).
        replace: a function from the indices of edits to their new texts, since most edits are never applied.
        clean: whether the attack states that its edits are sorted and disjoint, that each is inside one text and
            changes it, and that none puts a letter where none was. The engine checks the places, and where they are
            not as stated it checks the edits like any others, which takes longer. It does not check the new texts:
            that is what the statement saves. An attack that cannot be sure of them leaves it False.
        notes: a function from the indices of edits to their notes; None if no edit has one.
    """

    starts: Ints
    stops: Ints
    changes: Ints
    ranks: Floats
    replace: Callable[[Ints], Replacements]
    clean: bool = False
    notes: Callable[[Ints], Sequence[Note | None]] | None = None

    @classmethod
    def of_edits(
        cls,
        starts: Ints,
        stops: Ints,
        ranks: Floats,
        texts: Callable[[Ints], Replacements],
        *,
        clean: bool = False,
        notes: Callable[[Ints], Sequence[Note | None]] | None = None,
    ) -> "Proposals":
        """Proposals in which every edit is a change of its own."""
        return cls(starts, stops, np.arange(starts.size), ranks, texts, clean, notes)

    @classmethod
    def of_swaps(cls, batch: Batch, ones: tuple[Ints, Ints], others: tuple[Ints, Ints], ranks: Floats) -> "Proposals":
        """Changes that exchange the texts of two ranges of a batch; each change has two edits.

        Args:
            batch: the texts.
            ones: the starts and stops of the first range of each change, each of shape (changes,).
            others: those of the second range.
            ranks: the rank of each change, shape (changes,).
        """
        starts, stops = (np.stack(pair, axis=1).ravel() for pair in zip(ones, others, strict=True))
        sources = np.arange(starts.size) ^ 1  # the other one of each pair

        def replace(indices: Ints) -> Replacements:
            return Replacements.of_ranges(batch.codes, starts[sources[indices]], stops[sources[indices]])

        return cls(starts, stops, np.repeat(np.arange(ranks.size), 2), ranks, replace)

    @classmethod
    def of_changes(cls, batch: Batch, proposed: Iterable[Iterable[Change]]) -> "Proposals":
        """The columns of the changes that are proposed for each text of a batch.

        Raises:
            AugmentError: an edit is outside its text, a rank is outside [0, 1), or a change has no edit.
        """
        starts: list[int] = []
        stops: list[int] = []
        changes: list[int] = []
        ranks: list[float] = []
        texts: list[str] = []
        notes: list[Note | None] = []
        for at, length, row in zip(batch.starts.tolist(), batch.lengths.tolist(), proposed, strict=False):
            for change in row:
                if not (0.0 <= change.rank < 1.0 and change.edits):
                    raise AugmentError(f"{change}: a change needs a rank in [0, 1) and an edit")
                for edit in change.edits:
                    if not 0 <= edit.start <= edit.stop <= length:
                        raise AugmentError(f"{edit} lies outside a text of {length} characters")
                    starts.append(at + edit.start)
                    stops.append(at + edit.stop)
                    changes.append(len(ranks))
                    texts.append(edit.text)
                    notes.append(edit.note)
                ranks.append(change.rank)
        return cls(
            np.array(starts, dtype=np.int64),
            np.array(stops, dtype=np.int64),
            np.array(changes, dtype=np.int64),
            np.array(ranks, dtype=np.float64),
            Replacements.of(texts).take,
            notes=(lambda indices: [notes[index] for index in indices.tolist()]) if any(notes) else None,
        )

    def keep(self, changes: Mask) -> "Proposals":
        """The proposals with only the changes where the mask, of shape (changes,), is true."""
        if changes.all():
            return self
        edits = np.flatnonzero(changes[self.changes])
        numbers = np.cumsum(changes) - 1
        texts, notes = self.replace, self.notes
        return replace(
            self,
            starts=self.starts[edits],
            stops=self.stops[edits],
            changes=numbers[self.changes[edits]],
            ranks=self.ranks[changes],
            replace=lambda indices: texts(edits[indices]),
            notes=(lambda indices: notes(edits[indices])) if notes else None,
        )

    def without(self, dropped: Mask) -> "Proposals":
        """The proposals without the edits where the mask, of shape (edits,), is true; each change keeps an edit."""
        if not dropped.any():
            return self
        edits = np.flatnonzero(~dropped)
        texts, notes = self.replace, self.notes
        return replace(
            self,
            starts=self.starts[edits],
            stops=self.stops[edits],
            changes=self.changes[edits],
            replace=lambda indices: texts(edits[indices]),
            notes=(lambda indices: notes(edits[indices])) if notes else None,
        )

    @property
    def first_edits(self) -> Ints:
        """The index of the first edit of each change, shape (changes,)."""
        numbers = np.arange(self.ranks.size)
        return numbers if self.changes.size == numbers.size else np.searchsorted(self.changes, numbers)

    def settled(self) -> "Proposals":
        """The same proposals with the new texts of all edits computed."""
        texts = self.replace(np.arange(self.starts.size))
        return replace(self, replace=texts.take)


@dataclass(frozen=True)
class Applied:
    """The texts of a batch with edits applied, and these edits in columns, sorted by place."""

    texts: list[str]
    starts: Ints
    stops: Ints
    """Global places of each edit in the batch, shape (edits,)."""
    replacements: Replacements
    first_edits: Ints
    """The index of the first edit of each text, and at the end the number of edits, shape (texts + 1,)."""
    make_notes: Callable[[Ints], Sequence[Note | None]] | None = None
    """From the indices of edits to their notes, which are made when they are first read; None if no edit has one."""

    @cached_property
    def _firsts(self) -> list[int]:
        found: list[int] = self.first_edits.tolist()
        return found

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[str]]:
        """The starts, the stops and the new texts of all edits."""
        text = decode(self.replacements.codes)
        new = [text[start:stop] for start, stop in pairwise(self.replacements.offsets.tolist())]
        return self.starts.tolist(), self.stops.tolist(), new

    @cached_property
    def _notes(self) -> Sequence[Note | None] | None:
        return None if self.make_notes is None else self.make_notes(np.arange(self.starts.size))

    def count(self, row: int) -> int:
        """The number of edits of text number `row`."""
        return self._firsts[row + 1] - self._firsts[row]

    def edits(self, row: int, start: int) -> Iterator[Edit]:
        """The edits of text number `row` in order, with places in the text; the text starts at global place `start`."""
        own = slice(*self._firsts[row : row + 2])
        starts, stops, texts = self._lists
        notes = self._notes[own] if self._notes else repeat(None)
        for begin, end, text, note in zip(starts[own], stops[own], texts[own], notes, strict=False):
            yield Edit(begin - start, end - start, text, note)

    def values(self, row: int, start: int) -> list[list[int | str]]:
        """The same edits as JSON values: start, stop and new text of each."""
        own = slice(*self._firsts[row : row + 2])
        starts, stops, texts = self._lists
        columns = zip(starts[own], stops[own], texts[own], strict=True)
        return [[begin - start, end - start, text] for begin, end, text in columns]

    def has_notes(self, row: int) -> bool:
        """Whether an edit of text number `row` has a note."""
        return bool(self._notes) and any(self._notes[slice(*self._firsts[row : row + 2])])

    @property
    def changed(self) -> Ints:
        """The numbers of the texts that have an edit, ascending."""
        return np.flatnonzero(np.diff(self.first_edits))


def apply(batch: Batch, proposals: Proposals, active: Mask) -> Applied:
    """The texts of a batch with the active changes applied.

    Args:
        batch: the texts.
        proposals: legal changes.
        active: whether each change is applied, shape (changes,).

    Raises:
        AugmentError: an edit that was stated to be clean holds a lone surrogate.
    """
    edits = np.flatnonzero(active[proposals.changes])
    if not proposals.clean:
        edits = edits[np.lexsort((proposals.stops[edits], proposals.starts[edits]))]
    starts, stops = proposals.starts[edits], proposals.stops[edits]
    texts = proposals.replace(edits)
    if proposals.clean and surrogates(texts.codes).any():
        raise AugmentError("an attack proposes a text with a lone surrogate; no text may hold one")
    lengths = texts.lengths
    growth = np.concatenate([[0], np.cumsum(lengths - (stops - starts))])
    firsts = np.searchsorted(starts, batch.starts)

    if (lengths == 1).all() and (stops - starts == 1).all():
        codes = batch.codes.copy()
        codes[starts] = texts.codes
    else:
        codes = np.empty(batch.codes.size + int(growth[-1]), dtype=np.uint32)
        kept = np.ones(batch.codes.size, dtype=np.bool_)
        kept[_ranges(starts, stops - starts)] = False
        is_new = np.zeros(codes.size, dtype=np.bool_)
        is_new[_ranges(starts + growth[:-1], lengths)] = True
        codes[is_new] = texts.codes
        codes[~is_new] = batch.codes[kept]
    joined = decode(codes)
    bounds = (batch.starts + growth[firsts]).tolist()
    new = [joined[start : stop - 1] for start, stop in pairwise(bounds)]
    return Applied(new, starts, stops, texts, firsts, _notes_of(proposals, edits))


def _notes_of(proposals: Proposals, edits: Ints) -> Callable[[Ints], Sequence[Note | None]] | None:
    """A function from the indices among these edits to their notes."""
    notes = proposals.notes
    return (lambda indices: notes(edits[indices])) if notes else None


def _ranges(starts: Ints, lengths: Ints) -> Ints:
    """The places in each range, one range after another."""
    offsets = np.cumsum(lengths) - lengths
    return np.repeat(starts - offsets, lengths) + np.arange(int(lengths.sum()))


def one_by_one(proposals: Proposals) -> Applied:
    """The edits of each change by themselves: `edits` takes the number of the change; there are no texts."""
    order = np.lexsort((proposals.stops, proposals.starts, proposals.changes))
    firsts = np.searchsorted(proposals.changes, np.arange(proposals.ranks.size + 1))
    starts, stops = proposals.starts[order], proposals.stops[order]
    return Applied([], starts, stops, proposals.replace(order), firsts, _notes_of(proposals, order))
