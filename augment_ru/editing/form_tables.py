"""Tables of words and phrases by the digests of their letters, and the digests."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Ints, Keys
from augment_ru.errors import AugmentError
from augment_ru.resources import shortened_words
from augment_ru.text.characters import Mask

_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(int(_BASE), -1, 2**64))


@cache
def _powers_of(base: np.uint64, exponent: int) -> Keys:
    """The powers of a number modulo 2^64, from 0 to 2^exponent."""
    powers = np.full(2**exponent + 1, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def powers(exponent: int) -> Keys:
    """The powers of a fixed odd number modulo 2^64, from 0 to 2^exponent."""
    return _powers_of(_BASE, exponent)


@cache
def inverse_powers(exponent: int) -> Keys:
    """By what the sum of a word that starts at each place is multiplied, so that its first power is 1."""
    return _powers_of(_INVERSE, exponent) * _BASE


@cache
def digest_of(word: str) -> np.uint64:
    """The digest of a word in lower case, as words of a batch have it."""
    codes = np.array([ord(char) for char in word], dtype=np.uint64)
    return np.uint64((codes * powers(10)[1 : codes.size + 1]).sum(dtype=np.uint64))


_BUCKETS = 16
"""The first bits of a digest by which most words are told from those of a table at once."""


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
        likely = np.flatnonzero(table.likely(digests))
        places = table.places(digests[likely])
        found = places >= 0
        return words[likely[found]], table.numbers[places[found]]

    def may_begin(self, digests: Keys) -> Mask:
        """Whether each word may be the first of a phrase; few others are."""
        return self._firsts.likely(digests)


class _Digests(NamedTuple):
    """Digests in order, the number of the form of each, and which first bits they have."""

    digests: Keys
    numbers: Ints
    buckets: Mask

    @classmethod
    def of(cls, forms: Mapping[str, int], *, pairs: bool) -> "_Digests":
        chosen = {form: number for form, number in forms.items() if (" " in form) == pairs}
        digests = np.array([digest_of("".join(form.split())) for form in chosen], dtype=np.uint64)
        order = np.argsort(digests, kind="stable")
        buckets = np.zeros(1 << _BUCKETS, dtype=np.bool_)
        buckets[digests >> _SHIFT] = True
        return cls(digests[order], np.array(list(chosen.values()), dtype=np.int64)[order], buckets)

    def likely(self, digests: Keys) -> Mask:
        """Whether each digest may be one of these."""
        mask: Mask = self.buckets[digests >> _SHIFT]
        return mask

    def places(self, digests: Keys) -> Ints:
        """The place of each digest among these; -1 if it is none of them."""
        if not self.digests.size:
            return np.full(digests.size, -1)
        places = np.minimum(np.searchsorted(self.digests, digests), self.digests.size - 1)
        return np.where(self.digests[places] == digests, places, -1)


_SHIFT = np.uint64(64 - _BUCKETS)


@cache
def shortened_forms() -> FormTable:
    """The words that are written short with a full stop: «ул.», «см.»."""
    return FormTable(sorted(shortened_words()))
