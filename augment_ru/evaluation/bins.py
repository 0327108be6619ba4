"""Values sorted into cells: one for each value, or quartiles of numbers."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from augment_ru.records.answers import label_of

Value: TypeAlias = str | int | float | bool | None

BINS = 4
"""The number of bins of numbers: quartiles."""

_MOST = 20
"""The most cells for different values; the rarest values share the last one."""

OTHERS = "(others)"
MISSING = "(none)"


def binned(values: Sequence[Value], most_numbers: int = BINS) -> tuple[tuple[str, ...], list[int]] | None:
    """The names of the cells, and the index of the cell of each value; None if all values are None.

    Args:
        values: the values.
        most_numbers: numbers with more different values are put into quartiles.

    >>> binned(["a", "b", None, "a"])
    (('a', 'b', '(none)'), [0, 1, 2, 0])
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    numbers = [float(value) for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(known) and len(set(numbers)) > most_numbers:
        return _quartiles(values, numbers)
    names = [None if value is None else _name(value) for value in values]
    counts = Counter(name for name in names if name is not None)
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    own = set(ordered if len(ordered) <= _MOST else ordered[: _MOST - 1])
    cells = sorted(own, key=_numbers_first)
    cells += [OTHERS] * (len(own) < len(counts)) + [MISSING] * (len(known) < len(values))
    index = {name: at for at, name in enumerate(cells)}
    return tuple(cells), [index[MISSING if name is None else name if name in index else OTHERS] for name in names]


def _name(value: str | float) -> str:
    return f"{value:.4g}" if isinstance(value, float) and not value.is_integer() else label_of(value)


def _numbers_first(name: str) -> tuple[int, float, str]:
    """A sort key: numbers by value, then all else by name."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _quartiles(values: Sequence[Value], numbers: Sequence[float]) -> tuple[tuple[str, ...], list[int]]:
    """Bins of about the same size, named by the lowest and the highest number in them."""
    inner = np.unique(np.quantile(numbers, np.arange(1, BINS) / BINS, method="higher"))
    bin_of = np.searchsorted(inner, numbers, side="right")
    used = sorted(set(bin_of.tolist()))
    digits = _digits(numbers)
    names: list[str] = []
    for which in used:
        inside = [number for number, one in zip(numbers, bin_of, strict=True) if one == which]
        low, high = (f"{end:.{digits}f}".replace("-", "−") for end in (min(inside), max(inside)))
        names.append(low if low == high else f"{low}–{high}")
    if len(numbers) < len(values):
        names.append(MISSING)
    index = {which: at for at, which in enumerate(used)}
    bins = iter(bin_of.tolist())
    return tuple(names), [len(used) if value is None else index[next(bins)] for value in values]


def _digits(numbers: Sequence[float]) -> int:
    """The digits after the point that show three significant digits of the spread; 0 for whole numbers."""
    if all(number.is_integer() for number in numbers):
        return 0
    spread = max(numbers) - min(numbers)
    return max(0, 2 - math.floor(math.log10(spread))) if spread else 2
