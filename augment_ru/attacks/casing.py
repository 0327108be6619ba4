"""Заглавные буквы ставят как попало: «Вчера Анна пришла» → «вчера анна ПРИШЛА»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, ErrorRates, drawn_class, kind_notes, weighted_ranks
from augment_ru.editing.word_forms import first_of_sentences, lowered, raised
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, counts_before

CLASSES = ("capitals", "double", "inverted", "name", "sentence")
_SHORTEST = 3
"""The fewest letters of a word whose second letter becomes a capital («ПРивет»); «Он» would be all in capitals."""


@dataclass(frozen=True, slots=True)
class Casing(CountedErrors):
    """Change the case of words as people do; letters stay the same, and so does the length of the text.

    - `capitals`: a word in capitals;
    - `double`: two capitals at the start of a word;
    - `inverted`: the case of a capitalised word inverted, as by Caps Lock;
    - `name`: a capitalised word inside a sentence put into lower case;
    - `sentence`: no capital at the start of a sentence.

    The more often people make an error, the more often this attack makes it.

    Args:
        probability: the share of the words whose case changes, in an average text; in [0, 1].
        classes: which of these classes of errors are made.
        rates: the dictionary that says how often people make each error.

    Raises:
        AugmentError: there is no such class or dictionary, or `classes` is empty.
    """

    group: ClassVar[str] = "people"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.1
    classes: tuple[str, ...] = CLASSES
    rates: str = "casing"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a wrong letter case for every word that can have one; likelier errors are drawn more often."""
        rates, (starts, stops) = self.counted(), batch.words
        lower, upper = lowered(batch.codes), raised(batch.codes)
        bounds = np.cumsum(_rates_of(batch, lower, upper, rates), axis=1)
        wrong = np.flatnonzero(bounds[:, -1] > 0)
        starts, stops, bounds = starts[wrong], stops[wrong], bounds[wrong]
        total = bounds[:, -1]
        chosen = drawn_class(batch.draw(streams, starts, lane=1) * total, bounds)

        def replace(indices: Ints) -> Replacements:
            begins, ends, kinds = starts[indices], stops[indices], chosen[indices]
            small, large = (Replacements.of_ranges(codes, begins, ends) for codes in (lower, upper))
            old = Replacements.of_ranges(batch.codes, begins, ends).codes
            kind = np.repeat(kinds, ends - begins)
            place = np.arange(old.size) - np.repeat(small.offsets[:-1], ends - begins)
            is_raised = kind == CLASSES.index("capitals")
            is_raised |= (kind == CLASSES.index("double")) & (place < 2)  # noqa: PLR2004  (two capitals)
            is_raised |= (kind == CLASSES.index("inverted")) & (old == small.codes)
            return Replacements(np.where(is_raised, large.codes, small.codes), small.offsets)

        ranks = weighted_ranks(batch.draw(streams, starts), total, rates.mean)
        return Proposals.of_edits(starts, stops, ranks, replace, clean=True, notes=kind_notes(chosen, CLASSES))


def _rates_of(batch: Batch, lower: Codes, upper: Codes, rates: ErrorRates) -> Floats:
    """Return the rate of each class for each word, shape (words, classes); 0 if the error cannot be made in the word.

    Args:
        batch: the texts.
        lower: the code points of the batch in lower case.
        upper: the code points of the batch in upper case.
        rates: how often people make each error.
    """
    starts, stops = batch.words
    capital, cased = counts_before(batch.codes != lower), counts_before(lower != upper)
    capitals, letters = capital[stops] - capital[starts], cased[stops] - cased[starts]
    starts_large = batch.codes[starts] != lower[starts]
    is_name = starts_large & ((capitals < letters) | (letters == 1))  # «США» and «ЭТОТ ГОРОД» stay
    is_alone = is_name & (capitals == 1) & (letters > 1) & (letters == stops - starts)
    first = first_of_sentences(batch, starts)
    fits = {
        "capitals": (capitals < letters) & (letters > 1),
        "double": is_alone & (letters >= _SHORTEST),
        "inverted": is_alone,
        "name": is_name & ~first & (letters > 1),
        "sentence": is_name & first,
    }
    return np.stack([np.where(fits[name], rates.rate(name), 0.0) for name in CLASSES], axis=1)
