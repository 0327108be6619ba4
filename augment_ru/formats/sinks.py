"""How results are written: in the format of the output, and in the layout of the input if that has the same format."""

import json
from collections.abc import Sequence
from typing import BinaryIO, Protocol

from augment_ru.engine.result import Result
from augment_ru.formats import delimited, json_array
from augment_ru.formats.json_lines import Around, JsonLines
from augment_ru.formats.parquet import Parquet, ParquetSink
from augment_ru.formats.row import KEY, refuse_twice
from augment_ru.formats.sources import Source


class Sink(Protocol):
    """Writes results as rows."""

    def write(self, results: Sequence[Result]) -> None:
        """Write some more.

        Raises:
            AugmentError: a row has no form in the format.
        """

    def finish(self) -> None:
        """Write what comes after the last one."""


def sink_of(kind: str, stream: BinaryIO, source: Source, meta: str, *, mark: bool = True) -> Sink:
    """What writes results to a file; in the source's own layout where it has the same format.

    Args:
        kind: the format, as `augment_ru.formats.sources.kind_of` calls it.
        stream: where to; it is not closed.
        source: what the results were read from.
        meta: full, brief or none.
        mark: whether a byte-order mark of the source is written, too.
    """
    if kind == "JSON" and not (isinstance(source, JsonLines) and source.called_json):
        return _JsonArraySink(stream, source if isinstance(source, json_array.JsonArray) else None, meta, mark=mark)
    if kind in {"CSV", "TSV"}:
        delimiter = "\t" if kind == "TSV" else ","
        head = source.head if isinstance(source, delimited.Table) else None
        same = head if head and head.dialect.is_tsv == (kind == "TSV") else None
        return _TableSink(stream, same, delimiter, meta, mark=mark)
    if kind == "Parquet":
        return ParquetSink(stream, source if isinstance(source, Parquet) else None, meta, KEY)
    return _LinesSink(stream, meta, mark=mark)


class _LinesSink:
    """JSON lines; a row of several lines becomes one."""

    def __init__(self, stream: BinaryIO, meta: str, *, mark: bool) -> None:
        self._stream, self._meta, self._mark = stream, meta, mark

    def write(self, results: Sequence[Result]) -> None:
        pieces: list[bytes] = []
        for at, result in enumerate(results):
            around = result.record.origin
            if not isinstance(around, Around):
                around = _PLAIN
            last = at + 1 == len(results)
            end = around.after or (b"" if last else b"\n")  # only the last row of a file may lack an end
            first = not (at and results[at - 1].record is result.record)
            pieces += (around.before if first and self._mark else b"", _one_line(result.line(self._meta)).encode(), end)
        self._stream.write(b"".join(pieces))

    def finish(self) -> None:
        pass


_PLAIN = Around(b"", b"\n")


def _one_line(text: str) -> str:
    """JSON on one line: line feeds stand between its values only."""
    return " ".join(map(str.strip, text.splitlines())) if "\n" in text else text


class _JsonArraySink:
    """The rows of arrays, with what stood around them."""

    def __init__(self, stream: BinaryIO, source: json_array.JsonArray | None, meta: str, *, mark: bool) -> None:
        self._stream, self._source, self._meta = stream, source, meta
        self._mark = "\ufeff" if mark and source is not None and source.bom else ""
        self._array = -1
        self._last: object = None
        self._any = False

    def write(self, results: Sequence[Result]) -> None:
        for result in results:
            text = self._before(result.record.origin) + result.line(self._meta)
            self._stream.write(text.encode())

    def _before(self, origin: json_array.Origin | None) -> str:
        source = self._source
        if source is None or origin is None:
            before, self._any = (",\n" if self._any else "[\n"), True
            return before
        if origin.array == self._array:
            entry = None if origin.entry == self._last or not origin.entry else origin.entry
            self._last = origin.entry
            return source.separator(origin.array, entry)
        heads = "".join(source.head(number) for number in range(self._array + 1, origin.array + 1))
        before = (self._mark if self._array < 0 else "") + heads
        self._array, self._last = origin.array, origin.entry
        return before

    def finish(self) -> None:
        source = self._source
        if source is None:
            self._stream.write(b"\n]\n" if self._any else b"[]\n")
            return
        heads = "".join(source.head(number) for number in range(self._array + 1, len(source.arrays)))
        mark = self._mark if self._array < 0 else ""
        self._stream.write(f"{mark}{heads}{source.tail()}".encode())


class _TableSink:
    """A table: with the cells of the one that was read, or those made of the rows where it was none."""

    def __init__(self, stream: BinaryIO, head: delimited.Head | None, delimiter: str, meta: str, *, mark: bool) -> None:
        self._stream, self._head, self._meta, self._mark = stream, head, meta, mark
        self._dialect = head.dialect if head else delimited.Dialect(delimiter)
        self._names: tuple[str, ...] = head.names if head else ()
        self._started = False

    def write(self, results: Sequence[Result]) -> None:
        make = self._kept if self._head else self._made
        pieces = [f"{make(result)}{self._dialect.end}" for result in results]
        if pieces and self._head and not results[-1].record.origin.end:
            pieces[-1] = pieces[-1].removesuffix(self._dialect.end)  # the file's last line did not end
        self._stream.write(f"{self._start()}{''.join(pieces)}".encode())

    def _start(self) -> str:
        """The line of names, once."""
        if self._started:
            return ""
        self._started = True
        dialect = self._dialect
        if self._head is None:
            return dialect.delimiter.join(map(dialect.written, self._names)) + dialect.end
        mark = "\ufeff" if self._mark and self._head.bom else ""
        column = f"{dialect.delimiter}{KEY}" if self._meta != "none" else ""
        return f"{mark}{self._head.raw}{column}{dialect.end}"

    def _kept(self, result: Result) -> str:
        """A row with the cells that it was read with, save those that change."""
        origin: delimited.Origin = result.record.origin
        changed = result.changed(self._meta)
        cells = list(origin.cells)
        for path, value in changed.values.items():
            at = self._names.index(str(path[0]))
            cells[at] = self._dialect.written(str(value), like=cells[at])
        if changed.metadata is not None:
            refuse_twice(result.record.values, changed.key)
            cells.append(self._dialect.written(json.dumps(changed.metadata, ensure_ascii=False)))
        return self._dialect.row(cells)

    def _made(self, result: Result) -> str:
        row = result.row(self._meta)
        self._names = self._names or tuple(row)
        return delimited.row_of(row, self._names, self._dialect)

    def finish(self) -> None:
        if self._head and not self._started:
            start = self._start()
            self._stream.write((start if self._head.ended else start.removesuffix(self._dialect.end)).encode())
