r"""The search against a model beside opponents written from their papers: success at a number of queries, own time.

    OPENBLAS_NUM_THREADS=1 NLTK_DATA=nltk \
        python benchmarks/adversary_opponents.py TRAIN.jsonl TEST.jsonl --textattack ta/bin/python

Victims, candidate changes, rows and TextAttack's environment are those of benchmarks/adversary.py; there is no gate.

- Bayesian: the block-wise search of Lee et al. (2022, "Query-Efficient and Scalable Black-Box Adversarial Attacks on
  Discrete Sequential Data via Bayesian Optimization"), a Gaussian process on the words of a text. Its numbers are those
  of the paper and of the authors' program. It ends at the first success: its last part, which takes changes back, adds
  no success.
- Local: the local search of Liu et al. (2021, arXiv 2109.02229). Each round asks about all texts that differ in one
  word, and moves to the best.

Every side is asked once, with the largest budget. A success counts from the query that breaks the answer, for
TextAttack from the last query of its search. Own is processor time without the victim's. Ours goes on after a success
until the set is minimal; "ours, not minimal" ends there, as the opponents do. Words changed are of the successes in the
largest budget.
"""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
from adversary import VICTIMS, WORD, NeighbouringKeys, Timed, TimedScores, right_rows, textattack, variants, victim
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import ndtr

from augment_ru import Adversary
from augment_ru.evaluation.examples import Example
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

BUDGETS = (10, 20, 50, 100, 200)
BLOCK, BATCH, STAGES, CENTRES, NEIGHBOURS, PATIENCE = 40, 4, 6, 10, 100, 5
"""The paper's blocks of 40 words, and the numbers of the authors' program."""
FEW = 3
"""A block of up to so many words begins with half as many random points."""
RATE = 0.1
"""Adam's rate; one step is made for each batch."""
SHAPE, INVERSE_SCALE = 3.0, 6.0
"""The Gamma prior of the length scales."""
Array: TypeAlias = np.ndarray[Any, Any]
Point: TypeAlias = tuple[int, ...]
"""For each word that has variants the number of the one that is used, 0 for the word as it is."""


class Over(Exception):  # noqa: N818  (no error)
    """The answer is broken, or the budget is spent."""


@dataclass
class Asked:
    """A record and what the victim has answered about it."""

    model: Timed
    row: Mapping[str, Any]
    budget: int
    values: dict[Point, float] = field(default_factory=dict)
    broken_at: int | None = None
    changed: int = 0

    def __post_init__(self) -> None:
        text = str(self.row["text"])
        words = [found for found in WORD.finditer(text) if variants(found[0])]
        self.spellings = [(found[0], *variants(found[0])) for found in words]
        bounds = [0, *(at for found in words for at in found.span()), len(text)]
        self.between = [text[start:stop] for start, stop in zip(bounds[::2], bounds[1::2], strict=True)]
        self.counts = np.array([len(some) for some in self.spellings])

    def ask(self, points: Sequence[Point]) -> list[float]:
        """The best wrong label's probability less the right one's, for each point; end when it is above 0."""
        new = [one for one in dict.fromkeys(points) if one not in self.values][: self.budget - len(self.values)]
        texts = [
            "".join(f"{gap}{some[at]}" for gap, some, at in zip(self.between, self.spellings, one, strict=False))
            + self.between[-1]
            for one in new
        ]
        label = self.row["label"]
        found = self.model.scored([Example({"text": text}, generic(), text) for text in texts]) if texts else []  # type: ignore[attr-defined]
        for one, scored in zip(new, found, strict=True):
            odds = scored.scores[0]
            highest = max(odds.values())
            chances = {name: float(np.exp(value - highest)) for name, value in odds.items()}
            wrong = max(value for name, value in chances.items() if name != label)
            self.values[one] = (wrong - chances[label]) / sum(chances.values())
            if scored.prediction != label:
                self.broken_at, self.changed = len(self.values), sum(at > 0 for at in one)
                raise Over
        if len(self.values) == self.budget:
            raise Over
        return [self.values[one] for one in points]

    def around(self, point: Point, words: Sequence[int]) -> list[Point]:
        """All points that differ in one of the words."""
        return [
            (*point[:at], other, *point[at + 1 :])
            for at in words
            for other in range(self.counts[at])
            if other != point[at]
        ]


