"""Ошибки: «бонуз», «росписка» → «бонус», «расписка»."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._lattice import Found
from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class Spelling(WordNormalization):
    """Mend errors of spelling in words that are impossible as written."""

    name: ClassVar[str] = "spelling"
