"""Plain text, a text on each line: a row with the field `text` for each line, also for an empty one."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.encodings import decoded
from augment_ru.formats.fitting import NOTHING, Learnt
from augment_ru.formats.lines import BOM, Line, read_lines
from augment_ru.formats.row import Changed
from augment_ru.records.field_paths import path_of
from augment_ru.records.record import Record

FIELD = "text"
"""The field that holds a line."""


class Ends(NamedTuple):
    """The bytes before a text, a byte-order mark or none, and those after it, the end of its line or none."""

    before: bytes
    after: bytes


class TextLines:
    """A file of texts, or a piece of one that begins at the line `first`, as a source of rows."""

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, *, first: int = 1) -> None:
        self.stream, self._first = stream, first

    def __iter__(self) -> Iterator[Line]:
        """The lines."""
        return read_lines(self.stream, blank=True, first=self._first)

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Ends]:
        """The row of a line, and the bytes around the text.

        Raises:
            AugmentError: it is not UTF-8.
        """
        return None, {FIELD: decoded(line.data)}, Ends(BOM if line.place else b"", line.end)


class TextSink:
    """Writes the perturbed text of each row on a line; other fields and metadata have no place there."""

    takes_lines = False

    def __init__(self, stream: BinaryIO, *, mark: bool) -> None:
        self._stream, self._mark = stream, mark

    def check(self, record: Record) -> None:
        """Raise an error if a row cannot be a line.

        Raises:
            AugmentError: it has several texts, or its text has a line feed.
        """
        _text(record, Changed({}))

    def join(self, part: bytes, array: int = 0) -> None:
        """Write the lines of a part."""
        del array
        self._stream.write(part)

    learns_types: ClassVar[bool] = False

    def learnt(self) -> Learnt:
        """Nothing."""
        return NOTHING

    def learn(self, learnt: Learnt) -> None:
        """Nothing is learnt."""

    def close(self) -> None:
        """Nothing is held."""

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write the texts of some rows.

        Raises:
            AugmentError: a row has several texts, or a text has a line feed.
        """
        pieces: list[bytes] = []
        for at, (record, changed) in enumerate(rows):
            ends = record.origin if isinstance(record.origin, Ends) else _PLAIN
            first = not (at and rows[at - 1][0] is record)
            last = at + 1 == len(rows)
            end = ends.after or (b"" if last else b"\n")  # only the last line of a file may lack an end
            pieces += (ends.before if first and self._mark else b"", _text(record, changed).encode(), end)
        self._stream.write(b"".join(pieces))

    def finish(self) -> None:
        """Nothing comes after the last line."""


_PLAIN = Ends(b"", b"\n")


def _text(record: Record, changed: Changed) -> str:
    texts = record.texts()
    if len(texts) != 1:
        raise AugmentError(
            f"a .txt file holds one text for each row, but the rows have {', '.join(texts)}; choose one with `fields`, "
            f"or write JSON lines (-o OUT.jsonl)"
        )
    ((name, text),) = texts.items()
    new: str = changed.values.get(path_of(record.values, name), text)
    if "\n" in new:
        raise AugmentError("a line of a .txt file is one text, but a text has a line feed; write JSON lines")
    return new
