"""Пишут как в чате, со всеми ошибками сразу: «Я не знаю, когда он вообще придёт.» → «я незнаю когда он ваще придёт»."""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, cast

import numpy as np

from augment_ru.draws import Floats
from augment_ru.editing.error_classes import weighted_ranks
from augment_ru.engine.attack import Attack, check_probability, make
from augment_ru.engine.composition import Named
from augment_ru.resources import dictionary_path, rows

_DEFAULT = 0.045
"""The default probability of `misspell`."""
_OF_ALL_WORDS = 2.0
"""The factor of the rate of misspellings, because people also err in the first words of sentences.

The rates of `misspell` count the words after the first. With the factor 7.1 words in 100 are wrong (people's: 7.2).
"""
_ELSEWHERE = frozenset({"slang"})
"""Classes of `misspell` that are left out, because `colloquial` writes spoken forms."""


@dataclass(frozen=True, slots=True)
class People(Named):
    """Write as people do in chats: with errors of spelling, letter case and punctuation, spoken forms and fillers.

    This attack joins four others: `misspell` (without `slang`), `casing`, `punctuation` and `colloquial`. At the
    default probability each error is as frequent as people make it. People also write texts without an error, so no
    change is forced: a text may stay as it is.

    Args:
        probability: how frequent all errors are, in [0, 1]. The scale is that of the attack `misspell`: at its default
            probability, 0.045, errors are as frequent as people's.

    Raises:
        AugmentError: the probability is out of its range.
    """

    name: ClassVar[str] = "people"
    group: ClassVar[str] = "people"
    min_changes: ClassVar[int] = 0
    probability: float = _DEFAULT

    def __post_init__(self) -> None:
        check_probability(self.name, self.probability)

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The four attacks that `people` joins, each with the probability at which it errs as often as people do."""
        return _parts()

    def rank_of(self, part: Attack, ranks: Floats) -> Floats:
        """Turn the ranks that a part, such as `misspell`, gave its changes into the ranks of these changes in `people`.

        A change is made if its rank, a random number in [0, 1), is below the probability. With the new ranks, `people`
        at its default probability makes the errors of the part as often as people make them.

        Args:
            part: one of the four attacks that `people` joins.
            ranks: the ranks that the part gave its changes.
        """
        rate = part.probability * (_OF_ALL_WORDS if part.name == "misspell" else 1.0)
        return weighted_ranks(ranks, np.full(ranks.size, rate), _DEFAULT)


@cache
def _parts() -> tuple[Attack, ...]:
    classes = [name for name, *_ in rows(dictionary_path("misspell_classes"), columns=5) if name not in _ELSEWHERE]
    made = [make("misspell", {"classes": tuple(classes)}), *map(make, ("casing", "punctuation", "colloquial"))]
    return tuple(part.with_probability(cast("Any", part).mean_rate) for part in made)
