"""Whether a word of a text stands in a phrase of a dictionary."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from augment_ru.resources import Phrase, same_word
from augment_ru.text.doc import Token


def in_phrase(text: str, words: Sequence[Token], at: int, phrases: Iterable[Phrase]) -> bool:
    """Whether word number `at` of a text stands in one of the phrases.

    A word of a phrase is found as it is written or as a lemma, whatever its letter case, with ё or е. Only spaces may
    stand between the words: a phrase does not reach over a comma.
    """
    return any(
        _stands(text, words, at - place, phrase)
        for phrase in phrases
        for place in range(len(phrase))
        if place <= at <= len(words) - len(phrase) + place
    )


def _stands(text: str, words: Sequence[Token], first: int, phrase: Phrase) -> bool:
    there = words[first : first + len(phrase)]
    return all(_is(word, place) for word, place in zip(there, phrase, strict=True)) and all(
        text[left.stop : right.start].isspace() for left, right in pairwise(there)
    )


def _is(word: Token, place: frozenset[str]) -> bool:
    form = same_word(word.text)
    return (
        form in place
        or same_word(word.lemma) in place
        or any(known.endswith("*") and form.startswith(known[:-1]) for known in place)
    )
