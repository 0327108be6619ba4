"""Числа пишут словами и цифрами: «8 детей к 5 мая» → «восемь детей к пятому мая», «на два дня» → «на 2 дня»."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import ClassVar

from augment_ru.editing.numbered import Place, WritesOtherwise, end_of_short
from augment_ru.editing.style import is_quoted
from augment_ru.language.inflection import noun_of
from augment_ru.language.morphology import GENDERS, has_form, has_reading, readings
from augment_ru.language.numerals import (
    ANY_CASE,
    LARGEST,
    NUMERAL_CASES,
    Noun,
    amount_in_words,
    cardinal,
    case_of_unit,
    cases_at,
    class_of,
    compound_start,
    governors,
    noun_after,
    nouns_behind,
    numeral_atoms,
    ordinal,
    time_noun,
    time_of_day,
    ways_to_count,
)
from augment_ru.resources import dictionary_path, rows, same_word

CLASSES = ("words", "figures", "forms")
_MANY, _TEN, _HUNDRED, _THOUSAND, _ROUND, _LAST_DAY, _OLDEST = 5, 10, 100, 1000, 500, 31, 200


@cache
def listed(kind: str) -> dict[str, str]:
    """Return the lines of one kind in `number_words.tsv`, as a mapping: for `month`, «августа» to "8"."""
    return {key: value for what, key, value in rows(dictionary_path("number_words"), columns=3) if what == kind}


def _day(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«18 июля» → «восемнадцатого июля»."""
    day, before = int(match["day"]), text[: match.start()]
    if 0 < day <= _LAST_DAY and not _NO_DAY.search(before):
        yield Place(match.start(), match.end("day"), ordinal(day, case_of_day(before), "neut"), "words")


_NO_DAY = re.compile(r"(?:(?<!\w)в|\bул\.|\bулиц[а-я]+)\s*$", re.IGNORECASE)
"""What stands before no day: «в 8 марта», «ул. 8 Марта»."""


def case_of_day(before: str) -> str:
    """Return the case, by its name in pymorphy3, of a day of the month after the text `before`: «к пятому мая»."""
    cases = cases_at(before)
    likely = "accs" if before.lower().split()[-1:] in (["на"], ["по"]) else "gent"
    return next((one for one in ("datv", "ablt") if cases == {one}), likely)


