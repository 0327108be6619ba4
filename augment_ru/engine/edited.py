"""Texts with edits applied, in columns: the candidates of a gate; a script of each is made when it is read."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from augment_ru.draws import Ints
from augment_ru.edits import Note
from augment_ru.engine.applied import Applied
from augment_ru.engine.proposals import Replacements
from augment_ru.engine.tiles import Tiles
from augment_ru.script import Script


class EditTable(NamedTuple):
    """The edits of several texts in columns, text by text, sorted by place.

    Attributes:
        owners: the number of the text of each edit, ascending, shape (edits,).
        starts, stops: its places in the source of that text, shape (edits,).
        texts: what it writes.
        notes: its note; empty if no edit has one.
    """

    owners: Ints
    starts: Ints
    stops: Ints
    texts: Replacements
    notes: Sequence[Note | None]


class EditedTexts(Sequence[Script]):
    """Texts of a batch with edits applied, as scripts.

    Args:
        tiles: the texts, once for each candidate.
        rows: the number of the source of each text in the tiles, shape (texts,).
        applied: the edits.
        numbers: the number of each text in `applied`, ascending, shape (texts,).
    """

    def __init__(self, tiles: Tiles, rows: Ints, applied: Applied, numbers: Ints) -> None:
        self._tiles, self._rows, self._applied, self._numbers = tiles, rows, applied, numbers

    def __len__(self) -> int:
        return self._rows.size

    @cached_property
    def _places(self) -> list[tuple[int, int, int]]:
        """The number of the source of each text, where it starts in the tiles, and its number in `applied`."""
        starts = self._tiles.starts[self._rows]
        return list(zip(self._rows.tolist(), starts.tolist(), self._numbers.tolist(), strict=True))

    def _script(self, row: int, start: int, number: int) -> Script:
        return Script.of_columns(self._tiles.text(row), self._applied, number, start)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        if isinstance(at, slice):
            return [self._script(*place) for place in self._places[at]]
        return self._script(*self._places[at])

    def __iter__(self) -> Iterator[Script]:
        return (self._script(*place) for place in self._places)

    def take(self, texts: Ints) -> "EditedTexts":
        """Some of these texts, ascending; the others' edits are not read for them."""
        applied = self._applied.of_texts(self._numbers[texts])
        return EditedTexts(self._tiles, self._rows[texts], applied, np.arange(texts.size))

    @property
    def table(self) -> EditTable:
        """The edits of all these texts."""
        counts = np.diff(self._applied.first_edits)[self._numbers]
        applied = self._applied
        if counts.sum() < applied.starts.size:
            applied = applied.of_texts(self._numbers)
        owners = np.arange(counts.size).repeat(counts)
        places = self._tiles.starts[self._rows][owners]
        return EditTable(
            owners, applied.starts - places, applied.stops - places, applied.replacements, applied.every_note
        )


def some_of(scripts: Sequence[Script], numbers: Ints) -> Sequence[Script]:
    """Some of the scripts, ascending."""
    return scripts.take(numbers) if isinstance(scripts, EditedTexts) else [scripts[at] for at in numbers.tolist()]


def table_of(scripts: Sequence[Script]) -> EditTable:
    """The edits of these scripts in columns."""
    if isinstance(scripts, EditedTexts):
        return scripts.table
    edits = [(owner, edit) for owner, script in enumerate(scripts) for edit in script.edits]
    columns = [(owner, edit.start, edit.stop) for owner, edit in edits]
    owners, starts, stops = np.array(columns, dtype=np.int64).reshape(-1, 3).T
    notes = [edit.note for _, edit in edits]
    return EditTable(
        owners, starts, stops, Replacements.of([edit.text for _, edit in edits]), notes if any(notes) else ()
    )
