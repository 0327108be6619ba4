"""Finds the candidates whose edits only misspell words, and computes in columns, for all at once, what they lose."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.engine.edit_table import EditTable
from augment_ru.similarities.meaning.features import DAMAGE, damage
from augment_ru.similarities.meaning.matching import is_slip
from augment_ru.similarities.meaning.words import Source, forms_of
from augment_ru.text.characters import Mask, marked


class SourceWords(NamedTuple):
    """The words of several original texts, in arrays over all texts.

    Attributes:
        text: the texts joined into one string, with a line feed after each. All places are places in it.
        begins: the place where each text begins, shape (texts,).
        starts, stops: the place where each word starts and stops, shape (words + 1,). The last entry is the length of
            `text`.
        forms: each word in the form in which words are compared: in lower case, with е for ё.
        shares: how much of the information of its sentence each word carries, in [0, 1], shape (words,). A rare word
            carries more than a frequent one.
        sentences: the index of the sentence of each word, counted through all texts, shape (words,).
    """

    text: str
    begins: Ints
    starts: Ints
    stops: Ints
    forms: Sequence[str]
    shares: Floats
    sentences: Ints

    @classmethod
    def of(cls, sources: Sequence[Source]) -> "SourceWords":
        """Put the words of several texts into arrays."""
        begins = np.cumsum([0, *(len(source.text) + 1 for source in sources)])
        found = [
            (begin + place, sentence)
            for begin, source in zip(begins.tolist(), sources, strict=False)
            for place, sentence in source.sentences
        ]
        return cls(
            "".join(f"{source.text}\n" for source in sources),
            begins[:-1],
            np.array([*(place + start for place, one in found for start in one.starts), begins[-1]]),
            np.array([*(place + stop for place, one in found for stop in one.stops), begins[-1]]),
            [form for _, one in found for form in one.forms],
            np.array([share for _, one in found for share in one.shares]),
            np.arange(len(found)).repeat([len(one.forms) for _, one in found]),
        )


def misspelt(words: SourceWords, indices: Ints, edits: EditTable) -> tuple[Mask, Ints, Sequence[Floats]]:
    """Find the perturbed texts in which words are only misspelt, and how much each of their sentences loses.

    Args:
        words: the words of the original texts.
        indices: for each perturbed text, the index of its original, shape (candidates,).
        edits: the edits of all perturbed texts.

    Returns:
        Three arrays. First, whether words are only misspelt in each perturbed text, shape (candidates,). The others
        have an entry for each sentence of these texts that was edited: the index of the perturbed text, shape
        (sentences,); and the losses that `DAMAGE` names, shape (losses, sentences).
    """
    begins = words.begins[indices[edits.owners]]
    starts, stops = edits.starts + begins, edits.stops + begins
    numbers = words.stops[:-1].searchsorted(starts, side="right")
    inside = (words.starts[numbers] <= starts) & (stops <= words.stops[numbers])
    inside &= (starts < stops) | (words.starts[numbers] < starts)  # at its edge letters may join another word
    if edits.make_notes is not None:
        inside &= [note is None or note.reading is None for note in edits.notes]
    candidates = ~marked(len(edits), edits.owners[~inside])
    kept = candidates[edits.owners].nonzero()[0]
    starts, stops, numbers, owners = starts[kept], stops[kept], numbers[kept], edits.owners[kept]
    first = first_of_each(owners * words.starts.size + numbers)
    bounds = np.append(first.nonzero()[0], kept.size)
    until = np.where(np.roll(first, -1), words.stops[numbers], np.roll(starts, -1))
    ranges = (np.where(first, words.starts[numbers], starts), starts, stops, until)
    triples, text = edits.triples, words.text
    new = [triples[at][2] for at in kept.tolist()]
    apart = np.maximum(stops - starts, list(map(len, new)))
    pieces = [
        text[at:start] + written + text[stop:to]
        for at, start, stop, to, written in zip(*(column.tolist() for column in ranges), new, strict=True)
    ]
    owners, numbers = owners[first], numbers[first]
    letters = np.add.reduceat(apart, bounds[:-1]).tolist()
    rows = zip(numbers.tolist(), pairwise(bounds.tolist()), letters, strict=True)
    found = [_damage(words.forms[number], "".join(pieces[one:other]), more) for number, (one, other), more in rows]
    candidates[owners[[one is None for one in found]]] = False
    kept = candidates[owners].nonzero()[0]
    owners, numbers = owners[kept], numbers[kept]
    values = np.array([found[at] for at in kept.tolist()], dtype=np.float64).reshape(-1, len(DAMAGE)).T
    values[:-1] *= words.shares[numbers]
    first = first_of_each(owners * words.starts.size + words.sentences[numbers])
    of = first.cumsum() - 1
    return candidates, owners[first], [np.bincount(of, weights=one).astype(np.float64) for one in values]


def _damage(form: str, written: str, apart: int) -> tuple[float, ...] | None:
    """Return the features `DAMAGE` of a word that edits changed; None if a reader may take it for another word.

    Args:
        form: the form of the word.
        written: what is written instead of it.
        apart: how many letters differ.
    """
    new = forms_of(written)
    if new == [form]:
        return _NOTHING
    return damage(form, new[0], apart) if len(new) == 1 and is_slip(form, new[0], apart) else None


_NOTHING = (0.0,) * len(DAMAGE)
