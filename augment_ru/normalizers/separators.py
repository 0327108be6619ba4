"""Буквы порознь: «к.а.з.и.н.о», «к а з и н о», «ка зино» → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import ClassVar

from augment_ru.language.morphology import has_reading, readings
from augment_ru.language.prepositions import cases_behind, fitting
from augment_ru.normalizers._lattice import RUSSIAN, Found
from augment_ru.normalizers._lexicon import has_prefix, is_listed, weight
from augment_ru.normalizers._reading import WordNormalization, is_function
from augment_ru.normalizers._pieces import swings


@dataclass(frozen=True, slots=True)
class Separators(WordNormalization):
    """Read words whose letters or parts stand apart, and words that are glued."""

    name: ClassVar[str] = "separators"
    skipped: ClassVar[str] = r"""./\|_~*·•-‑–—,:;+=^'`⭐★☆✨()[]<>""" + "\ufe0f"

    def unknown(self, word: str) -> Iterable[Found]:
        """Return the words that are glued in a word: «пишитевличку»."""
        if RUSSIAN.issuperset(word) and not swings(word) and (found := glued(word.lower())):
            yield Found(_CERTAIN, found, 0.0, self.bit)


_CERTAIN = 5.0
_ALONE = frozenset("вскоуияа")
_TOTAL = log(1.2e9)
_LONGEST = 16
_EACH, _BASE = 1.75, 8.0
"""Glued words may be as unlikely as this for each letter, and this for the whole."""


def glued(word: str) -> str:
    """Return the words that are glued in a word of Russian letters, with spaces between; "" if it is one word.

    >>> glued("пишитевличку")
    'пишите в личку'
    """
    if len(word) < 8:  # noqa: PLR2004
        return ""
    best: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
    for stop in range(1, len(word) + 1):
        ways = [(-999.0, ())]
        for start in range(max(0, stop - _LONGEST), stop):
            part = word[start:stop]
            if (len(part) > 1 or part in _ALONE) and best[start][0] > -900 and _is_common(part):  # noqa: PLR2004
                ways.append((best[start][0] + weight(part) - _TOTAL, (*best[start][1], part)))
        best.append(max(ways))
    score, parts = best[-1]
    if not parts or len(parts[-1]) < 3 or score < -(_BASE + _EACH * len(word)) or has_prefix(word):  # noqa: PLR2004
        return ""
    return " ".join(parts) if all(map(_may_stand_before, parts, parts[1:])) else ""


def _may_stand_before(one: str, other: str) -> bool:
    """Tell whether two glued words may stand side by side; a preposition must govern a case that the next word has."""
    if cases := cases_behind(one):
        kinds = [reading for reading in readings(other) if reading.known]
        return fitting(one, other) in {one, None} and any(cases & reading.grammemes for reading in kinds)
    if is_function(one) or is_function(other):
        return one not in _PRONOUNS or has_reading(other, "VERB", "PRTS", "ADJS")
    return min(len(one), len(other)) > 3 and min(weight(one), weight(other)) > 7  # noqa: PLR2004


_PRONOUNS = frozenset("я ты вы мы он она оно они".split())


def _is_common(part: str) -> bool:
    """Tell whether a part is a word that may stand by itself."""
    if len(part) < 4:  # noqa: PLR2004
        return is_function(part) or (len(part) == 3 and weight(part) > 10 and is_listed(part))  # noqa: PLR2004
    return weight(part) > 5 and is_listed(part)
