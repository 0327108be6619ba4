"""Holds the words of a batch in lower case, and finds given words and phrases in all texts at once."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, DIGIT, SPACE, WORD, Codes, Mask, counted, counts_before, decode, marked

FormTable: TypeAlias = Mapping[str, int]
"""Words and phrases of two words, in lower case, with their numbers."""


def form_table(forms: Sequence[str]) -> FormTable:
    """Return a table that numbers words and phrases of two words, so that they can be found in a batch.

    A word with ё is also found where a text has е instead, unless the spelling with е is listed by itself.

    Args:
        forms: the words and phrases, in lower case; the first one gets the number 0.

    Raises:
        AugmentError: a form is given twice or has more than two words.
    """
    numbers = {form: number for number, form in enumerate(forms)}
    if len(numbers) < len(forms):
        twice = next(form for number, form in enumerate(forms) if numbers[form] != number)
        raise AugmentError(f"forms: '{twice}' stands there twice; give it one number")
    if long := next((form for form in forms if form.count(" ") > 1), None):
        raise AugmentError(f"forms: '{long}' has more than two words; give one word or two")
    return with_e(numbers)


def with_e(forms: FormTable) -> FormTable:
    """Return a table of words that also finds a word with ё where a text has е instead: it lists both spellings.

    If the table lists the spelling with е as another word, that word stays.
    """
    return {form.replace("ё", "е"): number for form, number in forms.items()} | dict(forms)


_CASED = 0x530
"""All Latin, Greek and Cyrillic letters that are looked at are below this code point."""
_CODE_POINTS = 0x110000


@cache
def _cases() -> tuple[Codes, Codes]:
    """Return the lower and the upper case of every code point.

    A code point from `_CASED` on, or without exactly one counterpart, stands for itself.
    """
    lower, upper = np.arange(_CODE_POINTS, dtype=np.uint32), np.arange(_CODE_POINTS, dtype=np.uint32)
    for code in range(_CASED):
        char = chr(code)
        other = char.lower()
        if len(other) == 1 and other != char and other.upper() == char and ord(other) < _CASED:
            lower[code], upper[ord(other)] = ord(other), code
    return lower, upper


def lowered(codes: Codes) -> Codes:
    """Put an array of code points in lower case; a letter stays if its lower case is not one character."""
    return _cases()[0].take(codes)


def raised(codes: Codes) -> Codes:
    """Put an array of code points in upper case; a letter stays if its upper case is not one character («ß»)."""
    return _cases()[1].take(codes)


class WordForms:
    """Holds the words of a batch that may be edited, in lower case.

    Methods take and return the indices of words in `starts`, from 0.

    Attributes:
        codes: the code points of the batch in lower case, shape (codes,).
        starts, stops: the global places (offsets in `codes`) where the words start and stop, shape (words,).
        texts: the words. Words that stay together («30 000») count as one, which is written without the spaces.
        beside: whether there is only a single space between each word and the next word of the same text or option,
            shape (words,).
    """

    def __init__(self, batch: Batch) -> None:
        self.starts, self.stops = batch.words
        self.codes = lowered(batch.codes)
        self._batch, self._text = batch, decode(self.codes)
        self.texts = ["".join(text.split()) for text in self._ranges(self.starts, self.stops)]
        self.beside: Mask = np.zeros(self.starts.size, dtype=np.bool_)
        self.beside[:-1] = (self.starts[1:] == self.stops[:-1] + 1) & (batch.flags[self.stops[:-1]] & SPACE != 0)
        behind = np.searchsorted(self.starts, batch.fences)
        self.beside[behind[behind > 0] - 1] = False

    def _ranges(self, starts: Ints, stops: Ints) -> list[str]:
        text = self._text
        return [text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]

    @cached_property
    def letters(self) -> Mask:
        """Whether each word consists of letters only, without hyphens, digits and signs; shape (words,)."""
        is_letter = (self._batch.flags & (WORD | DIGIT)) == WORD
        letters: Mask = counted(is_letter, self.starts, self.stops) == self.stops - self.starts
        return letters

    @cached_property
    def first(self) -> Mask:
        """Whether each word is the first of its sentence, line or option; shape (words,)."""
        return first_of_sentences(self._batch, self.starts)

    @cached_property
    def pairs(self) -> list[str]:
        """Each word and the next one with a space between them; "" if the next one is not beside it."""
        rows = zip(self.texts, self.texts[1:], self.beside.tolist(), strict=False)
        return [*(f"{one} {other}" if beside else "" for one, other, beside in rows), ""][: len(self.texts)]

    def begin(self, phrases: Sequence[str], words: Ints) -> Mask:
        """Tell, for each of some words, whether a phrase from a list begins there; shape (words,).

        Args:
            phrases: phrases of one word or two, such as «что», «котор*», «не *», «потому что».
            words: the indices of the words.
        """
        pattern = _pattern(tuple(phrases))
        stands = (pattern.match((self.pairs[at] or self.texts[at]) + " ") for at in words.tolist())
        return np.array([match is not None for match in stands], dtype=np.bool_)

    def find(self, table: FormTable) -> tuple[Ints, Ints]:
        """Find the words of the batch that a table lists as single words.

        Args:
            table: the words and phrases to find (see `form_table`).

        Returns:
            The indices of these words; and the number of each word in the table.
        """
        return _found(self.texts, table)

    def find_pairs(self, table: FormTable) -> tuple[Ints, Ints]:
        """Find the phrases of two words in the batch that a table lists.

        Args:
            table: the words and phrases to find (see `form_table`).

        Returns:
            The indices of the first words of these phrases, ascending; and for each phrase, its number in the table.
        """
        return _found(self.pairs, table)

    def ranges_in(self, listed: Container[str], starts: Ints, stops: Ints) -> Mask:
        """Tell for each range of the batch whether its text, in lower case, is one of the words listed.

        Args:
            listed: the words.
            starts: the global places (offsets in `codes`) where the ranges start.
            stops: the global places where they stop.
        """
        return np.array([text in listed for text in self._ranges(starts, stops)], dtype=np.bool_)

    def with_letter(self, letter: str) -> Ints:
        """Return the indices of the words that contain a letter, ascending; the letter is given in lower case."""
        return np.array([at for at, text in enumerate(self.texts) if letter in text], dtype=np.int64)

    def end_in(self, ending: str) -> Ints:
        """Return the indices of the words of letters only that end in `ending`, after at least two other letters."""
        words = [at for at, text in enumerate(self.texts) if text.endswith(ending) and len(text) > len(ending) + 1]
        found = np.array(words, dtype=np.int64)
        return found[self.letters[found]]

    def distinct(self, words: Ints) -> tuple[list[str], Ints]:
        """Return the different words among some words, in lower case, and the index of each word among them.

        Args:
            words: the indices of the words.

        Returns:
            The different words; and for each of `words`, the index at which it stands among them.
        """
        numbers: dict[str, int] = {}
        places = [numbers.setdefault(self.texts[at], len(numbers)) for at in words.tolist()]
        return list(numbers), np.array(places, dtype=np.int64)

    def values(self, words: Ints, function: Callable[[str], int]) -> Ints:
        """Return the value of a function for each of some words in lower case, shape (words,).

        Args:
            words: the indices of the words.
            function: a function that caches its values, since it is called for many words.
        """
        return np.array([function(self.texts[at]) for at in words.tolist()], dtype=np.int64)

    def pair_values(self, words: Ints, function: Callable[[str], int]) -> Ints:
        """Join each of these words to the next one, and return a function's value for each joined word, shape (words,).

        Args:
            words: the indices of the words.
            function: a function that caches its values; it gets the two words as one, without a space.
        """
        return np.array([function(self.texts[at] + self.texts[at + 1]) for at in words.tolist()], dtype=np.int64)


def _found(texts: Sequence[str], table: FormTable) -> tuple[Ints, Ints]:
    numbers = np.array([table.get(text, -1) for text in texts], dtype=np.int64)
    words = np.flatnonzero(numbers >= 0)
    return words, numbers[words]


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the texts, each with a space behind it, that begin with one of these phrases."""
    return re.compile("|".join(re.escape(phrase).replace(r"\*", r"\S*") + " " for phrase in phrases))


def first_of_sentences(batch: Batch, places: Ints) -> Mask:
    """Tell for each word whether it is the first of its sentence, line or option; shape (words,).

    The full stop of an initial ends no sentence: «А. С. Пушкин».

    Args:
        batch: the texts.
        places: the global places (offsets in `batch.codes`) where the words start, ascending.
    """
    before = counts_before((batch.flags & WORD) != 0)
    breaks = (batch.flags & BREAK) != 0
    stops = np.flatnonzero(batch.codes == ord("."))
    two = batch.flags[np.stack([stops - 1, stops - 2])]  # place -1 is a line feed
    is_letter, has_letter = (two & (WORD | DIGIT)) == WORD
    breaks[stops[is_letter & ~has_letter]] = False
    edges = np.concatenate([np.flatnonzero(breaks), batch.fences])
    following = np.searchsorted(places, edges)
    edges, following = edges[following < places.size], following[following < places.size]
    return marked(places.size, following[before[edges] == before[places[following]]])
