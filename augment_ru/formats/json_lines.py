"""JSON lines: read them strictly, and write a value with the same escapes as its line."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar, NamedTuple

import orjson

from augment_ru.errors import AugmentError, not_utf8
from augment_ru.formats.lines import Line, read_lines


class _RejectedError(ValueError):
    pass


def _no_constant(name: str) -> None:
    raise _RejectedError(f"{name} is no JSON number")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise _RejectedError(f"the key '{twin}' stands twice")
    return table


_decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_twins)


def parsed(data: bytes) -> tuple[str, dict[str, Any]]:
    """Return a line as text, and the object that it encodes.

    Raises:
        AugmentError: the line is not UTF-8, not JSON, or not an object.
    """
    value = _read_at_once(data)
    return _read_strictly(data) if value is None else (data.decode(), value)


EXACT = 2.0**63
"""orjson and the strict reader agree on numbers below this; larger integers may become floats in orjson."""
FLAT = frozenset({str, int, bool, type(None)})
"""Types of values that hold no other values, and that orjson never rounds."""
DEEPEST = 50
"""The levels of nesting up to which colons are counted to see whether orjson dropped a key."""


def _read_at_once(data: bytes) -> dict[str, Any] | None:
    """Read the object of a line with orjson; return None if the strict reader might read it differently.

    If a key occurs twice, orjson keeps only the last one. To notice this, colons are counted: JSON has one for each
    member of an object, and the others are inside strings. If the line has as many colons as the members and strings
    that were read, no member was dropped. A line that may hold an escaped colon gives None: it could hide a dropped
    member.
    """
    if b"\\u003" in data:
        return None
    try:
        value = orjson.loads(data)
        if type(value) is not dict:
            return None
        colons = data.count(b":")
        if colons == len(value) and FLAT.issuperset(map(type, value.values())):
            return value
        return value if colons == colons_of(value, DEEPEST) else None
    except ValueError:
        return None


def colons_of(value: dict[str, Any] | list[Any], depth: int) -> int:
    """Return how many colons the JSON of a value has.

    Raises:
        ValueError: the value is nested deeper than `depth`, or holds a number that orjson may have rounded.
    """
    count = 0
    held: Iterable[Any] = value
    if isinstance(value, dict):
        count = len(value)
        held = value.values()
        for key in value:
            count += key.count(":")
    for one in held:
        kind = type(one)
        if kind is str:
            count += one.count(":")
        elif kind is dict or kind is list:
            if not depth:
                raise ValueError
            count += colons_of(one, depth - 1)
        elif kind is float and not -EXACT < one < EXACT:
            raise ValueError
    return count


def _read_strictly(data: bytes) -> tuple[str, dict[str, Any]]:
    """Do what `parsed` does, with the reader of the standard library.

    Raises:
        AugmentError: the line is not UTF-8, not JSON, or not an object.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(error) from error
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise AugmentError(f"not JSON: {error.msg.removesuffix(' at')} at character {error.pos}") from error
    except RecursionError as error:
        raise AugmentError("not JSON that can be read: nested too deeply") from error
    except _RejectedError as error:
        raise AugmentError(f"not JSON that can be read: {error}") from error
    except ValueError as error:
        raise AugmentError("not JSON that can be read: a number of over 4,300 digits") from error
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number or a truth value")
        raise AugmentError(f"{kind}, not an object; each line must be {{…}}")
    return text, value


class Vanished(float):
    """The value 0 read from a number that is not 0, but too close to 0 for a float, such as 1e-999."""


def _number(spelled: str) -> float:
    value = float(spelled)
    return Vanished(value) if not value and spelled.lower().partition("e")[0].strip("-0.") else value


_MAY_VANISH = re.compile(r"[eE]-\d|\.0{300}")
_spelling = json.JSONDecoder(parse_float=_number)


def as_spelled(line: str | None, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values of a row; a 0 that is another number in the line, such as 1e-999, is replaced by `Vanished`.

    Args:
        line: the JSON line of the row; None if the row was not read from JSON.
        values: the values of the row.

    >>> as_spelled('{"x": 1e-999, "y": 0e-999}', {"x": 0.0, "y": 0.0})["x"].__class__.__name__
    'Vanished'
    """
    if line is None or not _MAY_VANISH.search(line):
        return values
    read: dict[str, Any] = _spelling.decode(line)
    return read


def objects_of(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """Read the objects of JSON lines with orjson; return None if `parsed` might read one of them differently."""
    values = []
    for line in lines:
        if (value := _read_at_once(line)) is None:
            return None
        values.append(value)
    return values


class JsonLines:
    """A file of JSON lines, or a part of it, as a source of rows.

    Args:
        stream: the file or the part.
        called_json: whether the name of the file ends in `.json`.
        first: the number in the file of the first line of `stream`.
    """

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, *, called_json: bool = False, first: int = 1) -> None:
        self.stream, self._first = stream, first
        self.called_json = called_json
        """Whether the name of the file ends in `.json`."""

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines."""
        return read_lines(self.stream, first=self._first)

    def parsed(self, line: Line) -> tuple[str, dict[str, Any], Any]:
        """Return a line as text, its values, and the characters around it in the file.

        Raises:
            AugmentError: the line is not UTF-8, not JSON, or not an object.
        """
        text, values = parsed(line.data)
        return text, values, Around.of(line)


class Around(NamedTuple):
    """The characters around a line: `before` is a byte-order mark or "", `after` is the line end or ""."""

    before: str
    after: str

    @classmethod
    def of(cls, line: Line) -> "Around":
        """Return the text around a line."""
        return PLAIN if line.end == b"\n" and not line.place else cls("\ufeff" if line.place else "", line.end.decode())


PLAIN = Around("", "\n")


def encoded(value: Any, like: str = "") -> str:  # noqa: ANN401  (JSON values)
    r"""Return the value as JSON; non-ASCII letters and slashes are escaped if they are escaped in the JSON text `like`.

    >>> print(encoded("д/х", like=r'"\u043a\/\u043e"'))
    "\u0434\/\u0445"
    """
    if "\\u" in like and like.isascii():
        text = json.dumps(value, ensure_ascii=True)
    else:
        try:
            text = orjson.dumps(value).decode()
        except TypeError:
            text = _unusual(value)
    return text.replace("/", "\\/") if "\\/" in like else text


def _unusual(value: Any) -> str:  # noqa: ANN401  (JSON values)
    """Encode a value that orjson refuses: one with a lone surrogate, or an integer over 64 bits, such as a seed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # in the answer of a model
        return json.dumps(value, separators=(",", ":"))
    return text


def indented(table: Mapping[str, Any]) -> bytes:
    """Encode a report as indented JSON; it may hold integers of any size, such as a seed."""
    try:
        return orjson.dumps(table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer over 64 bits
        return f"{json.dumps(table, ensure_ascii=False, indent=2)}\n".encode()


def encoded_row(row: Mapping[str, Any]) -> str:
    """Encode a row as one line of JSON, without a line end.

    Raises:
        AugmentError: a value cannot be encoded as JSON.
    """
    try:
        line = json.dumps(dict(row), ensure_ascii=False, allow_nan=False)
        line.encode()
    except UnicodeEncodeError:  # a lone surrogate in a field that is only passed on
        return json.dumps(dict(row), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AugmentError(f"the row has no form in JSON: {error}; use row() in place of line()") from error
    return line
