"""What the shipped attacks must not do, in concrete cases."""

from collections.abc import Sequence
from typing import Any

import pytest

from augment_ru import Augmenter, Result
from augment_ru.engine.attack import Attack, make
from augment_ru.resources import dictionary_path, rows
from profiles import third
from strategies import ATTACKS, BY_WORD

SENTENCE = "Кошка пьёт молоко, собака тоже любит молоко."


def attacked(name: str | Attack, text: str, **options: Any) -> Result:  # noqa: ANN401
    """The result of an attack without constraints and gate."""
    return Augmenter(name, **{"constraints": (), "similarity": "none", **options})(text)


def test_a_higher_probability_swaps_more_words() -> None:
    text = "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать"
    moved = []
    for probability in (0.05, 0.15, 0.3, 0.6, 1.0):
        words = attacked(make("eda_swap", {"scope": "anywhere"}), text, probability=probability).text.split()
        moved.append(sum(old != new for old, new in zip(text.split(), words, strict=True)))
    assert moved == sorted(moved)
    assert moved[0] >= 2
    assert moved[-1] == 12


def test_candidates_differ_and_swap_and_delete_are_two_attacks() -> None:
    asked: list[str] = []

    def keep(references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        asked.extend(candidates)
        return [1.0] * len(references)

    Augmenter("eda_swap", constraints=(), similarity=keep, candidates=10)(SENTENCE * 3)
    assert len(set(asked)) > 5
    assert {"eda_swap", "eda_delete"} <= set(ATTACKS)


@pytest.mark.parametrize("name", third(BY_WORD, 0))
def test_spaces_and_quotes_stay_where_they_were(name: str) -> None:
    text = "Вторая,  строка: «да»\t—\u00a0нет…\n\n  Конец ."
    result = attacked(name, text, probability=1.0)
    rest = iter(result.text)
    if name not in (
        "eda_delete",
        "ocr",
        "people",
        "punctuation",
        "speech",
        "wrong_layout",
    ):  # signs change, or go with a word
        assert all(sign in rest for sign in (char for char in text if not char.isalnum()))
    assert result.text.count("\n") == 2


def test_case_deletes_nothing() -> None:
    assert attacked("case", "12 345! Дом №7", probability=1.0).text == "12 345! дОМ №7"


def test_every_key_has_neighbours_that_are_other_letters() -> None:
    keys = {key for key, _, _ in rows(dictionary_path("keyboard_ru"), columns=3)}
    assert keys == set("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")
    for letter in keys:
        slipped = {attacked("butterfingers", letter * 50, probability=1.0, seed=seed).text for seed in range(3)}
        assert not any(letter in text or set(text) - keys for text in slipped)
