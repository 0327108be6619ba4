"""Words of names: what spares a parse never changes what the parse would say."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter
from augment_ru.constraints.functions.named_entities.view import name_words
from augment_ru.language.morphology import NAME_LABELS, has_form_with, has_lemma, may_be_form, readings

LISTS = ("authority", "unique")
TEXTS = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.joinpath("gold").rglob("*.*")]
WORDS = sorted({
    *re.findall(r"[А-Яа-яЁё-]{3,}", " ".join(TEXTS)),
    "судом", "Госдуме", "минздраву", "мэрией", "бундестага", "евросоюзе", "сочи", "думы", "дум", "фондю", "ёлкин",
})  # fmt: skip


def test_there_are_words_and_lists_to_ask_about() -> None:
    assert len(WORDS) > 300
    assert all(name_words(kind) for kind in LISTS)


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_rules_out_no_form_of_its_lemmas(kind: str) -> None:
    for word in WORDS:
        if has_lemma(word, name_words(kind)):
            assert may_be_form(word, name_words(kind)), word


@given(st.sampled_from(WORDS) | st.text(alphabet="абвгдеёжзиклмнопрстуАБ-", min_size=2, max_size=12))
def test_a_form_that_the_dictionary_has_is_never_ruled_out(word: str) -> None:
    for grammeme in (*NAME_LABELS, "gent"):
        if any(reading.known and grammeme in reading.grammemes for reading in readings(word)):
            assert has_form_with(word, frozenset({grammeme}))


def test_most_words_are_ruled_out() -> None:
    assert not any(has_form_with(word, frozenset(NAME_LABELS)) for word in ("кошке", "быстро", "бежали", "хмарь"))


def test_a_name_is_known_again_in_another_case_and_with_other_dots() -> None:
    result = Augmenter("case", probability=1.0, similarity="none")("Дом Ёлкина сгорел, и Елкин уехал, а Лев ждал Льва.")
    for name in ("Ёлкина", "Елкин", "Лев", "Льва"):
        assert name in result.text
