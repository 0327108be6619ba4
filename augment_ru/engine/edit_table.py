"""Tables of the edits of many texts, in columns. `apply` makes them from the changes that attacks propose."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from augment_ru.draws import Ints, first_of_each
from augment_ru.edits import Note
from augment_ru.engine.proposals import Proposals, Replacements, ranges
from augment_ru.errors import AugmentError
from augment_ru.script import Script, Triple
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, decode, marked, surrogates

_SCRIPTS = 1024
"""How many scripts are made at once."""


@dataclass(frozen=True, eq=False)
class EditTable(Sequence[Script]):
    """Holds the edits of several texts in arrays, text by text, sorted by place.

    Used as a sequence, the table gives the script (all edits) of each text.

    Attributes:
        sources: the source texts.
        rows: for each edited text, the index of its source in `sources`, shape (texts,).
        firsts: the index of the first edit of each text, followed by the number of edits, shape (texts + 1,).
        starts, stops: the place where each edit starts and stops in its source, shape (edits,).
        new: the new text of each edit.
        make_notes: a function that takes the indices of edits and returns the note of each (what it carries besides its
            new text); None if no edit has a note.
        make_texts: a function that makes all edited texts at once; None to make each from its script.
    """

    sources: Sequence[str]
    rows: Ints
    firsts: Ints
    starts: Ints
    stops: Ints
    new: Replacements
    make_notes: Callable[[Ints], Sequence[Note | None]] | None = None
    make_texts: Callable[[], list[str]] | None = field(default=None, repr=False)

    @classmethod
    def of_scripts(cls, scripts: Sequence[Script], sources: Sequence[str], rows: Ints) -> "EditTable":
        """Make the table of these scripts (edits of texts).

        Args:
            scripts: the scripts.
            sources: the source texts.
            rows: for each script, the index of its source in `sources`, shape (scripts,).
        """
        triples = [triple for script in scripts for triple in script.triples]
        places = np.array([triple[:2] for triple in triples], dtype=np.int64).reshape(-1, 2)
        firsts = np.cumsum([0, *(len(script.triples) for script in scripts)])
        notes = [note for script in scripts for note in script.notes or [None] * len(script.triples)]
        return cls(
            sources,
            rows,
            firsts,
            places[:, 0],
            places[:, 1],
            Replacements.of([text for _, _, text in triples]),
            (lambda indices: [notes[at] for at in indices.tolist()]) if any(notes) else None,
        )

    @classmethod
    def joined(cls, tables: Sequence["EditTable"]) -> "EditTable":
        """Join several tables of the same sources into one, in the given order.

        Args:
            tables: the tables, at least one.
        """
        if len(tables) == 1:
            return tables[0]
        noted = any(one.make_notes for one in tables)
        notes = [note for one in tables for note in one.notes or [None] * one.starts.size] if noted else []
        counts = np.concatenate([np.diff(one.firsts) for one in tables])
        lengths = np.concatenate([one.new.lengths for one in tables])
        return cls(
            tables[0].sources,
            np.concatenate([one.rows for one in tables]),
            np.append(0, counts.cumsum()),
            np.concatenate([one.starts for one in tables]),
            np.concatenate([one.stops for one in tables]),
            Replacements(np.concatenate([one.new.codes for one in tables]), np.append(0, lengths.cumsum())),
            (lambda indices: [notes[at] for at in indices.tolist()]) if any(notes) else None,
        )

    def __len__(self) -> int:
        return self.rows.size

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        row, start, stop = self.parts[at]
        notes = self.notes[start:stop]
        return Script.of(self.sources[row], self.triples[start:stop], notes if any(notes) else ())

    def __iter__(self) -> Iterator[Script]:
        for first in range(0, len(self), _SCRIPTS):  # so that a long text does not have all its edits as objects
            some = self.part(first, min(first + _SCRIPTS, len(self)))
            yield from map(some.__getitem__, range(len(some)))

    @cached_property
    def parts(self) -> list[tuple[int, int, int]]:
        """For each edited text: the index of its source, and the range of its edits as a start and a stop index."""
        firsts = self.firsts.tolist()
        return list(zip(self.rows.tolist(), firsts, firsts[1:], strict=False))

    @cached_property
    def triples(self) -> list[Triple]:
        """The start, the stop and the new text of each edit."""
        text = decode(self.new.codes)
        same: dict[str, str] = {}  # of equal texts, of which there are many, one is kept
        new = [text[start:stop] for start, stop in pairwise(self.new.offsets.tolist())]
        return list(zip(self.starts.tolist(), self.stops.tolist(), map(same.setdefault, new, new), strict=True))

    @cached_property
    def notes(self) -> Sequence[Note | None]:
        """The note of each edit (what it carries besides its new text), or None; empty if no edit has a note."""
        return () if self.make_notes is None else self.make_notes(np.arange(self.starts.size))

    @cached_property
    def texts(self) -> list[str]:
        """The texts after their edits."""
        return [script.text for script in self] if self.make_texts is None else self.make_texts()

    @cached_property
    def owners(self) -> Ints:
        """The index of the edited text that each edit belongs to, ascending, shape (edits,)."""
        return np.arange(len(self)).repeat(np.diff(self.firsts))

    @property
    def changed(self) -> Ints:
        """The indices of those texts of the table that have at least one edit, ascending."""
        return (self.firsts[1:] - self.firsts[:-1]).nonzero()[0]

    def part(self, start: int, stop: int) -> "EditTable":
        """Return some consecutive edited texts as a table, which shares the arrays of this one.

        Args:
            start: the index of the first text.
            stop: the index after the last text.
        """
        first, last = self.firsts[[start, stop]].tolist()
        offsets, notes = self.new.offsets[first : last + 1], self.make_notes
        return EditTable(
            self.sources,
            self.rows[start:stop],
            self.firsts[start : stop + 1] - first,
            self.starts[first:last],
            self.stops[first:last],
            Replacements(self.new.codes[offsets[0] : offsets[-1]], offsets - offsets[0]),
            None if notes is None else lambda indices: notes(indices + first),
        )

    def take(self, texts: Ints) -> "EditTable":
        """Return a new table with only some of the edited texts.

        Args:
            texts: the indices of the texts to take, shape (taken texts,). The new table numbers these texts from 0.
        """
        counts = (self.firsts[1:] - self.firsts[:-1])[texts]
        firsts = np.concatenate([[0], counts.cumsum()])
        edits, notes = ranges(self.firsts[texts], counts), self.make_notes
        return EditTable(
            self.sources,
            self.rows[texts],
            firsts,
            self.starts[edits],
            self.stops[edits],
            self.new.take(edits),
            None if notes is None else lambda indices: notes(edits[indices]),
        )


def apply(batch: Batch, proposals: Proposals, active: Mask) -> EditTable:
    """Make the chosen changes in the texts of a batch, and return the edits of each text; a text may have none.

    Args:
        batch: the texts.
        proposals: the changes that the engine allows.
        active: whether each change is made, shape (changes,). No two of them may overlap.

    Raises:
        AugmentError: a new text holds a lone surrogate, although the attack stated that it does not
            (`Proposals.clean`).
    """
    edits = active[proposals.changes].nonzero()[0]
    if not proposals.clean or proposals.candidates is not None:
        edits = edits[np.lexsort((proposals.stops[edits], proposals.starts[edits]))]
    starts, stops, new = proposals.starts[edits], proposals.stops[edits], _new_texts(proposals, edits)
    firsts = starts.searchsorted(batch.starts)
    places = batch.starts[:-1].repeat(firsts[1:] - firsts[:-1])
    return EditTable(
        batch.texts,
        np.arange(firsts.size - 1),
        firsts,
        starts - places,
        stops - places,
        new,
        _notes_of(proposals, edits),
        lambda: _texts(batch, starts, stops, new, firsts),
    )


def by_group(batch: Batch, proposals: Proposals, edits: Ints, groups: Ints) -> tuple[EditTable, Ints]:
    """Make the edits of each group in the text that they are in, apart from those of other groups.

    Args:
        batch: the original texts.
        proposals: the changes that the engine allows.
        edits: the indices of the edits to make.
        groups: the group of each of these edits, shape (edits,); the edits of a group are in one text.

    Returns:
        The edits of each group that has any, in ascending order of the groups; and these groups, shape (groups,).

    Raises:
        AugmentError: a new text holds a lone surrogate, although the attack stated that it does not
            (`Proposals.clean`).
    """
    starts, stops = proposals.starts[edits], proposals.stops[edits]
    order = np.lexsort((stops, starts, groups))
    starts, stops, groups, edits = starts[order], stops[order], groups[order], edits[order]
    begins = first_of_each(groups)
    firsts = begins.nonzero()[0]
    rows = batch.rows(starts[firsts])
    places = batch.starts[rows][begins.cumsum() - 1]
    return EditTable(
        batch.texts,
        rows,
        np.concatenate((firsts, [edits.size])),
        starts - places,
        stops - places,
        _new_texts(proposals, edits),
        _notes_of(proposals, edits),
    ), groups[firsts]


def one_by_one(batch: Batch, proposals: Proposals) -> EditTable:
    """Make each change by itself, and return the edits: text i of the result has only change i.

    Args:
        batch: the original texts.
        proposals: the changes that the engine allows.
    """
    return by_group(batch, proposals, np.arange(proposals.starts.size), proposals.changes)[0]


def _new_texts(proposals: Proposals, edits: Ints) -> Replacements:
    """Return the new texts of some edits; a lone surrogate in one that the attack calls clean is an error."""
    new = proposals.replace(edits)
    if proposals.clean and surrogates(new.codes).any():
        raise AugmentError("an attack proposes a text with a lone surrogate; no text may hold one")
    return new


def _texts(batch: Batch, starts: Ints, stops: Ints, texts: Replacements, firsts: Ints) -> list[str]:
    """Replace ranges in the texts of a batch, and return the new texts.

    Args:
        batch: the texts.
        starts: the global place where each range starts; ranges are sorted and disjoint, shape (edits,).
        stops: the global place where each range stops, shape (edits,).
        texts: the new text of each range.
        firsts: the index of the first edit of each text, and the number of edits, shape (texts + 1,).
    """
    lengths = texts.lengths
    growth = np.concatenate([[0], np.cumsum(lengths - (stops - starts))])
    if (lengths == 1).all() and (stops - starts == 1).all():
        codes = batch.codes.copy()
        codes[starts] = texts.codes
    else:
        codes = np.empty(batch.codes.size + int(growth[-1]), dtype=np.uint32)
        is_new = marked(codes.size, ranges(starts + growth[:-1], lengths))
        codes[is_new] = texts.codes
        codes[~is_new] = batch.codes[~marked(batch.codes.size, ranges(starts, stops - starts))]
    joined = decode(codes)
    bounds = (batch.starts + growth[firsts]).tolist()
    return [joined[start : stop - 1] for start, stop in pairwise(bounds)]


def _notes_of(proposals: Proposals, edits: Ints) -> Callable[[Ints], Sequence[Note | None]] | None:
    """Return a function from positions in `edits` to the notes of these edits; None if no edit has a note.

    Args:
        proposals: the proposals.
        edits: the indices of some edits in the proposals.
    """
    notes = proposals.notes
    return None if notes is None else lambda indices: notes(edits[indices])
