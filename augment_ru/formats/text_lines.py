"""Plain text files: each line is a row with the field `text`, including empty lines."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.encodings import decoded
from augment_ru.formats.lines import Line, read_lines
from augment_ru.formats.row import Changed
from augment_ru.formats.sink import Sink
from augment_ru.records.field_paths import path_of
from augment_ru.records.record import Record

FIELD = "text"
"""The name of the field that holds a line."""


class Ends(NamedTuple):
    """The characters around a text: `before` is a byte-order mark or "", `after` is the line end or ""."""

    before: str = ""
    after: str = "\n"


class TextLines:
    """A file of plain text, or a part of it, as a source of rows; `first` is the number of its first line."""

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, *, first: int = 1) -> None:
        self.stream, self._first = stream, first

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines, including empty ones."""
        return read_lines(self.stream, blank=True, first=self._first)

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Ends]:
        """Return None, the row of a line, and the characters around its text.

        Raises:
            AugmentError: the line is not UTF-8.
        """
        return None, {FIELD: decoded(line.data)}, Ends("\ufeff" if line.place else "", line.end.decode())


class TextSink(Sink):
    """Writes the perturbed text of each row on a line; other fields and metadata are not written."""

    def __init__(self, stream: BinaryIO, *, mark: bool) -> None:
        super().__init__(stream)
        self._mark = mark

    def check(self, record: Record) -> None:
        """Check that a row can be written as a line.

        Raises:
            AugmentError: the row does not have exactly one text, or its text has a line feed.
        """
        _text(record, Changed({}))

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write the texts of rows.

        Raises:
            AugmentError: a row does not have exactly one text, or a text has a line feed.
        """
        texts: list[str] = []
        for at, (record, changed) in enumerate(rows):
            ends = record.origin if isinstance(record.origin, Ends) else Ends()
            first = not (at and rows[at - 1][0] is record)
            last = at + 1 == len(rows)
            end = ends.after or ("" if last else "\n")  # only the last line of a file may lack an end
            texts += (ends.before if first and self._mark else "", _text(record, changed), end)
        self._stream.write("".join(texts).encode())


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
