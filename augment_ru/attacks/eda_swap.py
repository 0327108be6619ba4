"""Два слова меняются местами: «кошка тихо спит» → «спит тихо кошка»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.characters import BREAK
from augment_ru.doc import Batch
from augment_ru.draws import Ints, Streams
from augment_ru.proposals import Proposals, Replacements


@dataclass(frozen=True, slots=True)
class EdaSwap:
    """Random swap of words within a sentence (Wei and Zou 2019; TAPE, Table 1: 0.3); punctuation stays.

    The words of a sentence are paired at random. A pair changes places when either of its words is drawn,
    so at probability p about 2p of the words move, as after p·n swaps among n words.
    """

    name: ClassVar[str] = "eda_swap"
    probability: float = 0.3

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The swap of every pair."""
        starts, stops = batch.words
        rows = batch.rows(starts)
        positions = starts - batch.starts[rows]
        breaks = np.cumsum((batch.flags & BREAK) != 0)
        sentences = breaks[starts] + batch.segments(starts)

        shuffled = np.argsort(sentences + streams.uniform(rows, positions, lane=1), kind="stable")
        place = np.arange(starts.size)
        same = np.diff(sentences, prepend=-1) != 0  # first of its sentence, in either order
        inner = place - np.maximum.accumulate(np.where(same, place, 0))
        firsts = np.flatnonzero((inner % 2 == 0) & (np.diff(sentences, append=-1) == 0))
        one, other = shuffled[firsts], shuffled[firsts + 1]

        draws = streams.uniform(rows, positions)
        edits = np.stack([one, other], axis=1).ravel()
        sources = np.stack([other, one], axis=1).ravel()

        def replace(indices: Ints) -> Replacements:
            return Replacements.of_ranges(batch.codes, starts[sources[indices]], stops[sources[indices]])

        return Proposals(
            starts[edits],
            stops[edits],
            np.repeat(np.arange(one.size), 2),
            np.minimum(draws[one], draws[other]),
            replace,
        )
