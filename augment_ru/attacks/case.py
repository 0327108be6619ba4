"""Буквы меняют регистр: «Кошка спит» → «КоШка сПит»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Streams
from augment_ru.editing.characters import letter_case, substitute_characters
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch


@dataclass(frozen=True, slots=True)
class Case(Attack):
    """Change the case of letters (RuTransform: 0.1; TAPE has no such attack); the text keeps its length."""

    name: ClassVar[str] = "case"
    probability: float = 0.1

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the other case for every letter that has exactly one counterpart."""
        return substitute_characters(batch, letter_case(), streams)
