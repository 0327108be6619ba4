"""Finds words that move, stay or go together: set phrases, and a number with its noun."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import lemmas_of, readings
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.doc import Token

_REACH = 3
"""The most words between a number and the end of its noun: «пять новых больших [домов]»."""


def units(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find set phrases, and numbers with their nouns: «[день рождения] через [пять лет]»."""
    return {
        name: [Span(tokens[first].start, tokens[last].stop, "UNIT") for first, last in _found(tokens)]
        for name, tokens in ((name, doc.tokens) for name, doc in docs.items())
    }


def _found(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the first and the last token of each unit."""
    for at, token in enumerate(tokens):
        word = token.text.lower()
        for stop in (at + 2, at + 3) if _lemma(word) in _firsts() else ():
            if tuple(_lemma(one.text.lower()) for one in tokens[at:stop]) in _phrases():
                yield at, min(stop, len(tokens)) - 1
        if is_number(word):
            noun = noun_behind(tokens, at)
            if noun is not None:
                yield at, noun


def noun_behind(tokens: Sequence[Token], at: int) -> int | None:
    """Return the number of the first noun behind a token, behind adjectives and numbers alone; None without one."""
    for number in range(at + 1, min(at + 1 + _REACH, len(tokens))):
        word = tokens[number].text.lower()
        one = readings(word)[0]
        if one.pos == "NOUN":
            return number
        if one.pos not in ("ADJF", "PRTF", "NUMR") and not is_number(word):
            break
    return None


@lru_cache(maxsize=100_000)
def is_number(word: str) -> bool:
    """Tell whether a word in lower case counts something: «5», «пять», «несколько»."""
    return word[:1].isdigit() or readings(word)[0].pos == "NUMR"


@lru_cache(maxsize=100_000)
def _lemma(word: str) -> str:
    return lemmas_of(word)[0]


@cache
def _phrases() -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for (phrase,) in rows(dictionary_path("set_phrases"), columns=1))


@cache
def _firsts() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in _phrases())
