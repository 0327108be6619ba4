"""Functions of words that are computed once for each word."""

from collections.abc import Callable
from threading import local

import numpy as np

from augment_ru.draws import Ints, Keys

_REMEMBERED = 500_000
_SLOTS = 16
"""The bits of the number of a slot, where the value of a frequent word is found without a look at the others."""


class WordFunction:
    """A function of words that remembers its values by the digests of the words, so that a word costs once.

    Args:
        function: from a word in lower case to a number of 64 bits; its value never changes.
    """

    def __init__(self, function: Callable[[str], int]) -> None:
        self._function = function
        self._known: dict[int, int] = {}
        self._slots = local()  # each thread has slots of its own, since two arrays cannot be changed at once

    def of(self, digests: Keys, word: Callable[[int], str]) -> Ints:
        """The value of each word, shape (words,).

        Args:
            digests: the digests of the words, shape (words,).
            word: returns one of them, by its number.
        """
        if not hasattr(self._slots, "kept"):
            size = 1 << _SLOTS  # a digest of 0 stands for none: that of no characters
            self._slots.kept = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int64)
        keys, values = self._slots.kept
        slots = digests >> np.uint64(64 - _SLOTS)
        found: Ints = values[slots]
        other = np.flatnonzero(keys[slots] != digests)
        if other.size:
            found[other] = self._remembered(other, digests[other], word)
            keys[slots[other]] = digests[other]
            taken = other[keys[slots[other]] == digests[other]]  # of words of one slot one is remembered there
            values[slots[taken]] = found[taken]
        return found

    def _remembered(self, words: Ints, digests: Keys, word: Callable[[int], str]) -> list[int]:
        if len(self._known) > _REMEMBERED:
            self._known = {}
        known = self._known
        found = []
        for at, digest in zip(words.tolist(), digests.tolist(), strict=True):
            value = known.get(digest)
            if value is None:
                value = known[digest] = int(self._function(word(at)))
            found.append(value)
        return found
