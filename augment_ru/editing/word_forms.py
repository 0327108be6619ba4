"""The words of a batch as forms: which word stands where, found for all texts at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Ints, Keys
from augment_ru.errors import AugmentError
from augment_ru.resources import shortened_words
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, DIGIT, SPACE, WORD, Codes, Counts, Mask, counts_before, decode

_REMEMBERED = 500_000


class WordFunction:
    """A function of words that remembers its values by the digests of the words, so that a word costs once.

    Args:
        function: from a word in lower case to a number of 64 bits; its value never changes.
    """

    def __init__(self, function: Callable[[str], int]) -> None:
        self._function = function
        self._known: dict[int, int] = {}

    def of(self, digests: Keys, word: Callable[[int], str]) -> Ints:
        """The value of each word, shape (words,).

        Args:
            digests: the digests of the words, shape (words,).
            word: returns one of them, by its number.
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
    """The powers of a fixed odd number modulo 2^64, from 0 to 2^exponent, and by what a word's sum is multiplied.

    So the sum of a word that starts at each place begins with the first power.
    """
    both = np.empty((2, 2**exponent + 1), dtype=np.uint64)
    both[:, 0], both[0, 1:], both[1, 1:] = 1, _BASE, _INVERSE
    powers, inverse = np.cumprod(both, axis=1, dtype=np.uint64)
    return powers, inverse * _BASE


@cache
def digest_of(word: str) -> np.uint64:
    """The digest of a word in lower case, as words of a batch have it."""
    codes = np.array([ord(char) for char in word], dtype=np.uint64)
    return np.uint64((codes * _powers(10)[0][1 : codes.size + 1]).sum(dtype=np.uint64))


