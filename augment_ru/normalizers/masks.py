"""На месте букв стоят знаки и цифры: «к@зин0», «каз*но» → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._lattice import RUSSIAN, VOWELS, WordReading
from augment_ru.normalizers._lexicon import count, of_common, of_letters, weight
from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class MasksNormalization(WordNormalization):
    """Read signs, digits and pictures that stand for letters, letters that a sign hides («каз*но»), and lost vowels."""

    wild: ClassVar[str] = "*#%•☆★■█●○◻▪□◼⬛✱✲＊∗"
    weakly_wild: ClassVar[str] = "_?-.~^+=…·"

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Return the words that `word` may be if it lost its vowels («крдт») or its letters were shuffled («кредти»).

        If words that people hide from filters are among them, only these are returned.
        """
        found = (of_letters(word) or of_common(word.lower())) if RUSSIAN.issuperset(word) else ()
        first = found[0] if found else ""
        return (WordReading(weight(one) - _COST * 2 + _FIRST * (one == first), one, _COST, self.bit) for one in found)

    def is_near(self, word: str) -> bool:
        """Tell whether a word is a hidden one («крдт», «кредти»), or a frequent one without vowels («бтлк»).

        Here a hidden word is one that people hide from filters, without its vowels or with its letters shuffled.
        """
        is_bare = len(word) >= _LEAST and VOWELS.isdisjoint(word) and not count(word)
        return bool(of_letters(word) or (is_bare and word.islower() and of_common(word)))


_COST, _FIRST, _LEAST = 1.5, 0.5, 4
"""What it costs that letters are left out or stand elsewhere, and how much likelier the first form is; the fewest
letters of a frequent word without vowels that is read in any text."""
