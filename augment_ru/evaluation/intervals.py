"""How sure a rate is: Wilson's interval, the bootstrap over records and episodes, McNemar's test."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import digests

Counts = npt.NDArray[np.float64]
Interval = tuple[float, float]

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""

RESAMPLES = 1000
"""Draws of a bootstrap."""

_CHUNK = 50
_EXACT = 1000


def wilson(hits: float, trials: float) -> Interval | None:
    """Wilson's 95 % interval of a rate (Wilson 1927), in [0, 1]; None without trials.

    >>> [round(end, 4) for end in wilson(5, 10)]
    [0.2366, 0.7634]
    """
    if trials <= 0:
        return None
    rate, z2 = hits / trials, Z95 * Z95
    centre = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 * math.sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    return low, 1.0 if hits == trials else min(1.0, centre + half)


class Cells(NamedTuple):
    """Hits and trials of every episode and record, each of shape (groups, episodes, records).

    A group is what the rate is a mean over, beside the episodes: the labels of a task with several.
    Rows of one record are added up in its cell, so they are drawn together.
    """

    hits: Counts
    trials: Counts

    def rate(self) -> float | None:
        """The mean over groups and episodes of hits by trials, of those that have trials; None if none has."""
        return _mean_rate(self.hits.sum(axis=2), self.trials.sum(axis=2))

    def rates(self) -> list[float | None]:
        """The same for every episode."""
        hits, trials = self.hits.sum(axis=2), self.trials.sum(axis=2)
        return [_mean_rate(hits[:, [at]], trials[:, [at]]) for at in range(hits.shape[1])]


def _mean_rate(hits: Counts, trials: Counts) -> float | None:
    counted = trials > 0
    return float((hits[counted] / trials[counted]).mean()) if counted.any() else None


def bootstrap(of: Sequence[Cells], seed: int, resamples: int = RESAMPLES) -> npt.NDArray[np.float64]:
    """The rates of the same resamples of several cells over the same records, shape (cells, resamples).

    Records are drawn with replacement, and so are episodes where there are several; all cells see the same records
    (and those with the same number of episodes, the same episodes), so differences of their rates are paired.
    NaN where a resample has no trials. The same seed gives the same numbers.
    """
    found = np.full((len(of), resamples), np.nan)
    if not of:
        return found
    records = of[0].hits.shape[2]
    key = int(digests([f"bootstrap:{seed}"])[0])
    random = np.random.Generator(np.random.PCG64(key))
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start)
        picked = random.integers(records, size=(size, records)) + records * np.arange(size)[:, None]
        weights = np.bincount(picked.ravel(), minlength=size * records).reshape(size, records).astype(np.float64)
        for number, cells in enumerate(of):
            episodes = cells.hits.shape[1]
            drawn = np.random.Generator(np.random.PCG64([key, episodes, start])).integers(
                episodes, size=(size, 1, episodes)
            )
            hits, trials = (np.take_along_axis(_weighted(one, weights), drawn, axis=2) for one in cells)
            counted = trials > 0
            count = counted.sum(axis=(1, 2))
            total = np.divide(hits, trials, out=np.zeros_like(hits), where=counted).sum(axis=(1, 2))
            found[number, start : start + size] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return found


def _weighted(counts: Counts, weights: Counts) -> Counts:
    """The sums over records, weighted by each resample, shape (resamples, groups, episodes)."""
    groups, episodes, records = counts.shape
    return (weights @ counts.reshape(-1, records).T).reshape(-1, groups, episodes)


def percentile95(values: npt.NDArray[np.float64]) -> Interval | None:
    """The middle 95 % of bootstrapped values; None if none is a number."""
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def mcnemar(only_a: int, only_b: int) -> float:
    """The p of McNemar's test (1947), two-sided: exact up to 1000 discordant pairs, then chi-square with continuity.

    Args:
        only_a: pairs where only the first is a hit.
        only_b: pairs where only the second is.

    >>> mcnemar(0, 5), mcnemar(3, 3)
    (0.0625, 1.0)
    """
    total = only_a + only_b
    if total == 0:
        return 1.0
    if total <= _EXACT:
        tail = sum(math.comb(total, count) for count in range(min(only_a, only_b) + 1))
        return min(1.0, float(2 * tail / 2**total))
    statistic = (abs(only_a - only_b) - 1) ** 2 / total if only_a != only_b else 0.0
    return math.erfc(math.sqrt(float(statistic) / 2))
