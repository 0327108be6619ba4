"""Write Parquet files in row groups; columns that do not change are copied from the input."""

import json
from collections.abc import Iterator, Sequence
from io import SEEK_END, BytesIO
from itertools import groupby
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np

from augment_ru.draws import Ints
from augment_ru.formats.json_lines import encoded_row
from augment_ru.formats.parquet import Parquet, arrow_errors, arrow_module, as_stream
from augment_ru.formats.row import Changed, new_row, refuse_twice
from augment_ru.formats.sink import Sink
from augment_ru.formats.value_types import TO_LINES, Columns, Learnt, check_values, parquet_problem
from augment_ru.records import field_paths
from augment_ru.records.record import Record

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
        key: the name of the column for metadata; None if rows get none.
        part: if only a part of the file is written, the types of the columns in the rows before this part; None for a
            whole file.
    """

    def __init__(
        self, stream: BinaryIO, source: Parquet | None, key: str | None, *, part: Learnt | None = None
    ) -> None:
        self.arrow = arrow_module()
        self._source, self._key = source, key
        super().__init__(stream)
        self._is_part, self.learns_types = part is not None, source is None
        self._columns = Columns(part.types if part else ())
        self._tables = _Tables(self.arrow) if source is None or self._is_part else None
        compression = source.compression if source and not self._is_part else "snappy"
        self._groups = _Groups(self.arrow, stream, compression)

    def check(self, record: Record) -> None:
        """Check that Parquet can hold the row, in columns of the types seen so far.

        Raises:
            AugmentError: Parquet cannot hold a value of the row, or the value has another type than its column.
        """
        if self._source is None:
            check_values(record.values, parquet_problem, TO_LINES)
            self._columns.check(record.values)

    def learnt(self) -> Learnt:
        """Return the types of the columns in the rows so far, which the next part of the file must keep."""
        return Learnt(types=tuple(self._columns.seen.items()))

    def learn(self, learnt: Learnt) -> None:
        """Add the types of columns that another sink found in other rows, so that both write the same types.

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

    def _made(self, given: Sequence[tuple[Record, Changed]]) -> Any:  # noqa: ANN401
        """Make a table from rows; its columns are the fields of these rows."""
        rows = [new_row(record.values, changed) for record, changed in given]
        for row, (_, changed) in zip(rows, given, strict=True):
            if changed.metadata is not None and self._key is not None:
                row[self._key] = encoded_row(json.loads(changed.metadata))
        names = dict.fromkeys(name for row in rows for name in row)  # pyarrow takes those of the first row only
        return self.arrow.Table.from_pylist([{**dict.fromkeys(names), **row} for row in rows])

    def _changed(self, given: Sequence[tuple[Record, Changed]]) -> Any:  # noqa: ANN401
        """Make a table from rows of one batch; it takes the columns of the batch whose values do not change."""
        table = self.arrow.Table.from_batches([given[0][0].origin.batch])
        table = table.take([record.origin.row for record, _ in given])
        rows: list[Any] = [record.values for record, _ in given]
        for number, (_, changed) in enumerate(given):
            for path, value in changed.values.items():
                rows[number] = field_paths.with_value(rows[number], path, value)
        for name in dict.fromkeys(str(path[0]) for _, changed in given for path in changed.values):
            at = table.schema.get_field_index(name)
            field = table.schema.field(at)
            column = self.arrow.chunked_array([self.arrow.array([row[name] for row in rows], type=field.type)])
            table = table.set_column(at, field, column)
        if self._key is not None:
            refuse_twice(rows[0], self._key)
            texts = [encoded_row(json.loads(changed.metadata)) for _, changed in given if changed.metadata is not None]
            table = table.append_column(self._key, self.arrow.array(texts, type=self.arrow.string()))
        return table

    def finish(self) -> None:
        """Write the rows that still wait in the temporary file.

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
