"""JSON files whose rows are in one array or several. Each row is read like a JSON line.

An array may hold arrays of rows instead of rows: MERA's ruTiE has an array for each dialogue.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any, BinaryIO, ClassVar

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import JsonLines, parsed
from augment_ru.formats.json_places import skip, value_end, value_places
from augment_ru.formats.lines import BOM, LONG_LINE_SHOWN, MAX_LINE, Line, decoded, too_long

LONGEST_JSON = 2**30
"""The largest JSON file that is read, in bytes after unpacking."""
_WRAP = "data"
_LINE_BREAK = re.compile(r"(?<![ \t\r\n])[ \t]*[\r\n][ \t\r\n]*")
"""A line break in JSON with the space around it; it can occur only between values."""


class ArrayRows:
    """Consecutive rows of one array of a JSON file, as a source of rows.

    Args:
        rows: the JSON text of each row.
        first: the number that the first of these rows has in the file.
        array: the index of the array in the file, from 0.
    """

    unit: ClassVar[str] = "row"

    def __init__(self, rows: Iterable[bytes], first: int, array: int) -> None:
        self._rows, self._first, self._array = rows, first, array

    def __iter__(self) -> Iterator[Line]:
        """Yield the rows, with the index of the array in `Line.place`."""
        for at, data in enumerate(self._rows, start=self._first):
            if len(data) > MAX_LINE:
                yield Line(at, data[:LONG_LINE_SHOWN], too_long("row", MAX_LINE))
            else:
                yield Line(at, data, place=self._array)

    def parsed(self, line: Line) -> tuple[str, dict[str, Any], int]:
        """Return a row's JSON text on one line, its values, and the index of its array.

        Raises:
            AugmentError: the row is not UTF-8, not an object, has a key twice, or holds a value that is not valid JSON.
        """
        text, values = parsed(line.data)
        return _on_one_line(text), values, line.place


class JsonArray(ArrayRows):
    """The rows of a JSON file: `[{…}, …]`, `[[{…}, …], …]`, `{"data": […]}` or `{"data": {"test": […], …}}`.

    Attributes:
        bom: whether the file starts with a byte-order mark.
        around: the texts before, between and after the arrays: one more than there are arrays.
        arrays: for each array, the JSON text of its rows.

    Raises:
        AugmentError: the file is not UTF-8, not JSON, or holds no array of rows.
    """

    def __init__(self, data: bytes) -> None:
        self.bom = data.startswith(BOM)
        text = decoded(data.removeprefix(BOM))
        try:
            self.around, self.arrays = _split(text)
        except json.JSONDecodeError as error:
            problem = f"line {error.lineno}: not JSON: {error.msg.removesuffix(' at')} at character {error.colno}"
            raise AugmentError(problem) from error
        except RecursionError as error:
            raise AugmentError("not JSON that can be read: nested too deeply") from error

    def __iter__(self) -> Iterator[Line]:
        """Yield the rows of all arrays, numbered from 1, with the index of the array, from 0, in `Line.place`."""
        number = 1
        for array, rows in enumerate(self.arrays):
            yield from ArrayRows(map(str.encode, rows), number, array)
            number += len(rows)


def json_source(stream: BinaryIO) -> "JsonArray | JsonLines":
    """Read a file whose name ends in `.json`: it holds arrays of rows, or JSON lines, which often have this ending.

    Raises:
        AugmentError: the file is too large, or starts like an array but is not one.
    """
    data = stream.read(LONGEST_JSON + 1)
    if len(data) > LONGEST_JSON:
        raise AugmentError(f"over {LONGEST_JSON:,} bytes of JSON, which is read as a whole; give JSON lines (.jsonl)")
    text = data.removeprefix(BOM).decode("utf-8", "replace")
    at = skip(text, 0)
    is_array = text.startswith("[", at)
    with suppress(json.JSONDecodeError, RecursionError):  # the error of JSON lines names the line
        if text.startswith("{", at) and skip(text, value_end(text, at)) == len(text):
            is_array = bool(_starts(text, at))
    return JsonArray(data) if is_array else JsonLines(BytesIO(data), called_json=True)


def _split(text: str) -> tuple[list[str], list[list[str]]]:
    """Return the texts around the arrays of a file, and for each array the JSON text of its rows."""
    begin = skip(text, 0)
    end = skip(text, value_end(text, begin))
    if end < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    around: list[str] = []
    arrays: list[list[str]] = []
    at = 0
    for start in _starts(text, begin):
        around.append(text[at:start])
        places, at = _places(text, start)
        arrays.append([text[first:stop] for first, stop in places])
    return [*around, text[at:]], arrays


def _on_one_line(text: str) -> str:
    """Return the JSON text of a row without line breaks."""
    return _LINE_BREAK.sub(
        lambda match: "" if text[match.start() - 1] in "[{" or text[match.end()] in "]}" else " ", text
    )


def _starts(text: str, at: int) -> list[int]:
    """Return where each array of rows starts in the value at `at`: an array, or an object with the key `data`."""
    if text.startswith("[", at):
        return _inner(text, at)
    at = _members(text, at).get(_WRAP, at)
    if text.startswith("[", at):
        return _inner(text, at)
    found = list(_members(text, at).values()) if text.startswith("{", at) else []
    if not found or not all(text.startswith("[", start) for start in found):
        return []
    return [start for outer in found for start in _inner(text, outer)]


def _inner(text: str, at: int) -> list[int]:
    """Return where the arrays in the array at `at` start; only `at` if it is empty or has an item of another type."""
    found = [start for start, _ in _places(text, at)[0]]
    return found if found and all(text.startswith("[", start) for start in found) else [at]


def _members(text: str, at: int) -> dict[str | int, int]:
    """Map each key of the object at `at` to the index where its value starts; empty if there is no object.

    Raises:
        AugmentError: the object has a key twice.
    """
    found: dict[str | int, int] = {}
    for key, start, _ in value_places(text, at):
        if key in found:
            raise AugmentError(f"not JSON that can be read: the key '{key}' stands twice")
        found[key] = start
    return found


def _places(text: str, at: int) -> tuple[list[tuple[int, int]], int]:
    """Return the start and stop of each item of the array at `at`, and where the array ends."""
    found = [(start, stop) for _, start, stop in value_places(text, at)]
    return found, skip(text, found[-1][1] if found else at + 1) + 1
