"""The answers in a row: one spelling for labels, one reader for annotated answers, and for places in a text.

This module needs the standard library alone: a release holds a copy of it for lm-evaluation-harness.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

_TEXT_KEYS = ("segment", "text", "answer")
"""Where an annotated answer has its text, in order of preference: {"offset": 3, "length": 5, "segment": "Тверь"}."""


def answer_values(value: object) -> Iterator[object]:
    """The single answers in the value of an answer field, in order.

    A list, also a nested one, gives the answers of its entries; an annotated answer (an object) gives its text, or
    nothing if it has no text; null gives nothing; anything else is an answer itself.

    >>> list(answer_values([{"label": "passage", "offset": 0, "length": 5, "segment": "Мехмо"}, "Тверь", None, 3]))
    ['Мехмо', 'Тверь', 3]
    """
    if isinstance(value, Mapping):
        yield from answer_values(next((value[key] for key in _TEXT_KEYS if key in value), None))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for entry in value:
            yield from answer_values(entry)
    elif value is not None:
        yield value


def answer_texts(value: object, separator: str | None = None) -> list[str]:
    """The single answers in the value of an answer field, as texts: see `answer_values` and `label_of`.

    Args:
        value: the value.
        separator: what stands between several answers in one text; None if a text is one answer.

    >>> answer_texts("Шведы; шведские стрелки;", ";")
    ['Шведы', 'шведские стрелки']
    """
    texts = [label_of(answer) for answer in answer_values(value)]
    if separator is None:
        return texts
    return [part.strip() for text in texts for part in text.split(separator) if part.strip()]


def label_of(value: object) -> str:
    """A label as text, the same for all its spellings: 1, 1.0 and "1"; true and "true"; None is "".

    >>> [label_of(value) for value in (1, 1.0, " 1 ", True, "B", None)]
    ['1', '1', '1', 'true', 'B', '']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def words_around(text: str, start: int, stop: int) -> tuple[int, int]:
    """The place, widened to whole words and by the character at `stop`, unless a space stands before or at `stop`.

    Some rows count the character at `stop` as part of the place and some do not; the wider place holds in both
    readings.

    Args:
        text: the text.
        start: where the place starts, in code points, `0 <= start < stop`.
        stop: where it ends; behind the text it is its end.

    >>> words_around("Купили доску, чтобы", 7, 11)
    (7, 12)
    """
    stop = min(stop, len(text))
    if stop < len(text) and not (text[stop - 1].isspace() or text[stop].isspace()):
        stop += 1
    while start > 0 and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while stop < len(text) and text[stop - 1].isalnum() and text[stop].isalnum():
        stop += 1
    return start, stop


def texts_of_places(places: Sequence[Mapping[str, int]], text: str) -> list[str]:
    """The different texts at places {start, end} of a text, in their order; each place is that of whole words.

    >>> texts_of_places([{"start": 0, "end": 4}, {"start": 9, "end": 15}, {"start": 0, "end": 5}], "Тверь — город")
    ['Тверь', 'город']
    """
    spans = [words_around(text, int(place["start"]), int(place["end"])) for place in places]
    return list(dict.fromkeys(text[start:stop].strip() for start, stop in spans))


LETTERS, _CYRILLIC = "ABCDEFGHIJ", "АБВГДЕЖЗИК"
"""The letters of options with markers."""
_LOOKALIKES = str.maketrans("АВСЕН", "ABCEH")  # Cyrillic letters to the Latin ones that they look like
_MARKER = re.compile(f"[(]([{LETTERS}{_CYRILLIC}СН])[)]")


def marked_options(text: str) -> list[re.Match[str]]:
    """The markers «(A)», «(B)», … of the options in a question.

    They are the last run of letters from A on, in Latin or Cyrillic, whichever run is longer. A marker that the
    question itself mentions («Витамин (A) полезен. Чем? (A) … (B) …») is none of them.
    """
    found = list(_MARKER.finditer(text))
    runs = [_run([match[1].translate(_LOOKALIKES) for match in found], LETTERS)]
    runs.append(_run([match[1] for match in found], _CYRILLIC))
    return [found[index] for index in max(runs, key=len)]


def option_letter(answer: str) -> str:
    """The letter of an option in upper case; a Cyrillic letter that looks like a Latin one becomes that.

    >>> option_letter("А"), option_letter(" c "), option_letter("Б")
    ('A', 'C', 'Б')
    """
    return answer.strip().upper().translate(_LOOKALIKES)


def _run(letters: Sequence[str], alphabet: str) -> list[int]:
    """The indices of the last run of letters in the order of the alphabet, from its first letter on; at least two."""
    for first in reversed([index for index, letter in enumerate(letters) if letter == alphabet[0]]):
        run = [first]
        for wanted in alphabet[1:]:
            following = next((index for index in range(run[-1] + 1, len(letters)) if letters[index] == wanted), None)
            if following is None:
                break
            run.append(following)
        if len(run) > 1:
            return run
    return []
