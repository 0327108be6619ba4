"""Write rows in the output's format: lines of JSON or of text, arrays of JSON, tables, Parquet."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from io import SEEK_END, BytesIO
from itertools import groupby
from tempfile import TemporaryFile
from typing import Any, BinaryIO, ClassVar, NamedTuple

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.formats import value_types
from augment_ru.formats.delimited import Table, TableLayout, cell_text, check_names, without_formulas
from augment_ru.formats.json_array import JsonArray
from augment_ru.formats.json_lines import Around, JsonLines, encoded_row
from augment_ru.formats.parquet import Parquet, arrow_errors, arrow_module, as_stream, with_columns
from augment_ru.formats.row import Changed, new_row, written
from augment_ru.formats.sources import RowSource
from augment_ru.records.field_paths import path_of
from augment_ru.records.record import Record


class SinkForm(NamedTuple):
    """The form in which a sink writes rows.

    Attributes:
        key: the name of the field that every row gets for its metadata; None if rows get none.
        mark: whether a byte-order mark is written if the input has one.
        part: if only a part of the file is written, the names and types of columns in the rows before this part;
            `Sink.join` later adds the part to the file. None to write the whole file.
        csv_safe: whether an apostrophe is put before a table cell that looks like a formula because of the edits.
    """

    key: str | None = None
    mark: bool = True
    part: value_types.Learnt | None = None
    csv_safe: bool = False


class Sink(ABC):
    """Writes rows to a stream in one format, and leaves the stream open.

    Attributes:
        learns_types: whether a row may be refused because earlier rows have values of other types, as in Parquet, where
            a column has one type.
    """

    learns_types = False

    def __init__(self, stream: BinaryIO, form: SinkForm) -> None:
        self._stream, self._form = stream, form
        self._is_part = form.part is not None

    def check(self, record: Record) -> None:
        """Check that the format can hold a row; called once for each row, before it is perturbed.

        This method of the base class checks that the row can be written as JSON. Formats with other limits override it.

        Raises:
            AugmentError: the format cannot hold a field of the row.
        """
        if record.line is None:
            value_types.check_values(record.values, value_types.json_problem, value_types.TO_PARQUET)

    @abstractmethod
    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows, each given as the original record and what changed in it.

        Raises:
            AugmentError: the format cannot hold a row.
        """

    def join(self, part: bytes, array: int = 0) -> None:  # noqa: ARG002  (only arrays of JSON have numbers)
        """Write rows that another sink (writer of rows) wrote in this format, for a part of the input.

        Args:
            part: the bytes that the other sink wrote, with `SinkForm.part`.
            array: for JSON files, the index of the array from which the rows were read, from 0.
        """
        self._stream.write(part)

    def learnt(self) -> value_types.Learnt:
        """Return the names or types of the columns in the rows so far; empty for a format without columns."""
        return value_types.NOTHING

    def learn(self, learnt: value_types.Learnt) -> None:  # noqa: B027  (most formats learn nothing)
        """Add the names or types of columns that another sink found in other rows, so that this one writes the same.

        Args:
            learnt: what the other sink returned from `learnt`.

        Raises:
            AugmentError: a type differs from the type in an earlier row.
        """

    def finish(self) -> None:  # noqa: B027  (after most rows comes nothing)
        """Write what the format needs after the last row, such as a closing bracket; called once."""

    def close(self) -> None:  # noqa: B027  (most sinks hold nothing)
        """Release files and other resources, also after an error."""


_GROUP_ROWS, _GROUP_BYTES = 2**16, 2**25
"""A row group ends with the row that reaches this many rows, or this many bytes of values."""
_VALUE = 8
"""The bytes that are counted for a value that is not a text."""


