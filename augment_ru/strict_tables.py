"""Reads TOML files strictly: an unknown key, a missing key or a wrong type is an error that says what is allowed."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import inspect

from augment_ru.errors import AugmentError, saying_instead, unknown
from augment_ru.resources import SMALL, file_text

T = TypeVar("T")
SomeText = Annotated[str, msgspec.Meta(min_length=1)]
SomeTexts = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
Number = int | float
"""The type of a number that keeps the form in which a file writes it: 1 does not become 1.0."""

_LONG_KEY = re.compile(r"""(?:[\w"'-]++[ \t]*+\.[ \t]*+){100}""")
_MOST_SHOWN = 80
"""How many characters of a value are shown in a message."""


def read_toml(path: Path, where: str | None = None) -> dict[str, Any]:
    """Return the content of a TOML file; a byte-order mark is skipped.

    Args:
        path: the file.
        where: its name in messages; by default the path.

    Raises:
        AugmentError: the file cannot be read, or is not TOML in UTF-8.
    """
    text = file_text(path, where, most=SMALL, what="a TOML file")
    if _LONG_KEY.search(text):  # tomllib takes a time that grows with the square of its parts
        raise AugmentError(f"{where or path}: not TOML that can be read: a key of a hundred parts or more")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise AugmentError(f"{where or path}: not TOML that can be read: it is nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, and that of a number with thousands of digits
        hint = "; a text stands in quotation marks" if str(error).startswith("Invalid value") else ""
        raise AugmentError(f"{where or path}: not TOML: {error}{hint}") from error


def _shown(value: object) -> str:
    """Return the `repr` of a value for a message, cut off after 80 characters."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def typed(where: str, table: object, kind: type[T]) -> T:
    """Convert a table of a file to an object of a type; keys and values must be as the type declares them.

    Args:
        where: the file and the table in it, for messages.
        table: a value as TOML or JSON files hold it.
        kind: the type, a subclass of `msgspec.Struct`. If its constructor raises a `ValueError`, the text of that error
            becomes the message.

    Raises:
        AugmentError: a key is unknown or missing, a value has another type, or the constructor raises a `ValueError`.
    """
    with saying_instead(lambda error: _told(where, table, kind, str(error)), msgspec.ValidationError):
        return msgspec.convert(table, kind)


_ERROR = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_OF_KEY = re.compile(r"Object (?:missing required|contains unknown) field `(.*)`", re.DOTALL)


def _told(where: str, value: Any, kind: type, error: str) -> str:  # noqa: ANN401  (values of TOML)
    """Rewrite an error message of msgspec so that it names the table, the key, its value, and what it must be.

    Args:
        where: the file and the table.
        value: the value that was converted.
        kind: the type that it was converted to.
        error: the message of msgspec.
    """
    said, path = re.fullmatch(_ERROR, error).groups(default="")  # type: ignore[union-attr]  # it matches any text
    node = _bare(inspect.type_info(kind))
    of_value = said.startswith(("Expected", "Invalid"))
    steps = [name or number for name, number in re.findall(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]", path)]
    places: list[str] = []
    for at, step in enumerate(steps):
        if isinstance(value, list):
            item = _item(node)
            if of_value and not isinstance(item, inspect.StructType):
                break  # the whole list is shown
            places[-1] = f"[{places[-1]}] {int(step) + 1}"
            value, node = value[int(step)], item
        else:
            key = step if step != "..." else _wrong_key(value, said, len(steps) - at)
            places.append(f"[{key}]")
            value, node = value[key], _of_key(node, key)
    if named := _OF_KEY.fullmatch(said):
        where = ": ".join([where, *places])
        if "unknown" in said:
            return f"{where}: {unknown('key', named[1], (field.encode_name for field in node.fields))}"
        return f"{where}: '{named[1]}' is missing; it must be {_described(_of_key(node, named[1]))}"
    if not of_value:
        return ": ".join([where, *places, said])
    if places and places[-1].endswith("]"):
        places[-1] = f"'{places[-1].strip('[]')}'"
    path = "made of keys and dots, with [0], [-1], [] or [key=value] after the key of a list, as in turns[].text"
    must = path if "matching regex" in said else _described(node)
    return f"{': '.join([where, *places])} is {_shown(value)}; it must be {must}"


def _wrong_key(table: Mapping[str, Any], said: str, depth: int) -> str:
    """Find the key that an error is about in a table that allows any keys; msgspec does not name that key.

    Args:
        table: the table.
        said: what msgspec says about the wrong value.
        depth: how many levels below the table the wrong value lies, at least 1.
    """
    wrong = said.rpartition("got `")[2].rstrip("`")
    names = {str: "str", bool: "bool", int: "int", float: "float", list: "array", dict: "object"}
    bound = re.search(r"([<>])= (-?\d+)$", said)

    def holds(value: object, deeper: int) -> bool:
        if deeper:
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            return any(holds(one, deeper - 1) for one in inner)
        if bound and isinstance(value, int | float):
            return value < int(bound[2]) if bound[1] == ">" else value > int(bound[2])
        if "enum" in said:
            return said.endswith(repr(value))
        return not value if "length" in said else names.get(type(value), type(value).__name__) == wrong

    return next((key for key, value in table.items() if holds(value, depth - 1)), next(iter(table)))


def _bare(node: Any) -> Any:  # noqa: ANN401  (msgspec has one class for each type)
    """Return X for the type `X | None`; return any other type as it is."""
    if isinstance(node, inspect.UnionType):
        others = [one for one in node.types if not isinstance(one, inspect.NoneType)]
        return others[0] if len(others) == 1 else node
    return node


def _item(node: Any) -> Any:  # noqa: ANN401
    if isinstance(node, inspect.UnionType):
        node = next(one for one in node.types if hasattr(one, "item_type") or hasattr(one, "item_types"))
    return _bare(node.item_type if hasattr(node, "item_type") else node.item_types[0])


def _of_key(node: Any, key: str) -> Any:  # noqa: ANN401
    if isinstance(node, inspect.StructType):
        return _bare(next(field.type for field in node.fields if field.encode_name == key))
    return _bare(node.value_type)


_NOUNS: Mapping[Any, str] = {
    inspect.StrType: "a text", inspect.IntType: "an integer", inspect.FloatType: "a number",
    inspect.BoolType: "true or false", inspect.DictType: "a table", inspect.StructType: "a table",
}  # fmt: skip


def _described(node: Any) -> str:  # noqa: ANN401
    if isinstance(node, inspect.UnionType):
        kinds = [type(one) for one in node.types]
        hidden = {inspect.NoneType, inspect.IntType} if inspect.FloatType in kinds else {inspect.NoneType}
        return " or ".join(_described(one) for one in node.types if type(one) not in hidden)
    if isinstance(node, inspect.LiteralType):
        return " or ".join(map(repr, node.values))
    if isinstance(node, inspect.TupleType):
        return f"a list of {len(node.item_types)} {_several(_described(_item(node)))}"
    if hasattr(node, "item_type"):
        if isinstance(_item(node), inspect.StructType):
            return "a list of tables, with its name in [[…]] above each"
        one = _described(_item(node))
        return f"a list of at least one {one.partition(' ')[2]}" if node.min_length else f"a list of {_several(one)}"
    noun = _NOUNS.get(type(node), "another value")
    if getattr(node, "min_length", None):
        noun += " that is not empty"
    if getattr(node, "ge", None) is not None:
        noun += f" from {node.ge}" + (" on" if node.le is None else f" to {node.le}")
    return noun


def _several(noun: str) -> str:
    """Return the plural of a noun.

    >>> _several("a text"), _several("a list of 2 texts"), _several("an integer from 1 on")
    ('texts', 'lists of 2 texts', 'integers from 1 on')
    """
    return re.sub(r"\ban? (\w+)", r"\1s", noun).replace("that is not", "that are not")
