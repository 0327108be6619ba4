"""Comparisons of two models, or of two attacks on one model: paired differences of rates, and McNemar's test."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.intervals import Cells, mcnemar, newcombe, percentile95
from augment_ru.evaluation.outcomes import AttackOutcomes, Flags
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.rates import JudgedRun, cells_of, percent, percents


def comparisons(judged: Sequence[JudgedRun], records: int) -> list[dict[str, Any]]:
    """Any two models on each attack, with the same number of shots, and any two attacks on each model."""
    return [*_of_models(judged, records), *_of_attacks(judged, records)]


def _of_models(judged: Sequence[JudgedRun], records: int) -> Iterator[dict[str, Any]]:
    for first, second in combinations(judged, 2):
        if not are_two_models(first.run, second.run):
            continue
        for attack in first.outcomes:
            yield {
                "between": "models",
                "attack": attack,
                "a": first.run.model,
                "b": second.run.model,
                "shots": [first.run.shots, second.run.shots],
                **_difference((first, attack), (second, attack), records),
                **tested(first.outcomes[attack], second.outcomes[attack]),
            }


def are_two_models(first: ModelRun, second: ModelRun) -> bool:
    """Whether two runs are of different models, and of the same number of shots if both read demonstrations."""
    return first.model != second.model and (None in (first.shots, second.shots) or first.shots == second.shots)


def tested(a: AttackOutcomes, b: AttackOutcomes) -> dict[str, Any]:
    """`{"mcnemar": …}` of the decisions that are right on the rows of an attack; empty if they are not independent."""
    if not (_independent(a) and _independent(b)):
        return {}
    known = a.known[0]
    return {"mcnemar": _mcnemar(a.after[0, 0][known], b.after[0, 0][known], "right")}


def _of_attacks(judged: Sequence[JudgedRun], records: int) -> Iterator[dict[str, Any]]:
    for one in judged:
        for first, second in combinations(one.outcomes, 2):
            entry: dict[str, Any] = {
                "between": "attacks",
                "model": one.run.model,
                "shots": one.run.shots,
                "a": first,
                "b": second,
            }
            entry |= _difference((one, first), (one, second), records)
            a, b = one.outcomes[first], one.outcomes[second]
            if _independent(a) and _independent(b):
                _, rows_of_a, rows_of_b = np.intersect1d(a.original, b.original, return_indices=True)
                right = a.right[0, 0][rows_of_a]
                entry["mcnemar"] = _mcnemar(
                    a.broken[0, 0][rows_of_a][right], b.broken[0, 0][rows_of_b][right], "broken"
                )
            yield entry


def _independent(outcomes: AttackOutcomes) -> bool:
    """Whether each decision is of another record, as McNemar's test needs it."""
    return outcomes.before.shape[:2] == (1, 1) and np.unique(outcomes.original).size == outcomes.original.size


def _difference(a: tuple[JudgedRun, str], b: tuple[JudgedRun, str], records: int) -> dict[str, Any]:
    """The difference of two attack success rates in percentage points, with the interval of the paired bootstrap."""
    return difference_of(
        [cells_of(judged.outcomes[attack], records)["asr"] for judged, attack in (a, b)],
        [judged.resamples[attack, "asr"] for judged, attack in (a, b)],
    )


def difference_of(cells: Sequence[Cells], drawn: Sequence[npt.NDArray[np.float64]]) -> dict[str, Any]:
    """The difference of two rates in percentage points, with the interval of the paired bootstrap.

    Where all resamples differ by as much, it is Newcombe's interval of as many decisions as an episode has.

    Args:
        cells: the counts behind the two rates.
        drawn: the rates in the same resamples.
    """
    first, second = (one.rate() for one in cells)
    if first is None or second is None:
        return {"difference": None, "ci95": None}
    interval = percentile95(drawn[0] - drawn[1])
    if interval is not None and interval[0] == interval[1]:
        trials = [float(one.trials.sum()) / one.trials.shape[1] for one in cells]
        interval = newcombe((first, trials[0]), (second, trials[1])) or interval
    return {"difference": percent(first - second), "ci95": percents(interval)}


def _mcnemar(a: Flags, b: Flags, counted: str) -> dict[str, Any]:
    """McNemar's test of how many decisions have the flag: the counts, their difference in points, and the p value."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return {
        "counted": counted,
        "decisions": int(a.size),
        "a": int(a.sum()),
        "b": int(b.sum()),
        "only_a": only_a,
        "only_b": only_b,
        "difference": percent((only_a - only_b) / a.size if a.size else None),
        "p": round(mcnemar(only_a, only_b), 6),
    }
