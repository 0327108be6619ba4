"""Comparisons of two models, or of two attacks on one model: paired differences of rates, and McNemar's test."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from augment_ru.evaluation.intervals import mcnemar, newcombe, percentile95
from augment_ru.evaluation.outcomes import AttackOutcomes, Flags
from augment_ru.evaluation.pairs import ORIGINAL
from augment_ru.evaluation.rates import JudgedRun, Name, percent, percents
from augment_ru.evaluation.report import AttackDifference, Interval, McNemar, ModelDifference

RIGHT = "right"
"""The share of right decisions, which can be counted over any rows."""


def comparisons(judged: Sequence[JudgedRun]) -> list[ModelDifference | AttackDifference]:
    """Any two models under each attack, with the same number of shots, and any two attacks on each model.

    Of runs whose only attack left all rows as they are, the rates of right decisions are compared.
    """
    return [*_of_models(judged), *_of_attacks(judged)]


def _of_models(judged: Sequence[JudgedRun]) -> Iterator[ModelDifference]:
    for one, other in combinations(judged, 2):
        shots = [one.run.shots, other.run.shots]
        if one.run.model == other.run.model or (None not in shots and shots[0] != shots[1]):
            continue  # a model that reads no demonstrations is compared with every number of them
        for attack in one.outcomes:
            a, b = one.outcomes[attack], other.outcomes[attack]
            name = ("", RIGHT) if attack == ORIGINAL else (attack, "asr")
            difference, interval = _difference((one, name), (other, name))
            known = a.known[0, 0]
            yield ModelDifference(
                attack=None if attack == ORIGINAL else attack,
                a=one.run.model,
                b=other.run.model,
                shots=shots,
                difference=difference,
                ci95=interval,
                mcnemar=_tested(a.after[0, 0][known], b.after[0, 0][known], "right") if _independent(a, b) else None,
            )


def _of_attacks(judged: Sequence[JudgedRun]) -> Iterator[AttackDifference]:
    for one in judged:
        for first, second in combinations(one.outcomes, 2):
            a, b = one.outcomes[first], one.outcomes[second]
            difference, interval = _difference((one, (first, "asr")), (one, (second, "asr")))
            _, rows_of_a, rows_of_b = np.intersect1d(a.original, b.original, return_indices=True)
            right = a.right[0, 0][rows_of_a]
            broken = a.broken[0, 0][rows_of_a][right], b.broken[0, 0][rows_of_b][right]
            yield AttackDifference(
                model=one.run.model,
                shots=one.run.shots,
                a=first,
                b=second,
                difference=difference,
                ci95=interval,
                mcnemar=_tested(*broken, "broken") if _independent(a, b) else None,
            )


def _independent(*both: AttackOutcomes) -> bool:
    """Whether each decision is of another record, as McNemar's test needs it."""
    return all(one.before.shape[:2] == (1, 1) and np.unique(one.original).size == one.original.size for one in both)


def _difference(a: tuple[JudgedRun, Name], b: tuple[JudgedRun, Name]) -> tuple[float | None, Interval | None]:
    """The difference of two rates in percentage points, with the interval of the paired bootstrap.

    Where all resamples differ by as much, it is Newcombe's interval of as many decisions as an episode has.
    """
    cells = [judged.cells[name] for judged, name in (a, b)]
    rates = [(one.rate(), float(one.trials.sum()) / one.trials.shape[1]) for one in cells]
    (first, trials), (second, other_trials) = rates
    if first is None or second is None:
        return None, None
    interval = percentile95(a[0].resamples[a[1]] - b[0].resamples[b[1]])
    if interval is not None and interval[0] == interval[1]:
        interval = newcombe((first, trials), (second, other_trials)) or interval
    return percent(first - second), percents(interval)


def _tested(a: Flags, b: Flags, counted: str) -> McNemar:
    """McNemar's test of how many decisions have the flag."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return McNemar(
        counted=counted,
        decisions=int(a.size),
        a=int(a.sum()),
        b=int(b.sum()),
        only_a=only_a,
        only_b=only_b,
        difference=percent((only_a - only_b) / a.size if a.size else None),
        p=round(mcnemar(only_a, only_b), 6),
    )
