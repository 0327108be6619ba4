"""Inflection: golden cases a reader can check, and round trips."""

import json
from pathlib import Path

import pytest

from augment_ru.editing.replacing import written_like
from augment_ru.language.annotate import Natasha
from augment_ru.language.inflection import inflect, known_forms, noun_of, word_form
from augment_ru.language.prepositions import fitting
from augment_ru.text.doc import Token
from profiles import IS_FULL

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "domains.train.jsonl"
LAYERS = frozenset({"morphology"})


def token(text: str, word: str) -> Token:
    """A word of a text with its annotation."""
    (doc,) = Natasha()([text], LAYERS)
    return next(one for one in doc.tokens if one.text == word)


def put(lemma: str, word: str, text: str, *changes: str) -> str | None:
    """A lemma in the form of a word of a text."""
    found = token(text, word)
    form = word_form(found.text, found.pos, found.features)
    assert form is not None
    return inflect(lemma, form.having(*changes))


@pytest.mark.parametrize(
    ("lemma", "word", "text", "expected"),
    [
        ("автомобиль", "машинами", "Улица забита машинами.", "автомобилями"),
        ("влага", "водою", "Он окропил её водою.", "влагою"),
        ("влага", "водой", "Он окропил её водой.", "влагой"),
        ("вино", "водою", "Он окропил её водою.", "вином"),
        ("молоко", "чаю", "Он выпил стакан чаю.", "молока"),
        ("сад", "лесу", "Мы гуляли в лесу.", "саду"),
        ("роща", "лесу", "Мы гуляли в лесу.", "роще"),
        ("год", "столетий", "Прошло много столетий.", "лет"),
        ("человек", "мальчика", "Я увидел мальчика.", "человека"),
        ("друг", "товарищами", "Он пришёл с товарищами.", "друзьями"),
        ("кофе", "чаем", "Он пришёл с чаем.", "кофе"),
        ("новый", "старую", "Я продал старую машину.", "новую"),
        ("большой", "старых", "Я знаю старых друзей.", "больших"),
        ("счастливый", "рада", "Она рада.", "счастлива"),
        ("быстрый", "красивее", "Он стал красивее.", "быстрее"),
        ("быстрый", "красивей", "Он стал красивей.", "быстрей"),
        ("хороший", "красивейшая", "Это красивейшая дача.", "лучшая"),
        ("найти", "пришел", "Он пришел домой.", "нашёл"),
        ("прыгать", "бегут", "Дети бегут домой.", "прыгают"),
        ("прыгать", "беги", "Скорее беги домой!", "прыгай"),
        ("прыгать", "бежать", "Надо бежать домой.", "прыгать"),
        ("прыгать", "прыгнул", "Он прыгнул в воду.", None),  # of another aspect
        ("написать", "сказав", "А сказав это, он ушёл.", "написав"),
        ("построить", "написанную", "Я прочёл написанную книгу.", "построенную"),
        ("построить", "написана", "Книга написана.", "построена"),
        ("читать", "говорящий", "Вот говорящий попугай.", "читающий"),
        ("наряд", "ножницы", "Вот ножницы.", "наряды"),
        ("запеть", "бегут", "Дети бегут домой.", None),
        ("новый", "дети", "Все дети бегут домой.", None),  # of another class
        ("iphone", "дети", "Все дети бегут домой.", None),
    ],
)
def test_a_lemma_takes_the_form_of_a_word(lemma: str, word: str, text: str, expected: str | None) -> None:
    assert put(lemma, word, text) == expected


def test_a_form_is_put_into_another_gender() -> None:
    assert put("старый", "старую", "Я продал старую машину.", "masc", "inan") == "старый"
    assert put("старый", "старую", "Я продал старую машину.", "masc", "anim") == "старого"
    assert put("старый", "старый", "Я продал старый дом.", "femn") == "старую"
    assert put("стоять", "стояла", "Там стояла машина.", "neut") == "стояло"
    assert put("старый", "старый", "Вот старый дом.", "plur") == "старые"


@pytest.mark.parametrize(
    ("word", "like", "yo", "written"),
    [
        ("ёлка", "Сосна", True, "Ёлка"),
        ("ёлка", "СОСНА", True, "ЁЛКА"),
        ("ёлка", "сосна", False, "елка"),
        ("сосна", "Я", True, "Сосна"),
        ("я", "СОСНА", True, "Я"),
    ],
)
def test_capitals_and_yo_are_those_of_the_text(word: str, like: str, yo: bool, written: str) -> None:  # noqa: FBT001
    assert written_like(word, like, yo=yo) == written


def test_words_that_come_back_different_are_refused() -> None:
    assert word_form("годов", "NOUN", "Case=Gen|Number=Plur") is None  # «лет» comes back
    assert word_form("Windows", "NOUN", "") is None
    assert word_form("лет", "NOUN", "Animacy=Inan|Case=Gen|Gender=Masc|Number=Plur") is not None


def test_a_noun_has_gender_and_animacy() -> None:
    car, friend = noun_of("машина"), noun_of("друг")
    assert car is not None
    assert friend is not None
    assert (car.gender, car.animacy, friend.gender, friend.animacy) == ("femn", "inan", "masc", "anim")
    assert noun_of("бежать") is None


def test_readings_are_those_of_the_dictionary() -> None:
    assert {(one.lemma, one.case, one.number) for one in known_forms("книги")} == {
        ("книга", "gent", "sing"),
        ("книга", "nomn", "plur"),
        ("книга", "accs", "plur"),
    }
    assert known_forms("book") == ()


@pytest.mark.parametrize(
    ("preposition", "word", "written"),
    [
        ("о", "окне", "об"),
        ("об", "доме", "о"),
        ("о", "ёлке", "о"),
        ("с", "столом", "со"),
        ("с", "школой", "со"),
        ("со", "домом", "с"),
        ("с", "сыном", "с"),
        ("в", "вторник", "во"),
        ("в", "Франции".lower(), "во"),
        ("во", "доме", "в"),
        ("в", "воде", "в"),
        ("к", "вторнику", "ко"),
        ("к", "городу", "к"),
        ("к", "встрече", "к"),
        ("на", "дне", "на"),
        ("из", "дома", "из"),
        ("из", "льда", None),
        ("изо", "рта", None),
    ],
)
def test_prepositions_fit_the_next_word(preposition: str, word: str, written: str | None) -> None:
    assert fitting(preposition, word) == written


@pytest.mark.skipif(not CORPUS.is_file(), reason="the texts are not part of the repository")
def test_words_of_texts_come_back() -> None:
    lines = CORPUS.read_text(encoding="utf-8").splitlines()[: 1500 if IS_FULL else 500]
    texts = [json.loads(line)["text"] for line in lines]
    counts: dict[str, list[bool]] = {}
    for doc in Natasha()(texts, LAYERS):
        for one in doc.tokens:
            if one.pos in ("NOUN", "ADJ", "VERB") and one.text.isalpha() and one.text.lower() > "а":
                name = "participles" if "VerbForm=Part" in one.features else one.pos
                counts.setdefault(name, []).append(word_form(one.text, one.pos, one.features) is not None)
    shares = {name: sum(good) / len(good) for name, good in counts.items()}
    assert min(shares.values()) >= 0.985, shares
