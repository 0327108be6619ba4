"""The knowledge of a search about a record: which sets of changes were asked about or refused, with their verdicts.

A set is asked about when the model gets a question with these changes; it is refused when the gate does not let it
pass. A set is broken if the model's answer meets the goal of the search.
"""

from collections.abc import Generator, Iterable, Sequence
from math import fsum
from typing import NamedTuple, TypeAlias

import numpy as np

from augment_ru.draws import Floats, unit
from augment_ru.engine.pool import RecordPool

ChangeSet: TypeAlias = tuple[int, ...]
"""A set of changes that are applied together: their numbers in the pool, ascending."""

_CAUTION = 0.85
"""After a refusal, sets of several changes may lose at most this share of the refused set's expected loss."""
_BLOCK = 2048
"""How many numbers are drawn ahead, since a call costs as much as hundreds of numbers."""
_SPREAD = 3.0**0.5
"""This factor gives the sum of four numbers from U[0, 1) the variance 1."""


class Verdict(NamedTuple):
    """What came of one set of changes: did it pass the gate, and did it break the model's answer?

    Attributes:
        similarity: the gate's score of the texts with these changes.
        passed: whether the texts pass the gate. The model is asked only about those that pass.
        broken: whether the model's answer is what the search wants; False if the model was not asked.
        margins: for each rival (a label that may replace the right one), how far its score is behind that of the right
            label, in nats, shape (rivals,); None if the model gave no scores.
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
        """Take random numbers that are nearly normal, with mean 0 and variance 1, shape (count,)."""
        sums: Floats = self.uniform(4 * count).reshape(4, count).sum(axis=0)
        sums -= 2.0
        sums *= _SPREAD
        return sums


class Knowledge:
    """What a search knows about a record: which sets of its changes were tried, and what came of each.

    Args:
        pool: the changes of the record that the search may choose; not empty.
        similarities: the gate's score of each change by itself, shape (changes,); None if they are not known.
        original: what came of the original.

    Attributes:
        pool: as above.
        known: what came of each set that was tried (`Verdict`). The empty set stands for the original.
        smallest: of the sets that broke the answer, the one with the fewest changes. Of equally small sets, the one
            with the highest similarity is taken, or else the one found first. None if no set broke the answer.
        nearest: of the sets that did not break the answer, the one that came nearest to breaking it: a rival (a label
            that may replace the right one) was least behind the right label in score. () for the original, or if there
            are no scores.
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

    def learn(self, chosen: ChangeSet, verdict: Verdict) -> None:
        """Store what came of a set of changes that was tried.

        A `Verdict` says whether the set passed the gate, and whether it broke the model's answer.
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
        """Tell whether a set of changes is worth trying: it was not tried yet, and is expected to pass the gate."""
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
        """Tell whether a set of changes is known to break the answer."""
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
        """Choose changes of the pool that can be applied together, and return their indices in the pool.

        The changes are taken one after another in the given order. A change is skipped if its gain is not above 0, if
        it failed the gate by itself, if it conflicts with a change already chosen, or if the gate is expected to refuse
        the chosen changes with this one added.

        Args:
            order: the indices of the changes in the pool, in the order in which they are tried.
            gains: for each change of the pool, how much it is expected to help to break the answer.
            enough: no more changes are chosen once the sum of their gains reaches this.
            most: the most changes to choose, at least 1; None for any number.
            alone: whether at most one change is chosen for each word.
        """
        blocked = set(self._bans)
        found: list[int] = []
        gained = lost = 0.0
        limited = self._limit < np.inf
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

        A change is needed if the answer is known to be right without it, or if the other changes fail the gate or are
        expected to fail it.
        """
        return not any(self.is_open(one) or self.is_broken(one) for one in self.without_one(chosen))


def as_set(changes: Iterable[int]) -> ChangeSet:
    """Return the indices of changes in the pool as a sorted tuple, which stands for a set of changes."""
    return tuple(sorted(changes))
