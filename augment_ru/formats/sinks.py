"""Write rows in the output's format: lines of JSON or of text, arrays of JSON, tables; Parquet has its own file."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import BinaryIO, ClassVar

from augment_ru.errors import AugmentError, saying_instead
from augment_ru.formats.delimited import Table
from augment_ru.formats.json_array import JsonArray
from augment_ru.formats.json_lines import Around, JsonLines
from augment_ru.formats.parquet import Parquet
from augment_ru.formats.parquet_sink import ParquetSink
from augment_ru.formats.row import Changed, LinesAtOnce, new_row, written
from augment_ru.formats.sink import Sink
from augment_ru.formats.sources import RowSource
from augment_ru.formats.table_layout import TableLayout, cell_text, check_names, without_formulas
from augment_ru.formats.text_lines import Ends
from augment_ru.formats.value_types import (
    NOTHING,
    TO_LINES,
    TO_PARQUET,
    Learnt,
    check_values,
    json_problem,
    line_feed,
    table_problem,
)
from augment_ru.records.field_paths import path_of
from augment_ru.records.record import Record


def sink_of(
    kind: str,
    stream: BinaryIO,
    source: RowSource,
    *,
    key: str | None,
    mark: bool = True,
    part: Learnt | None = None,
    csv_safe: bool = False,
) -> Sink:
    """Return a sink, which writes rows to a file. If the input has the same format, the file is laid out alike.

    Args:
        kind: the format, as `kind_of` names it, such as "JSON lines".
        stream: the file; it is left open.
        source: the input from which the rows were read.
        key: the name of the field that every row gets for its metadata; None if rows get none.
        mark: whether a byte-order mark of the input is written as well.
        part: if only a part of the file is written, the names and types of columns in the rows before this part;
            `Sink.join` later adds the part to the file. None to write the whole file.
        csv_safe: whether an apostrophe is put before a table cell that looks like a formula because of the edits.
    """
    if kind == "JSON" and not (isinstance(source, JsonLines) and source.called_json):
        array = source if isinstance(source, JsonArray) else None
        return JsonArraySink(stream, array, mark=mark, is_part=part is not None)
    if kind in {"CSV", "TSV"}:
        names = source.names if isinstance(source, Table) else ()
        same = isinstance(source, Table) and source.called_tsv == (kind == "TSV")
        layout = source.layout if isinstance(source, Table) and same else TableLayout("\t" if kind == "TSV" else ",")
        names = (*names, key) if names and key else names
        names = names or (part or NOTHING).names
        sink = _TableSink(stream, layout, names, key=key, mark=mark, same=same, safe=csv_safe)
        sink.started = part is not None
        return sink
    if kind == "Parquet":
        return ParquetSink(stream, source if isinstance(source, Parquet) else None, key, part=part)
    return TextSink(stream, mark=mark) if kind == "text" else LinesSink(stream, mark=mark)


def _check_json(record: Record) -> None:
    """Check that JSON can hold a row. Rows that were read from JSON always pass."""
    if record.line is None:
        check_values(record.values, json_problem, TO_PARQUET)


class _Lines(Sink):
    """Writes each row on a line; with `mark`, a byte-order mark of the source is written as well."""

    around: ClassVar[type[Around]] = Around
    """The class of the `origin` of a record that was read from a file of the same format."""

    def __init__(self, stream: BinaryIO, *, mark: bool) -> None:
        super().__init__(stream)
        self._mark = mark

    @abstractmethod
    def line(self, record: Record, changed: Changed) -> str:
        """Return the line of a row, without its end."""

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        pieces: list[str] = []
        before: Record | None = None
        end = "\n"
        for record, changed in rows:
            mark, end = record.origin if type(record.origin) is self.around else ("", "\n")
            pieces += (mark if self._mark and record is not before else "", self.line(record, changed), end or "\n")
            before = record
        if not end:
            pieces.pop()  # only the last row of a file may lack an end
        self._stream.write("".join(pieces).encode())


class LinesSink(_Lines):
    """Writes JSON lines."""

    def check(self, record: Record) -> None:
        """Check that JSON can hold a row.

        Raises:
            AugmentError: JSON cannot hold a value of the row.
        """
        _check_json(record)

    def line(self, record: Record, changed: Changed) -> str:
        """Return the new row as a line of JSON.

        Args:
            record: the original record.
            changed: the new values and the metadata.

        Raises:
            AugmentError: JSON cannot hold the row, or it already has a field with the name of the metadata.
        """
        return written(record, changed)

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows, each given as the original record and what changed in it.

        Raises:
            AugmentError: JSON cannot hold a row, or a row already has a field with the name of the metadata.
        """
        lines = rows.lines() if isinstance(rows, LinesAtOnce) else None
        if lines is None:
            super().write(rows)
        else:
            self._stream.write(b"".join(lines))


