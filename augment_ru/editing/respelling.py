"""Changes that write words or whole sentences in another spelling; each edit is read as the words that it replaces."""

from collections.abc import Callable, Sequence

import numpy as np

from augment_ru.draws import Ints, Streams, first_of_each
from augment_ru.editing.on_demand import texts_at
from augment_ru.edits import Note
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.batch import Batch
from augment_ru.text.characters import BREAK, WORD, among

_CLOSING = ".!?…"


def respell(
    batch: Batch,
    streams: Streams,
    places: tuple[Ints, Ints],
    replace: Callable[[Ints], Replacements],
    *,
    sentences: bool,
    clean: bool = True,
) -> Proposals:
    """Propose edits that are read as the words that they replace.

    Args:
        batch: the texts.
        streams: the random draws of each text.
        places: the global starts and stops of the edits, sorted and disjoint; no edit reaches across a fence.
        replace: a function from the indices of edits to their new texts.
        sentences: whether all edits of a sentence are one change; if not, each edit is a change of its own.
        clean: as in `Proposals`.

    Returns:
        The proposals. The note of each edit holds the replaced text as its reading.
    """
    starts, stops = places

    def notes(indices: Ints) -> Sequence[Note]:
        return [Note(text) for text in texts_at(batch, starts[indices], stops[indices])]

    changes = np.arange(starts.size)
    firsts = changes
    if sentences:
        new = first_of_each(sentences_at(batch, starts))
        changes, firsts = np.cumsum(new) - 1, np.flatnonzero(new)
    return Proposals(starts, stops, changes, batch.draw(streams, starts[firsts]), replace, clean=clean, notes=notes)


def sentences_at(batch: Batch, places: Ints) -> Ints:
    """Return the number of the sentence or line that each global place is in.

    Closing marks belong to the sentence that they end. A mark inside a word («2.5», «т.д») ends no sentence; of several
    marks in a row («?!») only the last one does.

    Args:
        batch: the texts.
        places: global places, ascending.

    Returns:
        Numbers of shape (places,), ascending.
    """
    ends = np.zeros(batch.codes.size, dtype=np.bool_)
    marks = np.flatnonzero((batch.flags & BREAK) != 0)
    behind = np.append(batch.flags[1:], batch.flags[-1:])[marks]
    is_line_end = ~among(batch.codes[marks], _CLOSING)
    ends[marks] = ((behind & BREAK) == 0) & (is_line_end | ((behind & WORD) == 0))
    return (np.cumsum(ends) - ends)[places] + batch.segments(places)
