"""Gives prepositions the form that the next word demands («о доме», «об окне»), and tells the cases they demand."""

import re
from functools import cache

from augment_ru.resources import dictionary_path, rows

_FULL = {"о": "об", "с": "со", "в": "во", "к": "ко"}
_SHORT = {full: short for short, full in _FULL.items()}
_VOWEL = re.compile("[аоуиэ]")
_HARD = {
    "с": re.compile("[сзшж][бвгджзйклмнпрстфхцчшщ]|щ|(?:вс|вт|вч|льд|льв|лб|лж|рт|рв|мн|дн|двор)"),
    "в": re.compile("[вф][бвгджзйклмнпрстфхцчшщ]|(?:льд|льв|лб|лж|рт|рв|мн|двор|дни|дне|сне|сну|сном)"),
    "к": re.compile("все|всё|всяк|втор|льд|льв|лб|лж|рту|рву|мн|дн|двор|сну"),
}
"""The beginnings of words before which the preposition is written with a vowel: «со столом»."""
_UNSURE = re.compile("льд|льв|лб|лж|рт|рв|мн|дн|двор|сну|сне|сном|вс")
"""The beginnings of words before which «из», «над», «от», «под» and «перед» may also be written with a vowel."""
_OTHERS = frozenset({"из", "над", "от", "под", "перед", "без"})
_LONG = frozenset({"изо", "надо", "ото", "подо", "передо", "обо", "безо"})


def fitting(preposition: str, word: str) -> str | None:
    """Return a preposition in the form that it has before a word: «об окне», but «о доме».

    >>> fitting("о", "окне"), fitting("об", "доме"), fitting("с", "столом"), fitting("в", "доме"), fitting("на", "дне")
    ('об', 'о', 'со', 'в', 'на')

    Args:
        preposition: the preposition in lower case.
        word: the word in lower case.

    Returns:
        The preposition; None if it is not certain which form is right.
    """
    if preposition in _LONG or (preposition in _OTHERS and _UNSURE.match(word)):
        return None
    short = _SHORT.get(preposition, preposition)
    if short == "о":
        return "об" if _VOWEL.match(word) else "о"
    if short in _HARD:
        return _FULL[short] if _HARD[short].match(word) else short
    return preposition


def cases_behind(preposition: str) -> frozenset[str]:
    """Return the cases that a preposition demands, by their names in pymorphy3, without second cases (`gen2`, `loc2`).

    The preposition must be in lower case. For one that the dictionary does not list, the result is empty.

    >>> sorted(cases_behind("в"))
    ['accs', 'loct']
    """
    return _governed().get(preposition, frozenset())


@cache
def _governed() -> dict[str, frozenset[str]]:
    return {word: frozenset(cases.split()) for word, cases in rows(dictionary_path("prepositions"), columns=2)}
