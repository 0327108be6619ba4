"""Finds texts between quote marks or round brackets, and tells names from speech."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PAIRS = re.compile(
    r"«([^«»]+)»|„([^„“”\"]+)[“”\"]|“([^“”]+)”|\"([^\"\n]+)\"|(?<!\w)'([^'\n]{2,})'(?!\w)|(?<!\w)‘([^‘’\n]+)’(?!\w)"
)
_OUTER = re.compile(r"«((?:[^«»]|«[^«»]*»)+)»")
_OPENING = re.compile("[«„“\"'‘]")
_BRACKETS = re.compile(r"\(([^()\n]+)\)")
_LONGEST_TITLE = 9
_NEAR = 40
_COMPANY = re.compile(r"(?i)\b(?:co|inc|ltd|corp|bros)\.$")
_SPOKEN = re.compile(r",\s*[—–-]\s")
_SPEECH = re.compile(r"[:—–-]\s*$|[,:]\s*[—–-]\s*$")


class Quoted(NamedTuple):
    """A text between quote marks or brackets.

    Attributes:
        start: where the text starts, after the opening mark.
        stop: where the text stops, before the closing mark.
        text: the text itself.
        before: up to 40 characters before the opening mark, without white space at the end.
        after: up to 40 characters after the closing mark.
    """

    start: int
    stop: int
    text: str
    before: str
    after: str


def quoted(text: str) -> Iterator[Quoted]:
    """Yield the texts in quote marks of any kind, including nested ones.

    >>> [found.text for found in quoted('Роман «Мать» и опера "Aida"')]
    ['Мать', 'Aida']
    """
    if not _OPENING.search(text):
        return
    seen = set()
    for pattern in (_OUTER, _PAIRS):
        for match in pattern.finditer(text):
            group = match.lastindex or 1
            start, stop = match.span(group)
            if (start, stop) not in seen:
                seen.add((start, stop))
                yield Quoted(start, stop, match[group], *_context(text, match))


def _context(text: str, match: re.Match[str]) -> tuple[str, str]:
    """Return up to 40 characters before the opening mark, and up to 40 after the closing mark (`Quoted`)."""
    return text[max(match.start() - _NEAR, 0) : match.start()].rstrip(), text[match.end() : match.end() + _NEAR]


def bracketed(text: str) -> Iterator[Quoted]:
    """Yield the texts in round brackets.

    >>> [found.text for found in bracketed("под другим именем (Чипангу)")]
    ['Чипангу']
    """
    for match in _BRACKETS.finditer(text):
        yield Quoted(*match.span(1), match[1], *_context(text, match))


def is_title(found: Quoted) -> bool:
    """Tell whether a quotation can be the name of something («Мать», «Что делать?»), not speech and not a common word.

    >>> [is_title(one) for one in quoted('Он сказал: «Я не пойду». Роман «Что делать?» и слово «соль»')]
    [False, True, False]
    """
    text = found.text.strip()
    words = text.split()
    if not words or len(words) > _LONGEST_TITLE or not (text[0].isupper() or text[0].isdigit()):
        return False
    if not any(map(str.isalpha, text)) or text[-1] in ",;:":
        return False
    if text[-1] in ".…" and len(words) > 1 and not _COMPANY.search(text):
        return False
    if _SPOKEN.match(found.after):
        return False
    if _SPEECH.search(found.before) or not found.before:
        return len(words) <= 2 and text[-1] not in ".!?…"  # noqa: PLR2004  (a list «А», «Б»; longer quotations are speech)
    return True
