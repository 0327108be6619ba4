"""Golden cases of what texts go through: ocr, unseen."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from augment_ru import Augmenter, AugmentError, Result
from augment_ru.attacks.ocr import QUALITIES
from augment_ru.attacks.unseen import unseen_signs
from augment_ru.engine.attack import make
from augment_ru.normalizers.invisible import InvisibleNormalization
from outcomes import drawn

TEXTS = [
    "Договор подписан в двух экземплярах – по одному для каждой стороны.",
    "Объём выпуска вырос на 18 процентов, прибыль снизилась.",
    "Председатель комитета поблагодарил жителей района за помощь.",
    "Прошу направить ответ по адресу: улица Ленина, дом 8.",
]
KINDS = ("zero_width", "selector", "tag", "soft_hyphen", "bidi", "strike", "space")


@cache
def scanned(quality: str) -> Sequence[Result]:
    """What a hundred draws make of each text, without constraints and gate."""
    free = Augmenter(make("ocr", {"quality": quality}), constraints=(), similarity="none")
    return list(free.records({"id": at, "text": text} for at, text in enumerate(TEXTS * 100)))


def test_the_worse_the_page_the_fewer_texts_are_clean() -> None:
    clean = [sum(one.status == "unchanged" for one in scanned(quality)) for quality in QUALITIES]
    assert clean[0] > clean[1] > clean[2] > 0


def test_errors_come_in_clusters() -> None:
    edited = [[one.script.source[edit.start : edit.stop] for edit in one.script.edits] for one in scanned("fair")]
    errors = Counter(sum(old != "–" for old in olds) for olds in edited)  # «–» is misread on every page
    total = sum(errors.values())
    mean = sum(count * times for count, times in errors.items()) / total
    variance = sum((count - mean) ** 2 * times for count, times in errors.items()) / total
    assert variance > 3 * mean  # one of them, if errors did not depend on each other


def test_signs_are_taken_for_their_like() -> None:
    made = Counter(
        (one.script.source[edit.start : edit.stop], edit.text) for one in scanned("poor") for edit in one.script.edits
    )
    assert made["–", "-"] > 20
    assert made[" ", ""] > 3
    assert sum(times for (old, _), times in made.items() if not old) > 10  # specks, and spaces inside words


@pytest.mark.parametrize("quality", QUALITIES)
def test_a_sign_that_no_scanner_writes_is_misread_on_every_page(quality: str) -> None:
    kept = ["–" in one.text for one in scanned(quality)[:: len(TEXTS)]]
    assert sum(kept) < len(kept) / 20


def test_a_misread_number_and_another_word_are_not_read_as_the_original() -> None:
    for one in scanned("poor"):
        for edit in one.script.edits:
            assert edit.note is not None
            old = one.script.source[edit.start : edit.stop]
            assert edit.note.reading in (None, old)
            if any(map(str.isdigit, old + edit.text)):
                assert edit.note.reading is None


def test_an_unknown_quality_is_an_error() -> None:
    with pytest.raises(AugmentError, match="no quality of ocr called 'bad'"):
        make("ocr", {"quality": "bad"})


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_seen_is_read_back(kind: str) -> None:
    attack = make("unseen", {"kinds": kind})
    text = "Продам хороший диван на Тверской улице, недорого: ещё йогурт, open space и замо́к 🇷🇺."
    for result in drawn(Augmenter(attack, constraints=(), similarity="none", probability=1.0), text, 20):
        assert result.status == "perturbed"
        (script,) = InvisibleNormalization().scripts([result.text])
        assert script.text == text
        assert result.script.read == text


def test_every_kind_is_made_and_every_sign_is_of_its_kind() -> None:
    found = unseen_signs("unseen", ("all",))
    assert set(found) == set(KINDS)
    wanted = {"selector": {"Mn"}, "strike": {"Mn"}, "space": {"Zs"}, "zero_width": {"Cf", "Mn"}}
    for kind, signs in found.items():
        assert {unicodedata.category(char) for sign in signs for char in sign} <= wanted.get(kind, {"Cf"})
    result = Augmenter("unseen", constraints=(), similarity="none", probability=1.0)(" ".join(TEXTS * 5))
    assert {edit.note.kind for edit in result.script.edits if edit.note} == set(KINDS)


def test_another_space_stands_between_two_words_alone() -> None:
    attack = make("unseen", {"kinds": "space"})
    result = Augmenter(attack, constraints=(), similarity="none", probability=1.0)("да, нет  ещё раз")
    assert result.text[:9] == "да, нет  "
    assert result.text[9:12] == "ещё"
    assert unicodedata.category(result.text[12]) == "Zs"
    assert result.text[12] != " "


@pytest.mark.parametrize(
    ("kinds", "message"), [("glue", "no kind of unseen called 'glue'"), ("", "unseen.kinds: none")]
)
def test_a_wrong_kind_is_an_error(kinds: str, message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        make("unseen", {"kinds": kinds})
