"""Golden cases of exchanged names, and what holds for all of them; to be read by a linguist."""

import re

import pytest

from augment_ru import Augmenter, AugmentError
from augment_ru.attacks.names import declined
from augment_ru.engine.attack import make
from augment_ru.records.task import generic
from augment_ru.resources import dictionary_path, rows

_ROWS = [row for row in rows(dictionary_path("names"), columns=4) if row[0] != "-"]
_GROUPS = sorted({row[0] for row in _ROWS})
_SHORT = {tuple(name.split(" ")) for row in _ROWS if row[1] == "name" for name in row[2:] if " " in name}
"""Each name that has a short form, with this form."""


def exchanged(text: str, group: str = "tatar", seed: int = 0) -> str:
    """The text with other names, of one group."""
    return Augmenter(make("names", {"groups": (group,)}), seed=seed)(text).text


@pytest.mark.parametrize(
    ("name", "part", "gender", "cases"),
    [
        ("Рустам", "name", "masc", "Рустам Рустама Рустаму Рустама Рустамом Рустаме"),
        ("Юрий", "name", "masc", "Юрий Юрия Юрию Юрия Юрием Юрии"),
        ("Фёкла", "name", "femn", "Фёкла Фёклы Фёкле Фёклу Фёклой Фёкле"),
        ("Мария", "name", "femn", "Мария Марии Марии Марию Марией Марии"),
        ("Гузель", "name", "femn", "Гузель Гузели Гузели Гузель Гузелью Гузели"),
        ("Алсу", "name", "femn", "Алсу Алсу Алсу Алсу Алсу Алсу"),
        ("Лёша", "short", "masc", "Лёша Лёши Лёше Лёшу Лёшей Лёше"),
        ("Сафин", "surname", "masc", "Сафин Сафина Сафину Сафина Сафиным Сафине"),
        ("Сафина", "surname", "femn", "Сафина Сафиной Сафиной Сафину Сафиной Сафиной"),
        ("Полянский", "surname", "masc", "Полянский Полянского Полянскому Полянского Полянским Полянском"),
        ("Полянская", "surname", "femn", "Полянская Полянской Полянской Полянскую Полянской Полянской"),
        ("Рабинович", "surname", "masc", "Рабинович Рабиновича Рабиновичу Рабиновича Рабиновичем Рабиновиче"),
        ("Рабинович", "surname", "femn", "Рабинович Рабинович Рабинович Рабинович Рабинович Рабинович"),
        ("Коваленко", "surname", "masc", "Коваленко Коваленко Коваленко Коваленко Коваленко Коваленко"),
        ("Ильдаровна", "patronymic", "femn", "Ильдаровна Ильдаровны Ильдаровне Ильдаровну Ильдаровной Ильдаровне"),
    ],
)
def test_names_are_declined(name: str, part: str, gender: str, cases: str) -> None:
    order = ("nomn", "gent", "datv", "accs", "ablt", "loct")
    assert " ".join(declined(name, part, gender, case) for case in order) == cases


@pytest.mark.parametrize("group", _GROUPS)
def test_one_person_gets_one_name_in_each_case(group: str) -> None:
    text = exchanged("Иван ждёт. Мы ждали Ивана, ходили с Иваном, писали Ивану.", group)
    (name,) = re.findall(r"^(\w+) ждёт", text)
    known = {row[2].split(" ")[0] for row in _ROWS if row[:2] == (group, "name")}
    assert name in known
    forms = [declined(name, "name", "masc", case) for case in ("accs", "ablt", "datv")]
    assert text == f"{name} ждёт. Мы ждали {forms[0]}, ходили с {forms[1]}, писали {forms[2]}."


def test_a_surname_with_initials_is_that_of_the_person_who_is_told() -> None:
    text = exchanged("Директор школы Анна Петровна Ковалёва (А. П. Ковалёва) подписала приказ.", "tatar")
    first, middle, last = re.findall(r"школы (\w+) (\w+) (\w+) \(", text)[0]
    assert text == f"Директор школы {first} {middle} {last} ({first[0]}. {middle[0]}. {last}) подписала приказ."


def test_initials_follow_a_name_and_a_patronymic_without_a_surname() -> None:
    text = exchanged("Звонил Кузнецов П. И., Пётр Иванович будет в пять.", "tatar")
    first, middle = re.findall(r", (\w+) (\w+) будет", text)[0]
    assert first != "Пётр"
    assert f" {first[0]}. {middle[0]}., " in text


@pytest.mark.parametrize("text", ["Судья Ковалёва О. В. огласила приговор.", "Иванова А.С. пришла."])
def test_a_surname_with_initials_that_may_be_a_womans_or_a_mans_stays(text: str) -> None:
    assert {Augmenter("names", probability=1.0, seed=seed)(text).text for seed in range(5)} == {text}


@pytest.mark.parametrize("text", ["Семья Волковых: Сергей, Ольга и Дима Волковы.", "Иван Сергеевич и Ольга Орловы."])
def test_half_of_a_family_gets_no_other_names(text: str) -> None:
    assert exchanged(text, "tatar") == text


def test_whole_names_stay_whole() -> None:
    text = exchanged("Дарье Петровне Лебедевой вручили приз. И. Лебедева ждут.")
    found = re.fullmatch(r"(\w+) (\w+вне) (\w+ой) вручили приз\. И\. Лебедева ждут\.|.* (\w+а) ждут\.", text)
    assert found
    assert "Дарье" not in text


