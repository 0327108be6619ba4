"""File formats: which one a file has, and what reads its rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

from augment_ru.formats import delimited, json_array
from augment_ru.formats.json_lines import JsonLines, Line
from augment_ru.formats.parquet import Parquet

KINDS = {".json": "JSON", ".csv": "CSV", ".tsv": "TSV", ".parquet": "Parquet"}
"""The format of a file by the end of its name; a file of another name holds JSON lines."""

JSON_LINES = "JSON lines"


class RowSource(Protocol):
    """A file of rows."""

    unit: ClassVar[str]
    """What messages count: line or row."""

    def __iter__(self) -> Iterator[Line]:
        """The rows, not yet parsed."""

    def parsed(self, line: Line) -> tuple[str | None, dict[str, Any], Any]:
        """The JSON of a row, None where the format has none; its values; and what a sink of the same format needs.

        Raises:
            AugmentError: it is no row.
        """


def kind_of(name: str | None) -> str:
    """The format of a file by its name; stdin and stdout, `-` or None, hold JSON lines."""
    return KINDS.get(Path(name).suffix.lower(), JSON_LINES) if name and name != "-" else JSON_LINES


def source_of(kind: str, stream: BinaryIO) -> RowSource:
    """The rows of a file.

    Raises:
        AugmentError: the file is not of this format, or what reads it is not installed.
    """
    if kind == "JSON":
        return json_array.json_source(stream)
    if kind in {"CSV", "TSV"}:
        return delimited.Table(stream, "\t" if kind == "TSV" else None)
    if kind == "Parquet":
        return Parquet(stream)
    return JsonLines(stream)
