"""Адреса и телефоны, записанные словами: «ленка собака почта точка ру» → «lenka@pochta.ru»."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from augment_ru.edits import Edit
from augment_ru.language.morphology import has_reading
from augment_ru.normalizers._lexicon import is_hidden, is_word
from augment_ru.normalizers._normalization import Normalization
from augment_ru.resources import dictionary_path, rows

_ALIKE = dict(zip("OoОоQDЗзBВбbIlІSsЧч", "0000003388661115544", strict=True))
"""Maps letters that people write for digits to these digits."""
_LIKELY = re.compile(
    r"т[о0]чк|тчк|д[оo]т\b|дог\b|dot\b|с[о0]б[аa][кч]|эт\b|@|[(\[{]\s*(?:[аa]|at|эт)\s*[)\]}]|\.[а-я]{2,4}\b|_\s|нижн"
)
"""What every text with an address in words contains; each way begins with a character, since that is found fast."""
_DIGIT = re.compile(r"\d.*\d|[⓪①-⑨❶-❾].*[⓪①-⑨❶-❾]|дев[яи][тц]", re.DOTALL)
_DIGITS, _MOST, _GROUPS, _CARD = 11, 14, 8, 16
"""How many digits a telephone number has, the most words or groups of digits that it is written in, the fewest groups
that are joined; how many digits a card has."""
_UNIT = r"[^\s().,*·/–—+-]+"


@dataclass(frozen=True, slots=True)
class ContactsNormalization(Normalization):
    """Write addresses and telephone numbers in the usual form if they are in words, or have letters for digits.

    The addresses are those of e-mail and web pages: «ленка собака почта точка ру» becomes «lenka@pochta.ru».
    """

    def changing(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the indices of the texts that may have a web or e-mail address or a telephone number to rewrite."""
        return [at for at, text in enumerate(texts) if _LIKELY.search(text) or _DIGIT.search(text)]

    def edits(self, text: str) -> Iterator[Edit]:
        """Yield the edits that write web and e-mail addresses and telephone numbers in the usual form."""
        if _LIKELY.search(text):
            for found in _address().finditer(text):
                if new := _written(found[0]):
                    yield Edit(*found.span(), new)
            for found in _handle().finditer(text):
                name = re.sub(rf"\s+(?:{_words_for('_')})\s+", "_", found["name"].lower())
                yield Edit(found.start("sign"), found.end(), f"@{name}")
        if _DIGIT.search(text):
            for found in _number().finditer(text):
                yield from _telephone(found)


@cache
def _meanings(kind: str) -> dict[str, str]:
    """Map the words of one kind in `contacts.tsv` to what they mean: «собака» to «@»."""
    return {written: means for of, written, means in rows(dictionary_path("contacts"), columns=3) if of == kind}


@cache
def _latin() -> dict[str, str]:
    """Map Russian letters to the Latin ones that people write in addresses: as in chats, except for ё and ц."""
    found = rows(dictionary_path("transliteration_chat"), columns=3)
    spelt = {letter: said.split()[0].replace("-", "") for letter, behind, said in found if behind == "-"}
    return spelt | {"ё": "e", "ц": "ts"}


@cache
def _sign() -> str:
    """Return the pattern of a sign between parts of an address: «собака», «(at)», «.»; short words need brackets."""
    words = sorted(_meanings("sign"), key=lambda one: -len(one))
    long = "|".join(word for word in words if len(word) > len("at"))
    return rf"(?:\s*[(\[{{<]\s*(?:{'|'.join(words)}|[.@])\s*[)\]}}>]\s*|\s+(?:{long})\s+|\s*@\s*|\s_\s|\s\.\s|[./_-])"


@cache
def _address() -> re.Pattern[str]:
    part = rf"(?!(?:{'|'.join(one for one in _meanings('sign') if len(one) > 2)})\b)[^\W_]+"  # noqa: PLR2004
    return re.compile(rf"(?<![\w@/.]){part}(?:{_sign()}{part})+(?![@\w])", re.IGNORECASE)


def _words_for(sign: str) -> str:
    """Return the pattern of the words for a sign of an address that have more than two letters."""
    words = (word for word, means in _meanings("sign").items() if means == sign and len(word) > len("at"))
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


@cache
def _handle() -> re.Pattern[str]:
    """Return the pattern of a nick behind a word for «@»: one with «_», a digit, or behind the name of a network."""
    under = rf"(?:_|\s+(?:{_words_for('_')})\s+)"
    before = rf"(?<![\w@])(?P<net>(?:{'|'.join(_meanings('net'))})\W{{1,2}})?(?P<sign>(?:{_words_for('@')}|эт)\s+)"
    return re.compile(
        rf"{before}(?P<name>[a-z][a-z\d]*(?:{under}[a-z\d]+)+|[a-z]+\d+|(?(net)[a-z\d]+|(?!)))(?![\w@.])", re.IGNORECASE
    )


