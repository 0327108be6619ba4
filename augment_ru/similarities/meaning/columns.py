"""The words of many texts in columns, which all candidates of these texts share."""

from functools import cached_property

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.language.frequency import information
from augment_ru.language.morphology import is_known
from augment_ru.similarities.meaning.words import COMBINING, JOINERS, SENTENCE_END, digits_of, form_of, pattern_for
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, Mask, decode, encode

_SPACE = np.uint32(ord(" "))
_NOWHERE = 2**62


class WordColumns:
    """The words of texts that lie one behind another, a line feed between two of them.

    Args:
        codes: the code points of the texts.
        begins: where each text starts, and where the last one stops, shape (texts + 1,).

    Attributes:
        begins: as above.
        starts, stops: where each word starts and stops, with a word behind all others that is nowhere, shape
            (words + 1,).
        forms: the form of each word, shape (words,).
        sentences: the number of the sentence of each word, counted through all texts, ascending, shape (words,).
    """

    def __init__(self, codes: Codes, begins: Ints) -> None:
        self.begins = begins
        joined = decode(codes)
        self._combines = COMBINING.search(joined) is not None
        if self._combines:
            places = [match.span() for match in pattern_for(joined).finditer(joined)]
            edges = np.array(places, dtype=np.int64).reshape(-1)
            self.forms = [form_of(joined[start:stop]) for start, stop in places]
        else:
            inside = _are_inside(codes)
            edges = (inside[1:] != inside[:-1]).nonzero()[0]
            self.forms = decode(np.where(inside[1:], codes, _SPACE)).lower().replace("ё", "е").split()
        self.starts, self.stops = np.append(edges, [_NOWHERE, _NOWHERE]).reshape(-1, 2).T.copy()
        ends = np.array([match.end() for match in SENTENCE_END.finditer(joined)], dtype=np.int64)
        borders = np.sort(np.concatenate([self.begins[1:], ends])) if ends.size else self.begins[1:]
        self.sentences = borders.searchsorted(self.starts[:-1], side="right")
        self._joined = joined

    @cached_property
    def letters(self) -> tuple[Codes, Ints]:
        """The code points of all forms, a line feed behind each, and where each form starts in them."""
        return encode(self.forms)

    @cached_property
    def lengths(self) -> Ints:
        """The number of characters of each form, shape (words,)."""
        return np.diff(self.letters[1]) - 1

    @cached_property
    def are_known(self) -> Mask:
        """Whether the dictionary has each form, shape (words,)."""
        return np.fromiter(map(is_known, self.forms), dtype=np.bool_, count=len(self.forms))

    @cached_property
    def have_digits(self) -> Mask:
        """Whether each form has a digit, shape (words,)."""
        return np.array([not form.isalpha() and digits_of(form) != "" for form in self.forms], dtype=np.bool_)

    @cached_property
    def are_plain(self) -> Mask:
        """Whether each form has the characters of its word, each in lower case, shape (words + 1,)."""
        plain = np.append(self.lengths == (self.stops - self.starts)[:-1], True)
        if self._combines:
            places = zip(self.starts.tolist(), self.stops[:-1].tolist(), strict=False)
            plain[:-1] &= [COMBINING.search(self._joined, *place) is None for place in places]
        return plain

    @cached_property
    def informations(self) -> Floats:
        """How much each word tells, shape (words,)."""
        return np.fromiter(map(information, self.forms), dtype=np.float64, count=len(self.forms))

    @cached_property
    def totals(self) -> Floats:
        """The information of all words of each sentence, at least 1, as in `Source.total`; shape (sentences,)."""
        found: Floats = np.maximum(np.bincount(self.sentences, weights=self.informations), 1.0)
        return found

    @cached_property
    def shares(self) -> Floats:
        """The share of each word in the information of its sentence, shape (words,)."""
        found: Floats = self.informations / self.totals[self.sentences]
        return found


def word_columns(batch: Batch) -> WordColumns:
    """The words of the texts of a batch."""
    return WordColumns(batch.codes, batch.starts)


_OTHER, _ALNUM, _JOINER = 1, 2, 3
_kinds = np.zeros(0x110000, dtype=np.uint8)
"""What each code point is in a word, 0 where not computed yet. Threads may share it: they compute the same values."""


def _are_inside(codes: Codes) -> Mask:
    """Whether each code point is inside a word, in texts without combining marks.

    Args:
        codes: the texts; the last code point is in no word.

    Returns:
        Shape (codes + 1,); the first stands before all code points and is False.
    """
    kinds = _kinds.take(codes)
    if not kinds.all():
        for code in set(codes[kinds == 0].tolist()):
            _kinds[code] = _ALNUM if chr(code).isalnum() else _JOINER if chr(code) in JOINERS else _OTHER
        kinds = _kinds.take(codes)
    inside = np.zeros(codes.size + 1, dtype=np.bool_)
    letters = np.equal(kinds, _ALNUM, out=inside[1:])
    joins = kinds[1:-1] == _JOINER
    joins &= letters[:-2] & letters[2:]
    letters[1:-1] |= joins
    return inside
