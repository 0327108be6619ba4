"""Слово удаляется вместе с пробелом: «кошка тихо спит» → «кошка спит»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.draws import Streams, first_of_each
from augment_ru.engine.attack import LOSSES, Attack, check_guards
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import SPACE


@dataclass(frozen=True, slots=True)
class EdaDelete(Attack):
    """Delete random words (Wei and Zou 2019; TAPE, Table 1: 0.3); punctuation stays.

    The space before a word is deleted with it. The first word of a line or option is deleted with the space after
    it. So the first two words are never both deleted if only a space is between them: their edits would overlap.
    In each text or option the word with the highest rank always stays.

    Args:
        guards: the constraints whose spans are never changed, whatever the task, so that a sentence does not lose them.

    Raises:
        AugmentError: there is no such constraint.
    """

    name: ClassVar[str] = "eda_delete"
    group: ClassVar[str] = "tape"
    probability: float = 0.3
    guards: tuple[str, ...] = LOSSES

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to delete every word except one in each text or option."""
        starts, stops = batch.words
        ranks = batch.draw(streams, starts)

        segments = batch.segments(starts)
        first = first_of_each(segments)
        highest = np.maximum.reduceat(ranks, np.flatnonzero(first)) if ranks.size else ranks
        deleted = ranks < highest[np.cumsum(first) - 1]
        starts, stops, ranks = starts[deleted], stops[deleted], ranks[deleted]

        space = (batch.flags & SPACE) != 0
        before = space[starts - 1] & (starts > batch.fences[batch.segments(starts)])
        return Proposals.of_edits(starts - before, stops + (space[stops] & ~before), ranks, Replacements.nothing)