class ParquetSink(Sink):
    """Writes a Parquet file. It has the columns of the input if that is Parquet, else columns made from the rows.

    The types of columns made from rows are known only after the last row. Until then the rows wait in a temporary file.

    Args:
        stream: the file to write.
        source: the Parquet file that the rows were read from; None if they were read from another format.
        form: how the rows are written; the metadata are a column of texts.
    """

    def __init__(self, stream: BinaryIO, source: Parquet | None, form: SinkForm) -> None:
        super().__init__(stream, form)
        self.arrow = arrow_module()
        self._source, self.learns_types = source, source is None
        self._columns = value_types.Columns(form.part.types if form.part else ())
        self._tables = _Tables(self.arrow) if source is None or self._is_part else None
        compression = source.compression if source and not self._is_part else "snappy"
        self._groups = _Groups(self.arrow, stream, compression)

    def check(self, record: Record) -> None:
        """Check that Parquet can hold the row, in columns of the types seen so far.

        Raises:
            AugmentError: Parquet cannot hold a value of the row, or the value has another type than its column.
        """
        if self._source is None:
            value_types.check_values(record.values, value_types.parquet_problem, value_types.TO_LINES)
            self._columns.check(record.values)

    def learnt(self) -> value_types.Learnt:
        """Return the types of the columns in the rows so far, which the next part of the file must keep."""
        return value_types.Learnt(types=tuple(self._columns.seen.items()))

    def learn(self, learnt: value_types.Learnt) -> None:
        """Add the types of columns that another sink found in other rows, so that both write the same types.

        Args:
            learnt: what the other sink returned from `learnt`.

        Raises:
            AugmentError: a type differs from the type in an earlier row.
        """
        self._columns.add(learnt.types)

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows, each given as the original record and what changed in it.

        Raises:
            AugmentError: a value does not fit its column.
        """
        with arrow_errors(self.arrow):
            if self._source is None:
                self._add(self._made(rows))
                return
            for _, same in groupby(rows, key=lambda row: row[0].origin.number):
                self._add(self._changed(list(same)))

    def join(self, part: bytes, array: int = 0) -> None:
        """Add the rows that another sink (writer of rows) wrote for a part of the input.

        Args:
            part: the bytes that the other sink wrote.
            array: not used.

        Raises:
            AugmentError: a value does not fit its column.
        """
        del array
        with arrow_errors(self.arrow):
            for table in _tables_in(self.arrow, BytesIO(part)):
                self._add(table)

    def _add(self, table: Any) -> None:  # noqa: ANN401
        (self._groups if self._tables is None else self._tables).add(table)

    def _rows(self, given: Sequence[tuple[Record, Changed]]) -> list[dict[str, Any]]:
        """Return the changed rows, with their metadata as a text of JSON."""
        rows = [new_row(record.values, changed) for record, changed in given]
        if (key := self._form.key) is not None:
            for row in rows:
                row[key] = encoded_row(row[key])
        return rows

    def _made(self, given: Sequence[tuple[Record, Changed]]) -> Any:  # noqa: ANN401
        """Make a table from rows; its columns are the fields of these rows."""
        rows = self._rows(given)
        names = dict.fromkeys(name for row in rows for name in row)  # pyarrow takes those of the first row only
        return self.arrow.Table.from_pylist([{**dict.fromkeys(names), **row} for row in rows])

    def _changed(self, given: Sequence[tuple[Record, Changed]]) -> Any:  # noqa: ANN401
        """Make a table from rows of one batch; it takes the columns of the batch whose values do not change."""
        table = self.arrow.Table.from_batches([given[0][0].origin.batch])
        table = table.take([record.origin.row for record, _ in given])
        rows = self._rows(given)
        names = dict.fromkeys(str(path[0]) for _, changed in given for path in changed.values)
        names |= {} if self._form.key is None else {self._form.key: None}
        return with_columns(self.arrow, table, {name: [row[name] for row in rows] for name in names})

    def finish(self) -> None:
        """Write the rows that still wait in the temporary file, and the end of the Parquet file.

        Raises:
            AugmentError: Parquet cannot hold a column.
        """
        with arrow_errors(self.arrow):
            if self._is_part and self._tables is not None:
                self._stream.write(self._tables.data())
                return
            if self._tables is not None:
                for table in self._tables:
                    self._groups.add(table)
            self._groups.finish(self._source.schema if self._source else self.arrow.schema([]))

    def close(self) -> None:
        """Close the temporary file and pyarrow's writer."""
        if self._tables is not None:
            self._tables.close()
        self._groups.close()


class _Tables:
    """Tables in a temporary file; they may have different columns."""

    def __init__(self, arrow: Any) -> None:  # noqa: ANN401
        self._arrow = arrow
        self._file = TemporaryFile()  # noqa: SIM115  (closed with the sink)
        self._schema = arrow.schema([])

    def add(self, table: Any) -> None:  # noqa: ANN401
        """Add a table."""
        self._schema = self._arrow.unify_schemas([self._schema, table.schema], promote_options="permissive")
        self._file.write(as_stream(self._arrow, table.schema, [table]))

    def data(self) -> bytes:
        """Return the tables as bytes that `_tables_in` reads."""
        self._file.seek(0)
        return self._file.read()

    def __iter__(self) -> Iterator[Any]:
        """Yield the tables in order, each with the columns of all tables."""
        none = self._schema.empty_table()
        for table in _tables_in(self._arrow, self._file):
            yield self._arrow.concat_tables([none, table], promote_options="permissive")

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()


