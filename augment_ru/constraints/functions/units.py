"""Finds words that move, stay or go together: set phrases, and a number with its noun."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial

from augment_ru.constraints.rule_file import OfWords
from augment_ru.language.morphology import lemmas_of, readings
from augment_ru.resources import dictionary_path, rows

_REACH = 3
"""The most words between a number and the end of its noun: «пять новых больших [домов]»."""


@lru_cache(maxsize=100_000)
def is_number(word: str) -> bool:
    """Tell whether a word in lower case says how many: «5», «пять», «несколько»."""
    return word[:1].isdigit() or readings(word)[0].pos == "NUMR"


@lru_cache(maxsize=100_000)
def _lemma(word: str) -> str:
    return lemmas_of(word)[0]


@lru_cache(maxsize=100_000)
def _opens(word: str) -> bool:
    """Tell whether a unit may start with a word."""
    return is_number(word := word.lower()) or _lemma(word) in _firsts()


@partial(OfWords, may=_opens)
def units(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Find set phrases, and numbers with their nouns: «[день рождения] через [пять лет]».

    Args:
        words: the tokens of a text.

    Yields:
        The index of the first token of a span, the index of its last token, and its label.
    """
    words = list(map(str.lower, words))
    for at, word in enumerate(words):
        if not _opens(word):
            continue
        for stop in (at + 2, at + 3) if _lemma(word) in _firsts() else ():
            if tuple(map(_lemma, words[at:stop])) in _phrases():
                yield at, min(stop, len(words)) - 1, "UNIT"
        noun = _noun_after(words, at) if is_number(word) else None
        if noun is not None:
            yield at, noun, "UNIT"


def _noun_after(words: Sequence[str], at: int) -> int | None:
    """Return the number of the noun that follows word `at`; only adjectives and numbers may stand between them.

    None if there is no such noun within three words.
    """
    for number in range(at + 1, min(at + 1 + _REACH, len(words))):
        one = readings(words[number])[0]
        if one.pos == "NOUN":
            return number
        if one.pos not in ("ADJF", "PRTF", "NUMR") and not is_number(words[number]):
            break
    return None


@cache
def _phrases() -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for (phrase,) in rows(dictionary_path("set_phrases"), columns=1))


@cache
def _firsts() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in _phrases())
