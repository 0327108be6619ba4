"""Choose what writes rows: the output's format, and the layout of the input if the input has the same format."""

from collections.abc import Sequence
from typing import BinaryIO

from augment_ru.formats.delimited import Table
from augment_ru.formats.json_array import JsonArray
from augment_ru.formats.json_lines import JsonLines, as_spelled
from augment_ru.formats.json_sinks import JsonArraySink, LinesSink
from augment_ru.formats.parquet import Parquet
from augment_ru.formats.parquet_sink import ParquetSink
from augment_ru.formats.row import Changed, new_row
from augment_ru.formats.sink import Sink
from augment_ru.formats.sources import RowSource
from augment_ru.formats.table_layout import TableLayout, check_names, row_of_values, without_formulas
from augment_ru.formats.text_lines import TextSink
from augment_ru.formats.value_types import (
    NOTHING,
    TO_LINES,
    TO_PARQUET,
    Learnt,
    check_values,
    line_feed,
    table_problem,
)
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
    """Return a sink that writes rows to a file; it keeps the layout of the source if the source has the same format.

    Args:
        kind: the format, as `augment_ru.formats.sources.kind_of` names it.
        stream: the file; it is left open.
        source: the source that the rows were read from.
        key: the name of the field that every row gets for its metadata; None if rows get none.
        mark: whether a byte-order mark of the source is written as well.
        part: None for a sink that writes the whole file. For a sink that writes one part, which another sink takes with
            `Sink.join`: what was learnt from the rows before that part.
        csv_safe: whether a table cell that looks like a formula only after an edit gets an apostrophe before it.
    """
    if kind == "JSON" and not (isinstance(source, JsonLines) and source.called_json):
        return JsonArraySink(
            stream, source if isinstance(source, JsonArray) else None, mark=mark, is_part=part is not None
        )
    if kind in {"CSV", "TSV"}:
        names = source.names if isinstance(source, Table) else ()
        same = isinstance(source, Table) and source.called_tsv == (kind == "TSV")
        layout = source.layout if isinstance(source, Table) and same else TableLayout("\t" if kind == "TSV" else ",")
        names = (*names, key) if names and key else names
        sink = _TableSink(
            stream, layout, names or (part or NOTHING).names, key=key, mark=mark, same=same, safe=csv_safe
        )
        sink.started = part is not None
        return sink
    if kind == "Parquet":
        return ParquetSink(stream, source if isinstance(source, Parquet) else None, key, part=part)
    return TextSink(stream, mark=mark) if kind == "text" else LinesSink(stream, mark=mark)


class _TableSink(Sink):
    """Writes a table. Without given names, the columns are the fields of the first row, and `key` for metadata."""

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
            values = as_spelled(record.line, record.values)
            check_values(values, table_problem, TO_PARQUET if record.line is None else TO_LINES)
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
        lines = [
            row_of_values(row, self._names_of(record), self._layout)
            for row, (record, _) in zip(made, rows, strict=True)
        ]
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
