"""Golden cases of the attacks that slip past filters and are read as the original: homoglyphs, masking."""

import re
import unicodedata
from pathlib import Path

import pytest

from augment_ru import Augmenter, AugmentError, Result
from augment_ru.engine.attack import Attack, make
from augment_ru.jobs.check import dictionary_problems
from augment_ru.resources import dictionary_path, rows
from augment_ru.similarities.meaning import Meaning

TEXT = "Курьер приехал раньше срока, позвонил заранее, а Ольга ждала посылку из Казани почти месяц."

UNSEEN = "\u034f\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\u00ad"
"""Zero-width signs, and the soft hyphen."""


def drawn(attack: Attack, text: str, draws: int, probability: float = 1.0) -> list[Result]:
    """The results of an attack for several rows of this text, without constraints and gate."""
    free = Augmenter(attack, constraints=(), similarity="none", probability=probability)
    return list(free.records({"id": at, "text": text} for at in range(draws)))


def attacked(name: str, text: str, probability: float = 1.0, **options: str) -> Result:
    """The result of an attack with these options."""
    (result,) = drawn(make(name, options), text, 1, probability)
    return result


def outcomes(name: str, text: str, draws: int = 200, **options: str) -> set[str]:
    """The texts that many draws give."""
    return {result.text for result in drawn(make(name, options), text, draws)}


def readings(result: Result) -> list[tuple[str, str | None]]:
    """What each edit of a result replaced, and what its new text is read as."""
    edits = result.script.edits
    return [(result.source[edit.start : edit.stop], None if edit.note is None else edit.note.reading) for edit in edits]


def latin_shown(text: str) -> str:
    """The text with each Latin letter in brackets, for cases that can be read."""
    return re.sub(r"[A-Za-z]+", lambda match: f"[{match.group()}]", text)


# homoglyphs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("сахар", "[caxap]"),
        ("Курьер", "[Kyp]ь[ep]"),
        ("МОСКВА и ТОМСК", "[MOCKBA] и [TOMCK]"),  # «и» has no look-alike that nobody notices
        ("Вот и ёлка", "[Bo]т и ёлк[a]"),  # a small «т» is no Latin t, and «ё» keeps its dots
        ("кто-то", "кт[o]-т[o]"),
        ("За\u0301мок", "З[a]\u0301м[o]к"),
        ("Привет, жулик!", "П[p]ив[e]т, ж[y]лик!"),
    ],
)
def test_cyrillic_letters_become_latin_ones_that_look_the_same(text: str, expected: str) -> None:
    assert latin_shown(attacked("homoglyphs", text).text) == expected


def test_latin_letters_become_cyrillic_ones() -> None:
    assert attacked("homoglyphs", "Open space, XVII").text == "Ореn ѕрасе, ХVІІ"


def test_near_look_alikes_are_an_option() -> None:
    assert latin_shown(attacked("homoglyphs", "кит", near="true").text) == "[kum]"
    assert attacked("homoglyphs", "кит").status == "unchanged"


def test_latin_letters_may_be_full_width_or_mathematical() -> None:
    assert attacked("homoglyphs", "сахар, open", form="wide").text == "ｃａｘａｐ, ｏｐｅｎ"
    assert attacked("homoglyphs", "Сок", form="math").text == "𝖢𝗈к"
    assert attacked("homoglyphs", "Сок", form="mono").text == "𝙲𝚘к"


def test_a_share_of_the_letters_changes_but_at_least_one() -> None:
    word = "сахарсахар"
    assert {sum(old != new for old, new in zip(word, text, strict=True)) for text in outcomes("homoglyphs", word)} == {
        10
    }
    none = outcomes("homoglyphs", word, letters="0")
    assert len(none) == 10  # each of the letters by itself
    assert all(sum(old != new for old, new in zip(word, text, strict=True)) == 1 for text in none)
    some = [
        sum(old != new for old, new in zip(word, text, strict=True))
        for text in outcomes("homoglyphs", word, letters="0.5")
    ]
    assert 1 <= min(some) < max(some)


