"""Буквы меняют регистр: «Кошка спит» → «КоШка сПит»."""

from dataclasses import dataclass

from augment_ru.editing.characters import CharacterAttack, Substitutions, letter_case


@dataclass(frozen=True, slots=True)
class Case(CharacterAttack):
    """Change the case of letters; the text keeps its length.

    A small letter that is drawn becomes a capital, and a capital a small letter. The benchmark TAPE has no such attack.

    Args:
        probability: the share of the letters that change, in [0, 1]. The default, 0.1, is that of the library
            RuTransform.
    """

    probability: float = 0.1

    @property
    def table(self) -> Substitutions:
        """A table that maps each letter to its counterpart in the other case: «я» to «Я», «Я» to «я»."""
        return letter_case()
