"""Compare models and attacks in pairs: each difference with its interval and test, and which model is the best."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from augment_ru.evaluation import rates
from augment_ru.evaluation.pairs import ORIGINAL, WORST_ROWS
from augment_ru.evaluation.report import AttackDifference, Interval, McNemar, ModelDifference

ERROR = 0.05
"""The probability of an error that intervals and tests allow by default; intervals are then 95 % intervals."""

MEAN = "asr_mean"
"""The name of the column with the mean rate over the attacks, beside the names of the attacks."""

_EXACT = 1000
"""Discordant pairs up to which McNemar's test is exact."""


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p value of McNemar's test (1947) of two models, or two attacks, on the same predictions.

    The test counts the predictions that are right (or broken) only for one of the two. For up to 1,000 of them the
    exact binomial test is used, for more the chi-square test with continuity correction.

    Args:
        only_a: the number of predictions that are right (or broken) only for the first.
        only_b: the number of predictions that are right (or broken) only for the second.

    >>> mcnemar(0, 5), mcnemar(3, 3)
    (0.0625, 1.0)
    """
    discordant = only_a + only_b
    if only_a == only_b:
        return 1.0
    if discordant <= _EXACT:
        tail = sum(math.comb(discordant, hits) for hits in range(min(only_a, only_b) + 1))
        return float(2 * tail / 2**discordant)
    return math.erfc((abs(only_a - only_b) - 1) / math.sqrt(2 * discordant))


def holm(values: Sequence[float]) -> list[float]:
    """Return the p values of several tests after Holm's correction for their number (1979), in the given order.

    >>> [round(one, 4) for one in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    found, highest = [1.0] * len(values), 0.0
    for place, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - place) * values[at]))
        found[at] = highest
    return found


class Difference(NamedTuple):
    """The difference of two rates, in [-1, 1].

    Attributes:
        value: the difference; None if one of the rates is not known.
        drawn: the difference in each bootstrap resample, shape (resamples,).
        newcombe: Newcombe's 95 % interval, used if all resamples are equal; None if `value` is None.
    """

    value: float | None
    drawn: npt.NDArray[np.float64]
    newcombe: Interval | None = None

    @classmethod
    def of(cls, cells: Sequence[rates.Cells], drawn: Iterable[npt.NDArray[np.float64]]) -> "Difference":
        """Make the difference of two rates, the first minus the second, with its bootstrap resamples.

        Args:
            cells: the counts of hits and trials behind each rate (`rates.Cells`).
            drawn: the two rates in the same bootstrap resamples, each of shape (resamples,).
        """
        a, b = drawn
        counts = [(one.rate(), float(one.trials.sum()) / one.trials.shape[1]) for one in cells]
        (first, trials), (second, others) = counts
        if first is None or second is None:
            return cls(None, a - b)
        return cls(first - second, a - b, rates.newcombe((first, trials), (second, others)))

    def interval(self, error: float = ERROR) -> Interval | None:
        """Return the interval of the difference by the paired bootstrap; None if the difference is not known.

        If all resamples are equal, they show no spread; then Newcombe's interval is returned, if it is known. That is
        always the 95 % interval, whatever `error` is.

        Args:
            error: the probability that the interval does not contain the true difference.
        """
        known = self.drawn[~np.isnan(self.drawn)]
        if self.value is None or not known.size:
            return None
        low, high = np.percentile(known, [50 * error, 100 - 50 * error])
        return (float(low), float(high)) if low < high or self.newcombe is None else self.newcombe

    def leaves_out_zero(self, error: float = ERROR) -> bool:
        """Tell whether the interval of the difference does not contain 0.

        Args:
            error: the probability that the interval does not contain the true difference.
        """
        ends = self.interval(error)
        return ends is not None and (ends[0] > 0 or ends[1] < 0)


class Compared(NamedTuple):
    """The comparison of two models under an attack.

    Attributes:
        difference: the success rate of the attack on the first model, minus that on the second.
        test: McNemar's test; None if the data do not allow it.
        clear: whether the interval, corrected for the number of attacks, does not contain 0, and the test (if there is
            one) finds a difference, too.
    """

    difference: Difference
    test: McNemar | None
    clear: bool


