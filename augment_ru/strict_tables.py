"""TOML files that are read strictly: an unknown key, a missing key or a wrong type is an error that says what fits."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError, unknown

MOST_BYTES = 2**20
"""The most bytes of a TOML file."""
_MOST_SHOWN = 80
"""Characters of a value in a message."""


class Kind(NamedTuple):
    """A type of values: its name in messages, and the test that a value must pass."""

    name: str
    fits: Callable[[Any], bool]


class Key(NamedTuple):
    """A key that a table may have: the kind of its value, and the value that stands for an absent key."""

    kind: Kind
    default: Any = None
    required: bool = False


def _are(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(one, kind) for one in value)


TEXT = Kind("a text", lambda value: isinstance(value, str))
NUMBER = Kind("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool))
INTEGER = Kind("an integer", lambda value: isinstance(value, int) and not isinstance(value, bool))
TRUTH = Kind("true or false", lambda value: isinstance(value, bool))
LIST = Kind("a list", lambda value: isinstance(value, list))
TEXTS = Kind("a list of texts", _are(str))
SOME_TEXTS = Kind("a list of at least one text", lambda value: TEXTS.fits(value) and bool(value))
TEXT_OR_TEXTS = Kind("a text or a list of texts", lambda value: TEXT.fits(value) or TEXTS.fits(value))
TABLE = Kind("a table", lambda value: isinstance(value, Mapping))
TABLES = Kind("a list of tables, with its name in [[…]] above each", _are(dict))


def read_toml(path: Path, where: str | None = None) -> dict[str, Any]:
    """The content of a TOML file; a byte-order mark is skipped.

    Args:
        path: the file.
        where: its name in messages; by default the path.

    Raises:
        AugmentError: the file cannot be read, or is not TOML in UTF-8.
    """
    try:
        return tomllib.loads(toml_text(path, where))
    except RecursionError as error:
        raise AugmentError(f"{where or path}: not TOML that can be read: it is nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, and that of a number with thousands of digits
        hint = "; a text stands in quotation marks" if str(error).startswith("Invalid value") else ""
        raise AugmentError(f"{where or path}: not TOML: {error}{hint}") from error


def toml_text(path: Path, where: str | None = None, most: int = MOST_BYTES) -> str:
    """The text of a small file in UTF-8, without a byte-order mark; of a file without an end no more is read.

    Args:
        path: the file.
        where: its name in messages; by default the path.
        most: how many bytes it may have.

    Raises:
        AugmentError: it cannot be read, is longer, or is not in UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AugmentError(f"{path}: cannot be read ({reason}); give the path of a TOML file") from error
    if len(data) > most:
        raise AugmentError(f"{where or path}: over {most:,} bytes; such a file may have no more")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AugmentError(f"{where or path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error


def checked(where: str, value: Any, kind: Kind) -> Any:  # noqa: ANN401  (values of TOML)
    """The value, if it is of the kind.

    Raises:
        AugmentError: it is not.
    """
    if not kind.fits(value):
        raise AugmentError(f"{where} is {_shown(value)}; it must be {kind.name}")
    return value


def _shown(value: object) -> str:
    """A value in a message; of a long one the beginning."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def table_values(where: str, table: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    """The values of all keys that a table may have; the default where it does not have the key.

    Args:
        where: the file and the table, for messages.
        table: what TOML holds.
        keys: the keys that it may have.

    Raises:
        AugmentError: a key is unknown, a required one is missing or empty, or a value is of another kind.
    """
    for key, value in table.items():
        if key not in keys:
            raise AugmentError(f"{where}: {unknown('key', key, keys)}")
        checked(f"{where}: '{key}'", value, keys[key].kind)
    for key, known in keys.items():
        if known.required and not table.get(key):
            raise AugmentError(f"{where}: '{key}' is missing or empty; it must be {known.kind.name}")
    return {key: table.get(key, known.default) for key, known in keys.items()}
