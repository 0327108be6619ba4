"""Ошибки и описки людей исправляются: «превет», «незнаю», «оооочень» → «привет», «не знаю», «очень»."""

from typing import ClassVar

from augment_ru.normalizers._normalization import NormalizationChain
from augment_ru.normalizers.spelling import SpellingNormalization
from augment_ru.normalizers.stretching import StretchingNormalization


class PeopleNormalization(NormalizationChain):
    """Mend people's errors: of spelling, of typing, stretched letters. Forms that people write on purpose stay."""

    name: ClassVar[str] = "people"

    def __init__(self) -> None:
        super().__init__((StretchingNormalization(), SpellingNormalization(typing=True)))
