"""Два слова меняются местами: «кошка тихо спит» → «спит тихо кошка»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.draws import Streams, paired
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch


@dataclass(frozen=True, slots=True)
class EdaSwap(Attack):
    """Exchange random words of a sentence (Wei and Zou 2019; TAPE, Table 1: 0.3); punctuation stays.

    The words of a sentence are paired at random. A pair is exchanged if either of its words is drawn. So at
    probability p up to 2p of the words move, as after p·n swaps among n words.
    """

    name: ClassVar[str] = "eda_swap"
    probability: float = 0.3

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to exchange every pair."""
        starts, stops = batch.words
        one, other = paired(batch.sentences(starts), batch.draw(streams, starts, lane=1))
        draws = batch.draw(streams, starts)
        ranks = np.minimum(draws[one], draws[other])
        return Proposals.of_swaps(batch, (starts[one], stops[one]), (starts[other], stops[other]), ranks)
