"""The tables of a report, for the terminal, as text in markdown, CSV or LaTeX, and as rows of numbers."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError

FORMATS = ("markdown", "csv", "latex")


class ShownTable(NamedTuple):
    """A table as it is shown.

    Attributes:
        title: what it shows.
        columns: the names of its columns; the first `named` are texts, the others numbers.
        rows: the cells.
        named: the number of columns with texts.
        best: the cells that are marked, by (row, column).
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    named: int
    best: frozenset[tuple[int, int]] = frozenset()


def shown(value: float | None, digits: int = 2) -> str:
    """A number as tables show it; a dash for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def span(interval: Sequence[float] | None) -> str:
    """An interval as tables show it."""
    if interval is None:
        return "–"
    return f"{interval[0]:.1f}{' to ' if interval[0] < 0 else '–'}{interval[1]:.1f}"


def shots_of(model: Mapping[str, Any]) -> str:
    """The number of demonstrations; a dash for a model that does not read them."""
    return "–" if model["shots"] is None else str(model["shots"])


def beats_majority(report: Mapping[str, Any], model: Mapping[str, Any]) -> bool:
    """Whether a model's main metric on the originals is higher than that of the most frequent right answer."""
    metric = next(iter(report["metrics"]), None)
    found = model["metrics"].get(metric)
    return found is not None and found["value"] > report["majority"].get(metric, -100.0)


def best_models(report: Mapping[str, Any]) -> dict[str, int]:
    """By attack, and for the mean under "mean", the number of the model with the lowest rate.

    Models that are no better than the most frequent right answer do not compete; a tie has no best model, and neither
    has a column in which one model competes.
    """
    found: dict[str, int] = {}
    competing = [number for number, model in enumerate(report["models"]) if beats_majority(report, model)]
    for name in [*report["attacks"], "mean"]:
        rates = {number: _rate(report["models"][number], name) for number in competing}
        known = {number: round(rate, 2) for number, rate in rates.items() if rate is not None}
        lowest = [number for number, rate in known.items() if rate == min(known.values())]
        if len(known) > 1 and len(lowest) == 1:
            found[name] = lowest[0]
    return found


def _rate(model: Mapping[str, Any], name: str) -> float | None:
    rate: float | None = model["asr_mean"] if name == "mean" else model["attacks"][name]["asr"]
    return rate


def headline(report: Mapping[str, Any]) -> ShownTable:
    """Models by attacks: the main metric on the originals and after each attack, and the attack success rate."""
    metric = next(iter(report["metrics"]), "")
    attacks = list(report["attacks"])
    columns = ["model", "shots", metric]
    best, rows = best_models(report), []
    marked: set[tuple[int, int]] = set()
    for number, model in enumerate(report["models"]):
        row = [model["model"], shots_of(model), shown(model["metrics"].get(metric, {}).get("value"))]
        for name in attacks:
            entry = model["attacks"][name]
            after = entry["metrics"].get(metric, {}).get("after")
            rate = shown(entry["asr"]) + (f" ±{entry['std']:.2f}" if entry.get("std") is not None else "")
            marked |= {(number, len(row) + 1)} if best.get(name) == number else set()
            row += [shown(after), rate]
        if attacks:
            marked |= {(number, len(row))} if best.get("mean") == number else set()
            row += [
                shown(model["asr_mean"]),
                shown(model["worst_case"]["value"]),
                shown(model["worst_case_asr"]["value"]),
            ]
        rows.append(row)
    for name in attacks:
        columns += [f"{name}: {metric}", f"{name}: ASR"]
    columns += ["mean ASR", "worst case", "worst-case ASR"] if attacks else []
    return ShownTable("Before and after each attack, %", columns, rows, 2, frozenset(marked))


def counts(report: Mapping[str, Any]) -> ShownTable:
    """The counts behind each rate, with the metrics before and after."""
    metrics = list(report["metrics"])
    columns = ["model", "shots", "attack", *metrics, "right", "broken", "fixed", "ASR, %", "95 %", "drop rate, %"]
    columns += ["flips, %", "unchanged", "rejected", "rows"]
    rows = []
    for model, name, entry in _entries(report):
        changes = [entry["metrics"].get(metric) for metric in metrics]
        rows.append(
            [
                model["model"],
                shots_of(model),
                name,
                *("–" if one is None else f"{one['before']:.1f} → {one['after']:.1f}" for one in changes),
                *(f"{entry[key]:,}" for key in ("right", "broken", "fixed")),
                shown(entry["asr"]),
                span(entry["ci95"]),
                shown(entry["performance_drop_rate"]["value"]),
                shown(entry["flip_rate"]["value"]),
                *(f"{entry[key]:,}" for key in ("unchanged", "rejected", "rows")),
            ]
        )
    return ShownTable("Counts", columns, rows, 3)


def valid(report: Mapping[str, Any]) -> ShownTable:
    """The rates over the rows that people found valid, beside those over all."""
    columns = ["model", "shots", "attack", "judged", "valid", "valid, %", "ASR, all rows", "ASR, valid rows", "95 %"]
    columns += ["broken", "right"]
    rows = []
    for model, name, entry in _entries(report):
        if found := entry.get("valid_rows"):
            cells = [f"{found['judged']:,}", f"{found['valid']:,}", shown(found["share"]["value"]), shown(entry["asr"])]
            cells += [shown(found["asr"]["value"]), span(found["asr"]["ci95"])]
            rows.append([model["model"], shots_of(model), name, *cells, f"{found['broken']:,}", f"{found['right']:,}"])
    return ShownTable("Over the rows that people found valid, %", columns, rows, 3)


