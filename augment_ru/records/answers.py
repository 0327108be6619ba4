"""Read the answers in a row: labels with one spelling, annotated answers, and places in a text.

This module needs the standard library alone: a release holds a copy of it for lm-evaluation-harness.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

_TEXT_KEYS = ("segment", "text", "answer")
"""The keys that may hold the text of an annotated answer, the preferred one first:
`{"offset": 3, "length": 5, "segment": "Тверь"}`.
"""


def answer_values(value: object) -> Iterator[object]:
    """Yield the single answers in the value of an answer field, in order.

    A list, which may be nested, yields the answers of its items. An annotated answer (an object) yields its text, or
    nothing if it has no text. Null yields nothing. Any other value is an answer itself.

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
    """Return the answers in the value of an answer field as texts.

    Lists and objects are taken apart as in `answer_values`, and numbers become texts as in `label_of`.

    Args:
        value: the value.
        separator: the text between two answers in one text; None if a text is always one answer.

    >>> answer_texts("Шведы; шведские стрелки;", ";")
    ['Шведы', 'шведские стрелки']
    """
    texts = [label_of(answer) for answer in answer_values(value)]
    if separator is None:
        return texts
    return [part.strip() for text in texts for part in text.split(separator) if part.strip()]


def label_of(value: object) -> str:
    """Return a label as text, the same for all its spellings: 1, 1.0 and "1"; true and "true". None gives "".

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
    """Return the start and stop of a place, widened to whole words.

    Some datasets count the character at `stop` as part of the place and some do not. So that character is included too,
    unless it or the character before it is a space: the result then covers both readings.

    Args:
        text: the text.
        start: where the place starts, in code points, `0 <= start < stop`.
        stop: where the place ends; a value beyond the end of the text means the end of the text.

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
    """Return the texts at places {start, end} of a text, widened to whole words, in order and without repetitions.

    >>> texts_of_places([{"start": 0, "end": 4}, {"start": 9, "end": 15}, {"start": 0, "end": 5}], "Тверь — город")
    ['Тверь', 'город']
    """
    spans = [words_around(text, int(place["start"]), int(place["end"])) for place in places]
    return list(dict.fromkeys(text[start:stop].strip() for start, stop in spans))


LETTERS, _CYRILLIC = "ABCDEFGHIJ", "АБВГДЕЖЗИК"
"""The letters that may mark options, Latin and Cyrillic."""
_LOOKALIKES = str.maketrans("АВСЕН", "ABCEH")  # Cyrillic letters to the Latin ones that they look like
_MARKER = re.compile(f"[(]([{LETTERS}{_CYRILLIC}СН])[)]")


def marked_options(text: str) -> list[re.Match[str]]:
    """Return the matches of the markers «(A)», «(B)», … of the options in a question.

    The markers of options have at least two letters in alphabetical order from A. If there are several such series, the
    last one counts; of a Latin and a Cyrillic one, the longer. So a marker that the question itself mentions is left
    out: «Витамин (A) полезен. Чем? (A) … (B) …».
    """
    found = list(_MARKER.finditer(text))
    runs = [_run([match[1].translate(_LOOKALIKES) for match in found], LETTERS)]
    runs.append(_run([match[1] for match in found], _CYRILLIC))
    return [found[index] for index in max(runs, key=len)]


def option_letter(answer: str) -> str:
    """Return the letter of an option in upper case; a Cyrillic look-alike of a Latin letter becomes the Latin letter.

    >>> option_letter("А"), option_letter(" c "), option_letter("Б")
    ('A', 'C', 'Б')
    """
    return answer.strip().upper().translate(_LOOKALIKES)


def _run(letters: Sequence[str], alphabet: str) -> list[int]:
    """Return the indices of the last run of letters in alphabetical order from the first letter of the alphabet on.

    Other letters may stand between the letters of the run. A run has at least two letters; without one the result is
    empty.
    """
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
