"""Recognise the format of a file, and choose what reads its rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

from augment_ru.errors import AugmentError, unknown
from augment_ru.formats import delimited, json_array
from augment_ru.formats.json_lines import JsonLines
from augment_ru.formats.layouts import LAYOUTS, layout_of
from augment_ru.formats.lines import Line
from augment_ru.formats.packed import PACKED, bare_name
from augment_ru.formats.parquet import Parquet
from augment_ru.formats.text_lines import TextLines

JSON_LINES = "JSON lines"
PARQUET = "Parquet"

KINDS = {
    ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".json": "JSON", ".csv": "CSV", ".tsv": "TSV", ".parquet": PARQUET,
    ".txt": "text",
}  # fmt: skip
"""The format of a file for each ending of a file name."""
TABLES = ("CSV", "TSV")


class RowSource(Protocol):
    """A source of rows in one format, such as a file or a part of it."""

    unit: ClassVar[str]
    """The word that messages use for a row: line or row."""

    def __iter__(self) -> Iterator[Line]:
        """Yield the rows, not yet parsed."""

    def parsed(self, line: Line) -> tuple[str | None, dict[str, Any], Any]:
        """Parse a row.

        Args:
            line: the row as bytes, with its number.

        Returns:
            Three values: the JSON text of the row (None if the format is not JSON); the values of the row; and what
            else is needed to write the row in the same format.

        Raises:
            AugmentError: the line is not a valid row.
        """


def kind_of(name: str | None, ending: str | None = None) -> str:
    """Return the format of a file, such as "JSON lines", from `ending` if it is given, otherwise from its name.

    Standard input and output hold JSON lines, and so does a file whose name has no ending.

    Args:
        name: the name of the file, which may be packed; `-` or None for standard input or output.
        ending: the ending of a file name, without the dot, or the name of a layout, such as `conll`.

    Raises:
        AugmentError: the format is unknown, or the name is that of a packed Parquet file.
    """
    if ending is not None:
        if ending.partition(":")[0] not in LAYOUTS and f".{ending}" not in KINDS:
            raise unknown("format", ending, [*(one[1:] for one in KINDS), *LAYOUTS])
        return KINDS.get(f".{ending}", ending)
    if not name or name == "-":
        return JSON_LINES
    bare = bare_name(name)
    suffix = Path(bare).suffix.lower()
    if suffix and suffix not in KINDS:
        sheet = "save the sheet as CSV; " if suffix in (".xlsx", ".xls", ".ods") else ""
        remedy = f"{sheet}possible: {', '.join(KINDS)}, and all but Parquet packed ({', '.join(PACKED)})"
        raise AugmentError(f"{name}: no format ends in {suffix}; {remedy}")
    kind = KINDS.get(suffix, JSON_LINES)
    if kind == PARQUET and bare != name:
        raise AugmentError(f"{name}: Parquet files are packed inside; leave out {Path(name).suffix}")
    return kind


def source_of(kind: str, stream: BinaryIO) -> RowSource:
    """Return a reader of the rows of a file in this format.

    Args:
        kind: the format, as `kind_of` names it, such as "JSON lines".
        stream: the content of the file, in UTF-8.

    Raises:
        AugmentError: the file is not of this format, or a package that is needed to read it is not installed.
    """
    if kind == "JSON":
        return json_array.json_source(stream)
    if kind in {"CSV", "TSV"}:
        return delimited.Table(stream, "\t" if kind == "TSV" else None)
    if kind == PARQUET:
        return Parquet(stream)
    if kind == "text":
        return TextLines(stream)
    return layout_of(kind, stream) or JsonLines(stream)