@dataclass(frozen=True, slots=True)
class RunsInPairs:
    """Compares model runs in pairs; a run is the answers of one model with one number of demonstrations.

    Attributes:
        judged: the runs.
        seed: the seed of the bootstrap.
        known: the comparisons made so far: maps the indices of two runs to their comparison under each attack and,
            under `MEAN`, by the mean over attacks.
    """

    judged: Sequence[rates.JudgedRun]
    seed: int
    known: dict[tuple[int, int], dict[str, Compared]] = field(default_factory=dict, repr=False)

    def comparisons(self) -> list[ModelDifference | AttackDifference]:
        """Return the differences between any two models under each attack, and between any two attacks on each model.

        Two models that read demonstrations are compared only where both were shown equally many. The attack `ORIGINAL`
        stands for unchanged rows; under it, models are compared by how many of their counted predictions are right.
        """
        return [*self._of_models(), *_of_attacks(self.judged)]

    def best(self, beats_majority: Sequence[bool]) -> list[list[str]]:
        """Return a list for each model run: the attacks that break it clearly less often than they break the others.

        The list also holds `MEAN` if the mean of its rates over attacks is clearly the lowest. A model that is hardly
        ever right has little to break. So a run is not compared, and has an empty list, if it is no better than the
        most frequent answer, or if another run is clearly more often right on the originals.

        Args:
            beats_majority: whether each run is better than the most frequent answer.
        """
        of_runs = [
            {attack: one.success(attack) for attack in one.outcomes if attack != ORIGINAL} for one in self.judged
        ]
        found: list[list[str]] = [[] for _ in self.judged]
        if not all(of_runs):
            return found
        runs = [at for at, beats in enumerate(beats_majority) if beats and not self._is_worse(at)]
        for column in [*of_runs[0], MEAN]:
            shown = {at: rates.mean_asr(of_runs[at]) if column == MEAN else of_runs[at][column].asr for at in runs}
            known = {at: round(rate, 2) for at, rate in shown.items() if rate is not None}
            lowest = min(known, key=lambda at: known[at], default=0)
            rivals = [at for at in known if at != lowest]
            if rivals and all(self._is_lower(lowest, rival, column) for rival in rivals):
                found[lowest].append(column)
        return found

    def _is_worse(self, at: int) -> bool:
        """Tell whether some other run is clearly right more often on the originals than run `at`."""
        name = "", rates.RIGHT
        for other in self.judged:
            both = self.judged[at], other
            found = Difference.of([one.cells[name] for one in both], [one.resamples[name] for one in both])
            ends = found.interval()
            if ends is not None and ends[1] < 0:
                return True
        return False

    def _is_lower(self, at: int, rival: int, column: str) -> bool:
        """Tell whether run `at` has a clearly lower rate than run `rival`; `column` is an attack or `MEAN`."""
        turned = at > rival
        found = self._pair(min(at, rival), max(at, rival))[column]
        return found.clear and (found.difference.value or 0.0) * (-1 if turned else 1) < 0

    def _pair(self, first: int, second: int) -> dict[str, Compared]:
        """Compare two runs under each attack, and by their mean rates (key `MEAN`).

        Only decisions count that both runs have right on the original; under `ORIGINAL`, all with a right answer.
        """
        if (first, second) not in self.known:
            self.known[first, second] = self._compared(self.judged[first], self.judged[second])
        return self.known[first, second]

    def _compared(self, one: rates.JudgedRun, other: rates.JudgedRun) -> dict[str, Compared]:
        records = next(iter(one.cells.values())).trials.shape[2]
        attacks = list(one.outcomes)
        cells, tests = [], list[McNemar | None]()
        for attack in attacks:
            a, b = one.outcomes[attack], other.outcomes[attack]
            counted = rates.RIGHT if attack == ORIGINAL else "broken"
            trials, hits = a.right & b.right, (a.broken, b.broken)
            if counted == rates.RIGHT:
                trials, hits = a.known & b.known, (a.after, b.after)
            cells.append([a.cells(flags & trials, trials, records) for flags in hits])
            known = trials[0, 0]
            tests.append(_tested(hits[0][0, 0][known], hits[1][0, 0][known], counted) if _independent(a, b) else None)
        drawn = rates.bootstrap([one for both in cells for one in both], self.seed)
        differences = [Difference.of(both, drawn[2 * at : 2 * at + 2]) for at, both in enumerate(cells)]
        columns = len(attacks) + (len(attacks) > 1)
        found = dict[str, Compared]()
        for attack, difference, test in zip(attacks, differences, _corrected(tests), strict=True):
            clear = difference.leaves_out_zero(ERROR / columns) and (test is None or (test.p_holm or 0.0) < ERROR)
            found[attack] = Compared(difference, test, clear)
        averaged = [compared for attack, compared in found.items() if attack != WORST_ROWS]
        if len(averaged) == 1:
            return found | {MEAN: averaged[0]}
        mean = rates.mean_of_all([one.difference.value for one in averaged])
        drawn_means = np.mean([one.difference.drawn for one in averaged], axis=0) if averaged else np.array([np.nan])
        total = Difference(mean, drawn_means)
        return found | {MEAN: Compared(total, None, total.leaves_out_zero(ERROR / columns))}

    def _of_models(self) -> Iterator[ModelDifference]:
        for (first, one), (second, other) in combinations(enumerate(self.judged), 2):
            shots = [one.run.shots, other.run.shots]
            if one.run.model == other.run.model or (None not in shots and shots[0] != shots[1]):
                continue  # a model that reads no demonstrations is compared with all numbers of shots
            for attack in one.outcomes:
                found = self._pair(first, second)[attack]
                yield ModelDifference(
                    attack=None if attack == ORIGINAL else attack,
                    a=one.run.model,
                    b=other.run.model,
                    shots=shots,
                    difference=rates.percent(found.difference.value),
                    ci95=rates.percents(found.difference.interval()),
                    clear=found.clear,
                    mcnemar=found.test,
                )


