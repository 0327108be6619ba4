"""The similarity meaning, of what a sentence claims: forms, roles, small words, quantities, words of one sense."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError, Edit, Script
from augment_ru.edits import Note
from augment_ru.engine.similarity import Candidates, similarity_of
from augment_ru.similarities.meaning import Meaning
from augment_ru.similarities.meaning.claims import claims_of, contradictions, decides, word_claims
from augment_ru.similarities.meaning.quantities import amounts_of, exchanged
from augment_ru.similarities.meaning.roles import roles_of
from augment_ru.similarities.meaning.senses import are_alike, are_opposite, unlike
from augment_ru.similarities.meaning.words import Source, as_said
from strategies import texts

meaning = Meaning()

SAME = (
    ("Комиссия отменила рейс.", "Рейс отменён комиссией."),
    ("Щенок, который потерял хозяина, скулил.", "Щенок, потерявший хозяина, скулил."),
    ("Жильцы требуют починить лифт.", "Жильцы требуют, чтобы лифт починили."),
    ("Пруд замёрз за две недели.", "Пруд замёрз за 14 дней."),
    ("Сдача проекта в 9 утра.", "Сдача проекта в девять утра."),
    ("Здесь нельзя парковаться.", "Парковаться здесь запрещено."),
    ("Сторож открыл ворота.", "Ворота открыл сторож."),
    ("Тётя старше дяди.", "Дядя младше тёти."),
    ("не понимаю эту задачу", "непонимаю эту задачу"),
    ("спасибо за помощь", "спс за помощь"),
    ("Доктор купил машину.", "Врач приобрёл автомобиль."),
)
OTHER = (
    ("Комиссия отменила рейс.", "Комиссия отменит рейс."),
    ("Тренер похвалил вратаря.", "Тренера похвалил вратарь."),
    ("Тренер уволил вратаря.", "Тренер уволен вратарём."),
    ("Локомотив победил Динамо.", "Динамо победило Локомотив."),
    ("Мы выиграем этот матч.", "Вы выиграете этот матч."),
    ("Выключите свет.", "Выключили свет."),
    ("Мост построили за полгода.", "Мост построили за год."),
    ("Аренда подорожала в два раза.", "Аренда подорожала в три раза."),
    ("Посетители могут снимать.", "Посетители должны снимать."),
    ("Эта краска безвредна.", "Эта краска вредна."),
    ("Эта трава неядовита.", "Эта трава ядовита."),
    ("Все рабочие получили премию.", "Некоторые рабочие получили премию."),
    ("Даже сторож не заметил кражи.", "Сторож даже не заметил кражи."),
    ("Если снег растает, дорогу откроют.", "Снег растает, если дорогу откроют."),
    ("Суп горячий, но хлеб несвежий.", "Суп негорячий, но хлеб свежий."),
    ("Охотник выследил лося.", "Охотник выследил кабана."),
)


@pytest.mark.parametrize(("source", "text"), SAME)
def test_the_same_in_other_words_passes(source: str, text: str) -> None:
    assert meaning([source], [text])[0] >= meaning.threshold


@pytest.mark.parametrize(("source", "text"), OTHER)
def test_another_claim_of_the_same_things_fails(source: str, text: str) -> None:
    assert meaning([source], [text])[0] < meaning.threshold
    assert meaning([text], [source])[0] < meaning.threshold


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("в двух километрах", "в 2 километрах", True),
        ("двадцать пять рублей", "25 рублей", True),
        ("четверть миллиона", "250 тысяч", True),
        ("больше половины", "больше 50 %", True),
        ("в XIX веке", "в девятнадцатом веке", True),
        ("десятидневный срок", "срок в 10 дней", True),
        ("полгода", "6 месяцев", True),
        ("дважды", "трижды", False),
        ("полгода", "год", False),
        ("раз в день", "раз в неделю", False),
        ("счёт 2:1", "счёт 2:3", False),
    ],
)
def test_quantities_are_read(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    left, right = (claims_of(Source(text)).numbers for text in (one, other))
    assert exchanged(left, right) is exchanged(right, left) is not same


@given(st.integers(0, 10**9))
def test_a_number_in_digits_is_itself(number: int) -> None:
    assert [amount.value for amount in amounts_of(str(number))] == [number]


def test_the_roles_are_those_of_the_endings_not_of_the_order() -> None:
    expected = {"украсть": {"вор": "agent", "кошелек": "patient"}}
    for text in ("Вор украл кошелёк.", "Кошелёк украл вор.", "Кошелёк украден вором."):
        assert roles_of(text) == [expected]


def test_words_of_one_sense_and_of_the_opposite() -> None:
    assert are_alike("врачами", "доктору")
    assert are_alike("сделает", "делал") or not are_alike("сделает", "кот")
    assert are_opposite("отступил", "наступала")
    assert unlike(["отмена", "волк"], ["отменить", "медведь"]) == {"волк"}


def test_how_often_a_word_denies() -> None:
    words = ("безопасен", "небезопасен", "опасен", "никто", "не", "неделя")
    assert [word_claims(word).denials for word in words] == [1, 2, 0, 0, 1, 0]


def test_words_that_decide() -> None:
    assert all(map(decides, ("не", "только", "можно", "два", "7", "я", "ему", "запретил")))
    assert not any(map(decides, ("стол", "в", "красивый", "гулял")))


@given(texts())
def test_a_text_does_not_contradict_itself(text: str) -> None:
    assert not any(value for _, value in contradictions(claims_of(Source(text)), claims_of(Source(text))))


def test_a_reading_counts_only_where_a_reader_reads_it() -> None:
    assert as_said("🐱", Note("кот")) == "кот"
    assert as_said("лис", Note("кот")) == "лис"
    assert as_said("это", Note("этот")) == "этот"
    assert as_said("пришёл", Note("придёт")) == "пришёл"
    layout = Script("Он не пришёл домой.", [Edit(3, 5, "yt", Note("не"))])
    alike = Script("Он не пришёл домой.", [Edit(3, 5, "нe", Note("не"))])
    scorer = meaning.against([layout.source, alike.source])
    one, other = scorer.score(np.arange(2), Candidates([layout, alike]))
    assert one < other == 1


def test_a_threshold_has_a_name() -> None:
    strict = similarity_of("meaning:strict")
    assert strict is not None
    assert strict.threshold > meaning.threshold
    assert strict.signature == meaning.signature
    with pytest.raises(AugmentError, match="did you mean 'strict'"):
        similarity_of("meaning:strickt")
