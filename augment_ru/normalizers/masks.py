"""На месте букв стоят знаки и цифры: «к@зин0», «каз*но» → «казино»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class MasksNormalization(WordNormalization):
    """Read signs, digits and pictures that stand for letters, and letters that a sign hides («каз*но»)."""

    name: ClassVar[str] = "masks"
    wild: ClassVar[str] = "*#%•☆★■█●○◻▪□◼⬛✱✲＊∗"
    weakly_wild: ClassVar[str] = "_?-.~^+=…·"
