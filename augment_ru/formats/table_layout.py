"""Rows of CSV and TSV as they are written: cells, quotation marks, line ends."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import encoded

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection")."""


class _Echo:
    """A file for `csv.writer` that gives a written row back."""

    def write(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How a table is written.

    A cell of CSV in quotation marks may hold delimiters and line ends; each of its own quotation marks stands twice.
    A row of TSV is one line. If csv's quotation marks give it one cell for each column, they are read so; else every
    quotation mark of the line is a character.

    Attributes:
        delimiter: the character between two cells: a comma, a semicolon or a tab, which makes it TSV.
        end: the end of each line.
        bom: whether a byte-order mark stands first.
    """

    delimiter: str = ","
    end: str = "\n"
    bom: bool = False

    @property
    def is_tsv(self) -> bool:
        """Whether tabs separate the cells."""
        return self.delimiter == "\t"

    def cells_of_line(self, line: str, columns: int | None = None) -> list[str]:
        """The cells of a row of TSV, without the end of its line; `columns` is their number, if it is known."""
        plain = line.split("\t")
        if '"' not in line:
            return plain
        try:
            (cells,) = csv.reader([line], delimiter="\t", strict=True)
        except csv.Error:
            return plain
        return cells if columns in (None, len(cells)) else plain

    def row(self, cells: Sequence[str]) -> str:
        r"""Cells as a row with the end of its line; reading it gives the same cells.

        >>> TableLayout(",").row(['два "слова", да', "слово"]), TableLayout("\t").row(['"кот" спит', '"пёс"'])
        ('"два ""слова"", да",слово\n', '"кот" спит\t"пёс"\n')

        Raises:
            AugmentError: a cell of TSV holds a line feed.
        """
        if self.is_tsv:
            plain = "\t".join(cells)
            if "\n" in plain:
                raise AugmentError("a cell of TSV is one line, but a text has a line feed; write CSV (-o OUT.csv)")
            if plain.strip(" \r") and "\r" not in plain and self.cells_of_line(plain, len(cells)) == list(cells):
                return plain + self.end
        # with this line terminator every version of csv puts cells with either line end in quotation marks
        written: Any = csv.writer(_Echo(), delimiter=self.delimiter, lineterminator="\r\n").writerow(cells)
        line = str(written).removesuffix("\r\n")
        return (line if line.strip(" \r\n") else f'"{line}"') + self.end  # a blank line would be no row


def cell_text(value: object) -> str:
    """A value of JSON as the text of a cell: null is empty; lists, objects and numbers are JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else encoded(value)


def without_formulas(row: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """A row with an apostrophe before each text that a spreadsheet would take for a formula, and not the one before.

    >>> without_formulas({"text": "@нна", "other": "=1"}, {"text": "анна", "other": "=1"})
    {'text': "'@нна", 'other': '=1'}
    """
    return {
        name: f"'{value}"
        if isinstance(value, str)
        and value.startswith(_FORMULA)
        and not cell_text(before.get(name)).startswith(_FORMULA)
        else value
        for name, value in row.items()
    }


def check_names(values: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise an error if the values have other names than the columns.

    Raises:
        AugmentError: both, and what to do.
    """
    if values.keys() != set(names):
        raise AugmentError(
            f"a row has the fields {', '.join(values)}; the table has the columns {', '.join(names)}; "
            f"write rows of different fields as JSON lines (-o OUT.jsonl)"
        )


def row_of_values(values: Mapping[str, Any], names: Sequence[str], layout: TableLayout) -> str:
    """Values as a row with the end of its line.

    Raises:
        AugmentError: the values have other names than the columns, or a text has no form in the table.
    """
    check_names(values, names)
    row = layout.row([cell_text(values[name]) for name in names])
    try:
        row.encode()
    except UnicodeEncodeError as error:
        raise AugmentError(
            "a text with a lone surrogate has no form in a table; write JSON lines (-o OUT.jsonl)"
        ) from error
    return row
