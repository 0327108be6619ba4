"""Русские слова в английской раскладке: «rfpbyj» → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from augment_ru.normalizers import _bits as by
from augment_ru.normalizers._lattice import WordReading
from augment_ru.normalizers._lexicon import is_listed, weight
from augment_ru.normalizers._reading import WordNormalization
from augment_ru.resources import dictionary_path, keyboard_layouts, listed_in, rows

_LONGER = 4.0
"""By how much the weight must be higher for the last sign to be read as a sign and not as a letter («,» is «б»)."""
_FEWEST, _SURE = 5, 9.0
"""The fewest letters of an English word that was typed in the Russian layout, and the score of this reading."""
_CLOSING = "?/&!:;.,\")'"


@dataclass(frozen=True, slots=True)
class LayoutNormalization(WordNormalization):
    """Read Russian words that were typed in the English keyboard layout: «rfpbyj» is «казино»."""

    def whole(self, piece: str) -> Iterable[WordReading]:
        """Yield the words that a piece of a text may stand for if it was typed in the English layout.

        In the yielded readings, `cost` is no cost: it is the index in the piece where the word ends.

        Args:
            piece: a part of the text between white space, with its punctuation.
        """
        longer = 0.0
        for stop in range(len(piece), 0, -1):
            typed = piece[:stop].translate(keyboard_layouts()[1])
            parts = typed.lower().split("-")
            if all(map(is_listed, parts)) and len(max(parts, key=len)) >= min(len(parts), 2):
                yield WordReading(min(map(weight, parts)) - longer - _LONGER * (len(parts) > 1), typed, stop, self.bit)
                longer = _LONGER
            if piece[stop - 1] not in _CLOSING:
                return

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Yield the English word that an unknown word is if it was typed in the Russian layout: «сфыштщ», «casino»."""
        typed = word.lower().translate(keyboard_layouts()[0])
        if len(typed) >= _FEWEST and typed.isalpha() and (typed in _brands() or typed in listed_in("english")):
            yield WordReading(_SURE, typed, 0.0, self.bit | by.HEARD)

    def is_near(self, word: str) -> bool:
        """Tell whether a word is an English one, or the name of a site, that was typed in the Russian layout."""
        return any(self.unknown(word))


@cache
def _brands() -> frozenset[str]:
    """Return the networks and sites that people name, in Latin letters."""
    return frozenset(means for kind, _, means in rows(dictionary_path("contacts"), columns=3) if kind == "host")
