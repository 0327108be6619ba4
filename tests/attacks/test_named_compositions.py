"""`people` and `evasion`: compositions that are used by name."""

import collections
from functools import cache
from unicodedata import category

import pytest

from augment_ru import Augmenter, AugmentError, Chain
from augment_ru.attacks.evasion import Evasion
from augment_ru.attacks.people import People
from augment_ru.attacks.people import _parts as parts_of_people
from augment_ru.engine.attack import Attack, make
from augment_ru.engine.result import Result
from profiles import IS_FULL

TEXT = (
    "Сегодня Анна вообще не знает, когда он придёт, но ей хочется позвонить ему и рассказать, что на улице ещё дождь."
)
ROWS = [{"id": number, "text": TEXT} for number in range(3000 if IS_FULL else 1000)]


@cache
def free(attack: Attack | str, most: int = len(ROWS), **options: object) -> list[Result]:
    """The results of many rows with the same text, without constraints and gate."""
    augmenter = Augmenter(attack, constraints=(), similarity="none", **options)  # type: ignore[arg-type]
    return [*augmenter.records(ROWS[:most])]


def kinds(results: list[Result]) -> collections.Counter[str]:
    """How many edits each class has."""
    notes = [edit.note for result in results for edit in result.script.edits]
    return collections.Counter(note.kind or "" for note in notes if note)


def test_in_people_each_part_errs_as_often_as_alone() -> None:
    together = kinds(free("people"))
    for part in parts_of_people():
        alone = kinds(free(part, min_changes=0))
        factor = 2.0 if part.name == "misspell" else 1.0  # people also err in the first words of sentences
        for kind, single in alone.items():
            count = factor * single
            if single >= 100 and "+" not in kind:
                assert 0.5 * count < together[kind] < 1.4 * count, (part.name, kind)


def test_what_two_parts_of_people_could_do_is_done_once() -> None:
    classes = [set(getattr(part, "classes", ())) for part in People().parts]
    for number, one in enumerate(classes):
        assert all(not one & other for other in classes[number + 1 :])
    assert "slang" not in set().union(*classes)  # spoken forms are those of colloquial
    assert sum("stretched" in one for one in classes) == sum("ending" in one for one in classes) == 1


def test_people_leaves_texts_clean() -> None:
    short = [{"id": number, "text": "Соседка рассказала историю."} for number in range(500)]
    results = [*Augmenter("people", constraints=(), similarity="none").records(short)]
    clean = sum(result.reason == "clean" for result in results)
    assert all((result.status == "unchanged") == (result.reason == "clean") for result in results)
    assert 150 < clean < 450


def test_people_errs_more_at_a_higher_probability() -> None:
    edits = [sum(kinds(free("people", probability=p)).values()) for p in (0.01, 0.045, 0.2)]
    assert edits[0] * 2 < edits[1] < edits[2] / 1.9


@pytest.mark.parametrize("attacks", ["misspell+add_sent", "people+misspell"])
def test_a_chain_in_which_no_part_draws_a_change_leaves_the_text_clean(attacks: str) -> None:
    parts = tuple(make(name, {"probability": 1e-9}) for name in attacks.split("+"))
    result = Augmenter(Chain(parts), constraints=(), similarity="none")(TEXT)
    assert (result.text, result.status, result.reason) == (TEXT, "unchanged", "clean")


@pytest.mark.parametrize("name", ["people", "evasion"])
def test_named_compositions_in_a_chain(name: str) -> None:
    results = free(f"{name}+butterfingers", 50)
    assert all(result.status == "perturbed" for result in results)


def test_evasion_hides_a_text_in_one_way() -> None:
    ways: collections.Counter[str] = collections.Counter()
    for result in free("evasion")[:600]:
        new = [edit.text for edit in result.script.edits]
        assert new
        hidden = any(category(char) in {"Cf", "Mn"} for text in new for char in text)
        latin = all(all(not "а" <= char <= "я" for char in text.lower()) for text in new)
        ways["homoglyphs" if hidden else "latin" if latin else "masking"] += 1
    assert ways["homoglyphs"] > 100
    assert ways["masking"] > 100
    assert ways["latin"] > 220  # wrong_layout and transliteration


def test_evasion_draws_a_part_that_can_change_the_text() -> None:
    rows = [
        {"id": number, "text": "я я я"} for number in range(100)
    ]  # words too short to mask, and without a look-alike
    results = [*Augmenter("evasion", constraints=(), similarity="none").records(rows)]
    assert {word for result in results for word in result.text.split()} <= {"я", "z", "ya", "ja", "ia"}
    assert all(result.status == "perturbed" for result in results)


def test_evasion_changes_as_many_words_as_it_says() -> None:
    words = 20  # of TEXT
    shares = [len(result.script.edits) / words for result in free("evasion")]
    assert 0.2 < sum(shares) / len(shares) < 0.33


@pytest.mark.parametrize("made", [People, Evasion])
def test_wrong_probabilities_are_refused(made: type[People | Evasion]) -> None:
    with pytest.raises(AugmentError, match=r"probability 1.5; needs a number from 0 to 1"):
        made(probability=1.5)
