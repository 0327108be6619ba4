"""Writes numbers in words, in the case that the text around them requires: «с 5 детьми» as «с пятью детьми»."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from augment_ru.language.inflection import inflect, known_forms, noun_of
from augment_ru.language.morphology import GENDERS, is_known, readings
from augment_ru.language.prepositions import cases_behind
from augment_ru.resources import dictionary_path, listed_in, rows, same_word

NUMERAL_CASES = ("nomn", "gent", "datv", "accs", "ablt", "loct")
"""The order of the cases in the dictionary of numerals."""
NO_GENITIVE = frozenset(NUMERAL_CASES) - {"gent"}
ANY_CASE = frozenset(NUMERAL_CASES)
LARGEST = 999_999
"""The largest number that the attack `numbers` writes in words."""
_THOUSAND, _HUNDRED, _TWENTY, _TEN = 1000, 100, 20, 10
_SCALES = {10**9: "миллиард", 10**6: "миллион", _THOUSAND: "тысяча"}
_NO_GENDER, _NONE = "-", "-"
_FEW = (2, 3, 4)
_WORD = re.compile(r"(?<![°А-Яа-яЁё])(?<!° )([А-Яа-яЁё]+(?:-[А-Яа-яЁё]+)*)\s+$")
_FOLLOWING = re.compile(r"\s+([а-яё]+)(?![-а-яёА-ЯЁ\w])")


class Atom(NamedTuple):
    """A numeral of one word, such as «два».

    Attributes:
        forms: maps a gender to the forms of the numeral, one for each case in `NUMERAL_CASES`. Genders are `masc`,
            `femn`, `neut` and `plur`; the only key is `-` if the numeral is the same in all genders.
        ordinal: the ordinal in the nominative («второй»); `-` if there is none.
        joined: how the numeral begins a compound word: «двух» in «двухлетний»; `-` if it begins none.
    """

    forms: dict[str, tuple[str, ...]]
    ordinal: str
    joined: str


@cache
def numeral_atoms() -> dict[int, Atom]:
    """Read the dictionary of numerals: map the value of each numeral of one word, such as 40, to its forms."""
    found: dict[int, Atom] = {}
    for value, gender, forms, ordinal, joined in rows(dictionary_path("numerals"), columns=5):
        atom = found.setdefault(int(value), Atom({}, ordinal, joined))
        atom.forms[gender] = tuple(forms.split(" "))
        if ordinal != _NONE:
            found[int(value)] = atom._replace(ordinal=ordinal, joined=joined)
    return found


@cache
def _parts(number: int) -> tuple[int, ...]:
    """Return the values of the words of a number below a thousand: 125 is (100, 20, 5)."""
    parts = [number // _HUNDRED * _HUNDRED, number % _HUNDRED]
    if parts[1] > _TWENTY:
        parts[1:] = [parts[1] // _TEN * _TEN, parts[1] % _TEN]
    return tuple(part for part in parts if part) or (0,)


def class_of(number: int) -> str:
    """Return the class of a number, which decides the form of its noun.

    It is `one` («21 год»), `few` («2 года»), `many` («5 лет»), or `thousands` for whole thousands («1000 лет»).
    """
    last = number % _HUNDRED
    if number and number % _THOUSAND == 0:
        return "thousands"
    if last // _TEN == 1:
        return "many"
    return "one" if last % _TEN == 1 else "few" if last % _TEN in _FEW else "many"


@lru_cache(maxsize=20_000)
def cardinal(number: int, case: str, gender: str = "masc", *, animate: bool = False) -> str:
    """Write a whole number in words, in lower case and with ё.

    >>> cardinal(2, "accs", "femn"), cardinal(2, "accs", animate=True), cardinal(1640, "ablt")
    ('две', 'двух', 'тысячей шестьюстами сорока')

    Args:
        number: the number, from 0 to 999,999,999,999.
        case: the case by its name in pymorphy3, such as `gent`.
        gender: `masc`, `femn` or `neut`.
        animate: whether persons or animals are counted; the accusative of 1 to 4 depends on it.
    """
    words, rest = [], number
    for scale, noun in _SCALES.items():
        count, rest = divmod(rest, scale)
        if count > 1 or (count and scale > _THOUSAND):
            words.append(cardinal(count, case, "femn" if scale == _THOUSAND else "masc"))
        if count:
            words.append(noun_after(count, noun, case))
    for part in _parts(rest) if rest or not words else ():
        forms = numeral_atoms()[part].forms
        living = animate and case == "accs" and 0 < part <= _FEW[-1] and (number < _TEN or part == 1)
        form = "gent" if living and (part != 1 or gender == "masc") else case
        words.append(forms.get(gender, forms.get(_NO_GENDER, ()))[NUMERAL_CASES.index(form)])
    return " ".join(words)


@lru_cache(maxsize=20_000)
def ordinal(number: int, case: str, gender: str, *, animate: bool = False) -> str:
    """Write the ordinal of a whole number in words, in lower case and with ё.

    >>> ordinal(1980, "loct", "masc"), ordinal(40, "gent", "femn"), ordinal(2000, "nomn", "masc")
    ('тысяча девятьсот восьмидесятом', 'сороковой', 'двухтысячный')

    Args:
        number: the number, from 0 to 999,999.
        case: the case by its name in pymorphy3, such as `gent`.
        gender: `masc`, `femn` or `neut`; `plur` for the plural.
        animate: whether the ordinal belongs to a person or an animal; its accusative depends on it.
    """
    thousands, rest = divmod(number, _THOUSAND)
    last = _parts(rest)[-1]
    lemma = numeral_atoms()[last].ordinal if rest else f"{compound_start(thousands) if thousands > 1 else ''}тысячный"
    word, whole = _adjective(lemma, case, gender, animate=animate), number - last if rest else 0
    return f"{cardinal(whole, 'nomn')} {word}" if whole else word


def _adjective(lemma: str, case: str, gender: str, *, animate: bool = False) -> str:
    """Put an adjective into a case and a gender; `plur` is the plural."""
    marks = ["plur"] if gender == "plur" else ["sing", gender]
    like = next(one for one in known_forms("красивую") if one.kind == "ADJ")
    return inflect(lemma, like.having(case, *marks, *(["anim" if animate else "inan"] if case == "accs" else []))) or ""


def decimal(whole: int, part: str, case: str, gender: str = "") -> str:
    """Write a decimal number in words.

    >>> decimal(2, "1", "accs"), decimal(0, "25", "gent"), decimal(2, "5", "nomn", "femn")
    ('две целых и одну десятую', 'ноля целых двадцати пяти сотых', 'две с половиной')

    Args:
        whole: the number before the comma.
        part: the digits after the comma, one to five.
        case: the case by its name in pymorphy3, such as `gent`.
        gender: the gender of the counted noun if one follows (`masc`, `femn` or `neut`): «2,5» may then be «две с
            половиной»; "" if no noun follows.
    """
    if gender and _is_half(whole, part, case):
        one = "полторы" if gender == "femn" else "полтора"
        return f"{cardinal(whole, case, gender)} с половиной" if whole > 1 else one
    said = list[str]()
    for number, rank in (whole, 0), (int(part), 10 ** len(part)):
        sort = class_of(number) if number else "zero"
        form = case if sort == "one" or (number and case not in {"nomn", "accs"}) else "gent"
        of = (form, "femn" if sort == "one" else "plur")
        said.append(f"{cardinal(number, case, 'femn')} {ordinal(rank, *of) if rank else _adjective('целый', *of)}")
    return (" и " if whole else " ").join(said)


def _is_half(whole: int, part: str, case: str) -> bool:
    """Tell whether a decimal number before a noun is said with a half, as 2,5 is: «два с половиной»."""
    return part == "5" and whole > 0 and case in {"nomn", "accs"}


@cache
def compound_start(number: int) -> str:
    """Return a number up to 1000 as the beginning of a compound («двадцатипятилетний»): 25 gives «двадцатипяти»."""
    if number == _THOUSAND:
        return numeral_atoms()[_THOUSAND].joined
    return "".join("одно" if part == 1 else numeral_atoms()[part].joined for part in _parts(number))


@lru_cache(maxsize=20_000)
def noun_after(number: int, lemma: str, case: str) -> str:
    """Return the form of a noun after a number: «5 лет», «с 5 годами»; the lemma itself if it is not a known noun.

    Args:
        number: the number that counts the noun.
        lemma: the noun, with ё.
        case: the case of the number and the noun together, by its name in pymorphy3, such as `nomn`.
    """
    kind, noun = class_of(number), noun_of(lemma)
    if noun is None:
        return lemma
    if not number or kind == "thousands" or (kind != "one" and case in {"nomn", "accs"}):
        return inflect(lemma, noun.having("sing" if kind == "few" else "plur", "gent")) or lemma
    return inflect(lemma, noun.having("sing" if kind == "one" else "plur", case)) or lemma


def time_of_day(hour: int, minute: int, case: str) -> str:
    """Write a time of day in words, in a case: «девять ноль пять», «девяти часам».

    Args:
        hour: the hour, from 0 to 23.
        minute: the minute, from 0 to 59.
        case: the case by its name in pymorphy3.
    """
    minutes = f"{'ноль ' * (minute < _TEN)}{cardinal(minute, case, 'femn')}"
    return f"{cardinal(hour, case)} {minutes if minute else noun_after(hour, 'час', case)}"


@lru_cache(maxsize=20_000)
def time_noun(lemma: str, case: str, *, many: bool) -> str:
    """Return the form of «год» or «век» after an ordinal: «году» in «в двадцатом году», «годов» in «двадцатых годов».

    Args:
        lemma: the noun, «год» or «век».
        case: the case by its name in pymorphy3.
        many: whether the noun is in the plural.
    """
    noun, of = noun_of(lemma), "loc2" if case == "loct" and lemma == "год" and not many else case
    form = noun and inflect(lemma, noun.having("plur" if many else "sing", of))
    return {"лет": "годов"}.get(form or "", form or lemma)


@lru_cache(maxsize=20_000)
def counted_phrase(number: int, phrase: str, case: str) -> str:
    """Return the form of a noun, or of an adjective and a noun, after a number; words after the noun stay unchanged.

    >>> counted_phrase(2, "квадратный метр", "nomn"), counted_phrase(5, "километр в час", "gent")
    ('квадратных метра', 'километров в час')

    Args:
        number: the number.
        phrase: the words, with ё.
        case: the case of the number and the noun together, by its name in pymorphy3.
    """
    first, *rest = phrase.split(" ")
    adjective = next((one.lemma for one in readings(first) if one.pos == "ADJF"), "") if rest else ""
    if not adjective:
        return " ".join([noun_after(number, first, case), *rest])
    noun, is_one = noun_of(rest[0]), class_of(number) == "one"
    gender = (noun and noun.gender) or "masc"
    form = case if is_one or case not in {"nomn", "accs"} else "gent"
    form = "nomn" if form != case and gender == "femn" and class_of(number) == "few" else form  # «две чайные ложки»
    return f"{_adjective(adjective, form, gender if is_one else 'plur')} {counted_phrase(number, ' '.join(rest), case)}"


CHANGE = {"рубль": "копейка", "гривна": "копейка", "доллар": "цент", "евро": "цент"}
"""Money, and what a hundredth of it is called."""


def amount_in_words(whole: int, part: str, lemma: str, case: str) -> str:
    """Return a number in words with what it counts; two decimals of a sum of money are its small coins.

    >>> amount_in_words(12, "50", "рубль", "nomn"), amount_in_words(2, "5", "квадратный метр", "nomn")
    ('двенадцать рублей пятьдесят копеек', 'два с половиной квадратных метра')

    Args:
        whole: the number before the comma.
        part: the digits after the comma, at most five; "" for a whole number.
        lemma: what is counted, with ё: a noun, or words that `counted_phrase` takes.
        case: the case of the amount, by its name in pymorphy3.
    """
    if lemma in CHANGE and len(part) == len("00"):
        return f"{amount_in_words(whole, '', lemma, case)} {amount_in_words(int(part), '', CHANGE[lemma], case)}"
    words = lemma.split(" ")
    noun = noun_of(words[0]) or noun_of(words[-1])
    gender = (noun and noun.gender) or "masc"
    if part:
        of = (max(whole, 2), lemma, "nomn") if _is_half(whole, part, case) else (1, lemma, "gent")
        return f"{decimal(whole, part, case, gender)} {counted_phrase(*of)}"
    if lemma == "сутки" and whole in _TOGETHER and case in {"nomn", "accs"}:
        return f"{_TOGETHER[whole]} суток"
    return f"{cardinal(whole, case, gender)} {counted_phrase(whole, lemma, case)}"


@cache
def governors() -> dict[str, str]:
    """Read the dictionary `governors`: map words to what they demand of a number that follows.

    «достигать», for example, demands the genitive (`gent`). After a word with `none`, such as «глава», a number is not
    declined. The file states what the other values mean.
    """
    return {word: kind for kind, words in rows(dictionary_path("governors"), columns=2) for word in words.split(" ")}


def cases_at(before: str) -> frozenset[str]:
    """Return the cases that a number may have after a text, by their names in pymorphy3.

    All cases are returned if the text does not show the case. The set is empty if the number is not declined: «глава
    5».

    Args:
        before: the text up to the number, with the space before it.
    """
    match = _WORD.search(before)
    if match is None:
        if before.rstrip().lower().endswith("ок."):
            return frozenset({"gent"})
        return ANY_CASE if before.strip()[-1:].isalnum() or ends_in_short(before) else NO_GENITIVE
    word = match[1].lower()
    known = [governors().get(same_word(one)) for one in (word, *(each.lemma for each in readings(word)))]
    if "none" in known and known[0] not in ANY_CASE:  # «на уровне 16 %»
        return frozenset()
    if cases := cases_behind(word):
        return cases - {"accs"} if word in {"с", "со"} else cases - {"loct"} if word == "по" else cases
    return _cases_behind_word(same_word(word)) or _cases_behind_adjective(word, before[: match.start()])


def ends_in_short(before: str) -> bool:
    """Tell whether a text ends in a shortened word or an initial with its full stop, such as «ок.» or «А.».

    Such a full stop does not end a sentence.
    """
    match = _SHORT.search(before)
    return match is not None and (len(match[1]) == 1 or match[1].lower() in listed_in("shortened_words") | {"ок"})


_SHORT = re.compile(r"([А-Яа-яЁё]+)\.\s*$")


@lru_cache(maxsize=50_000)
def _cases_behind_word(word: str) -> frozenset[str]:
    """Return the cases of a number after a word that is not a preposition; empty for an adjective, which may agree."""
    found, known = readings(word), governors()
    kind = next((known[one] for one in (word, *(same_word(each.lemma) for each in found)) if one in known), "")
    if kind:
        return frozenset({kind}) if kind in ANY_CASE else NO_GENITIVE if kind == "free" else ANY_CASE
    if not is_known(word):
        return ANY_CASE
    if found[0].pos in {"ADJF", "PRTF"}:
        return frozenset()
    return ANY_CASE if found[0].pos in {"NOUN", "CONJ", "NUMR"} else NO_GENITIVE


def _cases_behind_adjective(word: str, before: str) -> frozenset[str]:
    own = frozenset().union(*(one.grammemes for one in readings(word) if "plur" in one.grammemes))
    if "nomn" in own:
        return NO_GENITIVE
    behind = cases_at(before)
    return behind if behind <= {"gent"} else ANY_CASE


class Noun(NamedTuple):
    """The noun that a number counts («детей» in «5 детей»), in one of its possible analyses.

    Attributes:
        lemma: its lemma.
        number: `sing` or `plur`.
        case: the case by its name in pymorphy3, such as `gent`.
        gender: `masc`, `femn` or `neut`.
        animate: whether it names a person or an animal.
        start: where it starts in the text after the number.
        stop: where it stops in that text.
    """

    lemma: str
    number: str
    case: str
    gender: str
    animate: bool
    start: int
    stop: int


_BETWEEN = 2


def nouns_behind(behind: str) -> list[Noun]:
    """Return all readings (possible analyses) of the noun that a number counts.

    At most two adjectives may stand between the number and the noun. Without a noun the list is empty.

    Args:
        behind: the text after the number.
    """
    at = 0
    for _ in range(_BETWEEN + 1):
        match = _FOLLOWING.match(behind, at)
        if match is None or not is_known(match[1]):
            return []
        first = readings(match[1])[0]
        if first.pos not in {"ADJF", "PRTF"}:
            return [one._replace(start=match.start(1), stop=match.end(1)) for one in _nouns(match[1])]
        at = match.end()
    return []


@lru_cache(maxsize=50_000)
def _nouns(word: str) -> tuple[Noun, ...]:
    found = []
    for one in readings(word) if len(word) > 1 and readings(word)[0].pos not in _LITTLE else ():
        marks = one.grammemes
        case = next((case for case in NUMERAL_CASES if case in marks), "")
        if one.pos == "NOUN" and one.known and case and not {"Surn", "Name", "Patr", "Abbr"} & marks:
            number = "plur" if "plur" in marks else "sing"
            gender = next((gender for gender in sorted(GENDERS) if gender in marks), "masc")
            found.append(Noun(one.lemma, number, case, gender, "anim" in marks, 0, 0))
    return tuple(found)


_LITTLE = frozenset({"ADVB", "CONJ", "NPRO", "PRCL", "PREP"})
"""Parts of speech of words that only seem to be nouns, such as «уже»."""


def ways_to_count(number: int, nouns: list[Noun], cases: frozenset[str]) -> list[tuple[str, Noun]]:
    """Return the numerals as which a number may be read before a noun: 2 is «два», «двух» or «двумя».

    Each numeral is returned once, with an analysis of the noun that fits it.

    Args:
        number: the number, from 0 to 999,999.
        nouns: the readings (possible analyses) of the noun as it is written.
        cases: the cases that the number may have, by their names in pymorphy3.
    """
    found: dict[str, Noun] = {}
    for noun in nouns:
        owned = "gent" in cases and _is_counted_together(number, noun)  # «мать трёх детей»
        for case in ("gent",) if owned else _cases_with(number, noun):
            if case in cases or (case == "nomn" and "accs" in cases and not (noun.animate and cases != _BY)):
                found.setdefault(_counting(number, case, noun), noun)
    return list(found.items())


_BY = frozenset({"accs", "datv"})
"""The cases behind «по», where living things are counted as others are: «по два человека»."""


def _counting(number: int, case: str, noun: Noun) -> str:
    together = _is_counted_together(number, noun) and case in {"nomn", "accs"} and not (case == "accs" and noun.animate)
    return _TOGETHER[number] if together else cardinal(number, case, noun.gender, animate=noun.animate)


def _is_counted_together(number: int, noun: Noun) -> bool:
    kind = noun.lemma == "ребёнок" or "Pltm" in readings(noun.lemma)[0].grammemes
    return number in _TOGETHER and noun.number == "plur" and kind


_TOGETHER = {2: "двое", 3: "трое", 4: "четверо"}


def _cases_with(number: int, noun: Noun) -> Iterator[str]:
    """Yield the cases of a number in which its noun has the form of this reading."""
    kind = class_of(number)
    if kind == "one":
        yield from (noun.case,) if noun.number == "sing" else ()
    elif noun.number == "sing":
        if kind == "few" and noun.case == "gent":
            yield from ("nomn",) if noun.animate else ("nomn", "accs")
    elif noun.case == "gent":
        yield "gent"
        if kind != "few" or _is_counted_together(number, noun):  # «пять детей», «двое суток», «четверо детей»
            yield from ("nomn", "accs")
        elif noun.animate and number < _TEN:  # «вижу двух студентов», «двадцать два студента»
            yield "accs"
    elif noun.case in {"datv", "ablt", "loct"} and kind != "thousands":
        yield noun.case


def case_of_unit(before: str, behind: str) -> str:
    """Return the case of a number before an abbreviated unit, such as «5 км»; "" if it is not certain.

    The texts around the number decide, because the abbreviation does not show the case.

    Args:
        before: the text before the number.
        behind: the text after the unit.
    """
    cases, word = cases_at(before), _WORD.search(before)
    if cases == ANY_CASE and word and any({"nomn", "sing"} <= one.grammemes for one in readings(word[1])):
        return "nomn"  # «цена 500 р.»
    if cases == NO_GENITIVE:  # «купила 1,25 кг»
        return "accs" if word and "tran" in readings(word[1])[0].grammemes else "nomn"
    if cases == {"accs", "loct"} and word:  # «в 5 км от города», «на 5 тыс. рублей», «длиной в 5 км»; not «в 5 л воды»
        inside = word[1].lower() in {"в", "во"}
        return "loct" if inside and _AWAY.match(behind) else "accs" if not inside or _AMOUNT.search(before) else ""
    likely = cases - {"ablt"} if len(cases) > 1 else cases
    return next(iter(likely)) if len(likely) == 1 else "accs" if likely == {"accs", "datv"} else ""


_AWAY = re.compile(
    r"\s+(?:от|по|к|ко|выше|ниже|[а-яё]+нее|ходьбы|езды|пути|на (?:север|юг|восток|запад)[а-я-]*)\b", re.IGNORECASE
)
"""What follows a distance: «в 5 км от города»."""
_AMOUNT = re.compile(
    r"\b(?:длин|высот|глубин|ширин|толщин|вес|масс|объ[её]м|[её]мкост|площад|расстояни|дистанци|скорост|мощност|ставк"
    r"|штраф|сумм|размер|цен|стоимост|толп|арми|населени|тираж|приз|ущерб|бюджет|долг|кредит|оцен|обош|обход|уложи)"
    r"[а-яё]*\s+в\s+$",
    re.IGNORECASE,
)
"""Words after which «в» states an amount, not a place: «длиной в 5 км»."""
