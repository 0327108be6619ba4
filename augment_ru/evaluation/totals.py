"""Average the reports of several tasks into the totals of a benchmark, as in Tables 3 and 4 of the paper on TAPE.

The score of a task is the mean of its metrics, and the total is the mean of the scores, as in Russian SuperGLUE
(section 3.2), MERA (section 4.2) and RAFT (section 3). MERA's diagnostic tasks are shown but not averaged.
"""

from collections.abc import Mapping, Sequence

import msgspec

from augment_ru import registry
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import OTHER_FORM
from augment_ru.evaluation.rates import mean_of_all
from augment_ru.evaluation.report import SavedModel, SavedReport
from augment_ru.evaluation.table_text import ShownTable, shown
from augment_ru.evaluation.tables import shots_of
from augment_ru.records.task import task as task_of

F1 = ("macro_f1", "f1")
ACCURACY = ("accuracy", "exact_match")
"""The benchmark TAPE has two metrics for a task, F1 and ACCURACY; each is a pair of names, for classification and for
written answers.
"""


class Means(msgspec.Struct, frozen=True):
    """The means of a model over several tasks, in per cent; a mean is None if a task lacks the value.

    Diagnostic tasks, which their benchmark does not average, are left out of all means.

    Attributes:
        model: the name of the model.
        shots: the number of demonstrations; None for a model that does not read them.
        tasks: the score on each task, in the order of the reports; None if a report lacks the model.
        total: the mean of the scores.
        f1: the mean of the F1 scores, as in TAPE's Table 3.
        accuracy: the mean of the accuracy or exact match scores.
        attacks: the mean success rate of each attack over the tasks that it is made on, as in TAPE's Table 4.
        asr: the mean of `attacks`.
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
    """Return the means over tasks, for each model with each number of demonstrations.

    Args:
        reports: one report for each task.

    Raises:
        AugmentError: there are no reports, they are of several protocols, or two are of the same task and rows.
    """
    if not reports:
        raise AugmentError("no reports; give those of several tasks")
    if len(protocols := {report.protocol for report in reports if report.protocol}) > 1:
        raise AugmentError(f"reports of several protocols: {', '.join(sorted(protocols))}; take those of one")
    seen = [(one.task, one.data.digest) for one in reports if one.data and one.data.digest]
    if len({*seen}) < len(seen):
        raise AugmentError("two reports of the same task and rows; take one for each task, with all models")
    entries: dict[tuple[str, int | None], list[SavedModel | None]] = {}
    for number, report in enumerate(reports):
        for entry in report.models:
            entries.setdefault((entry.model, entry.shots), [None] * len(reports))[number] = entry
    counted = [at for at, report in enumerate(reports) if not is_diagnostic(report)]
    attacks = list(dict.fromkeys(name for at in counted for name in reports[at].attacks))
    found = []
    for (model, shots), models in entries.items():
        own = [models[at] for at in counted]
        rates = {
            name: mean_of_all(
                [one.attacks[name].asr if one else None for one in own if one is None or name in one.attacks]
            )
            for name in attacks
        }
        f1, accuracy = (mean_of_all([_metric(one, pair) for one in own]) for pair in (F1, ACCURACY))
        tasks, total = [_score(one) for one in models], mean_of_all([_score(one) for one in own])
        found.append(Means(model, shots, tasks, total, f1, accuracy, rates, mean_of_all(list(rates.values()))))
    return found


def is_diagnostic(report: SavedReport) -> bool:
    """Tell whether a report is of a diagnostic task: one whose score its benchmark leaves out of the mean."""
    if report.task not in registry.names("tasks"):
        return False
    task = task_of(report.task)
    known = report.protocol in task.benchmark.protocols
    return (task.under(report.protocol) if known else task).benchmark.diagnostic


def _score(model: SavedModel | None) -> float | None:
    """Return the mean of the metrics of a task; None if the model was not evaluated on it.

    Metrics in a second normal form, such as `f1_russian`, do not count: the benchmark does not use them.
    """
    own = [one.value for name, one in model.metrics.items() if not name.endswith(OTHER_FORM)] if model else []
    return mean_of_all(own)


def _metric(model: SavedModel | None, names: Sequence[str]) -> float | None:
    return next((model.metrics[name].value for name in names if name in model.metrics), None) if model else None


def total_tables(reports: Sequence[SavedReport], names: Sequence[str]) -> list[ShownTable]:
    """Return the means of models over several tasks as tables, like those of the paper on TAPE.

    The first has the scores on each task, as TAPE's Table 3. The second has attack success rates, as TAPE's Table 4; it
    is left out if no report has attacks.

    Args:
        reports: a report for each task.
        names: the name that is shown for the task of each report.
    """
    found = totals(reports)
    marked = [f"{name} *" if is_diagnostic(report) else name for name, report in zip(names, reports, strict=True)]
    note = " (* diagnostic: in no mean)" if marked != list(names) else ""
    note += next((f", protocol {report.protocol}" for report in reports if report.protocol), "")
    scores, rates = [], []
    for one in found:
        named = [one.model, shots_of(one.shots)]
        scores.append([*named, *map(shown, (*one.tasks, one.total, one.f1, one.accuracy))])
        rates.append([*named, *map(shown, (*one.attacks.values(), one.asr))])
    title, columns = f"Scores by task, the mean of its metrics, %{note}", [*marked, "total", "F1", "accuracy / EM"]
    tables = [ShownTable(title, ["model", "shots", *columns], scores, 2)]
    title, columns = "Attack success rate, the mean over the tasks that the attack is made on, %", [*found[0].attacks]
    tables += [ShownTable(title, ["model", "shots", *columns, "mean"], rates, 2)] if columns else []
    return tables
