"""Русские слова латиницей: «kazino», «li4ku» → «казино», «личку»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class TransliterationNormalization(WordNormalization):
    """Read Russian words in Latin letters, as standards, passports and chats spell them: «kazino», «li4ku»."""

    softens: ClassVar[bool] = True
