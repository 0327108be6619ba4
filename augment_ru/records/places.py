"""Find numbers in a row that are places in its texts although the task of the row does not declare them as offsets.

They are recognised by their names and by the text at these places, so that no row is written with wrong places.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from augment_ru.records.cells import holds_json, with_cells_read
from augment_ru.records.field_paths import Path

_START = re.compile(r"(?:^|_)(?:start|begin|offset)(?:_|\d|$)", re.IGNORECASE)
_STOP = re.compile(r"(?:^|_)(?:end|stop)(?:_|\d|$)", re.IGNORECASE)
_LEAST = 2
"""The fewest characters of a text that counts as a match at a number; shorter ones may match by chance."""


@lru_cache(maxsize=4096)
def _are_like_places(keys: tuple[str, ...]) -> bool:
    """Tell whether one of the keys is named like a place in a text: `answer_start`, `offset`."""
    return any(map(_START.search, keys))


def may_hold_places(rows: Sequence[dict[str, Any]]) -> bool:
    """Tell whether `places_in` may find places in the rows: by their keys, or because they hold texts of JSON."""
    kinds = set(map(type, chain.from_iterable(map(dict.values, rows))))
    if any(map(_are_like_places, set(map(tuple, rows)))):
        return True
    if str in kinds and any(map(holds_json, chain.from_iterable(map(dict.values, rows)))):
        return True
    return bool(kinds & {dict, list}) and any(True for row in rows for _ in _objects(row, ()))


def places_in(row: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield pairs: the path of a number that is a place in a text, and the field of that text.

    A number counts as a place if its key names a start and one of two conditions holds. Either the text contains, from
    this place on, another text of the same object. Or a word starts at this place, and a word ends at another number of
    the same object, whose key names an end.

    Args:
        row: the row.
        texts: the texts of the row by field.

    >>> row = {"text": "Пушкин жил в Москве.", "answer": {"text": "Москве", "answer_start": 13}, "start": 13}
    >>> list(places_in(row, {"text": row["text"]}))
    [(('answer', 'answer_start'), 'text')]
    """
    for path, held in _objects(with_cells_read(row, texts), ()):
        for key in filter(_START.search, held):
            for entry, start, beside in _numbers(held, key):
                for field, text in texts.items():
                    if any(_stands(text, start, other) for other in beside if other != text):
                        yield (*path, *entry), field
                        break


def _objects(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:  # noqa: ANN401  (JSON values)
    """Yield all objects inside a value that have a key named like a place, with their paths."""
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
    """Yield each number that stands at a key, whose value is a number or a list of numbers.

    Yields triples: the path of the number in the object, the number, and the values of other keys of the object that
    may confirm that it is a place: texts, and numbers whose key names an end. If the key holds a list, only lists of
    the same length count, each with its item at the same index.
    """
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
    """Tell whether the text `other` stands at `start`, or whether whole words fill `text[start:other]`."""
    if start < 0:
        return False
    if isinstance(other, str):
        return len(other) >= _LEAST and text.startswith(other, start)
    if not isinstance(other, int) or not start < other <= len(text):
        return False
    part = text[start:other]
    around = (text[start - 1 : start], text[other : other + 1])
    return part[0].isalnum() and part[-1].isalnum() and not any(map(str.isalnum, around))
