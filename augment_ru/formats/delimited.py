"""Read tables of texts in CSV (with the standard library's `csv`) and in TSV."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError, saying_where
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.lines import BOM, LONG_LINE_SHOWN, MAX_LINE, Line, decoded, pass_over, too_long

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""The first characters of a cell that a spreadsheet takes for a formula (OWASP, "CSV Injection")."""


class TableLayout(NamedTuple):
    """How a table is written: its delimiter, its line end, and whether it starts with a byte-order mark.

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
    """Return a copy of a row with an apostrophe before each text that only its edits made look like a formula.

    Such a text begins with `=`, `+`, `-`, `@` (or their fullwidth forms), a tab or a carriage return, and did not begin
    so before the edits.

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


_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab"}
_NOTE = re.compile("sep=.", re.IGNORECASE)
_IN_QUOTES = re.compile('"[^"]*"')


class _Lines:
    """Yields the lines of a table to `csv.reader`, and keeps the bytes of the current row (of one or several lines).

    Attributes:
        number: the number of lines read so far.
        size: the bytes of the row, without those that were skipped because the row is too long.
        ended: whether the row was still incomplete at the end of the file, or at `MAX_LINE` bytes.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        first = stream.readline(len(BOM) + MAX_LINE + 2)
        self.bom = first.startswith(BOM)
        self.first = self._ahead = first.removeprefix(BOM)
        self.number = 0
        self.begin()

    def begin(self) -> None:
        """Start a row at the next line."""
        self.row: list[bytes] = []
        self.size, self.ended = 0, False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        data = self._ahead or (self._stream.readline(MAX_LINE + 2) if self.size <= MAX_LINE else b"")
        self._ahead = b""
        if not data:
            self.ended = True
            raise StopIteration
        self.number += 1
        self.size += len(data)
        self.row.append(data)
        if self.size > MAX_LINE:
            pass_over(self._stream, data, self.number)
        return data.decode("utf-8", "surrogateescape")  # Table.parsed refuses what is not UTF-8


class Table:
    """A CSV or TSV file, as a source of rows.

    Attributes:
        layout: how the file is written (delimiter, line end).
        called_tsv: whether the name of the file says that it is TSV. A CSV file may have tabs between its cells, too.
        names: the names of the columns; empty if the file is empty.
        header: the bytes of the header line, including a byte-order mark if there is one.
        stream: the part of the file that has not been read yet.

    Args:
        stream: the file, or its header line followed by some of its rows.
        delimiter: the character between two cells; None detects it from the header line.
        begin: the line number, in the whole file, of the first row in `stream`; None if this is the first row of the
            file.

    Raises:
        AugmentError: the header line cannot be used.
    """

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, delimiter: str | None, *, begin: int | None = None) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))  # of the whole process: it is never lowered
        self.stream = stream
        self.called_tsv = delimiter == "\t"
        self._lines = _Lines(stream)
        first = self._lines.first.decode("utf-8", "replace")
        if delimiter is None:
            bare = _IN_QUOTES.sub("", first)
            delimiter = max(",;\t", key=lambda one: (bare.count(one), one == ","))
        self.layout = TableLayout(delimiter, "\r\n" if first.endswith("\r\n") else "\n", self._lines.bom)
        self._reader = csv.reader(self._lines, delimiter=delimiter, strict=True)
        self.names: tuple[str, ...] = ()
        with saying_where("the line of names"):
            self.names = self._read_names() if first.strip() else ()
        self.header = (BOM if self.layout.bom else b"") + (b"".join(self._lines.row) or self._lines.first)
        if begin is not None:
            if not self.names:
                next(self._rows(), None)  # the blank line in their place
            self._lines.number = begin - 1

    def _read_names(self) -> tuple[str, ...]:
        line = next(self._rows())
        note = decoded(line.data).strip("\r\n")
        line.usable()
        if _NOTE.fullmatch(note):
            raise AugmentError(f"'{note}' is a note for a spreadsheet program; delete this line")
        names = tuple(line.place)
        if self.layout.is_tsv and "\r" in "".join(names):
            raise AugmentError(_CARRIAGE_RETURN)
        if twins := [name for name in names if names.count(name) > 1]:
            remedy = f"'{twins[0]}' stands twice; rename one column"
            raise AugmentError(remedy if twins[0] else "two columns have no name; name them, or delete them")
        return names

    def __iter__(self) -> Iterator[Line]:
        """Yield the rows. A row of several lines has the number of its first line. Blank lines are skipped."""
        return (line for line in self._rows() if line.data.strip(b" \r\n"))

    def _rows(self) -> Iterator[Line]:
        """Yield the rows, including blank lines, with the list of their cells in `place`."""
        lines = self._lines
        while True:
            lines.begin()
            cells: list[str] = []
            problem = None
            try:
                if self.layout.is_tsv:
                    text = next(lines)
                    text = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
                    cells = self.layout.cells_of_line(text, len(self.names) or None)
                else:
                    cells = next(self._reader)
            except StopIteration:
                return
            except csv.Error:
                problem = self._problem()
            data = b"".join(lines.row)
            bare = data.removesuffix(b"\n").removesuffix(b"\r") if data.endswith(b"\n") else data
            if len(bare) > MAX_LINE:
                problem, bare = too_long("row", MAX_LINE), bare[:LONG_LINE_SHOWN]
            yield Line(lines.number - len(lines.row) + 1, bare, problem, place=cells)

    def raw_rows(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of each row's first line, and the bytes of the row.

        The rest of a line that is too long is left out; its line end is kept.
        """
        for line in self._rows():
            last = self._lines.row[-1]
            is_cut = len(last) > MAX_LINE + 1 and not last.endswith(b"\n")
            yield line.number, b"".join(self._lines.row) + b"\n" * is_cut

    def _problem(self) -> str:
        """Tell why `csv` refused the current row."""
        if self._lines.ended:
            return "a quotation mark is not closed; inside a cell write it twice"
        bare = b"".join(self._lines.row).rstrip(b"\r\n")
        if b"\r" in bare and b'"' not in bare:
            return _CARRIAGE_RETURN
        return "a quotation mark is closed before the cell ends; inside a cell write it twice"

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], None]:
        """Parse a row; return None, the cells of the row by column name, and None.

        In place of the first None other formats return the JSON of the row, in place of the second what is needed to
        write the row again.

        Args:
            line: the row as the bytes of the file.

        Raises:
            AugmentError: the row is not UTF-8, or has more or fewer cells than there are columns.
        """
        decoded(line.data)  # `csv` was given what stands for bytes that are not UTF-8
        cells: list[str] = line.place
        if len(cells) != len(self.names):
            mark = _DELIMITERS[self.layout.delimiter]
            remedy = (
                f"put a cell that holds {mark} in quotation marks"
                if len(cells) > len(self.names)
                else f"cells are parted by {mark}; an empty cell needs it, too"
            )
            raise AugmentError(f"cells: {len(cells)}, names: {len(self.names)}; {remedy}")
        return None, dict(zip(self.names, cells, strict=True)), None


_CARRIAGE_RETURN = "a lone carriage return; save the file with line feeds, or put the cell in quotation marks"
