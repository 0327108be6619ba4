"""A linear model of what each change does to the margins: Gaussian, updated after every answer.

It is Bayesian linear regression with one variable for each change. A priori the changes of a text are alike, those of
one word more so: the covariance of two changes has a part that all share, a part that the alternatives at a place
share, and a part of their own. So one answer about many changes says something about each of them.
"""

from collections.abc import Sequence
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


class Surrogate:
    """The posterior of the effects of a record's changes on each margin.

    The observations of all margins have the same design, so they share one covariance. It is kept in the form
    Σ = Σ₀ − VᵀV, with a row of V for each observation: an update takes O(observations · changes).

    Args:
        pool: the changes.
        margins: those of the original, shape (rivals,); how far it is to go.

    Attributes:
        margins: as above.
        mean: the expected effect of each change: what it takes off each margin, shape (changes, rivals).
        variance: of each change, shape (changes,).
        scale: the lowest margin of the original, in nats: the unit of the prior.
    """

    def __init__(self, pool: RecordPool, margins: Floats) -> None:
        self.margins = margins
        self.scale = max(float(margins.min()), 1e-3)
        weights = np.sqrt(np.minimum(np.maximum(pool.sizes, 1.0), _LONGEST) / _AVERAGE)
        square = self.scale**2
        self._weights, self._places = weights, pool.places
        self._at_place = np.eye(int(pool.places.max()) + 1)[pool.places]
        self._own = _OWN**2 * square * weights**2
        self._place, self._shared, self._noise = _PLACE**2 * square, _SHARED**2 * square, _NOISE**2 * square
        self.mean = np.outer(weights, np.full(margins.size, _MEAN * self.scale))
        self.variance = self._own + (self._place + self._shared) * weights**2
        self._learnt = np.zeros((_FIRST_ROWS, weights.size))
        self._rows = 0

    def learn(self, chosen: ChangeSet, margins: Floats) -> None:
        """Take in the margins that a set of changes led to, shape (rivals,)."""
        index = np.array(chosen, dtype=np.int64)
        weights = self._weights[index]
        by_place = weights @ self._at_place[index]
        known = self._learnt[: self._rows]
        covariance = self._weights * (self._place * by_place[self._places] + self._shared * weights.sum())
        covariance[index] += self._own[index]
        covariance -= known[:, index].sum(axis=1) @ known
        total = float(covariance[index].sum() + self._noise_of(np.array(index.size)))
        surprise = self.margins - margins - self.mean[index].sum(axis=0)
        self.mean += np.outer(covariance / total, surprise)
        if self._rows == len(self._learnt):
            self._learnt = np.concatenate([self._learnt, np.zeros_like(self._learnt)])
        row = self._learnt[self._rows]
        np.divide(covariance, sqrt(total), out=row)
        self._rows += 1
        self.variance = np.maximum(self.variance - row * row, 0.0)

    def _noise_of(self, changes: Ints) -> Floats:
        """The variance of what is not linear in sets of these numbers of changes."""
        variance: Floats = self._noise * (1.0 + changes.astype(np.float64) / 2.0)
        return variance

    def chances(self, sets: Sequence[ChangeSet]) -> list[float]:
        """For each set the probability that it brings its lowest expected margin below 0, in [0, 1]."""
        design = np.zeros((len(sets), self._weights.size))
        for row, chosen in zip(design, sets, strict=True):
            row[list(chosen)] = 1.0
        weighted = design * self._weights
        shared = self._place * ((weighted @ self._at_place) ** 2).sum(axis=1)
        prior = design @ self._own + shared + self._shared * weighted.sum(axis=1) ** 2
        variances = np.maximum(prior - ((design @ self._learnt[: self._rows].T) ** 2).sum(axis=1), 0.0)
        variances += self._noise_of(np.array([len(chosen) for chosen in sets]))
        margins = (self.margins - design @ self.mean).min(axis=1)
        return [0.5 * (1.0 + erf(value)) for value in (-margins / np.sqrt(2.0 * variances)).tolist()]
