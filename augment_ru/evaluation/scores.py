"""The metrics of models as the report states them: on the originals, before and after each attack, and by part."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

from augment_ru.evaluation.answers import Answer, Golds, group_of
from augment_ru.evaluation.metrics import Metric
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.report import ChangedScore, Score, ScorePart

DIGITS = 4
"""Digits after the point of a percentage in the report."""


def scores(
    metrics: Mapping[str, Metric],
    pairs: Pairs,
    golds: Golds,
    episodes: Sequence[Sequence[Answer]],
    rows: Sequence[int] | None = None,
) -> dict[str, Score]:
    """The scores of each metric over the rows that have a right answer.

    Of several labels it is the mean, and of several groups of rows the mean over the groups. A metric is left out if no
    row has a right answer.

    Args:
        metrics: the metrics.
        pairs: the rows.
        golds: the right answers of the originals.
        episodes: by episode, the answer to each row.
        rows: the number of each row's original; None for the originals themselves.
    """
    rows = range(len(pairs.originals)) if rows is None else rows
    decided = pairs.task.scoring.decided
    rows_of: dict[str | None, list[tuple[int, Sequence[Any]]]] = {}
    for at, original in enumerate(rows):
        group = group_of(pairs.originals[original].values, pairs.task)
        rows_of.setdefault(group, []).append((at, golds[original]))
    known = {
        (group, label): own
        for group in sorted(rows_of, key=lambda name: (name is None, name))
        for label in range(len(decided))
        if (own := [(at, gold[label]) for at, gold in rows_of[group] if gold[label] is not None])
    }
    found: dict[str, Score] = {}
    for name, metric in metrics.items() if known else ():
        parts = {
            (group, label): [
                100 * metric.score([gold for _, gold in own], [answers[at][label] for at, _ in own])
                for answers in episodes
            ]
            for (group, label), own in known.items()
        }
        values = [_mean_of_groups(parts, episode) for episode in range(len(episodes))]
        entries = [
            ScorePart(group=group, label=decided[label] if len(decided) > 1 else None, value=rounded_mean(own))
            for (group, label), own in parts.items()
        ]
        # one part alone is the score itself
        found[name] = Score(rounded_mean(values), spread(values), entries if len(entries) > 1 else None)
    return found


def _mean_of_groups(parts: Mapping[tuple[str | None, int], Sequence[float]], episode: int) -> float:
    """The mean over the groups of the mean over their labels."""
    of_group: dict[str | None, list[float]] = {}
    for (group, _), values in parts.items():
        of_group.setdefault(group, []).append(values[episode])
    return mean(mean(values) for values in of_group.values())


def rounded_mean(values: Sequence[float]) -> float:
    """The mean, rounded as the report rounds."""
    return round(sum(values) / len(values), DIGITS)


def spread(values: Sequence[float | None]) -> float | None:
    """The standard deviation (n - 1), rounded; None if there are fewer than two known values."""
    known = [value for value in values if value is not None]
    return round(stdev(known), DIGITS) if len(known) > 1 else None


def changed_scores(
    metrics: Mapping[str, Metric], pairs: Pairs, golds: Golds, run: ModelRun, attack: str
) -> dict[str, ChangedScore]:
    """The scores before and after an attack, over the rows of the attack."""
    rows = [pair.original for pair in pairs.attacks[attack]]
    before = scores(metrics, pairs, golds, [[episode[at] for at in rows] for episode in run.originals], rows)
    after = scores(metrics, pairs, golds, run.attacks[attack], rows)
    return {
        name: ChangedScore(
            was.value,
            after[name].value,
            was.std,
            after[name].std,
            was.parts
            and [
                replace(one, before=one.value, after=other.value)
                for one, other in zip(was.parts, after[name].parts or (), strict=True)
            ],
        )
        for name, was in before.items()
    }
