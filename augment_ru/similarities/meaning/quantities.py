"""Reads numbers and lengths of time: «двадцать пять» and «25» are 25, «две недели» and «14 дней» are 336 hours."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from augment_ru.language.morphology import has_form, readings
from augment_ru.language.numerals import compound_start
from augment_ru.resources import dictionary_path, rows, same_word

_FIGURES = re.compile(r"(\d+)(?:[.,](\d+))?(?:-?[а-я]{1,3})?")
_COMPOUND = re.compile(r"(\d+)-([а-я]{4,})")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_ROMAN = re.compile(r"(?=[ivxlcхi])m{0,3}(c[md]|d?c{0,3})([xх][cl]|l?[xх]{0,3})(i[xх]|iv|v?i{0,3})")
_SIGNS = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "х": 10, "v": 5, "i": 1}
_GROUP = 3
_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000


class Amount(NamedTuple):
    """A number or a length of time that a word states.

    Attributes:
        kind: `number` («пять»), `scale` («тысяча»), or `hours` for a length of time («неделя»).
        value: the number, or the length of time in hours.
    """

    kind: str
    value: float


class Quantities(NamedTuple):
    """The quantities that a text states.

    Attributes:
        said: how often each quantity occurs. A quantity is a pair: a number, and the hours that the number and its unit
            make together, such as (2, 336) for «две недели»; 0 hours if it has no unit of time.
        lone: the lengths of time that the text states without a number, in hours: «за год».
        heads: the numbers in order, each with the index of its last word in the text, from 0.
    """

    said: Counter[tuple[float, float]]
    lone: frozenset[float]
    heads: tuple[tuple[float, int], ...]


@cache
def _words() -> tuple[dict[str, Amount], dict[str, float], dict[str, float]]:
    """Read the dictionary: the words, the beginnings of adjectives, and the beginnings of what follows them."""
    words: dict[str, Amount] = {}
    parts: dict[str, dict[str, float]] = {"prefix": {}, "stem": {}}
    for kind, value, found in rows(dictionary_path("quantities"), columns=3):
        for word in found.split(" "):
            number = float(value)
            if kind in parts:
                parts[kind][word] = number
            else:
                words[word] = Amount(kind, number)
    compounds = {same_word(compound_start(number)): float(number) for number in range(1, _THOUSAND)}
    return words, compounds | parts["prefix"], parts["stem"]


def quantity_words() -> Iterator[str]:
    """Yield the words that state quantities («пять», «неделя»), and beginnings of adjectives made from numbers."""
    words, prefixes, _ = _words()
    yield from (*words, *prefixes)


_BEGIN = 2
"""So many letters at the start of a word are the same in all its forms, for the words of these dictionaries."""


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(word[:_BEGIN] for word in quantity_words())


@lru_cache(maxsize=50_000)
def amounts_of(word: str) -> tuple[Amount, ...]:
    """Return the numbers and lengths of time that a word in lower case states; none for most words.

    A compound states two: «десятидневный» states 10, and a day (24 hours).
    """
    words, _, _ = _words()
    if match := _COMPOUND.fullmatch(word):
        return _counted(float(match[1]), match[2]) or (Amount("number", float(match[1])),)
    if word[0].isdigit():
        return tuple(Amount("number", number) for number in _figures(word))
    if (_ROMAN.fullmatch(word) and len(word) > 1) or word in {"v", "i"}:
        signs = [_SIGNS[sign] for sign in word]
        return (Amount("number", float(sum(-a if a < b else a for a, b in zip(signs, [*signs[1:], 0], strict=True)))),)
    if "-" in word:
        return tuple(amount for part in word.split("-") if part for amount in amounts_of(part))
    if len(word) > _BEGIN and word[:_BEGIN] not in _beginnings():  # most words are not analysed
        return ()
    lemmas = (one.lemma.replace("ё", "е") for one in readings(word)) if has_form(word) else ()
    known = (words[form] for form in (word, *lemmas) if form in words)
    return next(((one,) for one in known), _of_compound(word))


def _of_compound(word: str) -> tuple[Amount, ...]:
    """Return the number and the length of time in a compound: «двадцатипятилетний», «трехэтажный».

    If several numbers fit the beginning of the word, the longest is taken.
    """
    prefixes = _words()[1]
    for stop in range(len(word) - _LEAST_REST, _LEAST_PREFIX, -1):
        if (number := prefixes.get(word[:stop])) is not None and (found := _counted(number, word[stop:])):
            return found
    return ()


def _counted(number: float, rest: str) -> tuple[Amount, ...]:
    """Return what a number and the rest of a compound say; nothing if there is no such compound."""
    hours = next((hours for stem, hours in _words()[2].items() if rest.startswith(stem)), None)
    if hours is not None:
        return Amount("number", number), Amount("hours", hours)
    known = number > 1 and any(has_form(f"{other}{rest}") for other in ("двух", "трех", "шести"))
    return (Amount("number", number),) if known else ()


_LEAST_PREFIX, _LEAST_REST = 2, 4


def _figures(word: str) -> list[float]:
    """Return the numbers in a word that begins with a digit: one, two for «2:1»; «18:40» is a time of day."""
    if match := _CLOCK.fullmatch(word):
        return [int(match[1]) + int(match[2]) / 60]
    if match := _FIGURES.fullmatch(word):
        return [float(f"{match[1]}.{match[2] or 0}")]
    return list(map(float, re.findall(r"\d+", word)))


def quantities(forms: Sequence[str], gaps: Sequence[str], lead: str = "") -> Quantities:
    """Find the numbers and lengths of time that a text states.

    Args:
        forms: the words of the text, in lower case.
        gaps: the characters after each word, up to the next word.
        lead: the characters before the first word.
    """
    found = list(_numbers(forms, gaps, lead)) if any(map(amounts_of, forms)) else []
    heads = [(number, hours, at) for number, hours, at in found if at >= 0]
    return Quantities(
        Counter((number, hours) for number, hours, _ in heads),
        frozenset(hours for _, hours, at in found if at < 0),
        tuple((number, at) for number, _, at in heads),
    )


def _numbers(forms: Sequence[str], gaps: Sequence[str], lead: str) -> Iterator[tuple[float, float, int]]:
    """Yield each number, its length of time in hours, and the number of its last word; -1 for time without a number."""
    value: float | None = None
    last, before, sign = -1, 0.0, 1
    for at, form in enumerate(forms):
        for kind, amount in amounts_of(form):
            beside = value is not None and (last == at or (last == at - 1 and not gaps[last].strip(" -%.")))
            joins = form.isdigit() and len(form) == _GROUP and beside and forms[last].isdigit()
            if value is not None and not (beside and (joins or kind != "number" or _adds(before, amount))):
                yield sign * round(value, 4), 0.0, last
                value = None
            if kind == "hours":
                number = value if value is not None else 1.0
                of_date = number >= _THOUSAND  # «в 1703 году»
                said = value is not None or form.startswith("пол")
                yield round(number, 4), 0.0 if of_date else round(number * amount, 2), at if said else -1
                value = None
                continue
            if value is None:
                sign = -1 if _is_negative(forms, gaps[at - 1] if at else f" {lead}", at) else 1
                value = amount
            elif joins:
                value = value * _THOUSAND + amount
            else:
                value = value * amount if kind == "scale" else value + amount
            before, last = (0.0 if form.isdigit() else amount), at
            if "%" in gaps[at]:
                value /= _HUNDRED
    if value is not None:
        yield sign * round(value, 4), 0.0, last


def _is_negative(forms: Sequence[str], gap: str, at: int) -> bool:
    """Tell whether a minus stands before the number of a word: «минус пять», «-5», not «топ-3», «5 -7».

    Args:
        forms: the words of the text, in lower case.
        gap: the characters between the word and the one before it.
        at: the index of the word.
    """
    ends = at > 0 and forms[at - 1][-1].isdigit()
    return (at > 0 and forms[at - 1] == "минус") or (_MINUS.search(gap) is not None and not ends)


_MINUS = re.compile(r"[\s(«\"][-−–]$")


def _adds(before: float, amount: float) -> bool:
    """Tell whether a number adds to the number word before it: «двадцать два», «тысяча сто»; not «два три»."""
    return (before >= 2 * _TEN and amount < _TEN) or (before >= _HUNDRED and 0 < amount < before and amount >= 1)


def exchanged(one: Quantities, other: Quantities) -> bool:
    """Tell whether numbers or lengths of time of one text are replaced by others in the other text.

    What says the same, as «14 дней» and «две недели», does not count.
    """
    gone, new = list((one.said - other.said).elements()), list((other.said - one.said).elements())
    for mine in list(gone):
        same = next((theirs for theirs in new if _same(mine, theirs)), None)
        if same:
            gone.remove(mine)
            new.remove(same)
    gone = [value for value in gone if not _is_lone(value, other.lone)]
    new = [value for value in new if not _is_lone(value, one.lone)]
    lone, others = one.lone - other.lone, other.lone - one.lone
    if bool(gone) == bool(new):
        return bool(gone) or bool(lone and others)
    return bool(others if gone else lone)


def _same(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Tell whether two quantities are the same: «14 дней» and «две недели», «в 23 года» and «когда ему было 23»."""
    return one[1] == other[1] > 0 or (one[0] == other[0] and 0 in {one[1], other[1]})


def _is_lone(value: tuple[float, float], lone: frozenset[float]) -> bool:
    """Tell whether a quantity is one of the lengths of time in `lone`, which have no number: «1 ч» and «час»."""
    return (value[1] or value[0]) in lone
