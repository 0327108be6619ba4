"""Reads numbers and lengths of time: «двадцать пять» and «25» are 25, «две недели» and «14 дней» are 336 hours."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from augment_ru.language.morphology import has_form, readings
from augment_ru.language.numerals import compound_start
from augment_ru.resources import dictionary_path, rows, same_word
from augment_ru.similarities.meaning.words import Source

_FIGURES = re.compile(r"(\d+)(?:[.,](\d+))?(?:-?[а-я]{1,3})?")
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}(?:(?:[ \u00a0]\d{3})+(?![ \u00a0-]?\d)|(?:\.\d{3}){2,}(?![.\d]))")
_SUM = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TELEPHONE = re.compile(r"([78])(9\d\d)(\d{3})(\d\d)(\d\d)")
_CODE = re.compile(r"0[1-9]\d+")
_COMPOUND = re.compile(r"(\d+)-([а-я]{4,})")
_ROMAN = re.compile(r"(?=[ivxlcхi])m{0,3}(c[md]|d?c{0,3})([xх][cl]|l?[xх]{0,3})(i[xх]|iv|v?i{0,3})")
_SIGNS = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "х": 10, "v": 5, "i": 1}
_TEN, _HUNDRED, _THOUSAND, _YEAR = 10, 100, 1000, 8760
_PLACES = 6


class Amount(NamedTuple):
    """A number or a length of time that a word states.

    Attributes:
        kind: `number` («пять»), `rank` («пятый»), `scale` («тысяча»), `month` («мая» behind a number), or `hours` for a
            length of time («неделя»).
        value: the number, or the length of time in hours.
    """

    kind: str
    value: float


Quantity = tuple[tuple[float, ...], float]
"""Numbers that stand beside each other, and the hours that the last one and its unit of time make together.

