"""Reports without attacks side by side: which model answers more of the rows right that all reports share."""

from collections.abc import Mapping, Sequence
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.detail_tables import test_cells
from augment_ru.evaluation.pairs import ORIGINAL
from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.table_text import ShownTable, shown

_MOST_P = 0.05
"""The largest p value of a difference that is told in words."""

LEAD = (
    "Over the rows that all reports share: the percentage of right answers of each model. The p value of McNemar's "
    "test says how likely such a difference is if two models are right equally often."
)


def with_originals_as_rows(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A report without attacks as one whose only attack left every row as it is.

    Raises:
        AugmentError: it does not state its rows.
    """
    try:
        models = [{**one, "attacks": {ORIGINAL: {"outcomes": one["outcomes"]}}} for one in values["models"]]
        return {**values, "rows": {ORIGINAL: values["original_rows"]}, "models": models}
    except (KeyError, TypeError) as error:
        raise AugmentError(
            f"{name}: states no rows, so an older version wrote it; run augment-ru evaluate again"
        ) from error


def without_rates(found: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison of such reports with what they have: right answers, and the tests of their differences."""
    kept = ("report", "of", "model", "signature", "shots", "episodes", "beats_majority", "metrics")
    return {
        **found,
        "rows": {},
        "attacks": [],
        "models": [{**{key: one[key] for key in kept}, "asr_mean": None, "attacks": {}} for one in found["models"]],
        "comparisons": [
            {key: one.get(key) for key in ("between", "a", "b", "shots", "mcnemar")}
            for one in found["comparisons"]
            if one["between"] == "models"
        ],
    }


def differences(found: Mapping[str, Any]) -> ShownTable:
    """The differences between any two models, with McNemar's test where each row has one decision."""
    names, rows = names_of(found), []
    for one in found["comparisons"]:
        test = one["mcnemar"]
        told = [shown(test["difference"]), *test_cells(test)] if test else ["–"] * 7
        rows.append([names[one["a"]], names[one["b"]], *told])
    columns = ["first", "second", "right, first − second, points", "decisions", "right: first", "right: second"]
    columns += ["only first", "only second", "p (McNemar)"]
    return ShownTable("Differences between models", columns, rows, 2, key="models")


def clean_findings(found: Mapping[str, Any]) -> Sequence[str]:
    """A sentence for each difference that McNemar's test tells from chance."""
    names = names_of(found)
    tests = [(one, one["mcnemar"]) for one in found["comparisons"] if one["mcnemar"]]
    told = []
    for one, test in tests:
        if test["p"] < _MOST_P:
            more, less = ("a", "b") if test["difference"] > 0 else ("b", "a")
            points = f"{abs(test['difference']):.0f} points"
            told.append(f"{names[one[more]]} is right more often than {names[one[less]]}: by {points}.")
    return told or (["McNemar's test tells no two models apart: every p is at least 0.05."] if tests else [])