@pytest.mark.parametrize("group", _GROUPS)
def test_short_names_become_short_ones(group: str) -> None:
    text = exchanged("Миша позвонил Кате.", group)
    first, second = re.fullmatch(r"(\w+) позвонил (\w+)\.", text).groups()  # type: ignore[union-attr]
    names = {name for row in _ROWS if row[:2] == (group, "name") for name in row[2:]}
    short = {one for name, one in _SHORT if f"{name} {one}" in names}
    assert first in short
    assert second in {declined(one, "short", "femn", "datv") for one in short}


@pytest.mark.parametrize("group", _GROUPS)
def test_a_short_name_goes_with_the_full_one(group: str) -> None:
    text = exchanged("Алексей опоздал. Лёша проспал, и Алёше стало стыдно.", group)
    full, short, again = re.fullmatch(r"(\w+) опоздал\. (\w+) проспал, и (\w+) стало стыдно\.", text).groups()  # type: ignore[union-attr]
    assert (full, short) in _SHORT
    assert full != "Алексей"
    assert again == declined(short, "short", "masc", "datv")


@pytest.mark.parametrize(
    "text",
    ["Женя Иванова купила билет. Евгений Сидоров ушёл.", "Тима позвонил Тимуру Ильичу. Тимофей Орлов молчал."],
)
def test_a_short_name_that_may_mean_no_one_or_several_is_a_name_by_itself(text: str) -> None:
    found = re.findall("[А-ЯЁ][а-яё]+", exchanged(text))
    assert (found[-2], found[0]) not in _SHORT


@pytest.mark.parametrize(
    "text",
    [
        "Ванька убежал. Иван его догнал.",
        "«Лёха», — крикнул Пётр. Алексей ушёл.",
        "Мама Оли Кузнецовой звонила Олиной бабушке.",
        "Володина книга лежит на столе у Володи.",
    ],
)
def test_a_name_stays_beside_a_word_that_is_made_from_it(text: str) -> None:
    assert re.findall("Иван|Алексей|Оли Кузнецовой|Володина.*Володи", exchanged(text))


def test_an_initial_goes_with_the_name_it_stands_for() -> None:
    text = exchanged("Лёша Петров приехал. А. Петров выступил. Ольга Сергеевна лечит. О. С. Кузнецову знают.")
    short, surname, letter, same = re.match(r"(\w+) (\w+) приехал\. (\w)\. (\w+) выступил", text).groups()  # type: ignore[union-attr]
    assert (letter, short) in {(name[0], one) for name, one in _SHORT}
    assert surname == same != "Петров"


@pytest.mark.parametrize("group", _GROUPS)
def test_man_and_wife_have_one_surname(group: str) -> None:
    text = exchanged("Илья Левченко и его жена Ольга Левченко приехали.", group)
    found = re.fullmatch(r"\w+ (\w+) и его жена \w+ (\w+) приехали\.", text)
    assert found
    assert found.groups() in {(row[2], row[3]) for row in _ROWS if tuple(row[:2]) == (group, "surname")}


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Письмо подписал Михаил Сергачев.", "Сергачев"),
        ("Он женился на Анне Ивановой.", "Анне"),
        ("Полиция нашла Александра.", "Александра"),
        ("— Люба, — сказал Андрей, — ты меня слышишь?", "Люба"),
    ],
)
def test_names_with_several_readings_change(text: str, stays: str) -> None:
    assert stays not in exchanged(text)


@pytest.mark.parametrize(
    "text",
    [
        "Стихи Пушкина читает актёр.",
        "В 1812 году Иван Петров служил в армии.",
        "Площадь имени Ивана Петрова закрыта.",
        "Книга «Иван Петров» продаётся.",
        "Читали про Ивана Грозного.",
        "Читаем Анну Ахматову.",
        "Грузинский боксёр Роман Долидзе победил.",
        "Епископ запретил Филиппу служить.",
        "Улица Ивана Петрова закрыта.",
        "Судил матч Джефф Конверс, помогал Денис Петров.",
    ],
)
def test_history_and_titles_stay(text: str) -> None:
    assert exchanged(text) == text


def test_a_record_is_of_one_group_and_its_answers_stay() -> None:
    attack = make("names", {"groups": ("tatar", "jewish")})
    given = [{"premise": f"Борис ждёт Ольгу {number} дня.", "hypothesis": "Борис ждёт."} for number in range(8)]
    names = set()
    for row in Augmenter(attack, similarity="none", seed=1).records(given, generic("premise", "hypothesis")):
        first, second = (str(row.row()[field]).split(" ")[0] for field in ("premise", "hypothesis"))
        assert first == second != "Борис"
        names.add(first)
    assert len(names) > 1


def test_tasks_that_ask_about_the_world_keep_their_names() -> None:
    row = {
        "support_text": "Иван Петров родился в Перми.", "main_text": "Пермь стоит на Каме.",
        "question": "Где родился Иван Петров?",
        "bridge_answers": [{"label": "passage", "offset": 22, "length": 5, "segment": "Перми"}],
        "main_answers": [{"label": "passage", "offset": 15, "length": 4, "segment": "Каме"}],
    }  # fmt: skip
    (done,) = Augmenter("names").records([row])
    assert done.status == "unchanged"


def test_a_group_must_exist() -> None:
    with pytest.raises(AugmentError, match=r"names\.groups called 'elves'; known: .*tatar"):
        make("names", {"groups": ("elves",)})
