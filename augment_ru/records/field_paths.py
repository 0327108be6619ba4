"""Find the values inside a row by their names, such as `inputs.text` and `passage.questions[0].question`.

A name joins the keys on the way to a value by dots. `[number]` after a key is an entry of its list, `[-1]` the last
one; `[]` stands for every entry, and `[role=user]` for every entry whose `role` is `user`; `[role=user][-1]` is the
last of these. If the row itself has a key that is spelt like the whole name, the name means that key.

A list of parts, as in `messages[-1].content` of chats with pictures, stands for the texts of its parts of type `text`.

This module needs the standard library alone: a release holds a copy of it for lm-evaluation-harness.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, cast

Path = tuple[str | int, ...]
"""The keys of objects and the indices of list items that lead to a value."""


class Which(NamedTuple):
    """Chooses items of a list: those whose `key` has this value, as in `[role=user]`; all if `key` is empty (`[]`)."""

    key: str = ""
    value: str = ""

    def numbers(self, entries: Sequence[Any]) -> list[int]:
        """Return the indices of the chosen items in a list."""
        return [
            number
            for number, entry in enumerate(entries)
            if not self.key or (isinstance(entry, Mapping) and str(entry.get(self.key)) == self.value)
        ]


Steps = tuple[str | int | Which, ...]
"""A name split into steps: keys, indices and choices of list items."""

_EVERY = Which()
_SHOWN, _DEEPEST = 8, 8
"""The most names that a message shows, and the most steps of a name in it."""
_STEP = re.compile(r"\[(-?\d+)\]|\[(?:([^\[\]=]+)=([^\[\]]*))?\]|([^.\[\]]+)")
WELL_FORMED = r"^(?:[^.\[\]]+(?:\[(?:-?\d+|[^\[\]=]+=[^\[\]]*)?\]|\.[^.\[\]]+)*\.?|[^.]*|.*\s.*)$"
"""A pattern of names without a slip such as `a..b` or `a.b[x]`. A name with a space, or without a dot, may also be the
title of a column, such as «Текст [ru]»."""


@lru_cache(maxsize=4096)
def steps(name: str) -> Steps:
    """Split a name into keys, indices and choices of list items; a name that cannot be split is a single key.

    >>> steps("questions[].answers[2].text")
    ('questions', Which(key='', value=''), 'answers', 2, 'text')
    """
    found = [
        match[4] or (int(match[1]) if match[1] else Which(match[2] or "", match[3] or ""))
        for match in _STEP.finditer(name)
    ]
    return tuple(found) if named(found) == name else (name,)


def named(path: Sequence[str | int | Which]) -> str:
    """Return the name of the value that a path (keys and indices) leads to.

    >>> named(("passage", "questions", 0, "question"))
    'passage.questions[0].question'
    """
    return "".join(map(_spelt, path)).removeprefix(".")


def _spelt(step: str | int | Which) -> str:
    if isinstance(step, Which):
        return f"[{step.key}={step.value}]" if step.key else "[]"
    return f"[{step}]" if isinstance(step, int) else f".{step}"


@lru_cache(maxsize=4096)
def is_plain(names: tuple[str, ...]) -> bool:
    """Tell whether each of the names is a single key, such as `text`, and not a path such as `inputs.text`."""
    return all(len(steps(name)) == 1 for name in names)


def path_of(row: Mapping[str, Any], name: str) -> Path:
    """Return the keys and indices that lead to a value in a row; the row may lack this value.

    Args:
        row: the row.
        name: the name of the value, such as `qas[0].query`.
    """
    return (name,) if name in row else _paths(row, steps(name))[0]


@lru_cache(maxsize=4096)
def _has_entries(name: str) -> bool:
    return not all(isinstance(step, str) for step in steps(name))


def every(row: Mapping[str, Any], name: str) -> list[str]:
    """Return the names of all values that a name stands for in a row; a name without brackets gives only itself.

    >>> every({"qas": [{"query": "а"}, {"query": "б"}]}, "qas[].query")
    ['qas[0].query', 'qas[1].query']
    >>> chat = {"messages": [{"role": "user", "content": "а"}, {"role": "assistant", "content": "б"}]}
    >>> every(chat, "messages[role=user][-1].content"), every(chat, "messages[-1].content")
    (['messages[0].content'], ['messages[1].content'])
    """
    if name in row or not _has_entries(name):
        return [name]
    return [named(part) for path in _paths(row, steps(name)) for part in _parts(row, path)]


def _paths(held: Any, whole: Steps, before: Path = ()) -> list[Path]:  # noqa: ANN401  (values of JSON)
    """Return the paths that a name stands for; each list or item that is missing gives one that leads to no value.

    Args:
        held: the row, or a value in it.
        whole: the steps of the name from this value on.
        before: the path of this value.
    """
    if not whole:
        return [before]
    step, rest = whole[0], whole[1:]
    if isinstance(step, str):
        return _paths(_at(held, (step,)), rest, (*before, step))
    if isinstance(held, str) or not isinstance(held, Sequence):
        return [cast("Path", (*before, *whole))]  # no list: reading the value raises the error
    numbers = step.numbers(held) if isinstance(step, Which) else list(range(len(held)))
    if isinstance(step, Which) and step != _EVERY and rest and isinstance(rest[0], int):
        step, rest = rest[0], rest[1:]
    if isinstance(step, int):
        if not -len(numbers) <= step < len(numbers):
            return [cast("Path", (*before, *whole))]
        numbers = [numbers[step]]
    return [path for number in numbers for path in _paths(held[number], rest, (*before, number))]


def _parts(row: Mapping[str, Any], path: Path) -> list[Path]:
    """Return the paths of the texts in a list of parts `{"type": "text", "text": …}`; otherwise only `path`."""
    held = _at(row, path)
    if not isinstance(held, list) or not held or not all(isinstance(part, Mapping) and "type" in part for part in held):
        return [path]
    return [(*path, number, "text") for number, part in enumerate(held) if part["type"] == "text"]


def entries(row: Mapping[str, Any], name: str) -> list[tuple[int, ...]]:
    """Return the indices of the items that a name with `[]` stands for: for each item a tuple, an index for each `[]`.

    >>> entries({"qas": [{"query": "а"}, {"query": "б"}]}, "qas[]")
    [(0,), (1,)]
    """
    return [tuple(step for step in steps(one) if isinstance(step, int)) for one in every(row, name)]


def numbered(name: str, numbers: Sequence[int]) -> str:
    """Replace each `[]` of a name by an index, from the left; the new name stands for one item.

    >>> numbered("questions[].answers[].text", (2, 0))
    'questions[2].answers[0].text'
    """
    for number in numbers[: name.count("[]")]:
        name = name.replace("[]", f"[{number}]", 1)
    return name


def value(row: Mapping[str, Any], name: str, default: Any = None) -> Any:  # noqa: ANN401  (values of JSON)
    """Return one value of a row.

    Args:
        row: the row.
        name: the name of the value, such as `qas[0].query`.
        default: what is returned if the row lacks the value.
    """
    if name in row:
        return row[name]
    return _at(row, steps(name), default)


def has_value(row: Mapping[str, Any], name: str) -> bool:
    """Tell whether a row has a value with this name."""
    return value(row, name, _NOTHING) is not _NOTHING


def values(row: Mapping[str, Any], name: str) -> list[Any]:
    """Return all values that a name such as `qas[].query` stands for; values that the row lacks are left out."""
    found = [value(row, one, _NOTHING) for one in every(row, name)]
    return [one for one in found if one is not _NOTHING]


def keys_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a row, followed by the keys of the objects in it as `key.inner`."""
    if _PLAIN.issuperset(map(type, row.values())):
        return tuple(row)
    objects = [key for key, held in row.items() if isinstance(held, Mapping)]
    return (*row, *(f"{key}.{inner}" for key in objects for inner in row[key])) if objects else tuple(row)


