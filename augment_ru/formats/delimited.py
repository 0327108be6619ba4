"""Tables of texts: CSV and TSV, read so that a cell which does not change keeps its bytes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import BOM, MAX_LINE, Line, encoded

_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab"}
_CLOSING = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')
_QUOTED = re.compile(f'"{_CLOSING.pattern}')


class Cell(NamedTuple):
    """A cell: its characters in the file, and the text they spell."""

    raw: str
    text: str


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written: what parts its cells, and how its lines end.

    A cell of CSV that starts with a quotation mark goes to the next lone one, line ends included, and has each of its
    quotation marks twice. TSV has no line ends in a cell; a quotation mark there that nothing closes is a character.
    """

    delimiter: str
    end: str = "\n"

    @property
    def is_tsv(self) -> bool:
        """Whether tabs part the cells."""
        return self.delimiter == "\t"

    def leaves_open(self, line: str, *, within: bool = False) -> bool:
        """Whether a cell goes on after the line, which itself may start within one."""
        if self.is_tsv:
            return False
        at = 0
        while True:
            if within or line.startswith('"', at):
                closing = _CLOSING.match(line, at if within else at + 1)
                if closing is None:
                    return True
                at, within = closing.end(), False
            at = line.find(self.delimiter, at) + 1
            if at == 0:
                return False

    def cells(self, line: str) -> list[Cell]:
        """The cells of a row, without the end of its line.

        Raises:
            AugmentError: a quotation mark is not closed, or closed before its cell ends.
        """
        if '"' not in line:
            return [Cell(raw, raw) for raw in line.split(self.delimiter)]
        found: list[Cell] = []
        at = 0
        while True:
            quoted = _QUOTED.match(line, at)
            stop = line.find(self.delimiter, quoted.end() if quoted else at)
            stop = len(line) if stop < 0 else stop
            if quoted and quoted.end() == stop:
                found.append(Cell(quoted[0], quoted[0][1:-1].replace('""', '"')))
            elif self.is_tsv or not line.startswith('"', at):
                stop = line.find(self.delimiter, at)
                stop = len(line) if stop < 0 else stop
                found.append(Cell(line[at:stop], line[at:stop]))
            else:
                why = "is closed before the cell ends" if quoted else "is not closed"
                raise AugmentError(f"cell {len(found) + 1}: its quotation mark {why}; inside a cell write it twice")
            if stop == len(line):
                return found
            at = stop + 1

    def row(self, cells: Sequence[str]) -> str:
        """Written cells as a row; the lone cell of a row, if empty, is in quotation marks, or its line were blank."""
        return self.delimiter.join(cells) or ('""' if len(cells) == 1 else "")

    def written(self, text: str, like: str = "") -> str:
        """A text as a cell; in quotation marks if it needs them, or if `like`, the cell it replaces, has them.

        >>> Dialect(",").written('два "слова", да'), Dialect(",").written("слово", like='"дело"')
        ('"два ""слова"", да"', '"слово"')
        """
        needs = self.delimiter in text or "\n" in text or "\r" in text or text.startswith('"')
        needs = needs or ('"' in text and not self.is_tsv)
        if needs or (len(like) > 1 and like[0] == like[-1] == '"'):
            return '"' + text.replace('"', '""') + '"'
        return text


@dataclass(frozen=True, slots=True)
class Head:
    """The first line of a table."""

    names: tuple[str, ...]
    raw: str
    dialect: Dialect
    bom: bool
    ended: bool = True
    """Whether the line ends; else it is the last."""


