"""Parquet files: rows as values; what does not change stays in the columns it was read from."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.engine.result import Result
from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import Line
from augment_ru.formats.row import refuse_twice
from augment_ru.records import field_paths

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1024


class Origin(NamedTuple):
    """Where a row stands: in which part of the file, and as which row of it."""

    part: int
    table: Any
    row: int


def _arrow() -> Any:  # noqa: ANN401  (pyarrow has no types)
    try:
        import pyarrow as pa  # noqa: PLC0415  (only Parquet needs it)
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise AugmentError('Parquet files need pyarrow: pip install "augment-ru[hf]"') from error
    return pa


class Parquet:
    """A Parquet file, as a source of rows.

    Raises:
        AugmentError: pyarrow is missing, or the file is no Parquet.
    """

    unit: ClassVar[str] = "row"

    def __init__(self, stream: BinaryIO) -> None:
        self.arrow = _arrow()
        try:
            self.file = self.arrow.parquet.ParquetFile(stream)
        except (self.arrow.ArrowException, OSError) as error:
            raise AugmentError(f"not Parquet: {_first_line(error)}") from error
        self.schema: pa.Schema = self.file.schema_arrow

    @property
    def compression(self) -> str:
        """How the file is compressed, as its writer is told."""
        groups = self.file.metadata.num_row_groups and self.file.metadata.num_columns
        codec = self.file.metadata.row_group(0).column(0).compression.lower() if groups else "snappy"
        return {"uncompressed": "none"}.get(codec, codec)

    def __iter__(self) -> Iterator[Line]:
        """The rows, numbered from 1; the values of a row stand in its place."""
        number = 0
        for part, table in enumerate(self.file.iter_batches(batch_size=_ROWS)):
            for row, values in enumerate(table.to_pylist()):
                number += 1
                data = json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "replace")
                yield Line(number, data, place=(values, Origin(part, table, row)))

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Any]:
        """The values of a row, and where it stands."""
        values, origin = line.place
        return None, values, origin


class ParquetSink:
    """Writes a Parquet file: with the columns of the one that was read, or of the rows where it was none."""

    def __init__(self, stream: BinaryIO, source: Parquet | None, meta: str, key: str) -> None:
        self.arrow = _arrow()
        self._stream, self._source, self._meta, self._key = stream, source, meta, key
        self._parts: list[Any] = []

    def write(self, results: Sequence[Result]) -> None:
        """Add rows.

        Raises:
            AugmentError: a value does not fit the column.
        """
        try:
            if self._source is None:
                rows = [self._row(result) for result in results]
                names = dict.fromkeys(name for row in rows for name in row)  # of every row: pyarrow asks only the first
                self._parts.append(self.arrow.Table.from_pylist([{**dict.fromkeys(names), **row} for row in rows]))
                return
            for _, same in groupby(results, key=lambda result: result.record.origin.part):
                self._parts.append(self._changed(list(same)))
        except self.arrow.ArrowException as error:
            raise AugmentError(f"Parquet: {_first_line(error)}; write JSON lines (-o OUT.jsonl)") from error

    def _row(self, result: Result) -> dict[str, Any]:
        row = result.row(self._meta)
        if self._key in row and self._meta != "none":
            row[self._key] = json.dumps(row[self._key], ensure_ascii=False)
        return row

    def _changed(self, results: Sequence[Result]) -> Any:  # noqa: ANN401
        """The rows of one part: its columns, with new ones in place of those that change."""
        table = self.arrow.Table.from_batches([results[0].record.origin.table])
        table = table.take([result.record.origin.row for result in results])
        changes = [result.changed(self._meta) for result in results]
        rows: list[Any] = [result.record.values for result in results]
        for number, change in enumerate(changes):
            for path, value in change.values.items():
                rows[number] = field_paths.with_value(rows[number], path, value)
        for name in dict.fromkeys(str(path[0]) for change in changes for path in change.values):
            at = table.schema.get_field_index(name)
            field = table.schema.field(at)
            column = self.arrow.chunked_array([self.arrow.array([row[name] for row in rows], type=field.type)])
            table = table.set_column(at, field, column)
        if self._meta != "none":
            refuse_twice(rows[0], self._key)
            texts = [json.dumps(change.metadata, ensure_ascii=False) for change in changes]
            table = table.append_column(self._key, self.arrow.array(texts, type=self.arrow.string()))
        return table

    def finish(self) -> None:
        """Write the file."""
        if self._parts:
            table = self.arrow.concat_tables(self._parts, promote_options="permissive")
        elif self._source is not None:
            table = self._source.schema.empty_table()
        else:
            table = self.arrow.table({})
        compression = self._source.compression if self._source else "snappy"
        self.arrow.parquet.write_table(table, self._stream, compression=compression)


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
