"""Guards: what a kind of edit must not lose, whatever the task, and what eda_swap moves as one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from augment_ru import Augmenter, AugmentError, Change, Doc, Edit, Rng
from augment_ru.engine.attack import Attack, make

SENTENCES = (
    "Шампанское не было в холодильнике, а вино почти никто не заметил.",
    "У всех банков, кроме трёх, лицензию отозвали только 5 мая.",
    "Если придёт Маша, нельзя будет ни спать, ни громко петь.",
    "Без билета в поезд едва ли пустят, хотя кондуктор недоволен редко.",
)
KEPT = re.compile(
    r"\b(не|ни|нельзя|без|никто|почти|кроме|только|если|едва ли|хотя|трёх|5 мая|недоволен|всех|редко)\b", re.IGNORECASE
)


def perturbed(attack: str | Attack, text: str, seed: int) -> str:
    """The text at probability 1, without a gate and without constraints."""
    return Augmenter(attack, constraints=(), similarity="none", probability=1.0, seed=seed)(text).text


@pytest.mark.parametrize("name", ["eda_delete", "emojify"])
@pytest.mark.parametrize("text", SENTENCES)
def test_negators_and_restrictors_stay(name: str, text: str) -> None:
    numbers = {"трёх", "5 мая"} if name == "emojify" else set()  # a keycap is the same number
    wanted = [word for word in KEPT.findall(text) if word not in numbers]
    for seed in range(10):
        found = [word for word in KEPT.findall(perturbed(name, text, seed)) if word not in numbers]
        assert found == wanted


@pytest.mark.parametrize("text", SENTENCES)
def test_a_swap_moves_a_negator_with_its_word(text: str) -> None:
    pairs = re.findall(r"\b(?:не|ни) \w+", text, re.IGNORECASE)
    for seed in range(10):
        after = perturbed("eda_swap", text, seed)
        assert all(pair in after for pair in pairs)


def test_guards_can_be_left_out() -> None:
    lost = {perturbed(make("eda_delete", {"guards": ""}), SENTENCES[0], seed) for seed in range(10)}
    assert any("не было" not in text for text in lost)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("eda_delete", {"guards": "negatio"}, r"eda_delete.guards: .*did you mean 'negation'"),
        ("eda_swap", {"joins": "negatedd"}, r"eda_swap.joins: .*did you mean 'negated'"),
        ("eda_swap", {"scope": "sentence"}, "eda_swap.scope"),
    ],
)
def test_wrong_names_are_refused(name: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        make(name, options)


def test_spaces_around_the_names_of_guards_do_not_count() -> None:
    assert make("eda_delete", {"guards": "negation, numbers"}).guards == ("negation", "numbers")


@pytest.mark.parametrize("seed", range(20))
def test_a_swap_exchanges_no_two_words_that_do_the_same(seed: int) -> None:
    text = "Большое дерево тихо закрывает маленькое окно."
    one = Augmenter("eda_swap", constraints=(), similarity="none", probability=1e-9, seed=seed)(text)
    exchanged = {one.source[edit.start : edit.stop].lower() for edit in one.script.edits}
    assert len(exchanged) == 2
    assert exchanged not in ({"дерево", "окно"}, {"большое", "маленькое"})


def test_a_swap_works_in_texts_of_another_language() -> None:
    text = "The drug was quickly associated with an increased risk of stroke."
    assert perturbed("eda_swap", text, 1) != text


@pytest.mark.parametrize("seed", range(10))
def test_a_preposition_moves_with_its_phrase(seed: int) -> None:
    new = perturbed("eda_swap", "Кошка тихо спала на тёплом окне.", seed)
    assert "на тёплом окне" in new or "на окне тёплом" in new


@dataclass(frozen=True)
class Pushing(Attack):
    """Puts a space before every full stop, and reads no annotation; nor does its guard."""

    name: ClassVar[str] = "pushing"
    probability: float = 1.0
    guards: tuple[str, ...] = ("answer_options",)

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        for at, sign in enumerate(doc.text):
            if sign == ".":
                yield rng.change(Edit(at, at, " "))


def test_a_guard_that_reads_no_annotation_is_found_without_it() -> None:
    pushed = Augmenter(Pushing(), constraints=(), similarity="none").texts(["Кот спит.", "Дом стоит."])
    assert [one.text for one in pushed] == ["Кот спит .", "Дом стоит ."]