«Две недели» is (2), 336; «18:40», «5 мая» and «5–10 кг» are (18, 40), (5, 5) and (5, 10), each with 0 hours.
"""


class Quantities(NamedTuple):
    """The quantities that a text states.

    Attributes:
        said: how often each quantity occurs, in the order of the text.
        lone: the lengths of time that the text states without a number, in hours: «за год».
        negators: how many words «без» belong to times of day: «без двадцати семь».
        money: the currencies that the text names beside its numbers, each by a number.
    """

    said: Counter[Quantity]
    lone: frozenset[float]
    negators: int
    money: frozenset[float]


@cache
def _words() -> tuple[dict[str, Amount], dict[str, dict[str, float]]]:
    """Read the dictionary: the words that state an amount, and the other entries by their kind."""
    words: dict[str, Amount] = {}
    compounds = {same_word(compound_start(number)): float(number) for number in range(1, _THOUSAND)}
    parts: dict[str, dict[str, float]] = {"prefix": compounds, "stem": {}, "month": {}, "money": {}}
    for kind, value, found in rows(dictionary_path("quantities"), columns=3):
        for word in found.split(" "):
            if kind in parts:
                parts[kind][word] = float(value)
            else:
                words[word] = Amount("rank" if kind == "number" and word[-1] == "й" else kind, float(value))
    return words, parts


def quantity_words() -> Iterator[str]:
    """Yield words that state quantities («пять», «неделя»), and numbers that begin words («пяти» of «пятиэтажный»)."""
    words, parts = _words()
    yield from (*words, *parts["prefix"])


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
    words = _words()[0]
    if match := _COMPOUND.fullmatch(word):
        return _counted(float(match[1]), match[2]) or (Amount("number", float(match[1])),)
    parts = re.split(r"[:/](?=[а-я])|(?<=\d)[xх](?=\d)" if word[0].isdigit() else "[-:/]", word)
    if len(parts) > 1:  # «3:один»
        return tuple(amount for part in parts if part for amount in amounts_of(part))
    if word[0].isdigit():
        kind = "rank" if word[-1] in _ENDS_OF_RANKS and not word.endswith("мя") else "number"
        scale = words.get(word.lstrip("0123456789.,").partition(".")[0])
        found = tuple(Amount(kind, number) for number in _figures(word))
        return (*found, scale) if scale and scale.kind == "scale" else found  # «5млн»
    if (_ROMAN.fullmatch(word) and len(word) > 1) or word in {"v", "i"}:
        signs = [_SIGNS[sign] for sign in word]
        return (Amount("number", float(sum(-a if a < b else a for a, b in zip(signs, [*signs[1:], 0], strict=True)))),)
    if len(word) > _BEGIN and word[:_BEGIN] not in _beginnings():  # most words are not analysed
        return ()
    lemmas = (one.lemma.replace("ё", "е") for one in readings(word)) if has_form(word) else ()
    known = (words[form] for form in (word, *lemmas) if form in words)
    return next(((one,) for one in known), _of_compound(word))


_ENDS_OF_RANKS = frozenset("йяюоуем")
"""The last letters of «5-й», «5-го», «5-му» and the like."""


def _of_compound(word: str) -> tuple[Amount, ...]:
    """Return the number and the length of time in a compound: «двадцатипятилетний», «трехэтажный».

    If several numbers fit the beginning of the word, the longest is taken.
    """
    prefixes = _words()[1]["prefix"]
    for stop in range(len(word) - _LEAST_REST, _LEAST_PREFIX, -1):
        if (number := prefixes.get(word[:stop])) is not None and (found := _counted(number, word[stop:])):
            return found
    return ()


def _counted(number: float, rest: str) -> tuple[Amount, ...]:
    """Return what a number and the rest of a compound say; nothing if there is no such compound."""
    hours = next((hours for stem, hours in _words()[1]["stem"].items() if rest.startswith(stem)), None)
    if hours is not None:
        return Amount("number", number), Amount("hours", hours)
    if (last := amounts_of(rest)) and last[0].kind == "rank":  # «двухтысячный», «десятипроцентный»
        return (Amount("rank", number * last[0].value),)
    if last and last[0].kind == "hours":  # «двадцатиминутка»
        return Amount("number", number), *last
    known = any(has_form(f"{other}{rest}") for other in ("двух", "трех", "шести"))
    known = known or (number != _HUNDRED and has_form(rest))  # «двадцатистраничный», not «столица»
    return (Amount("number", number),) if known and number > 1 else ()


_LEAST_PREFIX, _LEAST_REST = 2, 4


def _figures(word: str) -> list[float]:
    """Return the numbers in a word that begins with a digit: one, two for «2:1» and «18:40», three for a date."""
    if _THOUSANDS.fullmatch(word):
        return [float(word.replace(".", ""))]
    if match := _TELEPHONE.fullmatch(word):
        return list(map(float, match.groups()))
    if match := _FIGURES.fullmatch(word):
        zero = [0.0] * (_CODE.fullmatch(word) is not None)
        return [*zero, float(f"{match[1]}.{match[2] or 0}")]
    if _SUM.fullmatch(word):
        return [float(word.replace(".", "").replace(",", "."))]
    found = list(map(float, re.findall(r"\d+", re.sub("[:-]00$", "", word))))
    return found[::-1] if _ISO_DATE.fullmatch(word) else found


def quantities(source: Source) -> Quantities:
    """Find the numbers and lengths of time that a text states."""
    said, lone, last = list[Quantity](), set[float](), _Number(-1, 0)
    told = {at: time for at, *time in _told(source.forms)}
    for one in _numbers(source, told) if told or any(map(amounts_of, source.forms)) else ():
        if one.first < 0:
            lone.add(one.hours)
            continue
        between = source.between(last.last, one.first) if said else ""
        if 0 < one.value < 1 and _RUBLES.fullmatch(between):
            said[-1], last = ((*said[-1][0][:-1], last.value + one.value), 0.0), one  # «пять рублей десять копеек»
            continue
        beside = said and _BESIDE.fullmatch(between)
        is_century = one.hours == one.value * _HUNDRED * _YEAR != 0
        if beside and is_century and last.hours == last.value % _HUNDRED * _YEAR:
            said[-1], last = (((one.value - 1) * _HUNDRED + last.value,), 0.0), one  # «в 80-х годах XX века»
            continue
        joins = beside and not last.hours and (last.before >= 0 or source.forms[one.first] in _words()[1]["month"])
        before = said.pop()[0] if joins else ()
        apart = one.first > last.last  # «девять ноль пять» is 9:05, not «0:05»
        zero = apart and before[-1:] == (0,) and 1 <= one.value < _TEN
        said.append(((*before[: len(before) - zero], one.value), one.hours))
        last = one
    money = frozenset(number for sign, number in _words()[1]["money"].items() if said and sign in source.text.lower())
    return Quantities(Counter(said), frozenset(lone), sum(source.forms[at] == "без" for at in told), money)


def _told(forms: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the first word of each time that is told by the next hour, its hour and minutes, and the word behind it."""
    text = " ".join(forms)
    for match in _TOLD.finditer(text) if "без " in text or "пол" in text else ():
        (kind, hour), *_ = amounts_of(match["hour"]) or (Amount("", 0.0),)
        left = sum(number for word in (match["left"] or "").split() for _, number in amounts_of(word))
        left = _HALF_HOUR if match["half"] else left * _HOUR if left < 1 else left
        named = kind == "rank" if match["half"] else kind == "number" or match["hour"] == "час"
        if named and 1 <= hour <= _NOON and 0 < left <= _HALF_HOUR:
            at, stop = (text.count(" ", 0, place) for place in match.span())
            yield at, int(hour) - 1 + _NOON * (match["part"] in {"дня", "вечера"}), int(_HOUR - left), stop + 1


