"""Find numbers in a row that are places in its texts although the task of the row does not declare them as offsets.

They are recognised by their names and by the text at these places, so that no row is written with wrong places. A
number may be stated as its digits, as in the cells of a table. These are noticed:

- a number named like a start (`start`, `answer_start`, `offset`, `begin`) or a list of such numbers, if the text beside
  it stands there, or if whole words stand from there to a number beside it that is named like an end (`end`, `stop`);
- two numbers in a list that is named like a place (`span`, `entities`, `offsets`, `range`), or that holds a text beside
  them and is named like labels (`label`, `tags`), if whole words stand from the one to the other: `[19, 24, "LOC"]`;
- both of them inside objects and lists, and in cells that hold objects and lists as JSON.

Not noticed are numbers with other names, indices of words or bytes, indices of characters where neither the text beside
them nor whole words stand, and places stated inside strings that are not JSON.
"""

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.records.field_paths import Path


def holds_json(value: object) -> bool:
    """Tell whether a value is a string with the JSON of an object or a list, such as `'{"start": 3}'`."""
    return isinstance(value, str) and _inside(value) is not value


def with_cells_read(row: Mapping[str, Any], kept: Container[str] = ()) -> Mapping[str, Any]:
    """Parse the strings of a row that hold a JSON object or list, as in cells of a table; return the new row.

    >>> with_cells_read({"text": "[1]", "answers": '{"answer_start": [3]}', "n": "3"}, {"text"})
    {'text': '[1]', 'answers': {'answer_start': [3]}, 'n': '3'}

    Args:
        row: the row.
        kept: the keys whose strings are left as they are.
    """
    found = {key: _inside(held) for key, held in row.items() if isinstance(held, str) and key not in kept}
    return {**row, **found}


def _inside(text: str) -> Any:  # noqa: ANN401  (JSON values)
    """Return the object or the list that a text of JSON stands for; of any other text, the text itself."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


_START = re.compile(r"(?:^|_)(?:start|begin|offset)(?:_|\d|$)", re.IGNORECASE)
_STOP = re.compile(r"(?:^|_)(?:end|stop)(?:_|\d|$)", re.IGNORECASE)
_PAIR = re.compile(
    r"(?:^|_)(?:spans?|ents?|entity|entities|mentions?|offsets?|ranges?|places?|positions?)(?:_|\d|$)", re.IGNORECASE
)
_LABELS = re.compile(r"(?:^|_)(?:labels?|tags?|marks?|ner)(?:_|\d|$)", re.IGNORECASE)
_PAIR_LENGTHS = range(2, 5)
"""The lengths of a list that may be a pair of numbers, with up to two texts beside them."""
_DIGITS = re.compile(r"\d{1,18}(?:\.0)?", re.ASCII)
_LEAST = 2
"""The fewest characters of a text that counts as a match at a number; shorter ones may match by chance."""


@lru_cache(maxsize=4096)
def _are_like_places(keys: tuple[Any, ...]) -> bool:
    """Tell whether one of the keys is named like a place in a text: `answer_start`, `offset`.

    Raises:
        AugmentError: a key is no text.
    """
    if wrong := [key for key in keys if not isinstance(key, str)]:  # Python alone can give such keys
        raise AugmentError(f"the key {wrong[0]!r} is no text; name every field of a row by a text")
    return any(map(_START.search, keys))


def may_hold_places(rows: Sequence[dict[str, Any]]) -> bool:
    """Tell whether rows need to be searched for numbers that are places in their texts.

    This is so if a key is named like a place (`start`, `offset`), or if a value is an object, a list or a string of
    JSON, which may hold such a key.
    """
    kinds = set(map(type, chain.from_iterable(map(dict.values, rows))))
    if any(map(_are_like_places, set(map(tuple, rows)))):
        return True
    if str in kinds and any(map(holds_json, chain.from_iterable(map(dict.values, rows)))):
        return True
    return bool(kinds & {dict, list, tuple}) and any(True for row in rows for _ in _holders(row, ()))


def places_in(row: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield each number in a row that looks like a place in one of its texts, whether or not a task declares it.

    The key of the number must be one for places (`start`, `span`), and the text at this place must fit what else the
    row states: a string stands there, or a span of whole words begins or ends there.

    Args:
        row: the row.
        texts: the texts of the row by field.

    Yields:
        The path of the number in the row, and the field of the text.

    >>> row = {"text": "Пушкин жил в Москве.", "answer": {"text": "Москве", "answer_start": 13}, "start": 13}
    >>> list(places_in(row, {"text": row["text"]}))
    [(('answer', 'answer_start'), 'text')]
    """
    for path, held in _holders(with_cells_read(row, texts), ()):
        for entry, start, beside in _starts(held) if isinstance(held, Mapping) else _pair(held):
            for field, text in texts.items():
                if any(_stands(text, start, other) for other in beside if other != text):
                    yield (*path, *entry), field
                    break


