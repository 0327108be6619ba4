"""Numbers in words, as they are spoken, with their units, in the case that the text requires: «до 6 кг»."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import cache
from itertools import chain, product
from typing import NamedTuple

from augment_ru.attacks.numbers import case_of_day, listed, ordinals, ranks
from augment_ru.editing.numbered import Place, fitted
from augment_ru.language import numerals
from augment_ru.language.inflection import noun_of
from augment_ru.language.morphology import readings

Said = tuple[int, int, str]
"""The start and the stop of what is said, and how it is said."""


class Amounts(NamedTuple):
    """Patterns and dictionaries that find the numbers of a text with their units and nouns: «5 кг», «стр. 5».

    Attributes:
        number: a pattern that finds a number, with a sign of money before it and the units after it.
        unit: a pattern that finds a unit.
        units: maps each unit that `number` finds, in lower case, to its words: «кв. м» to «квадратный метр».
        numbered: a pattern that finds, at the end of the text before a number, a noun in short form that takes one:
            «стр.».
        nouns: maps each of these short forms, in lower case, to the noun in full.
    """

    number: re.Pattern[str]
    unit: re.Pattern[str]
    units: Mapping[str, str]
    numbered: re.Pattern[str]
    nouns: Mapping[str, str]


def amounts(units: Mapping[str, str], nouns: Mapping[str, str]) -> Amounts:
    """Make the patterns that find numbers beside units («кг») and nouns in short form («стр.»).

    Args:
        units: maps each unit, in lower case, to its words.
        nouns: maps each short form, in lower case, to the noun in full.
    """
    units = {**listed("unit"), **_YEARS_OF, **units}
    money, longest = "".join(one for one in units if one in "$€₽£¥"), sorted(units, key=len, reverse=True)
    unit = rf"(?:{'|'.join(map(_unit, longest))})"
    number = re.compile(
        rf"(?:(?<=\d)[-‑]|(?<!\w)(?<![^\W\d_][-‑])(?<!\d/))(?:(?P<minus>(?<!\S)[-−])?(?P<sign>[{money}]\s?))?"
        r"(?:(?<!\d[.,])(?P<int>\d{1,3}(?:[ \u00a0.]\d{3})+(?=,)|\d{1,12})"
        r"(?:[.,]|:(?=\d\d\b)|-(?=00\b))(?P<part>\d{1,5})(?![.,:]?\d)(?:(?<=,\d)|(?<=,\d\d)|(?!-\d))"
        r"|(?P<whole>\d{1,3}(?:\.\d{3}){2,3}(?!\.?\d)|\d{1,3}(?:[ \u00a0]\d{3}){1,3}(?![ \u00a0‑-]?\d)|\d{1,12})"
        r"(?:(?:[-‑](?P<ending>(?-i:[а-яё]{1,3}))|(?P<glued>ый|[оиы]й|[аоы]е|ая|я|го|о?му|[оы]м|[оыеу]?х|т?и|мя|е))(?![\w-]))?)"
        rf"(?:\s?(?P<scale>тыс|млн|млрд|трлн)\b\.?)?(?:\s?(?P<unit>{unit})(?:/(?P<per>{unit}|[а-яё]+))?)?"
        r"(?![^\W_]|[-‑][^\W\d_]|/\d)",
        re.IGNORECASE,
    )
    short = "|".join(map(re.escape, nouns)) or "(?!)"
    numbered = re.compile(rf"(?<![\w.-])(?:{short})\s?$", re.IGNORECASE)
    return Amounts(number, re.compile(rf"\s?({unit})(?!\w)"), units, numbered, nouns)


def _unit(short: str) -> str:
    """Return the pattern of a unit; one of a single letter is small, and no part of «т. е.»."""
    before, after = _ONLY_AT.get(short, ("", ""))
    end = r"(?!\w)" * short[-1].isalnum() + after
    one = rf"(?-i:{re.escape(short)}){end}(?!\.\s?[а-яё]{{1,2}}\.)" if len(short) == 1 else re.escape(short) + end
    return before + one


_ONLY_AT = {
    "к": (r"(?:(?<=[рб.]\s\d\d\s)|(?<=[рб.]\s\d\d)|(?<=[рб.]\s\d\s)|(?<=[рб.]\s\d))", ""),
    "м": ("", r"(?!\.?\sи\s\d+\sж\b)"),
    **dict.fromkeys(("ч", "ч."), ("", r"(?!\.?\s?\d+(?!\d|\s?м))")),
    '"': (r"(?<=\d[.,]\d)(?<!\"\d[.,]\d)", ""),
    "с": ("", r"(?=\s*(?:[,;:!?)]|\.?$|\.\s[А-ЯЁ])|\s(?:и|на|от|до)\b)"),
    **dict.fromkeys(("р. в день", "р. в неделю", "р. в сутки", "р/д", "р/день"), (r"(?<!\d\d)(?<!\d\d\s)", "")),
}
"""What must stand before and behind units that may be other words: «5 р. 50 к.», «3 р. в день»; not «500 р. в день» and
«ст. 158 ч. 3».
"""
_YEARS_OF = {"г.": "год", "г": "грамм", "гг.": "год", "г. р.": "год", "г.р.": "год"}
_CAPITALS = re.compile(r"[А-ЯЁ]{2,}")
_GROUPS = re.compile(
    r"(?<![\w+/-])(?:\+\d{1,3}[ -]?|8[ -]?)?(?:\(\d{3,5}\)|\d{3,5})[ -]?\d{1,3}[ -]\d\d[ -]\d\d(?![\w/-])"
    r"|(?<![\w+/-])(?:\+7|8)9\d{9}(?!\w)"
    r"|(?<![\w+/-])\d{1,5}(?:-\d{1,5}){2,}(?![\w/-])|(?<![\w+/-])\d{4}(?: \d{4}){2,3}(?![\w/-])"
)
"""A telephone number, a code: its groups are said one by one."""
_DATE = re.compile(
    r"(?<![\w.,/-])(?:(?P<day>\d{1,2})(?P<by>[./])(?P<month>\d\d)(?:(?P=by)(?P<year>\d{4}|\d\d)|(?!\s?[%$€₽]))"
    r"|(?P<from>\d{4})-(?P<of>\d\d)-(?P<at>\d\d))(?:\s?г(?:\.(?:\s?р\.)?|ода)?(?!\w))?(?!\w|[-/.]\d)"
)
_PAIR = re.compile(
    r"(?<![\w.,/-])(?:(?P<many>\d{1,2})(?: (?=\d/)|\s?(?=[½⅓⅔¼¾⅛])))?"
    r"(?:(?P<one>\d{1,4})/(?P<other>\d{1,4})|(?P<sign>[½⅓⅔¼¾⅛]))(?![\w/-]|[.,]\d)"
    r"(?P<short>\s?г(?:г?\.|г?\b))?"
)
_CLOCK = re.compile(r"(?:1\d|2[0-3])\.[0-5]\d|(?:[01]?\d|2[0-3])(?::[0-5]\d|-00|\.00)")
"""A time such as 19.30, 9:05, 9-00."""
_MINUTES, _PART_OF_DAY = re.compile(r"0?\d\.[0-5]\d"), re.compile(r"\s(?:утра|дня|вечера|ночи)\b")
_IN_MORNING = re.compile(r"\b[вк]\s0?\d\.[0-5]\d$", re.IGNORECASE)
"""A time with a full stop, such as «в 8.15», which may be another number without «в»."""
_FAR = 80
"""How many characters before and behind a number are read."""
_ANOTHER = r"\d+(?:[.,]\d+)*(?:-[а-яё]{1,3})?"
_FROM = re.compile(
    rf"(?<!\w)(?<!\S[-−+±])[-−+±]?(?:(?:{_ANOTHER}|[IVXХ]+),\s)*(?:{_ANOTHER}|[IVXХ]+)"
    r"(?:\s*(?:[-‑–]\s?|(?:,|и|или)\s)?|—|(?:…|\.{2,3})[-−+]?)\s*$|(?<!\S)[-−+±]\s?$"
)
"""What stands between a number and what governs it: the first number of «5–10 мая», a sign."""
_TO = re.compile(
    r"(?i)\A(?:(?:\s*(?:[-‑–—,]|…|\.{2,3})|\s+(?:и|или|по|до)\b)\s*[+−-]?(?:\d+(?:[.,]\d+)*(?:-[а-яё]{1,3}(?!\w))?|[IVX]+\b))+"
)
"""What stands between a number and its noun: «5–10 мая», «от 4 до 6 часов»."""
_NAME, _CENTURY = re.compile(r"([А-ЯЁ][а-яё]+)\s+$"), re.compile(r"\s*(?:(?P<many>вв)|в)\.")
_YEAR, _ERA = re.compile(r"\s*г(?:г?\.|\b|од)"), re.compile(r"\s*(?:до\s)?н\.\s?э")
_LETTER = re.compile(r"(?<=[^\s.!?…]\s)[«\"(]?[А-ЯЁ]\s+$|(?<=\b(?:на|до|от|из|по|за) )[вкосу] $")
"""A letter that is no preposition, such as that of «САУ 2 С 1»."""
_PARTS_OF_DAY = frozenset({"утро", "день", "вечер", "ночь"})
_OF_CARDINALS = frozenset({"и", "ти", "ми", "мя", "ю", "ух", "ех", "ь"})
_DATES, _YEARS, _LEAST_YEAR = range(1, 32), range(1000, 2100), 100
_IN_YEAR = re.compile(r"(?<!\w)(?:в|со?|до|после|по|к)\s+$", re.IGNORECASE)
_HUNDRED = 100
_MONEY = frozenset({*numerals.CHANGE, "копейка"})
_PER_TIME = frozenset({"час", "минута", "секунда", "сутки", "день", "год", "месяц", "неделя"})
_SMALLER = (_MONEY, _PER_TIME)
"""Units of which one may follow another in one amount: «2 ч. 30 мин.»."""


def said_numbers(text: str, found: Amounts) -> Iterator[Said]:
    """Yield the start, the stop and the spoken form of each number of a text, sorted; the ranges do not overlap.

    A range includes the unit or sign of the number: «5 кг» is «пять килограммов».

    Args:
        text: the text.
        found: the patterns and dictionaries that find numbers with their units.
    """
    text = text.lower() if text.isupper() else _CAPITALS.sub(lambda match: match[0].lower(), text)
    text = _SIZE.sub(lambda match: re.sub("[хxХX]", "×", match[0]), text)
    done, taken = list[Said](), bytearray(len(text) + 1)
    for one in chain(_special(text, found), _rest(text, found, taken)):
        start, stop, _ = one
        if not any(taken[start:stop]):
            done.append(one)
            taken[start:stop] = bytes([1]) * (stop - start)
    joined: list[Said] = []
    for start, stop, new in sorted(done):
        between = text[joined[-1][1] - 1 : start] if joined else ""
        follows = between[:1] == "." and between[1:] in {" ", "\u00a0"}  # «5 мин. 30 сек.»
        if follows or between[1:].strip() == "×":  # «6 × 4»
            joined[-1] = joined[-1][0], stop, f"{joined[-1][2]}{' на' * ('×' in between)} {new}"
        else:
            joined.append((start, stop, new))
    yield from joined


_SIZE = re.compile(r"(?<![\w.,/-])(?!0[хx])\d+(?:[.,]\d+)?(?:(?:[хx×]| [хx×] )\d+(?:[.,]\d+)?)+(?![-/])", re.IGNORECASE)
"""The sides of a size with the signs between them, such as «6х4 м»; they are one change."""


def _rest(text: str, found: Amounts, taken: bytearray) -> Iterator[Said]:
    first, last, of = 0, 0, ""
    for match in found.number.finditer(text):
        alone = match["minus"] or match[0][0] not in "-‑"  # not «РД-13-3»
        unit = found.units.get((match["unit"] or "").lower(), "")
        follows = text[last : match.start()].strip() in {"", "."} and any({of, unit} <= each for each in _SMALLER)
        first = first if follows else match.start()  # what governs «5 руб.» governs «40 коп.» behind it, too
        last, of = match.end(), unit
        if alone or taken[match.start() - 1]:
            yield _fitted(text, *_amount(text, match, first, found, taken))


def _fitted(text: str, start: int, stop: int, new: str) -> Said:
    """Fit what is said to the text before it: «с 2» is «со вторым», which is one change."""
    origin = max(0, start - _NEAR)
    place = Place(start - origin, stop - origin, new, "words")
    place = next(fitted(text[origin : stop + _NEAR], place), place)
    first, last, form = place.before or (start - origin, start - origin, "")
    return origin + first, stop, form + text[origin + last : start] + place.text


_NEAR = 1_000
"""How many characters around a number tell whether a text has ё."""


def _special(text: str, found: Amounts) -> Iterator[Said]:
    """Yield what is no single number with its unit: telephones, dates, ranges, fractions, classes, flats."""
    for pattern, say in _special_forms():
        for match in pattern.finditer(text):
            before, behind = text[max(0, match.start() - _FAR) : match.start()], text[match.end() : match.end() + _FAR]
            if new := say(match, before, behind, found):
                yield *match.span(), new
    yield from _pairs(text, found)


_Say = Callable[[re.Match[str], str, str, Amounts], str]
"""Takes a match, the texts before and behind it, and the patterns; returns how it is said, or "" for another."""


@cache
def _special_forms() -> Sequence[tuple[re.Pattern[str], _Say]]:
    months = "|".join(listed("month"))
    day = r"(0?[1-9]|[12]\d|3[01])"
    days = re.compile(rf"(?<![\w.,:/–—-]){day}\s?[–—-]\s?{day}(?=\s+(?:{months})\b)")
    ranges = (days, _days), (_TIMES, _times), (_RANGE, _range)
    return (_GROUPS, _group), (_DATE, _date), *ranges, (_CLASS, _class), (_FLAT, _flat)


def _group(match: re.Match[str], _before: str, _behind: str, _found: Amounts) -> str:
    """«8 903 123-05-67» → «восемь девятьсот три сто двадцать три ноль пять шестьдесят семь»."""
    groups = re.findall(r"\d+", _WITHOUT_SPACES.sub(r"\1 \2 \3 \4 \5", match[0]))
    said = " ".join(map(_spelled, groups))
    return "" if _DATE.match(match.string, match.start()) else "плюс " * (match[0][0] == "+") + said


_WITHOUT_SPACES = re.compile(r"^(\+?\d)(\d{3})(\d{3})(\d\d)(\d\d)$")
"""A telephone number of one run of digits: «+79031230567»."""


def _spelled(figures: str) -> str:
    number = int(figures)
    return " ".join(["ноль"] * (len(figures) - len(str(number))) + [numerals.cardinal(number, "nomn")])


def _date(match: re.Match[str], before: str, behind: str, found: Amounts) -> str:
    """«на 14.02.2022 г.» → «на четырнадцатое февраля две тысячи двадцать второго года», «до 31.12», no «10.05 кг»."""
    months = {int(number): name for name, number in listed("month").items()}
    day, month, year = (int(match[one] or match[other] or 0) for one, other in _DATE_PARTS)
    before, number = _FROM.sub("", before), found.number.match(match.string, match.start())
    counts = (number and number["unit"]) or any(noun.case == "gent" for noun in numerals.nouns_behind(behind))
    alone = match["by"] == "." and _ON_DAY.search(before) and not counts
    if day not in _DATES or month not in months or not (year or alone):
        return ""
    said = f"{numerals.ordinal(day, case_of_day(before), 'neut')} {months[month]}"
    born = " рождения" * match[0].endswith("р.")
    return f"{said} {numerals.ordinal(year, 'gent', 'masc')} года{born}" if year else said


_ON_DAY = re.compile(r"(?:^|(?<!\w)(?:со?|до|от|после|около|по|на|к))\s+$", re.IGNORECASE)
_DATE_PARTS = (("day", "at"), ("month", "of"), ("year", "from"))


def _days(match: re.Match[str], before: str, _behind: str, _found: Amounts) -> str:
    """«5–10 мая» → «с пятого по десятое мая»."""
    first, last = map(int, match.groups())
    said = f"с {numerals.ordinal(first, 'gent', 'neut')} по {numerals.ordinal(last, 'accs', 'neut')}"
    return said if "nomn" in numerals.cases_at(before) else ""


def _times(match: re.Match[str], before: str, _behind: str, _found: Amounts) -> str:
    """«9:00–18:00» → «с девяти часов до восемнадцати часов»."""
    hour, minute, to, end = map(int, match.groups())
    said = f"с {numerals.time_of_day(hour, minute, 'gent')} до {numerals.time_of_day(to, end, 'gent')}"
    return said if "nomn" in numerals.cases_at(before) else ""


def _range(match: re.Match[str], before: str, _behind: str, found: Amounts) -> str:
    """«3 500 — 4 000 руб.» → «от трёх тысяч пятисот до четырёх тысяч рублей»."""
    first, last = (int(re.sub(r"\s", "", match[one])) for one in ("first", "last"))
    unit = f" {numerals.counted_phrase(last, found.units[match['unit'].lower()], 'gent')}" if match["unit"] else ""
    said = f"от {numerals.cardinal(first, 'gent')} до {numerals.cardinal(last, 'gent')}{unit}"
    return said if "nomn" in _cases(before) else ""


_THOUSANDS = r"\d{1,3}(?:[ \u00a0]\d{3})+"
_RANGE = re.compile(
    rf"(?<![\w.,:/–—-])(?<![–—-]\s)(?P<first>{_THOUSANDS})\s?[–—-]\s?(?P<last>{_THOUSANDS})(?:\s?(?P<unit>(?i:руб\.?(?!\w)|р\.|₽|\$|€)))?(?![\w,]|\s?[–—-]|\s?(?:[₽$€]|(?i:руб\.?|р\.))?/)"
)
"""A range of thousands; said without «от» and «до» its numbers would run into one."""
_TIME = r"(2[0-4]|[01]?\d)[:.]([0-5]\d(?<!\.[124]5)(?<!\.[1245]0)(?<!\.\d[1-46-9]))"
_TIMES = re.compile(rf"(?<![\w.,:/–—-]){_TIME}\s?[–—-]\s?{_TIME}(?![\w:])")


def _flat(match: re.Match[str], before: str, _behind: str, _found: Amounts) -> str:
    """«сдаю 2-комн. кв.» → «сдаю двухкомнатную квартиру», «1%-ного» → «однопроцентного»."""
    if match["rest"]:
        return f"{numerals.compound_start(int(match['number']))}процентн{match['rest']}"
    case = case_at(before)
    end = f"{numerals.ordinal(1, case, 'femn').removeprefix('перв')} {numerals.noun_after(1, 'квартира', case)}"
    return f"{numerals.compound_start(int(match['number']))}комнатн{end}"


_FLAT = re.compile(
    r"(?i)(?<![\w.,-])(?P<number>[1-9]\d?)(?:[-–\s]?(?:х\s?)?к(?:ом|омн)?\.?\s?кв(?:\.|артира\b)(?!\s?м)"
    r"|\s?%-н?(?P<rest>[ыоа][йемх]|[оыу][йхмю]|[оы]го|[ао]я|ому|ыми|ую)(?!\w))"
)


def _class(match: re.Match[str], before: str, behind: str, _found: Amounts) -> str:
    """«в 7б», «в 5 «Б»», «в 9 А классе» → «в седьмом б», «в пятом б», «в девятом а классе»."""
    nouns = numerals.nouns_behind(behind)
    case = next((noun.case for noun in nouns if noun.lemma == "класс" and noun.case in _cases(before)), "")
    if not case and not nouns and (after := _IN_CLASS.search(before)):
        case = "loct" if _cases(before) == _IN and not after["into"] else case_at(before)
    return f"{numerals.ordinal(int(match['number']), case, 'masc')} {match['letter'].strip(_QUOTES)}" if case else ""


_QUOTES = '«»"„“” '
_CLASS = re.compile(
    r"(?i)(?<![\w.,-])(?P<number>[1-9]|1[01])(?P<letter>\s?[«\"„][а-е][»\"“]|[абв](?!\w)|\s[а-е](?=\sкласс))(?![\w«\"-])"
)
_IN_CLASS = re.compile(
    r"(?i)(?P<into>(?:ход|ш[её]л|шла|шли|йд|ид[её]|вел|вод|попа)\w*\s+)?\b(?:во?|из|от|со?|для|у)\s$"
)
"""What stands before the class of a school; `into` is a verb of going there."""


def _pairs(text: str, found: Amounts) -> Iterator[Said]:
    """«1/8 финала» → «одна восьмая финала», «сезон 2020/21» → «сезон две тысячи двадцатого двадцать первого годов»."""
    for match in _PAIR.finditer(text):
        sign = Fraction(unicodedata.numeric(match["sign"] or "½")).limit_denominator(8)  # «⅔» is 2/3
        one, other = map(int, match.group("one", "other")) if match["one"] else sign.as_integer_ratio()
        before, behind = text[: match.start()], text[match.end() :]
        nouns, unit = numerals.nouns_behind(behind), found.unit.match(behind)
        if one in _YEARS and other in {one + 1, (one + 1) % 100}:
            year = next((noun for noun in nouns if noun.lemma == "год"), None)
            of = year.case if year and year.case in _cases(before) else _case_of_year(before)
            said = f"{numerals.ordinal(one, of, 'masc')} {numerals.ordinal(other, of, 'masc')}"
            if year or match["short"] or readings((before.split() or [""])[-1])[0].pos == "NOUN":
                yield *match.span(), said if year else f"{said} {numerals.time_noun('год', of, many=True)}"
        elif one > other and _PRESSURE.search(before):
            yield *match.span(), f"{numerals.cardinal(one, 'nomn')} на {numerals.cardinal(other, 'accs')}"
        elif 0 < one < other and (not match["one"] or unit or match["many"] or _is_part(nouns, before, behind)):
            lemma = found.units[unit[1].lower()] if unit else ""  # «1/2 ч. л.»
            said = _mixed((int(match["many"] or 0), one, other), before, behind, lemma)
            yield match.start(), match.end() + (unit.end() if unit else 0), said


def _mixed(number: tuple[int, int, int], before: str, behind: str, unit: str) -> str:
    """Say a fraction with the whole number before it, if any, and its unit: «1 1/2 ч. л.», «2 3/4 стакана»."""
    many, one, other = number
    case, noun = case_at(before), noun_of(unit.rsplit(" ", maxsplit=1)[-1])
    nouns = [each.gender for each in numerals.nouns_behind(behind) if each.case == "gent" and not unit]
    gender = (noun and noun.gender) or next(iter(nouns), "masc")
    of = 1, unit, "gent"
    if not many:
        said = _fraction(one, other, before, behind)
    elif (one, other) != (1, 2):
        said = f"{numerals.cardinal(many, case, gender)} и {_fraction(one, other, before, behind)}"
    else:
        said, of = f"{numerals.cardinal(many, case, gender)} с половиной", (max(many, 2), unit, case)
        if many == 1:
            said = "полутора" if case not in {"nomn", "accs"} else numerals.decimal(1, "5", case, gender)
    return f"{said} {numerals.counted_phrase(*of)}" if unit else said


def _fraction(one: int, other: int, before: str, behind: str) -> str:
    """Say a fraction in the case that the text before it requires: «по 1/2», «в матче 1/4 финала»."""
    of_game = behind.startswith(" финал")
    case = "gent" if of_game and _OWNER.search(before) and "nomn" in _cases(before) else case_at(before)
    case = "datv" if one == 1 and numerals.cases_at(before) == {"accs", "datv"} else case
    if other == 2 and not of_game:  # noqa: PLR2004
        return numerals.noun_after(1, "половина", case)
    is_one, noun = numerals.class_of(one) == "one", {3: "треть", 4: "четверть"}.get(other)
    of = case if is_one or case not in {"nomn", "accs"} else "gent"
    part = numerals.noun_after(one, noun, case) if noun else numerals.ordinal(other, of, "femn" if is_one else "plur")
    return f"{numerals.cardinal(one, case, 'femn')} {part}"


def _is_part(nouns: list[numerals.Noun], before: str, behind: str) -> bool:
    """Tell whether a fraction is a part of something: «1/8 финала», «осталось 2/3.», not «на 3/4 марта»."""
    if nouns:
        return any(noun.case == "gent" for noun in nouns) and _cases(before) != _IN
    verb = readings((before.split() or [""])[-1])[0].pos in {"VERB", "INFN", "PRTS"} and re.match(r"\W*$", behind)
    return bool(verb or _BY.search(before))


_PRESSURE = re.compile(r"\b(?:ад|давлени[а-я]+)\s(?:[а-яё]+\s){0,2}$", re.IGNORECASE)
_BY = re.compile(r"(?<!\w)(?:на|до|около)\s+$", re.IGNORECASE)


class _Number(NamedTuple):
    """A number with the texts around it; figures and part are what stands before and behind its comma."""

    before: str
    behind: str
    figures: str
    part: str
    ending: str

    @property
    def whole(self) -> int:
        return int(self.figures)

    @property
    def case(self) -> str:
        """The case of what is counted, if it is written in short."""
        before = _FROM.sub("", self.before)
        if numerals.class_of(self.whole) == "one" and not self.part and numerals.cases_at(before) == {"accs", "datv"}:
            return "datv"  # «по 1 рублю»
        certain = numerals.case_of_unit(before, self.behind)
        return certain if certain not in {"", "nomn"} else case_at(self.before)  # «ждал 1 мин.»

    @property
    def zeros(self) -> str:
        """The zeros before the number in words, as in a code: «ноль ноль »."""
        return "ноль " * (len(self.figures) - len(str(self.whole))) * (self.whole > 0)


def _amount(text: str, match: re.Match[str], first: int, found: Amounts, taken: bytearray) -> Said:
    """Return how a number is said with the units behind it, and with what has it: «на стр. 5».

    `first` is where the amounts begin of which this is the last: «2 ч. 30 мин.».
    """
    start, stop, unit = *match.span(), (match["unit"] or "").lower()
    before, behind, part = text[max(0, first - _FAR) : first], text[stop : stop + _FAR], match["part"] or ""
    if part or unit:
        before = re.sub("× ?$", "на ", before)
    one = _Number(before, behind, re.sub(r"\D", "", match["int"] or match["whole"]), part, "")
    if ending := (match["ending"] or match["glued"] or "").lower():
        one = one._replace(ending=ending)
        if not _with_ending(one, [], set())[0]:  # «№ 44-ФЗ»
            return start, stop, f"{_spelled(one.figures)} {ending}"
    if whole := _year(one, unit, start, stop) or _in_numbered(one, start, match, found, taken):
        return whole
    words = [found.units[each.strip().lower()] for each in match.group("scale", "unit", "sign") if each]
    if words == ["год"] and (one.whole > _MOST_YEARS or part):  # «масло — 50 г.»
        words = ["грамм"]
    nouns = numerals.nouns_behind(behind) if len(part) == len("00") and not words else []
    if money := [noun for noun in nouns if noun.lemma in numerals.CHANGE]:  # «12,50 рублей»
        words, stop = [money[0].lemma], stop + money[0].stop
    if not words:
        is_time = _CLOCK.fullmatch(match[0]) or (not nouns and _IN_MORNING.search(text[max(0, stop - _FAR) : stop]))
        is_time = is_time or (_MINUTES.fullmatch(match[0]) and _PART_OF_DAY.match(behind))
        return (
            start,
            stop,
            numerals.time_of_day(one.whole, int(part), case_at(before)) if is_time else _alone(one, match[0], found),
        )
    if part == "00" and not _MONEY.isdisjoint(words):  # «500,00 руб.»
        one = one._replace(part="")
    said = _described(one, words) or _counted(one, words, _per(match["per"], words, found))
    return start, stop, "минус " * bool(match["minus"]) + one.zeros * (words[0] not in _MONEY) + said


_MOST_YEARS = 4
"""The most years that «г.» behind a number may mean; otherwise it means grams or the date of a year."""


def _in_numbered(one: _Number, start: int, match: re.Match[str], found: Amounts, taken: bytearray) -> Said | None:
    """Say a number with the noun in short form before it: «на стр. 5»; None without one, and for «1/2 табл. 2 раза»."""
    named, unit = found.numbered.search(one.before), (match["unit"] or "").lower()
    if named is None or match["scale"] or match["sign"] or (unit and unit not in found.nouns):
        return None
    first = start - len(named[0])
    if any(taken[first:start]):
        return None
    before, short = one.before[: named.start()], named[0].strip().lower()
    noun = "строение" if short == "стр." and _HOUSE.search(before) else found.nouns[short]
    said = numerals.time_noun(noun, case_of_noun(before, found.numbered), many=short[:1] == short[1:2])  # «пп.»
    stop = match.start("unit") if unit else match.end()  # «ст. 158 ч. 2»
    return first, stop, " ".join([said, *map(_spelled, filter(None, (one.figures, one.part)))])


def _alone(one: _Number, figures: str, found: Amounts) -> str:
    """Say a number without a unit right behind it; one may stand behind another number: «3–4 мин.»."""
    rest = _TO.sub("", one.behind, count=1)
    unit = found.unit.match(rest) if rest != one.behind else None
    if unit and not one.ending and not one.part and unit[1].lower() not in _YEARS_OF:
        noun = noun_of(found.units[unit[1].lower()].split(" ")[0])
        case = one._replace(behind=rest[unit.end() :]).case
        return one.zeros + numerals.cardinal(one.whole, case, (noun and noun.gender) or "masc")
    if one.part and (":" in figures or not (numerals.cases_at(one.before) and _RANKED.search(one.before))):
        return f"{_spelled(one.figures)} {_spelled(one.part)}"  # «глава 3.2», «USB 3.0»
    return one.zeros + (_decimal(one) if one.part else _said(one))


def case_of_noun(before: str, numbered: re.Pattern[str] | None = None) -> str:
    """Return the likeliest case of a noun in short form, such as «стр.».

    Args:
        before: the text before the noun.
        numbered: a pattern that finds such a noun at the end of a text, since one may stand before another: «рис. 3 и
            табл. 2». None if there is no such pattern.
    """
    if numbered and _OF_TEXT.search(before):  # «п. 3 ст. 15», not «корп. 1 кв. 8»
        return "gent"
    while numbered and numbered.search(another := _FROM.sub("", before)):
        before = numbered.sub("", another)
    likely = {"loct", "datv"} & numerals.cases_at(before)
    return "accs" if _SEE.search(before) else likely.pop() if len(likely) == 1 else case_at(before)


_OF_TEXT = re.compile(r"(?<!\w)(?:п?п|ч|ст|гл|разд|с|стр|табл|рис|кн|т)\.\s?[\d.]+\s$", re.IGNORECASE)
_HOUSE = re.compile(r"\b(?:д\.|дом[а-я]*|к\.|корп\.)\s?\d[\d/а-я]*,?\s$", re.IGNORECASE)
_SEE = re.compile(r"(?<!\w)(?:см\.|смотри[а-яё]*)\s+$", re.IGNORECASE)


def _year(one: _Number, unit: str, start: int, stop: int) -> Said | None:
    """Say a number with «г.» or «гг.» as a year: «в 1941–1945 гг.»; None if it is none."""
    weighed = not unit.endswith(".") and any(noun.case == "gent" for noun in numerals.nouns_behind(one.behind))
    in_year = (one.whole in _YEARS and not weighed) or (
        unit != "г" and (unit == "гг." or _ERA.match(one.behind) or _IN_YEAR.search(one.before))
    )
    if unit not in _YEARS_OF or one.part or not (in_year or one.ending):
        return None
    case = _case_of_year(one.before)
    said = numerals.ordinal(one.whole, case, "masc")
    if one.ending:
        said, case = _with_ending(one, [], {case} if unit == "гг." and one.ending == "х" else set())
    return start, stop, f"{said} {numerals.time_noun('год', case, many=unit == 'гг.')}{' рождения' * ('р' in unit)}"


_IN = frozenset({"accs", "loct"})


def _described(one: _Number, words: list[str]) -> str:
    """Say a percentage that describes the noun behind it: «50% скидка» as «пятидесятипроцентная скидка»."""
    nouns = [
        noun for noun in numerals.nouns_behind(one.behind) if noun.number == "sing" and noun.case in _cases(one.before)
    ]
    if words != ["процент"] or one.part or not nouns or nouns[0].case == "gent" or not 0 < one.whole <= _HUNDRED:
        return ""
    like = numerals.ordinal(1, nouns[0].case, nouns[0].gender, animate=nouns[0].animate)
    return f"{numerals.compound_start(one.whole)}процентн{like.removeprefix('перв')}"


def _per(per: str | None, words: list[str], found: Amounts) -> list[str]:
    """Say what stands behind the slash of a unit: «5 $/шт.» is «пять долларов за штуку»."""
    noun = {"с": "секунда", **found.units}.get(per.lower(), per.lower()) if per else ""
    preposition = "в" if noun in _PER_TIME else "за" if words[-1] in _MONEY else "на"
    return [preposition, numerals.counted_phrase(1, noun, "accs")] if noun else []


def _counted(one: _Number, words: list[str], per: list[str]) -> str:
    """Say a number with its units: «2,5 кг» as «два с половиной килограмма», «5 тыс. р.» as «пять тысяч рублей»."""
    if one.ending and not one.part:  # «на 101-м км», «с 10-ю кг»
        noun = noun_of(words[0])
        said, case = _with_ending(one, [noun.gender] if noun else [], set())
        number = one.whole if said == numerals.cardinal(one.whole, case) else 1
        return f"{said} {numerals.counted_phrase(number, words[0], case)}"
    rest = (numerals.counted_phrase(5, each, "nomn") for each in words[1:])
    return " ".join([numerals.amount_in_words(one.whole, one.part, words[0], one.case), *rest, *per])


def _decimal(one: _Number) -> str:
    """Say a decimal number without a unit in short: «в 2,5 раза» as «в два с половиной раза»."""
    behind = _TO.sub("", one.behind, count=1)  # «1,5–2 часа»
    nouns = [noun for noun in numerals.nouns_behind(behind) if (noun.number, noun.case) == ("sing", "gent")]
    few = nouns and numerals.class_of(max(one.whole, 2)) == "few"
    return numerals.decimal(one.whole, one.part, one.case, nouns[0].gender if few else "")


def said_roman(before: str, word: str, number: int, behind: str) -> tuple[str, int]:
    """Return a Roman number in words, and how many characters after the number these words replace as well.

    In «в XX в.» the words are «двадцатом веке»; they also replace the three characters of « в.» after the number. The
    words are "" for a single letter that seems to be no number, such as the name of an axis.

    Args:
        before: the text before the number.
        word: the number as it is written, in Roman digits.
        number: its value.
        behind: the text after the number.
    """
    century, case, name = _CENTURY.match(behind), _case_of_year(before), _NAME.search(before)
    if century or _CENTURY.match(_TO.sub("", behind, count=1)):
        noun = f" {numerals.time_noun('век', case, many=century['many'] is not None)}" if century else ""
        return numerals.ordinal(number, case, "masc") + noun, century.end() if century else 0
    nouns = numerals.nouns_behind(_TO.sub("", behind, count=1).lower())
    centuries = [one._replace(number="sing") for one in nouns if one.lemma == "век"]
    many = bool(centuries) and all(one.number == "plur" for one in nouns)  # «в XIX–XX веках»
    nouns = centuries if many else nouns
    alone = [one for one in nouns if one.number == "sing" and one.case in _cases(before)]
    person = readings(name[1])[0] if name else None
    if person and person.case and "Name" in person.grammemes:
        ways = {numerals.ordinal(number, person.case, "femn" if "femn" in person.grammemes else "masc", animate=True)}
    else:
        ways = (
            {*ordinals(number, alone or nouns, numerals.ANY_CASE if many else _cases(before))} if nouns else set[str]()
        )
    if len(word) == 1 and not ways and numerals.cases_at(before):
        return "", 0
    return (ways.pop() if len(ways) == 1 else numerals.cardinal(number, "nomn")), 0


def case_at(before: str) -> str:
    """Return the likeliest case of a number that follows the text `before`."""
    cases = _cases(before)
    if cases == {"ablt", "gent"}:
        return "ablt" if before.lower().endswith("между ") else "gent"
    if cases == _IN and _ABOUT.search(before):
        return "loct"
    word = re.search(r"([А-Яа-яё]+)\s+$", before)
    if ("accs" in cases and "nomn" not in cases) or (word and "tran" in readings(word[1])[0].grammemes):
        return "accs"
    return next(iter(cases)) if len(cases) == 1 else "nomn"


_ABOUT = re.compile(r"(?<!\w)об?о?\s+$", re.IGNORECASE)


def _cases(before: str) -> frozenset[str]:
    before = _FROM.sub("", before)
    return numerals.NO_GENITIVE if _LETTER.search(before) else numerals.cases_at(before) or numerals.NO_GENITIVE


def _case_of_year(before: str) -> str:
    """Return the case of a year or a century, which is in the genitive behind another noun."""
    before = _FROM.sub("", before)
    case, may = case_at(before), _cases(before)
    if may == _IN and not re.search(r"(?<!\w)на\s+$", before, re.IGNORECASE):
        return "loct"
    return case if case in {"datv", "ablt", "accs"} else "gent" if _OWNER.search(before) else "nomn"


_OWNER = re.compile(r"(?:[^\W\d_]|\bгг?\.)\s*$")


def _said(one: _Number) -> str:
    """Return a whole number as it is said, in agreement with its noun, with what governs it and its ending."""
    number, cases = one.whole, _cases(one.before)
    behind = _TO.sub("", one.behind, count=1)
    nouns = [noun for noun in numerals.nouns_behind(behind) if noun.case != "gent" or noun.lemma not in _PARTS_OF_DAY]
    nouns = [] if one.before.rstrip().endswith("№") else nouns  # «заказ № 123 готов»: no Goths
    if one.ending:
        kinds = [noun.gender if noun.number == "sing" else "plur" for noun in nouns]
        return _with_ending(one, kinds, {noun.case for noun in nouns})[0]
    if number in _DATES and {*re.findall(r"\w+", _NEXT_DAY.sub("", behind.lower()))[:1]} & listed("month").keys():
        before = _FROM.sub("", one.before)
        named = not before.strip() and re.match(r"\s+[а-я]+\s+[—–]", one.behind)  # «1 мая — праздник»
        return numerals.ordinal(number, "nomn" if named else case_of_day(before), "neut")
    if number in _YEARS and one.before.endswith("(") and behind.startswith(")"):
        return f"{numerals.ordinal(number, 'nomn', 'masc')} год"
    if number in _YEARS and (_YEAR.match(behind) or (not nouns and _IN_YEAR.search(_FROM.sub("", one.before)))):
        written = {noun.case for noun in nouns if (noun.lemma, noun.number) == ("год", "sing")}
        of = next((case for case in numerals.NUMERAL_CASES if case in written & cases), _case_of_year(one.before))
        of = written.pop() if len(written) == 1 else of  # «дом 1968 года»
        return numerals.ordinal(number, of, "masc")
    if number == 1 and behind != one.behind and nouns and (nouns[0].number, nouns[0].case) == ("sing", "gent"):
        return numerals.cardinal(1, case_at(one.before), nouns[0].gender or "masc")  # «1–2 недели»
    first = cases if "gent" in cases else frozenset({case_at(one.before)})
    likely = first, cases, _GENITIVE  # the last for «ещё 2 подписей»
    found = next(filter(None, (numerals.ways_to_count(number, nouns, each) for each in likely)), [])
    gender = nouns[0].gender if nouns and not found and nouns[0].number == "plur" else "masc"  # «от 1 до 3 тысяч»
    said, ways = numerals.cardinal(number, case_at(one.before), gender), [word for word, _ in found]
    alone = [noun for noun in nouns if noun.number == "sing" and not ways and _RANKED.search(one.before)]
    rank = {*ranks(number, nouns, cases, one.before)}
    rank |= {*ordinals(number, alone, cases)} if alone and not _LETTER.search(one.before) else set()
    return rank.pop() if len(rank) == 1 else said if said in ways or not ways else ways[0]


_GENITIVE = frozenset({"gent"})
_NEXT_DAY = re.compile(r"^\s+на\s+\d+(?=\s)")
_RANKED = re.compile(r"(?:^|[^\W\d_a-zA-Z]|[^\w\s])\s*$")
"""What a number that may be an ordinal stands behind: no Latin name («Windows 10 система»)."""


def _with_ending(one: _Number, kinds: Sequence[str | None], of_nouns: AbstractSet[str]) -> tuple[str, str]:
    """Return a number as its ending says, and its case: «90-х», «22-го», «10-и»; the likeliest if several fit.

    Args:
        one: the number.
        kinds: the gender of its noun, or `plur`, in each analysis of the noun.
        of_nouns: the cases that the noun may have.
    """
    number, ending, cases = one.whole, one.ending, _cases(one.before)
    genders = ["masc", "neut", "femn"]
    many = number % 10 == 0 and number not in _DATES
    every = dict.fromkeys([*filter(None, kinds), *(["plur", *genders] if many else [*genders, "plur"])])
    ranked = [(case, numerals.ordinal(number, case, kind)) for kind, case in product(every, numerals.NUMERAL_CASES)]
    counts = [(case, numerals.cardinal(number, case)) for case in numerals.NUMERAL_CASES]
    few = ending == "х" and numerals.class_of(number) == "few"
    ways = [*counts, *ranked] if few or ending in _OF_CARDINALS else [*ranked, *counts]
    fit = [(word, case) for case, word in ways if word.replace("ё", "е").endswith(ending.replace("ё", "е"))]
    fit.sort(key=lambda way: (way[1] not in of_nouns, way[1] not in cases))
    return fit[0] if fit else ("", "")
