"""The share of right answers to the originals in a comparison of reports, with its interval, and its differences."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from augment_ru.evaluation.comparisons import are_two_models, difference_of, tested
from augment_ru.evaluation.intervals import Cells
from augment_ru.evaluation.outcomes import AttackOutcomes
from augment_ru.evaluation.pairs import ORIGINAL
from augment_ru.evaluation.rates import JudgedRun, rate_entry

RIGHT = "right"
"""The metric of a comparison: the share of right decisions, which can be counted over any rows."""


def right_cells(outcomes: Mapping[str, AttackOutcomes], records: int) -> Cells:
    """The hits and trials of right decisions on the originals.

    Under attacks an original counts once, whatever the number of its rows; without, as often as it stands in the data.

    Args:
        outcomes: of one model run, by attack; all of the same labels and episodes.
        records: the number of originals.
    """
    cells = [
        one.cells(one.before & known, known, records)
        for one in outcomes.values()
        for known in [np.broadcast_to(one.known[:, None, :], one.before.shape)]
    ]
    if ORIGINAL in outcomes:
        return cells[0]
    return Cells(*(np.minimum(np.maximum.reduce(counts), 1) for counts in zip(*cells, strict=True)))


def right_entry(judged: JudgedRun, records: int) -> dict[str, Any]:
    """The percentage of right decisions on the originals with its interval; with several episodes also their spread."""
    return rate_entry(RIGHT, {RIGHT: right_cells(judged.outcomes, records)}, judged, "")


def right_differences(judged: Sequence[JudgedRun], records: int) -> Iterator[dict[str, Any]]:
    """Any two models with the same number of shots: the difference of their right decisions, and McNemar's test.

    Args:
        judged: runs with one attack, which left every row as it is.
        records: the number of originals.
    """
    for first, second in combinations(judged, 2):
        if are_two_models(first.run, second.run):
            a, b = (next(iter(one.outcomes.values())) for one in (first, second))
            cells = [right_cells(one.outcomes, records) for one in (first, second)]
            yield {
                "between": "models",
                "a": first.run.model,
                "b": second.run.model,
                "shots": [first.run.shots, second.run.shots],
                **difference_of(cells, [one.resamples["", RIGHT] for one in (first, second)]),
                **tested(a, b),
            }
