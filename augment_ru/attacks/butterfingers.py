"""Палец попадает на соседнюю клавишу: «кошка спит» → «кошеа спит»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.editing.characters import CharacterAttack, Substitutions, keyboards


@dataclass(frozen=True, slots=True)
class Butterfingers(CharacterAttack):
    """Replace letters by those of neighbouring keys; nearer keys are likelier.

    The default probability, 0.15, is that of the benchmark TAPE (Table 1).

    Args:
        probability: the share of the letters that are replaced, in [0, 1].
        layouts: the keyboards: names of shipped layouts, such as `keyboard_ru`, or paths of `.tsv` files.

    Raises:
        AugmentError: there is no such layout, or `layouts` is empty.
    """

    group: ClassVar[str] = "tape"
    probability: float = 0.15
    layouts: tuple[str, ...] = ("keyboard_en", "keyboard_ru")

    def __post_init__(self) -> None:
        keyboards(self.layouts)  # so that an unknown layout is an error before the run starts

    @property
    def table(self) -> Substitutions:
        """The neighbouring keys of every letter of the keyboard layouts, each with its probability."""
        return keyboards(self.layouts)
