"""Растянутые слова: «кааазинооо» → «казино»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class StretchingNormalization(WordNormalization):
    """Leave out the repeated letters of words that do not exist as written: «кааазинооо» is read as «казино»."""

    repeats: ClassVar[bool] = True
