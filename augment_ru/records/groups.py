"""Put values that share a key together."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Map each key to its values; keys and values are in the order in which they come.

    >>> grouped([("кот", 1), ("пёс", 2), ("кот", 3)])
    {'кот': [1, 3], 'пёс': [2]}
    """
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
