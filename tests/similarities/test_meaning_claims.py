"""The similarity meaning, of what a sentence claims: forms, roles, small words, quantities, words of one sense."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Edit, Script
from augment_ru.edits import Note
from augment_ru.engine.attack import make
from augment_ru.engine.similarity import Candidates, similarity_of
from augment_ru.similarities.meaning import Meaning
from augment_ru.similarities.meaning.claims import claims_of, contradictions, decides, word_claims
from augment_ru.similarities.meaning.quantities import amounts_of, exchanged
from augment_ru.similarities.meaning.roles import roles_of
from augment_ru.similarities.meaning.senses import are_alike, are_opposite, as_said, unlike
from augment_ru.similarities.meaning.words import Source
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
        ("счёт 3:0", "счёт 0:3", False),
        ("в 18:40", "без двадцати семь вечера", True),
        ("в 18:40", "без двадцати восемь вечера", False),
        ("в 18:30", "в половине седьмого вечера", True),
        ("в полседьмого", "в 6:30", True),
        ("в 9:05", "в девять ноль пять", True),
        ("в 9:05", "в девять пятьдесят", False),
        ("в 9:00", "в девять часов", True),
        ("5–10 мая", "с пятого по десятое мая", True),
        ("18.07.2020", "18 августа 2020 года", False),
        ("в 1980-х годах", "в восьмидесятых годах XX века", True),
        ("в 1980-х годах", "в восьмидесятых годах XIX века", False),
        ("1 млн 200 тыс. рублей", "миллион двести тысяч рублей", True),
        ("+7 (903) 123-05-67", "семь девятьсот три сто двадцать три ноль пять шестьдесят семь", True),
        ("50% скидка", "пятидесятипроцентная скидка", True),
        ("за $20", "за двадцать долларов", True),
        ("за $20", "за двадцать рублей", False),
        ("12,50 руб.", "двенадцать рублей пятьдесят копеек", True),
        ("12,50 руб.", "двенадцать рублей пятнадцать копеек", False),
        ("12 руб. 50 коп.", "двенадцать рублей пятьдесят копеек", True),
        ("гараж 6х4 м", "гараж шесть на четыре метра", True),
        ("гараж 6х4 м", "гараж шесть на пять метров", False),
        ("1.299,50 руб.", "тысяча двести девяносто девять рублей пятьдесят копеек", True),
        ("двадцатиминутка", "двадцать минут", True),
        ("двадцатиминутка", "тридцать минут", False),
        ("5 и 5 кг", "5 и 6 кг", False),
        ("в 10.30", "в десять тридцать", True),
        ("в 10.30", "в десять сорок", False),
        ("треть жителей", "1/3 жителей", True),
        ("1,5 т. р.", "полторы тысячи рублей", True),
        ("1,5 т. р.", "полтора рубля", False),
        ("300 т.р.", "триста тысяч рублей", True),
        ("стоит 5 р. 50 к.", "стоит пять рублей пятьдесят копеек", True),
        ("стоит 5 р. 50 к.", "стоит пять рублей пять копеек", False),
        ("саморезы 3,5х35 мм", "саморезы три целых и пять десятых на тридцать пять миллиметров", True),
        ("ночью -3..-5 °C", "ночью минус три минус пять градусов", True),
        ("ночью -3..-5 °C", "ночью минус три плюс пять градусов", False),
        ("код 0742", "код ноль семьсот сорок два", True),
        ("в XVIII–XIX вв.", "в восемнадцатом девятнадцатом веках", True),
        ("в XVIII–XIX вв.", "в восемнадцатом двадцатом веках", False),
        ("на 4,7 п. п.", "на четыре целых и семь десятых процентного пункта", True),
        ("по статье 12.9", "по статье двенадцать девять", True),
        ("треть жителей", "1/4 жителей", False),
    ],
)
def test_quantities_are_read(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    left, right = (claims_of(Source(text)).numbers for text in (one, other))
    assert exchanged(left, right) is exchanged(right, left) is not same


SAID: dict[str, tuple[tuple[str, ...], ...]] = {
    "lengths": (
        ("за пять лет", "за 5 лет", "5-летний срок", "пятилетний срок"),
        ("за двадцать пять лет", "за 25 лет", "25-летний срок", "двадцатипятилетний срок"),
        ("за три недели", "за 3 недели", "за 21 день", "трёхнедельный срок"),
        ("за полтора часа", "за 1,5 часа", "за 90 минут"),
        ("за двое суток", "за 2 суток", "за 48 часов", "за два дня"),
        ("за сорок минут", "за 40 минут"),
        ("за двести лет", "за 200 лет", "за два столетия", "за 2 века"),
    ),
    "times": (
        ("в 6:35", "в 6.35", "в шесть тридцать пять", "без двадцати пяти семь"),
        ("в 18:35", "в восемнадцать тридцать пять", "без двадцати пяти семь вечера"),
        ("в 6:30", "в половине седьмого", "в полседьмого", "в шесть тридцать"),
        ("в 12:45", "в двенадцать сорок пять", "без пятнадцати час дня"),
        ("в 7:05", "в семь ноль пять", "в семь часов пять минут"),
        ("в 7:50", "в семь пятьдесят", "без десяти восемь"),
    ),
    "ranks": (
        ("на третьем этаже", "на 3-м этаже", "на 3 этаже"),
        ("на двадцать третьем этаже", "на 23-м этаже"),
        ("на тридцатом этаже", "на 30-м этаже", "на 30 этаже"),
        ("на сто третьем этаже", "на 103-м этаже"),
    ),
    "centuries": (
        ("в XIX веке", "в девятнадцатом веке", "в 19 веке", "в 19-м веке"),
        ("в XX веке", "в двадцатом веке", "в 20 веке"),
        ("в XVI веке", "в шестнадцатом веке"), ("в IX веке", "в девятом веке"),
        ("в 80-х годах XX века", "в 1980-х годах", "в восьмидесятых годах двадцатого века"),
    ),
    "counts": (
        ("две тысячи домов", "2 тысячи домов", "2 тыс. домов", "2000 домов", "2 000 домов", "2тыс домов"),
        ("двести домов", "200 домов"), ("двадцать домов", "20 домов"),
        ("двадцать две тысячи домов", "22 тысячи домов", "22 000 домов"),
        ("миллион двести тысяч домов", "1 200 000 домов", "1,2 млн домов", "1.200.000 домов"),
        ("два миллиона домов", "2 млн домов", "2млн домов", "2 000 000 домов"),
        ("двести двадцать два дома", "222 дома"),
        ("две тысячи двести двадцать два дома", "2222 дома", "2 222 дома"),
    ),
    "parts": (
        ("половина дома", "50 % дома", "1/2 дома", "50-процентная доля дома"),
        ("треть дома", "1/3 дома", "одна третья дома"),
        ("три четверти дома", "3/4 дома", "75 % дома"),
        ("две целых и пять десятых дома", "2,5 дома", "два с половиной дома"),
        ("две целых пять сотых дома", "2,05 дома"), ("пять процентов дома", "5 % дома", "5% дома"),
    ),
    "money": (
        ("пять рублей", "5 рублей", "5 руб.", "5 ₽"), ("пять долларов", "5 долларов", "$5", "5 $"),
        ("пять евро", "5 евро", "€5"),
        ("пять рублей двадцать копеек", "5 рублей 20 копеек", "5,20 руб.", "5 р. 20 к."),
        ("двадцать рублей", "20 рублей", "20 ₽"), ("пять тысяч рублей", "5 тыс. рублей", "5 т. р.", "5000 ₽"),
    ),
    "dates": (
        ("18 июля 2020 года", "18.07.2020", "восемнадцатого июля две тысячи двадцатого года"),
        ("18 июля 2021 года", "18.07.2021"),
        ("7 августа 2020 года", "07.08.2020", "2020-08-07"), ("8 июля 2020 года", "08.07.2020", "2020-07-08"),
    ),
    "compounds": (
        ("7-битный код", "семибитный код", "код в 7 бит"), ("8-битный код", "восьмибитный код", "код в 8 бит"),
        ("17-битный код", "код в семнадцать бит"),
    ),
    "signs": (
        ("минус пять градусов", "-5 градусов", "−5 °C"),
        ("пять градусов", "+5 градусов", "5 °C", "плюс пять градусов"),
    ),
    "games": (
        ("дома 2:1", "дома два один"), ("дома 1:2", "дома один два"), ("дома 2:2", "дома два два"),
        ("дома 12:1", "дома двенадцать один"),
    ),
}  # fmt: skip
"""Quantities of one kind, each in the ways in which it is written."""


@pytest.mark.parametrize("kind", SAID)
def test_a_quantity_is_the_same_however_it_is_written_and_none_of_the_others(kind: str) -> None:
    numbers = [[claims_of(Source(text)).numbers for text in ways] for ways in SAID[kind]]
    for (at, ways), (number, others) in product(enumerate(numbers), repeat=2):
        for (one, mine), (other, theirs) in product(enumerate(ways), enumerate(others)):
            shown = SAID[kind][at][one], SAID[kind][number][other]
            assert exchanged(mine, theirs) is (at != number), shown


def _decimal(draw: st.DrawFn) -> tuple[str, float]:
    whole, part = draw(st.integers(0, 99)), draw(st.from_regex(r"\d{1,3}", fullmatch=True).filter(int))
    return f"{whole},{part}", float(f"{whole}.{part}")


@st.composite
def amounts(draw: st.DrawFn) -> tuple[str, str, object]:
    """A text with a place for an amount, the amount in figures, and what tells its value from others of its kind."""
    text = draw(st.sampled_from(sorted(_KINDS)))
    kind, number = _KINDS[text], draw(st.integers(1, 999))
    if kind == "time":
        hour, minute = draw(st.integers(0, 23)), draw(st.integers(1, 59))
        return text, f"{hour}:{minute:02}", (hour, minute)
    if kind == "date":
        day, month, year = draw(st.integers(1, 28)), draw(st.integers(1, 12)), draw(st.integers(1950, 2025))
        return text, f"{day:02}.{month:02}.{year}", (day, month, year)
    if kind == "fraction":
        part = draw(st.sampled_from([(1, 3), (2, 3), (1, 4), (3, 4), (1, 8), (3, 8), (2, 5)]))
        return text, f"{part[0]}/{part[1]}", part
    figures, value = _decimal(draw) if draw(st.booleans()) else (str(number), float(number))
    scale, factor = draw(st.sampled_from([("тыс.", 10**3), ("млн", 10**6)])) if kind == "scale" else ("", 1)
    return text, f"{figures} {scale}".strip(), round(value * factor, 6)


_KINDS = {
    "Поезд ушёл в {}.": "time", "Магазин открыт до {} по будням.": "time", "Договор от {} подписан.": "date",
    "Отдал {} наследства.": "fraction", "Штраф составил {} р.": "scale", "Население {} человек.": "scale",
    "Купил за {} $ вчера.": "scale", "Нужно {} кг муки.": "unit", "Шли {} км по лесу.": "unit",
    "Под {} % годовых.": "unit", "Цена {} руб. за штуку.": "unit",
}  # fmt: skip


@given(amounts(), st.data())
def test_the_same_amount_as_it_is_said_passes_and_another_fails(
    amount: tuple[str, str, object], data: st.DataObject
) -> None:
    text, figures, value = amount
    _, others, other = data.draw(amounts().filter(lambda one: _KINDS[one[0]] == _KINDS[text]))
    speech, source = make("speech", {"wer": 0.0}), text.format(figures)
    speak = Augmenter(speech, constraints=(), similarity="none")
    said, wrong = (speak(text.format(one)).text for one in (figures, others))
    assert Augmenter(speech, constraints=())(source).text == said, "the gate reads the edits, and lets them pass"
    (changed,) = meaning([source], [wrong])
    assert value == other or changed < meaning.threshold, (source, wrong)


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


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Снег тает, если дорогу откроют.", True),
        ("Сад цветёт, если снег растает.", False),  # it stands where it stood
        ("Дождь кончится, если дорогу откроют.", False),  # what it stood before is not there any more
    ],
)
def test_a_link_stands_before_the_other_clause_if_both_are_there(text: str, other: bool) -> None:  # noqa: FBT001
    before, after = (claims_of(Source(one)) for one in ("Если снег тает, дорогу откроют.", text))
    assert bool(dict(contradictions(before, after))["other_clause"]) is other


def test_a_reading_counts_only_where_a_reader_reads_it() -> None:
    assert as_said("18 августа", Note("18.07")) == "18 августа"
    assert as_said("тридцатишестиэтажный", Note("35-этажный")) == "тридцатишестиэтажный"
    assert as_said("1О0", Note("100")) == "100"
    assert as_said("🐱", Note("кот")) == "кот"
    assert as_said("лис", Note("кот")) == "лис"
    assert as_said("это", Note("этот")) == "этот"
    assert as_said("пришёл", Note("придёт")) == "пришёл"
    assert as_said("не могли бы вы прислать", Note("пришлите")) == "пришлите"
    assert as_said("не могли бы вы прислать", Note("пришлите копии")) == "не могли бы вы прислать"
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
