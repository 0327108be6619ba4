"""Means over tasks, from the reports of several: the totals of benchmarks, and TAPE's Tables 3 and 4.

The score of a task is the mean of its metrics, the total the mean of the scores: Russian SuperGLUE (section 3.2), MERA
(section 4.2), RAFT (section 3). MERA's diagnostic tasks are shown, and no mean has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from augment_ru import registry
from augment_ru.errors import AugmentError
from augment_ru.evaluation.report import SavedModel, SavedReport
from augment_ru.evaluation.table_text import ShownTable, shown
from augment_ru.evaluation.tables import shots_of
from augment_ru.records.task import task as task_of

Known: TypeAlias = tuple[str, int | None]
"""A model with its number of demonstrations."""

F1 = ("macro_f1", "f1")
ACCURACY = ("accuracy", "exact_match")
"""The two metrics of a task of TAPE: of classification, or of written answers."""


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a model over several tasks, in per cent; None where a task lacks one.

    Attributes:
        model: its name.
        shots: its number of demonstrations.
        tasks: the score of each report.
        total: the mean of these.
        f1: the mean of the F1 of TAPE's Table 3.
        accuracy: that of the accuracy or the exact match.
        attacks: the mean attack success rate of each attack, as in TAPE's Table 4.
        asr: the mean over attacks.
    """

    model: str
    shots: int | None
    tasks: Sequence[float | None]
    total: float | None
    f1: float | None
    accuracy: float | None
    attacks: Mapping[str, float | None]
    asr: float | None


def totals(reports: Sequence[SavedReport]) -> list[Means]:
    """For each model and number of demonstrations its means over the tasks.

    Args:
        reports: one for each task; two may be of tasks with the same schema.

    Raises:
        AugmentError: there are no reports.
    """
    if not reports:
        raise AugmentError("no reports; give those of several tasks")
    found: dict[Known, list[SavedModel | None]] = {}
    for number, report in enumerate(reports):
        for model in report.models:
            found.setdefault((model.model, model.shots), [None] * len(reports))[number] = model
    counted = [at for at, report in enumerate(reports) if not is_diagnostic(report)]
    attacks = list(dict.fromkeys(name for at in counted for name in reports[at].attacks))
    return [_means(*known, models, [models[at] for at in counted], attacks) for known, models in found.items()]


def is_diagnostic(report: SavedReport) -> bool:
    """Whether the task of a report is one whose score is in no mean."""
    return report.task in registry.names("tasks") and task_of(report.task).benchmark.diagnostic


def _means(
    model: str,
    shots: int | None,
    models: Sequence[SavedModel | None],
    own: Sequence[SavedModel | None],
    attacks: Sequence[str],
) -> Means:
    """The means of a model; `own` are those of the tasks that count."""
    rates = {
        name: _mean([one.attacks[name].asr if one else None for one in own if one is None or name in one.attacks])
        for name in attacks
    }
    return Means(
        model,
        shots,
        tasks=[_score(one) for one in models],
        total=_mean([_score(one) for one in own]),
        f1=_mean([_metric(one, F1) for one in own]),
        accuracy=_mean([_metric(one, ACCURACY) for one in own]),
        attacks=rates,
        asr=_mean(list(rates.values())),
    )


def _score(model: SavedModel | None) -> float | None:
    """The mean of the metrics of a task."""
    return _mean([one.value for one in model.metrics.values()]) if model else None


def _metric(model: SavedModel | None, names: Sequence[str]) -> float | None:
    return next((model.metrics[name].value for name in names if name in model.metrics), None) if model else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def total_tables(reports: Sequence[SavedReport], names: Sequence[str]) -> list[ShownTable]:
    """The means as tables: scores by task as in TAPE's Table 3, and attack success rates as in its Table 4.

    Args:
        reports: one for each task.
        names: what the tasks are called.
    """
    found = totals(reports)
    marked = [f"{name} *" if is_diagnostic(report) else name for name, report in zip(names, reports, strict=True)]
    note = " (* diagnostic: in no mean)" if marked != list(names) else ""
    tables = [
        ShownTable(
            f"Scores by task, the mean of its metrics, %{note}",
            ["model", "shots", *marked, "total", "F1", "accuracy / EM"],
            [
                [one.model, shots_of(one.shots), *map(shown, (*one.tasks, one.total, one.f1, one.accuracy))]
                for one in found
            ],
            2,
        ),
        ShownTable(
            "Attack success rate, the mean over the tasks that the attack is made on, %",
            ["model", "shots", *found[0].attacks, "mean"],
            [[one.model, shots_of(one.shots), *map(shown, one.attacks.values()), shown(one.asr)] for one in found],
            2,
        ),
    ]
    return tables if found[0].attacks else tables[:1]
