"""Schedules: which levels a search scores, and when it stops.

A schedule searches for all records of a chunk at once, with one call of the similarity in each round. Every text that
it returns was scored and passed.
"""

from collections.abc import Callable

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.gate import Gate
from augment_ru.engine.search import Found

Schedule = Callable[[Gate, float, int, float], Found]
"""A function from the gate, the attack's probability, `min_changes` and the floor to what was found."""


def paper(gate: Gate, probability: float, min_changes: int, floor: float) -> Found:
    """TAPE's search: take the most similar candidate at p; if none passes, halve p, down to the floor.

    A level is scored once: if a halved p gives the same level, it is halved again.
    """
    found = Found.nothing(gate.records)
    tried = np.full_like(gate.plan.levels, -1)
    while True:
        levels = gate.plan.at(probability, min_changes)
        asked = np.where(levels != tried, levels, 0)
        asked = (gate.by_candidate(asked) * (found.candidates < 0)).ravel()
        tried = levels
        if asked.any():
            scores = gate.scores(asked)
            passing = np.where((asked > 0) & (scores >= gate.threshold), scores, -np.inf)
            _take(found, gate, levels, passing, probability)
        probability /= 2
        if probability < floor or (found.candidates >= 0).all():
            return gate.finished(found)


def _take(found: Found, gate: Gate, levels: Ints, passing: Floats, probability: float) -> None:
    """Note the most similar candidate of each record, the first of equal ones.

    Args:
        found: is changed.
        gate: the gate.
        levels: the level of each try, shape (tries,).
        passing: the scores of tries that passed, otherwise -inf, shape (tries,).
        probability: at which they passed.
    """
    table = gate.by_candidate(passing)
    best = table.argmax(axis=0)
    won = np.flatnonzero(table.max(axis=0) > -np.inf)
    tries = best[won] * gate.records + won
    found.candidates[won], found.levels[won] = best[won], levels[tries]
    found.probabilities[won], found.similarities[won] = probability, passing[tries]


def strongest(gate: Gate, probability: float, min_changes: int, floor: float) -> Found:
    """Find a high level that passes, of the first candidate with a level that passes.

    Few levels are scored (see `Brackets`). So a higher level may pass too if similarity does not fall evenly.
    """
    bottoms = gate.by_candidate(gate.plan.at(floor, max(min_changes, 1)))
    slack = _SLACK if gate.runs_network else 0.0
    brackets = Brackets(gate.by_candidate(gate.plan.levels), bottoms, gate.threshold, slack=slack)
    while (levels := brackets.ask()) is not None:
        brackets.tell(gate.scores(levels))
    found = brackets.found
    won = np.flatnonzero(found.candidates >= 0)
    tries = found.candidates[won] * gate.records + won
    of_tries = np.zeros_like(gate.plan.levels)
    of_tries[tries] = found.levels[won]
    found.probabilities[won] = gate.plan.probabilities(of_tries, probability)[tries]
    return gate.finished(found)


SCHEDULES: dict[str, Schedule] = {"paper": paper, "strongest": strongest}

_GUESSES = 4
"""After this number of guesses a record's bracket is halved instead, so the number of rounds is logarithmic."""
_SLACK = 1 / 8
"""The share of a record's changes that the search may leave unused if each score takes a forward pass."""
_DIGITS = 6
"""The digits behind the point to which the level is rounded at which a curve crosses the threshold."""


