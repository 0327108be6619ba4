"""What a search knows about a record: which sets of changes were asked or refused, and what came of them."""

from collections.abc import Generator, Iterable, Sequence
from math import fsum
from typing import NamedTuple, TypeAlias

import numpy as np

from augment_ru.draws import Floats, Ints, unit
from augment_ru.engine.pool import RecordPool

ChangeSet: TypeAlias = tuple[int, ...]
"""The numbers of changes that are applied together, ascending."""

_CAUTION = 0.85
"""After a refusal, sets are held to this share of what the refused one was expected to lose."""
_SPREAD = 3.0**0.5
"""What makes the variance of a sum of four numbers from U[0, 1) one."""


class Verdict(NamedTuple):
    """What came of a set of changes.

    Attributes:
        similarity: the gate's score.
        passed: whether the gate lets it pass; one that does not is never asked.
        broken: whether the model's answer is what the search is after; False for a set that was not asked.
        margins: how far each rival is from winning, in nats, shape (rivals,); None without scores.
    """

    similarity: float
    passed: bool
    broken: bool = False
    margins: Floats | None = None


Search: TypeAlias = Generator[ChangeSet, Verdict, None]
"""Yields the set to ask about next and is sent its verdict; ends when it has nothing left to try.

A set that was asked before costs nothing. What a search yields depends on its record alone.
"""


class Draws:
    """The random numbers of a record's search, in order.

    Args:
        key: the record's stream key.
    """

    def __init__(self, key: int) -> None:
        self._key, self._at = np.array([key], dtype=np.uint64), 0

    def uniform(self, count: int) -> Floats:
        """Numbers from U[0, 1), shape (count,)."""
        first, self._at = self._at, self._at + count
        return unit(self._key, np.arange(first, self._at))

    def bell(self, count: int) -> Floats:
        """Numbers of mean 0 and variance 1 that are nearly normal (sums of four uniform ones), shape (count,)."""
        sums: Floats = self.uniform(4 * count).reshape(4, count).sum(axis=0)
        sums -= 2.0
        sums *= _SPREAD
        return sums


class Knowledge:
    """What is known about the sets of a record's changes.

    Args:
        pool: the changes; not empty.
        similarities: the gate's score of each change by itself, shape (changes,); None if they were not scored.
        original: the verdict on the original.

    Attributes:
        known: the verdicts, by set; the empty set is the original.
        smallest: the broken set with the fewest changes; of equal ones the most similar, then the first.
        nearest: the set that was asked whose lowest margin is lowest; the original if there are no scores.
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
        self._conflicts: list[Ints | None] = [None] * len(pool)

    def __len__(self) -> int:
        return len(self.pool)

    def learn(self, chosen: ChangeSet, verdict: Verdict) -> None:
        """Keep a verdict."""
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
        """Expect less of the gate: what fails alone is never tried again, larger sets must lose less than this one."""
        if len(chosen) == 1:
            self._bans.add(chosen[0])
        else:
            self._limit = min(self._limit, _CAUTION * self._loss(chosen))

    def is_open(self, chosen: ChangeSet) -> bool:
        """Tell whether a set was neither asked nor refused, and is expected to pass the gate."""
        if chosen in self.known:
            return False
        if self._limit == np.inf and not self._bans:  # without a refusal nothing else is known
            return True
        if not self._bans.isdisjoint(chosen):
            return False
        return len(chosen) == 1 or self._loss(chosen) <= self._limit

    def _loss(self, chosen: ChangeSet) -> float:
        """What the gate is expected to take off for a set."""
        return fsum(self._losses[one] for one in chosen)

    def is_broken(self, chosen: ChangeSet) -> bool:
        """Tell whether a set is known to break the answer."""
        verdict = self.known.get(chosen)
        return verdict is not None and verdict.broken

    def conflicts(self, change: int) -> Ints:
        """Return the changes that may not be applied with this one."""
        found = self._conflicts[change]
        if found is None:
            found = self._conflicts[change] = np.array(self.pool.conflicts[change], dtype=np.int64)
        return found

    def fitting(
        self, order: Iterable[int], gains: Sequence[float], *, enough: float = np.inf, most: int | None = None
    ) -> list[int]:
        """Changes that may be applied together, in this order; one that has no gain or no room is passed over.

        Args:
            order: the changes to choose from.
            gains: what each change is expected to gain, of all changes.
            enough: the set ends when its gains add up to this.
            most: how many changes the set has at most, at least 1; None for any number.
        """
        blocked = set(self._bans)
        found: list[int] = []
        gained = lost = 0.0
        limited = self._limit < np.inf
        conflicts = self.pool.conflicts
        for number in order:
            gain = gains[number]
            if number in blocked or not gain > 0:
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
        return found

    def without_one(self, chosen: ChangeSet) -> list[ChangeSet]:
        """Return the sets with one change less; the original is not among them."""
        return [chosen[:at] + chosen[at + 1 :] for at in range(len(chosen)) if len(chosen) > 1]

    def is_minimal(self, chosen: ChangeSet) -> bool:
        """Whether taking any one change back is known to mend the answer, or leads to a text that is not allowed."""
        return not any(self.is_open(one) or self.is_broken(one) for one in self.without_one(chosen))


def as_set(changes: Iterable[int]) -> ChangeSet:
    """Return the changes as a set."""
    return tuple(sorted(changes))
