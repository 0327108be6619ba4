"""The statistics of rates: Wilson's interval, the bootstrap over records and episodes, McNemar's test."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import digests
from augment_ru.errors import missing

Counts = npt.NDArray[np.float64]
Interval = tuple[float, float]

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""

RESAMPLES = 1000
"""The number of resamples of a bootstrap."""

_CHUNK = 50
"""Resamples drawn at once: bounds the memory."""

_EXACT = 1000
"""Discordant pairs up to which McNemar's test is exact."""


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


def newcombe(a: tuple[float, float], b: tuple[float, float]) -> Interval | None:
    """The 95 % interval of the difference of two rates, from their Wilson intervals (Newcombe 1998, method 10).

    Args:
        a: the first rate, in [0, 1], and its trials.
        b: the second.

    >>> [round(end, 4) for end in newcombe((0.7, 80), (0.5, 80))]
    [0.0482, 0.3394]
    """
    first, second = (wilson(rate * trials, trials) for rate, trials in (a, b))
    if first is None or second is None:
        return None
    low = a[0] - b[0] - math.hypot(a[0] - first[0], second[1] - b[0])
    high = a[0] - b[0] + math.hypot(first[1] - a[0], b[0] - second[0])
    return low, high


class Cells(NamedTuple):
    """The counts behind a rate: hits and trials by episode and record, each of shape (groups, episodes, records).

    The rate is the mean over groups and episodes; the groups are the labels of a task with several. Several rows of one
    record are added up in its cell, so that the bootstrap draws them together.
    """

    hits: Counts
    trials: Counts

    def rate(self) -> float | None:
        """The mean of hits / trials over the groups and episodes that have trials; None if none has."""
        return _mean_rate(self.hits.sum(axis=2), self.trials.sum(axis=2))

    def rates(self) -> list[float | None]:
        """The rate of each episode."""
        hits, trials = self.hits.sum(axis=2), self.trials.sum(axis=2)
        return [_mean_rate(hits[:, [at]], trials[:, [at]]) for at in range(hits.shape[1])]


def _mean_rate(hits: Counts, trials: Counts) -> float | None:
    counted = trials > 0
    return float((hits[counted] / trials[counted]).mean()) if counted.any() else None


def bootstrap(of: Sequence[Cells], seed: int, resamples: int = RESAMPLES) -> npt.NDArray[np.float64]:
    """The bootstrapped rates of several cells over the same records, shape (cells, resamples).

    Records are drawn with replacement, and so are episodes where there are several. All cells get the same records, and
    cells with the same number of episodes the same episodes, so that differences of their rates are paired. A rate is
    NaN where its resample has no trials. The same seed gives the same numbers.
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
    """The sum over the records of each resample, shape (resamples, groups, episodes)."""
    groups, episodes, records = counts.shape
    return (weights @ counts.reshape(-1, records).T).reshape(-1, groups, episodes)


def percentile95(values: npt.NDArray[np.float64]) -> Interval | None:
    """The 2.5 % and 97.5 % points of bootstrapped values; None if all are NaN."""
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def scipy_stats() -> Any:  # noqa: ANN401  (SciPy has no types)
    """The module `scipy.stats`.

    Raises:
        AugmentError: SciPy is not installed.
    """
    try:
        import scipy.stats  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise missing("comparing models or attacks needs SciPy", "eval") from error
    return scipy.stats


def mcnemar(only_a: int, only_b: int) -> float:
    """The p value of McNemar's test (1947), two-sided.

    Exact up to 1,000 discordant pairs (the binomial test), then chi-square with continuity correction.

    Args:
        only_a: pairs where only the first is a hit.
        only_b: pairs where only the second is a hit.

    Raises:
        AugmentError: SciPy is not installed.

    >>> mcnemar(0, 5), mcnemar(3, 3)
    (0.0625, 1.0)
    """
    discordant = only_a + only_b
    if only_a == only_b:
        return 1.0
    if discordant <= _EXACT:
        return float(scipy_stats().binomtest(only_a, discordant).pvalue)
    return float(scipy_stats().chi2.sf((abs(only_a - only_b) - 1) ** 2 / discordant, 1))
