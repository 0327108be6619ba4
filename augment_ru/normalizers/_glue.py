"""Words that are written without the spaces between them."""

from functools import cache, lru_cache
from math import log

from augment_ru.language.frequency import word_counts
from augment_ru.language.morphology import has_reading, readings
from augment_ru.language.prepositions import cases_behind, fitting
from augment_ru.normalizers._lattice import RUSSIAN
from augment_ru.normalizers._lexicon import count, has_prefix, is_function, is_hidden, is_listed, weight

_GLUED = 8
_ALONE = frozenset("вскоуияа")
_TOTAL = log(1.2e9)
_LONGEST = 16
_EACH, _BASE = 2.0, 8.0
"""Glued words may be as unlikely as this for each letter, and this for the whole."""


@lru_cache(maxsize=100_000)
def glued(word: str) -> str:
    """Return the words that are glued in a word of Russian letters, with spaces between; "" if it is one word.

    >>> glued("пишитевличку")
    'пишите в личку'
    """
    if len(word) < _GLUED:
        return ""
    best: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
    for stop in range(1, len(word) + 1):
        reached: tuple[float, tuple[str, ...]] = (_NOT, ())
        for start in range(max(0, stop - _LONGEST), stop):
            score, parts = best[start]
            if score > _NOT and (found := _weight(word[start:stop])):
                reached = max(reached, (score + found - _TOTAL, (*parts, word[start:stop])))
        best.append(reached)
    score, parts = best[-1]
    if not parts or len(parts[-1]) < 3 or score < -(_BASE + _EACH * len(word)) or has_prefix(word):  # noqa: PLR2004
        return ""
    governs = [len(parts) < _SEVERAL or bool(cases_behind(part)) for part in parts]
    if not all(map(is_listed, parts)) or parts[0] in _NEVER_FIRST:
        return ""
    if not all(
        not must or goes_before(one, other) for must, one, other in zip(governs, parts, parts[1:], strict=False)
    ):
        return ""
    return " ".join(parts)


_NOT = -1e9


def _weight(part: str) -> float:
    """Return the weight of a word that may be glued to others; 0 if none."""
    if len(part) > 3:  # noqa: PLR2004
        return weight(part) if count(part) >= _LEAST or is_hidden(part) else 0.0
    return weight(part) if part in _short() else 0.0


@cache
def _short() -> frozenset[str]:
    """Return the short words that may be glued to others."""
    words = [word for word, found in word_counts()[0].items() if len(word) in {2, 3} and found >= _OFTEN]
    return (
        frozenset(word for word in words if RUSSIAN.issuperset(word) and (is_function(word) or len(word) > 2)) | _ALONE  # noqa: PLR2004
    )


_SEVERAL = 3
"""So many words that are glued are no chance, whatever they are."""
_NEVER_FIRST = frozenset(["ли", "же", "бы", "то", "ка", "ж", "б"])
_OFTEN, _LEAST = 20_000, 5


def goes_before(one: str, other: str) -> bool:
    """Tell whether two glued words may stand side by side; a preposition must govern a case that the next word has."""
    if cases := cases_behind(one):
        kinds = [reading for reading in readings(other) if reading.known]
        return fitting(one, other) in {one, None} and any(cases & reading.grammemes for reading in kinds)
    if is_function(one) or is_function(other):
        return one not in _PRONOUNS or has_reading(other, "VERB", "PRTS", "ADJS")
    return min(len(one), len(other)) > 3 and min(weight(one), weight(other)) > 7  # noqa: PLR2004


_PRONOUNS = frozenset(["я", "ты", "вы", "мы", "он", "она", "оно", "они"])
