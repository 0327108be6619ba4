"""Says the numbers that the attack `numbers` leaves in figures: «от 4 до 6 утра» as «от четырёх до шести утра»."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import product

from augment_ru.attacks.numbers import listed, ordinals
from augment_ru.editing.numbered import Place, fitted
from augment_ru.language.morphology import readings
from augment_ru.language.numerals import (
    NO_GENITIVE,
    NUMERAL_CASES,
    cardinal,
    cases_at,
    class_of,
    noun_after,
    nouns_behind,
    ordinal,
    ways_to_count,
)

NUMBER = re.compile(
    r"(?:(?<=\d)[-‑]|(?<!\w)(?<![^\W\d_][-‑])(?<!\d/))"
    r"(?:(?<!\d[.,])(?P<int>\d{1,12})[.,](?P<part>\d{1,3})(?![.,:-]?\w)"
    r"|(?P<whole>\d{1,3}(?:[ \u00a0]\d{3}){1,3}(?![ \u00a0‑-]?\d)|\d{1,12})(?:[-‑](?P<ending>[а-яё]{1,3})(?![\w-]))?)"
    r"(?![^\W_]|[-‑][^\W\d_]|/\d)",
    re.IGNORECASE,
)
"""A number that belongs to no word, as that of «МТЗ-80» does, with the hyphen before it in «2-3»."""
_CLOCK = re.compile(r"(?:1\d|2[0-3])\.[0-5]\d")
"""A time such as 19.30."""
_FAR = 80
"""How many characters before and behind a number are read."""
_FROM = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*(?:-[а-яё]{1,3})?\s*[-‑–—]?\s*$|(?<!\S)[-−+±]\s?$")
"""What stands between a number and what governs it: the first number of «5–10 мая», a sign."""
_TO = re.compile(
    r"\s*(?:[-‑–—]|(?:и|или|по|до)\b)\s*(?:\d+(?:[.,]\d+)*(?:-[а-яё]{1,3}(?!\w))?|[IVX]+\b)", re.IGNORECASE
)
"""What stands between a number and its noun: «5–10 мая», «от 4 до 6 часов»."""
_NAME, _CENTURY = re.compile(r"([А-ЯЁ][а-яё]+)\s+$"), re.compile(r"\s*вв?\.")
_YEAR = re.compile(r"\s*г(?:г?\.|\b|од)")
_LETTER = re.compile(r"(?<=[^\s.!?…]\s)[А-ЯЁ]\s+$")
"""A letter that is no preposition, such as that of «САУ 2 С 1»."""
_PARTS = ("десят", "сот", "тысячн")
_PARTS_OF_DAY = frozenset({"утро", "день", "вечер", "ночь"})
_OF_CARDINALS = frozenset({"и", "ти", "ми", "мя", "ю", "ух", "ех", "ь"})
_DATES, _YEARS = range(1, 32), range(1000, 2100)


def said_number(text: str, match: re.Match[str], first: int, last: int) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the stop and the new text of the edits that write a number as it is said.

    Args:
        text: the text of the number, with others around it.
        match: what `NUMBER` found.
        first: where the text of the number starts.
        last: where it stops.
    """
    start, stop, figures = *match.span(), re.sub(r"\D", "", match["int"] or match["whole"])
    sign = listed("unit").get(text[max(start - 1, first) : start])
    start -= sign is not None  # «$20» is «двадцать долларов»
    origin, end = max(first, start - _FAR), min(last, stop + _FAR)
    before, behind, number = text[origin:start], text[stop:end], int(figures)
    case = case_at(before)
    if _CLOCK.fullmatch(match[0]):
        new = f"{cardinal(number, 'nomn')} {'ноль ' * (match['part'][0] == '0')}{cardinal(int(match['part']), 'nomn')}"
    elif match["part"]:
        new = _with_part(number, match["part"], "gent" if case == "gent" else "nomn")
    else:
        new = "ноль " * (len(figures) - len(str(number))) + _said(
            before, number, (match["ending"] or "").lower(), behind
        )
    if sign:
        new += f" {noun_after(2, sign, 'nomn') if match['part'] else noun_after(number, sign, case)}"
    place = Place(start - origin, stop - origin, new, "words")
    place = next(fitted(text[origin:end], place), place)
    if place.before:
        yield origin + place.before[0], origin + place.before[1], place.before[2]
    yield start, stop, place.text


