"""Read Parquet files: each row as a dictionary, together with the batch of columns from which it comes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError, optional
from augment_ru.formats.lines import Line
from augment_ru.formats.value_types import TO_LINES

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1024


class BatchRow(NamedTuple):
    """The place of a row in a Parquet file, which is read in batches of rows.

    Attributes:
        number: the index of its batch, from 0.
        batch: the batch, as a pyarrow RecordBatch.
        row: the index of the row in the batch.
    """

    number: int
    batch: Any
    row: int


def arrow_module() -> Any:  # noqa: ANN401  (pyarrow has no types)
    """Import and return pyarrow, including its modules for Parquet.

    Raises:
        AugmentError: pyarrow is not installed.
    """
    for name in ("pyarrow.compute", "pyarrow.parquet"):
        optional(name, "Parquet files need pyarrow", "hf")
    return optional("pyarrow", "Parquet files need pyarrow", "hf")


class Parquet:
    """A Parquet file, as a source of rows.

    Raises:
        AugmentError: pyarrow is not installed, the file is not Parquet, or two columns have the same name.
    """

    unit: ClassVar[str] = "row"
    _first = 1

    def __init__(self, stream: BinaryIO) -> None:
        self.arrow = arrow_module()
        with arrow_errors(self.arrow, "not Parquet"):
            self.file = self.arrow.parquet.ParquetFile(stream)
            self.schema: pa.Schema = self.file.schema_arrow
            twin = _twin(list(self.schema))
        if twin:
            raise AugmentError(f"'{twin}' stands twice; rename one column")

    @property
    def compression(self) -> str:
        """The compression of the file's first column, with which an output in Parquet is written, too.

        It is a name that pyarrow's writer accepts, such as "snappy".
        """
        groups = self.file.metadata.num_row_groups and self.file.metadata.num_columns
        codec = self.file.metadata.row_group(0).column(0).compression.lower() if groups else "snappy"
        return {"uncompressed": "none"}.get(codec, codec)

    def __iter__(self) -> Iterator[Line]:
        """Yield the rows, numbered from 1, with the values and the `BatchRow` of each in `place`.

        Raises:
            AugmentError: a batch is damaged, or Python cannot represent a value, such as a date in the year 12,000.
        """
        number = self._first - 1
        for at, batch in enumerate(self.batches()):
            with arrow_errors(self.arrow, f"after row {number}: cannot be read"):
                rows = batch.to_pylist()
            for row, values in enumerate(rows):
                number += 1
                data = json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "replace")
                yield Line(number, data, place=(values, BatchRow(at, batch, row)))

    def batches(self) -> Iterator[Any]:
        """Yield the rows of the file in pyarrow's record batches of at most 1,024 rows.

        Raises:
            AugmentError: a batch is damaged.
        """
        batches = self.file.iter_batches(batch_size=_ROWS)
        number = 0
        while True:
            with arrow_errors(self.arrow, f"after row {number}: cannot be read"):
                batch = next(batches, None)
            if batch is None:
                return
            number += batch.num_rows
            yield batch

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Any]:
        """Parse a row; return None, its values, and where it stands in the file (`BatchRow`).

        Other formats have the JSON of the row in place of None.
        """
        values, origin = line.place
        return None, values, origin


class ParquetRows(Parquet):
    """Consecutive rows of a Parquet file, as a source of rows.

    Args:
        data: the rows as an Arrow stream.
        first: the number that the first of these rows has in the file.
    """

    def __init__(self, data: bytes, first: int) -> None:
        self.arrow = arrow_module()
        self._stream = self.arrow.ipc.open_stream(data)
        self.schema = self._stream.schema
        self._first = first

    def batches(self) -> Iterator[Any]:
        """Yield the batches of Arrow that hold the rows."""
        return iter(self._stream)


def as_stream(arrow: Any, schema: Any, batches: Sequence[Any]) -> bytes:  # noqa: ANN401
    """Encode batches of rows, or tables, as an Arrow stream.

    Args:
        arrow: the module pyarrow.
        schema: the schema that all batches have.
        batches: the batches or tables.
    """
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            stream.write(batch)
    return bytes(sink.getvalue())


def with_columns(arrow: Any, table: Any, columns: Mapping[str, Sequence[Any]]) -> Any:  # noqa: ANN401
    """Return a table with new values in some columns; a column that it lacks is added at its end, as texts.

    Args:
        arrow: the module pyarrow.
        table: an Arrow table.
        columns: the new values of each column, by name, as many as the table has rows.
    """
    for name, values in columns.items():
        at = table.schema.get_field_index(name)
        field = arrow.field(name, arrow.string()) if at < 0 else table.schema.field(at)
        column = arrow.array(values, type=field.type)
        table = table.append_column(field, column) if at < 0 else table.set_column(at, field, column)
    return table


def _twin(fields: Sequence[Any]) -> str | None:
    """Return the first name that two columns, or two fields of one column, have in common; None if there is none."""
    names = [field.name for field in fields]
    found = next((name for name in names if names.count(name) > 1), None)
    inner = ([kind.field(at) for at in range(kind.num_fields)] for kind in (field.type for field in fields))
    return found or next((twin for one in inner if (twin := _twin(one))), None)


_OF_FILES = (OSError, ValueError, OverflowError)
"""The errors that pyarrow raises for files that it cannot read; ValueError: names that are not UTF-8."""


@contextmanager
def arrow_errors(arrow: Any, reading: str = "") -> Iterator[None]:  # noqa: ANN401
    """Context manager: turn errors of pyarrow in its block into errors with a message of one line.

    Args:
        arrow: the module pyarrow.
        reading: the beginning of the message if the block reads a file; "" if it writes one.

    Raises:
        AugmentError: pyarrow raised an error in the block.
    """
    kinds = (arrow.ArrowException, *_OF_FILES) if reading else arrow.ArrowException
    try:
        yield
    except kinds as error:
        first = str(error).split("\n", 1)[0]
        raise AugmentError(f"{reading}: {first}" if reading else f"Parquet: {first}; {TO_LINES}") from error
