"""The options of a multiple-choice question in its text, with their markers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span

_LETTERS = (
    ("[AА]", "[BВ]", "[CС]", "D", "[EЕ]", "F", "G", "[HН]", "I", "J"),
    ("А", "Б", "В", "Г", "Д", "Е", "Ж", "З", "И", "К"),
)
"""Latin and Cyrillic letters as patterns: a Latin one may be written as the Cyrillic one that looks like it."""
_SMALL = tuple(tuple(letter.lower() for letter in letters) for letters in _LETTERS)
_DIGITS = (tuple(map(str, range(1, 11))),)
_ROMAN = (("I", "II", "III", "IV", "V", "VI", "VII", "VIII"),)


class _Form(NamedTuple):
    """The notation of a marker.

    Attributes:
        pattern: the marker, with {} instead of its letter or number.
        alphabets: the letters or numbers, in order.
        alone: whether such markers show by themselves, if there are three or their texts are short, that these are
            options. Others need a question beside them: clauses of laws and steps of recipes are numbered alike.
    """

    pattern: str
    alphabets: tuple[tuple[str, ...], ...]
    alone: bool


_OPEN = r"(?<![\w(\[])"
_FORMS = (
    _Form(_OPEN + r"\({}\)(?=\s*\S)", _LETTERS, alone=True),
    _Form(_OPEN + r"\[{}\](?=\s*\S)", _LETTERS, alone=True),
    _Form(_OPEN + r"\({}\)(?=\s*\S)", _SMALL + _DIGITS + _ROMAN, alone=False),
    _Form(_OPEN + r"\[{}\](?=\s*\S)", _SMALL + _DIGITS + _ROMAN, alone=False),
    _Form(_OPEN + r"{}\)(?=\s*\S)", _LETTERS, alone=True),
    _Form(_OPEN + r"{}\)(?=\s*\S)", _SMALL + _DIGITS + _ROMAN, alone=False),
    _Form(_OPEN + r"{}\.(?=\s)", _LETTERS + _SMALL + _DIGITS + _ROMAN, alone=False),
    _Form(_OPEN + r"{}:(?=\s)", _LETTERS + _SMALL + _DIGITS, alone=False),
    _Form(_OPEN + r"{}(?=\s+[—–-]\s)", _LETTERS + _SMALL, alone=False),
)
_ASKS = re.compile(
    r"""(?ix) \? | (_{2,}|…|\.{3}) | \b(выбер|выбир|укаж|отмет|назов|найд|определи)\w*
    | \b(вставь|законч|продолж|дополн|соотнес)\w*
    | \b(не)?(верн|правильн)(ый|ая|ое|ые|о|ого|ых)\b | \bвариант\w* | \bответ(ы|а|ов)?\b
    | \b(что|кто|где|когда|какой|какая|какое|какие|чем|чему|сколько)\b [^.!]* $
    | \b(явля|называ|относ|равн|наход|располож|составля|состо(ит|ят)|обознача|это)\w* \s* [:—–-]? \s* $"""
)
"""A question, a request to choose, a gap, or a sentence that its option ends."""
_REACH = 250
"""How many characters before the first marker are searched for a question, and behind the last option."""
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[А-ЯЁA-Z])")
_MOVE = re.compile(r"(?:[КФЛСKQRBN]?[a-h]?x?:?[a-h][1-8]|0-0(-0)?|O-O(-O)?)[+#!?]*\b")
"""A chess move: «e4», «Кf3», «0-0»."""
_NO_OPTION = re.compile(r"[,;.]|(и|или|либо|а также|and|or)(\s+\w+){0,2}$", re.IGNORECASE)
"""What follows a letter that the sentence merely mentions: «пункты (а) и (б)», «А. Б. Петров»."""
_TWO = 2
_SHORT = 6
"""The most words of options that need no question before them."""


def answer_options(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Each option with its marker: «Что тонет? [(A) камень] [(B) пробка]»."""
    return {name: list(_option_spans(doc.text)) for name, doc in docs.items()}


def _option_spans(text: str) -> Iterator[Span]:
    found = max(
        (
            run
            for number, form in enumerate(_FORMS)
            for alphabet in range(len(form.alphabets))
            for run in _runs(text, number, alphabet)
            if _are_options(text, run, form)
        ),
        key=len,
        default=[],
    )
    for place, _ in found:
        end = next((start for start, _ in found if start > place), None)
        option = text[place:end].rstrip() if end is not None else _last(text, found)
        yield Span(place, place + len(option.rstrip()), "OPTION")


def _last(text: str, run: Sequence[tuple[int, int]]) -> str:
    """Return the last option: up to the end of its line; of its sentence, if no other option has two sentences."""
    (start, bare) = run[-1]
    rest = text[bare:]
    lead = len(rest) - len(rest.lstrip())
    line = rest[lead:].split("\n", 1)[0]
    others = [text[stop:following].strip() for (_, stop), (following, _) in pairwise(run)]
    if not any(_SENTENCE_ENDS.search(other) for other in others) and (end := _SENTENCE_ENDS.search(line)):
        line = line[: end.start() + 1]
    return text[start : bare + lead + len(line)]


@cache
def _markers(number: int, alphabet: int) -> tuple[re.Pattern[str], ...]:
    """The markers of a form in one alphabet, in order."""
    form = _FORMS[number]
    return tuple(re.compile(form.pattern.replace("{}", f"(?:{one})")) for one in form.alphabets[alphabet])


def _runs(text: str, number: int, alphabet: int) -> Iterator[list[tuple[int, int]]]:
    """The runs of markers from each first one on, the last run first: where each marker starts and stops."""
    markers = _markers(number, alphabet)
    for first in reversed(list(markers[0].finditer(text))):
        run = [first.span()]
        for marker in markers[1:]:
            found = next((one for one in marker.finditer(text, run[-1][1]) if not _is_inside(text, one.start())), None)
            if found is None:
                break
            run.append(found.span())
        if len(run) > 1:
            yield run


def _is_inside(text: str, at: int) -> bool:
    """Whether a bracket that opened shortly before is still open: «(рис. а) и б)»."""
    before = text[max(at - 40, 0) : at]
    return before.count("(") > before.count(")")


def _are_options(text: str, run: Sequence[tuple[int, int]], form: _Form) -> bool:
    """Whether what follows the markers are options of a question, and no clauses, moves or mere mentions."""
    ends = [start for start, _ in run[1:]]
    options = [text[stop:end].strip() for (_, stop), end in zip(run, [*ends, len(text)], strict=True)]
    if any(not any(map(str.isalnum, option)) or _MOVE.match(option) for option in options):
        return False
    if any(map(_NO_OPTION.match, options[:-1])):
        return False
    tail = text[run[-1][0] + len(_last(text, run)) :][:_REACH]
    if _ASKS.search(text[: run[0][0]][-_REACH:].strip()) or _ASKS.search(tail):
        return True
    if not form.alone:
        return False
    if len(run) > _TWO:
        return True
    lines = all(not text[:start].strip(" \t") or text[:start].rstrip(" \t").endswith("\n") for start, _ in run)
    return lines or all(len(option.split()) <= _SHORT and not re.search(r"[,;]", option) for option in options)