def _of_attacks(judged: Sequence[rates.JudgedRun]) -> Iterator[AttackDifference]:
    for one in judged:
        both = list(combinations(one.outcomes, 2))
        tests = _corrected([_attacks_tested(one.outcomes[first], one.outcomes[second]) for first, second in both])
        for (first, second), test in zip(both, tests, strict=True):
            names = (first, "asr"), (second, "asr")
            found = Difference.of([one.cells[name] for name in names], [one.resamples[name] for name in names])
            yield AttackDifference(
                model=one.run.model,
                shots=one.run.shots,
                a=first,
                b=second,
                difference=rates.percent(found.value),
                ci95=rates.percents(found.interval()),
                mcnemar=test,
            )


def _attacks_tested(a: rates.AttackOutcomes, b: rates.AttackOutcomes) -> McNemar | None:
    """Test whether two attacks break equally many of the decisions that are right on the original.

    Only originals that both attacks have a row of count. The result is None if the decisions are not independent.
    """
    if not _independent(a, b):
        return None
    _, rows_of_a, rows_of_b = np.intersect1d(a.original, b.original, return_indices=True)
    right = a.right[0, 0][rows_of_a]
    return _tested(a.broken[0, 0][rows_of_a][right], b.broken[0, 0][rows_of_b][right], "broken")


def _independent(*both: rates.AttackOutcomes) -> bool:
    """Tell whether each decision is about a different record, as McNemar's test requires."""
    return all(one.before.shape[:2] == (1, 1) and np.unique(one.original).size == one.original.size for one in both)


def _tested(a: rates.Flags, b: rates.Flags, counted: str) -> McNemar:
    """Return McNemar's test of two flags of the same decisions.

    Args:
        a: the first flag of each decision, shape (decisions,).
        b: the second flag, same shape.
        counted: what a flag means: `right` or `broken`.
    """
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return McNemar(
        counted=counted,
        decisions=int(a.size),
        a=int(a.sum()),
        b=int(b.sum()),
        only_a=only_a,
        only_b=only_b,
        difference=rates.percent((only_a - only_b) / a.size if a.size else None),
        p=round(mcnemar(only_a, only_b), 6),
    )


def _corrected(tests: Sequence[McNemar | None]) -> list[McNemar | None]:
    """Return the tests with `p_holm` set, their p values corrected by Holm's method; None stays None."""
    values = iter(holm([test.p for test in tests if test is not None]))
    return [test and replace(test, p_holm=round(next(values), 6)) for test in tests]


def is_better(
    right: rates.AttackOutcomes, constant: rates.AttackOutcomes, classes: Sequence[rates.Flags], seed: int
) -> bool:
    """Tell whether a model is clearly better on the originals than a constant answer, the same for all rows.

    The share of right decisions is computed in each class, and the means over classes are compared. If there is one
    class and one decision for each original, McNemar's test decides. Otherwise the interval of the paired bootstrap
    must lie above 0.

    Args:
        right: the outcomes of the model on the originals (which of its answers are right).
        constant: the outcomes of the constant answer, in one episode.
        classes: for each class of answers, which decisions belong to it: flags of shape (labels, 1, originals). With
            one class that has all decisions, plain shares of right decisions are compared.
        seed: the seed of the bootstrap.
    """
    if len(classes) == 1 and right.before.shape[:2] == (1, 1):
        known = right.known[0, 0] & classes[0][0, 0]
        test = _tested(right.before[0, 0][known], constant.before[0, 0][known], rates.RIGHT)
        return test.only_a > test.only_b and test.p < ERROR
    trials = np.concatenate([right.known & inside for inside in classes])
    hits = [np.concatenate([one.before & inside for inside in classes]) for one in (right, constant)]
    cells = [rates.Cells((one & trials).astype(np.float64), trials.astype(np.float64)) for one in hits]
    ends = Difference.of(cells, list(rates.bootstrap(cells, seed))).interval()
    return ends is not None and ends[0] > 0
