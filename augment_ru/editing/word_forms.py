"""The words of a batch in lower case, and a search for given words and phrases in all texts at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Ints, Keys
from augment_ru.errors import AugmentError
from augment_ru.resources import listed_in
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, DIGIT, SPACE, WORD, Codes, Counts, Mask, counts_before, decode, marked

_REMEMBERED = 500_000


class WordFunction:
    """A function of words that remembers its values by the digests (hashes) of the words.

    So it is computed once for each word.

    Args:
        function: a function from a word in lower case to an integer of 64 bits; its value for a word never changes.
    """

    def __init__(self, function: Callable[[str], int]) -> None:
        self._function = function
        self._known: dict[int, int] = {}

    def of(self, digests: Keys, word: Callable[[int], str]) -> Ints:
        """Return the value of the function for each word, shape (words,).

        Args:
            digests: the 64-bit digest of each word, shape (words,).
            word: a function that takes the index of a word in `digests` and returns the word; called for new words
                only.
        """
        known = self._known
        if len(known) > _REMEMBERED:
            known = self._known = {}
        found: list[int] = []
        for at, digest in enumerate(digests.tolist()):
            value = known.get(digest)
            if value is None:
                value = known[digest] = int(self._function(word(at)))
            found.append(value)
        return np.array(found, dtype=np.int64)


_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(int(_BASE), -1, 2**64))


@cache
def _powers(exponent: int) -> tuple[Keys, Keys]:
    """Return the powers from which digests of words are computed, modulo 2^64.

    Returns:
        The powers of a fixed odd number, with exponents from 0 to 2^exponent; and, for each place in a batch, the
        factor for the sum of a word that starts there, so that equal words have equal digests at every place.
    """
    both = np.empty((2, 2**exponent + 1), dtype=np.uint64)
    both[:, 0], both[0, 1:], both[1, 1:] = 1, _BASE, _INVERSE
    powers, inverse = np.cumprod(both, axis=1, dtype=np.uint64)
    return powers, inverse * _BASE


@cache
def digest_of(word: str) -> np.uint64:
    """Return the 64-bit digest (hash) of a word in lower case; `WordForms` computes the same for words of a batch."""
    codes = np.array([ord(char) for char in word], dtype=np.uint64)
    return np.uint64((codes * _powers(10)[0][1 : codes.size + 1]).sum(dtype=np.uint64))


class FormTable:
    """Words and phrases of two words, in lower case, to be found among the words of a batch.

    A form with ё is also found where a text has е instead, unless the form with е is in the table, too.

    Args:
        forms: the words and phrases. Each is known by its index here, from 0.

    Raises:
        AugmentError: a form is given twice or has more than two words.
    """

    def __init__(self, forms: Sequence[str]) -> None:
        numbers = {form: number for number, form in enumerate(forms)}
        if len(numbers) < len(forms):
            twice = next(form for number, form in enumerate(forms) if numbers[form] != number)
            raise AugmentError(f"forms: '{twice}' stands there twice; give it one number")
        if long := next((form for form in forms if form.count(" ") > 1), None):
            raise AugmentError(f"forms: '{long}' has more than two words; give one word or two")
        numbers = {form.replace("ё", "е"): number for form, number in numbers.items()} | numbers
        self._tables = {pairs: _Digests.of(numbers, pairs=pairs) for pairs in (False, True)}
        firsts = sorted({form.partition(" ")[0] for form in numbers if " " in form})
        self._firsts = _Digests.of({form: number for number, form in enumerate(firsts)}, pairs=False)

    def numbers(self, words: Ints, digests: Keys, *, pairs: bool) -> tuple[Ints, Ints]:
        """Look up words, or pairs of neighbouring words, in the table.

        Args:
            words: the index of each word in the batch; for a pair, that of its first word.
            digests: the 64-bit digest of each word or pair, same shape.
            pairs: whether pairs of words are looked up.

        Returns:
            Those of `words` that were found; and for each, the index of its form in the table.
        """
        table = self._tables[pairs]
        places = table.places(digests)
        found = places >= 0
        return words[found], table.numbers[places[found]]

    def may_begin(self, digests: Keys) -> Mask:
        """Tell whether each word is the first word of some phrase in the table.

        Args:
            digests: the 64-bit digest of each word.
        """
        return self._firsts.places(digests) >= 0


class _Digests(NamedTuple):
    """Sorted digests, and the number of the form that each one belongs to."""

    digests: Keys
    numbers: Ints

    @classmethod
    def of(cls, forms: Mapping[str, int], *, pairs: bool) -> "_Digests":
        chosen = {form: number for form, number in forms.items() if (" " in form) == pairs}
        digests = np.array([digest_of("".join(form.split())) for form in chosen], dtype=np.uint64)
        order = np.argsort(digests, kind="stable")
        return cls(digests[order], np.array(list(chosen.values()), dtype=np.int64)[order])

    def places(self, digests: Keys) -> Ints:
        """Return the index of each digest in this table; -1 for a digest that the table lacks."""
        if not self.digests.size:
            return np.full(digests.size, -1)
        places = np.minimum(np.searchsorted(self.digests, digests), self.digests.size - 1)
        return np.where(self.digests[places] == digests, places, -1)


@cache
def shortened_forms() -> FormTable:
    """Return the words that are abbreviated with a full stop: «ул.», «см.»."""
    return FormTable(sorted(listed_in("shortened_words")))


_ALL = slice(None)
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
    """Return code points with their letters in lower case; a letter without exactly one counterpart stays."""
    return _cases()[0].take(codes)


def raised(codes: Codes) -> Codes:
    """Return code points with their letters in upper case; a letter without exactly one counterpart stays."""
    return _cases()[1].take(codes)


class WordForms:
    """The words of a batch that may be edited, in lower case; they are compared by 64-bit digests.

    Methods take and return the indices of words in `starts`, from 0.

    Attributes:
        codes: the code points of the batch in lower case.
        starts, stops: the global places where the words start and stop, shape (words,).
        beside: whether there is only a single space between each word and the next word of the same text or option,
            shape (words,).
    """

    def __init__(self, batch: Batch) -> None:
        self.starts, self.stops = batch.words
        self.codes = lowered(batch.codes)
        self._batch = batch
        self.beside: Mask = np.zeros(self.starts.size, dtype=np.bool_)
        self.beside[:-1] = (self.starts[1:] == self.stops[:-1] + 1) & (batch.flags[self.stops[:-1]] & SPACE != 0)
        behind = np.searchsorted(self.starts, batch.fences)
        self.beside[behind[behind > 0] - 1] = False
        exponent = max(int(self.codes.size).bit_length(), 10)
        self._powers, self._inverse = _powers(exponent)
        self._sums: Keys = np.zeros(self.codes.size + 1, dtype=np.uint64)
        np.cumsum(self._powers[: self.codes.size] * self.codes, out=self._sums[1:])
        self._digests = self._digest(self.starts, self.stops)
        self._of_length: dict[int, Keys] = {}

    def _digest(self, starts: Ints, stops: Ints) -> Keys:
        return (self._sums[stops] - self._sums[starts]) * self._inverse[starts]

    @cached_property
    def letters(self) -> Mask:
        """Whether each word consists of letters only, without hyphens, digits and signs; shape (words,)."""
        letters: Mask = self._counts[self.stops] - self._counts[self.starts] == self.stops - self.starts
        digit = (self._batch.flags & DIGIT) != 0
        digits = np.flatnonzero(digit & ~np.roll(digit, 1))  # where numbers start; the last code is a line feed
        letters[self._holding(digits)] = False
        return letters

    @cached_property
    def _counts(self) -> Counts:
        """The number of letters and digits before each place."""
        return counts_before((self._batch.flags & WORD) != 0)

    @cached_property
    def first(self) -> Mask:
        """Whether each word is the first of its sentence, line or option; shape (words,)."""
        return first_of_sentences(self._batch, self.starts, self._counts)

    @cached_property
    def _text(self) -> str:
        return decode(self.codes)

    def are(self, pattern: str, words: Ints | slice = _ALL) -> Mask:
        """Tell whether each word fits a pattern.

        Args:
            pattern: a word in lower case; or a beginning with a star, «котор*»; or a star, which fits any word.
            words: the indices of the words that are looked at; by default all words.
        """
        wanted = pattern.removesuffix("*")
        if not wanted:
            return np.ones(self.starts[words].size, dtype=np.bool_)
        digests = self._digests if wanted == pattern else self._beginnings(len(wanted))
        same: Mask = digests[words] == digest_of(wanted)
        return same

    def _beginnings(self, length: int) -> Keys:
        """Return the digest of the first `length` letters of each word."""
        if length not in self._of_length:
            stops = np.minimum(self.stops, self.starts + length)
            self._of_length[length] = self._digest(self.starts, stops)
        return self._of_length[length]

    def begin(self, phrases: Iterable[str], words: Ints) -> Mask:
        """Tell for each of these words whether one of the phrases starts there, shape (words,).

        Args:
            phrases: phrases of one word or two, such as «что», «котор*», «не *», «потому что».
            words: the indices of the words.
        """
        found = np.zeros(words.size, dtype=np.bool_)
        next_words = np.minimum(words + 1, self.starts.size - 1)  # no word is beside the last one
        for phrase in phrases:
            first, _, second = phrase.partition(" ")
            here = self.are(first, words)
            if second:
                here = here & self.beside[words] & self.are(second, next_words)
            found |= here
        return found

    def find(self, table: FormTable, words: Ints | None = None) -> tuple[Ints, Ints]:
        """Find the words that a table has as single words.

        Args:
            table: the table.
            words: the indices of the words that are looked up; by default all words.

        Returns:
            The indices of the words found; and for each, the index of its form in the table.
        """
        if words is None:
            return table.numbers(np.arange(self.starts.size), self._digests, pairs=False)
        return table.numbers(words, self._digests[words], pairs=False)

    def ranges_in(self, table: FormTable, starts: Ints, stops: Ints) -> Mask:
        """Tell for each range of the batch whether its text is one word of the table.

        Args:
            table: the table.
            starts: the global places where the ranges start.
            stops: the global places where they stop.
        """
        found, _ = table.numbers(np.arange(starts.size), self._digest(starts, stops), pairs=False)
        return marked(starts.size, found)

    def find_pairs(self, table: FormTable) -> tuple[Ints, Ints]:
        """Find the phrases of two words that a table has.

        Args:
            table: the table.

        Returns:
            The indices of the first words of the phrases, ascending; and for each, the index of the phrase in the
            table.
        """
        words = np.flatnonzero(table.may_begin(self._digests[:-1]) & self.beside[:-1])
        return table.numbers(words, self._pair_digests(words), pairs=True)

    def with_letter(self, letter: str) -> Ints:
        """Return the indices of the words that contain a letter, ascending; the letter is given in lower case."""
        return np.unique(self._holding(np.flatnonzero(self.codes == ord(letter))))

    def _holding(self, places: Ints) -> Ints:
        """Return the number of the word around each place; places outside words are left out.

        Args:
            places: global places, ascending.
        """
        words = np.searchsorted(self.starts, places, side="right") - 1
        places, words = places[words >= 0], words[words >= 0]
        return words[places < self.stops[words]]

    def end_in(self, ending: str) -> Ints:
        """Return the indices of the words of letters only that have this ending and at least two letters before it."""
        words = np.flatnonzero(self.codes[self.stops - 1] == ord(ending[-1]))
        words = words[self.letters[words] & (self.stops[words] - self.starts[words] > len(ending) + 1)]
        for back, char in enumerate(reversed(ending), start=1):
            words = words[self.codes[self.stops[words] - back] == ord(char)]
        return words

    def _pair_digests(self, words: Ints) -> Keys:
        """Return the digest of each of these words joined with the next word."""
        lengths = self.stops[words] - self.starts[words]
        digests: Keys = self._digests[words] + self._digests[words + 1] * self._powers[lengths]
        return digests

    def distinct(self, words: Ints) -> tuple[list[str], Ints]:
        """Return the different words among some words, in lower case, and which of them each word is.

        Args:
            words: the indices of the words.

        Returns:
            The different words; and for each of `words`, the index of its form among the different words.
        """
        _, firsts, places = np.unique(self._digests[words], return_index=True, return_inverse=True)
        text = self._text
        bounds = zip(self.starts[words][firsts].tolist(), self.stops[words][firsts].tolist(), strict=True)
        return [text[start:stop] for start, stop in bounds], places

    def values(self, words: Ints, function: WordFunction) -> Ints:
        """Return the value of a function for each of these words in lower case, shape (words,).

        Args:
            words: the indices of the words.
            function: the function.
        """
        return self._each(self._digests[words], self.starts[words], self.stops[words], function)

    def pair_values(self, words: Ints, function: WordFunction) -> Ints:
        """Return the value of a function for each of these words written together with the next word, shape (words,).

        Args:
            words: the indices of the words.
            function: the function; it is given both words as one, without a space.
        """
        return self._each(self._pair_digests(words), self.starts[words], self.stops[words + 1], function)

    def _each(self, digests: Keys, starts: Ints, stops: Ints, function: WordFunction) -> Ints:
        def word(at: int) -> str:
            return "".join(self._text[starts[at] : stops[at]].split())

        return function.of(digests, word)


def first_of_sentences(batch: Batch, places: Ints, before: Counts | None = None) -> Mask:
    """Tell for each word whether it is the first of its sentence, line or option.

    No letter or digit may stand before it there. The full stop of an initial ends no sentence: «А. С. Пушкин».

    Args:
        batch: the texts.
        places: the global places where the words start, ascending.
        before: the number of letters and digits before each place of the batch; None: it is counted here.
    """
    before = counts_before((batch.flags & WORD) != 0) if before is None else before
    breaks = (batch.flags & BREAK) != 0
    stops = np.flatnonzero(batch.codes == ord("."))
    two = batch.flags[np.stack([stops - 1, stops - 2])]  # place -1 is a line feed
    is_letter, has_letter = (two & (WORD | DIGIT)) == WORD
    breaks[stops[is_letter & ~has_letter]] = False
    edges = np.concatenate([np.flatnonzero(breaks), batch.fences])
    following = np.searchsorted(places, edges)
    edges, following = edges[following < places.size], following[following < places.size]
    return marked(places.size, following[before[edges] == before[places[following]]])
