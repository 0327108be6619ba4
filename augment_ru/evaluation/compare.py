"""Compare several reports over the rows that all of them share: tables, sentences, and a page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from augment_ru.errors import AugmentError, saying_instead
from augment_ru.evaluation import rates, tables
from augment_ru.evaluation.evaluation import CORRECT
from augment_ru.evaluation.examples import QuestionCounts
from augment_ru.evaluation.page import about, data_of_report, page_of
from augment_ru.evaluation.paired import RunsInPairs
from augment_ru.evaluation.pairs import ORIGINAL
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.report import (
    COMPARISON,
    COMPARISON_VERSION,
    VERSION,
    ChangedScore,
    ComparedAttack,
    ComparedModel,
    ComparedReport,
    Comparison,
    ModelDifference,
    SavedModel,
    SavedReport,
    read_report,
)
from augment_ru.evaluation.table_text import NONE, ShownTable
from augment_ru.evaluation.tables import shown_names
from augment_ru.version import __version__

_METRICS = {CORRECT["labels"]: "accuracy", CORRECT["answers"]: "exact_match"}
"""Maps the criterion of a right decision (`Report.correct`) to the name of the share of right decisions."""

Shared: TypeAlias = Mapping[str, Sequence[tuple[str, Sequence[int]]]]
"""Maps an attack to the rows that all reports have: the key of each row, and its number in each report."""


class NamedReport(NamedTuple):
    """A report with the name that a comparison gives it.

    Attributes:
        name: the name.
        values: the report.
        file: the file it was read from; None if there is none.
    """

    name: str
    values: SavedReport
    file: str | None = None

    @property
    def where(self) -> str:
        """The file of the report, or its name if there is no file; error messages begin with it."""
        return self.file or self.name


def named_report(path: Path) -> NamedReport:
    """Read the report in a file that `augment-ru evaluate -o` wrote, and give it a name for a comparison.

    The name is the title of the report, or else the name of its file.

    Raises:
        AugmentError: the file cannot be read, or does not hold a report.
    """
    values = read_report(path)
    return NamedReport(values.title or path.stem, values, str(path))


def compare(
    reports: Sequence[NamedReport], *, seed: int = 42, title: str | None = None, date: str | None = None
) -> Comparison:
    """Compare the models of several reports under the attacks and over the rows that all reports share.

    A row is shared if its text, the text of its original and the right answers are the same in all reports. If no
    report has attacks, the original rows are compared.

    Args:
        reports: the reports. If several have the same name, their file names are added to it; if these are equal, too,
            numbers are added.
        seed: the seed of the bootstrap.
        title: the title of the comparison.
        date: the date shown in the comparison.

    Raises:
        AugmentError: there are fewer than two reports, they share no rows, a report is damaged or does not list its
            rows, or the reports are of different tasks or versions.
    """
    if len(reports) < 2:  # noqa: PLR2004
        raise AugmentError("one report alone has nothing to be compared with; give two or more")
    clean = not any(report.values.attacks for report in reports)
    rows = [_stated_rows(report, clean=clean) for report in reports]
    names = _names_apart(reports)
    shared = _shared(rows)
    if not shared:
        raise _nothing_shared(reports, rows)
    judged, records = _judged(reports, _model_names(names, reports), shared, seed)
    in_pairs, saved = RunsInPairs(judged, seed), [model for report in reports for model in report.values.models]
    metric = _METRICS.get(reports[0].values.correct, rates.RIGHT)
    runs = iter(zip(judged, in_pairs.best([model.beats_majority for model in saved]), strict=True))
    return Comparison(
        signature=f"{COMPARISON}-v{COMPARISON_VERSION}|seed={seed}|augment-ru={__version__}",
        title=title,
        date=date,
        reports=[
            ComparedReport(
                name=name,
                data=report.values.data,
                date=report.values.date,
                signature=report.values.signature,
                rows=sum(map(len, own.values())),
                shared=sum(map(len, shared.values())),
                attacks_left_out=[attack for attack in own if attack not in shared],
            )
            for name, report, own in zip(names, reports, rows, strict=True)
        ],
        task=reports[0].values.task,
        gold=reports[0].values.gold,
        correct=reports[0].values.correct,
        metrics=[metric],
        originals=records,
        rows={} if clean else {attack: len(own) for attack, own in shared.items()},
        attacks=[] if clean else list(shared),
        models=[
            _compared(*next(runs), name, model, metric)
            for name, report in zip(names, reports, strict=True)
            for model in report.values.models
        ],
        comparisons=in_pairs.comparisons(),
    )


def _stated_rows(report: NamedReport, *, clean: bool) -> Mapping[str, Sequence[str]]:
    """Return the keys of a report's rows, by attack.

    If `clean`, return only the keys of the originals, under the name `ORIGINAL`.

    Raises:
        AugmentError: the report was written by another version of augment-ru, or does not list its rows.
    """
    values = report.values
    if values.version != VERSION:
        problem = f"{report.where}: is a report of version {values.version}; this augment-ru compares version {VERSION}"
        raise AugmentError(f"{problem}; run augment-ru evaluate again")
    if values.rows is None or (clean and values.original_rows is None):
        raise AugmentError(f"{report.where}: states no rows, as those of older versions; run augment-ru evaluate again")
    return {ORIGINAL: values.original_rows or ()} if clean else values.rows


def _names_apart(reports: Sequence[NamedReport]) -> list[str]:
    """Return a different name for each report.

    If several reports have the same name, the name of the file is added, and if names are still equal, a number.
    """
    count = Counter(report.name for report in reports)
    names = [
        f"{report.name} ({Path(report.file).name})" if report.file and count[report.name] > 1 else report.name
        for report in reports
    ]
    count = Counter(names)
    return [f"{name} {turn + 1}" if count[name] > 1 else name for name, turn in _turns(names)]


def _turns(names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Return (name, count) for each name: how many times it occurs earlier in `names`."""
    seen = Counter[str]()
    for name in names:
        yield name, seen[name]
        seen[name] += 1