_TOLD = re.compile(
    r"(?<!\S)(?:без (?P<left>\S+(?: пяти)?)(?: минут)? |(?P<half>в половине |пол))(?P<hour>\S+)"
    r"(?: (?P<part>утра|дня|вечера|ночи))?(?!\S)"
)
"""A time such as «без двадцати пяти семь вечера», «в половине седьмого», «полседьмого»."""
_NOON, _HALF_HOUR, _HOUR = 12, 30, 60


@dataclass
class _Number:
    """A number that is read word by word, or a length of time.

    Attributes:
        first, last: the indices of its first and its last word; the first is -1 for a length of time without a number.
        part: the value of the words that the next word may multiply.
        before: the value of the last word, to which a smaller one adds; 0 after figures, -1 if no number word follows.
        sign: -1 behind a minus, otherwise 1.
        total: the value of the other words: thousands, or what stands before «целых».
        hours: the hours that the number and its unit of time make together; 0 without such a unit, and for a year.
    """

    first: int
    last: int
    part: float = 0.0
    before: float = 0.0
    sign: int = 1
    total: float = 0.0
    hours: float = 0.0

    @property
    def value(self) -> float:
        return round(self.sign * (self.total + self.part), _PLACES)

    def takes(self, word: Amount, form: str, between: str, *, joins: bool) -> bool:
        """Add a word to the number, if it belongs to it; tell whether it does.

        Args:
            word: what the word states.
            form: the word, in lower case.
            between: the characters between the number and the word.
            joins: whether the word is a group of figures inside a number such as «1 200 000».
        """
        (kind, amount), beside, part = word, _BESIDE.fullmatch(between), self.part
        if kind == "hours" and beside and not self.hours:
            self.hours, self.before = 0.0 if self.value >= _THOUSAND else round(self.value * amount, 2), -1.0
            return True
        if self.before < 0 or kind in {"hours", "month"}:
            return False
        if beside and kind == "scale":
            self.total, self.part = (
                (self.total + part * amount, 0.0) if amount > 1 else (0.0, (self.total + part) * amount)
            )
            self.before = amount
        elif beside and joins:
            self.part = part * _THOUSAND + amount
        elif beside and _adds(self.before, amount):
            self.part, self.before = part + amount, -1.0 if kind == "rank" else amount
        elif beside and kind == "rank" and amount in _TENTHS and form.endswith(_OF_PART):
            self.part, self.before, self.total = self.total + part / amount, 0.0, 0.0
        elif beside and 0 < amount < 1:  # «три четверти»
            self.part, self.before = part * amount, 0.0
        elif amount == _AND_HALF and between.strip() == "с":
            self.part, self.before = part + amount, 0.0
        elif kind == "number" and _WHOLE.fullmatch(between):
            self.part, self.before, self.total = amount, amount, self.total + part
        else:
            return False
        return True


_BESIDE = re.compile(r"[ \u00a0\-–—%.:/()+]*")
_RUBLES = re.compile(r"\s?(?:₽|р|руб|рубл[а-я]{1,3}|доллар[а-я]{0,3}|евро|гривн?[а-я]{0,2})\.?\s", re.IGNORECASE)
_WHOLE = re.compile(r"\s+цел(?:ая|ой|ую|ых|ыми?)(?:\s+и)?\s+", re.IGNORECASE)
_TENTHS, _AND_HALF = frozenset(10.0**digits for digits in range(1, 6)), 0.5
_OF_PART = ("ая", "ой", "ую", "ых", "ым", "ыми")
"""The endings of «десятая», «десятых» and the like in a decimal number."""


