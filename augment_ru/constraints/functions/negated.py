"""Protects a negator together with the word that it negates, so that nothing separates them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import takewhile

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
        other = _other_end(words, at) if _is_negator(word) else None
        if other is None:
            continue
        first, last = min(at, other), max(at, other)
        if found and first <= found[-1][1]:
            found[-1] = (min(first, found[-1][0]), max(last, found[-1][1]))
        else:
            found.append((first, last))
    return ((first, last, "NEGATED") for first, last in found)


def _other_end(words: Sequence[str], at: int) -> int | None:
    """Return the number of the token to which a negator reaches: `at` if it stands alone, None if it negates nothing.

    Args:
        words: the tokens of the text in lower case.
        at: the number of the negator.
    """
    kinds, following = kinds_in("negators", words[at]), _following(words, at)
    if "bare" in kinds:  # the first content word, or the last word in reach; «не забудь» with its infinitive
        last = next((one for one in following if not _is_light(words[one])), following.stop - 1)
        commands = readings(words[last])[0].pos == "VERB" and has_reading(words[last], "impr")
        return last + (commands and any(has_reading(one, "INFN") for one in words[last + 1 : last + 2]))
    if "lacking" in kinds:  # a noun in the genitive after «нет» or before it
        return next((one for one in (*following, *_before(words, at)) if _is_genitive(words, one)), at)
    if "without" in kinds or _is_no(words[at]):
        return next((one for one in following if _is_nominal(words[one])), at)
    if "cannot" in kinds:  # an infinitive after «нельзя» or directly before it
        after = (one for one in following if has_reading(words[one], "INFN") and words[one] != "быть")
        return next(after, at - 1 if at and has_reading(words[at - 1], "INFN") else at)
    return at if "nobody" in kinds or says_opposite(words[at]) else None


def _following(words: Sequence[str], at: int) -> range:
    """Return the numbers of up to three words after a token, up to a punctuation mark."""
    reach = range(at + 1, min(at + 1 + _REACH, len(words)))
    return range(at + 1, next((one for one in reach if not any(map(str.isalnum, words[one]))), reach.stop))


def _before(words: Sequence[str], at: int) -> Iterator[int]:
    """Return the numbers of up to three words before a token, the nearest first."""
    return takewhile(lambda one: words[one].isalpha(), range(at - 1, max(at - 1 - _REACH, -1), -1))


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


def _is_genitive(words: Sequence[str], at: int) -> bool:
    """Tell whether a word may be a genitive that no preposition governs, as the one in «у меня»."""
    governed = at > 0 and readings(words[at - 1])[0].pos == "PREP"
    return not governed and any(one.pos in _NOMINAL and "gent" in one.grammemes for one in readings(words[at]))
