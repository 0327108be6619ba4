"""What a comparison of reports shows: its tables, its sentences, and its page."""

from collections.abc import Mapping, Sequence
from typing import Any

from augment_ru.evaluation import detail_tables
from augment_ru.evaluation.compare_originals import LEAD, differences
from augment_ru.evaluation.page import about, data_of_report, page_of
from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.table_text import ShownTable
from augment_ru.evaluation.tables import clean, headline

_MOST_TOLD = 5
"""The most differences that are told in words."""

_LEAD = (
    "Over the rows that all reports share: the percentage of right answers in the original and after each attack, then "
    "the attack success rate (ASR): of the answers right on the original, the percentage that is wrong on the "
    "perturbed text. The lower the rate, the better; the stronger its tint, the higher it is. The lowest rate of a "
    "column is bold, unless two models share it."
)


def compared_tables(found: Mapping[str, Any]) -> list[ShownTable]:
    """The tables of a comparison: the rates, the differences between models and between attacks, the reports."""
    if not found["attacks"]:
        return [clean(found), differences(found), _reports(found)]
    tables = (headline(found), detail_tables.models_table(found), detail_tables.attacks_table(found), _reports(found))
    return [table for table in tables if table.rows]


def _reports(found: Mapping[str, Any]) -> ShownTable:
    attacks = bool(found["attacks"])
    rows = [
        [
            one["name"],
            (one["data"] or {}).get("name") or "–",
            *([", ".join(one["attacks_left_out"]) or "–"] if attacks else []),
            f"{one['rows']:,}",
            f"{one['shared']:,}",
        ]
        for one in found["reports"]
    ]
    columns = ["report", "data", *(["attacks that not all have", "perturbed rows"] if attacks else ["rows"])]
    return ShownTable("Reports", [*columns, "shared by all"], rows, 2 + attacks, key="reports")


def compared_findings(found: Mapping[str, Any]) -> list[str]:
    """A sentence for each of the largest differences whose 95 % interval leaves out 0.

    The rates of models that are no better than the most frequent answer are left out.
    """
    attacks = bool(found["attacks"])
    weak = {model["model"] for model in found["models"] if attacks and not model["beats_majority"]}
    between = [
        one
        for one in found["comparisons"]
        if one["between"] == "models" and one["difference"] is not None and not {one["a"], one["b"]} & weak
    ]
    clear = [one for one in between if one["ci95"] and (one["ci95"][0] > 0 or one["ci95"][1] < 0)]
    clear.sort(key=lambda one: (-abs(one["difference"]), one.get("attack", ""), one["a"], one["b"]))
    told = [_told(found, one) for one in clear[:_MOST_TOLD]]
    if between and not told:
        return ["No difference between two models is clear: every 95 % interval includes 0."]
    left = len(clear) - len(told)
    return told + ([f"{left:,} more differences have an interval without 0."] if left else [])


def _told(found: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    more, less = ("a", "b") if one["difference"] > 0 else ("b", "a")
    names, low_high = names_of(found), sorted(abs(end) for end in one["ci95"])
    does = f"{names[one['attack']]} breaks {one[more]}" if "attack" in one else f"{one[more]} is right"
    points = f"{abs(one['difference']):.0f}"
    low, high = (f"{end:.0f}" for end in low_high)
    return f"{does} more often than {one[less]}: by {points} points (95 %: {low} to {high})."


def compared_page(found: Mapping[str, Any], tables: Sequence[ShownTable] | None = None) -> str:
    """The page of a comparison as HTML; the same comparison gives the same bytes."""
    rows = sum(found["rows"].values()) if found["attacks"] else found["originals"]
    data = data_of_report(found, compared_tables(found) if tables is None else tables)
    date = [found["date"]] if "date" in found else []
    return page_of(
        {
            **data,
            "compared": True,
            "header": [*date, f"{len(found['reports'])} reports", f"{rows:,} shared rows"],
            "lead": _LEAD if found["attacks"] else LEAD,
            "findings": compared_findings(found),
            "about": {name: about(name) for name in found["attacks"]},
            "sections": ["robustness", *(["rates"] if found["attacks"] else [])],
        }
    )