def said_roman(before: str, number: int, behind: str) -> tuple[str, int]:
    """Return a Roman number as it is said, and how much is said with it of what follows: «в XX в.», «при Петре I»."""
    century, case, name = re.match(r"\s*в\.", behind), _case_of_year(before), _NAME.search(before)
    if century or _CENTURY.match(_TO.sub("", behind, count=1)):
        said = ordinal(number, case, "masc")
        return (f"{said} {noun_after(1, 'век', case)}", century.end()) if century else (said, 0)
    ways = {*ordinals(number, [one for one in nouns_behind(behind) if one.number == "sing"], _cases(before))}
    for one in readings(name[1])[:1] if name and not ways else ():
        if "Name" in one.grammemes and one.case:
            ways.add(ordinal(number, one.case, "femn" if "femn" in one.grammemes else "masc", animate=True))
    return (ways.pop() if len(ways) == 1 else cardinal(number, "nomn")), 0


def case_at(before: str) -> str:
    """Return the likeliest case of a number behind a text; the nominative stands for the accusative, too."""
    cases = _cases(before)
    if cases == {"ablt", "gent"}:
        return "ablt" if before.lower().endswith("между ") else "gent"
    return next(iter(cases)) if len(cases) == 1 and cases != {"accs"} else "nomn"


def _cases(before: str) -> frozenset[str]:
    before = _FROM.sub("", before)
    return NO_GENITIVE if _LETTER.search(before) else cases_at(before) or NO_GENITIVE


def _case_of_year(before: str) -> str:
    case, may = case_at(before), _cases(before)
    return "loct" if may == {"accs", "loct"} else case if case in {"datv", "ablt"} else "gent"


def _said(before: str, number: int, ending: str, behind: str) -> str:
    """Return a whole number as it is said, in agreement with its noun, with what governs it and its ending."""
    cases, behind = _cases(before), _TO.sub("", behind, count=1)
    nouns = [one for one in nouns_behind(behind) if one.case != "gent" or one.lemma not in _PARTS_OF_DAY]
    if ending:
        return _with_ending(number, ending, cases, {one.case for one in nouns})
    if number in _DATES and {*re.findall(r"\w+", behind)[:1]} & listed("month").keys():
        return ordinal(number, "gent", "neut")
    if number in _YEARS and _YEAR.match(behind):
        return ordinal(number, next((one.case for one in nouns if one.case in cases), _case_of_year(before)), "masc")
    said, ways = cardinal(number, case_at(before)), [word for word, _ in ways_to_count(number, nouns, cases)]
    alone = [one for one in nouns if one.number == "sing"]
    sure = cases if len(cases) < len(NO_GENITIVE) else cases - {"nomn", "accs", "gent"}
    ranks = {*ordinals(number, alone, sure)} if alone and not ways else set[str]()
    return ranks.pop() if len(ranks) == 1 else said if said in ways or not ways else ways[0]


def _with_ending(number: int, ending: str, cases: AbstractSet[str], of_nouns: AbstractSet[str]) -> str:
    """Return a number as the ending written at it says: «90-х», «22-го», «10-и»; the likeliest form if several fit."""
    kinds = (
        ["plur", "masc", "neut", "femn"]
        if number % 10 == 0 and number not in _DATES
        else ["masc", "neut", "femn", "plur"]
    )
    ranks = [(case, ordinal(number, case, kind)) for kind, case in product(kinds, NUMERAL_CASES)]
    counts = [(case, cardinal(number, case)) for case in NUMERAL_CASES]
    few = ending == "х" and class_of(number) == "few"
    ways = [*counts, *ranks] if few or ending in _OF_CARDINALS else [*ranks, *counts]
    fit = [(case, word) for case, word in ways if word.replace("ё", "е").endswith(ending)]
    fit.sort(key=lambda way: (way[0] not in of_nouns, way[0] not in cases))
    return fit[0][1] if fit else cardinal(number, "nomn")


def _with_part(whole: int, part: str, case: str) -> str:
    """Return a decimal number as it is said: «две целых и одна десятая»."""
    numbers, names = (whole, int(part)), ("цел", _PARTS[len(part) - 1])
    ends = [("ой" if case == "gent" else "ая") if class_of(one) == "one" else "ых" for one in numbers]
    return " и ".join(
        f"{cardinal(one, case, 'femn')} {name}{end}" for one, name, end in zip(numbers, names, ends, strict=True)
    )
