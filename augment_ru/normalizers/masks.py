"""На месте букв стоят знаки и цифры: «к@зин0», «каз*но» → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._lattice import WordReading
from augment_ru.normalizers._lexicon import of_letters, weight
from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class MasksNormalization(WordNormalization):
    """Read signs, digits and pictures that stand for letters, letters that a sign hides («каз*но»), and lost vowels."""

    name: ClassVar[str] = "masks"
    wild: ClassVar[str] = "*#%•☆★■█●○◻▪□◼⬛✱✲＊∗"
    weakly_wild: ClassVar[str] = "_?-.~^+=…·"

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Return the forms of the word that `word` hides by lost vowels or shuffled letters; empty if none."""
        return (WordReading(weight(one) - _COST * 2, one, _COST, self.bit) for one in of_letters(word))

    def is_near(self, word: str) -> bool:
        """Tell whether a word has the consonants, or all letters, of a word that people hide from filters."""
        return bool(of_letters(word))


_COST = 1.5
"""What it costs that letters are left out or stand elsewhere."""
