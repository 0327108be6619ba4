"""Rows whose list of texts is empty: nothing may be changed in them, wherever they stand."""

from collections.abc import Sequence
from itertools import product

import pytest

from augment_ru import Adversary, Augmenter
from augment_ru.evaluation.examples import Example
from profiles import pairs

Row = dict[str, list[dict[str, str]]]
EMPTY: Row = {"qas": []}
FULL: Row = {"qas": [{"q": "кошка спит на окне"}, {"q": "собака громко лает во дворе"}]}
_ROWS = ([EMPTY], [EMPTY, EMPTY], [FULL, EMPTY], [EMPTY, FULL], [FULL, EMPTY, FULL], [EMPTY, FULL, EMPTY])
_RUNS = product(
    ("paper", "strongest"), ("meaning", "navec", "none"), ("butterfingers", "eda_swap", "misspell+case", "add_sent")
)


@pytest.mark.parametrize(("run", "rows"), pairs(list(_RUNS), _ROWS))
def test_rows_without_texts_are_unchanged(run: tuple[str, str, str], rows: Sequence[Row]) -> None:
    schedule, similarity, attack = run
    augmenter = Augmenter(attack, schedule=schedule, similarity=similarity)
    results = list(augmenter.records(rows, field="qas[].q"))
    assert len(results) == len(rows)
    for row, result in zip(rows, results, strict=True):
        (alone,) = augmenter.records([row], field="qas[].q")
        assert result.row() == alone.row()
        if row is EMPTY:
            assert (result.status, result.row()["qas"]) == ("unchanged", [])


def test_a_search_against_a_model_passes_them_by() -> None:
    def answers(examples: Sequence[Example]) -> list[str]:
        return [str(len(str(example)) % 2) for example in examples]

    rows = [{**row, "label": "0"} for row in (EMPTY, FULL, EMPTY)]
    found = list(Adversary(["butterfingers"], answers, budget=5).records(rows, field="qas[].q", label_field="label"))
    assert [one.status in {"unchanged", "wrong_before"} for one in found][::2] == [True, True]
