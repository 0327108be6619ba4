"""Words that get other letters in place of as many: the usual case of attacks on characters, without matching."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from augment_ru.language.morphology import is_known
from augment_ru.similarities.meaning.words import Source, digits_of, form_of

Triple = tuple[int, int, str]
"""The start, the stop and the new text of an edit."""
RespeltWord = tuple[int, str, int]
"""The number of a word, its new form, and how many letters are written in it."""


def by_sentence(source: Source, edits: Sequence[Triple]) -> Iterator[tuple[Source, Sequence[Triple]]]:
    """The sentences in which edits start, in order, each with its edits at places in the sentence."""
    if source.is_one_sentence or not source.forms:
        if edits:
            yield source, edits
        return
    for number, found in groupby(edits, key=lambda edit: source.sentence_at(edit[0])):
        part, at = source.sentence(number)
        yield part, [(start - at, stop - at, text) for start, stop, text in found]


def other_letters(source: Source, edits: Iterable[Triple]) -> list[RespeltWord] | None:
    """The words in which edits put letters in place of as many; None if an edit does anything else.

    Args:
        source: the text.
        edits: in order; what they write is read as it is written.

    Returns:
        The words, in order; the new form of some may be the old one.
    """
    starts, stops, forms = source.starts, source.stops, source.forms
    found: list[RespeltWord] = []
    number, first, behind, form, count = -1, 0, -1, "", 0
    for start, stop, text in edits:
        length = stop - start
        if len(text) != length or not text.isalnum():
            return None
        if start >= behind:
            if count:
                found.append((number, form, count))
            number = bisect_right(stops, start)
            if number == len(stops):
                return None
            first, behind, form, count = starts[number], stops[number], forms[number], 0
        if start < first or stop > behind:
            return None
        form = form[: start - first] + _form_of(text) + form[stop - first :]
        count += length
    if count:
        found.append((number, form, count))
    if any(len(form) != len(forms[number]) for number, form, _ in found):
        return None
    return found


_form_of = lru_cache(maxsize=4096)(form_of)


def misspelt_words(source: Source, edits: Iterable[Triple]) -> list[RespeltWord] | None:
    """The words that edits misspell by other letters; None if they do anything else, or a word may be another one."""
    words = other_letters(source, edits)
    return changed(source, words) if words is not None and are_misspelt(source, words) else None


def changed(source: Source, words: Iterable[RespeltWord]) -> list[RespeltWord]:
    """Those of the words whose new form is not the old one."""
    forms = source.forms
    return [word for word in words if word[1] != forms[word[0]]]


def are_misspelt(source: Source, words: Iterable[RespeltWord]) -> bool:
    """Whether words with other letters are still these words; if not, one may be another word or another number."""
    for word in words:
        _, form, count = word
        if count >= len(form) and (len(form) > 1 or is_known(form)):
            return False
        if not form.isalpha() and is_other_number(source, word):
            return False
    return True


def may_stand_for_another(source: Source, word: RespeltWord) -> bool:
    """Whether nothing of a word is left, or it is another number."""
    return word[2] >= len(word[1]) or is_other_number(source, word)


def is_other_number(source: Source, word: RespeltWord) -> bool:
    """Whether a word has other digits."""
    return digits_of(word[1]) != digits_of(source.forms[word[0]])


def are_plain(source: Source, words: Iterable[RespeltWord]) -> bool:
    """Whether the words have no combining marks, which a form may lack, so that places in both are the same."""
    return all(source.stops[number] - source.starts[number] == len(form) for number, form, _ in words)
