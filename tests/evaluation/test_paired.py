"""Which model is the best is told only where a paired test separates it from the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Example, evaluate
from augment_ru.evaluation.paired import Difference, holm
from evaluations import reader, table


def rows_of(broken: dict[str, tuple[int, int]], rights: int = 60) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Rows under attacks, and two models, of whose right answers each attack breaks so many."""
    rows: list[dict[str, Any]] = []
    for attack in broken:
        rows += table(*["++"] * rights, attack=attack)
        rows += [one | {"label": "no"} for one in table(*["--"] * rights, start=rights, attack=attack)]

    def model(which: int) -> Any:  # noqa: ANN401
        def said(examples: Sequence[Example]) -> list[str]:
            found = []
            for one in examples:
                number, word, *attack = one.text.split()
                lost = attack and int(number) < broken[attack[0]][which]
                found.append("no" if lost else word)
            return found

        return said

    return rows, {"first": model(0), "second": model(1)}


def test_a_model_is_marked_where_the_difference_is_clear_after_the_correction() -> None:
    rows, models = rows_of({"a": (2, 30), "b": (10, 12), "c": (20, 20)})
    report = evaluate(rows, models).report()
    assert [one["best"] for one in report["models"]] == [["a", "asr_mean"], []]
    found = {one["attack"]: one for one in report["comparisons"] if one["between"] == "models"}
    assert {attack: one["clear"] for attack, one in found.items()} == {"a": True, "b": False, "c": False}
    assert found["b"]["ci95"][0] <= found["b"]["difference"] < 0
    assert [round(found[attack]["mcnemar"]["p_holm"], 4) for attack in "abc"] == [0.0, 1.0, 1.0]


def test_five_attacks_need_a_clearer_difference_than_one() -> None:
    """6 to 0 discordant answers: p = 0.03125, which is clear alone and not among five."""
    one, models = rows_of({"a": (0, 6)})
    assert [model["best"] for model in evaluate(one, models).report()["models"]] == [["a", "asr_mean"], []]
    five, models = rows_of({name: (0, 6) if name == "a" else (3, 3) for name in "abcde"})
    report = evaluate(five, models).report()
    assert "a" not in report["models"][0]["best"]
    (found,) = [one for one in report["comparisons"] if one["between"] == "models" and one["attack"] == "a"]
    assert found["mcnemar"]["p"] == 0.03125
    assert found["mcnemar"]["p_holm"] == pytest.approx(5 * 0.03125)


def test_a_model_that_is_worse_on_the_originals_is_never_marked() -> None:
    """It loses nothing, of 90 right answers; the other one has all 120 right."""
    rows, models = rows_of({"a": (30, 0)})

    def guessing(examples: Sequence[Example]) -> list[str]:
        numbers = (int(one.text.split()[0]) for one in examples)
        return ["yes" if number < 50 or 60 <= number < 80 else "no" for number in numbers]

    report = evaluate(rows, {"able": models["first"], "guessing": guessing}).report()
    able, other = report["models"]
    assert other["beats_majority"]
    assert other["attacks"]["a"]["asr"] == 0 < able["attacks"]["a"]["asr"]
    assert (able["best"], other["best"]) == ([], [])


def test_a_model_of_few_more_right_answers_does_not_beat_the_most_frequent_one() -> None:
    """21 of 40 right against 20: the point estimate is higher, and McNemar's test finds nothing."""
    rows = [*table(*["++"] * 20), *(one | {"label": "no"} for one in table("--", *["++"] * 19, start=20))]
    report = evaluate(rows, {"m": reader}).report()
    model = report["models"][0]
    assert model["metrics"]["accuracy"]["value"] > report["majority"]["accuracy"]
    assert model["beats_majority"] is False


@pytest.mark.parametrize(("said", "beats"), [("--", True), ("++", False)])
def test_macro_f1_is_tested_by_the_recall_of_the_classes(said: str, beats: bool) -> None:  # noqa: FBT001
    """90 rows of one class and 10 of the other: knowing the rare one costs 10 of the frequent ones."""
    frequent = table(*["++"] * 80, *["--"] * 10)
    rare = [one | {"label": "no"} for one in table(*[said] * 10, start=90)]
    report = evaluate([*frequent, *rare], {"m": reader}, metrics=["macro_f1"]).report()
    assert report["models"][0]["beats_majority"] is beats


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_s_correction_keeps_the_order_and_the_smallest_is_bonferroni_s(values: list[float]) -> None:
    found = holm(values)
    assert [one >= value for one, value in zip(found, values, strict=True)] == [True] * len(values)
    for one, own in zip(found, values, strict=True):
        assert all(other >= one for other, value in zip(found, values, strict=True) if value > own)
    if values:
        assert min(found) == min(1.0, len(values) * min(values))


def test_an_interval_is_wider_the_smaller_the_error() -> None:
    drawn = np.linspace(-0.1, 0.5, 1000)
    found = Difference(0.2, drawn)
    (low, high), (lower, higher) = found.interval() or (0, 0), found.interval(0.001) or (0, 0)
    assert lower < low < high < higher
    assert Difference(0.0, np.zeros(5), (-0.1, 0.2)).interval() == (-0.1, 0.2)
    assert not Difference(None, drawn).leaves_out_zero()
