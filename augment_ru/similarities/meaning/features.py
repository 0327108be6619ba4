"""What a text loses by its edits, as numbers, which `dictionaries/meaning.tsv` explains; words lost and misspelt."""

from collections.abc import Callable, Iterator, Sequence
from operator import add
from typing import Any, TypeAlias

from augment_ru.language.frequency import information
from augment_ru.language.morphology import has_form, is_known, lemmas_of, word_kind
from augment_ru.similarities.meaning.marks import BINDING, of_marks
from augment_ru.similarities.meaning.moved import of_moved, of_reshaped
from augment_ru.similarities.meaning.rewriting import of_added, of_rewritten
from augment_ru.similarities.meaning.words import ATTRIBUTES, NOMINAL, Fates, Source

_FUNCTION = frozenset({"preposition", "conjunction", "particle", "interjection"})
_ACTIONS = frozenset({"verb", "infinitive", "gerund"})
_LIGHT = 0.6
"""Verbs and modifiers of less information are read without being there: «был», «стал», «самый», «этот»."""
_LIGHT_NAME = 0.4
_LIGHT_PREPOSITION = 0.45
"""Prepositions of more information tell something by themselves: «через», «после»; not «в», «на», «для»."""
_QUESTIONS = frozenset({
    "где", "зачем", "как", "какой", "каков", "когда", "который", "кто", "куда", "откуда", "почему", "сколько", "чей",
    "что",
})  # fmt: skip
_TELLING = frozenset({"action", "argument", "circumstance", "modifier", "preposition", "question"})
_SHORT = 3
_LEGIBLE, _ILLEGIBLE = 0.2, 0.6
"""The shares of changed letters up to which a word is read easily, and from which it is not read at all."""


def features_of(fates: Fates) -> dict[str, float]:
    """The features of the fates of a text's words; those that are 0 are left out."""
    parts = (
        (of_lost, fates.lost),
        (of_damaged, fates.damaged),
        (of_signs, fates.signs),
        (of_marks, fates.lost or fates.inserted or fates.replaced),
        (of_moved, fates.moved),
        (of_reshaped, fates.reshaped),
        (of_rewritten, fates.replaced),
        (of_added, fates.inserted),
    )
    found: dict[str, float] = {}
    for part, cause in parts:
        for name, value in part(fates) if cause else ():
            if value:
                found[name] = found.get(name, 0.0) + value
    return found


def of_lost(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that are gone, with nothing in their place."""
    source, gone = fates.source, set(fates.lost)
    for number in fates.lost:
        kind = source.once(_place_of, number)
        yield "lost_share", source.shares[number]
        if kind in _TELLING:
            yield f"lost_{kind}", 1.0
        if number and source.text[source.starts[number]].isupper():
            yield "lost_name", 1.0
        yield from _orphans(source, number, gone)


def _place_of(source: Source, number: int) -> str:
    """What a word is for its sentence: `question`, `light`, `action`, `modifier`, `circumstance`, `argument`, or so."""
    form = source.forms[number]
    role, tells = word_kind(form).role, information(form)
    if not _QUESTIONS.isdisjoint(lemmas_of(form)):
        return "question"
    if role == "preposition" and tells > _LIGHT_PREPOSITION:
        return "preposition"
    if role in _FUNCTION or tells < (_LIGHT_NAME if role in NOMINAL else _LIGHT):
        return "light"
    for roles, name in ((_ACTIONS, "action"), (ATTRIBUTES | {"adverb"}, "modifier"), ({"pronoun"}, "pronoun")):
        if role in roles:
            return name
    return _place_of_noun(source, number)


def _place_of_noun(source: Source, number: int) -> str:
    kind = source.kind(number)
    phrase = number - 1
    if source.are_beside(phrase, number) and source.role(phrase) == "noun" and "gent" in kind.cases:
        return "modifier"
    following = number + 1
    if (
        source.are_beside(number, following)
        and source.text[source.starts[following]].isupper()
        and source.kind(following).cases & kind.cases
    ):
        return "modifier"  # «судья Петров»: the name stays
    while source.are_beside(phrase, number) and source.role(phrase) in ATTRIBUTES:
        phrase -= 1
    if source.are_beside(phrase, number) and source.role(phrase) == "preposition":
        return "circumstance"
    return "argument" if {"nomn", "accs"} & kind.cases or not kind.known else "circumstance"


def _orphans(source: Source, number: int, gone: set[int]) -> Iterator[tuple[str, float]]:
    """The features of words that are left without the word that they belong to."""
    before, after = number - 1, number + 1
    if not source.are_beside(before, number) or before in gone:
        return
    if source.role(before) == "preposition":
        goes_on = source.are_beside(number, after) and after not in gone and source.role(after) in NOMINAL | ATTRIBUTES
        if not goes_on:
            yield "orphan_preposition", 1.0
    if source.forms[before] in BINDING:
        yield "lost_negated", 1.0


DAMAGE = ("became_word", "damaged_letters", "damaged_unknown", "illegible_share", "illegible_words")
"""The features of misspelt words, in the order in which features are added up."""


Column: TypeAlias = Any
"""A number, or a column of numbers, shape (words,)."""


def damage(
    share: Column, part: Column, *, became: Column, unknown: Column, length: Column, clip: Callable[..., Column]
) -> tuple[Column, ...]:
    """What misspelt words add to the features `DAMAGE`.

    Args:
        share: the share of a word in the information of its sentence.
        part: the share of its letters that differ, at most 1.
        became: whether it became another word.
        unknown: whether the dictionary does not have it.
        length: the number of its letters; a short word is not illegible as a whole.
        clip: `clip(value, least, most)`, of numbers or of columns.
    """
    letters = share * part
    illegible = clip((part - _LEGIBLE) / (_ILLEGIBLE - _LEGIBLE), 0.0, 1.0)
    return share * became, letters, letters * unknown, share * illegible, (illegible > 1 / 2) & (length > _SHORT)


def _clipped(value: float, least: float, most: float) -> float:
    return least if value < least else min(value, most)


def damage_of(source: Source, words: Sequence[tuple[int, str, int]]) -> tuple[float, ...]:
    """The values of the features `DAMAGE` of misspelt words.

    Args:
        source: the text.
        words: the number, the new form and the count of letters that differ of each.
    """
    forms, shares = source.forms, source.shares
    totals: tuple[float, ...] = (0.0,) * len(DAMAGE)
    for number, form, apart in words:
        old = forms[number]
        length = len(old)
        became = has_form(form) and len(form) > 1 and set(lemmas_of(form)).isdisjoint(lemmas_of(old))
        part, unknown = apart / length if apart < length else 1.0, not is_known(old)
        values = damage(shares[number], part, became=became, unknown=unknown, length=length, clip=_clipped)
        totals = tuple(map(add, totals, values))
    return totals


def of_damaged(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of misspelt words."""
    yield from zip(DAMAGE, damage_of(fates.source, fates.damaged), strict=True)


def of_signs(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that are written as signs; a number in other digits is as legible as before."""
    for number in fates.signs:
        yield "signs", float(not fates.source.forms[number].isdecimal())