def _shared(rows: Sequence[Mapping[str, Sequence[str]]]) -> Shared:
    """Return the rows that all reports share.

    A repeated row counts as often as it occurs in the report that repeats it least.
    """
    found: dict[str, list[tuple[str, list[int]]]] = {}
    for attack in rows[0]:
        if all(attack in own for own in rows):
            numbers = [{turn: at for at, turn in enumerate(_turns(own[attack]))} for own in rows]
            common = [turn for turn in numbers[0] if all(turn in own for own in numbers)]
            if common:
                found[attack] = [(turn[0], [own[turn] for own in numbers]) for turn in common]
    return found


def _nothing_shared(reports: Sequence[NamedReport], rows: Sequence[Mapping[str, Sequence[str]]]) -> AugmentError:
    """Return the error for reports that share no rows; its message says what each report has."""
    names = [report.file or name for report, name in zip(reports, _names_apart(reports), strict=True)]
    if not all(rows):
        told = ", ".join(name for name, own in zip(names, rows, strict=True) if not own)
        return AugmentError(f"{told}: no attacks, and others have some; compare reports with attacks, or those without")
    if not set.intersection(*map(set, rows)):
        told = "; ".join(f"{name}: {', '.join(own)}" for name, own in zip(names, rows, strict=True))
        return AugmentError(f"the reports share no attack ({told}); evaluate the models on the same perturbed rows")
    data = ((report.values.data and report.values.data.name) or "rows" for report in reports)
    told = ", ".join(f"{name} of {one}" for name, one in zip(names, data, strict=True))
    return AugmentError(f"the reports share no rows ({told}); evaluate the models on the same perturbed rows")


def _model_names(names: Sequence[str], reports: Sequence[NamedReport]) -> list[dict[str, str]]:
    """Return a mapping for each report, from the names of its models to the names shown in the comparison.

    The report's name is added if several reports have a model of that name.
    """
    own = [dict.fromkeys(model.model for model in report.values.models) for report in reports]
    count = Counter(name for models in own for name in models)
    short = shown_names(sorted(count))
    named = zip(names, own, strict=True)
    return [{one: short[one] + (f" ({name})" if count[one] > 1 else "") for one in models} for name, models in named]


