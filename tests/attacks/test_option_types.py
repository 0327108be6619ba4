"""Golden cases of options that are put into the grammatical type of another option."""

import pytest

from augment_ru import Augmenter
from augment_ru.attacks.add_sent import AddSent
from augment_ru.attacks.add_sent.option_types import option_type, other_amounts


def put(old: str, new: str, *others: str) -> str | None:
    """Another option in the place of an old one, beside the others of its question."""
    old_type, new_type = option_type(old), option_type(new)
    assert old_type is not None
    assert new_type is not None
    return old_type.made_of(new_type, [found for found in map(option_type, others) if found is not None])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("из песка", "деревянная ложка", "из деревянной ложки"),
        ("в воде", "каменный мост", "в каменном мосте"),
        ("орлами", "полевая мышь", "полевыми мышами"),
        ("она растает", "поймать муху", "она поймает муху"),
        ("потемнела", "купить билет", "купила билет"),
        ("потемнела", "читать газету", None),
        ("чтобы пугать врагов", "читать газету", "чтобы читать газету"),
        ("запасая орехи", "читать газету", "читая газету"),
        ("потому что ветер дует сильнее", "соседи красят забор", "потому что соседи красят забор"),
        ("потому что ветер дует сильнее", "соседи покрасили забор", None),
        ("линейка", "сосед", None),  # no thing for an animal
    ],
)
def test_an_option_takes_the_form_of_the_old_one(old: str, new: str, expected: str | None) -> None:
    assert put(old, new) == expected


def test_the_other_options_tell_nominative_from_accusative() -> None:
    assert put("гвоздь", "деревянная ложка", "линейку") == "деревянную ложку"
    assert put("гвоздь", "деревянная ложка", "линейка") == "деревянная ложка"
    assert put("гвоздь", "деревянная ложка") is None


def test_amounts_keep_their_unit_and_its_form() -> None:
    days = option_type("5 дней")
    assert days is not None
    assert {"15 дней", "25 дней"} <= set(other_amounts(days))
    legs = option_type("три ноги")
    assert legs is not None
    assert set(other_amounts(legs)) == {"четыре ноги"}


@pytest.mark.parametrize("question", ["Что не тонет в воде?", "Какой зверь самый быстрый?", "Что лучше всего греет?"])
def test_questions_with_a_negation_or_a_superlative_stay(question: str) -> None:
    text = f"{question} (A) шерсть (B) гвоздь (C) ложка"
    row = {"question": text, "answer": "A", "exam_name": "", "school_grade": 3, "knowledge_type": "MODEL"}
    (result,) = Augmenter(AddSent(probability=1.0), similarity="none").records([row])
    assert result.text == text
