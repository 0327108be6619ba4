"""Cut a file of rows into parts, each of which is read by itself, with the row numbers of the whole file."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from typing import Any, BinaryIO, TypeVar

import msgspec

from augment_ru.formats.delimited import Table
from augment_ru.formats.json_array import ArrayRows, JsonArray
from augment_ru.formats.json_lines import JsonLines
from augment_ru.formats.lines import BOM, MAX_LINE
from augment_ru.formats.packed import buffered
from augment_ru.formats.parquet import Parquet, ParquetRows, as_stream
from augment_ru.formats.sources import JSON_LINES, RowSource
from augment_ru.formats.text_lines import TextLines

T = TypeVar("T")

PART_BYTES = 2**17
"""The size of a part in bytes: it ends with the row that reaches the size. It holds about as many rows as a chunk."""

_LONGEST = len(BOM) + MAX_LINE + 2
"""The most bytes that a part keeps of a line; readers look at no more than that."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file: consecutive rows, which one worker processes.

    Attributes:
        kind: the format of the file, such as "JSON lines".
        first: the number that the first line or row of the part has in the file, from 1.
        data: the bytes of the part: lines, rows, or an Arrow stream.
        header: for a table, the bytes of its header line, which every part needs; otherwise empty.
        skipped: how many bytes of the part's last line are left out, because the line is too long to be read.
        end: the line end that follows the skipped bytes.
        rows: for a JSON file with arrays of rows, the JSON text of each row; otherwise empty.
        array: for such a file, the index of the array, from 0.
    """

    kind: str
    first: int
    data: bytes = b""
    header: bytes = b""
    skipped: int = 0
    end: bytes = b""
    rows: tuple[bytes, ...] = ()
    array: int = 0

    @property
    def digest(self) -> str:
        """A hash of all attributes of the part, in hexadecimal digits."""
        return blake2b(msgspec.msgpack.encode(self), digest_size=16).hexdigest()

    def source(self) -> RowSource:
        """Return a reader of the rows of the part; they are numbered as in the whole file."""
        if self.rows:
            return ArrayRows(self.rows, self.first, self.array)
        if self.kind == "Parquet":
            return ParquetRows(self.data, self.first)
        stream = self._stream()
        if self.kind in {"CSV", "TSV"}:
            return Table(stream, "\t" if self.kind == "TSV" else None, begin=self.first if self.header else None)
        if self.kind == "text":
            return TextLines(stream, first=self.first)
        return JsonLines(stream, called_json=self.kind == "JSON", first=self.first)

    def _stream(self) -> BinaryIO:
        start = self.header + self.data
        if not (self.skipped or self.end):
            return BytesIO(start)
        at, whole = 0, len(start) + self.skipped

        def read(size: int) -> bytes:
            nonlocal at
            if at < len(start):
                found = start[at : at + size]
            elif at < whole:
                found = b"-" * min(size, whole - at)
            else:
                found = self.end[at - whole :]
            at += len(found)
            return found

        return buffered(read)


def file_parts(source: RowSource, size: int = PART_BYTES) -> Iterator[FilePart]:
    """Cut a file into parts, in order. The parts depend only on the file and on the size.

    Args:
        source: the rows of the file; no row may have been read yet.
        size: bytes of a part, at least 1. A part has at least one row, and ends with the row that reaches the size.

    Raises:
        AugmentError: the file is damaged; raised after the parts before the damage were yielded.
    """
    if isinstance(source, JsonArray):
        return _of_arrays(source, size)
    if isinstance(source, Parquet):
        return _of_batches(source, size)
    if isinstance(source, Table):
        return _of_table(source, size)
    if isinstance(source, TextLines):
        return _of_lines("text", source.stream, size)
    if isinstance(source, JsonLines):
        return _of_lines("JSON" if source.called_json else JSON_LINES, source.stream, size)
    raise TypeError(f"{type(source).__name__} has no parts")


def _of_lines(kind: str, stream: BinaryIO, size: int, header: bytes = b"") -> Iterator[FilePart]:
    first = 1 + header.count(b"\n")
    while data := stream.read(size):
        if not data.endswith(b"\n"):
            data += stream.readline(_LONGEST)
        start = data.rfind(b"\n", 0, -1) + 1  # of the last line
        passed, end = max(len(data) - start - _LONGEST, 0), data[-1:]
        while end != b"\n" and len(data) - start >= _LONGEST and (rest := stream.readline(_LONGEST)):
            passed += len(rest)
            end = rest[-1:]
        end = end if passed and end == b"\n" else b""
        yield FilePart(kind, first, data[: start + _LONGEST], header, skipped=max(passed - len(end), 0), end=end)
        first += data.count(b"\n", 0, start + _LONGEST) + len(end)


def _of_table(table: Table, size: int) -> Iterator[FilePart]:
    kind = "TSV" if table.called_tsv else "CSV"
    if table.layout.is_tsv and table.names:  # a row is a line
        yield from _of_lines(kind, table.stream, size, table.header)
        return
    for rows in _grouped(table.raw_rows(), size, lambda row: size if row.skipped or row.end else len(row.data)):
        first, last = rows[0].number, rows[-1]
        header = table.header if first > 1 else b""  # else the row stands in place of the names
        yield FilePart(kind, first, b"".join(row.data for row in rows), header, last.skipped, last.end)


def _of_arrays(source: JsonArray, size: int) -> Iterator[FilePart]:
    first = 1
    for array, texts in enumerate(source.arrays):
        for rows in _grouped(map(str.encode, texts), size, len):
            yield FilePart("JSON", first, rows=tuple(rows), array=array)
            first += len(rows)


def _of_batches(source: Parquet, size: int) -> Iterator[FilePart]:
    first = 1
    small = (batch for whole in source.batches() for batch in _small(whole, size))
    for batches in _grouped(small, size, lambda batch: int(batch.nbytes)):
        yield FilePart("Parquet", first, as_stream(source.arrow, source.schema, batches))
        first += sum(batch.num_rows for batch in batches)


def _grouped(items: Iterable[T], size: int, size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield lists of consecutive items: each ends with the item that brings it to `size`, or with the last item."""
    held: list[T] = []
    length = 0
    for one in items:
        held.append(one)
        length += size_of(one)
        if length >= size:
            yield held
            held, length = [], 0
    if held:
        yield held


def _small(batch: Any, size: int) -> Iterator[Any]:  # noqa: ANN401
    """Yield a batch whole or in pieces: a batch of over `size` bytes is halved, and its halves again if necessary."""
    if batch.nbytes <= size or batch.num_rows == 1:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _small(batch.slice(0, middle), size)
    yield from _small(batch.slice(middle), size)
