"""Finds where the values in a line of JSON are, so that one can be replaced and the others keep their characters."""

import json
import json.decoder
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

_scan_text: Callable[[str, int], tuple[str, int]] = vars(json.decoder)["scanstring"]
"""The standard library's reader of JSON strings, which is missing from its type stubs."""

_SPACE = re.compile(r"[ \t\n\r]*")
_finder = json.JSONDecoder(parse_int=str, parse_float=str)
"""A decoder that is used only to find where a value stops; it keeps numbers as text."""


def located(line: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Return where the value at a path stands in a line of valid JSON: its start and stop, as indices of characters.

    Args:
        line: the line.
        path: the keys and indices that lead to the value.

    Raises:
        KeyError: the line has no value at this path.
    """
    return all_located(line, [tuple(path)])[tuple(path)]


def all_located(line: str, paths: Iterable[tuple[str | int, ...]]) -> dict[tuple[str | int, ...], tuple[int, int]]:
    """Return where the value at each path stands in a line of valid JSON: its start and stop, as indices of characters.

    Paths that do not exist in the line are left out.

    Args:
        line: the line.
        paths: the paths, each of keys and indices.
    """
    tree: dict[str | int, Any] = {}
    wanted = set(paths)
    for path in wanted:
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    found: dict[tuple[str | int, ...], tuple[int, int]] = {}
    waiting: list[tuple[tuple[str | int, ...], int, dict[str | int, Any]]] = [((), skip(line, 0), tree)]
    while waiting:
        path, at, node = waiting.pop()
        if path in wanted:
            found[path] = at, value_end(line, at)
        if node and line[at] in "{[":
            items = enumerate(start for start, _ in item_places(line, at)) if line[at] == "[" else ()
            inner = ((step, start) for step, start in items or member_starts(line, at) if step in node)
            waiting += [((*path, step), start, node[step]) for step, start in islice(inner, len(node))]
    return found


def value_end(line: str, at: int) -> int:
    """Return where a JSON value stops.

    Args:
        line: a line of valid JSON.
        at: the index of the character where the value starts.
    """
    return _finder.raw_decode(line, at)[1]


def skip(line: str, at: int) -> int:
    """Return the index of the first character from `at` on that is not white space."""
    match = _SPACE.match(line, at)
    return match.end() if match else at


def member_starts(line: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield each key of a JSON object, with the index of the character where its value starts.

    Args:
        line: a line of valid JSON.
        at: the index of the character where the object starts.
    """
    at = skip(line, at + 1)
    while not line.startswith("}", at):
        key, at = _scan_text(line, at + 1)
        at = skip(line, skip(line, at) + 1)
        yield key, at
        at = skip(line, value_end(line, at))
        at = skip(line, at + 1) if line.startswith(",", at) else at


def item_places(line: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the stop of each item of a JSON list, as indices of characters.

    Args:
        line: a line of valid JSON.
        at: the index of the character where the list starts.
    """
    at = skip(line, at + 1)
    while not line.startswith("]", at):
        stop = value_end(line, at)
        yield at, stop
        at = skip(line, stop)
        at = skip(line, at + 1) if line.startswith(",", at) else at