def _date(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«18.07.2020» → «18 июля 2020 года», «восемнадцатого июля 2020 года»."""
    day, month, year = int(match["date"]), int(match["month"]), match["year"]
    names = {int(number): name for name, number in listed("month").items()}
    if not 0 < day <= _LAST_DAY or month not in names:
        return
    told = re.match(r"\s+г(?:\.|ода)(?!\w)", text[match.end() :])
    tail = f" {names[month]} {year}{'' if told else ' года'}" if year else f" {names[month]}"
    if year or re.search(r"(?:^|\b(?:с|до|от|после|около|и))\s+$", text[: match.start()], re.IGNORECASE):
        yield Place(match.start(), match.end(), f"{day}{tail}", "forms")
        said = ordinal(day, case_of_day(text[: match.start()]), "neut")
        yield Place(match.start(), match.end(), said + tail, "words")


def _clock(_: str, match: re.Match[str]) -> Iterator[Place]:
    """«в 18:40» → «в восемнадцать сорок», «без двадцати семь вечера»."""
    time = hour, minute = int(match["hour"]), int(match["minute"])
    at = match["at"].lower()
    case = "nomn" if at == "в" else "datv" if at == "к" else "gent"
    if not 1 < hour < _MIDNIGHT or minute >= _HOUR:
        return
    yield Place(match.start("hour"), match.end(), time_of_day(hour, minute, case), "words")
    for told in (phrase for phrase, when in _clock_phrases().items() if when == time and case == "nomn"):
        start = match.start("hour") if told.startswith("половине") else match.start()
        yield Place(start, match.end(), told, "words")


_MIDNIGHT, _HOUR = 24, 60


@cache
def _clock_phrases() -> dict[str, tuple[int, int]]:
    """Map phrases such as «без двадцати семь вечера» and «половине седьмого вечера» to (hour, minute)."""
    found: dict[str, tuple[int, int]] = {}
    for part, first, last in (("ночи", 2, 4), ("утра", 4, 12), ("дня", 12, 17), ("вечера", 17, 23)):
        for hour in range(first, last):
            following = hour % 12 + 1
            named = cardinal(following, "nomn") if following > 1 else "час"
            found |= {f"без {cardinal(left, 'gent')} {named} {part}": (hour, 60 - left) for left in (25, 20, 10, 5)}
            found[f"без четверти {named} {part}"] = hour, 45
            found[f"половине {ordinal(following, 'gent', 'masc')} {part}"] = hour, 30
    return found


def _clock_words(_: str, match: re.Match[str]) -> Iterator[Place]:
    """«в половине седьмого вечера» → «в 18:30», «без двадцати семь вечера» → «в 18:40»."""
    when = {same_word(phrase): time for phrase, time in _clock_phrases().items()}.get(same_word(match["told"]))
    if when:
        yield Place(match.start("told"), match.end(), f"{'' if match['in'] else 'в '}{when[0]}:{when[1]:02}", "figures")


def _phone(_: str, match: re.Match[str]) -> Iterator[Place]:
    """«+7 (903) 123-45-67» → «+7 903 123 45 67»."""
    head, *groups = match.group("head", "a", "b", "c", "d")
    for form in ("{} ({}) {}-{}-{}", "{} {} {}-{}-{}", "{} {} {} {} {}", "{}-{}-{}-{}-{}"):
        yield Place(match.start(), match.end(), form.format(head, *groups), "forms")


def _ranked(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«на 35-й минуте» → «на тридцать пятой минуте», «из 17-и побед» → «из семнадцати побед»."""
    number, ending = int(match["ranked"]), match["ending"].replace("ё", "е")
    nouns, cases = nouns_behind(text[match.end() :]), cases_at(text[: match.start()])
    found = {word for word, _ in ways_to_count(number, nouns, cases) if _ends_in(word, ending)} if number else set()
    if not found or ending not in {"и", "ти", "мя", "х", "ух", "ех", "ми"}:
        found = {word for word in ordinals(number, nouns, cases) if _ends_in(word, ending)}
    if ending == "е" and not nouns and number > _LAST_DAY:
        return  # «80-е» are years, «18-е» is a day
    if len(found) == 1:
        yield Place(match.start(), match.end(), found.pop(), "words")


def _ends_in(word: str, ending: str) -> bool:
    return word.replace("ё", "е").endswith(ending)


def ordinals(number: int, nouns: Sequence[Noun], cases: frozenset[str]) -> Iterator[str]:
    """Yield the ordinals of a number in some cases: «пятое», «пятого»; with nouns, only those that agree with one.

    Args:
        number: the number.
        nouns: the readings (possible analyses) of its noun; empty if it has none.
        cases: the cases, by their names in pymorphy3.
    """
    of_decade = number >= _THOUSAND and not number % _TEN
    if not number or (of_decade and (not nouns or any(one.number == "plur" for one in nouns))):
        return  # «в 1980-х годах» is said without the century
    for one in nouns:
        if one.case in cases:
            yield ordinal(number, one.case, one.gender if one.number == "sing" else "plur", animate=one.animate)
    if not nouns and cases != ANY_CASE:
        yield from (ordinal(number, case, gender) for case in cases for gender in GENDERS)


def _decade(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«в 1980-х годах» → «в восьмидесятых годах XX века»."""
    century, decade = divmod(int(match["decade"]), _HUNDRED)
    nouns = [one for one in nouns_behind(text[match.end("ending10") :]) if (one.lemma, one.number) == ("год", "plur")]
    found = {word for word in ordinals(decade, nouns, ANY_CASE) if _ends_in(word, match["ending10"])}
    if len(found) == 1 and decade:
        said = f"{found.pop()} {match['years']} {_CENTURIES[century + 1]} века"
        yield Place(match.start(), match.end(), said, "words")


_CENTURIES = {16: "XVI", 17: "XVII", 18: "XVIII", 19: "XIX", 20: "XX", 21: "XXI"}


def _compound(_: str, match: re.Match[str]) -> Iterator[Place]:
    """«20-летний» → «двадцатилетний»."""
    if said := compound(int(match["many"]), match["rest"]):
        yield Place(match.start(), match.end(), said, "words")


def compound(number: int, rest: str) -> str:
    """Return the word that a number and the rest of the word make: «двадцатилетний» for 20 and «летний».

    Args:
        number: the number.
        rest: the rest of the word, in lower case.

    Returns:
        The word; "" if there is none.
    """
    known = rest.startswith(tuple(listed("stem"))) or has_form(f"пяти{rest}")
    odd = not 0 < number <= _THOUSAND or (number == 1 and rest.startswith("лет"))
    return compound_start(number) + rest if known and not odd else ""


def _compound_words(_: str, match: re.Match[str]) -> Iterator[Place]:
    """«двадцатилетний» → «20-летний»."""
    number = _joined_numbers().get(same_word(match["prefix"]))
    if number and has_form(same_word(match["prefix"] + match["tail"])):
        yield Place(match.start(), match.end(), f"{number}-{match['tail']}", "figures")


@cache
def _joined_numbers() -> dict[str, int]:
    return {same_word(compound_start(number)): number for number in range(2, _OLDEST)}


def _fraction(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«6,5 млн» → «шесть с половиной миллионов», «2,3 процента» → «две целых и три десятых процента»."""
    whole, part, unit = int(match["int"]), match["part"], match["unit"]
    stop, case = match.end("part"), case_of_unit(text[: match.start()], text[match.end() :])
    nouns = [one for one in nouns_behind(text[stop:]) if (one.number, one.case) == ("sing", "gent")]
    beside = nouns and len(text[stop : stop + nouns[0].stop].split()) == 1  # not «1,5 чайной ложки»
    lemma = listed("unit").get((unit or "").lower()) or (nouns[0].lemma if beside else "")
    if lemma and noun_of(lemma) and case in {"nomn", "accs"} and not _GRAMS.match(text, stop):
        end = end_of_short(text, match.end()) if unit else stop + nouns[0].stop
        said = amount_in_words(whole, part, lemma, case).removeprefix("ноль целых ")
        yield Place(match.start(), end, said, "words")


_GRAMS = re.compile(r"\s?г\b")
"""«0,25 г» are grams, which would be read as years."""


def _whole(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«8 детей» → «восемь детей», «5 тыс. рублей» → «пять тысяч рублей», «5000 рублей»."""
    figures, unit, start = match["whole"], (match["unit"] or "").lower(), match.start()
    number, cases, stop = int(re.sub(r"\s", "", figures)), cases_at(text[:start]), match.end("whole")
    dated = not listed("month").keys().isdisjoint(text[:start].lower().split()[-1:])
    if number > LARGEST or (figures[0] == "0" and figures != "0") or not cases or dated or _is_adjective(text, match):
        return
    if unit and (noun := noun_of(listed("unit")[unit])):
        case, lemma = case_of_unit(text[:start], text[match.end() :]), noun.lemma
        said = amount_in_words(number, "", lemma, case) if case else ""
        if lemma == "год":
            case = "loct" if cases == {"accs", "loct"} else case
            unsure = re.match(r"\.\s+[«\"]?[А-ЯЁA-Z]", text[match.end() - 1 :])  # «в 1703 г. Пётр», «в 1703 г. Умер»
            whole = case and number > _ROUND and not unsure
            said = f"{ordinal(number, case, 'masc')} {time_noun(lemma, case, many=False)}" if whole else ""
        if said:
            yield Place(start, end_of_short(text, match.end()), said, "words")
        if lemma == "тысяча":
            yield Place(start, end_of_short(text, match.end()), str(number * _THOUSAND), "forms")
        return
    nouns = nouns_behind(text[stop:])
    if number > _THOUSAND and nouns and nouns[0].lemma == "год" and (nouns[0].number == "sing" or not number % 10):
        found = set(ordinals(number, [one for one in nouns if one.number == "sing"], cases))
    else:
        counts = {word for word, _ in ways_to_count(number, nouns, cases)}
        found = {*ranks(number, nouns, cases, text[:start])} or counts
    if len(found) == 1 and not (number == 1 and cases == ANY_CASE and not text[:start].endswith(" и ")):
        yield Place(start, stop, found.pop(), "words")
    many = [one for one in nouns if (one.number, one.case) == ("plur", "gent") and one.lemma != "год"]
    if number % _ROUND == 0 and number >= _THOUSAND and many:
        yield Place(start, stop, f"{number / _THOUSAND:g}".replace(".", ",") + " тыс.", "forms")


def ranks(number: int, nouns: Sequence[Noun], cases: frozenset[str], before: str) -> Iterator[str]:
    """Yield the ordinals («третье») of a number that tells which one, not how many: «3 место», «инвалид 3 группы».

    Args:
        number: the number.
        nouns: the readings (possible analyses) of its noun.
        cases: the cases that the number may have, by their names in pymorphy3.
        before: the text before the number.
    """
    of = re.search(r"(?:\b(?P<in>в|на|из|для)\s+)?(?P<word>[а-яё]{3,})\s+$", before, re.IGNORECASE)
    word = readings(of["word"])[0] if of else None
    owned = word is not None and word.pos == "NOUN" and (not of or not of["in"] or "anim" in word.grammemes)
    ranked = [one for one in nouns if one.number == "sing" and listed("rank").get(one.lemma) == "only"]
    own = [one for one in ranked if one.case == "gent" and owned]
    free = word is not None and of is not None and governors().keys().isdisjoint({same_word(of["word"]), word.lemma})
    free = free and word is not None and not {"neut", "intr"} <= word.grammemes  # «осталось 1 место»
    if own or (ranked and class_of(number) == "one" and (free or of is None)):
        yield from ordinals(number, own or ranked, ANY_CASE if own else cases)


def _is_adjective(text: str, match: re.Match[str]) -> bool:
    """Tell whether a percentage describes the noun after it, as an adjective would: «50% скидка»."""
    return match["unit"] == "%" and any(one.case == "nomn" for one in nouns_behind(text[match.end() :]))


@cache
def _numeral_words() -> dict[str, tuple[int, bool]]:
    """Map each form of each numeral of one word to its value, and to whether it is an ordinal; with е for ё."""
    found: dict[str, tuple[int, bool]] = {}
    for value, atom in numeral_atoms().items():
        if value:
            forms = product(NUMERAL_CASES, (*GENDERS, "plur"), (False, True))
            found |= {same_word(ordinal(value, *form[:2], animate=form[2])): (value, True) for form in forms}
            found |= {same_word(form): (value, False) for forms in atom.forms.values() for form in forms}
    return found | {noun_after(_MANY, "тысяча", case): (_THOUSAND, False) for case in NUMERAL_CASES}


def _words(text: str, match: re.Match[str]) -> Iterator[Place]:
    """«на два дня» → «на 2 дня», «пятого мая» → «5 мая», «на тридцать пятой минуте» → «на 35-й минуте»."""
    known = [_numeral_words()[same_word(word)] for word in match["words"].split(" ")]
    total = part = 0
    for value, _ in known:
        total, part = (total + max(part, 1) * value, 0) if value == _THOUSAND else (total, part + value)
    number, said, behind = total + part, same_word(match["words"]), text[match.end() :]
    nouns = nouns_behind(behind)
    if (number in {1, _THOUSAND} and not known[-1][1]) or _is_inverted(text[: match.start()]):
        return  # «один» is a pronoun, too; «тысячи» are many
    figures = ""
    if known[-1][1]:
        figures = _figures_of_rank(number, said, behind, nouns)
    elif number % _THOUSAND == 0:
        if said in {same_word(cardinal(number, case)) for case in NUMERAL_CASES}:
            figures = f"{number // _THOUSAND} {match['words'].split(' ')[-1]}"
    elif said in {same_word(word) for word, _ in ways_to_count(number, nouns, _cases_in_figures(number, nouns))}:
        figures = str(number)
    if figures and not is_quoted(text, match.start()) and not any(map(same_word(text).__contains__, listed("stays"))):
        yield Place(match.start(), match.end(), figures, "figures")


def _is_inverted(before: str) -> bool:
    """Tell whether a text may end in the noun of the number after it, which is then an estimate: «минут пять»."""
    word = re.search(r"([а-яё]+)\s+$", before, re.IGNORECASE)
    return word is not None and {"gent", "plur"} <= readings(word[1])[0].grammemes and has_reading(word[1], "NOUN")


def _cases_in_figures(number: int, nouns: Sequence[Noun]) -> frozenset[str]:
    """Return the cases in which a number may be written in figures: all from 5 on and for measures, else one."""
    measured = number >= _MANY or any(one.lemma in listed("measure") for one in nouns)
    return ANY_CASE if measured else frozenset({"nomn"})


def _figures_of_rank(number: int, said: str, behind: str, nouns: Sequence[Noun]) -> str:
    """Return an ordinal in figures: «5» before a month, «35-й» before a noun that is numbered; otherwise ""."""
    following = behind.split()[:1]
    if following and following[0].strip(".,!?:;)") in listed("month"):
        return str(number) if number <= _LAST_DAY else ""
    if not nouns or not (nouns[0].lemma in listed("rank") or (nouns[0].lemma == "год" and number > _TEN)):
        return ""
    alone = [one for one in nouns if one.number == "sing"]
    if said not in map(same_word, ordinals(number, alone, ANY_CASE)):
        return ""
    if nouns[0].lemma == "год" and number > _THOUSAND:
        return str(number)
    return f"{number}-{said[-1] if said[-2] in 'аеиоуыэюя' else said[-2:]}"


_FREE = r"(?<![\w.,:+№$€#/–—−±-])(?<!№ )"
_END = r"(?![\w/–—-]|[.,:]\d)"


_Find = Callable[[str, re.Match[str]], Iterator[Place]]


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], _Find]]:
    """Return the patterns to look for, in order of precedence, each with the function that rewrites its matches."""
    months = "|".join(listed("month"))
    units = "|".join(sorted(map(re.escape, listed("unit")), key=len, reverse=True))
    stems = "|".join(listed("stem"))
    words = _words_pattern()
    unit = rf"(?:\s?(?P<unit>{units})(?![\w/-]|\./)(?:\.(?=\s[а-яё]))?)?"

    def part(digits: int, name: str) -> str:
        return rf"[\s-]?\(?(?P<{name}>\d{{{digits}}})\)?"

    found: tuple[tuple[str, _Find], ...] = (
        (rf"{_FREE}(?P<head>\+7|8){part(3, 'a')}{part(3, 'b')}{part(2, 'c')}{part(2, 'd')}(?!\d)", _phone),
        (
            rf"{_FREE}(?P<date>\d\d?(?=\.\d\d\.)|\d\d)\.(?P<month>\d\d)(?:\.(?P<year>\d{{4}}))?(?![\w-]|[.,:]\d|\s?(?:{units}))",
            _date,
        ),
        (rf"{_FREE}(?P<day>\d{{1,2}})\s+(?i:{months})\b", _day),
        (rf"\b(?P<at>в|к|до|со?|после|около)\s+(?P<hour>\d{{1,2}}):(?P<minute>\d\d){_END}", _clock),
        (rf"{_FREE}(?P<decade>(?:1[5-9]|20)\d0)-(?P<ending10>е|х|м|ми)\s+(?P<years>год[а-яё]+)", _decade),
        (rf"{_FREE}(?P<ranked>\d{{1,4}})-(?P<ending>[а-яё]{{1,3}})(?![\w-])", _ranked),
        (rf"{_FREE}(?P<many>\d{{1,4}})-(?P<rest>[а-яё]{{4,}})(?![\w-])", _compound),
        (rf"{_FREE}(?P<int>\d{{1,3}}),(?P<part>\d{{1,2}}){_END}{unit}", _fraction),
        (rf"{_FREE}(?P<whole>\d{{1,3}}(?:[ \u00a0]\d{{3}})+|\d{{1,6}}){_END}{unit}", _whole),
        (r"\b(?P<in>в )?(?P<told>(?:без|(?<=в )половине) [а-яё]+ ?[а-яё]* (?:утра|дня|вечера|ночи))\b", _clock_words),
        (rf"\b(?P<prefix>[а-яё]{{3,}})(?P<tail>(?!лети)(?:{stems})[а-яё]+)(?![\w-])", _compound_words),
        (rf"(?<![\w-])(?<![\w-] -)(?P<words>(?:{words})(?: (?:{words}))*)(?![\w-])", _words),
    )
    return tuple((re.compile(pattern, re.IGNORECASE), find) for pattern, find in found)


@cache
def _words_pattern() -> str:
    return "|".join(sorted(_numeral_words(), key=len, reverse=True)).replace("е", "[её]")


@cache
def _chains() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a number before, and of one after, which form a chain with a number: «с 5 по 10»."""
    other = rf"(?:\d(?:[\d,.]*\d)?(?:-[а-яё]+)?|(?:{_words_pattern()})(?![\w]))"
    link = r"(?:\s+(?:и|или|либо|ли|по|до|на|из|против|х)|\s*[-–—,:/])?\s+"
    behind = rf"(?:{link}|\s+[а-яё]+\s+(?:из|против|по|до|к)\s+){other}"
    before = rf"(?<!\w){other}(?:\s(?:млн|млрд|тыс)\.?)?{link}$"  # «1 млн 250 тыс.»
    return re.compile(before, re.IGNORECASE), re.compile(behind, re.IGNORECASE)


_MAYBE = re.compile(
    r"\d|летн|этажн|часов|дневн|метров|минутн|процентн|недельн|месячн|(?<![а-яё])(?:дв[аеу]|тр[иеё]|четы|четв|пят|шест|сем[ьи]|восе?м"
    r"|девя|деся|одинн|тридц|сорок|сто?(?![а-яё])|ста(?![а-яё])|первая|перв|втор|без (?:четв|двад|пяти|деся)|половине)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Numbers(WritesOtherwise):
    """Write numbers in words instead of figures, in figures instead of words, or in another form; the value is kept.

    - `words`: «8 детей», «35-й», «6,5 млн», «18 июля», «в 18:40», «20-летний» in words, in the case and gender that the
      words around require;
    - `figures`: the reverse, but not for «один», set phrases, and a number that opens a sentence;
    - `forms`: dates, phone numbers and thousands in another form: «18.07.2020» → «18 июля 2020 года», «5000» → «5
      тыс.».

    A number is not changed if its case is not certain, or if it belongs to a name («Ки-27», «№ 9») or a chain («с 5 по
    10 мая»).

    Args:
        probability: the share of the numbers that change, in [0, 1].
        classes: which of these classes of changes are made.

    Raises:
        AugmentError: there is no such class, or `classes` is empty.
    """

    known: ClassVar[tuple[str, ...]] = CLASSES
    classes: tuple[str, ...] = CLASSES

    def places(self, text: str) -> Iterator[tuple[Place, ...]]:
        """Yield, for each number in a text, the ways to rewrite it."""
        chain, chained = _chains()
        taken: list[tuple[int, int]] = []
        maybe, patterns = (_DIGIT, _patterns()[:_OF_WORDS]) if self.classes == ("words",) else (_MAYBE, _patterns())
        for pattern, find in patterns if maybe.search(text) else ():
            for match in pattern.finditer(text):
                start, stop = match.span()
                if all(stop <= begin or end <= start for begin, end in taken):
                    taken.append((start, stop))
                    after = find is not _day and chained.match(text, stop)
                    if find in _ALONE or not (after or chain.search(text, max(start - _LONGEST_CHAIN, 0), start)):
                        yield tuple(find(text, match))


_DIGIT, _OF_WORDS = re.compile(r"\d"), -3
"""What numbers in figures have, and the end of the patterns that find them: the last three find numbers in words."""
_LONGEST_CHAIN = 80
"""How many characters before a number another one is looked for: more than a number and what joins the two can have."""
_ALONE = frozenset({_phone, _date, _clock, _compound, _compound_words})
"""Functions whose matches change even in a chain with another number."""
