"""Знаки и точки над ё пропадают, как в чате: «Знаю, что ещё придёт.» → «Знаю что еще придет)»."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, ErrorRates, drawn_class, kind_notes, weighted_ranks
from augment_ru.editing.word_forms import WordForms
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.language.morphology import only_form
from augment_ru.resources import listed_in
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, SPACE, WORD, Mask, among, decode

CLASSES = ("bracket", "comma", "ellipsis", "final", "yo_dropped", "yo_written")
_FINALS = ("final", "ellipsis", "bracket")
_WRITTEN = ("", "...", ")", "е", "Е", "ё", "Ё")
"""The texts that may replace a character: the first three replace commas and full stops, the others replace letters."""
_QUOTES = '"„“”'
_LINE_ENDS = "\n\r\u2028\u2029"
_CLOSING = "»“”)\"'"
_LONGEST_YO = 48
"""The most letters of a word that is examined for ё: the places of ё are the bits of a number."""


@dataclass(frozen=True, slots=True)
class Punctuation(CountedErrors):
    """Leave out commas and final full stops as people do, and write ё as е or е as ё; each edit changes one sign.

    - `comma`: a comma is left out, before some conjunctions more often than before others;
    - `final`: the full stop at the end of a text or line is left out;
    - `ellipsis`, `bracket`: the full stop at the end of a text or line is replaced by «...» or by «)»;
    - `yo_dropped`: ё is written as е;
    - `yo_written`: е is written as ё where the dictionary has the word only with ё.

    Quotations, numbers and abbreviations («т. е.», «ул.») keep their marks. The more often people make an error, the
    more often this attack makes it.

    Args:
        probability: the share of the possible places at which an error is made, in an average text; in [0, 1].
        classes: which of these classes of errors are made.
        rates: the dictionary that says how often people make each error.

    Raises:
        AugmentError: there is no such class or dictionary, or `classes` is empty.
    """

    group: ClassVar[str] = "people"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.2
    classes: tuple[str, ...] = CLASSES
    rates: str = "punctuation"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose every error that is possible at commas, final full stops, ё and е."""
        rates, forms = self.counted(), batch.once(WordForms)
        quotations = _Quotations(batch)
        finals = _finals(batch, quotations, forms, streams, rates)
        found = {
            "comma": _commas(batch, quotations, forms, rates),
            "final": finals,
            "yo_dropped": _yo_dropped(batch, rates),
            "yo_written": _yo_written(batch, forms, rates),
        }
        places, rate, texts = (np.concatenate(column) for column in zip(*found.values(), strict=True))
        kinds = np.repeat([CLASSES.index(name) for name in found], [one[0].size for one in found.values()])
        kinds[kinds == CLASSES.index("final")] = np.array([CLASSES.index(name) for name in _FINALS])[finals[2]]
        order = np.argsort(places, kind="stable")
        places, rate, texts, kinds = places[order], rate[order], texts[order], kinds[order]
        written = Replacements.of(_WRITTEN)
        ranks = weighted_ranks(batch.draw(streams, places), rate, rates.mean)
        return Proposals.of_edits(
            places,
            places + 1,
            ranks,
            lambda indices: written.take(texts[indices]),
            clean=True,
            notes=kind_notes(kinds, CLASSES),
        )


_Errors = tuple[Ints, Floats, Ints]
"""The places of errors, the rate of each, and the index in `_WRITTEN` of each new text."""


