"""Parquet files: rows are read as values; what does not change stays in the columns that it was read from."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError, missing
from augment_ru.formats.fitting import TO_LINES, Columns, check_values, parquet_problem
from augment_ru.formats.json_lines import Line
from augment_ru.formats.row import Changed, new_row, refuse_twice
from augment_ru.records import field_paths
from augment_ru.records.record import Record

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1024
_GROUP_ROWS, _GROUP_BYTES = 2**16, 2**25
"""A group of rows is written when it has so many rows, or takes so many bytes in memory."""
_SIZE = 8
"""Bytes of the size before a part in the temporary file."""


class BatchRow(NamedTuple):
    """Where a row stands: the number of its batch, the batch, and the number of the row in it."""

    number: int
    batch: Any
    row: int


def _arrow() -> Any:  # noqa: ANN401  (pyarrow has no types)
    try:
        import pyarrow as pa  # noqa: PLC0415  (only Parquet needs it)
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise missing("Parquet files need pyarrow", "hf") from error
    return pa


class Parquet:
    """A Parquet file, as a source of rows.

    Raises:
        AugmentError: pyarrow is missing, the file is no Parquet, or two columns have one name.
    """

    unit: ClassVar[str] = "row"
    _first = 1

    def __init__(self, stream: BinaryIO) -> None:
        self.arrow = _arrow()
        try:
            self.file = self.arrow.parquet.ParquetFile(stream)
        except (self.arrow.ArrowException, OSError) as error:
            raise AugmentError(f"not Parquet: {_first_line(error)}") from error
        self.schema: pa.Schema = self.file.schema_arrow
        if twin := _twin(list(self.schema), self.arrow):
            raise AugmentError(f"'{twin}' stands twice; rename one column")

    @property
    def compression(self) -> str:
        """How the file is compressed, in the words of pyarrow's writer."""
        groups = self.file.metadata.num_row_groups and self.file.metadata.num_columns
        codec = self.file.metadata.row_group(0).column(0).compression.lower() if groups else "snappy"
        return {"uncompressed": "none"}.get(codec, codec)

    def __iter__(self) -> Iterator[Line]:
        """The rows, numbered from 1; `place` holds the values of a row and where it stands."""
        number = self._first - 1
        for at, (batch, rows) in enumerate(self._batches()):
            for row, values in enumerate(rows):
                number += 1
                data = json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "replace")
                yield Line(number, data, place=(values, BatchRow(at, batch, row)))

    def _batches(self) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
        """The batches with their rows as values.

        Raises:
            AugmentError: a batch is damaged, or a value of it has no form in Python, such as a date of the year 12,000.
        """
        number = self._first - 1
        for batch in self.batches():
            try:
                rows = batch.to_pylist()
            except (self.arrow.ArrowException, ValueError, OverflowError) as error:
                raise AugmentError(f"after row {number}: cannot be read: {_first_line(error)}") from error
            number += len(rows)
            yield batch, rows

    def batches(self) -> Iterator[Any]:
        """The batches of the file, as pyarrow reads them.

        Raises:
            AugmentError: a batch is damaged.
        """
        batches = self.file.iter_batches(batch_size=_ROWS)
        number = 0
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            except (self.arrow.ArrowException, OSError, ValueError, OverflowError) as error:
                raise AugmentError(f"after row {number}: cannot be read: {_first_line(error)}") from error
            number += batch.num_rows
            yield batch

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Any]:
        """The values of a row, and where it stands."""
        values, origin = line.place
        return None, values, origin


class ParquetRows(Parquet):
    """Rows of a Parquet file that stand together, as a stream of Arrow; the first has the number `first`."""

    def __init__(self, data: bytes, first: int) -> None:
        self.arrow = _arrow()
        self._stream = self.arrow.ipc.open_stream(data)
        self.schema = self._stream.schema
        self._first = first

    def batches(self) -> Iterator[Any]:
        """The batches."""
        return iter(self._stream)


def as_stream(arrow: Any, schema: Any, batches: Sequence[Any]) -> bytes:  # noqa: ANN401
    """Batches or tables of one schema as a stream of Arrow."""
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            stream.write(batch)
    return bytes(sink.getvalue())


def _twin(fields: Sequence[Any], arrow: Any) -> str | None:  # noqa: ANN401
    """The first name that two of these columns, or two fields of one column, have."""
    names = [field.name for field in fields]
    found = next((name for name in names if names.count(name) > 1), None)
    inner = ([kind.field(at) for at in range(kind.num_fields)] for kind in (field.type for field in fields))
    return found or next((twin for one in inner if (twin := _twin(one, arrow))), None)