def test_an_invisible_character_stands_between_two_letters() -> None:
    found = outcomes("homoglyphs", "мир", invisible="true")
    assert found == {f"м{sign}иp" for sign in UNSEEN} | {f"ми{sign}p" for sign in UNSEEN}
    bare = outcomes("homoglyphs", "кто-то 15 а", invisible="true", letters="0")
    assert {re.sub(f"[{UNSEEN}]", "|", text) for text in bare} == {
        "к|то-то 15 а", "кт|о-то 15 а", "кто-т|о 15 а",
    }  # fmt: skip


def test_only_so_many_of_the_words_change() -> None:
    text = "сахар " * 20_000
    changed = sum(word != "сахар" for word in attacked("homoglyphs", text, probability=0.3).text.split())
    assert changed / 20_000 == pytest.approx(0.3, abs=0.015)


def test_the_table_has_look_alikes_of_the_same_case_in_two_alphabets() -> None:
    assert not list(dictionary_problems(dictionary_path("homoglyphs")))
    for one, other, _ in rows(dictionary_path("homoglyphs"), columns=3):
        assert unicodedata.name(one).split()[0] == "CYRILLIC"
        assert unicodedata.name(other).split()[0] == "LATIN"
        assert one.isupper() == other.isupper()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"letters": "1.5"}, "homoglyphs.letters=1.5; needs a number from 0 to 1"),
        ({"pairs": "unheard_of"}, "unheard_of"),
        ({"form": "bold"}, "no form of homoglyphs called 'bold'"),
        ({"near": "yes"}, "homoglyphs.near: 'yes'; possible: true, false"),
    ],
)
def test_a_wrong_option_of_homoglyphs_is_an_error(options: dict[str, str], message: str) -> None:
    with pytest.raises(AugmentError, match=re.escape(message)):
        make("homoglyphs", options)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("а\tA\tsame", "needs two letters of the same case"),
        ("а\ta\talike", "possible: same, near"),
        ("а\ta\tsame\nа\to\tsame", "each letter needs one look-alike"),
    ],
)
def test_a_wrong_line_of_a_table_of_pairs_is_an_error(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "pairs.tsv").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=message):
        make("homoglyphs", {"pairs": str(tmp_path / "pairs.tsv")})


# masking


@pytest.mark.parametrize(
    ("style", "word", "expected"),
    [
        ("star", "кошка", {"к*шка"}),  # the last letter stays, and so does the first
        ("star", "Окно", None),
        ("star", "красиво", {"кр*сиво", "крас*во", "кр*с*во"}),
        ("star", "Ольга", None),
        ("sign", "забавно", {"з@бавно", "заб@вно", "з@б@вно"}),
        ("sign", "абрикос", {"абрико$"}),  # «@брикос» would be a mention
        ("dots", "слово", {"с.л.о.в.о", "с л о в о"}),
        ("dots", "из-за", {"и.з-з.а", "и з-з а"}),
        ("leet", "человек", {"4еловек", "чел0век", "чело8ек", "4ел0век", "4ело8ек", "чел08ек"}),
        ("leet", "Здесь", {"3десь"}),
        ("leet", "киты", None),
        ("star", "дом", None),  # too short
        ("dots", "COVID19", None),  # a digit among letters would be read as one of them
    ],
)
def test_each_style_masks_in_its_way(style: str, word: str, expected: set[str] | None) -> None:
    assert outcomes("masking", word, styles=style) == (expected or {word})


def test_a_word_takes_any_style_that_fits_it() -> None:
    found = outcomes("masking", "пирог", draws=300)
    assert found == {"п*рог", "пир*г", "п*р*г", "п.и.р.о.г", "п и р о г", "пир0г"}
    assert "п.и.р.о.г" not in outcomes("masking", "пирог", styles="star,leet")


