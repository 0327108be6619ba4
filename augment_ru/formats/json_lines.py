"""Read JSON lines strictly, and write a new value with the same escapes as the line it stands in."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

import orjson

from augment_ru.errors import AugmentError
from augment_ru.formats.lines import Line, decoded, read_lines


def _no_constant(name: str) -> None:
    raise AugmentError(f"not JSON that can be read: {name} is no JSON number")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise AugmentError(f"not JSON that can be read: the key '{twin}' stands twice")
    return table


class Vanished(float):
    """The value 0 read from a number that is not 0, but too close to 0 for a float, such as 1e-999.

    `value_types.json_problem` refuses it, since it would be written as another number.

    >>> [type(one).__name__ for one in parsed(b'{"x": 1e-999, "y": 0e-999}')[1].values()]
    ['Vanished', 'float']
    """


def _number(spelled: str) -> float:
    value = float(spelled)
    return Vanished(value) if not value and spelled.lower().partition("e")[0].strip("-0.") else value


_decoder = json.JSONDecoder(parse_constant=_no_constant, parse_float=_number, object_pairs_hook=_no_twins)


def parsed(data: bytes) -> tuple[str, dict[str, Any]]:
    """Parse a JSON line strictly; return it as text, and the object that it encodes.

    Raises:
        AugmentError: the line is not UTF-8, not JSON or not an object; it holds NaN, an infinity or a key twice; or it
            is nested too deeply.
    """
    text = decoded(data)
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise AugmentError(f"not JSON: {error.msg.removesuffix(' at')} at character {error.pos}") from error
    except RecursionError as error:
        raise AugmentError("not JSON that can be read: nested too deeply") from error
    except ValueError as error:
        raise AugmentError("not JSON that can be read: a number of over 4,300 digits") from error
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number or a truth value")
        raise AugmentError(f"{kind}, not an object; each line must be {{…}}")
    return text, value


def objects_of(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """Read the objects of JSON lines, all at once; return None if a line has an error or a lone surrogate."""
    try:
        values = [parsed(line)[1] for line in lines]
        if b"\\ud" in b"".join(lines).lower():
            orjson.dumps(values)  # refuses lone surrogates
    except (AugmentError, TypeError):
        return None
    return values


class JsonLines:
    """A file of JSON lines, or a part of it, as a source of rows.

    Args:
        stream: the file or the part.
        called_json: whether the name of the file ends in `.json`.
        first: the number that the first line of `stream` has in the file.
        unit: what messages call a line: `row` if the lines were made of another layout.
    """

    def __init__(self, stream: BinaryIO, *, called_json: bool = False, first: int = 1, unit: str = "line") -> None:
        self.stream, self.called_json, self._first, self.unit = stream, called_json, first, unit

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines."""
        return read_lines(self.stream, first=self._first)

    def parsed(self, line: Line) -> tuple[str, dict[str, Any], Any]:
        """Parse a line; return its text, the object in it, and the characters around it in the file (`Around`).

        Raises:
            AugmentError: the line is not UTF-8, not JSON, or not an object.
        """
        text, values = parsed(line.data)
        return text, values, Around.of(line)


class Around(NamedTuple):
    """The characters around a line in its file.

    Attributes:
        before: a byte-order mark, or "".
        after: the line end, or "".
    """

    before: str
    after: str

    @classmethod
    def of(cls, line: Line) -> "Around":
        """Return the characters around a line in its file."""
        return PLAIN if line.end == b"\n" and not line.place else cls("\ufeff" if line.place else "", line.end.decode())


PLAIN = Around("", "\n")


def encoded(value: Any, like: str = "") -> str:  # noqa: ANN401  (JSON values)
    r"""Return a value as JSON.

    >>> print(encoded("д/х", like=r'"\u043a\/\u043e"'))
    "\u0434\/\u0445"

    Args:
        value: the value.
        like: a JSON text whose escapes are copied: letters outside ASCII and slashes are escaped if this text escapes
            them.
    """
    if "\\u" in like and like.isascii():
        text = json.dumps(value, ensure_ascii=True)
    else:
        try:
            text = orjson.dumps(value).decode()
        except TypeError:
            text = json_text(value, separators=(",", ":"))  # a lone surrogate, or an integer over 64 bits
    return text.replace("/", "\\/") if "\\/" in like else text


def json_text(value: Any, **form: Any) -> str:  # noqa: ANN401  (JSON values)
    """Encode a value as JSON. Letters outside ASCII stay, unless one is a lone surrogate: then all are escaped.

    Args:
        value: the value.
        form: further arguments of `json.dumps`.
    """
    text = json.dumps(value, ensure_ascii=False, **form)
    try:
        text.encode()
    except UnicodeEncodeError:  # in a field that is only passed on, or in the answer of a model
        return json.dumps(value, **form)
    return text


def indented(table: Mapping[str, Any]) -> bytes:
    """Encode a report as indented JSON with a line feed at the end; its integers may have any size."""
    with suppress(TypeError):  # an integer over 64 bits
        return orjson.dumps(table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return f"{json.dumps(table, ensure_ascii=False, indent=2)}\n".encode()


def encoded_row(row: Mapping[str, Any]) -> str:
    """Encode a row as one line of JSON, without a line end.

    Raises:
        AugmentError: a value cannot be encoded as JSON.
    """
    try:
        return json_text(dict(row), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AugmentError(f"the row has no form in JSON: {error}; use row() in place of line()") from error
