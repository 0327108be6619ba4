"""Words in common: whether a text contains a phrase, and what its content words are about."""

import re
from functools import lru_cache

from augment_ru.language.morphology import morphology
from augment_ru.text.words import LETTERS, RUSSIAN

_CONTENT = {"NOUN", "ADJF", "ADJS", "COMP", "VERB", "INFN", "PRTF", "PRTS", "GRND"}
_EMPTY = {"быть", "мочь", "стать", "самый"}
"""Content words by their part of speech that say nothing about the topic."""
_ROOT = 5
"""The letters by which dictionary forms are compared, so that a noun and the verb or adjective made of it are one."""


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand in a text one after another, each in any form.

    >>> contains_phrase("В Москве выпал снег.", "Москва"), contains_phrase("В Москве выпал снег.", "снегопад")
    (True, False)
    """
    wanted = [_forms(word) for word in LETTERS.findall(phrase.lower())]
    if not wanted:
        return bool(phrase.strip()) and re.search(rf"(?<!\w){re.escape(phrase.strip())}(?!\w)", text) is not None
    found = [_forms(word) for word in LETTERS.findall(text.lower())]
    return any(
        all(one & other for one, other in zip(wanted, found[at : at + len(wanted)], strict=True))
        for at in range(len(found) - len(wanted) + 1)
    )


@lru_cache(maxsize=100_000)
def _forms(word: str) -> frozenset[str]:
    """The dictionary forms of all readings of a word, and the word itself, with е for ё."""
    forms = {word}
    if RUSSIAN.fullmatch(word):
        forms |= {str(analysis.normal_form) for analysis in morphology().parse(word)}
    return frozenset(form.replace("ё", "е") for form in forms)


@lru_cache(maxsize=8192)
def content(text: str) -> frozenset[str]:
    """The content words of a text, for comparing two texts: the first five letters of their dictionary forms.

    Content words are nouns, adjectives, verbs, and words in other alphabets. A word of several readings counts in
    each of them, so words that look alike are rather the same than different.

    >>> sorted(content("Мы работали на новой стройке."))
    ['новый', 'работ', 'строй']
    >>> content("Мы работали.") & content("Трудная работа!")
    frozenset({'работ'})
    """
    return frozenset().union(*map(_roots, LETTERS.findall(text.lower())))


@lru_cache(maxsize=100_000)
def _roots(word: str) -> frozenset[str]:
    if not RUSSIAN.fullmatch(word):
        return frozenset({word})
    readings = morphology().parse(word)
    if readings[0].tag.POS not in _CONTENT or "Apro" in readings[0].tag:
        return frozenset()
    forms = {str(reading.normal_form) for reading in readings if reading.tag.POS in _CONTENT}
    return frozenset(form.replace("ё", "е")[:_ROOT] for form in forms - _EMPTY)