class Brackets:
    """The highest level known to pass and the lowest known to fail, for each record and one candidate at a time.

    Similarity falls almost linearly with the level. So the next level to score is where the curve through the last
    two scores crosses the threshold. A record is settled in one of three cases:

    - its highest level passed;
    - no level is left between one that passed and one that failed;
    - by the curve, fewer changes could be added than one, or than `slack` of the record's changes.

    A level that fails without a score (-inf) says nothing about the curve: the bracket is halved. If no level of a
    candidate passes, the record's next candidate is searched.

    Args:
        tops: the highest level of each record, for each candidate, shape (candidates, records).
        bottoms: the lowest that is scored, of the same shape.
        threshold: the lowest score that passes.
        slack: a share of the record's changes, in [0, 1].
    """

    def __init__(self, tops: Ints, bottoms: Ints, threshold: float, *, slack: float) -> None:
        self.found = Found.nothing(tops.shape[1])
        self._threshold, self._slack, self._tops = threshold, slack, tops
        self._bottoms = bottoms.clip(1, np.maximum(self._tops, 1))
        records = self._tops.shape[1]
        self._rows = np.arange(records)
        self._candidate, self._passed, self._failed, self._guesses = (np.zeros(records, dtype=np.int64) for _ in "1234")
        self._levels, self._losses = np.zeros((2, records)), np.zeros((2, records))  # 1 - the last two scores
        self._next = self._tops[0].copy()

    def ask(self) -> Ints | None:
        """The levels to score next, shape (tries,); None if all records are settled."""
        for number in range(1, len(self._tops)):
            failed = (self._next == 0) & (self.found.candidates < 0) & (self._candidate == number - 1)
            self._candidate[failed] = number
            self._next[failed] = self._tops[number][failed]
        if not self._next.any():
            return None
        begins = (self._next > 0) & (self._next == self._tops[self._candidate, self._rows])
        self._passed[begins] = self._guesses[begins] = 0
        self._levels[:, begins] = self._losses[:, begins] = 0
        self._failed[begins] = self._next[begins] + 1
        return np.where(self._candidate == np.arange(len(self._tops))[:, None], self._next, 0).ravel()

    def tell(self, scores: Floats) -> None:
        """Use the scores of the levels that `ask` returned, shape (tries,)."""
        level, asked = self._next, self._next > 0
        score = scores.reshape(self._tops.shape)[self._candidate, self._rows]
        good = asked & (score >= self._threshold)
        bad = asked & ~good
        self._passed[good], self._failed[bad] = level[good], level[bad]
        self.found.candidates[good], self.found.levels[good] = self._candidate[good], level[good]
        self.found.similarities[good] = score[good]
        scored = asked & np.isfinite(score)
        self._levels[:, scored] = self._levels[1, scored], level[scored]
        self._losses[:, scored] = self._losses[1, scored], 1 - score[scored]
        self._guesses += 1

        slack = self._slack * self._tops[self._candidate, self._rows]
        least = np.maximum(self._passed, self._bottoms[self._candidate, self._rows] - 1)
        crossing = self._crossing()
        near = (self._passed > 0) & (crossing - self._passed < np.maximum(slack, 1))
        settled = (self._failed - least <= 1) | near & scored
        guess = np.floor(crossing - slack / 2).astype(np.int64)
        halfway = (least + self._failed) // 2
        following = np.clip(np.where((self._guesses > _GUESSES) | ~scored, halfway, guess), least + 1, self._failed - 1)
        self._next = np.where(asked & ~settled, following, 0)

    def _crossing(self) -> Floats:
        """The level at which the score is expected to equal the threshold, shape (records,).

        The loss (1 - score) is taken as a power of the level, fitted to the last two scores; the exponent is kept in
        [1/4, 4]. With one score only, the power is a line through it and level 0.
        """
        levels, losses = self._levels, self._losses
        with np.errstate(all="ignore"):
            exponent = np.log(losses[1] / losses[0]) / np.log(levels[1] / levels[0])
            exponent = np.where((levels[0] > 0) & np.isfinite(exponent), exponent.clip(0.25, 4.0), 1.0)
            crossing = levels[1] * (max(1 - self._threshold, 0.0) / losses[1]) ** (1 / exponent)
        bounded = np.where(np.isfinite(crossing), crossing, levels[1] * 2).clip(0, 2**31)
        # A fit through round scores often meets a whole number, which logarithms of other processors miss by a hair.
        return np.asarray(np.round(bounded, _DIGITS), dtype=np.float64)
