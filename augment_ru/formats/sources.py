"""File formats: which one a file has, and what reads its rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

from augment_ru.errors import AugmentError
from augment_ru.formats import delimited, json_array
from augment_ru.formats.json_lines import JsonLines
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
"""The format of a file by the end of its name."""
TABLES = ("CSV", "TSV")


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


def kind_of(name: str | None, ending: str | None = None) -> str:
    """The format of a file by its name, whether it is packed or not; or by the ending that it might have, without dot.

    stdin and stdout, `-` or None, hold JSON lines, and so does a file whose name has no ending.

    Raises:
        AugmentError: the name has an ending of another format.
    """
    if ending is not None:
        return KINDS[f".{ending}"]
    if not name or name == "-":
        return JSON_LINES
    bare = bare_name(name)
    suffix = Path(bare).suffix.lower()
    if suffix and suffix not in KINDS:
        sheet = "save the sheet as CSV; " if suffix in (".xlsx", ".xls", ".ods") else ""
        raise AugmentError(
            f"{name}: no format ends in {suffix}; {sheet}possible: {', '.join(KINDS)}, and all but Parquet packed "
            f"({', '.join(PACKED)})"
        )
    kind = KINDS.get(suffix, JSON_LINES)
    if kind == PARQUET and bare != name:
        raise AugmentError(f"{name}: Parquet files are packed inside; leave out {Path(name).suffix}")
    return kind


def source_of(kind: str, stream: BinaryIO) -> RowSource:
    """The rows of a file.

    Raises:
        AugmentError: the file is not of this format, or what reads it is not installed.
    """
    if kind == "JSON":
        return json_array.json_source(stream)
    if kind in {"CSV", "TSV"}:
        return delimited.Table(stream, "\t" if kind == "TSV" else None)
    if kind == PARQUET:
        return Parquet(stream)
    if kind == "text":
        return TextLines(stream)
    return JsonLines(stream)
