"""Names of values inside a row: `inputs.text`, `passage.questions[0].question`.

A name joins the keys on the way to a value by dots; `[number]` after a key is an entry of its list, and `[]` stands for
every entry. If the row itself has a key that is spelt like the whole name, the name means that key.

This module needs the standard library alone: a release holds a copy of it for lm-evaluation-harness.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

Path = tuple[str | int, ...]
"""The keys of objects and the numbers of list entries that lead to a value."""

_EVERY = -1
_SHOWN, _DEEPEST = 8, 8
"""How many names a message shows, and how many steps the longest of them has."""
_STEP = re.compile(r"\[(\d*)\]|([^.\[\]]+)")


@lru_cache(maxsize=4096)
def steps(name: str) -> Path:
    """The keys and numbers of a name; -1 for `[]`.

    >>> steps("passage.questions[].answers[2].text")
    ('passage', 'questions', -1, 'answers', 2, 'text')
    """
    found = [match[2] or (int(match[1]) if match[1] else _EVERY) for match in _STEP.finditer(name)]
    return tuple(found) if named(found) == name else (name,)


def named(path: Sequence[str | int]) -> str:
    """The name of a path.

    >>> named(("passage", "questions", 0, "question"))
    'passage.questions[0].question'
    """
    spelt = [f"[{'' if step == _EVERY else step}]" if isinstance(step, int) else f".{step}" for step in path]
    return "".join(spelt).removeprefix(".")


@lru_cache(maxsize=4096)
def is_plain(names: tuple[str, ...]) -> bool:
    """Whether the names are keys of the row itself."""
    return all(len(steps(name)) == 1 for name in names)


def path_of(row: Mapping[str, Any], name: str) -> Path:
    """The path of a name without `[]` in a row; it may lead to no value."""
    return (name,) if name in row else steps(name)


def every(row: Mapping[str, Any], name: str) -> list[str]:
    """The names that a name with `[]` stands for in a row, one for each entry; the name itself if it has no `[]`.

    >>> every({"qas": [{"query": "а"}, {"query": "б"}]}, "qas[].query")
    ['qas[0].query', 'qas[1].query']
    """
    if name in row or _EVERY not in steps(name):
        return [name]
    found: list[Path] = [()]
    whole = steps(name)
    for at, step in enumerate(whole):
        if step != _EVERY:
            found = [(*path, step) for path in found]
            continue
        wider: list[Path] = []
        for path in found:
            entries = _at(row, path)
            if isinstance(entries, str) or not isinstance(entries, Sequence):
                return [named((*path, *whole[at:]))]  # no list: reading the value raises the error
            wider += [(*path, number) for number in range(len(entries))]
        found = wider
    return [named(path) for path in found]


def entries(row: Mapping[str, Any], name: str) -> list[tuple[int, ...]]:
    """The numbers of each entry that a name with `[]` stands for, one for each `[]`.

    >>> entries({"qas": [{"query": "а"}, {"query": "б"}]}, "qas[]")
    [(0,), (1,)]
    """
    return [tuple(step for step in steps(one) if isinstance(step, int)) for one in every(row, name)]


def numbered(name: str, numbers: Sequence[int]) -> str:
    """The name with the numbers of an entry in its `[]`, from the left.

    >>> numbered("questions[].answers[].text", (2, 0))
    'questions[2].answers[0].text'
    """
    for number in numbers[: name.count("[]")]:
        name = name.replace("[]", f"[{number}]", 1)
    return name


def value(row: Mapping[str, Any], name: str, default: Any = None) -> Any:  # noqa: ANN401  (values of JSON)
    """The value of a name without `[]`, or the default if the row has none."""
    if name in row:
        return row[name]
    return _at(row, steps(name), default)


def has_value(row: Mapping[str, Any], name: str) -> bool:
    """Whether a row has a value of this name."""
    return value(row, name, _NOTHING) is not _NOTHING


def values(row: Mapping[str, Any], name: str) -> list[Any]:
    """The values of a name, one for each entry where it has `[]`; missing values are left out."""
    found = [value(row, one, _NOTHING) for one in every(row, name)]
    return [one for one in found if one is not _NOTHING]


def keys_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a row, and the keys of the objects in it as `key.inner`."""
    if _PLAIN.issuperset(map(type, row.values())):
        return tuple(row)
    objects = [key for key, held in row.items() if isinstance(held, Mapping)]
    return (*row, *(f"{key}.{inner}" for key in objects for inner in row[key])) if objects else tuple(row)


def inside(value: object, name: str = "") -> str:
    """The names of the first texts inside the objects and lists of a row or a field, for a message.

    >>> inside({"id": "7", "data": {"title": "Отзыв"}, "turns": [{"said": "Да"}, {"said": "Нет"}]})
    ' (inside them: data.title, turns[].said)'
    >>> inside({"title": "Отзыв"}, "data"), inside({"id": "7"})
    (' (inside it: data.title)', '')
    """
    start = (name,) if name else ()
    found = list(dict.fromkeys(named(path) for path in _text_paths(value, start) if len(path) > 1))
    shown = found if len(found) <= _SHOWN else [*found[:_SHOWN], "…"]
    return f" (inside {'it' if name else 'them'}: {', '.join(shown)})" if found else ""


def _text_paths(value: object, path: Path) -> Iterator[Path]:
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
    """A copy of the row with another value at the path; it shares all other values with the row."""
    if not path:
        return new
    changed: Any = list(row) if isinstance(row, list) else dict(row)
    changed[path[0]] = with_value(changed[path[0]], path[1:], new)
    return changed


def strings(value: object) -> Iterator[str]:
    """The strings in the value of a field: the value itself, or all strings in its lists and objects."""
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
"""Types of values that are no objects; asked first, because `isinstance` takes long for an abstract class."""


def _at(row: Any, path: Path, default: Any = None) -> Any:  # noqa: ANN401
    for step in path:
        if isinstance(step, str):
            if not isinstance(row, Mapping) or step not in row:
                return default
        elif isinstance(row, str) or not isinstance(row, Sequence) or not 0 <= step < len(row):
            return default
        row = row[step]
    return row
