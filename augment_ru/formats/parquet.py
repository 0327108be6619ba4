"""Read Parquet files: rows are read as values, and each knows the batch of columns that it comes from."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError, optional
from augment_ru.formats.lines import Line
from augment_ru.formats.value_types import TO_LINES

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1024


class BatchRow(NamedTuple):
    """The position of a row in a Parquet file.

    Attributes:
        number: the number of its batch, from 0.
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
        try:
            self.file = self.arrow.parquet.ParquetFile(stream)
            self.schema: pa.Schema = self.file.schema_arrow
            twin = _twin(list(self.schema), self.arrow)
        except (self.arrow.ArrowException, OSError, ValueError) as error:  # ValueError: names that are not UTF-8
            raise AugmentError(f"not Parquet: {_first_line(error)}") from error
        if twin:
            raise AugmentError(f"'{twin}' stands twice; rename one column")

    @property
    def compression(self) -> str:
        """The compression of the file's first column, as a name that pyarrow's writer accepts."""
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
            with self._read_after(number):
                rows = batch.to_pylist()
            for row, values in enumerate(rows):
                number += 1
                data = json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "replace")
                yield Line(number, data, place=(values, BatchRow(at, batch, row)))

    @contextmanager
    def _read_after(self, number: int) -> Iterator[None]:
        """Turn errors of pyarrow into one line that names the last row that was read, `number`.

        Raises:
            AugmentError: pyarrow raises an error in the block.
        """
        try:
            yield
        except (self.arrow.ArrowException, OSError, ValueError, OverflowError) as error:
            raise AugmentError(f"after row {number}: cannot be read: {_first_line(error)}") from error

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the file, as pyarrow reads them.

        Raises:
            AugmentError: a batch is damaged.
        """
        batches = self.file.iter_batches(batch_size=_ROWS)
        number = 0
        while True:
            with self._read_after(number):
                batch = next(batches, None)
            if batch is None:
                return
            number += batch.num_rows
            yield batch

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Any]:
        """Return None, the values of a row, and its `BatchRow`."""
        values, origin = line.place
        return None, values, origin


class ParquetRows(Parquet):
    """Consecutive rows of a Parquet file.

    Args:
        data: the rows as an Arrow stream.
        first: the number of the first row in the file.
    """

    def __init__(self, data: bytes, first: int) -> None:
        self.arrow = arrow_module()
        self._stream = self.arrow.ipc.open_stream(data)
        self.schema = self._stream.schema
        self._first = first

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the Arrow stream."""
        return iter(self._stream)


def as_stream(arrow: Any, schema: Any, batches: Sequence[Any]) -> bytes:  # noqa: ANN401
    """Encode batches or tables with the same schema as an Arrow stream."""
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            stream.write(batch)
    return bytes(sink.getvalue())


def _twin(fields: Sequence[Any], arrow: Any) -> str | None:  # noqa: ANN401
    """Return the first name that two columns, or two fields of one column, have in common; None if there is none."""
    names = [field.name for field in fields]
    found = next((name for name in names if names.count(name) > 1), None)
    inner = ([kind.field(at) for at in range(kind.num_fields)] for kind in (field.type for field in fields))
    return found or next((twin for one in inner if (twin := _twin(one, arrow))), None)


@contextmanager
def arrow_errors(arrow: Any) -> Iterator[None]:  # noqa: ANN401
    """Turn errors of pyarrow into one line.

    Raises:
        AugmentError: pyarrow raises an error in the block.
    """
    try:
        yield
    except arrow.ArrowException as error:
        raise AugmentError(f"Parquet: {_first_line(error)}; {TO_LINES}") from error


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
