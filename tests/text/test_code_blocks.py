"""Code, formulas and JSON in texts, found by their signs."""

import time
from itertools import pairwise

import pytest

from augment_ru.text.characters import atoms_of
from augment_ru.text.code_blocks import blocks_of, json_of
from profiles import third


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Код:\n```python\nпечать('да')\n```\nи дальше", ["```python\nпечать('да')\n```"]),
        ("Вот ```печать``` и ```\nещё\n``` всё", ["```печать```", "```\nещё\n```"]),
        ("````md\n```\nкод\n```\n````\nда", ["````md\n```\nкод\n```\n````"]),
        ("~~~\nкод ``` да\n~~~~\nпосле", ["~~~\nкод ``` да\n~~~~"]),
        ("> ```\n> нет конца", ["> ```\n> нет конца"]),
        ("Знак ``` в строке не закрыт", []),
        ("``код ` тик`` и всё", ["``код ` тик``"]),
        ("Вот:\n\n    для(x):\n        печать\n\n    ещё = 1\n\nТекст",
         ["    для(x):\n        печать\n\n    ещё = 1\n"]),
        ("Так:\n\n\tpip install x\n", ["\tpip install x\n"]),
        ("Глава.\n\n    Он пошёл домой, а (утром) вернулся; было темно.", []),
        ("- пункт\n    и его продолжение x = 1", []),
        ("<pre>текст\nещё</pre> и <CODE class='a'>да</code>", ["<pre>текст\nещё</pre>", "<CODE class='a'>да</code>"]),
        ("<script>если (a<b) да</script><style>p {цвет}</style>",
         ["<script>если (a<b) да</script>", "<style>p {цвет}</style>"]),
        ("Тег <code> без конца и <codeine>", []),
        (r"Тут \(a + б\), \[ в^2 \] и $$ сумма $$.", [r"\(a + б\)", r"\[ в^2 \]", "$$ сумма $$"]),
        (r"\begin{cases} икс \end{cases} да", [r"\begin{cases} икс \end{cases}"]),
        (r"Пусть $x$, $n = 5$ и $v_{\text{ср}}$.", ["$x$", "$n = 5$", r"$v_{\text{ср}}$"]),
        ("Цена $100, а не $200.", []),
        ("US$5, $6 за user_name и $7, цены в $ и в $, $да$", []),
    ],
)  # fmt: skip
def test_blocks(text: str, expected: list[str]) -> None:
    assert [span.of(text) for span in blocks_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ('{"имя": "Анна", "лет": 30, "пусто": null}', ["Анна"]),
        (' ["да", {"k": "v: 1"}]\n', ["да", "v: 1"]),
        (r'{"а": "б\n\"в\" \u0430г"}', ["б", "в", " ", "г"]),
        ("[1, 2]", []),
        ("{}", []),
    ],
)
def test_texts_of_json_may_change_and_nothing_else(text: str, free: list[str]) -> None:
    spans = json_of(text)
    assert spans[0].start == 0
    assert spans[-1].stop == len(text)
    between = [text[left.stop : right.start] for left, right in pairwise(spans)]
    assert [part for part in between if part] == free


@pytest.mark.parametrize(
    "text", ["", "[имя]", "{имя}", '{"a": "б"} и всё', '"Да"', "30", '{"а": NaN}', "[" * 5000 + "]"]
)
def test_what_is_no_json(text: str) -> None:
    assert json_of(text) == []


@pytest.mark.parametrize(
    "piece",
    third([
        "<code>", "<code><pre>", "```a ", "```\n~~~\n", "`", "``a", "$", "$a", "$$", r"\(", r"\[a", r"\begin{a}",
        "\n\n    ", "\n\n    а", "    \n", "[", '{"a":', '["', "<а б", "{а", "{а б в г", "{а[б].в", "{а:",
        "{%а ", "${а ", "$а ", "</а ", "````a```b`",
    ], 1),
)  # fmt: skip
def test_signs_without_an_end_take_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    list(atoms_of(piece * (100_000 // len(piece))))
    assert time.process_time() - began < 5, "minutes, if it grew with the square"


def test_fences_of_falling_length_take_time_in_proportion() -> None:
    began = time.process_time()
    list(blocks_of("да" + "".join("`" * count + "a" for count in range(440, 2, -1))))
    assert time.process_time() - began < 5
