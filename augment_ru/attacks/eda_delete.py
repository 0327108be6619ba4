"""Слово удаляется вместе с пробелом: «кошка тихо спит» → «кошка спит»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, first_of_each
from augment_ru.engine.attack import LOSSES, Attack, Needs, check_guards
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, SPACE

_CLOSING = np.array([ord(mark) for mark in '»”")'], dtype=np.uint32)
"""Marks that may stand between the end of a sentence and the next one."""


@dataclass(frozen=True, slots=True)
class EdaDelete(Attack):
    """Delete random words (Wei and Zou 2019; TAPE, Table 1: 0.3); punctuation stays.

    Words that only add to others («старый», «вчера») go first: of the words of a sentence those have the lowest ranks.
    Nouns and predicates follow. Prepositions go with their nouns, and conjunctions stay, except before a clause.

    The space before a word is deleted with it. The first word of a sentence, line or option is deleted with the space
    after it. So the first two words are never both deleted if only a space is between them: their edits would overlap.
    In each text or option the word with the highest rank always stays.

    Args:
        guards: the constraints whose spans are never changed, whatever the task, so that a sentence does not lose them.
        joins: the constraints whose spans are deleted as one word.
        weighs: the constraint that says which words hold a sentence together; "" to delete all words alike, as in the
            paper.

    Raises:
        AugmentError: there is no such constraint.
    """

    name: ClassVar[str] = "eda_delete"
    group: ClassVar[str] = "tape"
    probability: float = 0.3
    guards: tuple[str, ...] = LOSSES
    joins: tuple[str, ...] = ("units",)
    weighs: str = "framework"

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        check_guards(self.name, self.joins, "joins")
        check_guards(self.name, [self.weighs] if self.weighs else [], "weighs")

    @property
    def needs(self) -> Needs:
        """The guards, and the words that weigh more than others."""
        return Needs(guards=frozenset((*self.guards, *self.joins, self.weighs)) - {""})

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to delete every word except one in each text or option."""
        starts, stops, core = self._words(batch)
        ranks = batch.draw(streams, starts)
        ranks = _core_last(batch.sentences(starts), ranks, core)

        segments = batch.segments(starts)
        first = first_of_each(segments)
        highest = np.maximum.reduceat(ranks, np.flatnonzero(first)) if ranks.size else ranks
        deleted = ranks < highest[np.cumsum(first) - 1]
        starts, stops, ranks = starts[deleted], stops[deleted], ranks[deleted]

        space = (batch.flags & SPACE) != 0
        before = space[starts - 1] & (starts > batch.fences[batch.segments(starts)])
        ended = ((batch.flags[starts - 2] & BREAK) != 0) | np.isin(batch.codes[starts - 2], _CLOSING)
        before &= ~(ended & space[stops])
        return Proposals.of_edits(starts - before, stops + (space[stops] & ~before), ranks, Replacements.nothing)

    def _words(self, batch: Batch) -> tuple[Ints, Ints, np.ndarray]:
        """Return the starts and stops of what may be deleted as one, and whether it is core, each of shape (words,)."""
        starts, stops = batch.words
        spans = batch.guarded.get(self.weighs, ())
        found = [
            (at + one.start, at + one.stop, one.label)
            for at, row in zip(batch.starts.tolist(), spans, strict=False)
            for one in row
        ]
        joints = np.array([start for start, _, label in found if label == "JOINT"], dtype=np.int64)
        cores = np.array([stop for _, stop, label in found if label == "CORE"], dtype=np.int64)
        phrases = np.array([one[:2] for one in found if one[2] == "PHRASE"], dtype=np.int64).reshape(-1, 2)
        core = np.isin(stops, cores)
        kept = ~(np.isin(starts, joints) | np.isin(stops, phrases[:, 1]))
        starts, stops = np.append(starts[kept], phrases[:, 0]), np.append(stops[kept], phrases[:, 1])
        core = np.append(core[kept], np.ones(len(phrases), dtype=np.bool_))
        order = np.argsort(starts, kind="stable")
        return starts[order], stops[order], core[order]


def _core_last(sentences: Ints, draws: Floats, core: np.ndarray) -> Floats:
    """Return ranks in which the core of each sentence follows its other words; over all words they stay uniform.

    Args:
        sentences: the number of the sentence of each word, ascending, shape (words,).
        draws: draws from U[0, 1), shape (words,).
        core: whether each word is core, shape (words,).
    """
    number = first_of_each(sentences).cumsum() - 1
    light = np.bincount(number, weights=~core) / np.bincount(number) if number.size else draws
    share = light[number]
    return np.where(core, share + (1 - share) * draws, share * draws)
