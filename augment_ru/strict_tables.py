"""Strict tables: which keys a table of a recipe may have, and what each may hold."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError, unknown


class Key(NamedTuple):
    """What a key of a table may hold."""

    fits: Callable[[Any], bool]
    kind: str
    default: Any = None
    needed: bool = False


def is_number(value: object) -> bool:
    """Whether it is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: object) -> bool:
    """Whether it is an integer, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value: object) -> bool:
    """Whether it is a text."""
    return isinstance(value, str)


def is_texts(value: object) -> bool:
    """Whether it is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def is_table(value: object) -> bool:
    """Whether it is a table."""
    return isinstance(value, Mapping)


def is_tables(value: object) -> bool:
    """Whether it is a list of tables."""
    return isinstance(value, list) and all(isinstance(one, Mapping) for one in value)


def must(key: Key) -> Key:
    """The key, which may not be left out."""
    return key._replace(needed=True)


TEXT = Key(is_text, "a text", "")
MAYBE = Key(is_text, "a text")
NUMBER = Key(is_number, "a number")
INTEGER = Key(is_integer, "an integer")
TEXTS = Key(is_texts, "a list of texts", [])
MAYBE_TEXTS = Key(is_texts, "a list of texts")
TABLE = Key(is_table, "a table", {})
TABLES = Key(is_tables, "tables", [])


def values_of(where: str, table: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    """The values of a table, defaults where it has none.

    Raises:
        AugmentError: a key is missing or unknown, or holds something else.
    """
    for key, value in table.items():
        if key not in keys:
            raise AugmentError(f"{where}: {unknown('key', key, keys)}")
        if not keys[key].fits(value):
            raise AugmentError(f"{where}: '{key}' is {value!r}; needs {keys[key].kind}")
    for key, known in keys.items():
        if known.needed and not table.get(key):
            raise AugmentError(f"{where}: no '{key}'; it needs {known.kind}")
    return {key: table.get(key, known.default) for key, known in keys.items()}
