"""Words that get other letters in place of as many: the usual case of attacks on characters, without matching."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from augment_ru.language.morphology import is_known
from augment_ru.similarities._meaning_words import Source, digits_of, form_of

Triple = tuple[int, int, str]
"""The start, the stop and the new text of an edit."""


def by_sentence(source: Source, edits: Sequence[Triple]) -> Iterator[tuple[Source, Sequence[Triple]]]:
    """The sentences in which edits start, in order, each with its edits at places in the sentence."""
    if source.is_one_sentence or not source.words:
        if edits:
            yield source, edits
        return
    for number, found in groupby(edits, key=lambda edit: source.sentence_at(edit[0])):
        part, at = source.sentence(number)
        yield part, [(start - at, stop - at, text) for start, stop, text in found]


def other_letters(source: Source, edits: Iterable[Triple]) -> list[tuple[int, str, int]] | None:
    """The words in which edits put other letters in place of as many; None if an edit does anything else.

    Each word is then where it was.

    Args:
        source: the text.
        edits: what they write is read as it is written.

    Returns:
        The number of each word, its new form, and how many letters the edits write in it.
    """
    words, stops = source.words, source.stops
    changed: dict[int, tuple[str, int]] = {}
    for start, stop, text in edits:
        length = stop - start
        if len(text) != length or not text.isalnum():
            return None
        number = bisect_right(stops, start)
        if number >= len(words):
            return None
        first, last, form = words[number]
        if start < first or stop > last:
            return None
        form, count = changed.get(number, (form, 0))
        changed[number] = form[: start - first] + _form_of(text) + form[stop - first :], count + length
    found = []
    for number, (form, count) in changed.items():
        old = words[number].form
        is_whole = count >= len(form) and (len(form) > 1 or is_known(form))  # then it may be another word
        if is_whole or len(form) != len(old) or digits_of(form) != digits_of(old):
            return None
        if form != old:
            found.append((number, form, count))
    return found


_form_of = lru_cache(maxsize=4096)(form_of)
