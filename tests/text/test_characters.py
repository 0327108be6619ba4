"""Words and atoms of texts."""

import pytest

from augment_ru.text.characters import atoms_of
from augment_ru.text.words import word_ranges


def words_of(text: str) -> list[str]:
    """The words of a text."""
    return [text[start:stop] for start, stop in word_ranges(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Из-за О'Генри, кое-кто…", ["Из-за", "О'Генри", "кое-кто"]),
        ("да,нет:может", ["да", "нет", "может"]),
        ("3,14 и 10:30, 1/2", ["3,14", "и", "10:30", "1/2"]),
        ("цена 30 000 руб., в 2024 100 раз", ["цена", "30 000 руб", "в", "2024", "100", "раз"]),
        ("1 234 567 человек", ["1 234 567", "человек"]),
        ("ветер 25 м/с, от -15 °C до +7 °С", ["ветер", "25 м/с", "от", "-15 °C", "до", "+7 °С"]),
        ("скидка 50%, дом №7, $5", ["скидка", "50%", "дом", "№7", "$5"]),
        ("5 кошек и 2,5 кг", ["5", "кошек", "и", "2,5 кг"]),
        ("5 с половиной", ["5", "с", "половиной"]),
        ("за́мок и ёж", ["за́мок", "и", "ёж"]),
        (r"города.\n\nКазань", ["города", "Казань"]),
        ("🙂 👨‍👩‍👧 ❤️", []),
        ("«слово» (два)", ["слово", "два"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://ru.wikipedia.org/wiki/Кот_(значения), да", ["https://ru.wikipedia.org/wiki/Кот_(значения)"]),
        ("(см. www.site.ru/a?b=1).", ["www.site.ru/a?b=1"]),
        ("сайт яндекс.рф и ya.ru:8080/x", ["яндекс.рф", "ya.ru:8080/x"]),
        ("i.ivanov@mail.ru, ivan.me@site.com", ["i.ivanov@mail.ru", "ivan.me@site.com"]),
        ("@маша_1, #лето2024 и #", ["@маша_1", "#лето2024"]),
        ("и т.д. т.е. А.С.Пушкин 3.14 вечером.Утром", []),
        ("<b>жир</b>&nbsp;и <a href='x'>", ["<b>", "</b>", "&nbsp;", "<a href='x'>"]),
        ("a < b и x > y, Tom & Jerry; 5 % от", []),
        ("`код` и {{имя}}, {name}, %s, %(n)d", ["`код`", "{{имя}}", "{name}", "%s", "%(n)d"]),
        (r"строка\nКазань \frac C:\Windows\x", [r"\n", r"\frac", r"C:\Windows\x"]),
        ("@highlight и @placeholder", ["@highlight", "@placeholder"]),
    ],
)
def test_atoms(text: str, expected: list[str]) -> None:
    assert [span.of(text) for span in atoms_of(text)] == expected
