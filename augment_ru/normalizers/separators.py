"""Буквы порознь: «к.а.з.и.н.о», «к а з и н о», «ка зино» → «казино»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class Separators(WordNormalization):
    """Read words whose letters or parts stand apart, and words that are glued."""

    name: ClassVar[str] = "separators"
    skipped: ClassVar[str] = r"""./\|_~*·•-‑–—,:;+=^'`⭐★☆✨()[]<>""" + "\ufe0f"
