"""Keyboard layouts: what the same keys type in each of two."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, Mask


@dataclass(frozen=True, slots=True)
class Layouts:
    """What the same keys type in two layouts, in columns; the shape of each is (2, largest code point + 2).

    Attributes:
        typed: the code point that the other layout types in place of each of the first or second layout, 0 for none.
        letters: whether each code point is a letter of the first or second layout.
    """

    typed: Codes
    letters: npt.NDArray[np.bool_]

    def keys(self, batch: Batch) -> Ints:
        """The column of each code point of a batch."""
        keys: Ints = np.minimum(batch.codes, self.typed.shape[1] - 1).astype(np.int64)
        return keys

    def letters_in(self, batch: Batch) -> Mask:
        """Whether each code point of a batch is a letter of either layout."""
        keys = self.keys(batch)
        found: Mask = self.letters[0, keys] | self.letters[1, keys]
        return found

    def exchanged(self, batch: Batch) -> Codes:
        """The code points of a batch with the keys of each typed in the other layout; a character without one stays.

        A sign that is no letter is typed in the layout of the letter before it in its text, without one in that of
        the letter after it; in a text without letters it stays.
        """
        keys = self.keys(batch)
        codes = batch.codes.copy()
        is_letter = self.letters[:, keys]
        for layout in (0, 1):
            codes[is_letter[layout]] = self.typed[layout, keys[is_letter[layout]]]
        any_letter = is_letter[0] | is_letter[1]
        signs = np.flatnonzero(((self.typed[0] | self.typed[1]) != 0)[keys] & ~any_letter)
        letters = np.flatnonzero(any_letter)
        if not (signs.size and letters.size):
            return codes
        after = np.searchsorted(letters, signs)
        beside = letters[np.maximum(after - 1, 0)]
        lacking = (beside > signs) | (batch.rows(beside) != batch.rows(signs))
        beside[lacking] = letters[np.minimum(after, letters.size - 1)[lacking]]
        typed = self.typed[is_letter[1, beside].astype(np.int64), keys[signs]]
        fits = (batch.rows(beside) == batch.rows(signs)) & (typed != 0)
        codes[signs[fits]] = typed[fits]
        return codes


@cache
def layouts(name: str) -> Layouts:
    """The layouts of a dictionary: character in the first layout, character of the same key in the second.

    Raises:
        AugmentError: there is no such dictionary, a line is wrong, or a letter is in both layouts.
    """
    pairs = list(rows(dictionary_path(name), columns=2))
    for pair in pairs:
        if any(len(char) != 1 for char in pair) or pair[0] == pair[1]:
            raise AugmentError(f"{name}: '{pair[0]}', '{pair[1]}'; needs two different characters of one key")
    size = max((ord(char) for pair in pairs for char in pair), default=0) + 2
    typed, letters = np.zeros((2, size), dtype=np.uint32), np.zeros((2, size), dtype=np.bool_)
    for pair in pairs:
        for layout, char in enumerate(pair):
            typed[layout, ord(char)] = ord(pair[1 - layout])
            letters[layout, ord(char)] = char.isalpha()
    if shared := "".join(map(chr, np.flatnonzero(letters.all(axis=0)).tolist())):
        raise AugmentError(f"{name}: '{shared}' in both layouts; a letter must tell which layout it is of")
    return Layouts(typed, letters)
