"""Golden cases of transliteration, checked against the published tables; to be read by a linguist."""

import re
from collections import Counter
from pathlib import Path

import pytest

from augment_ru import Augmenter, AugmentError, Batch, Streams
from augment_ru.attacks.transliteration import Transliteration
from augment_ru.draws import digests
from augment_ru.engine.attack import make
from outcomes import drawn

ICAO = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh",
    "з": "z", "и": "i", "й": "i", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o",
    "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts",
    "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "ie", "ы": "y", "ь": "", "э": "e", "ю": "iu",
    "я": "ia",
}  # fmt: skip
"""ICAO Doc 9303, Part 3, section 6.B: the recommended transliteration; ь is not in the table, and passports drop it."""
GOST = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "yo", "ж": "zh",
    "з": "z", "и": "i", "й": "j", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o",
    "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "x", "ц": "cz",
    "ч": "ch", "ш": "sh", "щ": "shh", "ъ": "``", "ы": "y`", "ь": "`", "э": "e`", "ю": "yu",
    "я": "ya",
}  # fmt: skip
"""GOST 7.79-2000, table 4: the column of Russian; ц is c before i, e, y, j."""


def latin(text: str, style: str = "chat", seed: int = 0, **options: object) -> str:
    """The text with all words in Latin letters."""
    attack = Transliteration(probability=1.0, style=style, **{"unit": "word"} | options)  # type: ignore[arg-type]
    return Augmenter(attack, constraints=(), similarity="none", seed=seed)(text).text


@pytest.mark.parametrize(("style", "published"), [("icao", ICAO), ("gost", GOST)])
def test_the_tables_are_the_published_ones(style: str, published: dict[str, str]) -> None:
    assert len(published) == 33
    text = " ".join(f"к{letter}к" for letter in published)
    assert latin(text, style) == " ".join(f"k{spelling}k" for spelling in published.values())
    assert latin(text.upper(), style) == " ".join(f"K{spelling.upper()}K" for spelling in published.values())


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Хрущёв", "Khrushchev"),
        ("Юлия Щербакова", "Iuliia Shcherbakova"),
        ("Дарья Подъячева", "Daria Podieiacheva"),
        ("Алексей Цой", "Aleksei Tsoi"),
        ("Юрий Жуков", "Iurii Zhukov"),
        ("Эльдар Быков", "Eldar Bykov"),
        ("ЩЕРБАКОВ ЮРИЙ", "SHCHERBAKOV IURII"),
    ],
)
def test_names_are_written_as_in_passports(text: str, result: str) -> None:
    assert latin(text, "icao") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("цирк центр отцы цёпка цюцю станция", "cirk centr otcy` cyopka cyucyu stanciya"),
        ("отец цапля царь цунами дворцом", "otecz czaplya czar` czunami dvorczom"),
        ("Цирк, ЦИРК, ЦАПЛЯ, Цапля", "Cirk, CIRK, CZAPLYA, Czaplya"),
        ("объём подъезд", "ob``yom pod``ezd"),
        ("мышь эта щука", "my`sh` e`ta shhuka"),
        ("хороший чай", "xoroshij chaj"),
    ],
)
def test_gost_writes_c_before_i_e_y_and_j(text: str, result: str) -> None:
    assert latin(text, "gost") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Щука ЩУКА щука", "Shchuka SHCHUKA shchuka"),
        ("Я и ТЫ, А Ю. А. Юдин", "Ia i TY, A Iu. A. Iudin"),
        ("БОРЩ, борЩ, ЮНЕСКО, Ю-туб", "BORSHCH, borShch, IUNESKO, Iu-tub"),
    ],
)
def test_a_capital_is_as_its_word_is(text: str, result: str) -> None:
    assert latin(text, "icao") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("«Мама мыла раму», 25 кг и 2,5 м/с.", "«Mama myla ramu», 25 kg i 2,5 m/s."),
        ("16-летней iPhone-ом hello", "16-letnei iPhone-om hello"),
        ("за́мок naïve-ый ліс ελ-а", "за́мок naïve-ый ліс ελ-а"),  # marks, other alphabets
        ("буква ь", "bukva ь"),  # a word of which nothing would be left
        ("на info@почта.рф и #кот", "na info@почта.рф i #кот"),
    ],
)
def test_all_but_russian_letters_stays(text: str, result: str) -> None:
    assert latin(text, "icao") == result


