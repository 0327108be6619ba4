"""Забыли переключить раскладку: «привет, мир» → «ghbdtn, vbh»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.draws import Ints, Streams
from augment_ru.editing.layouts import layouts
from augment_ru.editing.respelling import respell, sentences_at
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, WORD, Codes, Mask, counted


@dataclass(frozen=True, slots=True)
class WrongLayout(Attack):
    """Type words in the wrong layout: Russian ones by QWERTY, Latin ones by ЙЦУКЕН («hello» → «руддщ»).

    A word stays if no key types one of its letters («naïve», a letter with a stress mark).

    Args:
        whole: whether all words and signs of a sentence are typed so («как, где?» → «rfr? ult&»), as by someone who
            forgets to switch; then the probability is the share of sentences.
        layouts: a dictionary, or the path of a `.tsv` file: character in one layout, that of the same key in the other.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """

    name: ClassVar[str] = "wrong_layout"
    group: ClassVar[str] = "people"
    probability: float = 0.1
    whole: bool = False
    layouts: str = "layouts"

    def __post_init__(self) -> None:
        layouts(self.layouts)  # so that a wrong dictionary is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose every word that has a letter as the other layout types it, or all words and signs of a sentence."""
        table = layouts(self.layouts)
        typed, letters = table.exchanged(batch), table.letters_in(batch)
        starts, stops = batch.words
        no_key = ((batch.flags & WORD) != 0) & ((batch.flags & DIGIT) == 0) & ~letters
        changing = typed != batch.codes if self.whole else letters
        chosen = (counted(changing, starts, stops) > 0) & (counted(no_key, starts, stops) == 0)
        starts, stops = starts[chosen], stops[chosen]
        if self.whole:
            signs = _signs(batch, typed, starts, stops)
            starts, stops = np.concatenate([starts, signs]), np.concatenate([stops, signs + 1])
            order = np.argsort(starts, kind="stable")
            starts, stops = starts[order], stops[order]

        def replace(indices: Ints) -> Replacements:
            return Replacements.of_ranges(typed, starts[indices], stops[indices])

        # a comma may become a letter («hello,» → «руддщб»), so whole sentences are not clean
        return respell(batch, streams, (starts, stops), replace, sentences=self.whole, clean=not self.whole)


def _signs(batch: Batch, typed: Codes, starts: Ints, stops: Ints) -> Ints:
    """The places of the signs outside words that are typed too: those of sentences with a chosen word.

    A sign beside a word that stays keeps to it, and nothing protected or inside a grapheme cluster changes.
    """
    size = batch.codes.size
    edges = np.zeros(size + 1, dtype=np.int8)
    edges[starts] += 1
    edges[stops] -= 1
    inside = np.cumsum(edges[:-1], dtype=np.int8) > 0
    free = np.ones(size, dtype=np.bool_) if batch.untouchable is None else ~batch.untouchable
    stays: Mask = ((batch.flags & WORD) != 0) & ~(inside | (free & ((batch.flags & DIGIT) != 0)))
    signs = np.flatnonzero((typed != batch.codes) & ((batch.flags & WORD) == 0) & ~inside & free)
    signs = signs[~stays[signs - 1] & ~stays[signs + 1]]
    if batch.cuttable is not None:
        signs = signs[batch.cuttable[signs] & batch.cuttable[signs + 1]]
    return signs[np.isin(sentences_at(batch, signs), sentences_at(batch, starts))]
