"""Where a sentence is added to a text: behind it if the sentence is then one of its own, else in front of it."""

import re
import unicodedata
from itertools import pairwise

from augment_ru.edits import Edit
from augment_ru.text.words import count_russian_words

CLOSING_MARKS = ".!?…"
_CLOSING = "»”“\"'’)]"
_PAIRS = {")": "(", "]": "["}
_HANGING = tuple(",;:=(«[{-–—")
"""A text that ends in one of these waits for more, so a sentence behind it would be taken for that."""
_OPEN = ("L", "N", "Sc", "Sm")
"""The categories of characters behind which a sentence is not closed yet; «%» and the like are of none of them."""
_OPEN_SIGNS = "%‰°№_*/"
_ITEM = re.compile(r"[ \t]*(?:[-–—•·*▪◦]|\(?\d{1,3}[.)]|\(?[^\W\d_][.)])[ \t]")
"""The start of a line of a list or a dialogue."""
_OPTION = re.compile(
    r"""(?: (?<!\S) \(? (?P<bracket>[^\W_]) \)      # a letter or digit with a bracket anywhere
        | (?: ^ | (?<=[.!?:;]\ ) ) (?P<stop>[^\W_]) \.  # with a full stop only where a sentence may start
        ) (?=\s)""",
    re.VERBOSE | re.MULTILINE,
)
"""The start of an option of a question."""
_NEXT_SENTENCE = re.compile(r"[.!?…]\s+\S")
_FIRST_OPTIONS = ("AB", "АБ", "АВ", "ab", "аб", "ав", "12")


def end_of_question(text: str) -> int:
    """Where the part of a text ends that a sentence is put behind: before its options, or at its end.

    >>> text = "Что тонет в воде? А) камень Б) пробка"
    >>> text[: end_of_question(text)]
    'Что тонет в воде?'
    """
    options = list(_OPTION.finditer(text))
    signs = [option["bracket"] or option["stop"] for option in options]
    for first, (one, two) in zip(options, pairwise(signs), strict=False):
        before = text[: first.start()].rstrip()
        if one + two in _FIRST_OPTIONS and count_russian_words(before):
            goes_on = _NEXT_SENTENCE.search(text, options[-1].end())
            return len(text.rstrip() if goes_on else before)
    return len(text.rstrip())


def added(text: str, end: int, new: str, *, after_link: bool) -> Edit:
    """The edit that adds a sentence.

    Args:
        text: the text.
        end: where the part ends that the sentence is put behind.
        new: the sentence, with its closing mark.
        after_link: whether that part ends in a link or the like, behind which no full stop is put.
    """
    before = text[:end]
    breaks = re.search(r"\r?\n", text.rstrip())
    is_item = _ITEM.match(before, before.rfind("\n") + 1) is not None
    if (is_item and breaks is None) or (before.endswith(_HANGING) and not after_link):
        start = len(text) - len(text.lstrip())
        return Edit(start, start, f"{new}{breaks[0] if breaks else ' '}")
    is_open = not after_link and _is_open(before)
    if breaks is not None and (is_item or is_open):
        return Edit(end, end, f"{breaks[0]}{new}")
    return Edit(end, end, f"{'. ' if is_open else ' '}{new}")


def _is_open(before: str) -> bool:
    """Whether a text lacks a closing mark; an emoji closes it, and so does a smiley made of brackets."""
    last = before[-1]
    if last in _CLOSING:
        opening = _PAIRS.get(last)
        if opening and before.count(last) > before.count(opening):
            return False
        inner = before.rstrip(_CLOSING)[-1:]
        return inner not in tuple(CLOSING_MARKS)
    return last in _OPEN_SIGNS or unicodedata.category(last).startswith(_OPEN)