class FormTable:
    """Words and phrases of two words, in lower case, to be found among the words of a batch.

    A form with ё is found where a text writes е for it, unless the table has that form, too.

    Args:
        forms: the words and phrases; their numbers are their places here.

    Raises:
        AugmentError: a form stands there twice or has three words, so that it could not be found.
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
        """Those of the words, or of the pairs of words, that the table has, and the number of each."""
        table = self._tables[pairs]
        places = table.places(digests)
        found = places >= 0
        return words[found], table.numbers[places[found]]

    def may_begin(self, digests: Keys) -> Mask:
        """Whether each word is the first of a phrase."""
        return self._firsts.places(digests) >= 0


class _Digests(NamedTuple):
    """Digests in order, and the number of the form of each."""

    digests: Keys
    numbers: Ints

    @classmethod
    def of(cls, forms: Mapping[str, int], *, pairs: bool) -> "_Digests":
        chosen = {form: number for form, number in forms.items() if (" " in form) == pairs}
        digests = np.array([digest_of("".join(form.split())) for form in chosen], dtype=np.uint64)
        order = np.argsort(digests, kind="stable")
        return cls(digests[order], np.array(list(chosen.values()), dtype=np.int64)[order])

    def places(self, digests: Keys) -> Ints:
        """The place of each digest among these; -1 if it is none of them."""
        if not self.digests.size:
            return np.full(digests.size, -1)
        places = np.minimum(np.searchsorted(self.digests, digests), self.digests.size - 1)
        return np.where(self.digests[places] == digests, places, -1)


@cache
def shortened_forms() -> FormTable:
    """The words that are written short with a full stop: «ул.», «см.»."""
    return FormTable(sorted(shortened_words()))


_ALL = slice(None)
_CASED = 0x530
"""Latin, Greek and Cyrillic letters stand below this code point."""
_CODE_POINTS = 0x110000


@cache
def _cases() -> tuple[Codes, Codes]:
    """The lower and the upper case of every code point: of those below `_CASED` that have exactly one counterpart."""
    lower, upper = np.arange(_CODE_POINTS, dtype=np.uint32), np.arange(_CODE_POINTS, dtype=np.uint32)
    for code in range(_CASED):
        char = chr(code)
        other = char.lower()
        if len(other) == 1 and other != char and other.upper() == char and ord(other) < _CASED:
            lower[code], upper[ord(other)] = ord(other), code
    return lower, upper


def lowered(codes: Codes) -> Codes:
    """Code points with letters in lower case, where a letter has exactly one counterpart."""
    return _cases()[0].take(codes)


def raised(codes: Codes) -> Codes:
    """Code points with letters in capitals, where a letter has exactly one counterpart."""
    return _cases()[1].take(codes)


class WordForms:
    """The words of a batch that may be edited, in lower case. Words are compared by 64-bit digests.

    Attributes:
        codes: the code points of the batch in lower case.
        starts, stops: the global places of the words, shape (words,).
        beside: whether the next word of the same text or option follows after a single space.
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
        """Whether each word has letters only, without hyphens, digits and signs; shape (words,)."""
        letters: Mask = self._counts[self.stops] - self._counts[self.starts] == self.stops - self.starts
        digit = (self._batch.flags & DIGIT) != 0
        digits = np.flatnonzero(digit & ~np.roll(digit, 1))  # where numbers start; the last code is a line feed
        letters[self._holding(digits)] = False
        return letters

    @cached_property
    def _counts(self) -> Counts:
        """How many letters and digits stand before each place."""
        return counts_before((self._batch.flags & WORD) != 0)

    @cached_property
    def first(self) -> Mask:
        """Whether each word is the first of its sentence, as `first_of_sentences` says; shape (words,)."""
        return first_of_sentences(self._batch, self.starts, self._counts)

    @cached_property
    def _text(self) -> str:
        return decode(self.codes)

    def are(self, pattern: str, words: Ints | slice = _ALL) -> Mask:
        """Whether each word is a word in lower case, begins as «котор*» says, or is any word: «*».

        Args:
            pattern: the word, the beginning, or the star.
            words: which words are looked at; by default all. Those behind the last word are none.
        """
        wanted = pattern.removesuffix("*")
        if not wanted:
            return np.ones(self.starts[words].size, dtype=np.bool_)
        digests = self._digests if wanted == pattern else self._beginnings(len(wanted))
        same: Mask = digests[words] == digest_of(wanted)
        return same

    def _beginnings(self, length: int) -> Keys:
        """The digests of the first letters of each word."""
        if length not in self._of_length:
            stops = np.minimum(self.stops, self.starts + length)
            self._of_length[length] = self._digest(self.starts, stops)
        return self._of_length[length]

    def begin(self, phrases: Iterable[str], words: Ints) -> Mask:
        """Whether one of the phrases, of a word or two, starts at each of these words, shape (words,).

        Args:
            phrases: such as «что», «котор*», «не *», «потому что».
            words: the numbers of the words.
        """
        found = np.zeros(words.size, dtype=np.bool_)
        next_words = np.minimum(words + 1, self.starts.size - 1)  # the last word has none beside it
        for phrase in phrases:
            first, _, second = phrase.partition(" ")
            here = self.are(first, words)
            if second:
                here = here & self.beside[words] & self.are(second, next_words)
            found |= here
        return found

    def find(self, table: FormTable, words: Ints | None = None) -> tuple[Ints, Ints]:
        """Those of the words, by default of all, that are single words of a table, and the number of each in it."""
        if words is None:
            return table.numbers(np.arange(self.starts.size), self._digests, pairs=False)
        return table.numbers(words, self._digests[words], pairs=False)

    def ranges_in(self, table: FormTable, starts: Ints, stops: Ints) -> Mask:
        """Whether what stands at each of these ranges of global places is a single word of a table."""
        found = np.zeros(starts.size, dtype=np.bool_)
        found[table.numbers(np.arange(starts.size), self._digest(starts, stops), pairs=False)[0]] = True
        return found

    def find_pairs(self, table: FormTable) -> tuple[Ints, Ints]:
        """The words with which phrases of a table start, ascending, and the number of each phrase in it."""
        words = np.flatnonzero(table.may_begin(self._digests[:-1]) & self.beside[:-1])
        return table.numbers(words, self._pair_digests(words), pairs=True)

    def with_letter(self, letter: str) -> Ints:
        """The words that have a letter in lower case, ascending."""
        places = np.flatnonzero(self.codes == ord(letter))
        found = np.zeros(self.starts.size, dtype=np.bool_)
        found[self._holding(places)] = True
        return np.flatnonzero(found)

    def _holding(self, places: Ints) -> Ints:
        """The words that hold these places, which ascend; places outside words have none."""
        words = np.searchsorted(self.starts, places, side="right") - 1
        places, words = places[words >= 0], words[words >= 0]
        return words[places < self.stops[words]]

    def end_in(self, ending: str) -> Ints:
        """The words of Cyrillic letters that are longer than an ending and end in it."""
        words = np.flatnonzero(self.codes[self.stops - 1] == ord(ending[-1]))
        words = words[self.letters[words] & (self.stops[words] - self.starts[words] > len(ending) + 1)]
        for back, char in enumerate(reversed(ending), start=1):
            words = words[self.codes[self.stops[words] - back] == ord(char)]
        return words

    def _pair_digests(self, words: Ints) -> Keys:
        """The digests of these words written together with the next one."""
        lengths = self.stops[words] - self.starts[words]
        digests: Keys = self._digests[words] + self._digests[words + 1] * self._powers[lengths]
        return digests

    def distinct(self, words: Ints) -> tuple[list[str], Ints]:
        """The different forms among these words, in lower case, and the number of the form of each word."""
        _, firsts, places = np.unique(self._digests[words], return_index=True, return_inverse=True)
        text = self._text
        bounds = zip(self.starts[words][firsts].tolist(), self.stops[words][firsts].tolist(), strict=True)
        return [text[start:stop] for start, stop in bounds], places

    def values(self, words: Ints, function: WordFunction) -> Ints:
        """A function of each of these words in lower case, shape (words,)."""
        return self._each(self._digests[words], self.starts[words], self.stops[words], function)

    def pair_values(self, words: Ints, function: WordFunction) -> Ints:
        """A function of each of these words written together with the next one, shape (words,)."""
        return self._each(self._pair_digests(words), self.starts[words], self.stops[words + 1], function)

    def _each(self, digests: Keys, starts: Ints, stops: Ints, function: WordFunction) -> Ints:
        def word(at: int) -> str:
            return "".join(self._text[starts[at] : stops[at]].split())

        return function.of(digests, word)


def first_of_sentences(batch: Batch, places: Ints, before: Counts | None = None) -> Mask:
    """Whether no letter or digit stands between each place and the start of its sentence, line or option.

    The full stop of an initial ends no sentence: «А. С. Пушкин».

    Args:
        batch: the texts.
        places: where words start, ascending.
        before: how many letters and digits stand before each place of the batch, if that is known.
    """
    before = counts_before((batch.flags & WORD) != 0) if before is None else before
    breaks = (batch.flags & BREAK) != 0
    stops = np.flatnonzero(batch.codes == ord("."))
    two = batch.flags[np.stack([stops - 1, np.maximum(stops - 2, 0)])]  # place -1 is a line feed
    is_letter, has_letter = (two & (WORD | DIGIT)) == WORD
    breaks[stops[is_letter & ~has_letter]] = False
    edges = np.concatenate([np.flatnonzero(breaks), batch.fences])
    following = np.searchsorted(places, edges)
    edges, following = edges[following < places.size], following[following < places.size]
    first = np.zeros(places.size, dtype=np.bool_)
    first[following[before[edges] == before[places[following]]]] = True
    return first