class ParquetSink:
    """Writes a Parquet file: with the columns of the Parquet file that was read, else with those of the rows.

    `metadata` says whether every row gets metadata; `key` is the column for it. Rows are written in groups. The types
    of columns that are made from rows are known after the last row; until then the rows are in a temporary file.
    """

    def __init__(self, stream: BinaryIO, source: Parquet | None, key: str, *, metadata: bool) -> None:
        self.arrow = _arrow()
        self._source, self._key, self._metadata = source, key, metadata
        self._columns = Columns()
        self._groups = _Groups(self.arrow, stream, source.compression if source else "snappy")
        self._parts = None if source else _Parts(self.arrow)

    def check(self, record: Record) -> None:
        """Raise an error if a value of the row has no form in its column.

        Raises:
            AugmentError: the field, and why.
        """
        if self._source is None:
            check_values(record.values, parquet_problem, TO_LINES)
            self._columns.check(record.values)

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Add rows.

        Raises:
            AugmentError: a value does not fit the column.
        """
        with _said(self.arrow):
            if self._parts is not None:
                self._parts.add([self._made(record, changed) for record, changed in rows])
                return
            for _, same in groupby(rows, key=lambda row: row[0].origin.number):
                self._groups.add(self._changed(list(same)))

    def _made(self, record: Record, changed: Changed) -> dict[str, Any]:
        row = new_row(record.values, changed)
        if changed.metadata is not None:
            row[self._key] = json.dumps(changed.metadata, ensure_ascii=False)
        return row

    def _changed(self, given: Sequence[tuple[Record, Changed]]) -> Any:  # noqa: ANN401
        """The rows of one batch: its columns, with new ones in place of those that change."""
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
        if self._metadata:
            refuse_twice(rows[0], self._key)
            texts = [json.dumps(changed.metadata, ensure_ascii=False) for _, changed in given]
            table = table.append_column(self._key, self.arrow.array(texts, type=self.arrow.string()))
        return table

    def finish(self) -> None:
        """Write what is left.

        Raises:
            AugmentError: a column has no form in Parquet.
        """
        with _said(self.arrow):
            if self._parts is not None:
                for table in self._parts.tables():
                    self._groups.add(table)
            self._groups.finish(self._source.schema if self._source else self.arrow.schema([]))

    def close(self) -> None:
        """Close the temporary file and pyarrow's writer."""
        if self._parts is not None:
            self._parts.close()
        self._groups.close()


class _Parts:
    """Rows in a temporary file, in parts whose columns may differ."""

    def __init__(self, arrow: Any) -> None:  # noqa: ANN401
        self._arrow = arrow
        self._file = TemporaryFile()  # noqa: SIM115  (closed with the sink)
        self._schema = arrow.schema([])

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Add rows as a part."""
        names = dict.fromkeys(name for row in rows for name in row)  # pyarrow takes those of the first row only
        table = self._arrow.Table.from_pylist([{**dict.fromkeys(names), **row} for row in rows])
        self._schema = self._arrow.unify_schemas([self._schema, table.schema], promote_options="permissive")
        sink = self._arrow.BufferOutputStream()
        with self._arrow.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        data = sink.getvalue()
        self._file.write(data.size.to_bytes(_SIZE))
        self._file.write(data)

    def tables(self) -> Iterator[Any]:
        """The parts in their order, with the columns of all."""
        self._file.seek(0)
        none = self._schema.empty_table()
        while size := self._file.read(_SIZE):
            with self._arrow.ipc.open_stream(self._file.read(int.from_bytes(size))) as stream:
                yield self._arrow.concat_tables([none, stream.read_all()], promote_options="permissive")

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()


class _Groups:
    """A Parquet file that grows by groups of rows; the columns are those of the first table."""

    def __init__(self, arrow: Any, stream: BinaryIO, compression: str) -> None:  # noqa: ANN401
        self._arrow, self._stream, self._compression = arrow, stream, compression
        self._writer: Any = None
        self._waiting: list[Any] = []

    def add(self, table: Any) -> None:  # noqa: ANN401
        """Add rows, and write a group if there are enough."""
        self._waiting.append(table)
        rows = sum(one.num_rows for one in self._waiting)
        if rows >= _GROUP_ROWS or sum(one.nbytes for one in self._waiting) >= _GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        """Write a group of the rows that wait."""
        table = self._arrow.concat_tables(self._waiting)
        self._waiting = []
        if self._writer is None:
            options = {"compression": self._compression}
            self._writer = self._arrow.parquet.ParquetWriter(self._stream, table.schema, **options)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def finish(self, schema: Any) -> None:  # noqa: ANN401
        """Write what is left; a file without rows has the columns of the schema."""
        if self._waiting or self._writer is None:
            self._waiting = self._waiting or [schema.empty_table()]
            self._write()
        self.close()

    def close(self) -> None:
        """End the file, if it is begun."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def _said(arrow: Any) -> Iterator[None]:  # noqa: ANN401
    """Errors of pyarrow in one line."""
    try:
        yield
    except arrow.ArrowException as error:
        raise AugmentError(f"Parquet: {_first_line(error)}; {TO_LINES}") from error


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
