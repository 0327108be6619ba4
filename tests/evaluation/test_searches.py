"""What searches came to, counted by hand; the worst case of several attacks."""

import io
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from augment_ru import Example, evaluate
from augment_ru.evaluation.findings import findings
from augment_ru.evaluation.page import page
from augment_ru.evaluation.searches import changed_words
from augment_ru.evaluation.tables import tables_of
from augment_ru.evaluation.terminal import print_tables
from evaluations import reader, row, table
from profiles import examples


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
    assert entry["strength"] == {}, "a search keeps what breaks, so strength says nothing"
    assert (entry["right"], entry["broken"], entry["unchanged"]) == (4, 2, 3)


HARD = ("broken", "withstood")


@given(st.lists(st.tuples(st.sampled_from(["broken", "withstood", "unchanged", "wrong_before"]), st.integers(1, 20)),
                min_size=1, max_size=14))  # fmt: skip
def test_the_hardest_rows_are_those_that_took_most_queries(given_: list[tuple[str, int]]) -> None:
    """Ten at most: first those that withstood, then those that broke last; none that cannot be broken."""
    outcomes = {"broken": "+-", "withstood": "++", "unchanged": "++", "wrong_before": "--"}
    rows = [
        searched(at, outcomes[status], status, queries, queries if status == "broken" else None)
        for at, (status, queries) in enumerate(given_)
    ]
    report = evaluate(rows, {"reader": reader}, metrics=["accuracy"]).counted()
    assert report.searches is not None
    found = report.searches["adversary:reader"]
    wanted = sorted(
        ((status == "withstood", queries, -at) for at, (status, queries) in enumerate(given_) if status in HARD),
        reverse=True,
    )
    assert [(one.status == "withstood", one.queries, -int(one.id)) for one in found.hardest] == wanted[:10]
    assert found.right == sum(status != "wrong_before" for status, _ in given_)
    assert [(one.queries, one.broken) for one in found.curve] == [
        (most, sum(status == "broken" and queries <= most for status, queries in given_)) for most in (2, 5, 10, 20)
    ]


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


def test_edits_are_counted_for_100_words_of_the_rows_that_changed() -> None:
    made = [
        row("a", 1, "а b в г", "а б в г", label="b"),
        row("a", 2, "а b в г д е", "а б в г д е", label="b"),
        row("a", 3, "а б", "а б", "unchanged", label="b"),
    ]
    made[1]["augment"]["edits"]["text"] = [[2, 3, "b"], [4, 5, "в"]]
    entry = evaluate(made, {"reader": reader}, metrics=["accuracy"]).report()["models"][0]["attacks"]["a"]
    assert entry["edits_per_100_words"] == 30.0


def test_the_worst_case_is_the_row_that_breaks_most() -> None:
    weak, strong = table("++", "+-", "++", attack="weak"), table("+-", "+-", "++", attack="strong")
    weak[1]["augment"]["similarity"] = 0.95
    strong[2]["augment"]["similarity"] = 0.85
    evaluation = evaluate([*weak, *strong], {"reader": reader}, metrics=["accuracy"])
    chosen = {"worst_of": {"attacks": ["weak", "strong"], "models": ["reader"]}}
    for found, wanted in zip(evaluation.worst_case(), (strong[0], weak[1], weak[2]), strict=True):
        assert found == wanted | {"augment": wanted["augment"] | chosen}


OUTCOMES = st.lists(st.sampled_from(["++", "+-", "-+", "--"]), min_size=6, max_size=6)


@given(st.lists(OUTCOMES, min_size=3, max_size=3))
@settings(max_examples=examples(25))
def test_over_the_worst_rows_one_model_has_the_rate_of_the_worst_case(outcomes: list[list[str]]) -> None:
    """Rows of an original answer alike before, whatever the attack: its outcome is that of the first attack."""
    alike = [[first[0] + one[1] for first, one in zip(outcomes[0], own, strict=True)] for own in outcomes]
    rows = [one for name, own in zip("abc", alike, strict=True) for one in table(*own, attack=name)]
    evaluation = evaluate(rows, {"reader": reader}, metrics=["accuracy"])
    before = evaluation.report()["models"][0]
    report = evaluate(list(evaluation.worst_case()), {"reader": reader}, metrics=["accuracy"]).report()
    assert report["attacks"] == ["worst_case"]
    assert report["worst_of"] == {"attacks": ["a", "b", "c"], "models": ["reader"]}
    (entry,) = report["models"]
    assert entry["attacks"]["worst_case"]["rows"] == 6
    for key in ("worst_case", "worst_case_asr"):
        assert entry[key] == before[key]
    assert entry["attacks"]["worst_case"]["asr"] == before["worst_case_asr"]["value"]
    both = evaluate([*rows, *evaluation.worst_case()], {"reader": reader}, metrics=["accuracy"]).report()["models"][0]
    assert both["asr_mean"] == before["asr_mean"]


def test_chosen_rows_of_searches_have_no_curve_and_say_what_they_are() -> None:
    others = [searched(number, "++", "withstood", 20, None) | {"label": "no"} for number in range(60, 72)]
    rows = [*ROWS, *others, *(searched(number, "++", "withstood", 20, None) for number in range(80, 84))]

    def able(examples: Sequence[Example]) -> list[str]:
        return [
            "no" if one.text[:2].strip() in map(str, range(60, 72)) else said
            for one, said in zip(examples, reader(examples), strict=True)
        ]

    able.deterministic = True  # type: ignore[attr-defined]
    evaluation = evaluate(rows, {"reader": able}, metrics=["accuracy"])
    chosen = evaluate(list(evaluation.worst_case()), {"reader": able}, metrics=["accuracy"])
    report = chosen.counted()
    assert report.searches is None
    said = "Of each original the row that breaks most of the models (reader) among the rows of adversary:reader"
    assert said in page(chosen)
    shown = io.StringIO()
    print_tables(tables_of(report), report, Console(file=shown))
    assert f"worst_case: {said}" in shown.getvalue()
    assert findings(report) == [
        (
            "The rows that were chosen as the worst turn 10 % of the right answers of reader (0-shot) wrong: "
            "accuracy 95.2 → 85.7 %, −9.5 points (2 broken, 0 mended)."
        )
    ]


def test_chosen_rows_without_metadata_find_their_originals_in_a_file() -> None:
    originals = [{"text": f"{n} yes", "label": "yes"} for n in range(3)]
    rows = [{"text": f"{n} {'no' if n else 'yes'}", "label": "yes", "perturbation": "a"} for n in range(3)]
    evaluation = evaluate(rows, {"reader": reader}, originals=originals, metrics=["accuracy"])
    again = evaluate(list(evaluation.worst_case()), {"reader": reader}, originals=originals, metrics=["accuracy"])
    assert again.report()["models"][0]["attacks"]["worst_case"]["broken"] == 2