def clean(report: Mapping[str, Any]) -> ShownTable:
    """The metrics of each model on the originals."""
    metrics = list(report["metrics"])
    rows = [
        [model["model"], shots_of(model), *(shown(model["metrics"].get(name, {}).get("value")) for name in metrics)]
        for model in report["models"]
    ]
    if report["majority"]:
        rows.append(["(most frequent answer)", "–", *(shown(report["majority"].get(name)) for name in metrics)])
    return ShownTable("Metrics, %", ["model", "shots", *metrics], rows, 2)


def tables_of(report: Mapping[str, Any]) -> list[ShownTable]:
    """All tables of a report; of one without attacks the metrics alone."""
    if not report["attacks"]:
        return [clean(report)]
    return [table for table in (headline(report), counts(report), valid(report), searches_table(report)) if table.rows]


def searches_table(report: Mapping[str, Any]) -> ShownTable:
    """Searches against a model: the success rate at each number of queries, and the sizes of what they found."""
    found = report.get("searches", {})
    numbers_of_queries = sorted({point["queries"] for one in found.values() for point in one["curve"]})
    columns = ["attack", "budget", *(f"{number:,}" for number in numbers_of_queries)]
    columns += ["queries a success", "words", "changes", "minimal, %"]
    rows = []
    for attack, one in found.items():
        rates = {point["queries"]: shown(point["asr"], 1) for point in one["curve"]}
        sizes = [one["queries_a_success"], one["changed_words"], one["changes"], one["minimal"]]
        curve = [rates.get(number, "–") for number in numbers_of_queries]
        rows.append([attack, f"{one['budget']:,}", *curve, *(shown(size, 1) for size in sizes)])
    return ShownTable("Searches: rows broken by a number of queries, % of those right before", columns, rows, 2)


def _entries(report: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, Mapping[str, Any]]]:
    for model in report["models"]:
        for name, entry in model["attacks"].items():
            yield model, name, entry


def numbers(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The numbers of a report as rows: one for each model and attack, or for each model without attacks."""
    if not report["attacks"]:
        return [_of_model(model) for model in report["models"]]
    return [
        {
            **_of_model(model),
            "attack": name,
            **{
                f"{metric}_{side}": one[side]
                for metric, one in entry["metrics"].items()
                for side in ("before", "after")
            },
            **{key: entry[key] for key in ("asr", "right", "broken", "fixed", "unchanged", "rejected", "rows")},
            "asr_low": entry["ci95"] and entry["ci95"][0],
            "asr_high": entry["ci95"] and entry["ci95"][1],
            **{
                key: entry[key]["value"]
                for key in ("asr_perturbed_rows", "asr_all_rows", "performance_drop_rate", "flip_rate")
            },
        }
        for model, name, entry in _entries(report)
    ]


def _of_model(model: Mapping[str, Any]) -> dict[str, Any]:
    found = {"model": model["model"], "shots": model["shots"], "episodes": model["episodes"]}
    return found | {name: one["value"] for name, one in model["metrics"].items()}


def as_text(table: ShownTable, form: str) -> str:
    """A table as text.

    Args:
        table: the table.
        form: markdown, csv or latex.

    Raises:
        AugmentError: there is no such form.
    """
    if form not in FORMATS:
        raise AugmentError(f"--format {form}; possible: table, {', '.join(FORMATS)}")
    rows = [
        [
            f"**{cell}**" if (at, column) in table.best and form == "markdown" else cell
            for column, cell in enumerate(row)
        ]
        for at, row in enumerate(table.rows)
    ]
    if form == "csv":
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([table.columns, *rows])
        return stream.getvalue()
    if form == "markdown":
        ruler = ["---" if at < table.named else "---:" for at in range(len(table.columns))]
        lines = [[_escaped(cell, "|") for cell in row] for row in (table.columns, *rows)]
        return "".join(f"| {' | '.join(row)} |\n" for row in (lines[0], ruler, *lines[1:]))
    places = "l" * table.named + "r" * (len(table.columns) - table.named)
    lines = [[_latex(cell) for cell in row] for row in (table.columns, *table.rows)]
    for at, column in table.best:
        lines[at + 1][column] = rf"\textbf{{{lines[at + 1][column]}}}"
    body = [" & ".join(row) + r" \\" for row in lines]
    return "\n".join(
        [rf"\begin{{tabular}}{{{places}}}", r"\hline", body[0], r"\hline", *body[1:], r"\hline", r"\end{tabular}", ""]
    )


def _escaped(text: str, marks: str) -> str:
    return "".join(f"\\{one}" if one in marks else one for one in text)


def _latex(text: str) -> str:
    names = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "→": r"$\to$", "–": "--"}
    names |= {"±": r"$\pm$"}
    return "".join(names.get(one, f"\\{one}" if one in "&%$#_{}" else one) for one in text)
