"""Subpopulations: what is measured of a text, and how values become cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter
from augment_ru.errors import AugmentError
from augment_ru.evaluation.pairs import pair_rows
from augment_ru.evaluation.subpopulations import (
    MISSING,
    OTHERS,
    binned,
    exchanged_names,
    flesch,
    subpopulations,
    type_token_ratio,
)
from augment_ru.formats.read import rows_of
from augment_ru.records.task import generic, task
from augment_ru.resources import dictionary_path
from augment_ru.resources import rows as lines

VALUES = st.lists(st.one_of(st.none(), st.integers(-50, 50), st.floats(-5, 5)), max_size=60)


def test_readability_is_oborneva_s_formula() -> None:
    """Three sentences, 9 words, 6 + 5 + 7 syllables, counted by hand."""
    text = "Мама мыла раму. Кошка ест рыбу! Утром пришёл почтальон?"
    assert flesch(text) == pytest.approx(206.835 - 1.3 * 9 / 3 - 60.1 * 18 / 9)
    assert flesch("Дом 5, кв. 12.") == pytest.approx(206.835 - 1.3 * 2 / 1 - 60.1 * 1 / 2)
    assert flesch("123 …") is None


def test_diversity_is_letter_case_aside() -> None:
    assert type_token_ratio("Кот, кот и КОТ") == 0.5
    assert type_token_ratio("12 !") is None


@given(VALUES)
def test_every_row_is_in_one_cell_and_every_cell_has_a_row(values: list[float | None]) -> None:
    bins = binned(values)
    if bins is None:
        assert all(value is None for value in values)
        return
    cells, of = bins
    assert len(of) == len(values)
    assert set(of) == set(range(len(cells)))
    assert all((value is None) == (cells[at] == MISSING) for value, at in zip(values, of, strict=True))


@given(st.lists(st.integers(0, 1000), min_size=9, max_size=80, unique=True))
def test_quartiles_are_in_order_and_of_like_size(numbers: list[int]) -> None:
    bins = binned(numbers)
    assert bins
    cells, of = bins
    assert len(cells) == 4
    for lower in range(3):
        below = [number for number, at in zip(numbers, of, strict=True) if at == lower]
        above = [number for number, at in zip(numbers, of, strict=True) if at == lower + 1]
        assert max(below) < min(above)
    sizes = [of.count(at) for at in range(4)]
    assert max(sizes) - min(sizes) <= 2


def test_rare_values_become_one_cell() -> None:
    bins = binned([f"v{number}" for number in range(30)] + ["often"] * 5)
    assert bins
    assert len(bins[0]) == 20
    assert bins[0][-1] == OTHERS
    assert "often" in bins[0]


WINOGRAD = {"text": "Маша увидела столы, которые привезли.", "reference": "которые", "label": 1}


def test_winograd_knows_gender_and_number_of_the_referent_and_counts_candidates() -> None:
    rows = [
        WINOGRAD | {"answer": "столы", "options": ["Маша", "столы"], "homonymia_type": 1.1},
        WINOGRAD | {"answer": "Маша", "options": ["Маша", "столы", "дом"], "homonymia_type": 1.2, "label": 0},
    ]
    properties = {one.name: [one.cells[at] for at in one.of] for one in subpopulations(rows, task("winograd"))}
    assert properties["referent_gender"] == ["masc", "femn"]
    assert properties["referent_number"] == ["plur", "sing"]
    assert properties["candidates"] == ["2", "3"]
    assert properties["homonymia_type"] == ["1.1", "1.2"]
    assert properties["label"] == ["1", "0"]


def test_answers_in_words_are_told_apart() -> None:
    golds = ["1930", "Москва", "кислотный дождь", "в виде дверей открытых и закрытых", "Рустам Эмомали"]
    rows = [{"question_id": n, "question": "Что это?", "topic": "т", "answer": gold} for n, gold in enumerate(golds)]
    (kinds,) = [one for one in subpopulations(rows, task("chegeka")) if one.name == "answer_kind"]
    assert [kinds.cells[at] for at in kinds.of] == ["number", "name", "word", "phrase", "name"]


def test_any_field_by_name_inside_objects_too() -> None:
    rows = [{"text": "Кот спит.", "label": "a", "meta": {"genre": genre}} for genre in ("news", "blog")]
    properties = subpopulations(rows, generic("text"), by=("meta.genre",))
    assert ("meta.genre", ("blog", "news")) in [(one.name, one.cells) for one in properties]
    with pytest.raises(AugmentError, match="no row has this field; the fields are text, label, meta"):
        subpopulations(rows, generic("text"), by=("genre",))


def test_the_groups_of_exchanged_names_divide_the_originals() -> None:
    rows = [
        {"text": f"Иван ждёт Анну на вокзале {number} дня.", "label": number % 2, "id": number} for number in range(12)
    ]
    attack = Augmenter("names", seed=3)
    done = [result.row() for result in attack.records([*rows, {"text": "Дождь идёт.", "label": 0, "id": 99}])]
    pairs = pair_rows(rows_of(done).rows, generic("text"))
    (found,) = exchanged_names(pairs)
    known = {name for name, *_ in lines(dictionary_path("names"), columns=4)} - {"-"}
    assert found.name == "name_group"
    assert found.cells[-1] == MISSING
    assert len(found.cells) > 2
    assert set(found.cells[:-1]) <= known
    assert found.cells[found.of[-1]] == MISSING
