"""Golden cases of words typed in the wrong layout, to be read by a linguist."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Batch, Script, Span, Streams
from augment_ru.attacks.wrong_layout import WrongLayout
from augment_ru.draws import digests
from augment_ru.engine.attack import make
from augment_ru.engine.edit_table import apply
from augment_ru.engine.legality import legal
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.characters import atoms_of
from outcomes import drawn
from strategies import texts


def typed(text: str, **options: object) -> str:
    """The text with all words typed in the other layout."""
    attack = WrongLayout(probability=1.0, **{"unit": "word"} | options)  # type: ignore[arg-type]
    return Augmenter(attack, constraints=(), similarity="none")(text).text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("привет", "ghbdtn"),
        ("Бабушка, Хью и Ёж едят объём.", "<f,eirf, {m. b ~; tlzn j,]`v."),
        ("ЖЭК", ':"R'),
        ("юбка", ".,rf"),
        ("hello, World", "руддщ, Цщкдв"),
        ("Don't you?", "Вщтэе нщг?"),
        ("«Как дела?» — спросил он.", "«Rfr ltkf?» — cghjcbk jy."),
        ("Кое-кто весит 25 кг.", "Rjt-rnj dtcbn 25 ru."),
        ("скорость 25 м/с, 16-летней", "crjhjcnm 25 v|c, 16-ktnytq"),
        ("iPhone-ом", "шЗрщту-jv"),
        ("рубль за $5k", "he,km pf $5л"),  # a sign is typed in the layout of the letter before it
        ("В 2024 году 2,5 кота", "D 2024 ujle 2,5 rjnf"),  # a number without letters stays
        ("д’Артаньян", "l’Fhnfymzy"),  # no key has the curly apostrophe
        ("За́мок naïve ελ 25 м² стоит", "За́мок naïve ελ 25 м² cnjbn"),  # no key types é, ï, λ or ²
        ("eto translit", "уещ екфтыдше"),
    ],
)
def test_a_word_is_typed_by_the_same_keys_in_the_other_layout(text: str, result: str) -> None:
    assert typed(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Привет, как дела?", "Ghbdtn? rfr ltkf&"),
        ("Ушёл… Да; нет: «так».", "Ei`k… Lf$ ytn^ «nfr»/"),
        ('Он сказал: "да".', "Jy crfpfk^ @lf@/"),
        ("Дом №7, в 10:30.", "Ljv #7? d 10^30/"),
        ("и т.д. и 2,5 литра...", "b n/l/ b 2?5 kbnhf///"),
        ("hello, world. You?", "руддщб цщкдвю Нщг,"),
        ("Пишите на info@mail.ru, @redaktor или #отзыв!", "Gbibnt yf info@mail.ru, @redaktor bkb #отзыв!"),
        ("За́мок, да.", "За́мок, lf/"),  # the comma keeps to the word that stays
        ("12:30", "12:30"),  # no letter tells the layout
    ],
)
def test_a_whole_sentence_is_typed_with_its_signs(text: str, result: str) -> None:
    assert typed(text, unit="sentence") == result


def test_each_letter_of_both_alphabets_has_a_key() -> None:
    pairs = list(rows(dictionary_path("layouts"), columns=2))
    russian, english = ("".join(side) for side in zip(*pairs, strict=True))
    for letter in "абвгдеёжзийклмнопрстуфхцчшщъыьэюя":
        assert letter in russian
        assert letter.upper() in russian
    for letter in "abcdefghijklmnopqrstuvwxyz":
        assert letter in english
        assert letter.upper() in english
    assert len(set(russian)) == len(set(english)) == len(pairs)


def test_typing_again_gives_the_original() -> None:
    text = "Съешь ещё этих мягких булок, да выпей же чаю"
    assert typed(typed(text, unit="sentence"), unit="sentence") == text


def test_each_edit_covers_its_word_and_says_how_it_is_read() -> None:
    result = Augmenter(WrongLayout(probability=1.0, unit="word"), constraints=(), similarity="none")("Мой ёж, да.")
    assert [(edit.text, edit.note.reading) for edit in result.script.edits if edit.note] == [
        ("Vjq", "Мой"),
        ("`;", "ёж"),
        ("lf", "да"),
    ]
    assert result.script.read == "Мой ёж, да."


def test_the_sentences_of_a_text_are_changes_of_their_own() -> None:
    text = "Он ушёл. Она спит.\nОни пьют чай, мы 2.5 дня ждём."
    batch = Batch([text])
    found = WrongLayout(unit="sentence").propose_batch(batch, Streams.of(digests([text]), 1))
    assert found.ranks.size == 3
    attack = WrongLayout(1e-9, unit="sentence")
    free = Augmenter(attack, constraints=(), similarity="none")
    assert {one.text for one in drawn(free, text, 20)} == {
        "Jy ei`k/ Она спит.\nОни пьют чай, мы 2.5 дня ждём.",
        "Он ушёл. Jyf cgbn/\nОни пьют чай, мы 2.5 дня ждём.",
        "Он ушёл. Она спит.\nJyb gm.n xfq? vs 2/5 lyz ;l`v/",
    }


@given(texts(), st.data())
def test_whole_sentences_leave_protected_spans_alone_and_are_read_as_the_original(
    text: str, data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    spans = [Span(*place, "GIVEN") for place in zip(places[::2], places[1::2], strict=False) if place[0] < place[1]]
    batch = Batch([text], None, [spans])
    proposed = WrongLayout(unit="sentence").propose_batch(batch, Streams.of(digests([text]), 1))
    found = legal(batch, proposed)
    kept = proposed.ranks.size if batch.of_few_letters is None else 0  # one or two letters stay as they are
    assert found.ranks.size == kept  # nothing else that the engine has to drop
    done = apply(batch, found, np.ones(found.ranks.size, dtype=np.bool_))
    script = Script(text, done[0].edits)
    assert script.text == done.texts[0]
    assert script.read == text
    for span in (*spans, *atoms_of(text)):
        mapped = script.map(span)
        assert mapped is not None
        assert mapped.of(script.text) == span.of(text)


def test_a_comma_that_becomes_a_letter_is_not_put_beside_a_protected_span() -> None:
    text = "see Moscow, then Kazan."
    batch = Batch([text], None, [[Span(4, 10, "LOC")]])
    found = legal(batch, WrongLayout(unit="sentence").propose_batch(batch, Streams.of(digests([text]), 1)))
    done = apply(batch, found, np.ones(found.ranks.size, dtype=np.bool_))
    assert done.texts == ["ыуу Moscow, ерут Лфяфтю"]


def test_words_come_at_the_rate_asked_for() -> None:
    text = "слово " * 50_000
    result = Augmenter(WrongLayout(probability=0.1, unit="word"), constraints=(), similarity="none")(text).text
    assert result.count("ckjdj") / 50_000 == pytest.approx(0.1, abs=0.008)  # six standard deviations


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("а", "line 2: 1 columns, not 2"),
        ("аб\tf", "'аб', 'f'; needs two different characters of one key"),
        ("а\ta\na\tб", "'a' in both layouts; a letter must tell which layout it is of"),
    ],
)
def test_a_wrong_table_is_an_error(tmp_path: Path, lines: str, problem: str) -> None:
    own = tmp_path / "own.tsv"
    own.write_text(f"# Mine.\n{lines}\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=re.escape(problem)):
        WrongLayout(layouts=str(own))


def test_a_table_of_ones_own_and_unknown_ones(tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("# Mine.\nа\tq\n", encoding="utf-8")
    assert typed("а ба", layouts=str(own)) == "q ба"
    with pytest.raises(AugmentError, match=r"no dictionary called 'layout'; did you mean 'layouts'\?"):
        WrongLayout(layouts="layout")
    with pytest.raises(AugmentError, match=r"no wrong_layout.unit called 'yes'"):
        make("wrong_layout", {"unit": "yes"})
