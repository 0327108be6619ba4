"""A JSON file with all rows in an array: each row is found in it, and the characters around the rows stay."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO, ClassVar, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import BOM, MAX_LINE, JsonLines, Line, member_starts, parsed, skip, value_end

_WRAP = "data"


class Rows(NamedTuple):
    """An array of rows: where each row starts and stops in the text."""

    places: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a row stands: in which array, and as which entry of it."""

    array: int
    entry: int


class JsonArray:
    """The rows of `[{…}, …]`, `{"data": […]}` or `{"data": {"test": […], …}}`.

    Raises:
        AugmentError: the file is not UTF-8, not JSON, or holds no array of rows.
    """

    unit: ClassVar[str] = "row"

    def __init__(self, data: bytes) -> None:
        self.bom = data.startswith(BOM)
        try:
            self.text = data.removeprefix(BOM).decode("utf-8")
        except UnicodeDecodeError as error:
            raise AugmentError(f"not UTF-8 at byte {error.start}; save the file as UTF-8") from error
        try:
            self.arrays = list(_arrays(self.text))
        except json.JSONDecodeError as error:
            raise AugmentError(f"line {error.lineno}: not JSON: {error.msg} at character {error.colno}") from error
        except RecursionError as error:
            raise AugmentError("not JSON that can be read: nested too deeply") from error

    def __iter__(self) -> Iterator[Line]:
        """The rows of all arrays, numbered from 1."""
        number = 0
        for array, rows in enumerate(self.arrays):
            for entry, (start, stop) in enumerate(rows.places):
                number += 1
                data = self.text[start:stop].encode()
                long = f"{len(data):,} bytes; the longest row may have {MAX_LINE:,}; split the text"
                yield Line(number, data, long if len(data) > MAX_LINE else None, place=Origin(array, entry))

    def parsed(self, line: Line) -> tuple[str, dict[str, Any], Any]:
        """The text of a row, its values, and where it stands.

        Raises:
            AugmentError: it is no object, has a key twice, or the like.
        """
        text, values = parsed(line.data)
        return text, values, line.place

    def head(self, array: int) -> str:
        """What stands before the first row of an array, from the end of the last row of the array before it."""
        start = self.arrays[array - 1].places[-1][1] if array else 0
        return self.text[start : self.arrays[array].places[0][0]]

    def tail(self) -> str:
        """What stands after the last row."""
        return self.text[self.arrays[-1].places[-1][1] :] if self.arrays else self.text

    def separator(self, array: int, entry: int | None = None) -> str:
        """What stands before an entry that is not the first; without a number, what may stand between any two."""
        places = self.arrays[array].places
        if len(places) > 1:
            entry = entry or 1
            return self.text[places[entry - 1][1] : places[entry][0]]
        space = self.head(array).rpartition("[")[2]
        return f",{space or ' '}"


def rows_of(stream: BinaryIO) -> "JsonArray | JsonLines":
    """The rows of a file that ends in `.json`: of an array, or of lines, which many call so, too.

    Raises:
        AugmentError: the file starts like an array and is none.
    """
    data = stream.read()
    text = data.removeprefix(BOM).decode("utf-8", "replace")
    at = skip(text, 0)
    if text.startswith("[", at):
        return JsonArray(data)
    try:
        whole = text.startswith("{", at) and skip(text, value_end(text, at)) == len(text)
        return JsonArray(data) if whole and _starts(text, at) else JsonLines(BytesIO(data), called_json=True)
    except (json.JSONDecodeError, RecursionError):
        return JsonLines(BytesIO(data), called_json=True)  # says in which line


def _arrays(text: str) -> Iterator[Rows]:
    at = skip(text, 0)
    end = skip(text, value_end(text, at))
    if end < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    for start in _starts(text, at):
        if places := list(_entries(text, start)):
            yield Rows(places)


def _starts(text: str, at: int) -> list[int]:
    """Where the arrays of rows start in the value at `at`: it is one, or an object with `data`."""
    if text.startswith("[", at):
        return [at]
    at = dict(member_starts(text, at)).get(_WRAP, at)
    if text.startswith("[", at):
        return [at]
    found = [start for _, start in member_starts(text, at)] if text.startswith("{", at) else []
    return found if found and all(text.startswith("[", start) for start in found) else []


def _entries(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Where the entries of the array at `at` start and stop."""
    at = skip(text, at + 1)
    while not text.startswith("]", at):
        stop = value_end(text, at)
        yield at, stop
        at = skip(text, stop)
        at = skip(text, at + 1) if text.startswith(",", at) else at
