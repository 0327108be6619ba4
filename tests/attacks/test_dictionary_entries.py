"""Each entry of each shipped dictionary can be found: no other entry hides it."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from augment_ru import Augmenter, AugmentError, Batch
from augment_ru.attacks.colloquial import CLASSES, Places, Spoken, SpokenForms, spoken_forms
from augment_ru.attacks.misspell import Misspellings
from augment_ru.editing.word_forms import WordForms, first_of_sentences, form_table
from augment_ru.engine.attack import make
from augment_ru.resources import dictionary_path, folder, rows, senses
from outcomes import drawn

KEYS = {
    "abbreviations": 1, "address": 2, "agreement": 2, "filler_places": 2,
    "negators": 2, "prepositions": 1, "quiz_words": 2, "contacts": 2,
    "aspect_pairs": 2, "casing": 2, "claims": 2, "clause_orders": 2, "colloquial": 2, "colloquial_classes": 2,
    "confusables": 1, "english": 1, "mera_calibration": 1, "hidden_words": 2, "reading_hints": 2, "readings": 3,
    "denials": 1, "diminutives": 2, "distractor_options": 1, "distractors": 2, "emoji": 2, "emoji_en": 1,
    "homoglyphs": 2, "keyboard_en": 1, "keyboard_ru": 1, "layouts": 1, "masks": 3, "meaning": 1, "meaning_grades": 1,
    "misspell": 2, "misspell_classes": 1, "ocr": 4, "unseen": 2, "misspellings": 2, "name_heads": 1, "name_words": 2,
    "name_endings": 1,
    "names": 3, "opposites": 1, "filtered_words": 1, "framework": 2, "governors": 1, "number_words": 2, "numerals": 2,
    "shortenings": 3,
    "great_words": 2, "punctuation": 2, "quantities": 2, "same_sense": 1, "set_phrases": 1, "shortened_words": 1,
    "spacing": 2, "speech": 3, "stress": 2, "style": 1, "synonyms": 3, "transliteration_chat": 2,
    "transliteration_gost": 2, "transliteration_icao": 2, "units": 1, "word_order": 2,
}  # fmt: skip
"""How many columns at the start of a line are looked up, by dictionary."""


@pytest.mark.parametrize("path", sorted(folder("dictionaries").glob("*.tsv")), ids=lambda path: path.stem)
def test_no_two_lines_are_looked_up_by_the_same(path: object) -> None:
    name = path.stem  # type: ignore[attr-defined]
    lines = [line.split("\t") for line in dictionary_path(name).read_text(encoding="utf-8").split("\n")]
    keys = Counter(tuple(line[: KEYS[name]]) for line in lines if line[0] and not line[0].startswith("#"))
    assert [key for key, times in keys.items() if times > 1] == []


def test_a_sense_of_a_synonym_is_hidden_by_no_other() -> None:
    for word, found in senses("synonyms").items():
        anywhere = [sense for sense in found if not sense.only]
        assert all(sense.stays for sense in anywhere[:-1]), word


@cache
def colloquial() -> SpokenForms:
    return spoken_forms("colloquial", CLASSES, CLASSES)


def said(text: str) -> set[str]:
    """All spoken forms and fillers of a text, wherever they stand."""
    batch, listed = Batch([text]), colloquial()
    forms = WordForms(batch)
    first = first_of_sentences(batch, forms.starts)
    behind = batch.codes[forms.starts - 2] == ord(",")
    clause = np.array([text[start:stop] == "он" for start, stop in zip(forms.starts, forms.stops, strict=True)])
    places: list[Places] = [
        *listed.words(forms, first),
        *(
            listed.starts(forms, words, np.full(words.size, "?" in text), words == 0)
            for words in [np.flatnonzero(first)]
        ),
        *listed.behind(forms, behind, clause),
    ]
    points = np.linspace(0, 1, 2000, endpoint=False)
    found = set()
    for entry in np.concatenate([entries for _, entries in places]).tolist():
        numbers = listed.drawn(np.full(points.size, entry), points)
        found |= {listed.made(number, "слово")[0].lower() for number in set(numbers.tolist())}
    return found


def texts_that_fit(written: str) -> list[str]:
    """Texts in which an entry of the dictionary of spoken forms may stand, with ё and with е."""
    if written.endswith("*"):
        return {
            "asked": ["Где он спал?"],
            "dated": ["Вчера он спал."],
            "later": ["Жди. Мы идём."],
            "said": ["Не знаю."],
        }.get(written[1:-1], ["Мы пошли в лес."])
    if written.startswith("*"):
        return [f"Мне покупа{written[1:]} дом."]
    if written.startswith(", "):
        found = [f"Мы ждали{written} он спал."]
    elif written.startswith("^"):
        found = [f"{written[1:].capitalize()} там было."]
    else:
        found = [f"Там {written} было.", f"{written.capitalize()} там было."]
    return [variant for text in found for variant in dict.fromkeys((text, text.replace("ё", "е")))]


def test_each_spoken_form_can_be_found() -> None:
    entries = [(entry.written, form) for entry in colloquial().entries for form in entry.forms]
    assert len(entries) > 400
    for written, form in entries:
        for text in texts_that_fit(written):
            assert expected(written, form) in said(text), (written, form.text, text)


def expected(written: str, form: Spoken) -> str:
    """What is written for «слово» if it is read as this entry."""
    if written.endswith("*"):
        return form.text.replace("*", "слово")
    return "слово"[: 1 - len(written)] + form.text if written.startswith("*") else form.text


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("Почему он молчит?", {"Чё он молчит?", "Поч он молчит?"}),
        ("Не знаю, почему он молчит.", {"Не знаю, поч он молчит."}),
        ("С днём рождения!", {"С др!", "С днюхой!"}),
        ("Что с тобой?", {"Чё с тобой?", "Че с тобой?", "Чо с тобой?"}),
    ],
)
def test_forms_of_the_start_of_a_sentence_and_of_anywhere(text: str, possible: set[str]) -> None:
    attack = make("colloquial", {"classes": ("word",), "styles": "any"})
    free = Augmenter(attack, constraints=(), similarity="none", probability=1.0)
    assert {one.text for one in drawn(free, text, 40)} == possible


@cache
def lexicon() -> Misspellings:
    kinds = tuple(dict.fromkeys(kind for _, _, kind, _ in rows(dictionary_path("misspellings"), columns=4)))
    return Misspellings("misspellings", "misspell", dict.fromkeys(kinds, 1.0), {})


def test_each_misspelling_can_be_found() -> None:
    for right, wrong, _, _ in rows(dictionary_path("misspellings"), columns=4):
        for text in dict.fromkeys((right, right.replace("ё", "е"))):
            word = text.replace("*", "ть")
            found = {form.wrong for form in lexicon().of(word)}
            if " " in word:
                numbers = WordForms(Batch([word])).find_pairs(lexicon().phrase_table)[1].tolist()
                found = {form.wrong for number in numbers for form in lexicon().phrases[number]}
            assert wrong.replace("*", "ть") in found, (right, wrong, text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("мне всё равно", {"мне всеравно", "мне всёравно"}),
        ("мне все равно", {"мне всеравно"}),
        ("у меня на счёт того", {"уменя насчёт того"}),
    ],
)
def test_a_phrase_with_yo_is_found(text: str, wrong: set[str]) -> None:
    attack = make("misspell", {"classes": ("join_words", "join_preposition")})
    free = Augmenter(attack, constraints=(), similarity="none", probability=1.0)
    assert wrong <= {one.text for one in drawn(free, text, 60)}


@pytest.mark.parametrize("name", ["punctuation", "spacing"])
def test_each_place_of_an_error_between_words_can_be_found(name: str) -> None:
    for kind, places, *_ in rows(dictionary_path(name), columns=5):
        if kind not in {"comma", "split"} and not kind.startswith(("join", "ne")):
            continue
        for phrase in places.split(", ") if places != "," else ["*"]:
            text = " ".join({"*": "слово"}.get(word, word.replace("*", "ый")) for word in phrase.split(" "))
            assert WordForms(Batch([text])).begin([phrase], np.array([0])).all(), phrase


def test_a_table_with_a_form_twice_is_refused() -> None:
    with pytest.raises(AugmentError, match="'да' stands there twice"):
        form_table(["нет", "да", "ну", "да"])


def test_a_phrase_of_three_words_is_refused() -> None:
    with pytest.raises(AugmentError, match="'и так далее' has more than two words"):
        form_table(["и так", "и так далее"])


def test_a_form_with_yo_is_found_without_its_dots() -> None:
    forms = WordForms(Batch(["ещё еще все всё"]))
    assert [column.tolist() for column in forms.find(form_table(["ещё", "всё", "все"]))] == [[0, 1, 2, 3], [0, 0, 2, 1]]
