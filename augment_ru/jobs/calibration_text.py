"""What `calibrate` shows: figures, and a histogram of the scores with the threshold marked."""

from collections.abc import Iterator

import numpy as np

from augment_ru.draws import Floats
from augment_ru.evaluation.table_text import column_groups
from augment_ru.jobs.calibrate import Calibration

_BARS = " ▁▂▃▄▅▆▇█"
_CELLS = 40


def calibration_lines(calibration: Calibration, room: int | None = None) -> Iterator[str]:
    """The measurement as lines of text: figures, and a histogram of the scores with the threshold marked.

    Args:
        calibration: the measurement.
        room: the width of the terminal, None if there is none; a narrow one shows no histogram, and if it must, no
            quantiles but the median; a still narrower one folds the columns.
    """
    every = [calibration.unrelated, *calibration.attacks]
    low = min(float(np.floor(min(one.scores.min() for one in every) * 20) / 20), 0.95)  # all may be 1
    has_grades = any(one.grades is not None for one in every)
    axis = f"{low:<.2f}{'1.00':>{_CELLS - 4 + (low >= 0)}}"
    rows = [("", "p", "pairs", "mean", "5 %", "50 %", "95 %", "passes", *(_GRADES if has_grades else ()), axis)]
    for one in every:
        strength = "" if one.probability is None else f"{one.probability:g}{'*' if one.default else ''}"
        quantiles = np.quantile(one.scores, [0.05, 0.5, 0.95])
        rows.append(
            (
                *(one.what, strength, str(one.scores.size), f"{one.scores.mean():.3f}"),
                *(f"{value:.3f}" for value in quantiles),
                f"{one.passing(calibration.threshold):.0%}",
                *(_percentages(one.grades) if has_grades else ()),
                _plot(one.scores, low, calibration.threshold),
            )
        )
    widths = [max(len(row[0]) for row in rows), 5, *[6] * 6, *[4] * (len(rows[0]) - 9), _CELLS + 1]
    kept = list(range(len(widths)))
    for droppable in (kept[-1], *_OUTER_QUANTILES):
        if room is not None and sum(widths[column] + 2 for column in kept) - 2 > room:
            kept.remove(droppable)
    yield f"{calibration.scorer}"
    groups = column_groups([widths[column] for column in kept], 2, room or sum(widths) * 2, gap=2)
    for group in groups:
        for row in rows:
            aligned = (
                row[column].ljust(widths[column])
                if column in (0, len(widths) - 1)
                else row[column].rjust(widths[column])
                for column in (kept[at] for at in group)
            )
            yield "  ".join(aligned).rstrip()
    yield "* the attack's own probability"
    if has_grades:
        yield "same, part, lost, rev.: how readers graded texts with such scores; part: lost in part, rev.: reversed"
        yield (
            "the scores were fitted to readers' grades: a threshold means the same for every attack, so choose it by "
            f"these columns; the default is {calibration.default}"
        )
    unrelated = calibration.unrelated.passing(calibration.threshold)
    yield (
        f"threshold {calibration.threshold}: passes at least {calibration.accept:.0%} of every attack at its own "
        f"probability, and {unrelated:.0%} of unrelated texts"
    )
    if unrelated > 0:
        yield (
            "that threshold does not tell perturbations from unrelated texts; lower the probabilities, "
            "accept less, or take another scorer"
        )


_GRADES = ("same", "part", "lost", "rev.")
_OUTER_QUANTILES = (4, 6)
"""The columns of 5 % and 95 %."""


def _percentages(grades: Floats | None) -> list[str]:
    return ["–"] * len(_GRADES) if grades is None else [f"{share:.0%}" for share in grades.tolist()]


def _plot(scores: Floats, low: float, threshold: float) -> str:
    """How often each score occurs, from `low` to 1; the threshold is a bar between two cells."""
    span = 1 - low
    counts, _ = np.histogram(np.clip(scores, low, 1), bins=_CELLS, range=(low, 1))
    cells = [_BARS[int(np.ceil(count / max(counts.max(), 1) * (len(_BARS) - 1)))] for count in counts]
    at = min(max(round((threshold - low) / span * _CELLS), 0), _CELLS)
    return f"{''.join(cells[:at])}│{''.join(cells[at:])}"
