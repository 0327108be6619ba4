"""Tells whether a word of a text is part of a phrase from a dictionary."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from augment_ru.resources import Phrase, same_word
from augment_ru.text.doc import Token


def in_phrase(text: str, words: Sequence[Token], at: int, phrases: Iterable[Phrase]) -> bool:
    """Tell whether a word of a text is part of a phrase from a list, such as «время» in «во время».

    A phrase gives each of its words as a form, a lemma, a part of speech («очень adj») or the beginning of forms
    («лучш*»). Letter case and the dots of ё do not matter. Between two words of the text there may only be white space,
    and a comma if the phrase has one there («знать ,что»).

    Args:
        text: the text.
        words: the words of the text, with their lemmas and parts of speech.
        at: the index of the word in `words`, from 0.
        phrases: the phrases.
    """
    return any(
        _stands(text, words, at - place, phrase)
        for phrase in phrases
        for place in range(len(phrase))
        if place <= at <= len(words) - len(phrase) + place
    )


def _stands(text: str, words: Sequence[Token], first: int, phrase: Phrase) -> bool:
    there = words[first : first + len(phrase)]
    gaps = ["", *(text[left.stop : right.start] for left, right in pairwise(there))]
    return all(
        (not at or gap[-1:].isspace()) and _is(gap.strip(), word, place)
        for at, (gap, word, place) in enumerate(zip(gaps, there, phrase, strict=True))
    )


def _is(mark: str, word: Token, place: frozenset[str]) -> bool:
    form = mark + same_word(word.text)
    return (
        form in place
        or mark + same_word(word.lemma) in place
        or mark + word.pos.lower() in place
        or any(known.endswith("*") and form.startswith(known[:-1]) for known in place)
    )
