"""The changes that attacks propose, in columns (arrays).

An attack may instead propose `Change` objects, text by text; `Proposals.of_changes` puts them into columns.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import index
from typing import Any, TypeAlias, cast

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.edits import Change, Note
from augment_ru.errors import AugmentError, brief
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, Mask, counts_before


@dataclass(frozen=True, slots=True)
class Replacements:
    """Holds the new texts of edits in one array of code points: text i is `codes[offsets[i]:offsets[i + 1]]`."""

    codes: Codes
    offsets: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Replacements":
        """Put the new texts of edits into one array of code points."""
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=offsets[1:])
        joined = "".join(texts).encode("utf-32-le", "surrogatepass")
        return cls(np.frombuffer(joined, dtype="<u4").astype(np.uint32), offsets)

    @classmethod
    def of_ranges(cls, codes: Codes, starts: Ints, stops: Ints) -> "Replacements":
        """Take texts out of an array of code points.

        Args:
            codes: the array.
            starts: where each text starts in it, shape (texts,).
            stops: where each text stops in it, same shape.
        """
        lengths = stops - starts
        offsets = np.zeros(starts.size + 1, dtype=np.int64)
        lengths.cumsum(out=offsets[1:])
        return cls(codes[ranges(starts, lengths)], offsets)

    def holding(self, flags: Mask) -> Mask:
        """Tell which texts have a flagged code point, shape (texts,); `flags` has a flag for each entry of `codes`."""
        before = counts_before(flags)
        return np.greater(before[self.offsets[1:]], before[self.offsets[:-1]])

    @property
    def lengths(self) -> Ints:
        """The number of code points of each text, shape (texts,)."""
        return self.offsets[1:] - self.offsets[:-1]

    @classmethod
    def nothing(cls, indices: Ints) -> "Replacements":
        """Return an empty text for each index: the new texts of edits that delete."""
        return cls(np.zeros(0, dtype=np.uint32), np.zeros(indices.size + 1, dtype=np.int64))

    def take(self, indices: Ints) -> "Replacements":
        """Return the texts with the given indices, in the order of the indices."""
        return Replacements.of_ranges(self.codes, self.offsets[indices], self.offsets[indices + 1])


Texts: TypeAlias = Callable[[Ints], Replacements]
"""A function from the indices of edits to their new texts."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Holds the changes that an attack proposes for the texts of a batch, in arrays.

    Attributes:
        starts, stops: the range that each edit replaces, shape (edits,), as places in `Batch.codes` (the joined texts).
            An edit stays inside one text.
        changes: the index of the change that each edit belongs to, shape (edits,), ascending from 0 without gaps.
        ranks: the rank (random number) of each change, shape (changes,), in [0, 1). A change is made if its rank is
            below the probability.
        replace: a function that takes indices of edits and returns their new texts. It is called only for edits that
            are tried, since most edits are never applied.
        clean: True if the attack promises that its edits are sorted and disjoint, that each is inside one text and
            changes it, and that none puts a letter where there was no letter. The engine then checks only the places,
            not the new texts. So leave it False if a new text may break the promise.
        notes: a function that takes indices of edits and returns the note of each (what it carries besides its new
            text); None if no edit has a note.
        texts: the new texts of all edits, if they were computed already (`settled`); otherwise None.
        candidates: the candidate (random perturbation) that each change belongs to, ascending from 0, shape (changes,);
            None if all belong to one. Changes of different candidates may overlap.
    """

    starts: Ints
    stops: Ints
    changes: Ints
    ranks: Floats
    replace: Texts
    clean: bool = False
    notes: Callable[[Ints], Sequence[Note | None]] | None = None
    texts: Replacements | None = None
    candidates: Ints | None = None

    def __repr__(self) -> str:
        return f"Proposals({self.starts.size} edits in {self.ranks.size} changes)"

    @classmethod
    def of_edits(
        cls,
        starts: Ints,
        stops: Ints,
        ranks: Floats,
        texts: Sequence[str] | Callable[[Ints], "Replacements | Sequence[str]"],
        *,
        clean: bool = False,
        notes: Callable[[Ints], Sequence[Note | None]] | None = None,
    ) -> "Proposals":
        """Make proposals in which each change has only one edit.

        Args:
            starts: the place in `Batch.codes` (the joined texts) where each edit starts, shape (edits,).
            stops: the place in `Batch.codes` where each edit stops, shape (edits,).
            ranks: the rank (random number) of each change, shape (edits,), in [0, 1). Changes with a rank below the
                probability are made.
            texts: the new text of each edit, or a function that takes indices of edits and returns their new texts. The
                function is called only for edits that are tried.
            clean: True if the edits are sorted and disjoint, each is inside one text and changes it, and none puts a
                letter where there was no letter.
            notes: a function that takes indices of edits and returns the note of each (what it carries besides its new
                text); None if no edit has a note.

        Raises:
            AugmentError: the number of texts is not the number of edits.
        """
        if not callable(texts) and len(texts) != starts.size:
            raise AugmentError(f"{len(texts)} new texts for {starts.size} edits; give one each")
        make = texts if callable(texts) else Replacements.of(texts).take
        return cls(starts, stops, np.arange(starts.size), ranks, cast("Texts", make), clean, notes)

    def guarded(self, guard: Callable[[], AbstractContextManager[None]]) -> "Proposals":
        """Return a copy of the proposals with checks, since an attack of a user may have made them wrongly.

        Proposals hold arrays, and functions such as the one that makes the new texts. The types and sizes of the arrays
        are checked at once, their values by `legality`; what the functions return whenever they are called.

        Args:
            guard: returns a context manager. All code of the attack runs in it, so that the errors of that code can be
                turned into others.

        Raises:
            AugmentError: an array does not hold numbers, or is not one-dimensional; the arrays do not fit each other.
        """
        texts, notes = self.replace, self.notes

        def replaced(indices: Ints) -> Replacements:
            with guard():
                made: Replacements | Iterable[str] = texts(indices)
                found = made if isinstance(made, Replacements) else Replacements.of(list(made))
                if found.offsets.size != indices.size + 1:
                    raise AugmentError(f"{found.offsets.size - 1} new texts for {indices.size} edits; return one each")
                if found.offsets[-1] > found.codes.size or (found.offsets[1:] < found.offsets[:-1]).any():
                    raise AugmentError("new texts whose offsets are no ascending places in their code points")
                return found

        def noted(indices: Ints) -> Sequence[Note | None]:
            with guard():
                found = list(notes(indices)) if notes else []
                if len(found) != indices.size or not all(note is None or isinstance(note, Note) for note in found):
                    raise AugmentError(f"wrong notes for {indices.size} edits; return a Note or None for each")
                return found

        starts, stops, changes = map(_column, (self.starts, self.stops, self.changes))
        ranks = _column(self.ranks, np.float64)
        if not starts.shape == stops.shape == changes.shape:
            raise AugmentError(
                f"proposed columns: {starts.size} starts, {stops.size} stops, {changes.size} numbers of changes;"
                " each edit needs one of each"
            )
        if (changes.size or ranks.size) and not (changes.size and changes[0] == 0 and changes[-1] == ranks.size - 1):
            raise AugmentError(wrongly_numbered(changes, ranks.size))
        return Proposals(starts, stops, changes, ranks, replaced, self.clean, noted if notes else None, self.texts)

    @classmethod
    def of_swaps(cls, batch: Batch, ones: tuple[Ints, Ints], others: tuple[Ints, Ints], ranks: Floats) -> "Proposals":
        """Make changes that swap the texts of two ranges of a batch; each change has two edits.

        Args:
            batch: the texts.
            ones: the starts and the stops of the first range of each change, as places in `Batch.codes` (the joined
                texts), each of shape (changes,).
            others: the starts and the stops of the second range of each change, in the same form.
            ranks: the rank (random number in [0, 1)) of each change, shape (changes,).
        """
        starts, stops = (np.stack(pair, axis=1).ravel() for pair in zip(ones, others, strict=True))
        sources = np.arange(starts.size) ^ 1  # the other one of each pair

        def replace(indices: Ints) -> Replacements:
            return Replacements.of_ranges(batch.codes, starts[sources[indices]], stops[sources[indices]])

        return cls(starts, stops, np.repeat(np.arange(ranks.size), 2), ranks, replace)

    @classmethod
    def of_changes(cls, batch: Batch, proposed: Iterable[Iterable[Change]]) -> "Proposals":
        """Put changes of single texts into arrays.

        Args:
            batch: the texts.
            proposed: for each text, the changes that are proposed for it.

        Raises:
            AugmentError: an edit is outside its text, a rank is outside [0, 1), or a change has no edit.
        """
        places: list[tuple[int, int, int]] = []  # the start, the stop, the number of the change
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
                    places.append((at + index(edit.start), at + index(edit.stop), len(ranks)))
                    texts.append(edit.text)
                    notes.append(edit.note)
                ranks.append(change.rank)
        starts, stops, changes = np.array(places, dtype=np.int64).reshape(-1, 3).T.copy()
        return cls(
            starts,
            stops,
            changes,
            np.array(ranks, dtype=np.float64),
            Replacements.of(texts).take,
            notes=(lambda indices: [notes[at] for at in indices.tolist()]) if any(notes) else None,
        )

    def keep(self, changes: Mask) -> "Proposals":
        """Return a copy with only the changes for which the mask, of shape (changes,), is True."""
        if changes.all():
            return self
        edits, of = changes[self.changes].nonzero()[0], self.candidates
        numbers = (changes.cumsum() - 1)[self.changes[edits]]
        return self._of(edits, numbers, self.ranks[changes], None if of is None else of[changes])

    def without(self, dropped: Mask) -> "Proposals":
        """Return a copy without the edits for which the mask, of shape (edits,), is True.

        At least one edit of each change must remain, since every change keeps its number.
        """
        if not dropped.any():
            return self
        edits = np.flatnonzero(~dropped)
        return self._of(edits, self.changes[edits], self.ranks, self.candidates)

    def in_columns_of(self, kind: type[np.signedinteger[Any]]) -> "Proposals":
        """Return a copy whose places and numbers have this integer type; what is beyond it becomes its last value."""
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        columns = {name: getattr(self, name).clip(low, high).astype(kind) for name in ("starts", "stops", "changes")}
        return replace(self, **columns)

    def in_order(self) -> "Proposals":
        """Return a copy with the edits sorted by start, then by stop; the changes are numbered anew in this order.

        Each change must have exactly one edit.
        """
        order = np.lexsort((self.stops, self.starts))
        return self._of(order, np.arange(order.size), self.ranks[order])

    def _of(self, edits: Ints, changes: Ints, ranks: Floats, candidates: Ints | None = None) -> "Proposals":
        """Return the proposals of some of the edits.

        Args:
            edits: the indices of the edits to take.
            changes: the new number of the change of each of these edits.
            ranks: the rank of each change, by its new number.
            candidates: the candidate of each change, by its new number; None if all belong to one.
        """
        texts, notes = self.replace, self.notes
        edits = cast("Ints", edits.astype(np.int32))  # half the memory
        return Proposals(
            self.starts[edits],
            self.stops[edits],
            changes,
            ranks,
            lambda indices: texts(edits[indices]),
            self.clean,
            (lambda indices: notes(edits[indices])) if notes else None,
            candidates=candidates,
        )

    @property
    def first_edits(self) -> Ints:
        """The index of the first edit of each change, shape (changes,)."""
        numbers = np.arange(self.ranks.size)
        return numbers if self.changes.size == numbers.size else self.changes.searchsorted(numbers)

    def settled(self) -> "Proposals":
        """Compute the new texts of all edits now instead of later, and return a copy that holds these texts."""
        texts = self.all_texts
        return replace(self, replace=texts.take, texts=texts)

    @property
    def all_texts(self) -> Replacements:
        """The new texts of all edits; they are computed unless `settled` has computed them already."""
        return self.replace(np.arange(self.starts.size)) if self.texts is None else self.texts


def _column(values: Any, kind: type = np.int64) -> Any:  # noqa: ANN401  (what an attack of a user's own gives)
    """Convert a column to an array of the type `kind`; return the same object if it is one already.

    Raises:
        AugmentError: the column does not hold numbers, or is not one-dimensional.
    """
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in ("iuf" if kind is np.float64 else "iu")):
        raise AugmentError(f"a proposed column of shape {array.shape} and type {array.dtype}; give numbers, one each")
    return array.astype(kind, copy=False)


def wrongly_numbered(changes: Ints, count: int) -> str:
    """Return the message for numbers of changes that are not 0 to `count` - 1 in order, each at least once."""
    return (
        f"proposed columns: {count} ranks for {changes.size} edits, with changes {brief(changes.tolist())};"
        " changes are numbered 0, 1, 2, ... in the order of their edits, and each has a rank"
    )


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return all places in several ranges, one range after another: starts [2, 7], lengths [2, 1] give [2, 3, 7].

    Args:
        starts: the first place of each range, shape (ranges,).
        lengths: how many places each range has, same shape.
    """
    ends = lengths.cumsum()
    firsts: Ints = (starts - ends + lengths).repeat(lengths)
    return firsts + np.arange(firsts.size)


