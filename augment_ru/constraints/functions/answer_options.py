"""The options of a multiple-choice question in its text, with their markers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from augment_ru.edits import Span
from augment_ru.records.record import option_markers
from augment_ru.text.doc import Doc

_ALPHABETS = ("ABCDEFGH", "АБВГДЕЖЗ", "abcdefgh", "абвгдежз", "12345678")
_FORMS = ("{})", "{}.")
"""How markers without brackets are written."""


def answer_options(record: Mapping[str, Any], docs: Mapping[str, Doc]) -> Mapping[str, Sequence[Span]]:
    """Each option with its marker: «Что тонет? [(A) камень] [(B) пробка]»."""
    del record
    return {name: list(_options(doc.text)) for name, doc in docs.items()}


def _options(text: str) -> Iterator[Span]:
    starts = _markers(text)
    for start, stop in pairwise([*starts, len(text)]):
        option = text[start:stop].rstrip()
        yield Span(start, start + len(option), "OPTION")


def _markers(text: str) -> list[int]:
    """Where the markers of the options start: of the longest run from the first letter on, two markers at least.

    >>> _markers("Что тонет? (A) камень (B) пробка")
    [11, 22]
    """
    if bracketed := option_markers(text):
        return [span.start for span in bracketed]
    runs = [
        _run([rf"(?<!\S){re.escape(form.format(letter))}(?=\s)" for letter in letters], text)
        for form in _FORMS
        for letters in _ALPHABETS
        if form.format("")[-1] in text
    ]
    best = max(runs, key=len, default=[])
    return best if len(best) > 1 else []


def _run(markers: Sequence[str], text: str) -> list[int]:
    """Where the markers, given as patterns, are found one after another, up to the first that is not found."""
    places: list[int] = []
    at = 0
    for marker in markers:
        match = re.compile(marker).search(text, at)
        if match is None:
            break
        places.append(match.start())
        at = match.end()
    return places
