"""What a search knows about a record: which sets of changes were asked about or refused, and what came of each.

A set is asked about when the model gets a question with these changes; it is refused when its texts fail the gate (the
similarity check). A set is broken if the model's answer meets the goal of the search.

The surrogate is a linear model of how far each change lowers the margins; it is updated after every answer.

It is Bayesian linear regression with one Gaussian variable for each change. A priori, the effects of all changes of a
text are correlated, and those of changes at one place more: an effect is the sum of a part shared by all changes, a
part shared by the changes at its place, and a part of its own. So one answer about many changes says something about
each of them.

A place is a word, and changes at a place change its letters. To a model that reads whole words, a word is spoilt by its
first changed letter; to one that reads parts of words, each further letter adds. Which of these holds for a record is
not known before. So there are two regressions, one for each view, until an answer to a set with further letters in the
same words tells which holds.
For rivals and margins see `goal`.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain
from math import erf, fsum, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from augment_ru.draws import Floats, Ints, unit
from augment_ru.engine.pool import RecordPool

ChangeSet: TypeAlias = tuple[int, ...]
"""A set of changes that are applied together: their indices in the pool of the record, ascending."""

_CAUTION = 0.85
"""After a refusal, sets of several changes may lose at most this share of the refused set's expected loss."""
_BLOCK = 2048
"""How many numbers are drawn ahead, since a call costs as much as hundreds of numbers."""
_SPREAD = 3.0**0.5
"""This factor gives the sum of four numbers from U[0, 1) the variance 1."""


class Verdict(NamedTuple):
    """What came of one set of changes: did it pass the gate, and did it break the model's answer?

    The gate is the similarity check that changed texts must pass.

    Attributes:
        similarity: the gate's score of the texts with these changes.
        passed: whether the texts pass the gate. The model is asked only about those that pass.
        broken: whether the model's answer is what the search wants; False if the model was not asked.
        margins: how far each rival label is behind the right one in score, in nats, shape (rivals,); None if the model
            gave no scores.
    """

    similarity: float
    passed: bool
    broken: bool = False
    margins: Floats | None = None


Search: TypeAlias = Generator[ChangeSet, Verdict, None]
"""A generator that yields the set to ask about next, and is sent its verdict; it ends when it finds no further set.

A set whose texts were asked about before costs no query. The sets depend only on the record and its verdicts.
"""


class Draws:
    """A stream of random numbers for the search of one record; each call takes the next ones.

    Args:
        key: the number that seeds the stream.
    """

    def __init__(self, key: int) -> None:
        self._key, self._drawn, self._ahead = np.array([key], dtype=np.uint64), 0, np.empty(0)

    def uniform(self, count: int) -> Floats:
        """Take the next random numbers, uniform in [0, 1), shape (count,)."""
        if self._ahead.size < count:
            first, self._drawn = self._drawn, self._drawn + max(count, _BLOCK)
            self._ahead = np.concatenate([self._ahead, unit(self._key, np.arange(first, self._drawn))])
        found, self._ahead = self._ahead[:count], self._ahead[count:]
        return found

    def bell(self, count: int) -> Floats:
        """Take random numbers that are distributed almost normally, with mean 0 and variance 1, shape (count,)."""
        sums: Floats = _sum(self.uniform(4 * count).reshape(4, count))
        sums -= 2.0
        sums *= _SPREAD
        return sums


