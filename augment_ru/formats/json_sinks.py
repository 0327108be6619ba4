"""Write rows as JSON: one row on each line, or in arrays."""

from collections.abc import Sequence
from typing import BinaryIO

from augment_ru.formats.json_array import JsonArray
from augment_ru.formats.json_lines import PLAIN, Around
from augment_ru.formats.row import Changed, LinesAtOnce, written
from augment_ru.formats.sink import Sink
from augment_ru.formats.value_types import TO_PARQUET, check_values, json_problem
from augment_ru.records.record import Record


class _JsonSink(Sink):
    """The common base of the two JSON sinks."""

    def check(self, record: Record) -> None:
        """Check that JSON can hold the row. Rows that were read from JSON always pass.

        Raises:
            AugmentError: JSON cannot hold a value of the row.
        """
        if record.line is None:
            check_values(record.values, json_problem, TO_PARQUET)


class LinesSink(_JsonSink):
    """Writes JSON lines; with `mark`, a byte-order mark of the source is written as well."""

    def __init__(self, stream: BinaryIO, *, mark: bool) -> None:
        super().__init__(stream)
        self._mark = mark

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows.

        Raises:
            AugmentError: JSON cannot hold a row, or a row already has a field with the name of the metadata.
        """
        lines = rows.lines() if isinstance(rows, LinesAtOnce) else None
        if lines is not None:
            self._stream.write(b"".join(lines))
            return
        pieces: list[str] = []
        before: Record | None = None
        for record, changed in rows:
            around = record.origin if isinstance(record.origin, Around) else PLAIN
            first = around.before if self._mark and record is not before else ""
            pieces += (first, written(record, changed), around.after or "\n")
            before = record
        if before is not None and isinstance(before.origin, Around) and not before.origin.after:
            pieces.pop()  # only the last row of a file may lack an end
        self._stream.write("".join(pieces).encode())


class JsonArraySink(_JsonSink):
    """Writes arrays with one row on each line, and around the arrays the texts of the source.

    Args:
        stream: the file.
        source: the arrays that the rows were read from; None writes a single array.
        mark: whether a byte-order mark of the source is written as well.
        is_part: whether only the rows of a part are written, without brackets; another sink takes them with `join`.
    """

    def __init__(self, stream: BinaryIO, source: JsonArray | None, *, mark: bool, is_part: bool) -> None:
        super().__init__(stream)
        self._source, self._is_part = source, is_part
        first, *rest = source.around if source else ("", "\n")
        self._around = [f"\ufeff{first}" if mark and source and source.bom else first, *rest]
        self._array = -1
        """The number of the array that is open; -1 before the first."""
        self._empty = True
        """Whether the open array has no row yet."""

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows.

        Raises:
            AugmentError: JSON cannot hold a row, or a row already has a field with the name of the metadata.
        """
        pieces: list[str] = []
        for record, changed in rows:
            pieces.append(self._up_to(record.origin if self._source else 0))
            pieces += (self._between(), written(record, changed))
            self._empty = False
        self._stream.write("".join(pieces).encode())

    def join(self, part: bytes, array: int = 0) -> None:
        """Write the rows of a part that were read from the array with this number."""
        if part:
            before = self._up_to(array if self._source else 0) + self._between()
            self._stream.write(before.encode())
            self._stream.write(part)
            self._empty = False

    def _between(self) -> str:
        """Return the text before the next row; it is empty before the first row of a part."""
        if self._empty:
            return "" if self._is_part else "\n"
        return ",\n"

    def _up_to(self, array: int) -> str:
        """Return the text between the last row written and the rows of this array; empty if that array is open."""
        pieces: list[str] = []
        while self._array < array and not self._is_part:
            pieces += (self._end(), self._around[self._array + 1], "[")
            self._array += 1
            self._empty = True
        return "".join(pieces)

    def _end(self) -> str:
        """Return the text that closes the open array; empty if no array is open."""
        return "" if self._array < 0 else "]" if self._empty else "\n]"

    def finish(self) -> None:
        """Close the last array, and write the text that follows it in the source."""
        if self._is_part:
            return
        rest = self._up_to(len(self._around) - 2)
        self._stream.write(f"{rest}{self._end()}{self._around[-1]}".encode())
