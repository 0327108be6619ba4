"""The words of a batch, found for all texts at once, are what one text at a time says."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Batch, Span
from augment_ru.editing.word_forms import WordForms, form_table
from augment_ru.text.characters import BREAK, DIGIT, SPACE, WORD, classes, encode
from strategies import texts

SMALL = st.text(alphabet="аЁе.5 -,\n!А", max_size=12)


@given(st.lists(st.one_of(SMALL, texts()), min_size=1, max_size=4))
def test_columns_of_words_are_those_of_each_text(sources: list[str]) -> None:
    batch = Batch(sources)
    forms = WordForms(batch)
    starts, stops = forms.starts.tolist(), forms.stops.tolist()
    flags = batch.flags.tolist()
    for number, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        inside = flags[start:stop]
        assert forms.letters[number] == all(flag & WORD and not flag & DIGIT for flag in inside)
        follows = number + 1 < len(starts) and starts[number + 1] == stop + 1 and bool(flags[stop] & SPACE)
        assert forms.beside[number] == follows
        assert forms.first[number] == is_first(batch, start)
    words = [set(batch.codes[start:stop].tolist()) for start, stop in zip(starts, stops, strict=True)]
    assert forms.with_letter("е").tolist() == [at for at, codes in enumerate(words) if codes & {ord("е"), ord("Е")}]


def test_a_text_of_which_every_word_is_protected_has_no_words_to_ask_about() -> None:
    text = "без 5 км"
    forms = WordForms(Batch([text], protected=[[Span(0, len(text), "X")]]))
    assert forms.starts.size == forms.letters.size == forms.with_letter("е").size == forms.first.size == 0


def is_first(batch: Batch, place: int) -> bool:
    """Whether a word is the first of its sentence, by a walk back to the last letter or the start of the text."""
    row = int(batch.rows(np.array([place]))[0])
    text, at = batch.texts[row], place - int(batch.starts[row])
    flags = classes(encode([text])[0]).tolist()
    while at:
        at -= 1
        if flags[at] & BREAK and not is_initial(text, flags, at):
            return True
        if flags[at] & WORD:
            return False
    return True


def is_initial(text: str, flags: list[int], at: int) -> bool:
    """Whether a full stop stands behind a single letter."""
    one = text[at] == "." and at > 0 and flags[at - 1] & (WORD | DIGIT) == WORD
    return one and not (at > 1 and flags[at - 2] & (WORD | DIGIT) == WORD)


@given(st.lists(st.text(alphabet="абвё", min_size=1, max_size=3), min_size=1, unique=True), st.data())
def test_a_table_finds_what_it_has(words: list[str], data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.text(alphabet="абве", min_size=1, max_size=3), min_size=1))
    forms = WordForms(Batch([" ".join(asked)]))
    found = dict(zip(*(column.tolist() for column in forms.find(form_table(words))), strict=True))
    for number, word in enumerate(asked):
        fits = [at for at, one in enumerate(words) if one == word] or [
            at for at, one in enumerate(words) if one.replace("ё", "е") == word
        ]
        assert (number in found) == bool(fits)
        assert not fits or found[number] in fits


@given(st.lists(st.text(alphabet="абвгд", min_size=1, max_size=2), min_size=1))
def test_the_values_of_a_function_are_those_of_each_word(words: list[str]) -> None:
    forms = WordForms(Batch([" ".join(words)]))
    at = np.arange(forms.starts.size)
    assert forms.values(at, len).tolist() == list(map(len, words))
    pairs = forms.pair_values(at[:-1], lambda word: int(word.encode().hex(), 16) % 997)
    assert pairs.tolist() == [int((one + two).encode().hex(), 16) % 997 for one, two in pairwise(words)]
