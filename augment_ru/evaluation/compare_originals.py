"""Reports without attacks side by side: which model answers more of the rows right that all reports share."""

from collections.abc import Mapping
from typing import Any

from augment_ru.evaluation.detail_tables import difference_cells, difference_columns, shots_after
from augment_ru.evaluation.named_reports import NamedReport, no_rows
from augment_ru.evaluation.pairs import ORIGINAL
from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.table_text import ShownTable

LEAD = (
    "Over the rows that all reports share: the percentage of right answers of each model, with its 95 % interval. "
    "Where each row has one answer of a model, the p value of McNemar's test says how likely such a difference is if "
    "two models are right equally often."
)


def with_originals_as_rows(report: NamedReport) -> NamedReport:
    """A report without attacks as one whose only attack left every row as it is.

    Raises:
        AugmentError: it does not state its rows.
    """
    values = report.values
    try:
        models = [{**one, "attacks": {ORIGINAL: {"outcomes": one["outcomes"]}}} for one in values["models"]]
        return report._replace(values={**values, "rows": {ORIGINAL: values["original_rows"]}, "models": models})
    except (KeyError, TypeError) as error:
        raise no_rows(report) from error


def without_rates(found: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison of such reports with what they have: right answers, their differences, and the tests of these."""
    kept = ("report", "of", "model", "signature", "shots", "episodes", "beats_majority", "metrics")
    return {
        **found,
        "rows": {},
        "attacks": [],
        "models": [{**{key: one[key] for key in kept}, "asr_mean": None, "attacks": {}} for one in found["models"]],
    }


def differences(found: Mapping[str, Any]) -> ShownTable:
    """The differences between any two models, with McNemar's test where each row has one decision."""
    names = names_of(found)
    rows = [
        [
            names[one["a"]] + shots_after(one["shots"][0]),
            names[one["b"]] + shots_after(one["shots"][1]),
            *difference_cells(one),
        ]
        for one in found["comparisons"]
    ]
    columns = ["first", "second", "right, first − second, points", *difference_columns("right")[1:]]
    return ShownTable("Differences between models", columns, rows, 2, key="models")