def _judged(
    reports: Sequence[NamedReport], called: Sequence[Mapping[str, str]], shared: Shared, seed: int
) -> tuple[list[rates.JudgedRun], int]:
    """Judge all models over the shared rows, with the same bootstrap resamples for all.

    Args:
        reports: the reports.
        called: for each report, the shown names of its models.
        shared: the shared rows.
        seed: the seed of the bootstrap.

    Returns:
        The judged runs, and the number of different originals of the shared rows.

    Raises:
        AugmentError: the outcomes of a report are damaged, or the reports are of different tasks.
    """
    keys = {attack: [key.partition("-")[0] for key, _ in rows] for attack, rows in shared.items()}
    number_of = {key: at for at, key in enumerate(dict.fromkeys(key for own in keys.values() for key in own))}
    runs, outcomes, cells = [], [], []
    for at, (report, names) in enumerate(zip(reports, called, strict=True)):
        for model in report.values.models:
            problem = f"is damaged: the outcomes of {model.model} are not those of its rows"
            with saying_instead(f"{report.where}: {problem}", ValueError, LookupError):
                own = {
                    attack: rates.AttackOutcomes.of_letters(
                        model.outcomes if attack == ORIGINAL else model.attacks[attack].outcomes,
                        [numbers[at] for _, numbers in rows],
                        [number_of[key] for key in keys[attack]],
                    )
                    for attack, rows in shared.items()
                }
                ((_, episodes),) = {one.before.shape[:2] for one in own.values()}
            counts = QuestionCounts()
            runs.append(ModelRun(names[model.model], model.signature, model.shots, [()] * episodes, {}, counts))
            outcomes.append(own)
            cells.append(_cells(own, len(number_of)))
    if len({len(one.known) for own in outcomes for one in own.values()}) > 1:
        raise AugmentError("the reports count different answers of the rows; evaluate them with the same task")
    return rates.judged_runs(runs, outcomes, cells, seed), len(number_of)


def _cells(outcomes: Mapping[str, rates.AttackOutcomes], records: int) -> dict[rates.Name, rates.Cells]:
    """Return the hits and trials of each rate of a model run, over `records` originals.

    With attacks, an original counts once in the rate of right decisions, whatever the number of its perturbed rows.
    Without attacks, it counts as often as it occurs in the data.
    """
    found = {(attack, "asr"): one.cells(one.broken, one.right, records) for attack, one in outcomes.items()}
    found |= {("", name): one for name, one in rates.worst_cells(outcomes, records).items()}
    right = [one.cells(one.right, one.known, records) for one in outcomes.values()]
    once = (np.minimum(np.maximum.reduce(counts), 1) for counts in zip(*right, strict=True))
    found["", rates.RIGHT] = right[0] if ORIGINAL in outcomes else rates.Cells(*once)
    return found


def _compared(judged: rates.JudgedRun, best: Sequence[str], name: str, model: SavedModel, metric: str) -> ComparedModel:
    attacks, clean = {}, ORIGINAL in judged.outcomes
    for attack, one in judged.outcomes.items() if not clean else ():
        known = int(one.known.sum())
        sides = (one.right, one.after & one.known)
        before, after = (rates.percent(int(side.sum()) / known if known else None) for side in sides)
        metrics = {metric: ChangedScore(before, after)}
        attacks[attack] = ComparedAttack(rate=judged.success(attack), rows=one.original.size, metrics=metrics)
    return ComparedModel(
        report=name,
        of=model.model,
        beats_majority=model.beats_majority,
        best=best,
        model=judged.run.model,
        signature=model.signature,
        shots=model.shots,
        episodes=judged.run.episodes,
        metrics={metric: judged.rate("", rates.RIGHT)},
        worst_case=None if clean else judged.rate("", rates.WORST),
        worst_case_asr=None if clean else judged.rate("", rates.WORST_ASR),
        asr_mean=rates.mean_asr({attack: one.rate for attack, one in attacks.items()}),
        attacks=attacks,
    )


_MOST_TOLD = 5
"""The most differences for which sentences are written."""

