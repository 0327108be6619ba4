"""Golden cases of each attack, to be read by a linguist."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from augment_ru import Augmenter, AugmentError, Edit, Rng
from augment_ru.attacks.emojify import Emojify
from augment_ru.editing.characters import keyboards, letter_case
from augment_ru.engine.attack import make
from augment_ru.language.annotate import Natasha
from augment_ru.resources import dictionary, dictionary_path, rows
from strategies import texts


def perturbed(name: str, text: str, probability: float = 1.0, seed: int = 0) -> str:
    """The text after an attack without constraints and gate."""
    return Augmenter(name, constraints=(), similarity="none", probability=probability, seed=seed)(text).text


def neighbours(char: str) -> dict[str, float]:
    """The keys that a letter slips to, and their shares."""
    table = keyboards(("keyboard_en", "keyboard_ru"))
    row = table.row_of[ord(char)]
    shares = np.diff(table.bounds[row], prepend=0)
    return {
        chr(code): float(share)
        for code, share in zip(table.substitutes[row], shares, strict=True)
        if code and share > 0
    }


# butterfingers


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("а", "вкепмс"),  # «а» stands at 4.75: «к» and «е» above it, «с» and «м» below, «в» and «п» beside
        ("й", "цфё"),  # the corner: «ё» is out of reach of all others, so it is paired with «й»
        ("ё", "й"),
        ("ъ", "хэ"),
        ("э", "жхъ"),
        ("q", "wa"),
        ("z", "asx"),
    ],
)
def test_neighbours_are_those_of_the_staggered_layout(key: str, near: str) -> None:
    found = neighbours(key)
    assert set(near) <= set(found)
    assert all(share > 0 for share in found.values())


def test_nearer_keys_are_likelier() -> None:
    near = neighbours("о")  # «р» and «л» beside it are one key away, «ш» above is further
    assert near["р"] == pytest.approx(near["л"]) == pytest.approx(max(near.values()))
    assert near["р"] > near["ш"] > 0


def test_every_letter_of_the_alphabet_slips_to_others_of_its_own_case_and_script() -> None:
    for char in "абвгдеёжзийклмнопрстуфхцчшщъыьэюя":
        for letter in (char, char.upper()):
            found = neighbours(letter)
            assert found, letter
            assert letter not in found
            assert all(other.isupper() == letter.isupper() for other in found)
            assert all("а" <= other.lower() <= "я" or other.lower() == "ё" for other in found)
    for char in "abcdefghijklmnopqrstuvwxyz":
        assert all(other in "abcdefghijklmnopqrstuvwxyz" for other in neighbours(char))


def test_a_slip_keeps_length_case_digits_and_signs() -> None:
    text = "Съешь ЕЩЁ 12 этих мягких French булок, да выпей же чаю!"
    slipped = perturbed("butterfingers", text)
    assert len(slipped) == len(text)
    for old, new in zip(text, slipped, strict=True):
        assert (old != new) == old.isalpha()
        assert old.isupper() == new.isupper()


def test_slips_come_at_the_rate_asked_for() -> None:
    text = "о" * 200_000
    changed = sum(char != "о" for char in perturbed("butterfingers", text, probability=0.15))
    assert changed / len(text) == pytest.approx(0.15, abs=0.005)  # six standard deviations


# case


@given(texts())
def test_case_keeps_every_character_but_for_its_case(text: str) -> None:
    changed = perturbed("case", text, probability=0.5)
    assert len(changed) == len(text)
    for old, new in zip(text, changed, strict=True):
        assert new in (old, old.swapcase())
        assert old.isalpha() or old == new


def test_case_is_its_own_inverse() -> None:
    assert perturbed("case", "Ёлка И ёж, 15 ΣΑΣ, straße") == "ёЛКА и ЁЖ, 15 σασ, STRAßE"
    table = letter_case()
    assert all(table.row_of[ord(char)] < 0 for char in "ßıſ0-ǅ")


# emojify


def emojified(text: str) -> str:
    """The text with every word replaced that can be, by the first emoji of the dictionary."""
    (doc,) = Natasha()([text], frozenset({"lemmas"}))

    class First(Rng):
        def choice_best_first(self, items: object) -> object:  # type: ignore[override]
            return items[0]  # type: ignore[index]

    edits = [edit for change in Emojify().propose(doc, First(0)) for edit in change.edits]
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.stop :]
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Собака грызёт кость.", "🐶 грызёт 🦴."),
        ("«Кошки!» — сказал он.", "«🐱!» — 🗣️ он."),
        ("В 2024 году", "В 2️⃣0️⃣2️⃣4️⃣ году"),
        ("цена 3,14 руб.", "цена 3️⃣,1️⃣4️⃣ руб."),
        ("У 16-летней девочки", "У 16-летней 👧"),
        ("Яблоко и банан", "🍎 и 🍌"),
        ("My cats ate 2 pizzas and Cherries.", "My 🐱 ate 2️⃣ 🍕 and 🍒."),
        ("Parties, boxes and a phone", "🎉, boxes and a 📱"),
        ("Кот из кафе «Star Pizza»", "🐱 из ☕ «Star Pizza»"),
    ],
)
def test_emojify_replaces_words_and_leaves_the_rest(text: str, expected: str) -> None:
    assert emojified(text) == expected


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Во время обеда время вышло.", "Во время 🍲 ⏰ вышло."),
        ("Точка зрения и острое зрение.", "Точка зрения и острое 👁️."),
        ("Железная дорога ведёт в лес, дорога пуста.", "Железная дорога ведёт в 🌲, 🛣️ пуста."),
        ("Прекращение огня. Огонь погас.", "Прекращение огня. 🔥 погас."),
        ("Пакет акций, пакет с яблоками.", "Пакет акций, 🛍️ с 🍎."),
        ("Кошка поймала мышь, а летучая мышь спит.", "🐱 поймала 🐭, а летучая мышь 😴."),
        ("Это лучший пирог, хороший пирог.", "Это лучший 🥧, 👍 🥧."),
        ("Плюсы и минусы, минус на минус.", "Плюсы и минусы, ➖ на ➖."),
        ("Чёрный рынок и чёрный кот.", "Чёрный рынок и ⚫ 🐱."),
        ("ЖЕЛЕЗНАЯ ДОРОГА", "ЖЕЛЕЗНАЯ ДОРОГА"),
        ("Первым делом второй дом.", "Первым делом 2️⃣ 🏠."),
        ("Открыть счёт и оплатить счёт.", "Открыть счёт и 💸 счёт."),
        ("На дороге два, три.", "На 🛣️ 2️⃣, 3️⃣."),
        ("Двадцать два дома.", "Двадцать два 🏠."),
        ("Кошка смотрит (см. рис. 1).", "🐱 👀 (см. рис. 1️⃣)."),
        ("Сдаётся 2-комн. квартира, рота сдалась.", "Сдаётся 2-комн. квартира, рота 🏳️."),
    ],
)
def test_a_word_stays_in_a_phrase_in_which_it_is_not_meant(text: str, result: str) -> None:
    assert emojified(text) == result


def test_a_phrase_does_not_reach_over_a_comma() -> None:
    assert emojified("Он железный, дорога пуста.") == "Он железный, 🛣️ пуста."


def test_no_colour_is_a_heart_and_no_ordinal_a_medal() -> None:
    emoji = dictionary("emoji")
    colours = ["красный", "синий", "зелёный", "жёлтый", "белый", "чёрный", "розовый", "серый", "лиловый", "голубой"]
    found = {sign for word in colours for sign in emoji.get((word, "ADJ"), ())}
    assert found <= set("🔴🔵🟢🟡⚪⚫")
    assert not {sign for word in ("первый", "второй", "третий") for sign in emoji[word, "ADJ"]} & set("🥇🥈🥉")


def test_a_dictionary_without_phrases_is_a_dictionary(tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("# Lemma, part of speech, emoji.\nсила\tNOUN\t💪\n", encoding="utf-8")
    assert Augmenter(Emojify(1.0, str(own)), constraints=(), similarity="none")("В силу закона.").text == "В 💪 закона."


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("сила\tNOUN", "own.tsv: line 2: 2 columns, not 3 or 4"),
        ("сила\tNOUN\t💪\tв силу\tда", "own.tsv: line 2: 5 columns, not 3 or 4"),
        ("сила\tNOUN\t💪\tв  силу", "own.tsv: сила NOUN: the phrase «в  силу» is not words"),
        ("сила\tNOUN\t💪\tв силу,за силу", "own.tsv: сила NOUN: the phrase «в силу,за силу» is not words"),
        ("сила\tNOUN\t💪\tв/ силу", "own.tsv: сила NOUN: the phrase «в/ силу» is not words"),
    ],
)
def test_a_wrong_line_of_a_dictionary_is_an_error(tmp_path: Path, line: str, problem: str) -> None:
    own = tmp_path / "own.tsv"
    own.write_text(f"# Mine.\n{line}\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=re.escape(problem)):
        Emojify(emoji=str(own))


@pytest.mark.parametrize("text", ["Мой руки перед едой.", "Он и она, но не мы.", "Мы при этом как бы не из-за них."])
def test_function_words_and_homonyms_stay(text: str) -> None:
    words = {"мой", "он", "она", "но", "не", "мы", "при", "этом", "как", "бы", "из-за", "них", "и", "перед"}
    assert [word for word in text.lower().replace(".", "").replace(",", "").split() if word in words] == [
        word for word in emojified(text).lower().replace(".", "").replace(",", "").split() if word in words
    ]


def test_a_verb_is_not_replaced_by_the_emoji_of_a_noun() -> None:
    assert emojified("Река течёт, течь в лодке.").startswith("Река течёт") or "🏞" in emojified("Река течёт.")
    emoji = dictionary("emoji")
    assert ("печь", "VERB") not in emoji or emoji.get(("печь", "VERB")) != emoji.get(("печь", "NOUN"))
    assert all(pos in {"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "INTJ"} for _, pos in emoji)


def test_the_dictionary_is_large_and_speaks_russian() -> None:
    lemmas = {lemma for lemma, *_ in rows(dictionary_path("emoji"), columns=4)}
    assert len(lemmas) >= 2500
    assert all(set(lemma) <= set("абвгдеёжзийклмнопрстуфхцчшщъыьэюя-") for lemma in lemmas)


# eda_delete


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "text",
    ["Кошка тихо спит на окне.", "Да, (нет) вот: «так» и сяк!", "раз\nдва три\n\nчетыре", "а, б — в; г"],
)
def test_deletion_leaves_no_double_spaces_and_glues_nothing(text: str, seed: int) -> None:
    result = perturbed("eda_delete", text, probability=0.5, seed=seed)
    assert "  " not in result
    assert result == result.strip(" ")
    assert " ." not in result
    assert " ," not in result
    assert result.count("\n") == text.count("\n")
    assert [char for char in result if not (char.isalnum() or char.isspace())] == [
        char for char in text if not (char.isalnum() or char.isspace())
    ]
    words = "".join(char if char.isalnum() else " " for char in result).split()
    left = iter("".join(char if char.isalnum() else " " for char in text).split())
    assert all(word in left for word in words)  # a subsequence: no word was glued, made or moved


@pytest.mark.parametrize("text", ["слово", "два слова", "(A) один (B) другой"])
def test_deletion_never_takes_the_last_word(text: str) -> None:
    assert any(char.isalpha() for char in perturbed("eda_delete", text))


def test_deletion_takes_one_of_two_spaces() -> None:
    result = Augmenter("eda_delete", constraints=(), similarity="none", probability=1.0, seed=0)("ёж  уж")
    assert result.text in ("ёж ", " уж")


# eda_swap


@pytest.mark.parametrize("seed", range(20))
def test_swap_moves_words_within_their_sentence_and_nothing_else(seed: int) -> None:
    text = "Кошка, как всегда, спит; собака (рыжая) лает. Мальчик читает книгу!"
    first, second = perturbed("eda_swap", text, probability=0.6, seed=seed).split(". ")
    one, two = text.split(". ")
    for old, new in ((one, first), (two, second)):
        assert sorted(old.replace(",", "").split()) != []
        assert [char for char in new if not char.isalpha()] == [char for char in old if not char.isalpha()]
        strip = str.maketrans("", "", ",;().!")
        assert sorted(new.translate(strip).split()) == sorted(old.translate(strip).split())


def test_an_even_number_of_swaps_is_no_identity() -> None:
    """The published toolkit re-seeds before each swap, so that two swaps undo each other."""
    text = "один два три четыре пять шесть семь восемь девять десять"
    attack = make("eda_swap", {"scope": "anywhere"})
    for probability in (0.2, 0.4, 0.8, 1.0):
        assert Augmenter(attack, constraints=(), similarity="none", probability=probability)(text).text != text


def test_one_word_and_equal_words_cannot_be_swapped() -> None:
    assert perturbed("eda_swap", "слово") == "слово"
    assert perturbed("eda_swap", "да да да да") == "да да да да"


# options of attacks


def test_options_are_read_as_their_types() -> None:
    attack = make("butterfingers", {"probability": "0.3", "layouts": "keyboard_ru"})
    assert attack.probability == 0.3
    assert perturbed_latin(attack) == "abc"


def perturbed_latin(attack: object) -> str:
    """«abc» after an attack that knows Cyrillic keys alone."""
    return Augmenter(attack, constraints=(), similarity="none", probability=1.0)("abc").text  # type: ignore[arg-type]


def test_keycaps_replace_each_run_of_digits() -> None:
    (doc,) = Natasha()(["10:30"], frozenset({"lemmas"}))
    (change,) = Emojify().propose(doc, Rng(1))
    assert change.edits == (Edit(0, 2, "1️⃣0️⃣"), Edit(3, 5, "3️⃣0️⃣"))