class Table:
    """A CSV or TSV file, as a source of rows.

    Raises:
        AugmentError: the file has no line of names, or one that cannot be used.
    """

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, delimiter: str | None) -> None:
        self._stream = stream
        self._number = 0
        self.head = self._read_head(delimiter)

    def _read_head(self, delimiter: str | None) -> Head | None:
        first = self._stream.readline(MAX_LINE)
        if not first.removeprefix(BOM).strip():
            return None
        text = _decoded(first.removeprefix(BOM), "the line of names")
        if delimiter is None:
            bare = _QUOTED.sub("", text)
            delimiter = max(",;\t", key=lambda one: (bare.count(one), one == ","))
        dialect = Dialect(delimiter, "\r\n" if text.endswith("\r\n") else "\n")
        text += "".join(_decoded(more, "the line of names") for more in self._rest(text, dialect))
        self._number = text.count("\n") or 1
        raw = text.rstrip("\r\n")
        names = tuple(cell.text for cell in dialect.cells(raw))
        if "\r" in _QUOTED.sub("", raw):
            raise AugmentError("the line of names: its end is a lone carriage return; save the file with line feeds")
        if twins := [name for name in names if names.count(name) > 1]:
            raise AugmentError(f"the line of names: '{twins[0]}' stands twice; rename one column")
        return Head(names, raw, dialect, first.startswith(BOM), ended=text.endswith("\n"))

    def __iter__(self) -> Iterator[Line]:
        """The rows; a row of several lines has the number of its first. Blank lines are passed over."""
        if self.head is None:
            return
        while data := self._stream.readline(MAX_LINE + 2):
            self._number += 1
            number = self._number
            if b'"' in data:
                rest = list(self._rest(data.decode("utf-8", "replace"), self.head.dialect))
                self._number += len(rest)
                data += b"".join(rest)
            bare = data.removesuffix(b"\n").removesuffix(b"\r") if data.endswith(b"\n") else data
            if len(bare) > MAX_LINE:
                yield Line(number, bare, f"{len(bare):,} bytes; the longest row may have {MAX_LINE:,}; split the text")
            elif bare.strip(b" \r\n"):
                yield Line(number, bare, end=data[len(bare) :])

    def _rest(self, first: str, dialect: Dialect) -> Iterator[bytes]:
        """The further lines of a row, if a cell of its first line goes on."""
        within, size = dialect.leaves_open(first), len(first)
        while within and size <= MAX_LINE and (more := self._stream.readline(MAX_LINE + 2)):
            size += len(more)
            within = dialect.leaves_open(more.decode("utf-8", "replace"), within=True)
            yield more

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Any]:
        """The values of a row by the names of the columns, and its cells.

        Raises:
            AugmentError: it is not UTF-8, or has more or fewer cells than there are names.
        """
        if self.head is None:
            raise AugmentError("no line of names")
        cells = self.head.dialect.cells(_decoded(line.data))
        if len(cells) != len(self.head.names):
            held = _DELIMITERS[self.head.dialect.delimiter]
            counts = f"cells: {len(cells)}, names: {len(self.head.names)}"
            raise AugmentError(f"{counts}; put a cell that holds {held} in quotation marks")
        values = dict(zip(self.head.names, (cell.text for cell in cells), strict=True))
        return None, values, Origin(tuple(cell.raw for cell in cells), line.end.decode())


class Origin(NamedTuple):
    """What a row of a table was read from: its cells as they are written, and the end of its line."""

    cells: tuple[str, ...]
    end: str


def _decoded(data: bytes, where: str = "") -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        here = f"{where}: " if where else ""
        raise AugmentError(f"{here}not UTF-8 at byte {error.start}; save the file as UTF-8") from error


def cell_text(value: object) -> str:
    """A value of JSON as the text of a cell: nothing is empty, lists and objects are JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else encoded(value)


def row_of(values: Mapping[str, Any], names: Sequence[str], dialect: Dialect) -> str:
    """A row made of values.

    Raises:
        AugmentError: it has other fields than there are columns.
    """
    if values.keys() != set(names):
        raise AugmentError(
            f"a row has the fields {', '.join(values)}; the table has the columns {', '.join(names)}; "
            f"write rows of different fields as JSON lines (-o OUT.jsonl)"
        )
    return dialect.row([dialect.written(cell_text(values[name])) for name in names])
