"""Текст прячут от модерации, каждый раз иначе: «продам диван» → «пр0дам д.и.в.а.н», «prodam divan»."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from augment_ru.editing.targets import check_targets
from augment_ru.engine.attack import Attack, check_probability, make
from augment_ru.engine.composition import NamedOneOf


@dataclass(frozen=True, slots=True)
class Evasion(NamedOneOf):
    """Hide words from moderation in one way for each text: look-alikes, masks, the wrong layout, or Latin letters.

    For each text one of four attacks is drawn from those that can change it: `homoglyphs` with invisible characters,
    `masking`, `wrong_layout` and `transliteration`.

    Args:
        probability: the share of the words that the drawn attack changes, in [0, 1].
        targets: which words change. `content`: any, but content words change first. `lexicon`: only words that
            moderation looks for. `random`: any, with equal chances. A path of a text file: only the words in it, one in
            each line.

    Raises:
        AugmentError: the probability is out of its range, or there is no such word list.
    """

    group: ClassVar[str] = "adversaries"
    probability: float = 0.3
    targets: str = "content"

    def __post_init__(self) -> None:
        check_probability(self.name, self.probability)
        check_targets(self.targets)

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The attacks `homoglyphs`, `masking`, `wrong_layout` and `transliteration`; one is drawn for each text."""
        return _parts(self.targets)


@cache
def _parts(targets: str) -> tuple[Attack, ...]:
    options: dict[str, Any] = {"targets": targets}
    by_word = [make(name, options | {"unit": "word"}) for name in ("wrong_layout", "transliteration")]
    return (make("homoglyphs", options | {"invisible": True}), make("masking", options), *by_word)
