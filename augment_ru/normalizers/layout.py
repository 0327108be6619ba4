"""Русские слова в английской раскладке: «rfpbyj» → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from augment_ru.normalizers._lattice import WordReading
from augment_ru.normalizers._lexicon import is_listed, weight
from augment_ru.normalizers._reading import WordNormalization
from augment_ru.resources import dictionary_path, rows

_LONGER = 4.0
"""By how much the weight must be higher for the last sign to be read as a sign and not as a letter («,» is «б»)."""
_CLOSING = "?/&!:;.,\")'"


@dataclass(frozen=True, slots=True)
class LayoutNormalization(WordNormalization):
    """Read Russian words that were typed in the English keyboard layout: «rfpbyj» is «казино»."""

    name: ClassVar[str] = "layout"

    def whole(self, piece: str) -> Iterable[WordReading]:
        """Yield the words that a piece of a text may stand for if it was typed in the English layout.

        In the yielded objects, `cost` is no cost: it is the index in the piece where the word ends.
        """
        longer = 0.0
        for stop in range(len(piece), 0, -1):
            typed = piece[:stop].translate(_keys())
            parts = typed.lower().split("-")
            if all(map(is_listed, parts)) and len(max(parts, key=len)) >= min(len(parts), 2):
                yield WordReading(min(map(weight, parts)) - longer - _LONGER * (len(parts) > 1), typed, stop, self.bit)
                longer = _LONGER
            if piece[stop - 1] not in _CLOSING:
                return


@cache
def _keys() -> dict[int, str]:
    return {ord(english): russian for russian, english in rows(dictionary_path("layouts"), columns=2)}
