"""Protects a negator together with the word that it negates, so that nothing separates them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from augment_ru.constraints.functions.negation import says_opposite
from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import has_reading, readings
from augment_ru.resources import kinds_in
from augment_ru.text.doc import Token

_REACH = 3
"""The most words that are joined to a negator: «не [так уж трудно]»."""
_LINKS = frozenset({"PREP", "CONJ", "PRCL", "NPRO", "NUMR"})
_NOMINAL = frozenset({"NOUN", "NPRO"})


def negated(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find each negator with its word: «Он [не пришёл]: [денег нет], [без билета] [нельзя войти]»."""
    return {name: list(_spans(doc.tokens)) for name, doc in docs.items()}


def _spans(tokens: Sequence[Token]) -> Iterator[Span]:
    """Yield the spans of a text in order; spans that overlap are merged."""
    found: list[tuple[int, int]] = []
    for at, token in enumerate(tokens):
        for first, stop in _bound(tokens, at, token.text.lower()):
            if found and first < found[-1][1]:
                found[-1] = (min(first, found[-1][0]), max(stop, found[-1][1]))
            else:
                found.append((first, stop))
    for first, stop in found:
        yield Span(tokens[first].start, tokens[stop - 1].stop, "NEGATED")


def _bound(tokens: Sequence[Token], at: int, word: str) -> Iterator[tuple[int, int]]:
    """If this token is a negator, yield the range of the negator and the words that it negates.

    The range is given by its first token and the token after its last one.

    Args:
        tokens: the tokens of the text.
        at: the number of the token.
        word: the token in lower case.
    """
    kinds = kinds_in("negators", word)
    if "bare" in kinds:
        yield at, _content(tokens, at)
    elif "lacking" in kinds:
        yield _lacking(tokens, at)
    elif "without" in kinds or (has_reading(word, "ADJF") and word.startswith(("никак", "ничь", "ничей"))):
        yield at, _noun(tokens, at)
    elif "cannot" in kinds:
        yield _infinitive(tokens, at)
    elif "nobody" in kinds or says_opposite(word):
        yield at, at + 1


def _content(tokens: Sequence[Token], at: int) -> int:
    """Return the number of the token after the first content word behind a negator."""
    stop = at + 1
    for token in _following(tokens, at):
        stop += 1
        if not _is_light(token.text.lower()):
            break
    return stop


def _noun(tokens: Sequence[Token], at: int) -> int:
    """Return the number of the token after the first noun behind a negator.

    If no noun follows, return the number of the token after the negator.
    """
    for number, token in enumerate(_following(tokens, at), start=at + 2):
        if _is_nominal(token.text):
            return number
    return at + 1


def _lacking(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Return the range of «нет» and its noun in the genitive, which may stand behind «нет» or before it.

    The range is «нет» alone if there is no such noun.
    """
    for number, token in enumerate(_following(tokens, at), start=at + 2):
        governed = _is_governed(tokens, number - 1)
        if not governed and _is_genitive(token.text):
            return at, number
    for back in range(1, _REACH + 1):
        if at < back or not tokens[at - back].text.isalpha():
            break
        if _is_genitive(tokens[at - back].text) and not _is_governed(tokens, at - back):
            return at - back, at + 1
    return at, at + 1


def _infinitive(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Return the range of a word such as «нельзя» and its infinitive.

    The infinitive stands behind the word or directly in front of it.

    The range is the word alone if there is no infinitive.
    """
    for number, token in enumerate(_following(tokens, at), start=at + 2):
        if has_reading(token.text.lower(), "INFN") and token.text.lower() != "быть":
            return at, number
    if at and has_reading(tokens[at - 1].text.lower(), "INFN"):
        return at - 1, at + 1
    return at, at + 1


def _following(tokens: Sequence[Token], at: int) -> Iterator[Token]:
    """Yield up to three words behind a token, up to a punctuation mark."""
    for token in tokens[at + 1 : at + 1 + _REACH]:
        if not any(map(str.isalnum, token.text)):
            return
        yield token


@lru_cache(maxsize=100_000)
def _is_light(word: str) -> bool:
    """Tell whether a word only leads to the denied word: a preposition, a pronoun, «очень», a form of «быть»."""
    first = readings(word)[0]
    return (
        "degree" in kinds_in("negators", word)
        or first.pos in _LINKS
        or "Apro" in first.grammemes
        or first.lemma == "быть"
    )


def _is_nominal(word: str) -> bool:
    """Tell whether the likeliest reading of a word is a noun or a pronoun.

    A word that the dictionary lacks counts as a noun.
    """
    first = readings(word.lower())[0]
    return first.pos in _NOMINAL or not first.known


def _is_genitive(word: str) -> bool:
    return any(one.pos in _NOMINAL and "gent" in one.grammemes for one in readings(word.lower()))


def _is_governed(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a preposition stands directly in front of this token: «у меня»."""
    return at > 0 and readings(tokens[at - 1].text.lower())[0].pos == "PREP"
