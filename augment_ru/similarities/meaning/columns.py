"""Scores edits that exchange letters of words for as many others (typos, letter case), for all candidates at once.

The words of all references are kept in NumPy columns that all candidates share.
"""

from functools import cached_property, lru_cache
from itertools import compress
from operator import ne
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.proposals import ranges
from augment_ru.engine.search import order_in
from augment_ru.language.frequency import information
from augment_ru.language.morphology import has_form, is_known, lemmas_of
from augment_ru.similarities.meaning.features import ILLEGIBLE, LEGIBLE, SHORT, damage
from augment_ru.similarities.meaning.matching import turns
from augment_ru.similarities.meaning.words import (
    COMBINING,
    JOINERS,
    LONGEST,
    LONGEST_SENTENCE,
    SENTENCE_END,
    digits_of,
    form_of,
    words_of,
)
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, Mask, decode, encode

_SPACE = np.uint32(ord(" "))
_NOWHERE = 2**62


class WordColumns:
    """The words of several texts; the texts are joined in one array, with a line feed behind each.

    Args:
        codes: the code points of the texts (`characters.encode`).
        begins: the place where each text starts, and the end of the array, shape (texts + 1,).

    Attributes:
        begins: as above.
        starts, stops: the start and the stop of each word, then those of a sentinel that lies beyond the end of the
            array, shape (words + 1,).
        forms: the form of each word.
        sentences: the number of the sentence of each word, ascending through all texts, shape (words,).
    """

    def __init__(self, codes: Codes, begins: Ints) -> None:
        self.begins = begins
        joined = decode(codes)
        self._combines = COMBINING.search(joined) is not None
        inside = _are_inside(codes)
        edges = (inside[1:] != inside[:-1]).nonzero()[0]
        if self._combines or (edges.size and np.diff(edges)[::2].max() > LONGEST):
            places = words_of(joined)
            edges = np.array(places, dtype=np.int64).reshape(-1)
            self.forms = [form_of(joined[start:stop]) for start, stop in places]
        else:
            self.forms = decode(np.where(inside[1:], codes, _SPACE)).lower().replace("ё", "е").split()
        self.starts, self.stops = np.append(edges, [_NOWHERE, _NOWHERE]).reshape(-1, 2).T.copy()
        ends = _sentence_ends(joined)
        borders = np.sort(np.concatenate([self.begins[1:], ends])) if ends.size else self.begins[1:]
        self.sentences = borders.searchsorted(self.starts[:-1], side="right")
        if (parts := order_in(self.sentences) // LONGEST_SENTENCE).any():
            self.sentences = first_of_each(self.sentences * len(parts) + parts).cumsum() - 1
        self._joined = joined

    @cached_property
    def letters(self) -> tuple[Codes, Ints]:
        """The code points of all forms, with a line feed behind each; and the place where each form starts in them."""
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
        """Whether each form is as long as its word, character by character, shape (words + 1,).

        The entry of the sentinel is True.
        """
        plain = np.append(self.lengths == (self.stops - self.starts)[:-1], True)
        if self._combines:
            places = zip(self.starts.tolist(), self.stops[:-1].tolist(), strict=False)
            plain[:-1] &= [COMBINING.search(self._joined, *place) is None for place in places]
        return plain

    @cached_property
    def informations(self) -> Floats:
        """The information of each word, shape (words,)."""
        return np.fromiter(map(information, self.forms), dtype=np.float64, count=len(self.forms))

    @cached_property
    def totals(self) -> Floats:
        """The sum of the information of the words of each sentence, at least 1 (`Source.total`), shape (sentences,)."""
        found: Floats = np.maximum(np.bincount(self.sentences, weights=self.informations), 1.0)
        return found

    @cached_property
    def shares(self) -> Floats:
        """The share of each word in the information of its sentence, shape (words,)."""
        found: Floats = self.informations / self.totals[self.sentences]
        return found


def word_columns(batch: Batch) -> WordColumns:
    """Make the word columns of the texts of a batch."""
    return WordColumns(batch.codes, batch.starts)


def sentence_starts(batch: Batch) -> Ints:
    """Return the global places where the sentences of the texts of a batch start, ascending, shape (sentences,)."""
    return np.union1d(batch.starts[:-1], (ends := _sentence_ends(decode(batch.codes)))[ends < batch.codes.size])


def _sentence_ends(joined: str) -> Ints:
    return np.array([match.end() for match in SENTENCE_END.finditer(joined)], dtype=np.int64)


_OTHER, _JOINER, _COMMA, _LETTER, _DIGIT = 1, 2, 3, 4, 5
_kinds = np.zeros(0x110000, dtype=np.uint8)
"""The role of each code point in words (`_kind`); 0 if it was not computed yet.

Threads may share it: they compute the same values.
"""


def _are_inside(codes: Codes) -> Mask:
    """Return whether each code point is inside a word, in texts without combining marks.

    Args:
        codes: the code points of the texts; the last one belongs to no word.

    Returns:
        A mask of shape (codes + 1,): False, followed by the value for each code point.
    """
    kinds = _kinds.take(codes)
    if not kinds.all():
        for code in set(codes[kinds == 0].tolist()):
            _kinds[code] = _kind(chr(code))
        kinds = _kinds.take(codes)
    inside = np.zeros(codes.size + 1, dtype=np.bool_)
    letters = np.greater_equal(kinds, _LETTER, out=inside[1:])
    joins = kinds[1:-1] == _JOINER
    joins &= letters[:-2] & letters[2:]
    commas = (kinds[1:-1] == _COMMA).nonzero()[0]
    joins[commas] = (kinds[commas] == _DIGIT) & (kinds[commas + 2] == _DIGIT)
    letters[1:-1] |= joins
    return inside


def _kind(char: str) -> int:
    """Return the role of a character in words: letter, digit, comma, joining sign, or any other."""
    if char.isalnum():
        return _DIGIT if char.isdecimal() else _LETTER
    return _COMMA if char == "," else _JOINER if char in JOINERS else _OTHER


class Letters(NamedTuple):
    """The letters that candidates write. All columns have shape (letters,).

    Attributes:
        owners: the number of the candidate that writes each letter, ascending.
        places: the place of each letter in the joined texts of the word columns, ascending for each candidate.
        words: the number of the word in which each letter stands.
        codes: the code point that is written, in lower case, with е for ё.
    """

    owners: Ints
    places: Ints
    words: Ints
    codes: Codes

    def where(self, chosen: Mask) -> "Letters":
        """Return the letters for which the mask `chosen` is True."""
        return Letters(self.owners[chosen], self.places[chosen], self.words[chosen], self.codes[chosen])


def are_as_long(edits: EditTable) -> Mask:
    """Return whether all edits of each candidate keep the length of the text and have no reading, shape (candidates,).

    Insertions and deletions change the length, so candidates that have any are excluded.
    """
    lengths = edits.new.lengths
    wrong = (lengths != edits.stops - edits.starts) | (lengths == 0)
    if edits.notes:
        wrong |= np.array([note is not None and note.reading is not None for note in edits.notes])
    found = np.ones(len(edits), dtype=np.bool_)
    found[edits.owners[wrong]] = False
    return found


def letters_in_place(words: WordColumns, indices: Ints, edits: EditTable, asked: Mask) -> tuple[Letters, Mask]:
    """Find the letters of the candidates whose edits only exchange letters inside words for as many others.

    Args:
        words: the words of the references.
        indices: the index of the reference of each candidate, shape (candidates,).
        edits: the edits of the candidates.
        asked: which candidates may have only such edits (`are_as_long`), shape (candidates,).

    Returns:
        The letters of these candidates; and whether each candidate has only such edits, shape (candidates,).
    """
    owners, starts, texts = edits.owners, edits.starts, edits.new
    if not asked.all():
        kept = asked[owners].nonzero()[0]
        owners, starts, texts = owners[kept], starts[kept], texts.take(kept)
    starts = starts + words.begins[indices[owners]]
    if texts.codes.size > starts.size:
        starts, owners = ranges(starts, texts.lengths), owners.repeat(texts.lengths)
    codes = np.fromiter(map(_letter, decode(texts.codes)), dtype=np.uint32, count=starts.size)
    numbers = words.stops.searchsorted(starts, side="right")
    found = Letters(owners, starts, numbers, codes)
    fits = (words.starts[numbers] <= starts) & words.are_plain[numbers] & (codes > 0)
    if fits.all():
        return found, asked
    asked = asked.copy()
    asked[owners[~fits]] = False
    return found.where(asked[owners]), asked


@lru_cache(maxsize=4096)
def _letter(char: str) -> int:
    """Return the code point of a letter or digit in the form of a word (`form_of`).

    0 for other characters, and for letters whose form is longer or depends on the letters beside them.
    """
    lower = form_of(char) if char.isalnum() and char != "Σ" else ""
    return ord(lower) if len(lower) == 1 else 0


class Respelt(NamedTuple):
    """Sentences of candidates in which letters of some words were exchanged, sorted by candidate, then by place.

    Attributes:
        owners: the number of the candidate that each sentence belongs to, ascending, shape (sentences,).
        damage: for each sentence, the values of the `DAMAGE` features, summed over its misspelt words, shape
            (features, sentences).
        others: the numbers of the candidates in which a word changed so much that it may be a different word now.
    """

    owners: Ints
    damage: Floats
    others: Ints


def respelt(words: WordColumns, letters: Letters) -> Respelt:
    """Find the sentences of candidates whose words are changed by the letters that the candidates write.

    Args:
        words: the words of the references.
        letters: the letters of the candidates; not empty.
    """
    begins = first_of_each(letters.owners * words.starts.size + letters.words).nonzero()[0]
    counts = np.diff(begins, append=letters.owners.size)
    owners, numbers = letters.owners[begins], letters.words[begins]
    forms = _written(words, letters, numbers, counts)
    olds = [words.forms[number] for number in numbers.tolist()]
    new = np.array(list(map(ne, olds, forms)))
    known, lengths = words.are_known[numbers], words.lengths[numbers]
    unknown = ~known
    known[new] = list(map(has_form, compress(forms, new)))
    first = first_of_each(owners * words.starts.size + words.sentences[numbers])
    of_sentence, starts = first.cumsum() - 1, first.nonzero()[0]
    are_other = new & (counts >= lengths) & (lengths > 1)
    writes_digits = any(map(str.isdigit, map(chr, set(letters.codes.tolist()))))
    denies = np.array([old == "не" for old in olds])
    for word in (new & (known | denies | words.have_digits[numbers] | writes_digits)).nonzero()[0].tolist():
        are_other[word] |= turns(olds[word], forms[word])
    became = known & (lengths > 1) & new & ~are_other
    for word in became.nonzero()[0].tolist():
        became[word] = set(lemmas_of(forms[word])).isdisjoint(lemmas_of(olds[word]))
    parts = np.where(are_other | ~new, 0.0, np.minimum(counts / lengths, 1.0))
    illegible = np.clip((parts - LEGIBLE) / (ILLEGIBLE - LEGIBLE), 0.0, 1.0)
    of_words = damage(words.shares[numbers], parts, illegible, became, unknown, long=lengths > SHORT)
    losses = [np.bincount(of_sentence, weights=values, minlength=starts.size) for values in of_words]
    return Respelt(owners[starts], np.array(losses), np.unique(owners[are_other]))


def _written(words: WordColumns, letters: Letters, numbers: Ints, counts: Ints) -> list[str]:
    """Return the new form of each changed word.

    Args:
        words: the words of the references.
        letters: the letters that are written, grouped by changed word.
        numbers: the number of each changed word in `words`, shape (changed words,).
        counts: how many of the letters stand in each changed word, shape (changed words,).
    """
    codes, starts = words.letters
    lengths = words.lengths[numbers] + 1
    written = codes[ranges(starts[numbers], lengths)]
    moved = np.cumsum(lengths) - lengths - words.starts[numbers]
    written[letters.places + moved.repeat(counts)] = letters.codes
    return decode(written[:-1]).split("\n")
