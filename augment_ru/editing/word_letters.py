"""Finds the letters of words, for attacks that change some letters of a word so that it can still be read.

An edit of such an attack replaces a whole word. Its note gives the old word as its reading (what the new text stands
for).
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from augment_ru.draws import Floats, Ints, Keys, unit
from augment_ru.text.batch import Batch
from augment_ru.text.characters import CLUSTER, DIGIT, WORD, Mask

_LETTER = WORD | DIGIT | CLUSTER
_EITHER = WORD | DIGIT


def words_of_segments(batch: Batch) -> tuple[Ints, Ints]:
    """Return the starts and stops of the words that may be edited, without words that a border cuts.

    They are offsets in `batch.codes`. A border is the start of a text or an answer option, or the syntax of JSON
    (`Batch.fences`).
    """
    starts, stops = batch.words
    inside = batch.segments(starts) == batch.segments(stops - 1)
    return starts[inside], stops[inside]


def lone_letters(batch: Batch) -> Mask:
    """Tell whether each code point of a batch is a letter that has no combining mark or the like, shape (codes,)."""
    letters: Mask = (batch.flags & _LETTER) == WORD
    return letters if batch.cuttable is None else letters & batch.cuttable[:-1] & batch.cuttable[1:]


def letter_gaps(batch: Batch) -> Mask:
    """Tell for each code point whether a sign may be put before it, between two letters; shape (codes,).

    A gap inside a grapheme cluster (a letter with its combining marks) does not count.
    """
    gaps: Mask = (batch.flags & _LETTER) == WORD
    gaps[1:] &= (batch.flags[:-1] & _EITHER) == WORD
    gaps[:1] = False
    return gaps if batch.cuttable is None else gaps & batch.cuttable[:-1]


def of_words(values: Floats, lengths: Ints) -> Iterator[list[float]]:
    """Divide the values of letters by words, and yield a list of values for each word.

    Args:
        values: a value for each letter of some words, one word after another.
        lengths: how many letters each word has, shape (words,).
    """
    following = iter(values.tolist())
    return (list(islice(following, length)) for length in lengths.tolist())


def drawn(keys: Keys, number: int) -> Floats:
    """Return a random number for each word, in [0, 1), shape (words,).

    Args:
        keys: the key (seed) of each word's random draws, shape (words,).
        number: which of these draws is returned, from 0. The same key and number give the same draw.
    """
    return unit(keys, np.full(keys.size, number))


def drawn_kinds(keys: Keys, number: int, fits: Mask) -> Ints:
    """Draw for each word one of the kinds of change that fit it, all equally likely; return their indices in `fits`.

    Args:
        keys: the key (seed) of each word's random draws, shape (words,).
        number: which of these draws is used, from 0.
        fits: whether each kind fits each word, shape (kinds, words). At least one kind must fit each word.
    """
    fitting = np.cumsum(fits, axis=0)
    kinds: Ints = (fitting <= (drawn(keys, number) * fitting[-1]).astype(np.int64)).sum(axis=0)
    return kinds