def side_by_side(parts: Sequence[Proposals]) -> Proposals:
    """Join the proposals of several attacks for the same batch.

    If each change has only one edit, the result is sorted by place.

    Args:
        parts: the proposals of each attack, at least one.
    """
    every = one_behind_another(parts)
    return every if every.ranks.size < every.starts.size else every.in_order()


def one_behind_another(parts: Sequence[Proposals], *, candidates: bool = False) -> Proposals:
    """Join proposals for the same array of texts; edits and changes are numbered from 0 through all of them.

    The result is `clean` (a promise about the edits, see `Proposals`) if all the proposals are.

    Args:
        parts: the proposals, at least one.
        candidates: whether each of the proposals is another candidate (random perturbation), so that changes of
            different ones may overlap.
    """
    if len(parts) == 1:
        return parts[0]
    sizes = [part.ranks.size for part in parts]
    changes, edits = (np.array([0, *accumulate(one)]) for one in (sizes, [part.starts.size for part in parts]))
    makers = [(part.replace, part.notes) for part in parts]  # the columns of the parts need not be held

    def split(indices: Ints, which: int) -> Iterator[tuple[Any, Ints]]:
        """Divide ascending indices of edits among the proposals that were joined.

        Yield, for each of these with such an edit, its function that makes new texts (`which` 0) or notes (`which` 1),
        and the indices of the edits in it.
        """
        bounds = indices.searchsorted(edits).tolist()
        for maker, first, start, stop in zip(makers, edits.tolist(), bounds, bounds[1:], strict=False):
            if start < stop:
                yield maker[which], indices[start:stop] - first

    def texts(indices: Ints) -> Replacements:
        order = None if (indices[1:] > indices[:-1]).all() else np.argsort(indices, kind="stable")
        found = [make(places) for make, places in split(indices if order is None else indices[order], 0)]
        if not found:
            return Replacements.nothing(indices)
        lengths = np.concatenate([[0], *(made.lengths for made in found)])
        every = Replacements(np.concatenate([made.codes for made in found]), lengths.cumsum())
        return every if order is None else every.take(np.argsort(order))

    def notes(indices: Ints) -> list[Note | None]:
        order = np.argsort(indices, kind="stable")
        found: list[Note | None] = []
        for make, places in split(indices[order], 1):
            found += make(places) if make else [None] * places.size
        return [found[place] for place in np.argsort(order).tolist()]

    return Proposals(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.stops for part in parts]),
        np.concatenate([part.changes + first for part, first in zip(parts, changes.tolist(), strict=False)]),
        np.concatenate([part.ranks for part in parts]),
        texts,
        clean=all(part.clean for part in parts),
        notes=notes if any(make for _, make in makers) else None,
        candidates=np.arange(len(parts), dtype=parts[0].changes.dtype).repeat(sizes) if candidates else None,
    )
