"""Знаки и точки над ё пропадают, как в чате: «Знаю, что ещё придёт.» → «Знаю что еще придет)»."""

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, ErrorRates, kind_notes, weighted_ranks
from augment_ru.editing.word_forms import WordForms, WordFunction
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.language.morphology import only_form
from augment_ru.resources import shortened_words
from augment_ru.text.batch import Batch
from augment_ru.text.characters import CLUSTER, DIGIT, SPACE, WORD, Mask, among, counts_before, decode

CLASSES = ("bracket", "comma", "ellipsis", "final", "yo_dropped", "yo_written")
_FINALS = ("final", "ellipsis", "bracket")
_WRITTEN = ("", "...", ")", "е", "Е", "ё", "Ё")
"""What may stand in the place of a character: for `_FINALS` and commas the first three, then letters."""
_QUOTES = '"„“”'
_LINE_ENDS = "\n\r\u2028\u2029"
_LAST_WORD = re.compile(r"[^\W_]+\Z")
_CLOSING = "»“”)\"'"
_LONGEST_YO = 48
"""Letters of a word that may be examined for ё: the places are the bits of a number."""


@dataclass(frozen=True, slots=True)
class Punctuation(CountedErrors):
    """Leave out commas and final full stops as people do, and write ё as е or е as ё; each edit is one character.

    `comma`: a comma left out, before some conjunctions more often than before others; `final`, `ellipsis`, `bracket`:
    the full stop at the end of a text or line left out, or replaced by «...» or «)»; `yo_dropped`: ё as е;
    `yo_written`: е as ё where the dictionary allows ё alone. Quotations, numbers and words that are written short
    («т. е.», «ул.») keep their marks. Likelier errors come first (`weighted_ranks`).

    Args:
        classes: the classes of errors.
        rates: the dictionary of the classes, and how often people make each error.

    Raises:
        AugmentError: there is no such class or dictionary, or none is named.
    """

    name: ClassVar[str] = "punctuation"
    group: ClassVar[str] = "people"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.2
    classes: tuple[str, ...] = CLASSES
    rates: str = "punctuation"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the errors that are possible at commas, final full stops, ё and е."""
        rates, forms = self.counted(), WordForms(batch)
        finals = _finals(batch, streams, rates)
        found = {
            "comma": _commas(batch, forms, rates),
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
"""The places of errors, the rate of each, and the number in `_WRITTEN` of what is written there."""


def _outside_quotations(batch: Batch, places: Ints) -> Ints:
    """The places that stand in no quotation of their text; one that does not close ends with the text."""
    depth = counts_before(batch.codes == ord("«")) - counts_before(batch.codes == ord("»"))
    signs = counts_before(among(batch.codes, _QUOTES))
    firsts = batch.starts[batch.rows(places)]
    outside: Ints = places[(depth[places] <= depth[firsts]) & ((signs[places] - signs[firsts]) % 2 == 0)]
    return outside


def _commas(batch: Batch, forms: WordForms, rates: ErrorRates) -> _Errors:
    """The commas between a word and a space; that of «2, 5» stays, since «2 5» is another number.

    That of «Герт Нейл, Деон Феррейра» stays, too: without it two names are one.
    """
    places = np.flatnonzero(batch.codes == ord(",")) if rates.of("comma") else np.zeros(0, dtype=np.int64)
    places = places[_is_after_word(batch, places) & (batch.flags[places + 1] & SPACE != 0)]
    behind = batch.flags[np.minimum(places + 2, batch.codes.size - 1)]
    places = _outside_quotations(batch, places[batch.flags[places - 1] & behind & DIGIT == 0])

    rate_of = np.zeros(forms.starts.size + 1)  # the last is for commas in front of a word that may not be edited
    for one in sorted(rates.of("comma"), key=lambda one: max(map(_specificity, one.phrases))):
        rate_of[:-1][forms.begin(one.phrases)] = one.rate
        rate_of[-1] = one.rate if "*" in one.phrases else rate_of[-1]
    words = np.searchsorted(forms.starts, places + 2)
    is_free = np.append(forms.starts, -1)[words] == places + 2
    capital = batch.codes != forms.codes
    two_names = is_free & (words > 1) & capital[forms.starts[words - 1]] & capital[places + 2]
    some = words[two_names]
    sentences = [batch.sentences(forms.starts[some - back]) for back in (2, 1)]
    two_names[two_names] = sentences[0] == sentences[1]
    places, words, is_free = places[~two_names], words[~two_names], is_free[~two_names]
    found = rate_of[np.where(is_free, words, forms.starts.size)]
    places, found = places[found > 0], found[found > 0]
    return places, found, np.zeros(places.size, dtype=np.int64)


def _specificity(phrase: str) -> tuple[bool, bool]:
    return " " in phrase, phrase != "*"


def _is_after_word(batch: Batch, places: Ints) -> Mask:
    """Whether a letter, a digit or a closing sign stands in front of each place of a mark."""
    before = np.maximum(places - 1, 0)
    after: Mask = (batch.flags[before] & WORD != 0) | among(batch.codes[before], _CLOSING)
    return after & (places > 0)


def _finals(batch: Batch, streams: Streams, rates: ErrorRates) -> _Errors:
    """The full stops at the end of a text or a line, each with what becomes of it."""
    bounds = np.cumsum([rates.rate(name) for name in _FINALS])
    total = float(bounds[-1])
    places = np.flatnonzero(batch.codes == ord(".")) if total else np.zeros(0, dtype=np.int64)
    places = places[_is_after_word(batch, places)]
    following = places + 1
    while (blank := batch.flags[following] & SPACE != 0).any():
        following = following + blank
    places = _outside_quotations(batch, places[among(batch.codes[following], _LINE_ENDS)])
    places = places[~_are_short(batch, places)]
    points = batch.draw(streams, places, lane=1) * total
    chosen = np.minimum((points[:, None] >= bounds).sum(axis=1), len(_FINALS) - 1)
    return places, np.full(places.size, total), chosen


def _are_short(batch: Batch, places: Ints) -> Mask:
    """Whether a word that is written short stands in front of each place of a full stop."""
    most = _longest_short() + 1
    letter = (batch.flags & (WORD | CLUSTER)) == WORD
    found: Mask = ~np.all([letter[np.maximum(places - back, 0)] for back in range(1, most + 1)], axis=0)
    before = decode(batch.codes)
    found[found] = [_is_short(before[max(place - most, 0) : place]) for place in places[found].tolist()]
    return found


@cache
def _longest_short() -> int:
    """Letters of the longest word that is written short."""
    return max(map(len, shortened_words()))


def _is_short(before: str) -> bool:
    """Whether the text in front of a full stop ends in a word that is written short: «т. е», «ул»."""
    word = _LAST_WORD.search(before)
    return word is not None and (len(word[0]) == 1 or word[0].lower() in shortened_words())


def _yo_dropped(batch: Batch, rates: ErrorRates) -> _Errors:
    """Every ё."""
    rate = rates.rate("yo_dropped")
    small = batch.codes == ord("ё")
    places = np.flatnonzero(small | (batch.codes == ord("Ё"))) if rate else np.zeros(0, dtype=np.int64)
    texts = np.where(small[places], _WRITTEN.index("е"), _WRITTEN.index("Е"))
    return places, np.full(places.size, rate), texts


def _yo_written(batch: Batch, forms: WordForms, rates: ErrorRates) -> _Errors:
    """Every е for which the dictionary allows ё alone."""
    rate = rates.rate("yo_written")
    some = counts_before(forms.codes == ord("е"))
    words = np.flatnonzero(some[forms.stops] > some[forms.starts]) if rate else np.zeros(0, dtype=np.int64)
    bits = forms.values(words, _YO)
    words, bits = words[bits > 0], bits[bits > 0]
    at, letters = np.nonzero((bits[:, None] >> np.arange(_LONGEST_YO)) & 1)
    places = forms.starts[words][at] + letters
    texts = np.where(batch.codes[places] == ord("е"), _WRITTEN.index("ё"), _WRITTEN.index("Ё"))
    return places, np.full(places.size, rate), texts


def _places_of_yo(word: str) -> int:
    """The letters of a word in lower case that are ё in its only form in the dictionary, as bits."""
    if len(word) > _LONGEST_YO:
        return 0
    return sum(1 << at for at, (old, new) in enumerate(zip(word, only_form(word), strict=True)) if old != new)


_YO = WordFunction(_places_of_yo)
