"""Текст прячут от модерации, каждый раз иначе: «продам диван» → «пр0дам д.и.в.а.н», «prodam divan»."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from augment_ru.engine.attack import Attack, check_probability, make
from augment_ru.engine.composition import NamedOneOf


@dataclass(frozen=True, slots=True)
class Evasion(NamedOneOf):
    """Hide words from moderation in one way for each text: look-alikes, masks, the wrong layout, or Latin letters.

    The parts are `homoglyphs` with invisible characters, `masking`, `wrong_layout` and `transliteration`. For each text
    one part is drawn from those that can change it.

    Args:
        probability: the share of the words that the drawn part changes, in [0, 1].

    Raises:
        AugmentError: the probability is out of its range.
    """

    name: ClassVar[str] = "evasion"
    group: ClassVar[str] = "adversaries"
    probability: float = 0.3

    def __post_init__(self) -> None:
        check_probability(self.name, self.probability)

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The four attacks from which one is drawn."""
        return _parts()


@cache
def _parts() -> tuple[Attack, ...]:
    return (make("homoglyphs", {"invisible": True}), *map(make, ("masking", "wrong_layout", "transliteration")))