class _Quotations:
    """The quotations of a batch; a quotation without a closing mark ends with its text."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._marks = [np.flatnonzero(among(batch.codes, marks)) for marks in ("«", "»", _QUOTES)]

    def outside(self, places: Ints) -> Ints:
        """Return those of some global places (offsets in `batch.codes`) that are outside quotations."""
        firsts = self._batch.starts[self._batch.rows(places)]
        opened, closed, signs = (np.searchsorted(at, places) - np.searchsorted(at, firsts) for at in self._marks)
        outside: Ints = places[(opened <= closed) & (signs % 2 == 0)]
        return outside


def _commas(batch: Batch, quotations: _Quotations, forms: WordForms, rates: ErrorRates) -> _Errors:
    """Find the commas between a word and a space that people leave out, with their rates.

    The comma of «2, 5» stays, since «2 5» is another number. The comma of «Герт Нейл, Деон Феррейра» stays, too:
    without it two names would be one.
    """
    places = np.flatnonzero(batch.codes == ord(",")) if rates.of("comma") else np.zeros(0, dtype=np.int64)
    places = places[_is_after_word(batch, places) & (batch.flags[places + 1] & SPACE != 0)]
    behind = batch.flags[np.minimum(places + 2, batch.codes.size - 1)]
    places = quotations.outside(places[batch.flags[places - 1] & behind & DIGIT == 0])

    words = np.searchsorted(forms.starts, places + 2)
    starts = np.append(forms.starts, -1)  # a batch may have no word that may be edited
    is_free = starts[words] == places + 2
    capital = batch.codes != forms.codes
    two_names = is_free & (words > 1) & capital[starts[words - 1]] & capital[places + 2]
    some = words[two_names]
    sentences = batch.sentences(forms.starts[np.stack([some - 2, some - 1])])
    two_names[two_names] = sentences[0] == sentences[1]
    places, words, is_free = places[~two_names], words[~two_names], is_free[~two_names]
    found = np.zeros(places.size)
    # those of any word first, those of two words last
    for one in sorted(rates.of("comma"), key=lambda one: max((" " in phrase, phrase != "*") for phrase in one.phrases)):
        fits = np.full(places.size, "*" in one.phrases)  # any word, even one that may not be edited
        fits[is_free] |= forms.begin(one.phrases, words[is_free])
        found[fits] = one.rate
    places, found = places[found > 0], found[found > 0]
    return places, found, np.zeros(places.size, dtype=np.int64)


def _is_after_word(batch: Batch, places: Ints) -> Mask:
    """Tell for each place whether a letter, a digit or a closing sign is directly before it."""
    before = np.maximum(places - 1, 0)
    after: Mask = (batch.flags[before] & WORD != 0) | among(batch.codes[before], _CLOSING)
    return after & (places > 0)


def _finals(batch: Batch, quotations: _Quotations, forms: WordForms, streams: Streams, rates: ErrorRates) -> _Errors:
    """Find the full stops at the end of a text or a line, and draw the text that may replace each one."""
    bounds = np.cumsum([rates.rate(name) for name in _FINALS])
    total = float(bounds[-1])
    places = np.flatnonzero(batch.codes == ord(".")) if total else np.zeros(0, dtype=np.int64)
    places = places[_is_after_word(batch, places)]
    following = places + 1
    while (blank := batch.flags[following] & SPACE != 0).any():
        following = following + blank
    places = quotations.outside(places[among(batch.codes[following], _LINE_ENDS)])
    places = places[~_are_short(forms, places)]
    return places, np.full(places.size, total), drawn_class(batch.draw(streams, places, lane=1) * total, bounds)


def _are_short(forms: WordForms, places: Ints) -> Mask:
    """Tell for each full stop whether it belongs to an abbreviation («ул.») or an initial («А.»), shape (places,)."""
    text, shortened, found = decode(forms.codes), listed_in("shortened_words"), []
    for stop in places.tolist():
        start = stop
        while start and text[start - 1].isalnum():
            start -= 1
        found.append(stop - start == 1 or text[start:stop] in shortened)
    return np.array(found, dtype=np.bool_)


def _yo_dropped(batch: Batch, rates: ErrorRates) -> _Errors:
    """Find every ё; the error is to write е instead."""
    rate = rates.rate("yo_dropped")
    small = batch.codes == ord("ё")
    places = np.flatnonzero(small | (batch.codes == ord("Ё"))) if rate else np.zeros(0, dtype=np.int64)
    texts = np.where(small[places], _WRITTEN.index("е"), _WRITTEN.index("Е"))
    return places, np.full(places.size, rate), texts


def _yo_written(batch: Batch, forms: WordForms, rates: ErrorRates) -> _Errors:
    """Find every е that must be ё by the dictionary; the error is to write ё instead."""
    rate = rates.rate("yo_written")
    words = forms.with_letter("е") if rate else np.zeros(0, dtype=np.int64)
    bits = forms.values(words, _places_of_yo)
    words, bits = words[bits > 0], bits[bits > 0]
    at, letters = np.nonzero((bits[:, None] >> np.arange(_LONGEST_YO)) & 1)
    places = forms.starts[words][at] + letters
    texts = np.where(batch.codes[places] == ord("е"), _WRITTEN.index("ё"), _WRITTEN.index("Ё"))
    return places, np.full(places.size, rate), texts


@lru_cache(maxsize=200_000)
def _places_of_yo(word: str) -> int:
    """Return which letters of a word must be ё instead of е, as the bits of a number.

    They are the places of ё in the only form that the dictionary has. The number is 0 for a word that is too long.

    Args:
        word: the word in lower case.
    """
    if len(word) > _LONGEST_YO:
        return 0
    return sum(1 << at for at, (old, new) in enumerate(zip(word, only_form(word), strict=True)) if old != new)
