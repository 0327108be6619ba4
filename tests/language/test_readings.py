"""Readings of words: what pymorphy3 finds, and what may be said of a word before it is analysed."""

import pytest

from augment_ru.language.morphology import has_reading, is_known, morphology, readings
from augment_ru.similarities.meaning.quantities import amounts_of

WORDS = (  # noqa: SIM905
    "стали мама еще ещё все лет дней гг двух три пятый чаю лесу кошка кошеа хмарь шурале тбилиси по-русски госдума не "
    "нет никто невкусный я мне себя свой должен можно бы если закрыт закрыв открытый бегущий рабочий синий быстрее мой "
    "полгода двадцатипятилетний xx v"
).split()


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_dictionary_has_the_readings_of_pymorphy(word: str) -> None:
    found = readings(word)
    if is_known(word):
        parsed = morphology().parse(word)
        assert [(one.lemma, one.pos, one.score) for one in found] == [
            (one.normal_form, str(one.tag.POS or ""), one.score) for one in parsed
        ]
    assert {one.known for one in found} == {is_known(word)}


@pytest.mark.parametrize("mark", ["ADJF", "VERB", "Surn", "Geox", "Apro", "2per", "gent", "NPRO"])
def test_what_is_said_without_an_analysis_is_what_the_analysis_says(mark: str) -> None:
    for word in WORDS:
        assert has_reading(word, mark) == any(one.pos == mark or mark in one.grammemes for one in readings(word))


def test_forms_unlike_their_lemmas_say_amounts() -> None:
    assert all(map(amounts_of, ("лет", "дней", "двух", "гг", "двадцатипятилетний", "полгода")))
    assert not any(map(amounts_of, ("кошка", "мама", "хмарь")))
