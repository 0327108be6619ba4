"""Слово удаляется вместе с пробелом: «кошка тихо спит» → «кошка спит»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, first_of_each
from augment_ru.engine.attack import LOSSES, Attack, Needs, check_guards
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, SPACE, counted, marked

_CLOSING = np.array([ord(mark) for mark in '»”")'], dtype=np.uint32)
"""Marks that may stand between the end of a sentence and the next one."""


@dataclass(frozen=True, slots=True)
class EdaDelete(Attack):
    """Delete random words, but no punctuation (EDA; Wei and Zou 2019).

    The default probability, 0.3, is that of the benchmark TAPE (Table 1). A word is deleted if its rank, a random
    number in [0, 1), is below the probability.

    Each sentence has three groups of words. First come words that only add to others («старый», «вчера»): they have the
    lowest ranks. Nouns come second, some of them together with their prepositions. Conjunctions and single prepositions
    come last. Finite verbs and question words are never deleted.

    The space before a word is deleted with the word; at the start of a sentence, line or option, the space after it. At
    least one word of each text, and of each answer option, stays.

    Args:
        probability: the share of the words that are deleted, in [0, 1].
        guards: the constraints that protect what a sentence must not lose, such as its negations and numbers. This
            attack never changes their spans, whatever the task.
        joins: the constraints whose spans are deleted as one word.
        weighs: the constraint that divides the words into the three groups; "" to delete all words alike, as in the
            paper.

    Raises:
        AugmentError: there is no such constraint.
    """

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
        """The constraints whose spans the attack reads: `guards`, `joins` and `weighs`."""
        return Needs(guards=frozenset((*self.guards, *self.joins, self.weighs)) - {""})

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to delete words; if all words of a text or option could be deleted, one of them, drawn, stays."""
        starts, stops, tiers, staying = self._words(batch, streams)
        draws = batch.draw(streams, starts)
        ranks = _by_tier(batch.sentences(starts), tiers, draws)

        segments = batch.segments(starts)
        first = first_of_each(segments)
        fences = np.append(batch.fences, batch.codes.size)
        words = marked(batch.codes.size, np.append(batch.words[0], staying))  # the marker of an option is none
        left = counted(words, fences[:-1], fences[1:])
        inside = starts < np.maximum.accumulate(np.append(0, stops))[:-1]  # an attribute in a phrase
        np.subtract.at(left, segments, np.where(inside, 0, counted(words, starts, stops)))
        highest = np.maximum.reduceat(draws, np.flatnonzero(first)) if draws.size else draws
        deleted = (draws < highest[np.cumsum(first) - 1]) | (left[segments] > 0)
        starts, stops, ranks, segments = starts[deleted], stops[deleted], ranks[deleted], segments[deleted]

        space = (batch.flags & SPACE) != 0
        before = space[starts - 1] & (starts > batch.fences[segments])
        ended = ((batch.flags[starts - 2] & BREAK) != 0) | np.isin(batch.codes[starts - 2], _CLOSING)
        before &= ~(ended & space[stops])
        follows = np.append(starts[:1] < 0, starts[1:] == stops[:-1] + 1) & ~first_of_each(segments)
        # words in a row delete the spaces on the same side, so that their changes do not overlap
        first = np.maximum.accumulate(np.where(follows, 0, np.arange(starts.size)))
        before = before[first] | (follows & ~space[stops])
        return Proposals.of_edits(starts - before, stops + (space[stops] & ~before), ranks, Replacements.nothing)

    def _words(self, batch: Batch, streams: Streams) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the starts and stops of the words that may be deleted, and the tier of each, each of shape (words,).

        The fourth array is the starts of words that stay. Words of tier 0 are deleted first, those of tier 2 last. A
        preposition and its noun count as one word; at random, if the preposition may go alone, as a noun that stays
        and a preposition.
        """
        starts, stops = batch.words
        found: dict[str, list[tuple[int, int]]] = {label: [] for label in ("KEPT", "PHRASE", *_TIERS)}
        for at, spans in zip(batch.starts.tolist(), batch.guarded.get(self.weighs, ()), strict=False):
            for span in spans:
                found.setdefault(span.label, []).append((at + span.start, at + span.stop))
        kept, phrases, *later = (np.array(found[label], dtype=np.int64).reshape(-1, 2).T for label in found)
        tiers = np.select([np.isin(stops, one[1]) for one in later], range(1, 1 + len(later)), 0)
        free = ~(np.isin(starts, kept[0]) | np.isin(stops, kept[1]) | np.isin(stops, phrases[1]))
        whole = (batch.draw(streams, phrases[0], lane=1) < _WHOLE) | np.isin(phrases[0], kept[0])
        whole &= np.isin(phrases[0], starts) & np.isin(phrases[1], stops)  # no part of a longer unit
        phrases = phrases[:, whole & (counted(marked(batch.codes.size, kept[0]), phrases[0] + 1, phrases[1]) == 0)]
        free &= ~np.isin(starts, phrases[0])
        starts, stops = (np.append(own[free], more) for own, more in zip((starts, stops), phrases, strict=True))
        tiers = np.append(tiers[free], np.ones(phrases.shape[1], dtype=np.int64))
        order = np.argsort(starts, kind="stable")
        return starts[order], stops[order], tiers[order], kept[0, kept[1] - kept[0] > 1]  # «А» may be a marker


_WHOLE = 1 / 2
"""How often a preposition that may go alone is deleted only together with its noun."""
_TIERS = ("CORE", "LAST")
"""The labels of the words of tier 1 and of tier 2; all other words have tier 0."""


def _by_tier(sentences: Ints, tiers: Ints, draws: Floats) -> Floats:
    """Return ranks that ascend by tier in each sentence; over all words they are uniform in [0, 1).

    Args:
        sentences: the number of the sentence of each word, ascending, shape (words,).
        tiers: the tier of each word, shape (words,).
        draws: draws from U[0, 1), shape (words,).
    """
    if not draws.size:
        return draws
    number = first_of_each(sentences).cumsum() - 1
    counts = np.zeros((int(number[-1]) + 1, 1 + len(_TIERS)))
    np.add.at(counts, (number, tiers), 1)
    before = counts.cumsum(axis=1) - counts
    ranks: Floats = (before[number, tiers] + counts[number, tiers] * draws) / counts.sum(axis=1)[number]
    return ranks
