"""Protects the unknown of a quiz question («ЭТОТ ФИЛЬМ», «X»), and names in quote marks and brackets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from augment_ru.constraints.quotations import Quoted, bracketed, is_title, quoted
from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import CASES, GENDERS, Reading, has_lemma, has_reading, readings
from augment_ru.resources import word_lists
from augment_ru.text.doc import Doc, Token

_MODIFIERS = frozenset({"ADJF", "PRTF", "NUMR"})
_NOUN = frozenset({"NOUN"})
_JOINTS = frozenset({",", "и", "И", "но", "НО"})
_DEMONSTRATIVES = frozenset({"этот", "такой"})
_X = re.compile(r"(?:X|Х|[Ии]кс(?:[ауеы]|ом|ов|ам|ами|ах)?|ИКС(?:[АУЕЫ]|ОМ|ОВ|АМ|АМИ|АХ)?)(?:-[\w-]+)?")
_PRONOUNS = frozenset({"он", "она", "оно", "они", "это"})
_IN_CAPITALS = re.compile(r"[A-ZА-ЯЁ]+(?:-[A-ZА-ЯЁ]+)*")
_IN_BRACKETS = re.compile(r"[^\W\d_a-zа-яё][^\s]*(?:\s+(?:[^\W_]{1,3}\s+){0,2}[^\W\d_a-zа-яё][^\s]*){0,4}")
"""A name in brackets: words with capitals, and between them words of up to three letters («ду», «фон», «на»)."""


def jeopardy(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find quoted and bracketed names, and the words for the unknown answer, in the texts of a Jeopardy question.

    The answer is called by a phrase such as «этот фильм», or by X: «снят [ЭТОТ ФИЛЬМ] по «[Солярису]»».
    """
    return {name: [*_phrases(doc), *_unknowns(doc), *_names(doc.text)] for name, doc in docs.items()}


def _phrases(doc: Doc) -> Iterator[Span]:
    """Yield each demonstrative with its noun and all words between («этот великий актёр»).

    If the demonstrative is in capitals, the words in capitals around the phrase belong to it, too.
    """
    tokens = doc.tokens
    for at, token in enumerate(tokens):
        own = _demonstrative(token.text)
        if own is None:
            continue
        last = _head(tokens, at, own) if own else at
        capitals, before = token.text.isupper() and len(token.text) > 1, tokens[at - 1].text
        if capitals and own:
            last = _end_of_capitals(tokens, last)
        first = at - 1 if capitals and at and before.isupper() and has_reading(before, "PREP") else at
        if last > first:
            yield Span(tokens[first].start, tokens[last].stop, "THIS_NP")


@lru_cache(maxsize=100_000)
def _demonstrative(word: str) -> tuple[Reading, ...] | None:
    """Return the readings of a word as a demonstrative («этот», «такой»); () for a pronoun; None for any other word."""
    found = readings(word)
    own = tuple(reading for reading in found if reading.lemma in _DEMONSTRATIVES and reading.pos == "ADJF")
    pronoun = any(reading.pos == "NPRO" and reading.lemma in _PRONOUNS for reading in found)
    return own if own or pronoun else None


def _head(tokens: Sequence[Token], first: int, own: Sequence[Reading]) -> int:
    """Return the number of the noun that the demonstrative agrees with; `first` if no noun agrees.

    A word that is both adjective and noun («рабочий», «больной») counts as the noun if no noun follows.

    Args:
        tokens: the tokens of the text.
        first: the number of the demonstrative.
        own: its readings.
    """
    found, counted, at = first, False, first + 1
    while at < len(tokens):
        word = tokens[at].text
        if word in _JOINTS and first + 1 < at < len(tokens) - 1:
            at += 1 if tokens[at + 1].text not in _JOINTS else 2
            if at >= len(tokens) or not _agreeing(own, tokens[at].text, _MODIFIERS):
                break
            continue
        if has_lemma(word, word_lists("quiz_words")["skipped"]):
            at += 1
            continue
        modifiers = _agreeing(own, word, _MODIFIERS)
        if _agreeing(own, word, _NOUN) or (counted and _is_counted(word)):
            found = at
        if not modifiers:
            break
        counted = counted or any(reading.pos == "NUMR" for reading in modifiers)
        at += 1
    return found


def _is_counted(word: str) -> bool:
    """Tell whether a word may be a noun after a numeral, which is in the genitive: «эти два города»."""
    return any(reading.pos == "NOUN" and "gent" in reading.grammemes for reading in readings(word))


def _agreeing(own: Sequence[Reading], word: str, kinds: frozenset[str]) -> list[Reading]:
    """Return the readings of a word of the parts of speech `kinds` that agree with a reading in `own`."""
    return [
        other
        for other in readings(word)
        if other.pos in kinds and "Apro" not in other.grammemes and any(_agree(one, other) for one in own)
    ]


def _agree(one: Reading, other: Reading) -> bool:
    """Tell whether two readings have the same case, number and gender."""
    if not one.grammemes & other.grammemes & CASES:
        return False
    if other.pos == "NUMR":
        return "plur" in one.grammemes
    if ("plur" in one.grammemes) != ("plur" in other.grammemes):
        return False
    genders = other.grammemes & GENDERS
    return "plur" in one.grammemes or not genders or bool(one.grammemes & genders)


def _end_of_capitals(tokens: Sequence[Token], last: int) -> int:
    """Return the last token of the run of words in capitals that continues the phrase: «ЭТОТ АСТРОНОМ | И МУЗЫКАНТ».

    Args:
        tokens: the tokens of the text.
        last: the last token of the phrase; it is returned if no such word follows.
    """
    at = last + 1
    while at < len(tokens) and _IN_CAPITALS.fullmatch(tokens[at].text):
        kinds = {reading.pos for reading in readings(tokens[at].text)}
        if kinds & {"NOUN", *_MODIFIERS} and not kinds & {"PRCL", "NPRO"}:
            last = at
        elif not kinds & {"CONJ", "PREP"}:
            break
        at += 1
    return last


def _unknowns(doc: Doc) -> Iterator[Span]:
    """Yield X and ИКС where they stand for the unknown, but not in «X век», «Людовик X», «ось X»."""
    tokens = doc.tokens
    places = [at for at, token in enumerate(tokens) if _X.fullmatch(token.text)]
    if not places or any(has_lemma(token.text, word_lists("quiz_words")["axis"]) for token in tokens):
        return
    for at in places:
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        counted = has_lemma(after, word_lists("quiz_words")["counted"]) if after else False
        if not counted and not _is_numeral(tokens, at):
            yield Span(tokens[at].start, tokens[at].stop, "X")


def _is_numeral(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether the token belongs to a person's name: «Ричард X», «Малькольм Икс»."""
    if at == 0 or not tokens[at - 1].text[0].isupper():
        return False
    given = any("Name" in reading.grammemes for reading in readings(tokens[at - 1].text))
    return given or (tokens[at].entity == "I-PER" and tokens[at - 1].entity.endswith("PER"))


def _names(text: str) -> Iterator[Span]:
    """Yield the names that fill a pair of quote marks or brackets."""
    for found in quoted(text):
        if is_title(found):
            yield _trimmed(found)
    for found in bracketed(text):
        if len(found.text) > 1 and _IN_BRACKETS.fullmatch(found.text.strip()):
            yield _trimmed(found)


def _trimmed(found: Quoted) -> Span:
    """Return the span of the text between the marks, without white space at its ends."""
    start = found.start + len(found.text) - len(found.text.lstrip())
    return Span(start, start + len(found.text.strip()), "QUOTED")