class Knowledge:
    """Keeps what a search knows about a record: which sets of its changes were tried, and what came of each.

    Args:
        pool: the changes of the record that the search may choose; not empty.
        similarities: the score of each change by itself in the gate (similarity check), shape (changes,); None if the
            scores are not known.
        original: the verdict about the original, with its margins.

    Attributes:
        pool: the changes of the record that the search may choose.
        known: what came of each set that was tried (`Verdict`). The empty set stands for the original.
        smallest: of the sets that broke the answer, the one with the fewest changes. Of equally small sets, the one
            with the highest similarity is taken, or else the one found first. None if no set broke the answer.
        nearest: of the sets that did not break the answer, the one that came nearest to it: a wrong label was least
            behind the right one in score. () for the original, or if there are no scores.
    """

    def __init__(self, pool: RecordPool, similarities: Floats | None, original: Verdict) -> None:
        self.pool = pool
        self.known: dict[ChangeSet, Verdict] = {(): original}
        self.smallest: ChangeSet | None = None
        self.nearest: ChangeSet = ()
        self._lowest = np.inf if original.margins is None else float(original.margins.min())
        self._bans: set[int] = set()
        self._losses = [1.0] * len(pool) if similarities is None else (1.0 - similarities).tolist()
        self._limit = np.inf
        self._places: list[int] = pool.places.tolist()

    def __len__(self) -> int:
        return len(self.pool)

    @property
    def is_limited(self) -> bool:
        """Whether the gate (similarity check) refused a set of several changes."""
        return self._limit < np.inf

    def learn(self, chosen: ChangeSet, verdict: Verdict) -> None:
        """Store the verdict on a set of changes that was tried, so that the next sets are chosen by it.

        A `Verdict` says whether the texts stay similar enough, and whether the model's answer becomes wrong.
        """
        self.known[chosen] = verdict
        if not verdict.passed:
            self._refused(chosen)
        elif verdict.broken:
            best = self.smallest
            if best is None or (len(chosen), -verdict.similarity) < (len(best), -self.known[best].similarity):
                self.smallest = chosen
        elif verdict.margins is not None and (lowest := float(verdict.margins.min())) < self._lowest:
            self.nearest, self._lowest = chosen, lowest

    def _refused(self, chosen: ChangeSet) -> None:
        """Draw conclusions from a refusal: ban a single change, or lower the loss that sets of changes may have."""
        if len(chosen) == 1:
            self._bans.add(chosen[0])
        else:
            self._limit = min(self._limit, _CAUTION * self._loss(chosen))

    def is_open(self, chosen: ChangeSet) -> bool:
        """Tell whether the model should be asked about a set of changes: it was not tried, and may be similar enough.

        A set is not worth a question if it would probably fail the gate (similarity check): one of its changes failed
        alone, or the set is expected to lower the similarity by nearly as much as another set that failed.
        """
        if chosen in self.known:
            return False
        if self._limit == np.inf and not self._bans:  # without a refusal nothing else is known
            return True
        if not self._bans.isdisjoint(chosen):
            return False
        return len(chosen) == 1 or self._loss(chosen) <= self._limit

    def _loss(self, chosen: ChangeSet) -> float:
        """Return by how much a set is expected to lower the similarity: the sum of the losses of its changes."""
        return fsum(self._losses[one] for one in chosen)

    def is_broken(self, chosen: ChangeSet) -> bool:
        """Tell whether the model was asked about a set of changes that turned its right answer wrong."""
        verdict = self.known.get(chosen)
        return verdict is not None and verdict.broken

    def fitting(
        self,
        order: Iterable[int],
        gains: Sequence[float],
        *,
        enough: float = np.inf,
        most: int | None = None,
        alone: bool = False,
    ) -> list[int]:
        """Choose changes of the record that can be applied together, and return their indices in `pool`.

        The changes are taken one after another in the given order. A change is skipped if its gain is not above 0, if
        it failed the gate (similarity check) by itself, if it conflicts with a change already chosen, or if the chosen
        changes together with it would probably fail the gate.

        Args:
            order: the indices of changes in `pool`, in the order in which they are tried.
            gains: for each change of `pool`, how much it is expected to help to turn the answer wrong.
            enough: no more changes are chosen once the sum of their gains reaches this.
            most: the most changes to choose, at least 1; None for any number.
            alone: whether at most one change is chosen for each word.
        """
        blocked = set(self._bans)
        found: list[int] = []
        gained = lost = 0.0
        limited = self.is_limited
        conflicts, places = self.pool.conflicts, self._places
        taken: set[int] = set()
        for number in order:
            gain = gains[number]
            if number in blocked or not gain > 0 or places[number] in taken:
                continue
            if limited:
                loss = self._losses[number]
                if found and lost + loss > self._limit:
                    continue
                lost += loss
            found.append(number)
            gained += gain
            if gained >= enough or len(found) == most:
                break
            blocked.update(conflicts[number])
            if alone:
                taken.add(places[number])
        return found

    def without_one(self, chosen: ChangeSet) -> list[ChangeSet]:
        """Return each set of changes that is left when one change is undone; an empty list for a set of one change."""
        return [chosen[:at] + chosen[at + 1 :] for at in range(len(chosen)) if len(chosen) > 1]

    def is_minimal(self, chosen: ChangeSet) -> bool:
        """Tell whether each change of a set is needed: none can be undone.

        A change is needed if the answer is known to be right without it, or if the other changes fail the gate
        (similarity check) or will probably fail it.
        """
        return not any(self.is_open(one) or self.is_broken(one) for one in self.without_one(chosen))