def test_stress_marks_stay_with_their_letters() -> None:
    assert outcomes("masking", "за\u0301мок", styles="star,dots") == {
        "за\u0301м*к", "з.а\u0301.м.о.к", "з а\u0301 м о к",
    }  # fmt: skip


def test_what_is_masked_too_much_is_not_read() -> None:
    for word, most in (("пирог", 1), ("погода", 2)):  # 3 of 5 letters are fewer than two thirds, 4 of 6 are enough
        for result in drawn(make("masking", {"styles": "star"}), word, 50):
            expected = word if result.text.count("*") <= most else None
            assert readings(result) == [(word, expected)]


@pytest.mark.parametrize("name", ["homoglyphs", "masking"])
def test_readers_and_gates_read_the_original(name: str) -> None:
    options = {"styles": "sign,dots,leet"} if name == "masking" else {"invisible": "true"}
    for result in drawn(make(name, options), TEXT, 20):
        assert result.text != TEXT
        assert all(word == reading for word, reading in readings(result))
        assert result.script.read == TEXT
    passed = Augmenter(make(name, options), constraints=(), similarity="navec", probability=1.0)(TEXT)
    assert (passed.similarity, passed.probability) == (1.0, 1.0)
    by_meaning = Augmenter(make(name, options), constraints=(), similarity=Meaning())(TEXT)
    assert by_meaning.status == "perturbed"


def test_only_targets_are_masked(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\ufeff# what moderation looks for\nжулик\r\nЁлки\n\n", encoding="utf-8")
    text = "Жулики продали жулику елки, а ёлка осталась у продавца."
    result = attacked("masking", text, targets=str(words))
    assert [word for word, _ in readings(result)] == ["Жулики", "жулику", "елки"]  # «Ёлки» is a form, «жулик» any


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"styles": ""}, "masking.styles: none; possible: star, sign, dots, leet"),
        ({"styles": "star,hash"}, "no masking style called 'hash'"),
        (
            {"targets": "nowhere.txt"},
            "word list nowhere.txt: cannot be read (No such file or directory); give the path of a text file",
        ),
        ({"signs": "unheard_of"}, "unheard_of"),
    ],
)
def test_a_wrong_option_of_masking_is_an_error(options: dict[str, str], message: str) -> None:
    with pytest.raises(AugmentError, match=re.escape(message)):
        make("masking", options)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# nothing\n", "no word in it"),
        ("жулик\nдва слова\n".encode(), "line 2: 'два слова' is not one word"),
        ("жулик".encode("cp1251"), "not UTF-8 at byte 0"),
    ],
)
def test_a_wrong_word_list_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "words.txt").write_bytes(content)
    with pytest.raises(AugmentError, match=message):
        make("masking", {"targets": str(tmp_path / "words.txt")})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dots\tа\t.", "possible styles: star, sign, leet"),
        ("sign\tА\t@", "needs a small letter and one other character"),
        ("sign\tж\t}|{", "needs a small letter and one other character"),
    ],
)
def test_a_wrong_line_of_a_table_of_signs_is_an_error(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "signs.tsv").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=message):
        make("masking", {"signs": str(tmp_path / "signs.tsv")})


@pytest.mark.parametrize("name", ["masking", "homoglyphs", "transliteration", "wrong_layout", "evasion"])
def test_targets_of_the_lexicon_are_the_only_words_that_change(name: str) -> None:
    text = "Этот идиот опять открыл окно и рассказывал про какое-то казино."
    by_word = {"unit": "word"} if name in ("transliteration", "wrong_layout") else {}
    for new in outcomes(name, text, 10, **{"targets": "lexicon"} | by_word):
        changed = [one for one in ("Этот", "опять", "открыл", "окно", "рассказывал") if one not in new]
        assert changed == []
        assert new != text
