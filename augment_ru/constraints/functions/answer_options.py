"""Protects the options of a multiple-choice question that stand in its text, with their markers."""

import re
from bisect import bisect_left
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
"""Latin and Cyrillic letters as patterns.

A Latin letter also matches the Cyrillic letter that looks like it, which people may write instead.
"""
_SMALL = tuple(tuple(letter.lower() for letter in letters) for letters in _LETTERS)
_DIGITS = (tuple(map(str, range(1, 11))),)
_ROMAN = (("I", "II", "III", "IV", "V", "VI", "VII", "VIII"),)


class _Form(NamedTuple):
    """A way to write markers.

    Attributes:
        pattern: the marker as a regular expression, with {} instead of its letter or number.
        alphabets: the sequences of letters or numbers that the markers may run through.
        alone: whether markers of this form show options even without a question: three of them, or two that begin lines
            or stand before short texts. Markers of other forms need a question before or after the options, because
            clauses of laws and steps of recipes are numbered alike.
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
"""A question, a request to choose, a gap, or an unfinished sentence that an option completes."""
_REACH = 250
"""How many characters before the first marker, and how many after the last option, are searched for a question."""
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[А-ЯЁA-Z])")
_LINE_FEED, _INDENT = re.compile(r"\n"), re.compile(r"(?m)^[ \t]*")
_WORD, _ALPHANUMERIC = re.compile(r"(?<!\S)\S+"), re.compile(r"(?<![^\W_])[^\W_]+")
_COMMA = re.compile(r"[,;]")
_MOVE = re.compile(r"(?:[КФЛСKQRBN]?[a-h]?x?:?[a-h][1-8]|0-0(-0)?|O-O(-O)?)[+#!?]*\b")
"""A chess move: «e4», «Кf3», «0-0»."""
_NO_OPTION = re.compile(r"[,;.]|(и|или|либо|а также|and|or)(\s+\w+){0,2}\s*$", re.IGNORECASE)
"""What follows a letter that a sentence only mentions: «пункты (а) и (б)», «А. Б. Петров»."""
_TWO = 2
_SHORT = 6
"""The most words of options that are recognised without a question before them."""


def answer_options(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find each option (offered answer) with its marker in the texts: «Что тонет? [(A) камень] [(B) пробка]»."""
    return {name: list(_option_spans(doc.text)) for name, doc in docs.items()}


class _Found:
    """The matches of patterns in a text.

    Each pattern is searched once, so the time grows with the length of the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans: dict[tuple[re.Pattern[str], bool], list[tuple[int, int]]] = {}

    def all(self, pattern: re.Pattern[str], *, outside: bool = False) -> list[tuple[int, int]]:
        """Return the start and stop of all matches.

        With `outside`, matches inside a bracket that opened shortly before are left out: «(рис. а) и б)».
        """
        spans = self._spans.get((pattern, outside))
        if spans is None:
            found = pattern.finditer(self.text)
            spans = [one.span() for one in found if not (outside and _is_inside(self.text, one.start()))]
            self._spans[pattern, outside] = spans
        return spans

    def next(self, pattern: re.Pattern[str], at: int, *, outside: bool = False) -> tuple[int, int]:
        """Return the start and stop of the first match that starts at `at` or later.

        If there is no such match, both are the length of the text.
        """
        spans = self.all(pattern, outside=outside)
        place = bisect_left(spans, (at,))
        return spans[place] if place < len(spans) else (len(self.text), len(self.text))

    def count(self, pattern: re.Pattern[str], start: int, stop: int) -> int:
        """Return how many matches start in the half-open range from `start` to `stop`."""
        spans = self.all(pattern)
        return bisect_left(spans, (stop,)) - bisect_left(spans, (start,))


def _option_spans(text: str) -> Iterator[Span]:
    found, best = _Found(text), list[tuple[int, int]]()
    for number, form in enumerate(_FORMS):
        for alphabet in range(len(form.alphabets)):
            for run in _runs(found, number, alphabet):
                if len(run) > len(best) and _are_options(found, run, form):
                    best = run
    if best:
        ends = [*(start for start, _ in best[1:]), _end(found, best)]
        for (start, _), end in zip(best, ends, strict=True):
            yield Span(start, start + len(text[start:end].rstrip()), "OPTION")


def _end(found: _Found, run: Sequence[tuple[int, int]]) -> int:
    """Find the end of the last option.

    This is the end of its line, or the end of its first sentence if none of the other options has a sentence break.
    """
    begin = _begin(found, run[-1][1])
    end, _ = found.next(_LINE_FEED, begin)
    if not any(found.next(_SENTENCE_ENDS, stop)[1] < following for (_, stop), (following, _) in pairwise(run)):
        mark, capital = found.next(_SENTENCE_ENDS, begin)
        if capital < end:
            return mark + 1
    return end


def _begin(found: _Found, at: int) -> int:
    """Return the place of the first character from `at` on that is not white space.

    Return the length of the text if there is no such character.
    """
    return found.next(_WORD, at)[0] if found.text[at : at + 1].isspace() else at


@cache
def _markers(number: int, alphabet: int) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the markers of a form in one alphabet, in order."""
    form = _FORMS[number]
    return tuple(re.compile(form.pattern.replace("{}", f"(?:{one})")) for one in form.alphabets[alphabet])


def _runs(found: _Found, number: int, alphabet: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the runs of at least two markers «(A)», «(B)», … in a text.

    Each occurrence of the first marker can begin a run; the last occurrence comes first. A run is the list of the
    starts and stops of its markers.
    """
    first, *others = _markers(number, alphabet)
    for span in reversed(found.all(first)):
        run = [span]
        for marker in others:
            following = found.next(marker, run[-1][1], outside=True)
            if following[0] == len(found.text):
                break
            run.append(following)
        if len(run) > 1:
            yield run


def _is_inside(text: str, at: int) -> bool:
    """Tell whether a bracket that opened shortly before this place is still open: «(рис. а) и б)»."""
    before = text[max(at - 40, 0) : at]
    return before.count("(") > before.count(")")


def _are_options(found: _Found, run: Sequence[tuple[int, int]], form: _Form) -> bool:
    """Tell whether the texts after the markers are options of a question, not clauses, chess moves or mere mentions."""
    text, start, end = found.text, run[0][0], _end(found, run)
    options = [(stop, following) for (_, stop), (following, _) in pairwise([*run, (len(text), 0)])]
    if any(not found.count(_ALPHANUMERIC, *option) for option in options):
        return False
    bare = [(_begin(found, stop), following) for stop, following in options]
    if any(_MOVE.match(text, *option) for option in bare) or any(_NO_OPTION.match(text, *one) for one in bare[:-1]):
        return False
    if _ASKS.search(text[max(start - _REACH, 0) : start].strip()) or _ASKS.search(text[end : end + _REACH]):
        return True
    if not form.alone:
        return False
    if len(run) > _TWO:
        return True
    lines = all(_begins_line(found, place) for place, _ in run)
    return lines or all(_words(found, *one) <= _SHORT and not found.count(_COMMA, *one) for one in options)


def _begins_line(found: _Found, place: int) -> bool:
    indents = found.all(_INDENT)
    return indents[bisect_left(indents, (place + 1,)) - 1][1] == place


def _words(found: _Found, start: int, stop: int) -> int:
    """Return how many words stand between these places.

    The place `start` follows a marker, so a first word without white space before it counts, too.
    """
    return found.count(_WORD, start, stop) + (not found.text[start].isspace())
