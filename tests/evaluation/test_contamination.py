"""Contamination: what a model loses on perturbed rows, beside rows that it cannot know."""

from collections.abc import Sequence
from typing import Any

import pytest

from augment_ru import Augmenter, Example
from augment_ru.errors import AugmentError
from augment_ru.evaluation.evaluation import evaluate
from augment_ru.evaluation.report import ContaminationReport

WORDS = ("берёза", "ворона", "гитара", "деревня", "ёлка", "жираф", "зеркало", "игрушка", "корова", "лопата")


def rows(of: str, attack: str = "butterfingers") -> list[dict[str, Any]]:
    originals = [
        {"id": f"{of}{at}", "text": f"{of} {word} сегодня стоит у дороги.", "label": "да" if at % 2 else "нет"}
        for at, word in enumerate(WORDS * 4)
    ]
    for at, row in enumerate(originals):
        row["text"] += f" Это {at}."
    augmenter = Augmenter(attack, similarity=None, probability=0.5)
    return [one.row() for one in augmenter.records(originals, field="text")]


def memory(known: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401
    """A model that knows the right answers of these originals by heart, and says the same to all other texts."""
    learnt = {row["augment"]["source"]["text"]: row["label"] for row in known}
    return lambda examples: [learnt.get(example.text, "да") for example in examples]


def found(model: Any, given: list[dict[str, Any]], fresh: Any = None) -> ContaminationReport:  # noqa: ANN401
    (report,) = evaluate(given, {"model": model}, fresh=fresh).counted().models
    entry = report.attacks["butterfingers"].contamination
    assert entry is not None
    return entry


def test_a_model_that_knows_the_rows_by_heart_loses_more_there_than_on_fresh_rows() -> None:
    known, fresh = rows("старая"), rows("новая")
    one = found(memory(known), known, fresh)
    assert one.fresh is not None
    assert (one.rows, one.before, one.after, one.difference.value) == (40, 100.0, 50.0, 50.0)
    assert (one.fresh.before, one.fresh.after, one.fresh.difference.value) == (50.0, 50.0, 0.0)
    assert one.excess is not None
    assert one.excess.value == 50.0
    low, high = one.excess.ci95 or (0, 0)
    assert 15 < low < 50 < high < 85
    knows_neither = found(memory([]), known, fresh)
    assert knows_neither.excess is not None
    assert knows_neither.excess.value == 0
    assert found(memory(known), known).excess is None


def test_rows_with_their_own_text_are_no_twins() -> None:
    known = rows("старая")
    half = [one if at % 2 else {**one, "text": one["augment"]["source"]["text"],
            "augment": {**one["augment"], "status": "unchanged", "edits": {"text": []}}}
            for at, one in enumerate(known)]  # fmt: skip
    one = found(memory(known), half)
    assert (one.rows, one.before, one.after) == (20, 100.0, 100.0)  # the rows with an odd number have the label «да»


@pytest.mark.parametrize(
    ("fresh", "message"),
    [(rows("старая"), "40 of its 40 originals stand in the rows"), (rows("новая", "case"), "its attacks are case")],
)
def test_fresh_rows_are_other_rows_under_the_same_attack(fresh: list[dict[str, Any]], message: str) -> None:
    known = rows("старая")
    with pytest.raises(AugmentError, match=message):
        evaluate(known, {"model": never_asked}, fresh=fresh)


def never_asked(examples: Sequence[Example]) -> list[str]:
    """A model that is asked too early."""
    raise AssertionError(f"asked {len(examples)} questions before the rows were checked")


def test_the_table_stands_in_text_and_report() -> None:
    known = rows("старая")
    evaluation = evaluate(known, {"model": memory(known)}, fresh=rows("новая"))
    assert "fresh=" in evaluation.signature
    entry = evaluation.report()["models"][0]["attacks"]["butterfingers"]["contamination"]
    assert entry["excess"]["interval_method"] == "zou-donner"
    assert entry["fresh"]["difference"]["value"] == 0.0
