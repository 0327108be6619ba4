"""The tables of a report: for the terminal, the page, and as text; and its numbers as rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from augment_ru.errors import unknown
from augment_ru.evaluation import detail_tables
from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.table_text import INTERVAL, ShownTable, shown, span

_RATES = ("asr_perturbed_rows", "asr_all_rows", "performance_drop_rate", "flip_rate")
"""The rates of an attack beside its success rate."""


def shots_of(model: Mapping[str, Any]) -> str:
    """The number of demonstrations; a dash for a model that does not read them."""
    return "–" if model["shots"] is None else str(model["shots"])


def beats_majority(report: Mapping[str, Any], model: Mapping[str, Any]) -> bool:
    """Whether a model's main metric on the originals is higher than that of the most frequent right answer.

    A comparison of reports states it of each model, because it counts another metric.
    """
    if "beats_majority" in model:
        return bool(model["beats_majority"])
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
    best, rows, names = best_models(report), [], names_of(report)
    marked: set[tuple[int, int]] = set()
    for number, model in enumerate(report["models"]):
        row = [names[model["model"]], shots_of(model), shown(model["metrics"].get(metric, {}).get("value"))]
        for name in attacks:
            entry = model["attacks"][name]
            after = entry["metrics"].get(metric, {}).get("after")
            rate = shown(entry["asr"]) + _spread(entry)
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
    heads = ["", "", ""]
    for name in attacks:
        columns += [f"{names[name]}: {metric}", f"{names[name]}: ASR"]
        heads += [f"{names[name]}: "] * 2
    columns += ["mean ASR", "worst case", "worst-case ASR"] if attacks else []
    heads += [""] * (len(columns) - len(heads))
    return ShownTable("Before and after each attack, %", columns, rows, 2, frozenset(marked), "rates", heads)


def counts(report: Mapping[str, Any]) -> ShownTable:
    """The counts behind each rate, with the metrics before and after."""
    metrics = list(report["metrics"])
    columns = ["model", "shots", "attack", *metrics, "right", "broken", "fixed", "ASR, %", INTERVAL]
    columns += ["ASR of perturbed rows, %", "ASR of all rows, %", "drop rate, %", "flips, %"]
    columns += ["unchanged", "rejected", "rows"]
    rows, names = [], names_of(report)
    for model, name, entry in _entries(report):
        changes = [entry["metrics"].get(metric) for metric in metrics]
        rows.append(
            [
                names[model["model"]],
                shots_of(model),
                names[name],
                *("–" if one is None else f"{one['before']:.1f} → {one['after']:.1f}" for one in changes),
                *(f"{entry[key]:,}" for key in ("right", "broken", "fixed")),
                shown(entry["asr"]),
                span(entry["ci95"]),
                *(shown(entry[key]["value"]) for key in _RATES),
                *(f"{entry[key]:,}" for key in ("unchanged", "rejected", "rows")),
            ]
        )
    return ShownTable("Counts", columns, rows, 3, key="counts")


def valid(report: Mapping[str, Any]) -> ShownTable:
    """The rates over the rows that people found valid, beside those over all."""
    columns = ["model", "shots", "attack", "judged", "valid", "valid, %", "ASR, all rows", "ASR, valid rows", INTERVAL]
    columns += ["broken", "right"]
    rows, names = [], names_of(report)
    for model, name, entry in _entries(report):
        if found := entry.get("valid_rows"):
            cells = [f"{found['judged']:,}", f"{found['valid']:,}", shown(found["share"]["value"]), shown(entry["asr"])]
            cells += [shown(found["asr"]["value"]), span(found["asr"]["ci95"])]
            cells += [f"{found['broken']:,}", f"{found['right']:,}"]
            rows.append([names[model["model"]], shots_of(model), names[name], *cells])
    return ShownTable("Over the rows that people found valid, %", columns, rows, 3, key="valid")


def clean(report: Mapping[str, Any]) -> ShownTable:
    """The metrics of each model on the originals."""
    metrics, names = list(report["metrics"]), names_of(report)
    with_interval = {
        name for name in metrics if any("ci95" in one["metrics"].get(name, {}) for one in report["models"])
    }
    columns = ["model", "shots"]
    for name in metrics:
        columns += [name, *([INTERVAL] if name in with_interval else [])]
    rows = []
    for one in report["models"]:
        row = [names[one["model"]], shots_of(one)]
        for name in metrics:
            found = one["metrics"].get(name, {})
            row.append(shown(found.get("value")) + _spread(found))
            row += [span(found.get("ci95"))] if name in with_interval else []
        rows.append(row)
    if report["majority"]:
        rows.append(["(most frequent answer)", "–", *(shown(report["majority"].get(name)) for name in metrics)])
    return ShownTable("Metrics, %", columns, rows, 2, key="metrics")


def _spread(entry: Mapping[str, Any]) -> str:
    """The standard deviation over episodes, if there are several."""
    return f" ±{entry['std']:.2f}" if entry.get("std") is not None else ""


TABLES: Mapping[str, Callable[[Mapping[str, Any]], ShownTable]] = {
    "rates": headline,
    "counts": counts,
    "together": detail_tables.together_table,
    "valid": valid,
    "curve": detail_tables.curve_table,
    "transfer": detail_tables.transfer_table,
    "models": detail_tables.models_table,
    "attacks": detail_tables.attacks_table,
    "strength": detail_tables.strength_table,
    "subpopulations": detail_tables.subpopulations_table,
}
"""What makes each table of a report, by its key."""

SHORT = ("rates", "counts", "together", "valid", "curve", "transfer")
"""The tables that are printed unless others are asked for: the others have very many rows."""


def tables_of(report: Mapping[str, Any], keys: Sequence[str] = SHORT) -> list[ShownTable]:
    """The tables of a report that have rows; of one without attacks the metrics alone.

    Args:
        report: the report.
        keys: the tables, in this order.

    Raises:
        AugmentError: there is no such table.
    """
    check_tables(keys)
    if not report["attacks"]:
        return [clean(report)]
    return [table for key in keys if (table := TABLES[key](report)).rows]


def check_tables(keys: Sequence[str]) -> None:
    """Nothing, if there are such tables.

    Raises:
        AugmentError: there is no table of this name.
    """
    for key in keys:
        if key not in TABLES:
            raise unknown("table", key, TABLES)


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
            **{key: entry[key]["value"] for key in _RATES},
        }
        for model, name, entry in _entries(report)
    ]


def _of_model(model: Mapping[str, Any]) -> dict[str, Any]:
    found = {"model": model["model"], "shots": model["shots"], "episodes": model["episodes"]}
    return found | {name: one["value"] for name, one in model["metrics"].items()}