def _holders(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:  # noqa: ANN401  (JSON values)
    """Yield the objects in a value that have a key named like a place, and the pairs of numbers, with their paths."""
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, Mapping):
        inner = value.items()
        if _are_like_places(tuple(value)):
            yield path, value
    elif isinstance(value, list | tuple):
        inner = enumerate(value)
        if len(value) in _PAIR_LENGTHS and _is_pair(value, path):
            yield path, value
    for key, held in inner:
        if isinstance(held, Mapping | list | tuple):
            yield from _holders(held, (*path, key))


def _is_pair(value: Sequence[object], path: Path) -> bool:
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    numbers = sum(_number(one) is not None for one in value)
    has_text = all(isinstance(one, str) or _number(one) is not None for one in value) and len(value) > numbers
    return numbers == 2 and bool(_PAIR.search(name) or (has_text and _LABELS.search(name)))  # noqa: PLR2004  (a pair)


_Found = Iterator[tuple[Path, int, Sequence[str | int]]]
"""Numbers that may be places: the path of each, the number, and the texts and end numbers next to it."""


def _pair(held: Sequence[object]) -> _Found:
    """Yield the first of the two numbers of a pair."""
    (at, start), (_, stop) = ((at, one) for at, one in enumerate(map(_number, held)) if one is not None)
    yield (at,), start, [stop]


def _starts(held: Mapping[str, object]) -> _Found:
    """Yield the numbers at the keys that are named like a start; a key may hold a list of numbers, a column."""
    for key in filter(_START.search, held):
        numbers = held[key]
        others = {name: other for name, other in held.items() if name != key}
        if isinstance(numbers, list | tuple):
            columns = {name: one for name, one in others.items() if isinstance(one, list | tuple)}
            columns = {name: column for name, column in columns.items() if len(column) == len(numbers)}
            for at, start in enumerate(map(_number, numbers)):
                if start is not None:
                    yield (key, at), start, _texts_and_ends({name: column[at] for name, column in columns.items()})
        elif (start := _number(numbers)) is not None:
            yield (key,), start, _texts_and_ends(others)


def _texts_and_ends(values: Mapping[str, object]) -> list[str | int]:
    """Return the texts among values, and the numbers whose keys are named like an end."""
    found: list[str | int] = []
    for name, value in values.items():
        number = _number(value) if _STOP.search(name) else None
        if number is not None:
            found.append(number)
        elif isinstance(value, str):
            found.append(value)
    return found


def _number(value: object) -> int | None:
    """Return a whole number, which may be stated as its digits; None for any other value."""
    if isinstance(value, str):
        return int(value.removesuffix(".0")) if _DIGITS.fullmatch(value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _stands(text: str, start: int, other: str | int) -> bool:
    """Tell whether the text `other` stands at `start`, or whether whole words fill `text[start:other]`."""
    if start < 0:
        return False
    if isinstance(other, str):
        return len(other) >= _LEAST and text.startswith(other, start)
    if not start < other <= len(text):
        return False
    part = text[start:other]
    around = (text[start - 1 : start], text[other : other + 1])
    return part[0].isalnum() and part[-1].isalnum() and not any(map(str.isalnum, around))
