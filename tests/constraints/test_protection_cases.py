"""What is protected, in concrete cases."""

import pytest

from augment_ru import Augmenter
from augment_ru.engine.attack import make

PUSHKIN = "Пушкин жил в Москве, а умер в Петербурге."


def test_chosen_entity_types_are_the_protected_ones() -> None:
    result = Augmenter("case", constraints="named_entities:PER", similarity="none", probability=1.0)(PUSHKIN)
    assert "Пушкин" in result.text
    assert "Москве" not in result.text


def test_words_are_protected_by_their_place_in_the_text() -> None:
    text = " \n Пушкин  писал,  а Пушкин гулял."
    result = Augmenter("eda_delete", probability=1.0, similarity="none")(text)
    assert result.text.count("Пушкин") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Привет, {имя}, это {{дата}} и %(сумма)s.", "Ghbdtn, {имя}, 'nj {{дата}} b %(сумма)s."),
        ("Да <имя>да</имя>, {имя клиента}, {сумма:.2f}, {items[0]}, {name!r}.",
         "Lf <имя>lf</имя>, {имя клиента}, {сумма:.2f}, {items[0]}, {name!r}."),
        ("{% if имя %}Да{% endif %}, $имя, ${имя} {да, нет}.",
         "{% if имя %}Lf{% endif %}, $имя, ${имя} {lf, ytn}."),
        ("Код:\n```\nпечать('да')\n```\nготов.", "Rjl:\n```\nпечать('да')\n```\nujnjd."),
        ("Где <code>имя = 1</code> тут?", "Ult <code>имя = 1</code> nen?"),
        (r"Пусть $x_{мин} = 5$ или \(а + б\).", r"Gecnm $x_{мин} = 5$ bkb \(а + б\)."),
        ("Цена $100, а не $200.", "Wtyf $100, f yt $200."),
        ('{"роль": "друг", "слова": ["как дела", "ты где"], "лет": 5}',
         '{"роль": "lheu", "слова": ["rfr ltkf", "ns ult"], "лет": 5}'),
    ],
)  # fmt: skip
def test_promises_without_constraints(text: str, expected: str) -> None:
    result = Augmenter(make("wrong_layout", {"unit": "word"}), constraints=(), probability=1.0, similarity="none")(text)
    assert result.text == expected