def _tables_in(arrow: Any, file: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the tables in a file of Arrow streams that follow one another."""
    size = file.seek(0, SEEK_END)
    file.seek(0)
    while file.tell() < size:
        with arrow.ipc.open_stream(file) as stream:
            yield stream.read_all()


class _Groups:
    """A Parquet file that is written in row groups; its columns are those of the first table.

    Where a group ends depends only on the rows, not on how they are divided into tables.
    """

    def __init__(self, arrow: Any, stream: BinaryIO, compression: str) -> None:  # noqa: ANN401
        self._arrow, self._stream, self._compression = arrow, stream, compression
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._rows = self._bytes = 0

    def add(self, table: Any) -> None:  # noqa: ANN401
        """Add rows, and write the row groups that are full."""
        sizes = _sizes(self._arrow, table)
        start = 0
        while start < table.num_rows:
            filled = np.cumsum(sizes[start : start + _GROUP_ROWS - self._rows]) + self._bytes
            count = min(int(np.searchsorted(filled, _GROUP_BYTES)) + 1, filled.size)
            self._waiting.append(table.slice(start, count))
            self._rows, self._bytes = self._rows + count, int(filled[count - 1])
            start += count
            if self._rows == _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
                self._write()

    def _write(self) -> None:
        """Write the waiting rows as one row group."""
        table = self._arrow.concat_tables(self._waiting).combine_chunks()
        self._waiting, self._rows, self._bytes = [], 0, 0
        if self._writer is None:
            options = {"compression": self._compression}
            self._writer = self._arrow.parquet.ParquetWriter(self._stream, table.schema, **options)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def finish(self, schema: Any) -> None:  # noqa: ANN401
        """Write the waiting rows, and end the file. A file without rows has the columns of `schema`."""
        if self._waiting or self._writer is None:
            self._waiting = self._waiting or [schema.empty_table()]
            self._write()
        self.close()

    def close(self) -> None:
        """End the file, if anything was written."""
        if self._writer is not None:
            self._writer.close()


def _sizes(arrow: Any, table: Any) -> Ints:  # noqa: ANN401
    """Return the bytes of the values of each row, shape (rows,): the length of a text, `_VALUE` for another value."""
    columns = [_value_sizes(arrow, column.combine_chunks()) for column in table.columns]
    total: Ints = np.sum(columns, axis=0, dtype=np.int64) if columns else np.zeros(table.num_rows, np.int64)
    return total


def _value_sizes(arrow: Any, values: Any) -> Ints:  # noqa: ANN401
    kind, count = arrow.types, len(values)
    if isinstance(values, arrow.ChunkedArray):  # of no chunk, or of several that are too large for one
        return np.concatenate([np.zeros(0, np.int64), *(_value_sizes(arrow, chunk) for chunk in values.chunks)])
    if kind.is_string(values.type) or kind.is_large_string(values.type) or kind.is_binary(values.type):
        lengths = arrow.compute.binary_length(values).fill_null(0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)
    if kind.is_struct(values.type):
        fields = [_value_sizes(arrow, one) for one in values.flatten()]
        return np.sum(fields, axis=0, dtype=np.int64) if fields else np.zeros(count, np.int64)
    if kind.is_list(values.type) or kind.is_large_list(values.type):
        lengths = arrow.compute.list_value_length(values).fill_null(0).to_numpy(zero_copy_only=False)
        inner = np.concatenate([[0], np.cumsum(_value_sizes(arrow, values.flatten()))])
        stops = np.cumsum(lengths)
        return np.asarray(inner[stops] - inner[stops - lengths], np.int64) + _VALUE
    return np.full(count, _VALUE, np.int64)


def sink_of(kind: str, stream: BinaryIO, source: RowSource, form: SinkForm) -> Sink:
    """Return a sink (writer of rows). If input and output have the same format, the output is laid out like the input.

    Args:
        kind: the format, as `kind_of` names it, such as "JSON lines".
        stream: the file; it is left open.
        source: the input from which the rows were read.
        form: how the rows are written.
    """
    if kind == "JSON" and not (isinstance(source, JsonLines) and source.called_json):
        return JsonArraySink(stream, source if isinstance(source, JsonArray) else None, form)
    if kind in {"CSV", "TSV"}:
        return _TableSink(stream, source if isinstance(source, Table) else None, form, is_tsv=kind == "TSV")
    if kind == "Parquet":
        return ParquetSink(stream, source if isinstance(source, Parquet) else None, form)
    return TextSink(stream, form) if kind == "text" else LinesSink(stream, form)


class _Lines(Sink):
    """Writes each row on a line."""

    of_texts: ClassVar[bool] = False  # a record that was read from a line of text has no JSON

    @abstractmethod
    def line(self, record: Record, changed: Changed) -> str:
        """Return the line of a row, without its end."""

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        pieces: list[str] = []
        before: Record | None = None
        end = "\n"
        for record, changed in rows:
            is_same = type(record.origin) is Around and (record.line is None) == self.of_texts
            mark, end = record.origin if is_same else ("", "\n")
            lead = mark if self._form.mark and record is not before else ""
            pieces += (lead, self.line(record, changed), end or "\n")
            before = record
        if not end:
            pieces.pop()  # only the last row of a file may lack an end
        self._stream.write("".join(pieces).encode())


class LinesSink(_Lines):
    """Writes JSON lines."""

    def line(self, record: Record, changed: Changed) -> str:
        """Return the new row as a line of JSON.

        Args:
            record: the original record.
            changed: the new values and the metadata.

        Raises:
            AugmentError: JSON cannot hold the row, or it already has a field with the name of the metadata.
        """
        return written(record, changed)


class TextSink(_Lines):
    """Writes the perturbed text of each row on a line; other fields and metadata are not written."""

    of_texts = True

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
        form: how the rows are written. If only a part of the file is written, it has no brackets around its rows.
    """

    def __init__(self, stream: BinaryIO, source: JsonArray | None, form: SinkForm) -> None:
        super().__init__(stream, form)
        self._source = source
        first, *rest = source.around if source else ("", "\n")
        self._around = [f"\ufeff{first}" if form.mark and source and source.bom else first, *rest]
        self._array, self._empty = -1, True  # the number of the open array, and whether it has no row yet

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows, each given as the original record and what changed in it.

        Raises:
            AugmentError: JSON cannot hold a row, or a row already has a field with the name of the metadata.
        """
        for array, own in groupby(rows, key=lambda row: row[0].origin if self._source else 0):
            self.join(",\n".join(written(*row) for row in own).encode(), array)

    def join(self, part: bytes, array: int = 0) -> None:
        """Add the rows that another sink (writer of rows) wrote for a part of the input.

        Args:
            part: the bytes that the other sink wrote.
            array: the index of the array from which the rows were read, from 0.
        """
        if part:
            before = self._up_to(array if self._source else 0)
            between = ",\n" if not self._empty else "" if self._is_part else "\n"
            self._stream.write(f"{before}{between}".encode() + part)
            self._empty = False

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
        """Write the closing bracket, and what the input has after the last row: empty arrays, and the text around them.

        For a part of a file, nothing is written.
        """
        if self._is_part:
            return
        rest = self._up_to(len(self._around) - 2)
        self._stream.write(f"{rest}{self._end()}{self._around[-1]}".encode())


class _TableSink(Sink):
    """Writes a table. Its columns are those of `source`; else the fields of the first row. The metadata come last."""

    def __init__(self, stream: BinaryIO, source: Table | None, form: SinkForm, *, is_tsv: bool) -> None:
        super().__init__(stream, form)
        self._same = source is not None and source.called_tsv == is_tsv
        self._layout = source.layout if source and self._same else TableLayout("\t" if is_tsv else ",")
        self._key = (form.key,) if form.key else ()
        learnt = form.part or value_types.NOTHING
        self._names = (*source.names, *self._key) if source and source.names else learnt.names
        self._started = self._is_part  # whether the header line was written, or will be written by another sink

    def check(self, record: Record) -> None:
        if not self._same:
            advice = value_types.TO_PARQUET if record.line is None else value_types.TO_LINES
            value_types.check_values(record.values, value_types.table_problem, advice)
            if self._layout.is_tsv:
                value_types.check_values(record.values, value_types.line_feed, "write CSV (-o OUT.csv)")
            names = self._names_of(record)
            check_names(record.values, names[: len(names) - len(self._key)])

    def _names_of(self, record: Record) -> tuple[str, ...]:
        """Return the names of the columns; they are taken from this record if no names are known yet."""
        self._names = self._names or (*record.values, *self._key)
        return self._names

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        lines = []
        for record, changed in rows:
            row = new_row(record.values, changed)
            row = without_formulas(row, record.values) if self._form.csv_safe else row
            check_names(row, names := self._names_of(record))
            lines.append(self._layout.row([cell_text(row[name]) for name in names]))
        with saying_instead(
            f"a text with a lone surrogate has no form in a table; {value_types.TO_LINES}", UnicodeEncodeError
        ):
            self._stream.write(f"{self._start()}{''.join(lines)}".encode())

    def _start(self) -> str:
        """Return the header line on the first call; an empty string on later calls or if there are no column names."""
        if self._started or not self._names:
            return ""
        self._started = True
        return "\ufeff" * (self._form.mark and self._layout.bom) + self._layout.row(self._names)

    def join(self, part: bytes, array: int = 0) -> None:
        if part:
            self._stream.write(self._start().encode())
            super().join(part, array)

    def learnt(self) -> value_types.Learnt:
        return value_types.Learnt(names=self._names)

    def finish(self) -> None:
        self._stream.write(self._start().encode())