def _written(found: str) -> str:
    """Return the usual form of an address in words; "" if it is no address, or has this form already."""
    signs, zones = _meanings("sign"), _meanings("zone") | _meanings("doubtful")
    cut = re.split(f"({_sign()})", found.lower())
    marks = [signs.get(sign.strip("()[]{}<> \n\t"), sign.strip("()[]{}<> \n\t")) for sign in cut[1::2]]
    parts = cut[::2]
    ends = [at for at, mark in enumerate(marks) if mark == "." and parts[at + 1] in zones]
    is_nick = marks == ["_"] and cut[1] != "_" and not all(map(is_word, parts))
    is_said = len(marks) == 1 and is_word(parts[0]) and not (has_reading(parts[0], "NOUN") or is_hidden(parts[0]))
    at = ends[-1] if ends else 0
    if not is_nick and (is_said or not ends or not _is_sure(parts[at], parts[at + 1], cut[2 * at + 1])):
        return ""
    letters = {} if at == len(parts) - 2 and parts[-1] == "рф" else _latin()  # «кремль.рф»
    spelt = (_meanings("host").get(part, "".join(letters.get(char, char) for char in part)) for part in parts)
    names = [zones[parts[at]] if at and at - 1 in ends else name for at, name in enumerate(spelt)]
    new = names[0] + "".join(mark + name for mark, name in zip(marks, names[1:], strict=True))
    return new if new != found.lower() else ""


def _is_sure(before: str, zone: str, sign: str) -> bool:
    """Tell whether words surely end an address: «почта точка ру», but not «казино точка нет» or «ушёл.нет»."""
    if zone in _meanings("doubtful") and (is_word(before) or len(sign) == 1):
        return before in _meanings("host")
    return len(sign) > 1 or not (zone.isascii() or zone == "рф")


@cache
def _number() -> re.Pattern[str]:
    words = "|".join([*_meanings("number"), *_meanings("times"), "сот", "плюс"])
    alike = re.escape("".join(_ALIKE))
    unit = (
        rf"(?:{words})(?!\w)|\+?(?:[\d⓪①-⑨❶-❾]\ufe0f?\u20e3?|[{alike}](?=[\d{alike}])|(?<=[\d{alike}])[{alike}])+(?!\w)"
    )
    return re.compile(rf"(?<![\w+])(?:{unit})(?:[\s().*·/–—-]{{1,4}}(?:{unit}))*", re.IGNORECASE)


def _telephone(found: re.Match[str]) -> Iterator[Edit]:
    """Yield the edit that writes a hidden telephone number in figures, if a run of numbers contains one."""
    units = list(re.finditer(_UNIT.replace("+-", "-"), found[0]))
    for first in range(len(units)):
        for last in range(min(len(units), first + _MOST), first, -1):
            run = [unit[0] for unit in units[first:last]]
            digits = _digits_of(run)
            start, stop = units[first].start(), units[last - 1].end()
            written = found[0][start:stop]
            is_card = len(digits) == _CARD and not any(unit.lower() in _meanings("number") for unit in run)
            is_number = is_card or (len(digits) == _DIGITS and re.match("[78][3489]", digits))
            if is_number and _is_hidden(written, run):
                yield Edit(found.start() + start, found.start() + stop, _formed(written, run, digits))
                return


def _is_hidden(written: str, run: Sequence[str]) -> bool:
    """Tell whether a telephone number is hidden: it has words, letters or unusual digits, or its digits stand apart.

    Digits that stand apart may be a row of a table, so they must begin like a mobile number.
    """
    plain = re.fullmatch(r"\+?[0-9\s()./–-]+", written)
    return not plain or (run[0] in ("7", "8") and run[1:2] == ["9"] and all(len(unit) == 1 for unit in run))


def _formed(written: str, run: Sequence[str], digits: str) -> str:
    """Return a telephone number in figures: in groups if it was in words, else with its own signs between groups."""
    plus = "+" * written.lower().startswith(("+", "плюс"))
    if any(unit.lower() in _meanings("number") for unit in run):
        rest = "-" if "-" in written or not any(map(str.isdigit, written)) else " "
        first = "-" if "-" in written and " " not in written else " "
        return f"{plus}{first.join((digits[0], digits[1:4], digits[4:7]))}{rest}{digits[7:9]}{rest}{digits[9:]}"
    groups = list(map(_plain, run))
    if 1 < len(run) < _GROUPS:
        units = iter(groups)
        return re.sub(_UNIT, lambda _: next(units), written)
    return plus + "".join(groups)


def _plain(unit: str) -> str:
    """Return the digits that characters stand for: «9OO» for 900."""
    shown = (_ALIKE.get(char, _ALIKE.get(char.upper(), unicodedata.digit(char, ""))) for char in unit)
    return "".join(map(str, shown))


def _digits_of(run: Sequence[str]) -> str:
    """Return the digits of numbers in words and figures: 922 for «девятьсот двадцать два», 000 for «три нуля»."""
    numbers, times = _meanings("number"), _meanings("times")
    found: list[str] = []
    grows = False
    for shown, beside in zip(run, [*run[1:], ""], strict=True):
        unit, after = shown.lower(), beside.lower()
        is_left = grows and len(found[-1]) == _TENS and unit.isdigit()  # «тридцать 4»
        value = unit if is_left else numbers.get(unit, "")
        fits = grows and value != "0" and len(value) < len(found[-1]) and found[-1].endswith("0" * len(value))
        if value and after in times:
            found.append(times[after] * int(value))
        elif value and fits:
            found[-1] = found[-1][: -len(value)] + value
        elif unit not in times and unit not in _BESIDE:
            found.append((value or _plain(shown)) + "00" * (after == "сот"))
        grows = value not in {"", "0", "10"} and after not in times
    return "".join(found)


_TENS, _BESIDE = 2, ("сот", "плюс")
"""Words in telephone numbers that are not numerals."""
