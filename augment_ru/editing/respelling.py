"""Proposes to write words or sentences in another spelling; each edit's note gives the old words as its reading."""

from collections.abc import Callable, Sequence

import numpy as np

from augment_ru.draws import Ints, Streams, first_of_each
from augment_ru.editing.on_demand import texts_at
from augment_ru.editing.targets import targeted
from augment_ru.edits import Note
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, WORD, among

_CLOSING = ".!?…"


UNITS = ("word", "run", "sentence", "message")
"""What is one change: a word; the first few words of a sentence; a whole sentence; the whole text."""
_RUNS = np.array([1.0, 0.85, 0.7, 0.55, 0.4, 0.3, 0.2, 0.1])
"""The probability that a run has more than 0, 1, … 7 words; a run also ends with its sentence."""
_LENGTHS = "lengths"


def respell(
    batch: Batch,
    streams: Streams,
    places: tuple[Ints, Ints],
    replace: Callable[[Ints], Replacements],
    *,
    unit: str,
    targets: str,
    clean: bool = True,
) -> Proposals:
    """Propose edits that write words in another spelling.

    Args:
        batch: the texts.
        streams: the random draws of each text.
        places: the starts and the stops of the edits, as offsets in `batch.codes`, sorted and disjoint. No edit reaches
            across the start of a text or an option.
        replace: a function from the indices of edits to their new texts.
        unit: which edits are one change: those of a `word`, of a `run` (the first few words of a sentence), of a
            `sentence`, or of a `message` (the whole text).
        targets: for the unit `word`, which words change: `content`, `lexicon`, `random` or a path (see `targeted`).
        clean: True if it is certain that each edit changes its text and puts no letter where there was none; then the
            engine does not check it.

    Returns:
        The proposals. The note of each edit gives the replaced text as its reading (what the new text stands for).
    """
    starts, stops = places
    kept = np.arange(starts.size)
    if unit == "word":
        kept, ranks = targeted(batch, streams, starts, targets)
        changes = np.arange(kept.size)
    else:
        new = first_of_each(batch.rows(starts) if unit == "message" else sentences_at(batch, starts))
        changes, firsts = np.cumsum(new) - 1, np.flatnonzero(new)
        ranks = batch.draw(streams, starts[firsts])
        if unit == "run":
            drawn = batch.draw(Streams.of(streams.keys, _LENGTHS), starts[firsts])
            lengths = (drawn[:, None] < _RUNS).sum(axis=1)
            is_word = ((batch.flags[starts] & WORD) != 0).astype(np.int64)
            words = np.cumsum(is_word)
            kept = np.flatnonzero(words - (words - is_word)[firsts][changes] <= lengths[changes])
            changes = changes[kept]

    def notes(indices: Ints) -> Sequence[Note]:
        return [Note(text) for text in texts_at(batch, starts[kept[indices]], stops[kept[indices]])]

    def new_texts(indices: Ints) -> Replacements:
        return replace(kept[indices])

    return Proposals(starts[kept], stops[kept], changes, ranks, new_texts, clean=clean, notes=notes)


def sentences_at(batch: Batch, places: Ints) -> Ints:
    """Return the index, counted through the batch, of the sentence or line that each place is in.

    Closing marks belong to the sentence that they end. A mark inside a word («2.5», «т.д») ends no sentence. Of several
    marks in a row («?!») only the last one ends the sentence.

    Args:
        batch: the texts.
        places: global places (offsets in `batch.codes`), ascending.

    Returns:
        The indices, ascending, shape (places,).
    """
    ends = np.zeros(batch.codes.size, dtype=np.bool_)
    marks = np.flatnonzero((batch.flags & BREAK) != 0)
    behind = np.append(batch.flags[1:], batch.flags[-1:])[marks]
    is_line_end = ~among(batch.codes[marks], _CLOSING)
    ends[marks] = ((behind & BREAK) == 0) & (is_line_end | ((behind & WORD) == 0))
    return (np.cumsum(ends) - ends)[places] + batch.segments(places)