_LEAD = (
    "Over the rows that all reports share: the percentage of right answers in the original and after each attack, then "
    "the attack success rate (ASR): of the answers right on the original, the percentage that is wrong on the "
    "perturbed text. The lower the rate, the better; the stronger its tint, the higher it is. Bold: clearly the lowest "
    "rate of its column, by a paired interval that is corrected for the number of columns."
)
_LEAD_WITHOUT_ATTACKS = (
    "Over the rows that all reports share: the percentage of right answers of each model, with its 95 % interval. "
    "Where each row has one answer of a model, the p value of McNemar's test says how likely such a difference is if "
    "two models are right equally often."
)


def compared_tables(found: Comparison) -> list[ShownTable]:
    """Return the tables of a comparison of several reports.

    They show the rates of each model, the differences between models and between attacks, and the compared reports.
    """
    if not found.attacks:
        return [tables.clean(found), tables.models(found), _reports(found)]
    shown = (tables.rates(found), tables.models(found), tables.attacks(found), _reports(found))
    return [table for table in shown if table.rows]


def _reports(found: Comparison) -> ShownTable:
    attacks = bool(found.attacks)
    rows = []
    for one in found.reports:
        left_out = [", ".join(one.attacks_left_out) or NONE] if attacks else []
        rows.append([one.name, (one.data and one.data.name) or NONE, *left_out, f"{one.rows:,}", f"{one.shared:,}"])
    columns = ["report", "data", *(["attacks that not all have", "perturbed rows"] if attacks else ["rows"])]
    return ShownTable("Reports", [*columns, "shared by all"], rows, 2 + attacks, key="reports")


def compared_findings(found: Comparison) -> list[str]:
    """Say in sentences which models differ clearly: a sentence for each of the largest differences between two models.

    A difference is clear if its interval, corrected for the number of attacks, does not contain 0, and if McNemar's
    test (where there is one) confirms the difference. If the reports have attacks, models that are no better than the
    most frequent answer are left out. A last sentence counts the smaller differences. If no difference is clear, the
    only sentence says so; if no two models are left, there is none.
    """
    names = tables.names_of(found)
    weak = {model.model for model in found.models if found.attacks and not model.beats_majority}
    between = [
        (one, one.difference, one.ci95)
        for one in found.comparisons
        if isinstance(one, ModelDifference) and one.difference is not None and not {one.a, one.b} & weak
    ]
    clear = [(one, difference, ends) for one, difference, ends in between if ends and one.clear]
    clear.sort(key=lambda one: (-abs(one[1]), one[0].attack or "", one[0].a, one[0].b))
    told = []
    for one, difference, ends in clear[:_MOST_TOLD]:
        more, less = (one.a, one.b) if difference > 0 else (one.b, one.a)
        does = f"{more} is right" if one.attack is None else f"{names[one.attack]} breaks {more}"
        low, high = sorted(abs(end) for end in ends)
        of = "" if one.attack is None else " of the answers right in both"
        points = f"by {abs(difference):.0f} points{of} (95 %: {low:.0f} to {high:.0f})"
        told.append(f"{does} more often than {less}: {points}.")
    if between and not told:
        return ["No difference between two models is clear."]
    left = len(clear) - len(told)
    return told + ([f"{left:,} more differences are clear."] if left else [])


def compared_page(found: Comparison, shown: Sequence[ShownTable] | None = None) -> str:
    """Return the HTML page of a comparison of several reports; the same comparison gives the same bytes.

    Args:
        found: the comparison.
        shown: its tables, if they have been made already.
    """
    rows = sum(found.rows.values()) if found.attacks else found.originals
    date = [] if found.date is None else [found.date]
    data = {
        **data_of_report(found, compared_tables(found) if shown is None else shown),
        "compared": True,
        "header": [*date, f"{len(found.reports)} reports", f"{rows:,} shared rows"],
        "lead": _LEAD if found.attacks else _LEAD_WITHOUT_ATTACKS,
        "findings": compared_findings(found),
        "about": {name: about(name) for name in found.attacks},
        "sections": ["robustness", *(["rates"] if found.attacks else [])],
    }
    return page_of(data)
