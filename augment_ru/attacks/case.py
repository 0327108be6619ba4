"""Буквы меняют регистр: «Кошка спит» → «КоШка сПит»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.doc import Batch
from augment_ru.draws import Streams
from augment_ru.proposals import Proposals
from augment_ru.substitute import letter_case, substitute_characters


@dataclass(frozen=True, slots=True)
class Case:
    """Letters change their case, one for one; the paper names no probability, 0.1 is RuTransform's."""

    name: ClassVar[str] = "case"
    probability: float = 0.1

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The other case for every letter that has one."""
        return substitute_characters(batch, letter_case(), streams)
