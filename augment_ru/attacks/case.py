"""Буквы меняют регистр: «Кошка спит» → «КоШка сПит»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.editing.characters import CharacterAttack, Substitutions, letter_case


@dataclass(frozen=True, slots=True)
class Case(CharacterAttack):
    """Change the case of letters (not in TAPE; the probability, 0.1, is RuTransform's); the text keeps its length."""

    name: ClassVar[str] = "case"
    probability: float = 0.1

    @property
    def table(self) -> Substitutions:
        """A table that maps letters to their counterparts in the other case: «я» to «Я», «Я» to «я»."""
        return letter_case()
