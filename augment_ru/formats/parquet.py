"""Parquet files: rows are read as values; what does not change stays in the columns that it was read from."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError, missing
from augment_ru.formats.json_lines import Line
from augment_ru.formats.row import Changed, new_row, refuse_twice
from augment_ru.records import field_paths
from augment_ru.records.record import Record

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1024


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
        """How the file is compressed, in the words of pyarrow's writer."""
        groups = self.file.metadata.num_row_groups and self.file.metadata.num_columns
        codec = self.file.metadata.row_group(0).column(0).compression.lower() if groups else "snappy"
        return {"uncompressed": "none"}.get(codec, codec)

    def __iter__(self) -> Iterator[Line]:
        """The rows, numbered from 1; `place` holds the values of a row and where it stands."""
        number = 0
        for at, batch in enumerate(self.file.iter_batches(batch_size=_ROWS)):
            for row, values in enumerate(batch.to_pylist()):
                number += 1
                data = json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "replace")
                yield Line(number, data, place=(values, BatchRow(at, batch, row)))

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Any]:
        """The values of a row, and where it stands."""
        values, origin = line.place
        return None, values, origin


class ParquetSink:
    """Writes a Parquet file: with the columns of the Parquet file that was read, else with those of the rows.

    `metadata` says whether every row gets metadata; `key` is the column for it.
    """

    def __init__(self, stream: BinaryIO, source: Parquet | None, key: str, *, metadata: bool) -> None:
        self.arrow = _arrow()
        self._stream, self._source, self._key, self._metadata = stream, source, key, metadata
        self._parts: list[Any] = []

    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Add rows.

        Raises:
            AugmentError: a value does not fit the column.
        """
        try:
            if self._source is None:
                made = [self._made(record, changed) for record, changed in rows]
                names = dict.fromkeys(name for row in made for name in row)  # pyarrow takes those of the first row only
                self._parts.append(self.arrow.Table.from_pylist([{**dict.fromkeys(names), **row} for row in made]))
                return
            for _, same in groupby(rows, key=lambda row: row[0].origin.number):
                self._parts.append(self._changed(list(same)))
        except self.arrow.ArrowException as error:
            raise AugmentError(f"Parquet: {_first_line(error)}; write JSON lines (-o OUT.jsonl)") from error

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
