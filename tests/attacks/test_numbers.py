"""`numbers` keeps every value, by a reader that shares no table with it, and writes what a native would."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter
from augment_ru.language.numerals import NUMERAL_CASES, cardinal, ordinal
from augment_ru.similarities.meaning import Meaning
from outcomes import drawn


def free(name: str, seed: int = 0) -> Augmenter:
    """All changes of an attack, without constraints and gate."""
    return Augmenter(name, constraints=(), similarity="none", probability=1.0, seed=seed)


def perturbed(name: str, text: str, seed: int = 0) -> str:
    """The text after all changes of an attack."""
    return free(name, seed)(text).text


# A reader of numbers, by the beginnings of words. It shares no table with the attack.

_UNITS = "одн|один|перв 1 дв|втор 2 тр[еи] 3 четыр|четв 4 пят 5 шест 6 сем|седьм 7 вос[еь]м 8 девят 9"
_PAIRS = re.findall(r"(\S+) (\d)", _UNITS)
_UNIT = "|".join(stem for stem, _ in _PAIRS)
_PART = re.compile(
    rf"(?P<n11>одиннадцат)|(?P<teen>(?:{_UNIT})[а-я]?надцат)|(?P<n20>двадцат)|(?P<n30>тридцат)|(?P<n40>сорок)"
    rf"|(?P<n90>девяност[оа]?)|(?P<tens>(?:{_UNIT})[ьию]{{0,2}}десят)|(?P<hundreds>(?:{_UNIT})[а-я]{{0,3}}?(?:сот|ст[аи]))"
    rf"|(?P<n100>ст[оа](?=\b|лет|проц|{_UNIT}|[а-я]+десят|десят|одиннадцат)|сот)|(?P<n10>десят)|(?P<n1000>тысяч)|(?P<unit>{_UNIT})"
)
_INSIDE = re.compile(r"(?:мя|ью|ух|ех|ум|ем|ми|[ьиаоуыюея])?м?и?х?")


def parts_of(word: str) -> list[int]:
    """The values of the parts of a numeral, or of the beginning of a compound; [] for another word."""
    found: list[int] = []
    at = 0
    while match := _PART.match(word, at):
        kind = str(match.lastgroup)
        unit = next((int(value) for stem, value in _PAIRS if re.match(stem, match[0])), 0)
        made = {"teen": 10 + unit, "tens": 10 * unit, "hundreds": 100 * unit, "unit": unit}
        found.append(made[kind] if kind in made else int(kind[1:]))
        at = match.end()
        inside = _INSIDE.match(word, at)
        at = inside.end() if inside and _PART.match(word, inside.end()) else at
    return found


def _decade(word: str, century: str) -> str:
    """«восьмидесятых годах xx века» in figures: 1980."""
    hundreds = sum({"x": 10, "v": 5, "i": 1}[sign] for sign in century) - 2 * ("ix" in century)
    return str(100 * (hundreds - 1) + sum(parts_of(word)))


def values_of(text: str) -> list[float]:
    """The numbers of a text, in order: «пять тысяч двести» is 5200, «без двадцати семь вечера» 18 and 40."""
    text = text.lower().replace("ё", "е").replace("полтора", "1,5").replace("полторы", "1,5")
    text = re.sub(r"(?<=\d)[ \u00a0](?=\d{3}\b)", "", text)
    text = re.sub(r"\bтыс\.", "тысяч", text)
    text = re.sub(r"([а-я]+) год[а-я]+ (x[vi]*x?|xx) века", lambda one: _decade(one[1], one[2]), text)
    found: list[float] = []
    value, before = None, 0.0
    for word in re.findall(r"\d+(?:,\d+)?|[а-я]+|[.:;!?]", text):
        for number in [float(word.replace(",", "."))] if word[0].isdigit() else map(float, parts_of(word)):
            if value is not None and number == 1000:
                value *= 1000
            elif value is not None and number < before and (before >= 20 or before == 1000) and not word[0].isdigit():
                value += number
            else:
                found += [] if value is None else [value]
                value = number
            before = number if number != 1000 else 1000
        if not word[0].isdigit() and not parts_of(word):
            found += [] if value is None else [value]
            value, before = None, 0.0
    return found + ([] if value is None else [value])


@given(st.integers(1, 999_999), st.sampled_from(NUMERAL_CASES), st.sampled_from(["masc", "femn", "neut"]))
def test_a_numeral_in_words_is_read_as_its_value(number: int, case: str, gender: str) -> None:
    assert values_of(cardinal(number, case, gender)) == [number]
    if number % 1000:
        assert values_of(ordinal(number, case, gender)) == [number]


PLACES = [
    "Он купил {} билетов.", "Прошло {} лет.", "Из {} домов вышли люди.", "Он уехал к {} друзьям.", "Стоит {} рублей.",
    "Живём на {}-м этаже.", "Это {}-летний дуб.", "Пришли {} гостя.", "Собрали {} тыс. подписей.", "Около {} минут.",
    "Родился {} мая.", "С {} килограммами груза.", "Нашли {} книгу.",
]  # fmt: skip


@given(st.sampled_from(PLACES), st.one_of(st.integers(2, 130), st.integers(131, 99_999)), st.integers(0, 2))
def test_the_value_stays(place: str, number: int, seed: int) -> None:
    text = place.format(number)
    there = perturbed("numbers", text, seed=seed)
    back = perturbed("numbers", there, seed=seed)
    assert values_of(text) == values_of(there) == values_of(back), (there, back)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("У них 8 детей.", "У них восемь детей."),
        ("Ехали 2 суток.", "Ехали двое суток."),
        ("Мать 3 детей ушла.", "Мать трёх детей ушла."),
        ("Рождён 12.03.1985 года в Туле.", "Рождён 12 марта 1985 года в Туле."),
        ("Зовите по 2 человека.", "Зовите по два человека."),
        ("Приехали 2,1 млн. туристов.", "Приехали две целых и одна десятая миллиона туристов."),
        ("Прошли 5 км. и встали.", "Прошли пять километров и встали."),
        ("Он уехал с 2 друзьями.", "Он уехал с двумя друзьями."),
        ("Она прождала за 1 минуту.", "Она прождала за одну минуту."),
        ("Видел 2 игроков.", "Видел двух игроков."),
        ("В 2-й раз он пришёл.", "Во второй раз он пришёл."),
        ("Из 17-и побед.", "Из семнадцати побед."),
        ("Гол забили на 35-й минуте.", "Гол забили на тридцать пятой минуте."),
        ("Командир 31-й армии.", "Командир тридцать первой армии."),
        ("Приезжайте 18 июля.", "Приезжайте восемнадцатого июля."),
        ("Готово к 5 мая.", "Готово к пятому мая."),
        ("Перенесли на 9 августа.", "Перенесли на девятое августа."),
        ("Наш 28-летний сын.", "Наш двадцативосьмилетний сын."),
        ("Построен в 1980-х годах.", "Построен в восьмидесятых годах XX века."),
        ("Родился в 1980 году.", "Родился в тысяча девятьсот восьмидесятом году."),
        ("Весит 6,5 кг.", "Весит шесть с половиной килограммов."),
        ("Рост 1,5 %.", "Рост полтора процента."),
        ("Собрали 2,3 процента.", "Собрали две целых и три десятых процента."),
        ("Проехали 1500 км.", "Проехали тысячу пятьсот километров."),
        ("Хлеб стоит 12,50 руб.", "Хлеб стоит двенадцать рублей пятьдесят копеек."),
        ("Живёт в 5 км от города.", "Живёт в пяти километрах от города."),
        ("Он уехал на два дня.", "Он уехал на 2 дня."),
        ("Прошло двадцать пять лет.", "Прошло 25 лет."),
        ("Это было двадцать третьего февраля.", "Это было 23 февраля."),
        ("Он живёт на пятом этаже.", "Он живёт на 5-м этаже."),
        ("Мой семилетний сын.", "Мой 7-летний сын."),
        ("Встреча в половине седьмого вечера.", "Встреча в 18:30."),
        ("Приду без двадцати семь вечера.", "Приду в 18:40."),
    ],
)
def test_golden_cases(text: str, written: str) -> None:
    assert perturbed("numbers", text) == written


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("Приду в 18:40.", {"Приду в восемнадцать сорок.", "Приду без двадцати семь вечера."}),
        ("Дата 18.07.2020.", {"Дата 18 июля 2020 года.", "Дата восемнадцатого июля 2020 года."}),
        ("Нужно 5 тыс. рублей.", {"Нужно пять тысяч рублей.", "Нужно 5000 рублей."}),
        (
            "Звоните +7 (903) 123-45-67.",
            {f"Звоните +7{one}." for one in (" 903 123-45-67", " 903 123 45 67", "-903-123-45-67")},
        ),
    ],
)
def test_one_of_several_ways_is_drawn(text: str, ways: set[str]) -> None:
    found = {one.text for one in drawn(free("numbers"), text, 20)} - {text}
    assert found <= ways
    assert len(found) > 1


@pytest.mark.parametrize(
    "text",
    [
        "Говядина по 89,90 руб./кг.", "Поступило 1 млн 250 тыс. рублей.", "Прошло 1,5 рабочих дня.",
        "Кольцо весит 1,25 г.", "Молоко 1%-й жирности.", "С 1 янв. 2025 г. цены растут.",
        "Сбили Ки-27 и РТ-34.", "Группа 5 человек.", "Футболка № 9.", "С 5 по 10 мая.", "Ему минут пять идти.",
        "Повёз семью в город.", "Один из гостей ушёл.", "Погибли тысячи людей.", "Счёт 2:1.", "В двух словах, он прав.",
        "Аквапорин 1 найден.", "Версия 2.0.1 вышла.", "Было −5 градусов.", "Сказал «сто олив».",
        "В 1703 г. Пётр основал город.", "У них 4 детей.", "Дом на ул. 8 Марта.",
    ],
)  # fmt: skip
def test_what_is_not_certain_stays(text: str) -> None:
    assert perturbed("numbers", text) == text


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("Он прожил там 5 лет.", "Он прожил там пять лет.", "Он прожил там шесть лет."),
        ("Собрали 1500 рублей.", "Собрали тысячу пятьсот рублей.", "Собрали тысячу шестьсот рублей."),
        ("Гол на 35-й минуте.", "Гол на тридцать пятой минуте.", "Гол на тридцать шестой минуте."),
        ("Приезжайте 18 июля.", "Приезжайте восемнадцатого июля.", "Приезжайте девятнадцатого июля."),
        ("Ночью было -5 градусов.", "Ночью было минус пять градусов.", "Ночью было пять градусов."),
        ("−5 градусов ночью.", "Минус пять градусов ночью.", "5 градусов ночью."),
        ("Было минус пять градусов.", "Было −5 градусов.", "Было пять градусов."),
        ("Нам дали пять тысяч рублей.", "Нам дали 5 тыс. рублей.", "Нам дали 6 тыс. рублей."),
    ],
)
def test_the_gate_reads_values(text: str, same: str, other: str) -> None:
    gate = Meaning()
    right, wrong = gate([text, text], [same, other])
    assert wrong < gate.threshold <= right
