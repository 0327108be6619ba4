"""The readings of a word form by pymorphy3, cached, and questions about them."""

from collections.abc import Container
from functools import cache, lru_cache
from typing import Any, NamedTuple

from augment_ru.language.morphology import NAME_LABELS, morphology
from augment_ru.text.words import RUSSIAN

CASES = frozenset({"nomn", "gent", "datv", "accs", "ablt", "loct"})
GENDERS = frozenset({"masc", "femn", "neut"})
_CASE_OF = {"gen2": "gent", "acc2": "accs", "loc2": "loct"}
"""Second forms of a case («в этом году»), and the case that they count as."""


class Reading(NamedTuple):
    """One analysis of a word form.

    Attributes:
        lemma: the dictionary form, in lower case.
        pos: pymorphy3's part of speech (NOUN, ADJF, …); "" for a word that is not Russian.
        grammemes: all grammemes of pymorphy3's tag.
        known: whether the dictionary has the word; else the analysis is a guess by its ending.
        score: pymorphy3's estimate of how likely this analysis is, in [0, 1].
    """

    lemma: str
    pos: str
    grammemes: frozenset[str]
    known: bool
    score: float

    @property
    def name(self) -> str:
        """PER, LOC or ORG for a proper name, else ""."""
        return next((label for grammeme, label in NAME_LABELS.items() if grammeme in self.grammemes), "")


@lru_cache(maxsize=200_000)
def readings(word: str) -> tuple[Reading, ...]:
    """The readings of a word form, the likeliest first; a word that is not Russian has one without grammemes.

    >>> [(reading.lemma, reading.name) for reading in readings("Твери")][0]
    ('тверь', 'LOC')
    """
    if not RUSSIAN.fullmatch(word):
        return (Reading(word.lower(), "", frozenset(), known=False, score=1.0),)
    return tuple(
        Reading(parse.normal_form, *_of_tag(parse.tag), parse.is_known, parse.score)
        for parse in morphology().parse(word)
    )


@cache
def _of_tag(tag: Any) -> tuple[str, frozenset[str]]:  # noqa: ANN401  (pymorphy3 has no types)
    """The part of speech and the grammemes of a tag; words share those of the few thousand tags that there are."""
    return str(tag.POS or ""), frozenset(_CASE_OF.get(grammeme, grammeme) for grammeme in map(str, tag.grammemes))


@lru_cache(maxsize=200_000)
def lemmas(word: str) -> frozenset[str]:
    """The dictionary forms of all readings of a word form, in lower case, with е for ё.

    >>> sorted(lemmas("стали"))
    ['сталь', 'стать']
    """
    return frozenset(reading.lemma.replace("ё", "е") for reading in readings(word.lower()))


@lru_cache(maxsize=100_000)
def has_reading(word: str, *marks: str) -> bool:
    """Whether a reading of the word is one of these parts of speech or has one of these grammemes.

    >>> has_reading("стали", "VERB"), has_reading("стали", "Surn")
    (True, False)
    """
    wanted = set(marks)
    return any(reading.pos in wanted or reading.grammemes & wanted for reading in readings(word))


def has_lemma(word: str, wanted: Container[str]) -> bool:
    """Whether a reading of the word has one of these dictionary forms."""
    return any(reading.lemma in wanted for reading in readings(word))


def may_be_form(word: str, wanted: frozenset[str]) -> bool:
    """Whether a word may be a form of one of these lemmas: no inflection changes their first letters."""
    return word[:_BEGIN].lower() in _beginnings(wanted)


@cache
def _beginnings(wanted: frozenset[str]) -> frozenset[str]:
    return frozenset(lemma[:_BEGIN] for lemma in wanted)


_BEGIN = 3
