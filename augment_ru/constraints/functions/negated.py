"""Protects a negator together with the word that it negates, so that nothing separates them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from augment_ru.constraints.functions.negation import says_opposite
from augment_ru.constraints.rule_file import OfWords
from augment_ru.language.morphology import has_reading, readings
from augment_ru.resources import kinds_in

_REACH = 3
"""The most words that are joined to a negator: «не [так уж трудно]»."""
_LINKS = frozenset({"PREP", "CONJ", "PRCL", "NPRO", "NUMR"})
_NOMINAL = frozenset({"NOUN", "NPRO"})


@lru_cache(maxsize=100_000)
def _is_negator(word: str) -> bool:
    word = word.lower()
    return bool(kinds_in("negators", word)) or says_opposite(word) or _is_no(word)


@lru_cache(maxsize=100_000)
def _is_no(word: str) -> bool:
    """Tell whether a word in lower case is a form of «никакой» or «ничей»."""
    return word.startswith(("никак", "ничь", "ничей")) and has_reading(word, "ADJF")


@partial(OfWords, may=_is_negator)
def negated(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Find words that negate, each with the word that it negates: «Он [не пришёл]: [денег нет], [нельзя войти]».

    Spans that overlap are merged.

    Args:
        words: the tokens of a text.

    Yields:
        The index of the first token of a span, the index of its last token, and its label.
    """
    found: list[tuple[int, int]] = []
    words = list(map(str.lower, words))
    for at, word in enumerate(words):
        for first, stop in _bound(words, at, word) if _is_negator(word) else ():
            if found and first < found[-1][1]:
                found[-1] = (min(first, found[-1][0]), max(stop, found[-1][1]))
            else:
                found.append((first, stop))
    return ((first, stop - 1, "NEGATED") for first, stop in found)


def _bound(words: Sequence[str], at: int, word: str) -> Iterator[tuple[int, int]]:
    """Yield the range of a negator with the words that it negates: its first token, and the token after its last one.

    Args:
        words: the tokens of the text in lower case.
        at: the number of the negator.
        word: the negator.
    """
    kinds = kinds_in("negators", word)
    if "bare" in kinds:
        yield at, _content(words, at)
    elif "lacking" in kinds:
        yield _lacking(words, at)
    elif "without" in kinds or _is_no(word):
        yield at, _noun(words, at)
    elif "cannot" in kinds:
        yield _infinitive(words, at)
    elif "nobody" in kinds or says_opposite(word):
        yield at, at + 1


def _content(words: Sequence[str], at: int) -> int:
    """Return the number of the token after the first content word that follows a negator."""
    stop = at + 1
    for word in _following(words, at):
        stop += 1
        if not _is_light(word):
            break
    return stop


def _noun(words: Sequence[str], at: int) -> int:
    """Return the number of the token after the first noun that follows a negator.

    If no noun follows, return the number of the token after the negator.
    """
    for number, word in enumerate(_following(words, at), start=at + 2):
        if _is_nominal(word):
            return number
    return at + 1


def _lacking(words: Sequence[str], at: int) -> tuple[int, int]:
    """Return the range of «нет» and its noun in the genitive, which may stand after «нет» or before it.

    The range is «нет» alone if there is no such noun.
    """
    for number, word in enumerate(_following(words, at), start=at + 2):
        governed = _is_governed(words, number - 1)
        if not governed and _is_genitive(word):
            return at, number
    for back in range(1, _REACH + 1):
        if at < back or not words[at - back].isalpha():
            break
        if _is_genitive(words[at - back]) and not _is_governed(words, at - back):
            return at - back, at + 1
    return at, at + 1


def _infinitive(words: Sequence[str], at: int) -> tuple[int, int]:
    """Return the range of a word such as «нельзя» and its infinitive.

    The infinitive stands after the word, or directly before it. If there is none, the range is the word alone.
    """
    for number, word in enumerate(_following(words, at), start=at + 2):
        if has_reading(word, "INFN") and word != "быть":
            return at, number
    if at and has_reading(words[at - 1], "INFN"):
        return at - 1, at + 1
    return at, at + 1


def _following(words: Sequence[str], at: int) -> Iterator[str]:
    """Yield up to three words after a token, up to a punctuation mark."""
    for word in words[at + 1 : at + 1 + _REACH]:
        if not any(map(str.isalnum, word)):
            return
        yield word


@lru_cache(maxsize=100_000)
def _is_light(word: str) -> bool:
    """Tell whether a word may stand between a negator and the negated word, as a preposition, a pronoun, «очень»."""
    first = readings(word)[0]
    is_link = first.pos in _LINKS or "Apro" in first.grammemes or first.lemma == "быть"
    return is_link or "degree" in kinds_in("negators", word)


def _is_nominal(word: str) -> bool:
    """Tell whether the likeliest reading of a word is a noun or a pronoun.

    A word that the dictionary lacks counts as a noun.
    """
    first = readings(word)[0]
    return first.pos in _NOMINAL or not first.known


def _is_genitive(word: str) -> bool:
    return any(one.pos in _NOMINAL and "gent" in one.grammemes for one in readings(word))


def _is_governed(words: Sequence[str], at: int) -> bool:
    """Tell whether a preposition stands directly before this token: «у меня»."""
    return at > 0 and readings(words[at - 1])[0].pos == "PREP"
