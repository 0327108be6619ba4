"""Ошибки и описки людей исправляются: «превет», «незнаю», «оооочень» → «привет», «не знаю», «очень»."""

from collections.abc import Sequence
from typing import ClassVar

from augment_ru.normalizers._normalization import NamedChain, Normalization
from augment_ru.normalizers.spelling import SpellingNormalization
from augment_ru.normalizers.stretching import StretchingNormalization


class PeopleNormalization(NamedChain):
    """Mend people's errors: of spelling, of typing, stretched letters. Forms that people write on purpose stay."""

    name: ClassVar[str] = "people"

    @staticmethod
    def members() -> Sequence[Normalization]:
        """Return the parts in order."""
        return StretchingNormalization(), SpellingNormalization(typing=True)