class Process:
    """A Gaussian process with the kernel s · exp(−mean of [words differ] / length scale of the word)."""

    def __init__(self, words: int) -> None:
        self.logs = np.log(np.r_[np.full(words, 0.7), 0.7, 0.01])  # length scales, s, the noise's variance
        self.logs = np.r_[self.logs, -1.0]  # and the mean, which is no logarithm
        self._first, self._second = np.zeros_like(self.logs), np.zeros_like(self.logs)
        self._steps = 0

    def _kernel(self, one: Array, other: Array) -> Array:
        scales = np.exp(-self.logs[:-3]) / one.shape[1]
        kernel: Array = np.exp(self.logs[-3] - (one[:, None] != other[None]) @ scales)
        return kernel

    def fit(self, points: Array, values: Array) -> None:
        """Make one step towards the largest posterior of the numbers, and condition on the values."""
        kernel, noise = self._kernel(points, points), np.exp(self.logs[-2]) + 1e-5
        inverse = cho_solve(cho_factor(kernel + noise * np.eye(len(points)), lower=True), np.eye(len(points)))
        weights = inverse @ (values - self.logs[-1])
        slope = (np.outer(weights, weights) - inverse) / 2
        shares = np.einsum("ab,abi->i", slope * kernel, points[:, None] != points[None]) / points.shape[1]
        scales = np.exp(self.logs[:-3])
        rise = np.r_[
            shares / scales + SHAPE - 1 - INVERSE_SCALE * scales,
            (slope * kernel).sum(), noise * np.trace(slope), weights.sum(),
        ]  # fmt: skip
        self._steps += 1
        self._first = 0.9 * self._first + 0.1 * rise
        self._second = 0.999 * self._second + 0.001 * rise**2
        first, second = self._first / (1 - 0.9**self._steps), self._second / (1 - 0.999**self._steps)
        self.logs = self.logs + RATE * first / (np.sqrt(second) + 1e-8)
        self._points = points
        kernel = self._kernel(points, points) + (np.exp(self.logs[-2]) + 1e-5) * np.eye(len(points))
        self._factor = np.linalg.cholesky(kernel)
        self._weights = cho_solve((self._factor, True), values - self.logs[-1])

    def improvement(self, points: Array, best: float) -> Array:
        """The expected improvement over the best value."""
        cross = self._kernel(points, self._points)
        part = solve_triangular(self._factor, cross.T, lower=True)
        spread = np.sqrt(np.maximum(np.exp(self.logs[-3]) - (part * part).sum(0), 1e-9))
        above = (self.logs[-1] + cross @ self._weights - best) / spread
        found: Array = spread * (above * ndtr(above) + np.exp(-above * above / 2) / np.sqrt(2 * np.pi))
        return found

    def varied(self, points: Array, count: int) -> list[int]:
        """The points chosen greedily for the largest determinant of their posterior covariance."""
        part = solve_triangular(self._factor, self._kernel(points, self._points).T, lower=True)
        covariance = self._kernel(points, points) - part.T @ part
        left, rows = np.diag(covariance).copy(), np.zeros((0, len(points)))
        chosen: list[int] = []
        while len(chosen) < min(count, len(points)):
            at = int(left.argmax())
            row = (covariance[at] - rows[:, at] @ rows) / np.sqrt(max(left[at], 1e-12))
            rows, left = np.vstack([rows, row]), left - row * row
            chosen.append(at)
            left[chosen] = -np.inf
        return chosen


def spread_out(points: list[Point], most: int) -> list[Point]:
    """At most so many of the points, each as far as possible from those before it."""
    if len(points) <= most:
        return points
    table, chosen = np.array(points), [0]
    distance = (table != table[0]).sum(1)
    while len(chosen) < most:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, (table != table[chosen[-1]]).sum(1))
    return [points[at] for at in chosen]


