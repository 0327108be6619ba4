"""Scripts that are made when they are read: a long text has tens of thousands of changes, each with a script."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from augment_ru.script import Script


class LazyScripts(Sequence[Script]):
    """Scripts by their numbers, none of which is kept.

    Args:
        count: how many there are.
        make: makes the script of a number from 0 on; the same one each time.
    """

    __slots__ = ("_count", "_make")

    def __init__(self, count: int, make: Callable[[int], Script]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Script]:
        return map(self._make, range(self._count))

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        numbers = range(self._count)[at]
        return [self._make(number) for number in numbers] if isinstance(at, slice) else self._make(numbers)
