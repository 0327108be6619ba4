"""What searches came to, counted by hand; the worst case of several attacks."""

from typing import Any

import pytest

from augment_ru import evaluate
from augment_ru.evaluation.searches import changed_words
from augment_ru.evaluation.worst_case import worst_case
from evaluations import reader, row, table


def searched(number: int, outcome: str, status: str, queries: int, broken_at: int | None, **more: object) -> Any:  # noqa: ANN401
    """A row of a search against a model that says the second word of a text."""
    source = f"{number} {'yes' if outcome[0] == '+' else 'no'}"
    text = f"{number} {'yes' if outcome[1] == '+' else 'no'}" if status == "broken" else source
    found = row("adversary:reader", number, text, source, status, label="yes")
    search = {"queries": queries, "broken_at": broken_at, "budget": 20, "minimal": True, "changes": 1}
    found["augment"] |= search | {"similarity": 0.8 if status == "broken" else None} | more
    return found


ROWS = [
    searched(1, "+-", "broken", 4, 2),
    searched(2, "+-", "broken", 20, 11, minimal=False, changes=3),
    searched(3, "++", "withstood", 20, None),
    searched(4, "++", "unchanged", 1, None),
    searched(5, "--", "wrong_before", 1, None),
]


def test_success_by_queries() -> None:
    report = evaluate(ROWS, {"reader": reader}, metrics=["accuracy"]).report()
    search = report["searches"]["adversary:reader"]
    assert [(one["queries"], one["broken"], one["asr"]) for one in search["curve"]] == [
        (2, 1, 25.0), (5, 1, 25.0), (10, 1, 25.0), (20, 2, 50.0),
    ]  # fmt: skip
    assert all(low <= one["asr"] <= high for one in search["curve"] for low, high in [one["ci95"]])
    assert (search["right"], search["broken"], search["queries"]) == (4, 2, 45)
    assert (search["queries_a_success"], search["changes"], search["minimal"]) == (22.5, 2.0, 50.0)
    assert (search["similarity"], search["changed_words"]) == (0.8, 2.0)
    entry = report["models"][0]["attacks"]["adversary:reader"]
    assert (entry["right"], entry["broken"], entry["unchanged"]) == (4, 2, 3)


def test_without_searches_the_report_has_none() -> None:
    assert "searches" not in evaluate(table("+-", "++"), {"reader": reader}, metrics=["accuracy"]).report()


@pytest.mark.parametrize(
    ("edits", "count"),
    [([], 0), ([[0, 1, "к"], [2, 3, "к"]], 1), ([[0, 5, "псы бегут"]], 2), ([[3, 3, ","]], 1), ([[9, 10, "?"]], 1)],
)
def test_changed_words(edits: list[list[object]], count: int) -> None:
    found = row("a", 1, "кот спит!", "кот спит!")
    found["augment"]["edits"] = {"text": edits}
    pair = type("Pair", (), {"edits": {"text": edits}})()
    assert changed_words({"text": "кот спит !"}, pair) == count


def test_the_worst_case_is_the_row_that_breaks_most() -> None:
    weak, strong = table("++", "+-", "++", attack="weak"), table("+-", "+-", "++", attack="strong")
    weak[1]["augment"]["similarity"] = 0.95
    strong[2]["augment"]["similarity"] = 0.85
    evaluation = evaluate([*weak, *strong], {"reader": reader}, metrics=["accuracy"])
    assert list(worst_case(evaluation)) == [strong[0], weak[1], weak[2]]
