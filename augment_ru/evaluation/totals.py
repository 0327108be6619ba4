"""Means over tasks, from the reports of several: the totals of benchmarks, and TAPE's Tables 3 and 4.

The score of a task is the mean of its metrics, the total the mean of the scores: Russian SuperGLUE (section 3.2), MERA
(section 4.2), RAFT (section 3). MERA's diagnostic tasks are shown, and no mean has them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from augment_ru import registry
from augment_ru.errors import AugmentError, said
from augment_ru.evaluation.report import FORMAT
from augment_ru.evaluation.table_text import ShownTable, shown
from augment_ru.evaluation.tables import shots_of
from augment_ru.records.task import task as task_of

Report: TypeAlias = Mapping[str, Any]
Known: TypeAlias = tuple[str, int | None]
"""A model with its number of demonstrations."""

F1 = ("macro_f1", "f1")
ACCURACY = ("accuracy", "exact_match")
"""The two metrics of a task of TAPE: of classification, or of written answers."""


def read_report(path: Path) -> Report:
    """The report in a file that `evaluate -o` wrote.

    Raises:
        AugmentError: there is none.
    """
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise AugmentError(f"{path}: cannot be read ({error.strerror}); give a report.json of evaluate") from error
    except (ValueError, RecursionError) as error:
        raise AugmentError(f"{path}: is no JSON; give a report.json of evaluate -o") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise AugmentError(f"{path}: is no report of evaluate; give the file of its option -o")
    return found


@contextmanager
def of_reports(paths: Sequence[Path]) -> Iterator[None]:
    """What reports make fail whose values are not those that `evaluate` writes, as an error that names them.

    Raises:
        AugmentError: a value has a wrong type, is missing, or is out of its range.
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        names = ", ".join(map(str, dict.fromkeys(paths)))
        raise AugmentError(
            f"{names}: damaged, or no report of evaluate: {said(error)} (--debug shows where)"
        ) from error


def totals(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """For each model and number of demonstrations its means over the tasks; None where a task lacks one.

    Args:
        reports: one for each task; two may be of tasks with the same schema.

    Returns:
        A list of objects: `model`, `shots`; `tasks`, the score of each report; `total`, their mean; `f1` and
        `accuracy`, the means of TAPE's Table 3; `attacks`, the mean attack success rate of each attack, and `asr`, the
        mean over attacks, as in TAPE's Table 4. All in per cent.

    Raises:
        AugmentError: there are no reports.
    """
    if not reports:
        raise AugmentError("no reports; give those of several tasks")
    models: dict[Known, list[Mapping[str, Any] | None]] = {}
    for number, report in enumerate(reports):
        for model in report["models"]:
            models.setdefault((model["model"], model["shots"]), [None] * len(reports))[number] = model
    counted = [not is_diagnostic(report) for report in reports]
    of_counted = (report["attacks"] for report, is_counted in zip(reports, counted, strict=True) if is_counted)
    attacks = list(dict.fromkeys(name for names in of_counted for name in names))
    return [_entry(known, own, counted, attacks) for known, own in models.items()]


def is_diagnostic(report: Report) -> bool:
    """Whether the task of a report is one whose score is in no mean."""
    return report["task"] in registry.names("tasks") and task_of(report["task"]).diagnostic


def _entry(
    known: Known, models: Sequence[Mapping[str, Any] | None], counted: Sequence[bool], attacks: Sequence[str]
) -> dict[str, Any]:
    own = [model for model, is_counted in zip(models, counted, strict=True) if is_counted]
    rates = {
        name: _mean([_rate(model, name) for model in own if model is None or name in model["attacks"]])
        for name in attacks
    }
    return {
        "model": known[0],
        "shots": known[1],
        "tasks": [_score(model) for model in models],
        "total": _mean([_score(model) for model in own]),
        "f1": _mean([_metric(model, F1) for model in own]),
        "accuracy": _mean([_metric(model, ACCURACY) for model in own]),
        "attacks": rates,
        "asr": _mean(list(rates.values())),
    }


def _score(model: Mapping[str, Any] | None) -> float | None:
    """The mean of the metrics of a task."""
    return None if model is None else _mean([one["value"] for one in model["metrics"].values()])


def _metric(model: Mapping[str, Any] | None, names: Sequence[str]) -> float | None:
    found = {} if model is None else model["metrics"]
    return next((found[name]["value"] for name in names if name in found), None)


def _rate(model: Mapping[str, Any] | None, attack: str) -> float | None:
    rate: float | None = None if model is None else model["attacks"][attack]["asr"]
    return rate


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def total_tables(reports: Sequence[Report], names: Sequence[str]) -> list[ShownTable]:
    """The means as tables: scores by task as in TAPE's Table 3, and attack success rates as in its Table 4.

    Args:
        reports: one for each task.
        names: what the tasks are called.
    """
    found = totals(reports)
    marked = [f"{name} *" if is_diagnostic(report) else name for name, report in zip(names, reports, strict=True)]
    note = " (* diagnostic: in no mean)" if marked != list(names) else ""
    scores = ShownTable(
        f"Scores by task, the mean of its metrics, %{note}",
        ["model", "shots", *marked, "total", "F1", "accuracy / EM"],
        [
            [one["model"], shots_of(one), *map(shown, (*one["tasks"], one["total"], one["f1"], one["accuracy"]))]
            for one in found
        ],
        2,
    )
    attacks = list(found[0]["attacks"])
    if not attacks:
        return [scores]
    rates = ShownTable(
        "Attack success rate, the mean over the tasks that the attack is made on, %",
        ["model", "shots", *attacks, "mean"],
        [[one["model"], shots_of(one), *map(shown, one["attacks"].values()), shown(one["asr"])] for one in found],
        2,
    )
    return [scores, rates]
