"""Слова по ошибке пишут слитно или раздельно: «потому что как-то не знаю» → «потомучто как то незнаю»."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, ErrorRates, kind_notes, weighted_ranks
from augment_ru.editing.on_demand import texts_at
from augment_ru.editing.separators import JOINS, joins, lone, parted
from augment_ru.editing.word_forms import WordForms
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, SPACE, WORD, among, decode

CLASSES = ("comma", "hyphen_dropped", "hyphen_space", *JOINS, "split")
_HYPHENS = "-‐‑"


@dataclass(frozen=True, slots=True)
class Spacing(CountedErrors):
    """Join words, split words, drop hyphens or the space after a comma, each as often as people do.

    Words are not joined where that would make another word («не мой» stays). At most two words are joined, and a word
    that is joined is not split. The more often people make an error, the more often this attack makes it.

    Args:
        probability: the share of the possible places at which an error is made, in an average text; in [0, 1].
        classes: which of these classes of errors are made.
        rates: the dictionary that says how often people make each error.

    Raises:
        AugmentError: there is no such class or dictionary, or `classes` is empty.
    """

    name: ClassVar[str] = "spacing"
    group: ClassVar[str] = "people"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.1
    classes: tuple[str, ...] = CLASSES
    rates: str = "spacing"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose every error that is possible between words and inside them."""
        rates, forms = self.counted(), batch.once(WordForms)
        found = [
            *_joins_and_splits(batch, streams, forms, rates),
            _commas(batch, streams, forms, rates),
            _hyphens(batch, streams, forms, rates),
        ]
        *columns, texts = zip(*found, strict=True)
        starts, stops, ranks, kinds = map(np.concatenate, columns)
        order, written = np.argsort(starts, kind="stable"), list(chain.from_iterable(texts))
        return Proposals.of_edits(
            starts[order],
            stops[order],
            ranks[order],
            [written[at] for at in order.tolist()],
            clean=True,
            notes=kind_notes(kinds[order], CLASSES),
        )


_Edits = tuple[Ints, Ints, Floats, Ints, Sequence[str]]
"""The starts, stops and ranks of edits, the index of the class of each in `CLASSES`, and the new texts."""


def _joins_and_splits(batch: Batch, streams: Streams, forms: WordForms, rates: ErrorRates) -> tuple[_Edits, _Edits]:
    """Return the edits that join two words, and the edits that split a word.

    Of errors that share a word only the one of the lowest rank is proposed.

    Args:
        batch: the texts.
        streams: the random draws of each text.
        forms: the words of the batch.
        rates: how often people make each error.
    """
    starts, stops = forms.starts, forms.stops
    pairs, joined, kinds = joins(batch, forms, rates)
    words, prefixes = parted(forms, rates)
    ranks = np.full((2, starts.size), 2.0)
    split = np.full(words.size, rates.rate("split"))
    ranks[0, words] = weighted_ranks(batch.draw(streams, starts[words]), split, rates.mean)
    ranks[1, pairs] = weighted_ranks(batch.draw(streams, stops[pairs]), joined, rates.mean)
    free, together = lone(ranks[0], ranks[1])
    kinds, pairs = kinds[together[pairs]], pairs[together[pairs]]
    words, prefixes = words[free[words]], prefixes[free[words]]
    texts = ["".join(text.split()) for text in texts_at(batch, starts[pairs], stops[pairs + 1])]
    joint = starts[pairs], stops[pairs + 1], ranks[1, pairs], _NUMBERS[kinds], texts
    places = starts[words] + prefixes - 1
    letters = [f"{letter} " for letter in decode(batch.codes[places])]
    apart = places, places + 1, ranks[0, words], np.full(words.size, CLASSES.index("split")), letters
    return joint, apart


_NUMBERS = np.array([CLASSES.index(name) for name in JOINS])


def _commas(batch: Batch, streams: Streams, forms: WordForms, rates: ErrorRates) -> _Edits:
    """Return the edits that drop the space after a comma.

    The space of «2, 5» stays, since «2,5» is another number.
    """
    words = np.flatnonzero(batch.codes[forms.stops[:-1]] == ord(",")) if rates.of("comma") else np.zeros(0, np.int64)
    gaps = forms.stops[words[forms.starts[words + 1] == forms.stops[words] + 2]]
    gaps = gaps[(batch.flags[gaps + 1] & SPACE != 0) & (batch.flags[gaps - 1] & batch.flags[gaps + 2] & DIGIT == 0)]
    ranks = weighted_ranks(batch.draw(streams, gaps), np.full(gaps.size, rates.rate("comma")), rates.mean)
    return gaps + 1, gaps + 2, ranks, np.full(gaps.size, CLASSES.index("comma")), [""] * gaps.size


def _hyphens(batch: Batch, streams: Streams, forms: WordForms, rates: ErrorRates) -> _Edits:
    """Return the edits that drop a hyphen between letters or write a space instead.

    Each of the two is as likely as people make it.
    """
    dropped, space = rates.rate("hyphen_dropped"), rates.rate("hyphen_space")
    places = np.flatnonzero(among(batch.codes, _HYPHENS)) if dropped + space else np.zeros(0, dtype=np.int64)
    both = (
        batch.flags[places - 1] & batch.flags[places + 1] & WORD,
        (batch.flags[places - 1] | batch.flags[places + 1]) & DIGIT,
    )
    places = places[(places > 0) & (both[0] != 0) & (both[1] == 0)]
    words = np.searchsorted(forms.starts, places, side="right") - 1
    places = places[(words >= 0) & (places < forms.stops[words])] if forms.stops.size else places[:0]
    points = batch.draw(streams, places, lane=1) * (dropped + space)
    is_dropped = points < dropped
    kinds = np.where(is_dropped, CLASSES.index("hyphen_dropped"), CLASSES.index("hyphen_space"))
    ranks = weighted_ranks(batch.draw(streams, places), np.full(places.size, dropped + space), rates.mean)
    return places, places + 1, ranks, kinds, ["" if dropped else " " for dropped in is_dropped.tolist()]
