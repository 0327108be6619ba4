"""Words and atoms of texts."""

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.text.characters import atoms, atoms_of, classes, cuttable, encode
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
        (
            "{имя}, {клиент.имя}, %(имя)s, <имя>, <имя клиента>",
            ["{имя}", "{клиент.имя}", "%(имя)s", "<имя>", "<имя клиента>"],
        ),
        ("<имя>да</имя> и </ имя>", ["<имя>", "</имя>"]),
        (
            "{имя клиента}, {имя-клиента}, {0}, {items[0]}, {d['ключ'].имя}, {сумма:.2f}, {name!r}, {имя!s:>9}, {:.2f}",
            [
                "{имя клиента}",
                "{имя-клиента}",
                "{0}",
                "{items[0]}",
                "{d['ключ'].имя}",
                "{сумма:.2f}",
                "{name!r}",
                "{имя!s:>9}",
                "{:.2f}",
            ],
        ),
        ("{ имя }, {%- if имя == 'да' -%}да{% endif %}", ["{ имя }", "{%- if имя == 'да' -%}", "{% endif %}"]),
        ("${имя}, ${a.b ?? 'да'}, $имя и $name_2.", ["${имя}", "${a.b ?? 'да'}", "$имя", "$name_2"]),
        ("за $100, 5$за, $да$, $$ум, \\$нет", []),
        ("{да, нет}, {кто это?}, {один два три четыре пять}, {а\nб}", []),
        ("<<Зенит>>, 5 <кот", []),
        (r"строка\nКазань \frac C:\Windows\x", [r"\n", r"\frac", r"C:\Windows\x"]),
        ("@highlight и @placeholder", ["@highlight", "@placeholder"]),
    ],
)
def test_atoms(text: str, expected: list[str]) -> None:
    assert [span.of(text) for span in atoms_of(text)] == expected


def cuts(text: str) -> list[bool]:
    """Whether the text may be cut before each character and at its end."""
    codes, starts = encode([text])
    may = cuttable(codes, classes(codes), starts)
    return [True] * (len(text) + 1) if may is None else may[: len(text) + 1].tolist()


def whole(text: str) -> list[bool]:
    """The same by `regex` alone."""
    borders = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    return [at in borders for at in range(len(text) + 1)]


def test_every_code_point_that_joins_a_cluster_is_seen() -> None:
    joins = regex.compile(r"\X")
    points = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    clusters = joins.findall(f"к{'к'.join(points)}к")
    chars = sorted({char for cluster in clusters if len(cluster) > 1 for char in cluster} - {"к"})
    assert len(chars) > 2000
    for text in ("к".join(chars), "к" + "к".join(char * 2 for char in chars), *(f"к{char}" for char in chars)):
        assert cuts(text) == whole(text)


FLAGS = st.text(st.sampled_from("🇷🇺🇰к\u200d\u0301👨🏻\u0600ﾞ가ᅡ\r"), max_size=30)


@given(st.lists(FLAGS, min_size=1, max_size=3))
def test_texts_are_cut_where_their_clusters_end(texts: list[str]) -> None:
    codes, starts = encode(texts)
    may = cuttable(codes, classes(codes), starts)
    for text, start in zip(texts, starts.tolist(), strict=False):
        found = [True] * (len(text) + 1) if may is None else may[start : start + len(text) + 1].tolist()
        assert found[: len(text)] == whole(text)[: len(text)]


@pytest.mark.parametrize(
    "piece", ["%", "🇷🇺", "а%", "%s", "http://a.ru/" + "(" * 9 + ")" * 90, "http://a" + ")," * 50_000]
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    codes, starts = encode([text])
    began = time.process_time()
    cuttable(codes, classes(codes), starts)
    atoms(codes, classes(codes), starts)
    assert time.process_time() - began < 15, "minutes, if it grew with the square"


@pytest.mark.parametrize(
    ("link", "end"),
    [("(http://a.ru/к_(и)), да", "http://a.ru/к_(и)"), ("http://a.ru/(и).)!", "http://a.ru/(и)"),
     ("http://a.ru/(([и]])", "http://a.ru/(([и]])"), ("http://a.ru/)}]…", "http://a.ru/")],
)  # fmt: skip
def test_where_a_link_ends(link: str, end: str) -> None:
    assert [span.of(link) for span in atoms_of(link)] == [end]
