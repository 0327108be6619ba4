"""The tables of a report that go into detail: curves of searches, transfer, differences, subpopulations."""

from collections.abc import Mapping, Sequence
from typing import Any

from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.table_text import INTERVAL, ShownTable, shown, span

_SMALLEST_P = 0.0001


def curve_table(report: Mapping[str, Any]) -> ShownTable:
    """Searches against a model: the success rate at each number of queries with its interval, and what they found."""
    found, names = report.get("searches", {}), names_of(report)
    numbers = sorted({point["queries"] for one in found.values() for point in one["curve"]})
    columns = ["attack", "budget", *(f"{number:,}" for number in numbers)]
    columns += ["queries a success", "words", "changes", "minimal, %"]
    rows = []
    for attack, one in found.items():
        rates = {point["queries"]: f"{shown(point['asr'], 1)} ({span(point['ci95'])})" for point in one["curve"]}
        sizes = [one["queries_a_success"], one["changed_words"], one["changes"], one["minimal"]]
        points = [rates.get(number, "–") for number in numbers]
        rows.append([names[attack], f"{one['budget']:,}", *points, *(shown(size, 1) for size in sizes)])
    title = "Searches: rows broken by a number of queries, % of those right before (95 %)"
    return ShownTable(title, columns, rows, 2, key="curve")


def together_table(report: Mapping[str, Any]) -> ShownTable:
    """What all attacks do together: the worst case and the consistency, each with its interval."""
    names = names_of(report)
    rates = ("worst_case", "worst_case_asr", "consistency")
    rows = [
        [
            names[model["model"]],
            "–" if model["shots"] is None else str(model["shots"]),
            *(cell for rate in rates for cell in (shown(model[rate]["value"]), span(model[rate]["ci95"]))),
        ]
        for model in report["models"]
        if all(rate in model for rate in rates)
    ]
    columns = ["model", "shots", "worst case", INTERVAL, "worst-case ASR", INTERVAL, "consistency", INTERVAL]
    return ShownTable("All attacks together, %", columns, rows, 2, key="together")


def transfer_table(report: Mapping[str, Any]) -> ShownTable:
    """Rows made against one model asked of every model: the attack success rate; empty if there is one model alone."""
    made, names = list(report.get("searches", {})), names_of(report)
    models = report["models"]
    columns = ["asked", "shots", *(names[attack] for attack in made)]
    rows = [
        [
            names[model["model"]],
            "–" if model["shots"] is None else str(model["shots"]),
            *(shown(model["attacks"][attack]["asr"]) for attack in made),
        ]
        for model in models
    ]
    title = "Transfer: rows made against a model (columns), asked of each (lines); ASR, %"
    return ShownTable(title, columns, rows if len(models) > 1 and made else [], 2, key="transfer")


def models_table(report: Mapping[str, Any]) -> ShownTable:
    """The differences between any two models under each attack."""
    found = [one for one in report["comparisons"] if one["between"] == "models"]
    names = names_of(report)
    rows = [
        [
            names[one["attack"]],
            names[one["a"]] + shots_after(one["shots"][0]),
            names[one["b"]] + shots_after(one["shots"][1]),
            *difference_cells(one),
        ]
        for one in found
    ]
    columns = ["attack", "first", "second", *difference_columns("right after")]
    return ShownTable("Differences between models", columns, rows, 3, key="models")


def attacks_table(report: Mapping[str, Any]) -> ShownTable:
    """The differences between any two attacks on each model."""
    found = [one for one in report["comparisons"] if one["between"] == "attacks"]
    names = names_of(report)
    rows = [
        [names[one["model"]] + shots_after(one["shots"]), names[one["a"]], names[one["b"]], *difference_cells(one)]
        for one in found
    ]
    columns = ["model", "first", "second", *difference_columns("broken")]
    return ShownTable("Differences between attacks", columns, rows, 3, key="attacks")


def difference_columns(counted: str) -> list[str]:
    """The columns of a difference; `counted` is what McNemar's test counts."""
    columns = ["ASR, first − second, points", INTERVAL, "decisions", f"{counted}: first", f"{counted}: second"]
    return [*columns, "only first", "only second", "p (McNemar)"]


def difference_cells(one: Mapping[str, Any]) -> Sequence[str]:
    """The cells of a difference: that of the rates, then what McNemar's test counts."""
    cells = [shown(one["difference"]), span(one["ci95"])]
    test = one.get("mcnemar")
    if test is None:
        return [*cells, *["–"] * 6]
    p = "< 0.0001" if test["p"] < _SMALLEST_P else f"{test['p']:.4f}"
    return [*cells, *(f"{test[key]:,}" for key in ("decisions", "a", "b", "only_a", "only_b")), p]


def shots_after(shots: int | None) -> str:
    """What stands behind the name of a model that reads demonstrations."""
    return "" if shots is None else f", {shots}-shot"


def strength_table(report: Mapping[str, Any]) -> ShownTable:
    """The rate of each model under each attack, by the similarity and the probability of the perturbation."""
    names = names_of(report)
    columns = ["model", "shots", "attack", "by", "range", "rows", "right", "broken", "ASR, %", INTERVAL]
    rows = [
        [
            names[model["model"]],
            "–" if model["shots"] is None else str(model["shots"]),
            names[attack],
            by,
            str(cell["value"]),
            *(f"{cell[key]:,}" for key in ("rows", "right", "broken")),
            shown(cell["asr"]),
            span(cell["ci95"]),
        ]
        for model in report["models"]
        for attack, entry in model["attacks"].items()
        for by, cells in entry["strength"].items()
        for cell in cells
    ]
    return ShownTable("Success rate by strength", columns, rows, 5, key="strength")


def subpopulations_table(report: Mapping[str, Any]) -> ShownTable:
    """The rate of each model under each attack in every cell of every property."""
    names = names_of(report)
    columns = ["model", "shots", "attack", "property", "cell", "rows", "right before, %", "right after, %"]
    columns += ["right", "broken", "ASR, %", INTERVAL]
    rows = [
        [
            names[model["model"]],
            "–" if model["shots"] is None else str(model["shots"]),
            names[attack],
            name,
            str(cell["value"]),
            f"{cell['rows']:,}",
            shown(cell["accuracy_before"]),
            shown(cell["accuracy_after"]),
            f"{cell['right']:,}",
            f"{cell['broken']:,}",
            shown(cell["asr"]),
            span(cell["ci95"]),
        ]
        for model in report["models"]
        for attack, entry in model["attacks"].items()
        for name, cells in entry["subpopulations"].items()
        for cell in cells
    ]
    return ShownTable("Subpopulations", columns, rows, 5, key="subpopulations")
