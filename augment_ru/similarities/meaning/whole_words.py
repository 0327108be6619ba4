"""Words that are gone as a whole, or change places as a whole: the usual cases of EDA, without matching."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from augment_ru.similarities.meaning.letters import Triple
from augment_ru.similarities.meaning.words import Fates, Source, forms_of


def fates_of_whole_words(source: Source, edits: Sequence[Triple]) -> Fates | None:
    """The fates of words that edits take away or exchange as a whole; None if an edit does anything else.

    Args:
        source: the text.
        edits: what they write is read as it is written.
    """
    if all(not text for *_, text in edits):
        return _lost(source, edits)
    return _exchanged(source, edits)


def _lost(source: Source, edits: Sequence[Triple]) -> Fates | None:
    fates, starts, stops = Fates(source), source.starts, source.stops
    for start, stop, _ in edits:
        first, last = bisect_right(stops, start), bisect_left(starts, stop)
        if first >= last or starts[first] < start or stop < stops[last - 1] or stop > len(source.text):
            return None
        fates.lost += range(first, last)
    return fates


def _exchanged(source: Source, edits: Sequence[Triple]) -> Fates | None:
    """The fates of words that stand in each other's place; a word that stands twice among them needs matching."""
    starts, stops, forms = source.starts, source.stops, source.forms
    places: list[range] = []
    numbers: dict[str, int] = {}
    for start, stop, _ in edits:
        first, last = bisect_left(starts, start), bisect_left(stops, stop) + 1
        if not first < last <= len(forms) or starts[first] != start or stops[last - 1] != stop:
            return None
        places.append(range(first, last))
        for number in places[-1]:
            numbers[forms[number]] = number
    if len(numbers) != sum(map(len, places)):
        return None
    order: list[int] = []
    moved: list[int] = []
    at = 0
    for place, (*_, text) in zip(places, edits, strict=True):
        new = [numbers.pop(form, -1) for form in forms_of(text)]
        if any(number < 0 or number in place for number in new):
            return None
        order += range(at, place.start)
        order += new
        moved += new
        at = place.stop
    order += range(at, len(forms))
    return None if numbers else Fates(source, moved=moved, order=order)
