"""Буквы порознь: «к.а.з.и.н.о», «к а з и н о», «ка зино» → «казино»."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.normalizers._apart import glued
from augment_ru.normalizers._lattice import RUSSIAN, WordReading
from augment_ru.normalizers._lexicon import is_listed
from augment_ru.normalizers._pieces import swings
from augment_ru.normalizers._reading import WordNormalization

_PARTS, _FEW = re.compile("[А-ЯЁ]?[а-яё]+"), 2
_LONG_NAME = 10
_CERTAIN = 5.0
"""The score of glued words; a word that is misspelt has a higher one."""


@dataclass(frozen=True, slots=True)
class SeparatorsNormalization(WordNormalization):
    """Read words whose letters or parts stand apart, and words that are glued."""

    name: ClassVar[str] = "separators"
    skipped: ClassVar[str] = r"""./\|_~*·•-‑–—,:;+=^'`⭐★☆✨()[]<>?!…"«»{}#&%§¦“”„′’‘№@$""" + "\ufe0f"

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Return the words that are glued in a word: «пишитевличку»."""
        if not RUSSIAN.issuperset(word):
            return
        parts = _PARTS.findall(word)
        if len(parts) > _FEW and "".join(parts) == word:  # «КупиДипломСейчас»
            if all(is_listed(part.lower()) for part in parts):
                yield WordReading(_CERTAIN, " ".join(parts).lower(), 0.0, self.bit)
        elif not swings(word) and (found := glued(word.lower())):
            yield WordReading(_CERTAIN, found, 0.0, self.bit)

    def is_near(self, word: str) -> bool:
        """Tell whether a word is glued ones; one with a capital, which names have, must be long."""
        if len(_PARTS.findall(word)) > _FEW:
            return True
        return (word[0].islower() or len(word) > _LONG_NAME) and bool(glued(word.lower()))
