"""Write rows as CSV and TSV: cells, quotation marks, line ends."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import encoded

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""The first characters of a cell that a spreadsheet takes for a formula (OWASP, "CSV Injection")."""


class TableLayout(NamedTuple):
    """How a table is written: its delimiter and its line end.

    A CSV cell in quotation marks may hold delimiters and line ends; a quotation mark inside it is written twice. A TSV
    row is one line.

    Attributes:
        delimiter: the character between two cells: a comma, a semicolon or a tab; a tab makes the table TSV.
        end: the line end of each row.
        bom: whether the file starts with a byte-order mark.
    """

    delimiter: str = ","
    end: str = "\n"
    bom: bool = False

    @property
    def is_tsv(self) -> bool:
        """Whether tabs separate the cells."""
        return self.delimiter == "\t"

    def cells_of_line(self, line: str, columns: int | None = None) -> list[str]:
        """Split a TSV row into cells.

        Quotation marks are read as in CSV if that works and gives the right number of cells. Otherwise they are
        ordinary characters.

        Args:
            line: the row, without its line end.
            columns: how many cells the row should have; None if that is not known.
        """
        plain = line.split("\t")
        if '"' not in line:
            return plain
        try:
            (cells,) = csv.reader([line], delimiter="\t", strict=True)
        except csv.Error:
            return plain
        return cells if columns in (None, len(cells)) else plain

    def row(self, cells: Sequence[str]) -> str:
        r"""Return cells as a row of the table with its line end. If the row is read again, it gives the same cells.

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
        written = StringIO()
        csv.writer(written, delimiter=self.delimiter, lineterminator="\r\n").writerow(cells)
        line = written.getvalue().removesuffix("\r\n")
        return (line if line.strip(" \r\n") else f'"{line}"') + self.end  # a blank line would be no row


def cell_text(value: object) -> str:
    """Return a JSON value as the text of a table cell.

    Null becomes an empty cell. Lists, objects, numbers and truth values become JSON.
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else encoded(value)


def without_formulas(row: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with an apostrophe before each text that looks like a spreadsheet formula because of edits.

    Args:
        row: the new values of the row.
        before: the values before the edits.

    >>> without_formulas({"text": "@нна", "other": "=1"}, {"text": "анна", "other": "=1"})
    {'text': "'@нна", 'other': '=1'}
    """
    found = dict(row)
    for name, value in row.items():
        is_formula = isinstance(value, str) and value.startswith(_FORMULA)
        if is_formula and not cell_text(before.get(name)).startswith(_FORMULA):
            found[name] = f"'{value}"
    return found


def check_names(values: Mapping[str, Any], names: Sequence[str]) -> None:
    """Check that the fields of a row are the columns of the table.

    Args:
        values: the row.
        names: the names of the columns.

    Raises:
        AugmentError: the fields differ from the columns.
    """
    if values.keys() != set(names):
        problem = f"a row has the fields {', '.join(values)}; the table has the columns {', '.join(names)}"
        raise AugmentError(f"{problem}; write rows of different fields as JSON lines (-o OUT.jsonl)")
