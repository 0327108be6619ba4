"""Палец попадает на соседнюю клавишу: «кошка спит» → «кошеа спит»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Streams
from augment_ru.editing.characters import keyboards, substitute_characters
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch


@dataclass(frozen=True, slots=True)
class Butterfingers(Attack):
    """Replace letters by those of neighbouring keys; nearer keys are likelier (TAPE, Table 1: 0.15).

    Raises:
        AugmentError: there is no such layout, or none is named.
    """

    name: ClassVar[str] = "butterfingers"
    group: ClassVar[str] = "tape"
    probability: float = 0.15
    layouts: tuple[str, ...] = ("keyboard_en", "keyboard_ru")

    def __post_init__(self) -> None:
        keyboards(self.layouts)  # so that an unknown layout is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a neighbouring key for every letter that a layout has."""
        return substitute_characters(batch, keyboards(self.layouts), streams)
