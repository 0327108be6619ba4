"""Check whether a format can hold the values of a row, before any work; messages name the field."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import Vanished
from augment_ru.records import offsets
from augment_ru.records.field_paths import Path, named

Problem = Callable[[Any], str | None]
"""A function that takes a value and returns what is wrong with it, or None. It is not called for lists and objects that
have entries."""

_DEEPEST = 100
"""The deepest nesting of lists and objects in a Parquet column; pyarrow reads types recursively."""

TO_LINES, TO_PARQUET = "write JSON lines (-o OUT.jsonl)", "write Parquet (-o OUT.parquet)"
"""The advice for a row that was read from JSON or a table, and for a row that was read from Parquet."""

_LONG = 2**63
_EXACT = 2**53
"""Integers up to this size are exact as floating-point numbers."""


def _nodes(values: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield the path of each value in a row, and the value; an object or a list comes before what it holds.

    There is no recursion, since rows may be nested more deeply than functions can call themselves.
    """
    waiting: list[tuple[Path, Any]] = [((name,), value) for name, value in reversed([*values.items()])]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        waiting += [((*path, step), inner) for step, inner in reversed([*_held(value)])]


def _held(value: object) -> Iterable[tuple[Any, Any]]:
    """Return what an object or a list holds, with keys or numbers; a tuple is an entry of a map in Parquet."""
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()


def check_values(values: Mapping[str, Any], problem: Problem, advice: str) -> None:
    """Check that a format can hold every value of a row.

    Args:
        values: the row.
        problem: a function that takes a value and tells what is wrong with it; it returns None if nothing is.
        advice: what the user can do if a value cannot be held, for the message.

    Raises:
        AugmentError: `problem` finds something wrong with a value.
    """
    for path, value in _nodes(values):
        is_filled = isinstance(value, Mapping | list | tuple) and len(value) > 0  # it is in order if what it holds is
        if wrong := problem(path[-1]) or (None if is_filled else problem(value)):
            name = named(path).encode("utf-8", "backslashreplace").decode()
            raise AugmentError(f"field '{name}': {wrong}; {advice}")


def json_problem(value: object) -> str | None:
    """Tell why JSON cannot hold a value; None if it can."""
    if isinstance(value, Vanished):
        return "a number that is nearer to 0 than floating point can be"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN is no JSON number" if math.isnan(value) else "a number beyond the range of floating point"
    if value is None or isinstance(value, str | int | float | list | tuple | Mapping):
        return None
    return f"a value of the type '{type(value).__name__}' has no form in JSON"


def table_problem(value: object) -> str | None:
    """Tell why a cell of a CSV or TSV table cannot hold a value; None if it can."""
    if isinstance(value, str):
        return surrogate_problem(value, "a table")
    return json_problem(value)


def surrogate_problem(text: str, where: str) -> str | None:
    """Tell why UTF-8 cannot hold a text (because of a lone surrogate); None if it can.

    Args:
        text: the text.
        where: the format to be written, for the message.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"a text with a lone surrogate has no form in {where}"
    return None


def parquet_problem(value: object) -> str | None:
    """Tell why Parquet cannot hold a value; None if it can."""
    if isinstance(value, str):
        return surrogate_problem(value, "Parquet")
    if isinstance(value, Mapping):
        return "an empty object has no form in Parquet"
    if isinstance(value, int) and not -_LONG <= value < _LONG:
        return "an integer over 64 bits has no form in Parquet"
    return json_problem(value)


class Learnt(NamedTuple):
    """The names and types of columns that a sink (writer of rows) found in the rows so far.

    Attributes:
        names: the names of the columns, if the format is a table.
        types: the type of the values at each path in the rows, if the format needs it.
    """

    names: tuple[str, ...] = ()
    types: tuple[tuple[Path, str], ...] = ()


NOTHING = Learnt()


class Columns:
    """Keeps the types of the values in the rows so far, since all values of a Parquet column must have one type.

    Integers and other numbers may share a column if no integer has more than 53 bits.

    Attributes:
        seen: the type of the values at each path in the rows.
    """

    def __init__(self, seen: Iterable[tuple[Path, str]] = ()) -> None:
        self.seen: dict[Path, str] = dict(seen)

    def add(self, types: Iterable[tuple[Path, str]]) -> None:
        """Add the types of the values of further rows.

        Args:
            types: pairs of a path in the rows and the type of the values there.

        Raises:
            AugmentError: two types at the same path cannot share a column.
        """
        self.seen |= {path: _joined(path, self.seen.get(path, kind), kind) for path, kind in types}

    def check(self, values: Mapping[str, Any]) -> None:
        """Check that the values of a row have the types of their columns, and remember their types.

        Raises:
            AugmentError: a value has another type than its column, or is nested too deeply.
        """
        found: dict[Path, str] = {}
        for steps, value in _nodes(values):
            if value is None:
                continue
            kind = _type(value)
            path = tuple(0 if isinstance(step, int) else step for step in steps)
            if len(path) > _DEEPEST:
                raise AugmentError(f"field '{path[0]}': nested too deeply for Parquet; {TO_LINES}")
            before = found.get(path) or self.seen.get(path, kind)
            found[path] = _joined(path, before, kind)
        self.seen |= found


_BOTH = {
    frozenset({"an integer", "a number"}): "a number",
    frozenset({"an integer", "an integer over 53 bits"}): "an integer over 53 bits",
}
"""The type of a column that holds values of two types."""


def _joined(path: Path, before: str, now: str) -> str:
    if before == now:
        return now
    if both := _BOTH.get(frozenset({before, now})):
        return both
    raise AugmentError(
        f"field '{named(path)}': {now}, but {before} in a row before it; a column of Parquet has one type; {TO_LINES}"
    )


def _type(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return "an integer" if -_EXACT <= value <= _EXACT else "an integer over 53 bits"
    return "a number" if isinstance(value, float) else offsets.kind(value)


def line_feed(value: object) -> str | None:
    """Tell why a TSV cell cannot hold a value (it is a text with a line feed); None if it can."""
    return "a cell of TSV is one line, but a text has a line feed" if isinstance(value, str) and "\n" in value else None
