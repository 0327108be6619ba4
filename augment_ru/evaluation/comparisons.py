"""Whether two models, or two attacks on one model, differ by more than chance: McNemar's test, paired differences."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from augment_ru.evaluation.intervals import mcnemar, percentile95
from augment_ru.evaluation.outcomes import Flags, Outcomes
from augment_ru.evaluation.rates import Judged, cells_of, percent, percents


def comparisons(judged: Sequence[Judged], records: int) -> list[dict[str, Any]]:
    """Each two models on each attack, at the same number of shots, and each two attacks on each model."""
    return [*_of_models(judged, records), *_of_attacks(judged, records)]


def _of_models(judged: Sequence[Judged], records: int) -> Iterator[dict[str, Any]]:
    for first, second in combinations(judged, 2):
        shots = (first.sitting.shots, second.sitting.shots)
        if first.sitting.model == second.sitting.model or (None not in shots and shots[0] != shots[1]):
            continue
        for attack in first.outcomes:
            one, other = first.outcomes[attack], second.outcomes[attack]
            entry: dict[str, Any] = {
                "between": "models",
                "attack": attack,
                "a": first.sitting.model,
                "b": second.sitting.model,
                "shots": [shots[0], shots[1]],
            }
            entry |= _difference((first, attack), (second, attack), records)
            if _single(one) and _single(other):
                known = one.known[0]
                entry |= _discordant(one.after[0, 0][known], other.after[0, 0][known], "right")
            yield entry


def _of_attacks(judged: Sequence[Judged], records: int) -> Iterator[dict[str, Any]]:
    for one in judged:
        for first, second in combinations(one.outcomes, 2):
            entry: dict[str, Any] = {
                "between": "attacks",
                "model": one.sitting.model,
                "shots": one.sitting.shots,
                "a": first,
                "b": second,
            }
            entry |= _difference((one, first), (one, second), records)
            left, right = one.outcomes[first], one.outcomes[second]
            if _single(left) and _single(right):
                _, at, there = np.intersect1d(left.original, right.original, return_indices=True)
                attacked = left.right[0, 0][at]
                pair = (left.broken[0, 0][at][attacked], right.broken[0, 0][there][attacked])
                entry |= _discordant(*pair, "broken")
            yield entry


def _single(outcomes: Outcomes) -> bool:
    """Whether each decision is of another record: what McNemar's test needs."""
    return outcomes.before.shape[:2] == (1, 1) and np.unique(outcomes.original).size == outcomes.original.size


def _difference(a: tuple[Judged, str], b: tuple[Judged, str], records: int) -> dict[str, Any]:
    """The difference of two attack success rates in percentage points, with the interval of the paired bootstrap."""
    rates = [cells_of(one.outcomes[attack], records)["asr"].rate() for one, attack in (a, b)]
    drawn = [one.resamples[attack, "asr"] for one, attack in (a, b)]
    known = rates[0] is not None and rates[1] is not None
    return {
        "difference": percent(rates[0] - rates[1]) if rates[0] is not None and rates[1] is not None else None,
        "ci95": percents(percentile95(drawn[0] - drawn[1])) if known else None,
    }


def _discordant(a: Flags, b: Flags, what: str) -> dict[str, Any]:
    """How often one alone is so, and McNemar's p."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return {"counted": what, "only_a": only_a, "only_b": only_b, "p": round(mcnemar(only_a, only_b), 6)}
