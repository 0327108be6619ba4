"""File formats: which one a file has, and how its rows are read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

from augment_ru.formats import delimited, json_array
from augment_ru.formats.json_lines import JsonLines, Line
from augment_ru.formats.parquet import Parquet

KINDS = {".json": "JSON", ".csv": "CSV", ".tsv": "TSV", ".parquet": "Parquet"}
"""The format of a file by the end of its name; all others hold JSON lines."""

JSON_LINES = "JSON lines"


class Source(Protocol):
    """A file of rows."""

    unit: ClassVar[str]
    """What is counted in messages: line or row."""

    def __iter__(self) -> Iterator[Line]:
        """The rows, not yet read."""

    def parsed(self, line: Line) -> tuple[str | None, dict[str, Any], Any]:
        """Of a row: its JSON, if it is any; its values; and what a sink of the same format must know of it.

        Raises:
            AugmentError: it is no row.
        """


def kind_of(name: str | None) -> str:
    """The format of a file by its name; that of stdin and stdout is JSON lines."""
    return KINDS.get(Path(name).suffix.lower(), JSON_LINES) if name and name != "-" else JSON_LINES


def source_of(kind: str, stream: BinaryIO) -> Source:
    """The rows of a file.

    Raises:
        AugmentError: the file is not of this format, or what reads it is not installed.
    """
    if kind == "JSON":
        return json_array.rows_of(stream)
    if kind in {"CSV", "TSV"}:
        return delimited.Table(stream, "\t" if kind == "TSV" else None)
    if kind == "Parquet":
        return Parquet(stream)
    return JsonLines(stream)