def test_a_chat_has_several_spellings_the_first_the_likeliest() -> None:
    found = Counter(latin("ч " * 30_000).split())
    assert set(found) == {"ch", "4"}
    assert found["ch"] / 30_000 == pytest.approx(2 / 3, abs=0.017)  # six standard deviations
    assert {latin("хорошо", seed=seed) for seed in range(40)} == {"horosho", "xorosho", "khorosho"}
    assert {latin("Борщ", seed=seed) for seed in range(40)} == {"Borsch", "Borshch", "Borw"}
    assert {latin("ночь", seed=seed) for seed in range(40)} == {"noch", "no4", "noch'", "no4'"}
    assert latin("привет как дела") == "privet kak dela"


def test_an_edit_covers_its_word_and_says_how_it_is_read() -> None:
    result = Augmenter(Transliteration(1.0, unit="word"), constraints=(), similarity="none")("Мама, привет!")
    assert [(edit.start, edit.text, edit.note and edit.note.reading) for edit in result.script.edits] == [
        (0, "Mama", "Мама"),
        (6, "privet", "привет"),
    ]


def test_a_whole_sentence_is_one_change() -> None:
    text = "Мама дома. А папа?"
    found = Transliteration(unit="sentence").propose_batch(Batch([text]), Streams.of(digests([text]), 1))
    assert found.ranks.size == 2
    assert found.changes.tolist() == [0, 0, 1, 1]
    attack = Transliteration(1e-9, unit="sentence")
    free = Augmenter(attack, constraints=(), similarity="none")
    assert {one.text for one in drawn(free, text, 20)} == {"Mama doma. А папа?", "Мама дома. A papa?"}
    assert latin(text, unit="sentence") == "Mama doma. A papa?"


def test_spellings_do_not_depend_on_which_words_are_changed() -> None:
    text = "хорошо чайник щука яйцо объём тюлень жёлтый"
    all_words = latin(text).split()
    for probability in (0.2, 0.5, 0.8):
        some = Augmenter(Transliteration(probability, unit="word"), constraints=(), similarity="none", seed=0)(
            text
        ).text.split()
        assert all(word in (old, new) for word, old, new in zip(some, text.split(), all_words, strict=True))


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("а\ta", "line 2: 2 columns, not 3"),
        ("аб\t-\tab", "'аб' is no small letter; write one letter with a capital"),
        ("Б\t-\tb", "'Б' is no small letter; write one letter with a capital"),
        ("ц\tеи\tc", "ц: only before 'еи'; add a line with - in the second column"),
        ("ц\t-\tcz\nц\t?\tc", "ц: '?' are no letters; write the letters behind it, or -"),
        ("ц\t-\tc  ts", "ц: spellings 'c  ts'; write other letters, one space between"),
        ("ц\t-\tц", "ц: spellings 'ц'; write other letters, one space between"),
    ],
)
def test_a_wrong_table_is_an_error(tmp_path: Path, lines: str, problem: str) -> None:
    own = tmp_path / "own.tsv"
    own.write_text(f"# Mine.\n{lines}\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=re.escape(problem)):
        Transliteration(style=str(own))


def test_a_style_of_ones_own_and_unknown_ones(tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("# Mine.\nн\t-\tn\nя\t-\tâ\nя\tн\tja\n", encoding="utf-8")
    assert latin("ян яя Янн", str(own)) == "jan ââ Jann"
    with pytest.raises(AugmentError, match="no style of transliteration called 'ica'; did you mean 'icao'"):
        Transliteration(style="ica")
    with pytest.raises(AugmentError, match=r"no transliteration.unit called '1'"):
        make("transliteration", {"unit": "1"})


def test_a_run_begins_a_sentence_and_a_message_is_whole() -> None:
    text = "Мама мыла раму весь день. Папа спал на диване до вечера."
    for seed in range(20):
        new = latin(text, seed=seed, unit="run")
        for old, sentence in zip(text.split(". "), new.split(". "), strict=True):
            changed = [one != other for one, other in zip(old.split(), sentence.split(), strict=True)]
            assert changed[0]
            assert changed == sorted(changed, reverse=True)
        assert not set("абвгдежзийклмнопрстуфхцчшщъыьэюя") & set(latin(text, seed=seed, unit="message").lower())


def test_content_words_are_hidden_before_function_words() -> None:
    text = "и вот на столе под лампой лежал мой паспорт"
    half = {latin_words for seed in range(30) for latin_words in _latin_words(text, 0.4, seed)}
    assert half <= {"stole", "lampoj", "lampoi", "lezhal", "pasport", "lejal", "lampoy"}


def _latin_words(text: str, probability: float, seed: int) -> list[str]:
    attack = Transliteration(probability, unit="word")
    new = Augmenter(attack, constraints=(), similarity="none", seed=seed)(text).text
    return re.findall("[a-z]+", new)