def as_set(changes: Iterable[int]) -> ChangeSet:
    """Return indices of changes of a record as a sorted tuple, the form in which sets of changes are passed on."""
    return tuple(sorted(changes))


_MEAN = 0.5
"""A priori, the expected effect of changing an average word, as a share of the lowest margin of the original."""
_SHARED, _PLACE = 0.3, 0.5
"""The standard deviations of two parts of an effect, in the same unit: the part shared by all changes, and the part
shared by the changes at a place (see also `LetterView.own`)."""
_NOISE = 0.05
"""The standard deviation of deviations from linearity, in the same unit; each further change adds half its variance.

These numbers were chosen on sentences of three domains against linear models of words and of characters
(benchmarks/adversary.py). With other numbers near them, the success rate at 10 queries fell by up to five points, and
at 50 queries by about one; with a noise of 0.3 it fell by four points at 50 queries.
"""
_AVERAGE, _LONGEST = 6.0, 10.0
"""The letters of an average word, and the length from which on longer words count no more."""
_FIRST_ROWS = 16
_LONG, _FIRST_ROWS_OF_LONG = 2**14, 64
"""From `_LONG` changes on, the table of observations has more rows from the start, so that it is seldom copied: unused
rows take no memory, but a copy does."""
_MANY = 2**18
"""A table of this many numbers takes 2 MiB; larger ones are computed in pieces or without a copy."""
_sum = np.add.reduce


class LetterView(NamedTuple):
    """An assumption about how several changed letters of one word act together on the model's scores.

    The effect of a change is by how much it lowers the margin: how far a rival label is behind the right one in score.

    Attributes:
        adds: between 0 and 1: with 0, several changes of one word together have the mean of their effects; with 1, they
            have the sum.
        own: the standard deviation of the effects of the changes of one word, divided by the lowest margin of the
            original.
    """

    adds: float
    own: float


VIEWS = (LetterView(adds=0.0, own=0.2), LetterView(adds=0.6, own=0.4))
"""The two assumptions; predictions use the first one that no answer has refuted. With 1 in place of 0.6, a character
model's answers broke less often at 10 and 20 queries, by eight and six points (250 sentences of three domains,
`butterfingers`)."""
_LITTLE = 0.01
"""Further letters count if they move a margin by more than this share of the most that the first letters moved one."""


class Surrogate:
    """Predicts by how much each change of a record lowers the margins, from the answers of the model so far.

    A margin is the score of the right label minus the score of a wrong one (a rival). The prediction comes from two
    linear regressions. One assumes that each changed letter of a word lowers the margins, the other that only the
    first changed letter does. A regression is dropped when an answer refutes it.

    Args:
        pool: the changes of the record that the search may choose.
        margins: the margins of the original, in nats, shape (rivals,).

    Attributes:
        views: the regressions that were not dropped. They may lack the latest answers; read `regressions` instead.
    """

    def __init__(self, pool: RecordPool, margins: Floats) -> None:
        self.views = [Regression(pool, margins, view) for view in (VIEWS if pool.has_letters else VIEWS[1:])]
        self._told: list[tuple[ChangeSet, Floats]] = []

    @property
    def regressions(self) -> Iterator["Regression"]:
        """The regressions whose assumption no answer has refuted; each has learnt from all answers so far.

        They differ in what they assume about several changed letters of a word.
        """
        for one in self.views:
            for chosen, margins in self._told[one.answers :]:
                one.learn(chosen, margins)
            yield one

    @property
    def best(self) -> "Regression":
        """The regression that predicts the effects of changes: the first one whose assumption no answer has refuted."""
        return next(self.regressions)

    @property
    def is_of_words(self) -> bool:
        """Whether no answer has refuted that only the first changed letter of a word lowers the scores."""
        return not self.views[0].adds

    def learn(self, chosen: ChangeSet, margins: Floats) -> None:
        """Update the estimated effects of changes with one more answer of the model.

        Args:
            chosen: the changes that were made in the text that was answered, by their indices in the record's pool.
            margins: how far each rival label is behind the right one in score in this answer, in nats, shape (rivals,).
        """
        self._told.append((chosen, margins))

    def settle(self, before: Floats, after: Floats) -> None:
        """Decide whether further changed letters of a word lower the margins; drop the regression that is refuted.

        One regression assumes that further letters lower them, the other one that only the first changed letter of a
        word does. The margins say how far each rival label is behind the right one in score, in nats.

        Args:
            before: the margins when one letter of each of some words was changed, shape (rivals,).
            after: the margins when further letters of the same words were changed, too, shape (rivals,).
        """
        first, further = self.best.margins - before, before - after
        added = np.abs(further).max() > _LITTLE * np.abs(first).max()
        self.views = self.views[-1:] if added else self.views[:1]