class TextSink(_Lines):
    """Writes the perturbed text of each row on a line; other fields and metadata are not written."""

    around = Ends

    def check(self, record: Record) -> None:
        """Check that a row can be written as a line.

        Raises:
            AugmentError: the row does not have exactly one text, or its text has a line feed.
        """
        self.line(record, Changed({}))

    def line(self, record: Record, changed: Changed) -> str:
        """Return the new text of a row.

        Args:
            record: the original record.
            changed: the new values.

        Raises:
            AugmentError: the row does not have exactly one text, or its text has a line feed.
        """
        texts = record.texts()
        if len(texts) != 1:
            problem = f"a .txt file holds one text for each row, but the rows have {', '.join(texts)}"
            raise AugmentError(f"{problem}; choose one with `fields`, or write JSON lines (-o OUT.jsonl)")
        ((name, text),) = texts.items()
        new: str = changed.values.get(path_of(record.values, name), text)
        if "\n" in new:
            raise AugmentError("a line of a .txt file is one text, but a text has a line feed; write JSON lines")
        return new


class JsonArraySink(Sink):
    """Writes a JSON file with arrays of rows, one row on each line; what stands around the arrays in the input is kept.

    Args:
        stream: the file to write.
        source: the JSON file from which the rows were read; None to write a single array.
        mark: whether a byte-order mark of the input is written as well.
        is_part: whether this is a part of the file: its rows are written without brackets, and `join` later adds them
            to the file.
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

    def check(self, record: Record) -> None:
        """Check that JSON can hold a row.

        Raises:
            AugmentError: JSON cannot hold a value of the row.
        """
        _check_json(record)

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows, each given as the original record and what changed in it.

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
        """Add the rows that another sink (writer of rows) wrote for a part of the input.

        Args:
            part: the bytes that the other sink wrote.
            array: the index of the array from which the rows were read, from 0.
        """
        if part:
            before = self._up_to(array if self._source else 0) + self._between()
            self._stream.write(before.encode())
            self._stream.write(part)
            self._empty = False

    def _between(self) -> str:
        """Return the text before the next row; it is empty before the first row of a part."""
        if not self._empty:
            return ",\n"
        return "" if self._is_part else "\n"

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
        """Write the bracket that closes the last array, and the text that follows it in the input."""
        if self._is_part:
            return
        rest = self._up_to(len(self._around) - 2)
        self._stream.write(f"{rest}{self._end()}{self._around[-1]}".encode())


class _TableSink(Sink):
    """Writes a table. If no names are given, its columns are the fields of the first row and `key` for metadata."""

    def __init__(
        self,
        stream: BinaryIO,
        layout: TableLayout,
        names: Sequence[str],
        *,
        key: str | None,
        mark: bool,
        same: bool,
        safe: bool,
    ) -> None:
        super().__init__(stream)
        self._layout, self._names = layout, tuple(names)
        self._key = (key,) if key else ()
        self._mark = "\ufeff" if mark and layout.bom else ""
        self._same, self._safe = same, safe
        self.started = False
        """Whether the header line was written, or will be written by another sink."""

    def check(self, record: Record) -> None:
        if not self._same:
            check_values(record.values, table_problem, TO_PARQUET if record.line is None else TO_LINES)
            if self._layout.is_tsv:
                check_values(record.values, line_feed, "write CSV (-o OUT.csv)")
            names = self._names_of(record)
            check_names(record.values, names[: len(names) - len(self._key)])

    def _names_of(self, record: Record) -> tuple[str, ...]:
        """Return the names of the columns; they are taken from this record if no names are known yet."""
        self._names = self._names or (*record.values, *self._key)
        return self._names

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        made = [new_row(record.values, changed) for record, changed in rows]
        if self._safe:
            made = [without_formulas(row, record.values) for row, (record, _) in zip(made, rows, strict=True)]
        lines = []
        for row, (record, _) in zip(made, rows, strict=True):
            check_names(row, names := self._names_of(record))
            lines.append(self._layout.row([cell_text(row[name]) for name in names]))
        with saying_instead(f"a text with a lone surrogate has no form in a table; {TO_LINES}", UnicodeEncodeError):
            self._stream.write(f"{self._start()}{''.join(lines)}".encode())

    def _start(self) -> str:
        """Return the header line on the first call; an empty string on later calls or if there are no column names."""
        if self.started or not self._names:
            return ""
        self.started = True
        return self._mark + self._layout.row(self._names)

    def join(self, part: bytes, array: int = 0) -> None:
        if part:
            self._stream.write(self._start().encode())
            super().join(part, array)

    def learnt(self) -> Learnt:
        return Learnt(names=self._names)

    def finish(self) -> None:
        self._stream.write(self._start().encode())
