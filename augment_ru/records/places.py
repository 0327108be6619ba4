"""Numbers in a row that are places in its texts, though its task states no offsets there.

They are recognised by their names and by what stands at them, so that no row is written in which they became wrong.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from augment_ru.records.field_paths import Path

_START = re.compile(r"(?:^|_)(?:start|begin|offset)(?:_|\d|$)", re.IGNORECASE)
_STOP = re.compile(r"(?:^|_)(?:end|stop)(?:_|\d|$)", re.IGNORECASE)
_LEAST = 2
"""Characters of a text that can stand at a number by more than chance."""


@lru_cache(maxsize=4096)
def _are_like_places(keys: tuple[str, ...]) -> bool:
    """Whether one of the keys is named like a place in a text: `answer_start`, `offset`."""
    return any(map(_START.search, keys))


def may_hold_places(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether a row has a key that is named like a place in a text, or may have one in an object or a list."""
    kinds = set(map(type, chain.from_iterable(map(dict.values, rows))))
    if any(map(_are_like_places, set(map(tuple, rows)))):
        return True
    return bool(kinds & {dict, list}) and any(True for row in rows for _ in _objects(row, ()))


def places_in(row: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """The paths of numbers that are places in texts, each with the field of the text.

    A number is one if its name says so, and if a text beside it stands at it, or a word starts at it and another one
    ends at a number beside it.

    Args:
        row: the row.
        texts: its texts by field.

    >>> row = {"text": "Пушкин жил в Москве.", "answer": {"text": "Москве", "answer_start": 13}, "start": 13}
    >>> list(places_in(row, {"text": row["text"]}))
    [(('answer', 'answer_start'), 'text')]
    """
    for path, held in _objects(row, ()):
        for key in filter(_START.search, held):
            for entry, start, beside in _numbers(held, key):
                for field, text in texts.items():
                    if any(_stands(text, start, other) for other in beside if other != text):
                        yield (*path, *entry), field
                        break


def _objects(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:  # noqa: ANN401  (JSON values)
    """All objects of a value that have keys like places, with their paths."""
    if isinstance(value, Mapping):
        if _are_like_places(tuple(value)):
            yield path, value
        for key, inner in value.items():
            if isinstance(inner, Mapping | list):
                yield from _objects(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            if isinstance(inner, Mapping | list):
                yield from _objects(inner, (*path, number))


def _numbers(held: Mapping[str, Any], key: str) -> Iterator[tuple[Path, int, list[object]]]:
    """The numbers at a key, one or a list of them, each with the texts and the ends beside it."""
    numbers = held[key]
    others = [other for name, other in held.items() if _is_beside(name, other)]
    if _is_number(numbers):
        yield (key,), numbers, others
    elif isinstance(numbers, Sequence) and not isinstance(numbers, str):
        columns = [column for column in others if isinstance(column, list) and len(column) == len(numbers)]
        for at, number in enumerate(numbers):
            if _is_number(number):
                yield (key, at), number, [column[at] for column in columns]


def _is_beside(name: str, other: object) -> bool:
    first = other[0] if isinstance(other, list) and other else other
    return isinstance(first, str) or (_is_number(first) and _STOP.search(name) is not None)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _stands(text: str, start: int, other: object) -> bool:
    """Whether a text stands at a place of another, or a word starts there and one ends at the other place."""
    if start < 0:
        return False
    if isinstance(other, str):
        return len(other) >= _LEAST and text.startswith(other, start)
    if not isinstance(other, int) or not start < other <= len(text):
        return False
    part = text[start:other]
    around = (text[start - 1 : start], text[other : other + 1])
    return part[0].isalnum() and part[-1].isalnum() and not any(map(str.isalnum, around))
