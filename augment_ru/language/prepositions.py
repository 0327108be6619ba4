"""Prepositions that are written in two ways, by the word behind them: «о доме», «об окне»; «в доме», «во Франции»."""

import re

_FULL = {"о": "об", "с": "со", "в": "во", "к": "ко"}
_SHORT = {full: short for short, full in _FULL.items()}
_VOWEL = re.compile("[аоуиэ]")
_HARD = {
    "с": re.compile("[сзшж][бвгджзйклмнпрстфхцчшщ]|щ|(?:вс|вт|вч|льд|льв|лб|лж|рт|рв|мн|дн|двор)"),
    "в": re.compile("[вф][бвгджзйклмнпрстфхцчшщ]|(?:льд|льв|лб|лж|рт|рв|мн|двор|дни|дне|сне|сну|сном)"),
    "к": re.compile("все|всё|всяк|втор|льд|льв|лб|лж|рту|рву|мн|дн|двор|сну"),
}
"""The beginnings of words before which a preposition gets its vowel."""
_GOVERNED = {
    "без": "gent", "для": "gent", "до": "gent", "из": "gent", "от": "gent", "у": "gent", "около": "gent",
    "после": "gent", "кроме": "gent", "вместо": "gent", "возле": "gent", "против": "gent", "среди": "gent",
    "из-за": "gent", "из-под": "gent", "ради": "gent", "вокруг": "gent", "вдоль": "gent", "мимо": "gent",
    "к": "datv", "ко": "datv", "по": "datv accs loct", "через": "accs", "про": "accs", "сквозь": "accs",
    "над": "ablt", "перед": "ablt", "между": "ablt gent", "с": "ablt gent accs", "со": "ablt gent accs",
    "за": "ablt accs", "под": "ablt accs", "в": "loct accs", "во": "loct accs", "на": "loct accs",
    "о": "loct accs", "об": "loct accs", "обо": "loct accs",
    "при": "loct",
}  # fmt: skip
"""The cases behind prepositions, without the second ones."""
_UNSURE = re.compile("льд|льв|лб|лж|рт|рв|мн|дн|двор|сну|сне|сном|вс")
"""Beginnings before which «из», «над», «от», «под», «перед» may have a vowel, too."""
_OTHERS = frozenset({"из", "изо", "над", "надо", "от", "ото", "под", "подо", "перед", "передо", "обо", "без", "безо"})


def fitting(preposition: str, word: str) -> str | None:
    """A preposition as it is written before a word.

    >>> fitting("о", "окне"), fitting("об", "доме"), fitting("с", "столом"), fitting("в", "доме"), fitting("на", "дне")
    ('об', 'о', 'со', 'в', 'на')

    Args:
        preposition: the preposition in lower case.
        word: the word in lower case.

    Returns:
        The preposition; None if it is not certain how it is written.
    """
    if preposition in _OTHERS:
        return (
            None
            if preposition in {"изо", "надо", "ото", "подо", "передо", "обо", "безо"} or _UNSURE.match(word)
            else preposition
        )
    short = _SHORT.get(preposition, preposition)
    if short == "о":
        return "об" if _VOWEL.match(word) else "о"
    if short in _HARD:
        return _FULL[short] if _HARD[short].match(word) else short
    return preposition


def cases_behind(preposition: str) -> frozenset[str]:
    """The cases that may stand behind a preposition in lower case, without the second ones; none if it is not listed.

    >>> sorted(cases_behind("в"))
    ['accs', 'loct']
    """
    return frozenset(_GOVERNED.get(preposition, "").split())