def bayesian(asked: Asked, draws: np.random.Generator) -> None:
    """The block-wise Bayesian search."""
    words = len(asked.counts)
    start = (0,) * words
    asked.ask([start])
    if not words:
        return
    process = Process(words)
    blocks = [list(range(first, min(first + BLOCK, words))) for first in range(0, words, BLOCK)]
    centre = start
    for stage in range(STAGES):
        if stage:  # the blocks of the words that matter most come first
            blocks.sort(key=lambda block: -float(np.exp(-process.logs[block]).sum()))
        for block in blocks:
            most = int((asked.counts[block] - 1).sum())
            history = spread_out(list(dict.fromkeys([centre, *asked.values])), most)
            old = len(asked.values)
            drawn = np.tile(centre, (most // len(block) * (1 if len(block) <= FEW else 2), 1))
            drawn[:, block] = draws.integers(0, asked.counts[block], (len(drawn), len(block)))
            asked.ask([tuple(map(int, one)) for one in drawn])
            _exploit(asked, process, block, (centre, history, old, most), draws)
            centre = max(asked.values, key=lambda one: asked.values[one])
    while True:  # word by word, from other points once nothing is better
        before = centre
        for at in draws.permutation(words).tolist():
            near = [centre, *asked.around(centre, [at])]
            centre = near[int(np.argmax(asked.ask(near)))]
        if centre == before:
            centre = tuple(map(int, draws.integers(0, asked.counts)))
            asked.ask([centre])


def _exploit(
    asked: Asked,
    process: Process,
    block: Sequence[int],
    begun: tuple[Point, list[Point], int, int],
    draws: np.random.Generator,
) -> None:
    """Ask about the points of a block that are expected to be better, in batches."""
    centre, history, old, most = begun
    others = [at for at in range(len(centre)) if at not in block]
    patience = PATIENCE
    while patience and len(asked.values) - old < most:
        known = list(dict.fromkeys([*history, *list(asked.values)[old:]]))
        process.fit(np.array(known), np.array([asked.values[one] for one in known]))
        inside = [one for one in asked.values if all(one[at] == centre[at] for at in others)]
        best = max(inside, key=lambda one: asked.values[one])
        gains = process.improvement(np.array(inside), asked.values[best])
        centres = [inside[at] for at in np.argsort(-gains, kind="stable")[:CENTRES]]
        found: dict[Point, float] = {}
        for one in centres:
            near = [other for other in asked.around(one, block) if other not in asked.values]
            if near:
                gains = process.improvement(np.array(near), asked.values[best])
                for at in np.argsort(-gains, kind="stable")[: -(-NEIGHBOURS // len(centres))]:
                    found[near[at]] = float(gains[at])
        points = sorted(found, key=lambda one: -found[one])[:NEIGHBOURS]
        if points:
            chosen = [points[at] for at in process.varied(np.array(points), BATCH)]
        else:  # two words away
            once = asked.around(best, block)
            chosen = [
                asked.around(once[at], block)[0] for at in draws.integers(0, len(once), BATCH).tolist()
            ]  # fmt: skip
        count = len(asked.values)
        asked.ask(chosen)
        patience = PATIENCE if len(asked.values) > count else patience - 1


def local(asked: Asked, _draws: np.random.Generator) -> None:
    """The local search."""
    here: Point = (0,) * len(asked.counts)
    asked.ask([here])
    while near := asked.around(here, range(len(here))):
        values = asked.ask(near)
        if max(values) <= asked.values[here]:
            return
        here = near[int(np.argmax(values))]


OPPONENTS: Mapping[str, Callable[[Asked, np.random.Generator], None]] = {
    "Bayesian (Lee et al. 2022)": bayesian,
    "local (Liu et al. 2021)": local,
}


def line(cells: Sequence[str], ended: Sequence[tuple[int | None, int]], own: float, questions: int) -> None:
    """Print a row of the table; `ended` holds for each row the query that broke it, and the words changed."""
    rates = [100 * fmean(at is not None and at <= budget for at, _ in ended) for budget in BUDGETS]
    words = fmean(words for at, words in ended if at is not None and at <= BUDGETS[-1])
    shown = [*cells, *(f"{rate:.1f}" for rate in rates), f"{words:.1f}", f"{own:.2f}", f"{1000 * own / questions:.2f}"]
    print(f"| {' | '.join(shown)} |", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--rows", type=int, default=120)
    parser.add_argument("--textattack", metavar="PYTHON", help="the interpreter of TextAttack's environment")
    given = parser.parse_args()
    train, test = read_rows(given.train).values, read_rows(given.test).values
    print(f"| victim | search | {' | '.join(map(str, BUDGETS))} | words changed | own, s | own, ms a query |")
    print("|---" * (len(BUDGETS) + 5) + "|")
    for name, (analyzer, ngrams) in VICTIMS.items():
        model = victim(train, analyzer, ngrams)
        rows = right_rows(model, test, given.rows)
        for row in rows:  # the changes are given to all sides, not made by them
            for word in WORD.findall(row["text"]):
                variants(word)
        for search, timed, minimal in (
            ("ours", TimedScores(model), True),
            ("ours, not minimal", TimedScores(model), False),
            ("ours, labels alone, not minimal", Timed(model), False),
        ):
            began = time.process_time()
            adversary = Adversary(
                [NeighbouringKeys()], timed, budget=BUDGETS[-1], draws=1, similarity="none", constraints=(),
                minimal=minimal,
            )  # fmt: skip
            found = list(adversary.records(rows, generic()))
            own = time.process_time() - began - timed.seconds
            line([name, search], [(one.broken_at, one.changes) for one in found], own, timed.questions)
        for search, function in OPPONENTS.items():
            timed, draws = TimedScores(model), np.random.default_rng(1)
            began, outcomes = time.process_time(), []
            for row in rows:
                asked = Asked(timed, row, BUDGETS[-1])
                with suppress(Over):
                    function(asked, draws)
                outcomes.append((asked.broken_at, asked.changed))
            line([name, search], outcomes, time.process_time() - began - timed.seconds, timed.questions)
        if given.textattack:
            labels = [str(label) for label in model.classifiers["label"].classes_]
            for method, side in textattack(given.textattack, labels, model, rows).items():
                outcomes = [(row["queries"] if row["broken"] else None, row["words"]) for row in side["rows"]]
                line([name, f"TextAttack, WIR {method}"], outcomes, side["processor"], side["victim"].questions)
        print(f"{name}: {len(rows)} rows, {max(len(WORD.findall(row['text'])) for row in rows)} words at most")


if __name__ == "__main__":
    main()
