"""A linear model of what each change does to the margins: Gaussian, updated after every answer.

It is Bayesian linear regression with one variable for each change. A priori the changes of a text are alike, those of
one word more so: the covariance of two changes has a part that all share, a part that the alternatives at a place
share, and a part of their own. So one answer about many changes says something about each of them.
"""

from collections.abc import Sequence
from itertools import chain
from math import erf, sqrt

import numpy as np

from augment_ru.adversary.knowledge import ChangeSet
from augment_ru.draws import Floats, Ints
from augment_ru.engine.pool import RecordPool

_MEAN = 0.5
"""What a change of an average word is expected to take off the lowest margin of the original, as a share of it."""
_SHARED, _PLACE, _OWN = 0.3, 0.5, 0.4
"""Standard deviations of the three parts of an effect, in the same unit."""
_NOISE = 0.05
"""The standard deviation of what is not linear, in the same unit; its variance grows by half with each change.

These numbers were chosen on sentences of three domains against linear models of words and of characters
(benchmarks/adversary.py). With others near them the success rate at 10 queries fell by up to five points, that at 50
by about one; with a noise of 0.3 it fell by four at 50.
"""
_AVERAGE, _LONGEST = 6.0, 10.0
"""Letters of an average word; a longer word than the second counts like one of that length."""
_FIRST_ROWS = 16
_LONG, _FIRST_ROWS_OF_LONG = 2**14, 64
"""From so many changes on there are more rows at first: pages that no row has come to are not in memory, a copy is."""
_MANY = 2**18
"""Numbers, 2 MiB, in a table that is not made larger, or not copied, if that can be helped."""
_sum = np.add.reduce


class Surrogate:
    """The posterior of the effects of a record's changes on each margin.

    The observations of all margins have the same design, so they share one covariance. It is kept in the form
    Σ = Σ₀ − VᵀV, with a row of V for each observation: an update takes O(observations · changes). No sum is left to a
    library for linear algebra, which adds in another order on another processor.

    Args:
        pool: the changes.
        margins: those of the original, shape (rivals,); how far it is to go.

    Attributes:
        margins: as above.
        mean: the expected effect of each change: what it takes off each margin, shape (rivals, changes).
        scale: the lowest margin of the original, in nats: the unit of the prior.
    """

    def __init__(self, pool: RecordPool, margins: Floats) -> None:
        self.margins = margins
        self.scale = max(float(margins.min()), 1e-3)
        weights = np.sqrt(np.minimum(np.maximum(pool.sizes, 1.0), _LONGEST) / _AVERAGE)
        square = self.scale**2
        self._weights, self._places, self._most = weights, pool.places, int(pool.places.max()) + 1
        self._own = _OWN**2 * square * weights**2
        self._place, self._shared, self._noise = _PLACE**2 * square, _SHARED**2 * square, _NOISE**2 * square
        self.mean = np.tile(weights * (_MEAN * self.scale), (margins.size, 1))
        self._variance = self._own + (self._place + self._shared) * weights**2
        first_rows = _FIRST_ROWS if weights.size < _LONG else _FIRST_ROWS_OF_LONG
        self._learnt = np.empty((first_rows, weights.size))
        self._rows = self._counted = 0

    @property
    def variance(self) -> Floats:
        """The variance of the effect of each change, shape (changes,)."""
        for row in self._learnt[self._counted : self._rows]:
            self._variance -= row * row
            np.maximum(self._variance, 0.0, out=self._variance)
        self._counted = self._rows
        return self._variance

    def learn(self, chosen: ChangeSet, margins: Floats) -> None:
        """Take in the margins that a set of changes led to, shape (rivals,)."""
        index = np.array(chosen)
        weights = self._weights[index]
        known = self._learnt[: self._rows]
        covariance = self._place * np.bincount(self._places[index], weights, self._most)[self._places]
        covariance += self._shared * _sum(weights)
        covariance *= self._weights
        covariance[index] += self._own[index]
        covariance -= _combined(_sum(known.take(index, 1), 1), known)
        total = float(_sum(covariance[index])) + self._noise * (1.0 + index.size / 2.0)
        surprise = self.margins - margins - _sum(self.mean.take(index, 1), 1)
        self.mean += (surprise / total)[:, None] * covariance
        if self._rows == len(self._learnt):
            grown = np.empty((2 * self._rows, self._weights.size), self._learnt.dtype)
            grown[: self._rows] = self._learnt
            self._learnt = grown
        np.divide(covariance, sqrt(total), out=self._learnt[self._rows])
        self._rows += 1

    def chances(self, sets: Sequence[ChangeSet]) -> list[float]:
        """For each set, none of which is empty, the probability that it brings its lowest expected margin below 0."""
        if not sets:
            return []
        at_once = max(_MANY // self._most, 1)
        if len(sets) > at_once:  # a table of sets and places of a long text would take gigabytes
            return [one for at in range(0, len(sets), at_once) for one in self.chances(sets[at : at + at_once])]
        sizes = np.array([len(chosen) for chosen in sets])
        effects, variances = self._alone(sets) if sizes.max() == 1 else self._together(sets, sizes)
        margins = np.minimum.reduce(self.margins[:, None] - effects)
        variances += self._noise * (1.0 + sizes / 2.0)  # what is not linear
        return [0.5 * (1.0 + erf(value)) for value in (-margins / np.sqrt(2.0 * variances)).tolist()]

    def _alone(self, sets: Sequence[ChangeSet]) -> tuple[Floats, Floats]:
        """As `_together`, of sets of one change: nothing needs to be added up."""
        index = np.array(sets)[:, 0]
        return self.mean.take(index, 1), self.variance[index]

    def _together(self, sets: Sequence[ChangeSet], sizes: Ints) -> tuple[Floats, Floats]:
        """The expected effect of each set on each margin, shape (rivals, sets), and its variance, shape (sets,)."""
        firsts = sizes.cumsum() - sizes
        index = np.array(list(chain.from_iterable(sets)))
        weights = self._weights[index]
        cells = np.repeat(np.arange(len(sets)) * self._most, sizes) + self._places[index]
        by_place = np.bincount(cells, weights, len(sets) * self._most).reshape(len(sets), self._most)
        variances = np.add.reduceat(self._own[index], firsts)
        variances += self._place * _sum(by_place * by_place, 1)
        variances += self._shared * np.add.reduceat(weights, firsts) ** 2
        learnt = np.add.reduceat(self._learnt[: self._rows].take(index, 1), firsts, 1)
        variances = np.maximum(variances - _sum(learnt * learnt), 0.0)
        return np.add.reduceat(self.mean.take(index, 1), firsts, 1), variances


def _combined(factors: Floats, rows: Floats) -> Floats:
    """Return the sum of the rows times their factors, shape (columns,); many columns without a copy of all rows."""
    if rows.size < _MANY:
        summed: Floats = _sum(factors[:, None] * rows)
        return summed
    found: Floats = factors[0] * rows[0]  # the sum in the same order
    for factor, row in zip(factors[1:], rows[1:], strict=True):
        found += factor * row
    return found
