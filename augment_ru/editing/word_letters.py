"""The letters of words in columns, for attacks that change some letters of a word and are read as the word.

An edit of theirs covers a whole word and carries the word as its reading.
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
        places: their global places, shape (characters,).
        words: the number of the word that each belongs to, ascending, same shape.
        within: the place of each in its word, same shape.
    """

    places: Ints
    words: Ints
    within: Ints

    @classmethod
    def of(cls, starts: Ints, stops: Ints) -> "Characters":
        """The characters of the words at these global places."""
        lengths = stops - starts
        words = np.repeat(np.arange(starts.size), lengths)
        within = np.arange(words.size) - (np.cumsum(lengths) - lengths)[words]
        return cls(starts[words] + within, words, within)

    def order(self, draws: Floats, among: Mask) -> Ints:
        """The place of each of some characters in the order of their draws, from 0 in each word; for others -1."""
        chosen = np.flatnonzero(among)
        words = self.words[chosen]
        sorted_ = np.lexsort((draws[chosen], words))
        first = np.searchsorted(words, words)
        order = np.full(self.words.size, -1, dtype=np.int64)
        order[chosen[sorted_]] = np.arange(chosen.size) - first
        return order


def words_of_segments(batch: Batch) -> tuple[Ints, Ints]:
    """The global starts and stops of the words that may be edited and that lie in one option."""
    starts, stops = batch.words
    inside = batch.segments(starts) == batch.segments(stops - 1)
    return starts[inside], stops[inside]


def lone_letters(batch: Batch) -> Mask:
    """Whether each code point is a letter that is a grapheme cluster by itself, shape (codes,)."""
    letters: Mask = (batch.flags & _LETTER) == WORD
    return letters if batch.cuttable is None else letters & batch.cuttable[:-1] & batch.cuttable[1:]


def letter_gaps(batch: Batch) -> Mask:
    """Whether each code point is a letter behind a letter, so that something may stand between, shape (codes,)."""
    gaps: Mask = (batch.flags & _LETTER) == WORD
    gaps[1:] &= (batch.flags[:-1] & _EITHER) == WORD
    gaps[:1] = False
    return gaps if batch.cuttable is None else gaps & batch.cuttable[:-1]


def drawn(keys: Keys, number: int) -> Floats:
    """Draw `number` from U[0, 1) of the stream of each word, shape (words,)."""
    return unit(keys, np.full(keys.size, number))


def looked_up(table: Codes, codes: Codes) -> Codes:
    """What a table has for each code point, same shape; its last entry, which must be 0, stands for all beyond it."""
    found: Codes = table[np.minimum(codes, table.size - 1)]
    return found


def lookup_table(substitutes: dict[str, str]) -> Codes:
    """The table that `looked_up` reads: from the code point of a character to that of its substitute, 0 for none."""
    table = np.zeros(max(map(ord, substitutes), default=0) + 2, dtype=np.uint32)
    for char, other in substitutes.items():
        table[ord(char)] = ord(other)
    return table


def with_inserted(codes: Codes, characters: Characters, size: int, at: Ints, inserted: npt.ArrayLike) -> Replacements:
    """The new texts of words with characters inserted.

    Args:
        codes: the new code points of the words, one word after another, shape (characters,).
        characters: what they stand for.
        size: how many words there are.
        at: before which of the characters something is inserted, ascending, shape (insertions,).
        inserted: the code point for each of these, same shape.
    """
    words = np.concatenate([characters.words, characters.words[at]])
    offsets = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(words, minlength=size), out=offsets[1:])
    return Replacements(np.insert(codes, at, np.asarray(inserted, dtype=np.uint32)) if at.size else codes, offsets)


def read_as_words(batch: Batch, starts: Ints, stops: Ints, readable: Mask | None = None) -> Sequence[Note | None]:
    """The notes of edits of whole words that are read as these words.

    Args:
        batch: the texts.
        starts: the global places where the words start.
        stops: those where they stop.
        readable: whether each is read at all, shape (words,); None: all are.
    """
    reads = np.ones(starts.size, dtype=np.bool_) if readable is None else readable
    texts = texts_at(batch, starts, stops)
    return [Note(text) if is_read else None for text, is_read in zip(texts, reads.tolist(), strict=True)]
