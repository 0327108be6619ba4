"""The letters of words in columns, for attacks that change some letters of a word so that it can still be read.

An edit of such an attack replaces a whole word, and its note has the old word as its reading.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints, Keys, unit
from augment_ru.editing.on_demand import texts_at
from augment_ru.edits import Note
from augment_ru.engine.proposals import Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import CLUSTER, DIGIT, WORD, Codes, Mask

_LETTER = WORD | DIGIT | CLUSTER
_EITHER = WORD | DIGIT


class Characters(NamedTuple):
    """The characters of some words of a batch, one word after another.

    Attributes:
        places: the global place of each character, shape (characters,).
        words: the index of the word of each character among these words, from 0, ascending; same shape.
        within: the place of each character in its word, from 0; same shape.
    """

    places: Ints
    words: Ints
    within: Ints

    @classmethod
    def of(cls, starts: Ints, stops: Ints) -> "Characters":
        """Return the characters of the words that start and stop at these global places."""
        lengths = stops - starts
        words = np.repeat(np.arange(starts.size), lengths)
        within = np.arange(words.size) - (np.cumsum(lengths) - lengths)[words]
        return cls(starts[words] + within, words, within)

    def order(self, draws: Floats, among: Mask) -> Ints:
        """Number the chosen characters of each word from 0 in a random order; the other characters get -1.

        Args:
            draws: a random draw for each character, shape (characters,). The character with the lowest draw is number
                0.
            among: whether each character is chosen, same shape.
        """
        chosen = np.flatnonzero(among)
        words = self.words[chosen]
        sorted_ = np.lexsort((draws[chosen], words))
        first = np.searchsorted(words, words)
        order = np.full(self.words.size, -1, dtype=np.int64)
        order[chosen[sorted_]] = np.arange(chosen.size) - first
        return order


def words_of_segments(batch: Batch) -> tuple[Ints, Ints]:
    """Return the global starts and stops of the words that may be edited, without those that a border cuts.

    A border is the start of a text or an option, or the syntax of JSON (`Batch.fences`).
    """
    starts, stops = batch.words
    inside = batch.segments(starts) == batch.segments(stops - 1)
    return starts[inside], stops[inside]


def lone_letters(batch: Batch) -> Mask:
    """Tell whether each code point is a letter without a combining mark or the like, shape (codes,)."""
    letters: Mask = (batch.flags & _LETTER) == WORD
    return letters if batch.cuttable is None else letters & batch.cuttable[:-1] & batch.cuttable[1:]


def letter_gaps(batch: Batch) -> Mask:
    """Tell for each code point whether a sign may be put before it: it and the one before are letters; shape (codes,).

    A gap inside a grapheme cluster (a letter with its combining marks) does not count.
    """
    gaps: Mask = (batch.flags & _LETTER) == WORD
    gaps[1:] &= (batch.flags[:-1] & _EITHER) == WORD
    gaps[:1] = False
    return gaps if batch.cuttable is None else gaps & batch.cuttable[:-1]


def drawn(keys: Keys, number: int) -> Floats:
    """Return a random number for each word, in [0, 1), shape (words,).

    Args:
        keys: the key of each word's random draws, shape (words,).
        number: which of these draws is returned, from 0. The same key and number give the same draw.
    """
    return unit(keys, np.full(keys.size, number))


def drawn_kinds(keys: Keys, number: int, fits: Mask) -> Ints:
    """Draw for each word one of the kinds of change that fit it, all equally likely; return their indices in `fits`.

    Args:
        keys: the key of each word's random draws, shape (words,).
        number: which of these draws is used, from 0.
        fits: whether each kind fits each word, shape (kinds, words); at least one kind fits each word.
    """
    fitting = np.cumsum(fits, axis=0)
    kinds: Ints = (fitting <= (drawn(keys, number) * fitting[-1]).astype(np.int64)).sum(axis=0)
    return kinds


def looked_up(table: Codes, codes: Codes) -> Codes:
    """Return the entry of a table for each code point, same shape as `codes`.

    Args:
        table: the entries by code point. The last one must be 0; it stands for all higher code points.
        codes: the code points.
    """
    return table[np.minimum(codes, table.size - 1)]


def lookup_table(substitutes: dict[str, str]) -> Codes:
    """Make an array that maps the code point of a character to that of its substitute, and others to 0.

    It is a table for `looked_up`.

    Args:
        substitutes: the substitute of each character.
    """
    table = np.zeros(max(map(ord, substitutes), default=0) + 2, dtype=np.uint32)
    for char, other in substitutes.items():
        table[ord(char)] = ord(other)
    return table


def with_inserted(codes: Codes, characters: Characters, size: int, at: Ints, inserted: npt.ArrayLike) -> Replacements:
    """Return the new texts of words, with characters inserted.

    Args:
        codes: the new code points of the words, without the inserted ones, one for each old character; shape
            (characters,).
        characters: the old characters of the words.
        size: how many words there are.
        at: the indices of the characters before which one is inserted, ascending, shape (insertions,).
        inserted: the code point of each inserted character, same shape.
    """
    words = np.concatenate([characters.words, characters.words[at]])
    offsets = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(words, minlength=size), out=offsets[1:])
    return Replacements(np.insert(codes, at, np.asarray(inserted, dtype=np.uint32)) if at.size else codes, offsets)


def read_as_words(batch: Batch, starts: Ints, stops: Ints, readable: Mask | None = None) -> Sequence[Note | None]:
    """Return the notes of edits that replace whole words; each has the old word as its reading.

    Args:
        batch: the texts.
        starts: the global places where the words start.
        stops: the global places where the words stop.
        readable: whether each new text can still be read, shape (words,); None: all can.

    Returns:
        A note for each word; None for a word that can no longer be read.
    """
    reads = np.ones(starts.size, dtype=np.bool_) if readable is None else readable
    texts = texts_at(batch, starts, stops)
    return [Note(text) if is_read else None for text, is_read in zip(texts, reads.tolist(), strict=True)]
