"""Prepares a text for the models of natasha, and splits it into tokens."""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence

from augment_ru.text.characters import ESCAPED

_ESCAPES = re.compile(rf"\\[{ESCAPED}]")
_EMOJI = re.compile(
    "[\u200d\ufe0e\ufe0f\u20e3\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\U000e0020-\U000e007f]+"
)
_PART = re.compile(r"\s+\S*|\S+")
_STRESS = "\u0300\u0301"
_WORD = "[а-яёА-ЯЁ]+(?:-[а-яёА-ЯЁ]+)*"
_TOKEN = re.compile(rf"{_WORD}|\d+|\S")
_PLAIN = re.compile(rf"""\s*+ (?: (?> [«"(]? {_WORD} [»"]? [.,!?;:…)]? | \d+ | \S ) (?: \s++ | \Z ) )*+""", re.VERBOSE)
"""Matches texts that consist of Russian words with at most one mark before and two marks after each, of numbers, and
of single signs, all separated by spaces. `_TOKEN` splits such texts into the same tokens as razdel."""


def token_ranges(text: str) -> list[tuple[int, int]]:
    """Return the start and the stop of each token of a text, as `razdel.tokenize` finds them."""
    if _PLAIN.fullmatch(text):
        return [match.span() for match in _TOKEN.finditer(text)]
    from razdel import tokenize  # noqa: PLC0415  (loaded only where texts are annotated)

    return [(token.start, token.stop) for token in tokenize(text)]


def readable(text: str) -> tuple[str, Sequence[int] | None]:
    r"""Prepare a text for the models of annotation, and return where its characters stand in the original text.

    Characters are composed (NFC), stress marks are removed, and runs of emoji get a space on either side. White space
    that is written as a backslash and a letter («\nКазань», as in the data set MultiQ) becomes spaces.

    Returns:
        The prepared text, and a column: for each character of the prepared text, and for its end, the place in the
        original. The column is None if no place changes.
    """
    if "\\" in text:
        text = _ESCAPES.sub("  ", text)
    emoji = [match.span() for match in _EMOJI.finditer(text)]
    if not emoji and unicodedata.is_normalized("NFC", text) and not any(mark in text for mark in _STRESS):
        return text, None
    pieces: list[str] = []
    origin = array("l")
    at = 0
    for start, stop in [*emoji, (len(text), len(text))]:
        for first, piece in _composed(text, at, start):
            pieces.append(piece)
            origin.extend(range(first, first + len(piece)) if text.startswith(piece, first) else [first] * len(piece))
        if start < stop:
            pieces += (" ", text[start:stop], " ")
            origin.extend((start, *range(start, stop), stop))
        at = stop
    origin.append(len(text))
    return "".join(pieces), origin


def _composed(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yield the parts of `text[start:stop]` in order, composed and without stress, each with its place.

    A part is a word with the space before it that stays as it is, or a letter with its marks.
    """
    for match in _PART.finditer(text, start, stop):
        (start, stop), part = match.span(), match[0]
        if unicodedata.is_normalized("NFC", part) and not any(mark in part for mark in _STRESS):
            yield start, part
            continue
        while start < stop:
            after = start + 1
            while after < stop and unicodedata.combining(text[after]):
                after += 1
            kept = "".join(char for char in text[start:after] if char not in _STRESS or after - start == 1)
            yield start, unicodedata.normalize("NFC", kept)
            start = after
