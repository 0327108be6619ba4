"""Find where values stand in a line of JSON, so that one is replaced and the rest of the line stays as it is."""

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
    whole: tuple[tuple[str | int, ...], int, int] = (), skip(line, 0), len(line.rstrip())
    waiting = [(*whole, tree)]
    while waiting:
        path, at, stop, node = waiting.pop()
        if path in wanted:
            found[path] = at, stop
        if node and line[at] in "{[":
            inner = (entry for entry in value_places(line, at) if entry[0] in node)
            waiting += [((*path, step), start, end, node[step]) for step, start, end in islice(inner, len(node))]
    return found


def value_end(line: str, at: int) -> int:
    """Return where a JSON value stops.

    Args:
        line: a line of valid JSON.
        at: the index of the character where the value starts.
    """
    return _finder.raw_decode(line, at)[1]


def skip(line: str, at: int) -> int:
    """Return the index of the first character that is not white space, from a given index on.

    Args:
        line: the text.
        at: the index where the search starts.
    """
    match = _SPACE.match(line, at)
    return match.end() if match else at


def value_places(line: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """Yield each entry of a JSON object or list: its key or number, and where its value starts and stops.

    Args:
        line: a line of valid JSON.
        at: the index of the character where the object or list starts.
    """
    closing = "}" if line[at] == "{" else "]"
    at = skip(line, at + 1)
    number = 0
    while not line.startswith(closing, at):
        key: str | int = number
        if closing == "}":
            key, at = _scan_text(line, at + 1)
            at = skip(line, skip(line, at) + 1)
        stop = value_end(line, at)
        yield key, at, stop
        at = skip(line, stop)
        at = skip(line, at + 1) if line.startswith(",", at) else at
        number += 1