def keys_known_by(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys by which the task of a row is recognised.

    These are the result of `keys_of`, followed by the keys of the first object in each list as `key[].inner`.
    """
    lists = [key for key, held in row.items() if isinstance(held, list) and held and isinstance(held[0], Mapping)]
    return (*keys_of(row), *(f"{key}[].{inner}" for key in lists for inner in row[key][0]))


def keys_of_each(rows: Sequence[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    """Return the result of `keys_known_by` for each row; a fast path serves rows without objects and lists."""
    kinds = set(map(type, chain.from_iterable(map(dict.values, rows))))
    return map(tuple, rows) if kinds <= _PLAIN - {list} else map(keys_known_by, rows)


def inside(value: object, name: str = "") -> str:
    """Return the end of a message, which names up to eight texts inside objects and lists; "" if there are none.

    Args:
        value: the row, or the value of a field.
        name: the name of the field; "" for a row.

    >>> inside({"id": "7", "data": {"title": "Отзыв"}, "turns": [{"said": "Да"}, {"said": "Нет"}]})
    ' (inside them: data.title, turns[].said)'
    >>> inside({"title": "Отзыв"}, "data"), inside({"id": "7"})
    (' (inside it: data.title)', '')
    """
    start = (name,) if name else ()
    found = list(dict.fromkeys(named(path) for path in _text_paths(value, start) if len(path) > 1))
    shown = found if len(found) <= _SHOWN else [*found[:_SHOWN], "…"]
    return f" (inside {'it' if name else 'them'}: {', '.join(shown)})" if found else ""


def _text_paths(value: object, path: Steps) -> Iterator[Steps]:
    if len(path) > _DEEPEST:
        return
    if isinstance(value, str):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _text_paths(inner, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _text_paths(inner, (*path, _EVERY))


def with_value(row: Any, path: Path, new: Any) -> Any:  # noqa: ANN401  (values of JSON)
    """Return a copy of a row with another value in one place; all other values are shared, not copied.

    Args:
        row: the row, or a value inside it.
        path: the keys and indices that lead to the place.
        new: the new value.
    """
    if not path:
        return new
    changed: Any = list(row) if isinstance(row, list) else dict(row)
    changed[path[0]] = with_value(changed[path[0]], path[1:], new)
    return changed


def strings(value: object) -> Iterator[str]:
    """Yield the strings in a value: the value itself, or all strings in its lists and objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from strings(inner)


_NOTHING = object()
_PLAIN = frozenset({str, int, float, bool, list, type(None)})
"""Types of values that are not objects. They are checked first, because `isinstance` is slow with an abstract class."""


def _at(row: Any, path: Steps, default: Any = None) -> Any:  # noqa: ANN401
    for step in path:
        if isinstance(step, str):
            if not isinstance(row, Mapping) or step not in row:
                return default
        elif (
            isinstance(step, Which)
            or isinstance(row, str)
            or not isinstance(row, Sequence)
            or not -len(row) <= step < len(row)
        ):
            return default
        row = row[step]
    return row