class Regression:
    """Learns by Bayesian linear regression how much each change of a record lowers the margin of each rival label.

    A rival is a label that may replace the right one. Its margin is how far it is behind the right one in score. The
    effect of a change is by how much it lowers the margin.

    Args:
        pool: the changes of the record that the search may choose.
        margins: the margins of the original, in nats, shape (rivals,).
        view: the assumption on how the effects of several changed letters of one word add up.

    Attributes:
        margins: the margins of the original, in nats, shape (rivals,).
        adds: how the effects of several changes of one word add up, from 0 (they have their mean) to 1 (they have their
            sum).
        mean: the expected effect of each change on each margin, in nats, shape (rivals, changes).
        scale: the lowest margin of the original, in nats; at least 0.001.
        answers: how many answers the regression has learnt from.
    """

    def __init__(self, pool: RecordPool, margins: Floats, view: LetterView) -> None:
        self.margins, self.adds = margins, view.adds
        self.scale = max(float(margins.min()), 1e-3)
        weights = np.sqrt(np.minimum(np.maximum(pool.sizes, 1.0), _LONGEST) / _AVERAGE)
        square = self.scale**2
        self._weights, self._places, self._most = weights, pool.places, int(pool.places.max()) + 1
        self._has_letters = pool.has_letters
        self._own = view.own**2 * square * weights**2
        self._place, self._shared, self._noise = _PLACE**2 * square, _SHARED**2 * square, _NOISE**2 * square
        self.mean = np.tile(weights * (_MEAN * self.scale), (margins.size, 1))
        self._variance = self._own + (self._place + self._shared) * weights**2
        # Every answer gives all margins at once, so the effects on all margins share one covariance matrix. It is kept
        # as Σ = Σ₀ − VᵀV, where Σ₀ is that of the prior and V has a row for each answer: an update takes O(answers ·
        # changes). A library for linear algebra would add in another order on other processors, so sums are not left to
        # it.
        self._learnt = np.empty((_FIRST_ROWS if weights.size < _LONG else _FIRST_ROWS_OF_LONG, weights.size))
        self.answers = self._counted = 0

    @property
    def variance(self) -> Floats:
        """The variance of each change's effect on the margins (how uncertain it is), in nats², shape (changes,)."""
        for row in self._learnt[self._counted : self.answers]:
            self._variance -= row * row
            np.maximum(self._variance, 0.0, out=self._variance)
        self._counted = self.answers
        return self._variance

    def learn(self, chosen: ChangeSet, margins: Floats) -> None:
        """Update the estimated effects of changes with one more answer of the model.

        Args:
            chosen: the changes that were made in the text that was answered, by their indices in the record's pool.
            margins: how far each rival label is behind the right one in score in this answer, in nats, shape (rivals,).
        """
        index = np.array(chosen)
        places = self._places[index]
        parts = self._parts(places)
        weights, own = self._weights[index], self._own[index]
        if parts is not None:
            weights, own = weights * parts, own * parts
        known = self._learnt[: self.answers]
        covariance = self._place * np.bincount(places, weights, self._most)[self._places]
        covariance += self._shared * _sum(weights)
        covariance *= self._weights
        covariance[index] += own
        if self.answers:
            covariance -= _combined(_total(known.take(index, 1), parts), known)
        total = float(_total(covariance[index], parts)) + self._noise * (1.0 + index.size / 2.0)
        surprise = self.margins - margins - _total(self.mean.take(index, 1), parts)
        self.mean += (surprise / total)[:, None] * covariance
        if self.answers == len(self._learnt):
            grown = np.empty((2 * self.answers, self._weights.size), self._learnt.dtype)
            grown[: self.answers] = self._learnt
            self._learnt = grown
        np.divide(covariance, sqrt(total), out=self._learnt[self.answers])
        self.answers += 1

    def ordered(self, effects: Floats) -> tuple[list[int], list[float]]:
        """Return the indices of the changes, sorted by gain, the largest first; and the gain of each change.

        The change with the largest effect in its word gains its whole effect. The other changes of this word gain the
        share `adds` of their effects. If `adds` is 0, changes without gain are left out of the indices.

        Args:
            effects: by how much each change brings one wrong label nearer to the right one in score, shape (changes,).
        """
        order = (-effects).argsort(kind="stable")
        leaders = order[:1].repeat(self._most)  # a place may have lost all its changes
        leaders[self._places[order[::-1]]] = order[::-1]
        gains = effects * self.adds
        gains[leaders] = effects[leaders]
        order = (-gains).argsort(kind="stable") if self.adds else order[gains[order] != 0.0]
        return order.tolist(), gains.tolist()

    def _parts(self, cells: Ints) -> Floats | None:
        """Return which part of the effect of each change counts, in [0, 1], shape (changes,); None if all count whole.

        Args:
            cells: for each change, the number of its place; changes of other sets have other numbers.
        """
        if not self._has_letters:
            return None
        counts = np.bincount(cells)
        return None if counts.max() == 1 else (self.adds + (1.0 - self.adds) / np.maximum(counts, 1))[cells]

    def chances(self, sets: Sequence[ChangeSet]) -> list[float]:
        """Return the probability that each set of changes puts some wrong label (rival) ahead of the right one.

        Args:
            sets: the sets, as indices of changes of the record's pool; none may be empty.
        """
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
        """Do the same as `_together` for sets of a single change each, without adding up."""
        index = np.array(sets)[:, 0]
        return self.mean.take(index, 1), self.variance[index]

    def _together(self, sets: Sequence[ChangeSet], sizes: Ints) -> tuple[Floats, Floats]:
        """Return the expected effects of sets on the margins, shape (rivals, sets), and their variances, shape (sets,).

        Args:
            sets: the sets; none is empty.
            sizes: the number of changes of each set, shape (sets,).
        """
        firsts = sizes.cumsum() - sizes
        index = np.array(list(chain.from_iterable(sets)))
        cells = np.repeat(np.arange(len(sets)) * self._most, sizes) + self._places[index]
        found = self._parts(cells)
        parts = 1.0 if found is None else found
        weights = self._weights[index] * parts
        by_place = np.bincount(cells, weights, len(sets) * self._most).reshape(len(sets), self._most)
        variances = np.add.reduceat(self._own[index] * parts * parts, firsts)
        variances += self._place * _sum(by_place * by_place, 1)
        variances += self._shared * np.add.reduceat(weights, firsts) ** 2
        learnt = np.add.reduceat(self._learnt[: self.answers].take(index, 1) * parts, firsts, 1)
        variances = np.maximum(variances - _sum(learnt * learnt), 0.0)
        return np.add.reduceat(self.mean.take(index, 1) * parts, firsts, 1), variances


def _total(effects: Floats, parts: Floats | None) -> Floats:
    """Return the sum of the effects of a set's changes, shape (..., changes), each times its part (`_parts`)."""
    summed: Floats = _sum(effects if parts is None else effects * parts, -1)
    return summed


def _combined(factors: Floats, rows: Floats) -> Floats:
    """Return the sum of the rows, each multiplied by its factor, shape (columns,).

    For large inputs the rows are added one at a time, which avoids a scaled copy of all of them.
    """
    if rows.size < _MANY:
        summed: Floats = _sum(factors[:, None] * rows)
        return summed
    found: Floats = factors[0] * rows[0]  # the sum in the same order
    for factor, row in zip(factors[1:], rows[1:], strict=True):
        found += factor * row
    return found
