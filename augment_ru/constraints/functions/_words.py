"""What pymorphy3 knows of a word, looked up once: readings, and the forms two words may share."""

from functools import lru_cache
from typing import NamedTuple

from augment_ru.language.morphology import morphology
from augment_ru.text.words import RUSSIAN

NAMES = {"Name": "PER", "Surn": "PER", "Patr": "PER", "Geox": "LOC", "Orgn": "ORG"}
"""pymorphy3's grammemes of proper names, and the label of each."""


_CASE = {"gen2": "gent", "acc2": "accs", "loc2": "loct"}
"""The second forms of a case count as the case: «в этом году»."""


class Reading(NamedTuple):
    """One of the ways to read a word form."""

    lemma: str
    pos: str
    grammemes: frozenset[str]
    known: bool
    score: float

    @property
    def name(self) -> str:
        """PER, LOC, ORG for a proper name; else ""."""
        return next((label for grammeme, label in NAMES.items() if grammeme in self.grammemes), "")


@lru_cache(maxsize=200_000)
def readings(word: str) -> tuple[Reading, ...]:
    """The ways to read a word form, the likeliest first; what is no Russian word has one that says nothing.

    >>> [(reading.lemma, reading.name) for reading in readings("Твери")][0]
    ('тверь', 'LOC')
    """
    if not RUSSIAN.fullmatch(word):
        return (Reading(word.lower(), "", frozenset(), known=False, score=1.0),)
    return tuple(
        Reading(
            parse.normal_form,
            str(parse.tag.POS or ""),
            frozenset(_CASE.get(grammeme, grammeme) for grammeme in map(str, parse.tag.grammemes)),
            parse.is_known,
            parse.score,
        )
        for parse in morphology().parse(word)
    )


@lru_cache(maxsize=200_000)
def lemmas(word: str) -> frozenset[str]:
    """The dictionary forms that a word form may belong to, ё as е, in lower case.

    >>> sorted(lemmas("стали"))
    ['сталь', 'стать']
    """
    return frozenset(reading.lemma.replace("ё", "е") for reading in readings(word.lower()))
