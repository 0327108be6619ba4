"""What a comparison of reports shows: its tables, its sentences, and its page."""

from collections.abc import Sequence

from augment_ru.evaluation import tables
from augment_ru.evaluation.page import about, data_of_report, page_of
from augment_ru.evaluation.report import Comparison, ModelDifference
from augment_ru.evaluation.table_text import NONE, ShownTable

_MOST_TOLD = 5
"""The most differences that are told in words."""

_LEAD = (
    "Over the rows that all reports share: the percentage of right answers in the original and after each attack, then "
    "the attack success rate (ASR): of the answers right on the original, the percentage that is wrong on the "
    "perturbed text. The lower the rate, the better; the stronger its tint, the higher it is. The lowest rate of a "
    "column is bold, unless two models share it."
)
_LEAD_WITHOUT_ATTACKS = (
    "Over the rows that all reports share: the percentage of right answers of each model, with its 95 % interval. "
    "Where each row has one answer of a model, the p value of McNemar's test says how likely such a difference is if "
    "two models are right equally often."
)


def compared_tables(found: Comparison) -> list[ShownTable]:
    """The tables of a comparison: the rates, the differences between models and between attacks, the reports."""
    if not found.attacks:
        return [tables.clean(found), tables.models(found), _reports(found)]
    shown = (tables.headline(found), tables.models(found), tables.attacks(found), _reports(found))
    return [table for table in shown if table.rows]


def _reports(found: Comparison) -> ShownTable:
    attacks = bool(found.attacks)
    rows = [
        [
            one.name,
            (one.data and one.data.name) or NONE,
            *([", ".join(one.attacks_left_out) or NONE] if attacks else []),
            f"{one.rows:,}",
            f"{one.shared:,}",
        ]
        for one in found.reports
    ]
    columns = ["report", "data", *(["attacks that not all have", "perturbed rows"] if attacks else ["rows"])]
    return ShownTable("Reports", [*columns, "shared by all"], rows, 2 + attacks, key="reports")


def compared_findings(found: Comparison) -> list[str]:
    """A sentence for each of the largest differences whose 95 % interval leaves out 0.

    The rates of models that are no better than the most frequent answer are left out.
    """
    names = tables.names_of(found)
    weak = {model.model for model in found.models if found.attacks and not model.beats_majority}
    between = [
        (one, one.difference, one.ci95)
        for one in found.comparisons
        if isinstance(one, ModelDifference) and one.difference is not None and not {one.a, one.b} & weak
    ]
    clear = [(one, difference, ends) for one, difference, ends in between if ends and (ends[0] > 0 or ends[1] < 0)]
    clear.sort(key=lambda one: (-abs(one[1]), one[0].attack or "", one[0].a, one[0].b))
    told = []
    for one, difference, ends in clear[:_MOST_TOLD]:
        more, less = (one.a, one.b) if difference > 0 else (one.b, one.a)
        does = f"{more} is right" if one.attack is None else f"{names[one.attack]} breaks {more}"
        low, high = sorted(abs(end) for end in ends)
        points = f"by {abs(difference):.0f} points (95 %: {low:.0f} to {high:.0f})"
        told.append(f"{does} more often than {less}: {points}.")
    if between and not told:
        return ["No difference between two models is clear: every 95 % interval includes 0."]
    left = len(clear) - len(told)
    return told + ([f"{left:,} more differences have an interval without 0."] if left else [])


def compared_page(found: Comparison, shown: Sequence[ShownTable] | None = None) -> str:
    """The page of a comparison as HTML; the same comparison gives the same bytes."""
    rows = sum(found.rows.values()) if found.attacks else found.originals
    date = [] if found.date is None else [found.date]
    return page_of(
        {
            **data_of_report(found, compared_tables(found) if shown is None else shown),
            "compared": True,
            "header": [*date, f"{len(found.reports)} reports", f"{rows:,} shared rows"],
            "lead": _LEAD if found.attacks else _LEAD_WITHOUT_ATTACKS,
            "findings": compared_findings(found),
            "about": {name: about(name) for name in found.attacks},
            "sections": ["robustness", *(["rates"] if found.attacks else [])],
        }
    )
