"""JSON lines: strict reading, and writing a value in the spelling of its line."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
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
    """A line as text, and the object that it spells.

    Raises:
        AugmentError: it is not UTF-8, not JSON, or not an object.
    """
    value = _read_at_once(data)
    return _read_strictly(data) if value is None else (data.decode(), value)


EXACT = 2.0**63
"""Numbers below it are read alike by orjson, which makes floats of integers over 64 bits, and by the strict reader."""
FLAT = frozenset({str, int, bool, type(None)})
"""Types of values that hold no other values, and that orjson never rounds."""
DEEPEST = 50
"""Levels of nesting that are examined for what orjson passes over."""


def _read_at_once(data: bytes) -> dict[str, Any] | None:
    """The object that a line spells, read by orjson; None where it is not certain that the strict reader would agree.

    orjson keeps the last of two equal keys. In JSON every member of an object has a colon outside texts. So if there
    are as many colons as members and colons in texts, no member was lost. An escaped colon would hide a lost one.
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
    """How many colons the JSON of a value has.

    Raises:
        ValueError: the value is nested too deeply, or holds a number that orjson may have rounded.
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
    """As `parsed`, by the standard library's reader.

    Raises:
        AugmentError: it is not UTF-8, not JSON, or not an object.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(error) from error
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise AugmentError(f"not JSON: {error.msg} at character {error.pos}") from error
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
    """0, read from a number that is not 0, but nearer to it than floating point can be, such as 1e-999."""


def _number(spelled: str) -> float:
    value = float(spelled)
    return Vanished(value) if not value and spelled.lower().partition("e")[0].strip("-0.") else value


_MAY_VANISH = re.compile(r"[eE]-\d|\.0{300}")
_spelling = json.JSONDecoder(parse_float=_number)


def as_spelled(line: str | None, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a row, with `Vanished` in place of 0 where its line, if it has one, spells another number.

    >>> as_spelled('{"x": 1e-999, "y": 0e-999}', {"x": 0.0, "y": 0.0})["x"].__class__.__name__
    'Vanished'
    """
    if line is None or not _MAY_VANISH.search(line):
        return values
    read: dict[str, Any] = _spelling.decode(line)
    return read


def objects_of(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects that lines of JSON spell; None where it is not certain that `parsed` would read each of them so.

    Colons are counted as for one line, over all lines at once: each member and each colon in a text has a colon in its
    own line. So no line has fewer colons than its value needs, and if the sums are equal, all are.
    """
    data = b"\n".join(lines)
    if b"\\u003" in data:
        return None
    try:
        values = list(map(orjson.loads, lines))
        if set(map(type, values)) != {dict}:
            return None
        held = list(chain.from_iterable(map(dict.values, values)))
        if FLAT.issuperset(map(type, held)):
            needed = len(held) + "".join([one for one in held if type(one) is str]).count(":")
            if needed != data.count(b":"):
                needed += "".join(chain.from_iterable(values)).count(":")
        else:
            needed = sum(colons_of(one, DEEPEST) for one in values)
    except ValueError:
        return None
    return values if needed == data.count(b":") else None


class JsonLines:
    """A file of JSON lines, or a part of one that begins at the line `first`, as a source of rows."""

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, *, called_json: bool = False, first: int = 1) -> None:
        self.stream, self._first = stream, first
        self.called_json = called_json
        """Whether the name of the file is that of a JSON file."""

    def __iter__(self) -> Iterator[Line]:
        """The lines."""
        return read_lines(self.stream, first=self._first)

    def parsed(self, line: Line) -> tuple[str, dict[str, Any], Any]:
        """A line as text, its values, and what stands around it.

        Raises:
            AugmentError: it is not UTF-8, not JSON, or not an object.
        """
        text, values = parsed(line.data)
        return text, values, Around.of(line)


class Around(NamedTuple):
    """What stands before a line, a byte-order mark or nothing, and after it, its end or nothing."""

    before: str
    after: str

    @classmethod
    def of(cls, line: Line) -> "Around":
        """What stands around a line."""
        return PLAIN if line.end == b"\n" and not line.place else cls("\ufeff" if line.place else "", line.end.decode())


PLAIN = Around("", "\n")


def encoded(value: Any, like: str = "") -> str:  # noqa: ANN401  (JSON values)
    r"""The value as JSON; letters and slashes are escaped if they are in the JSON text `like`.

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
    """A value as JSON that orjson refuses: with an integer over 64 bits, which a seed may be, or a lone surrogate."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # in the answer of a model
        return json.dumps(value, separators=(",", ":"))
    return text


def indented(table: Mapping[str, Any]) -> bytes:
    """A report as JSON in several lines, with integers of any size, such as a seed."""
    try:
        return orjson.dumps(table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer over 64 bits
        return f"{json.dumps(table, ensure_ascii=False, indent=2)}\n".encode()


def encoded_row(row: Mapping[str, Any]) -> str:
    """A row as a line of JSON.

    Raises:
        AugmentError: a value has no form in JSON.
    """
    try:
        line = json.dumps(dict(row), ensure_ascii=False, allow_nan=False)
        line.encode()
    except UnicodeEncodeError:  # a lone surrogate in a field that is only passed on
        return json.dumps(dict(row), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AugmentError(f"the row has no form in JSON: {error}; use row() in place of line()") from error
    return line