def _numbers(source: Source, told: Mapping[int, Sequence[int]]) -> Iterator[_Number]:
    """Yield the numbers and the lengths of time of a text, in order.

    Args:
        source: the text.
        told: the hour, the minutes and the next word of each time that is told by the next hour, by its first word.
    """
    number: _Number | None = None
    done = 0
    joined = {at for match in _THOUSANDS.finditer(source.text) for at in range(match.start() + 1, match.end())}
    for at, form in enumerate(source.forms):
        if at in told:
            yield from (number,) if number else ()
            hour, minutes, done = told[at]
            yield _Number(at, at, hour)
            number = _Number(at, done - 1, minutes, before=-1.0)
        for word in _amounts_at(source, at, number) if at >= done else ():
            between = source.between(number.last, at) if number else ""
            if number and number.takes(word, form, between, joins=source.starts[at] in joined):
                number.last = at
                continue
            yield from (number,) if number else ()
            kind, amount = word
            if kind == "hours":
                number = _Number(at if form.startswith("пол") else -1, at, 1.0, before=-1.0, hours=amount)
            elif kind == "scale":
                number = _Number(at, at, before=amount, total=amount)
            else:
                before = -1.0 if kind in {"rank", "month"} else 0.0 if form[0].isdigit() else amount
                number = _Number(at, at, amount, before, -1 if _is_negative(source, at) else 1)
        if number and number.last == at and "%" in source.between(at, at + 1):
            number.part, number.before, number.total = (number.total + number.part) / _HUNDRED, 0.0, 0.0
    yield from (number,) if number else ()


def _amounts_at(source: Source, at: int, number: _Number | None) -> tuple[Amount, ...]:
    """Return what a word states; behind a number, «мая» is a month, «т. р.» a thousand, «к.» behind roubles kopecks."""
    form, following = source.forms[at], source.forms[at + 1 : at + 2]
    if number and number.last == at - 1:
        if month := _words()[1]["month"].get(form):
            return (Amount("month", month),)
        if form in {"т.р", "т.руб"} or (form == "т" and following in (["р"], ["руб"])):
            return (Amount("scale", _THOUSAND),)
        if form == "к" and (number.first == 0 or source.forms[number.first - 1][0] == "р"):
            return (Amount("scale", 1 / _HUNDRED),)
    return () if form.startswith("процентн") else amounts_of(form)  # «процентных пункта»


def _is_negative(source: Source, at: int) -> bool:
    """Tell whether a minus stands before the number of a word: «минус пять», «-5», not «топ-3», «5 -7».

    Args:
        source: the text.
        at: the index of the word.
    """
    before, gap = (source.forms[at - 1], source.between(at - 1, at)) if at else (" ", f" {source.between(-1, 0)}")
    if before == "минус":
        return source.forms[at - 2 : at - 1] != ["плюс"]  # «±5»
    return _MINUS.search(gap) is not None and (not before[-1].isdigit() or gap.strip()[0] in ".…")


_MINUS = re.compile(r"[\s(«\".…][-−–]$")


def _adds(before: float, amount: float) -> bool:
    """Tell whether a number adds to the number word before it: «двадцать два», «тысяча сто»; not «два три»."""
    most = before if before >= _THOUSAND else _HUNDRED if before >= _HUNDRED else _TEN
    return before >= 2 * _TEN and 1 <= amount < most


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
    if one.money - other.money and other.money - one.money:
        return True
    if gone and new:
        times = [[hours for _, hours in found if hours] for found in (gone, new)]  # «5–10 мая» and «с 5 по 10 мая»
        return (all(times) and times[0] != times[1]) or _numbers_of(gone) != _numbers_of(new)
    return bool(lone and others) if bool(gone) == bool(new) else bool(others if gone else lone)


def _numbers_of(found: Iterable[Quantity]) -> list[float]:
    return [number for numbers, _ in found for number in numbers]


def _same(one: Quantity, other: Quantity) -> bool:
    """Tell whether two quantities are the same: «14 дней» and «две недели», «в 23 года» and «когда ему было 23»."""
    if one[1] == other[1] > 0:
        return one[0][:-1] == other[0][:-1]
    if 0 not in {one[1], other[1]}:
        return False
    return one[0] == other[0] or _reads_as(one[0], other[0]) or _reads_as(other[0], one[0])


def _reads_as(one: Sequence[float], other: Sequence[float]) -> bool:
    """Tell whether a number reads as two: «10.30» as «десять тридцать», «18.07» as «18 июля», «треть» as «1/3»."""
    if (len(one), len(other)) != (1, 2) or other[1] <= 0:
        return False
    first, second = other
    sums = [first + second / base for base in (_TEN, _HUNDRED) if second < base]  # «12.9», «10.30»
    sums += [first / second] if 0 < first < second else []
    return one[0] in [round(total, _PLACES) for total in sums]


def _is_lone(value: Quantity, lone: frozenset[float]) -> bool:
    """Tell whether a quantity is one of the lengths of time in `lone`, which have no number: «1 ч» and «час»."""
    return (value[1] or value[0][-1]) in lone
