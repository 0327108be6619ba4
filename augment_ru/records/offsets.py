"""Offsets: places in a text that a row states as numbers. They are checked, and they move with the text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, Literal, NamedTuple

from augment_ru.edits import Span
from augment_ru.errors import AugmentError
from augment_ru.records import field_paths
from augment_ru.records.answers import words_around
from augment_ru.records.field_paths import Path, named
from augment_ru.records.task import AnswerOffsets, CharacterSpans, Task, WordSpans
from augment_ru.script import Script

Values = Mapping[str, Any]

_WORD = re.compile(r"\S+")
_DIGITS = 18
"""The most digits of a number that a table states as text; a longer number exceeds the length of any text."""
_SHOWN = 40
"""The characters of a wrong value that a message shows."""


class Offset(NamedTuple):
    """A place in a text that a row states as a number: the index of a character, or of a word, from 0.

    Words are separated by white space.

    Attributes:
        text: the field that holds the text.
        span: the part of the text that the number points to. No edit may touch it, unless it is a labelled span; so its
            new place is known.
        path: the keys and indices that lead to the number in the row.
        stated: the number as the row states it; in a table it is a string of digits.
        words: whether the number counts words instead of characters.
        edge: "start" or "stop" if the number is this end of a labelled span (a right answer, which attacks may edit);
            "text" if the row states the characters of such a span instead of a number; "" for any other offset.
    """

    text: str
    span: Span
    path: Path
    stated: int | str
    words: bool = False
    edge: Literal["", "start", "stop", "text"] = ""

    def after(self, script: Script) -> int | str:
        """Return the number that the row must state for the new text: the place to which the old place moved.

        If the row states the characters of a span instead of a number, they are returned as they are in the new text.

        Args:
            script: the edits of the text.

        Raises:
            AugmentError: an edit deletes the labelled span, or touches what the number points to.
        """
        if self.edge:
            span = script.carried(self.span)
            if span.start == span.stop:
                raise AugmentError(f"{named(self.path)}: edits deleted the span {self.span}")
            if self.edge == "text":
                return span.of(script.text)
            return type(self.stated)(span.start if self.edge == "start" else span.stop)
        mapped = script.map(self.span)
        if mapped is None:
            raise AugmentError(f"{named(self.path)}: an edit broke the span {self.span}")
        if self.words:
            moved = _word_number(script.text, mapped.start)
        else:
            moved = int(self.stated) + mapped.start - self.span.start
        return moved if isinstance(self.stated, int) else str(moved)


def offsets_of(row: Values, task: Task, fields: Sequence[str]) -> Iterator[Offset]:
    """Yield every offset that a row states into its texts: a number that is a place in one of them.

    Args:
        row: the row.
        task: the task of the row, which says where offsets stand.
        fields: the text fields whose offsets are wanted.

    Raises:
        AugmentError: an offset does not point to the text that the row gives for it, or the row lacks this text; or a
            field that should hold offsets holds them in another form.
    """
    for stated in task.layout.offsets:
        for field in field_paths.every(row, stated.text):
            one = stated.beside(row, field)
            if field in fields or not field_paths.has_value(row, field):
                text = str(field_paths.value(row, field, ""))
                if isinstance(one, AnswerOffsets):
                    yield from _of_answers(row, one, field, text)
                elif isinstance(one, WordSpans):
                    yield from _of_words(row, one, field, text)
                else:
                    check_opened(row, task.layout.opened)
                    yield from _of_characters(row, one, field, text)


def check_opened(row: Values, keys: Iterable[str]) -> None:
    """Check that certain fields of a row hold objects or lists, since places inside a string could not be moved.

    Args:
        row: the row.
        keys: the keys of the fields to check.

    Raises:
        AugmentError: a field holds a string that starts like an object or a list, of JSON or of Python.
    """
    for key in keys:
        held = row.get(key)
        if isinstance(held, str) and held.lstrip().startswith(("{", "[")):
            problem = f"field '{key}' holds answers and places as a text, which a table makes of an object or a list"
            raise AugmentError(f"{problem}; give the rows as JSON lines")


def _check_fit(row: Values, name: str, stated: str) -> None:
    """Check that a row has no numbers in another form than the task states, since these would not move.

    Args:
        row: the row.
        name: the name of a value that the row lacks.
        stated: the name in the task that it stands for.

    Raises:
        AugmentError: a value on the way to this one is of another type, such as an object instead of a list. A text
            that is no number, null, and an empty object or list are accepted: they state no place.
    """
    path = field_paths.steps(name)
    for at, step in enumerate(path[1:], start=1):
        held = field_paths.value(row, named(path[:at]))
        if held in (None, [], {}) or (isinstance(held, str) and _number(held) is None):
            return
        if not isinstance(held, Mapping if isinstance(step, str) else Sequence) or isinstance(held, str):
            problem = f"{named(path[:at])} is {kind(held)}; the task states {stated}"
            raise AugmentError(f"{problem}; mend the row, or choose another `task`")


def _of_answers(row: Values, answers: AnswerOffsets, field: str, text: str) -> Iterator[Offset]:
    for name in field_paths.every(row, answers.field):
        listed = field_paths.value(row, name)
        path = field_paths.path_of(row, name)
        entries: list[tuple[object, Path]]
        if listed is None or (answers.may_be_text and isinstance(listed, str)):
            _check_fit(row, name, answers.field)
            continue
        if isinstance(listed, Mapping) and all(isinstance(column, list) for column in listed.values()):
            numbers = range(max(map(len, listed.values()), default=0))  # a table has lists of objects as columns
            entries = [
                ({key: column[number] for key, column in listed.items() if number < len(column)}, ("offset", number))
                for number in numbers
            ]
        elif isinstance(listed, list):
            entries = [(entry, (number, "offset")) for number, entry in enumerate(listed)]
        else:
            raise AugmentError(f"field '{name}' holds {kind(listed)}, not a list of answers")
        for number, (entry, place) in enumerate(entries):
            where = f"{name}[{number}]"
            segment = table(entry, where)
            span = _answer_span(where, segment, text, field, answers.label)
            yield Offset(field, span, (*path, *place), segment["offset"])


def _answer_span(where: str, answer: Values, text: str, field: str, label: str) -> Span:
    offset, length, segment = answer.get("offset"), answer.get("length"), answer.get("segment")
    if not isinstance(offset, int) or not isinstance(length, int) or not isinstance(segment, str):
        raise AugmentError(f"{where}: needs a number offset, a number length and a text segment; has {dict(answer)}")
    if offset < 0 or length < 1 or text[offset : offset + length] != segment:
        problem = f"{where}: '{segment}' does not stand at offset {_shown([offset])} of '{field}'"
        raise AugmentError(f"{problem}; there stands '{text[max(offset, 0) : max(offset, 0) + length]}'")
    return Span(offset, offset + length, label)


def _of_words(row: Values, words: WordSpans, field: str, text: str) -> Iterator[Offset]:
    target = table(field_paths.value(row, words.field), words.field)
    path = field_paths.path_of(row, words.field)
    for key, number_key in words.pairs:
        if number_key in target:
            first = target[number_key]
            where = f"{words.field}.{number_key}"
            span = _word_span(where, first, len(str(target.get(key, "")).split()), text, words.label)
            yield Offset(field, span, (*path, number_key), first, words=True)


def _word_span(where: str, stated: object, count: int, text: str, label: str) -> Span:
    """Return the span of `count` words from word number `stated` on, without punctuation after the last word."""
    starts = [match.start() for match in _WORD.finditer(text)]
    first = _number(stated)
    if first is None or not 0 <= first < len(starts):
        raise AugmentError(f"{where}: word {_shown([stated])} of a text of {len(starts)} words")
    last = starts[min(first + max(count, 1), len(starts)) - 1]
    stop = last + len(text[last:].split(maxsplit=1)[0])
    while stop > last + 1 and not text[stop - 1].isalnum():
        stop -= 1
    return Span(starts[first], stop, label)


def _word_number(text: str, at: int) -> int:
    """Return the number of the word that holds the character at `at`, counting words between white space from 0."""
    inside = at > 0 and not text[at - 1].isspace()
    return len(text[:at].split()) - inside


def _of_characters(row: Values, spans: CharacterSpans, field: str, text: str) -> Iterator[Offset]:
    starts, others = (field_paths.every(row, name) for name in (spans.start, spans.stop or spans.segment))
    if len(starts) != len(others):
        problem = f"{spans.start}, {spans.stop or spans.segment}: {len(starts)} and {len(others)} entries"
        raise AugmentError(f"{problem}; each number needs its counterpart")
    for first, last in zip(starts, others, strict=True):
        stated = field_paths.value(row, first), field_paths.value(row, last)
        if stated == (None, None):
            _check_fit(row, first, spans.start)
            _check_fit(row, last, spans.stop or spans.segment)
            continue
        if spans.segment:
            if stated != (-1, ""):  # rows of SberQuAD's test state so that the answer is held back
                span = _segment_span(first, stated, text, field, spans.label)
                yield Offset(field, span, field_paths.path_of(row, first), stated[0])
            continue
        start, stop = map(_number, stated)
        if start is None or stop is None:
            raise AugmentError(f"{first}, {last}: need two numbers of characters; have {_shown(stated)}")
        if not 0 <= start < min(stop, len(text)) or stop > len(text) + 1:
            problem = f"{first}, {last}: {_shown(stated, ' to ')} is no span of '{field}' ({len(text)} characters)"
            raise AugmentError(problem)
        if spans.labels:
            if stop > len(text):
                raise AugmentError(f"{last}: {stop} is beyond the end of '{field}' ({len(text)} characters)")
            yield from _of_labelled(row, Span(start, stop, spans.label), field, (first, last), stated)
            continue
        whole = Span(*words_around(text, start, stop), spans.label)
        yield Offset(field, whole, field_paths.path_of(row, first), stated[0])
        yield Offset(field, whole, field_paths.path_of(row, last), stated[1])


def _of_labelled(
    row: Values, span: Span, field: str, names: tuple[str, str], stated: Sequence[Any]
) -> Iterator[Offset]:
    """Yield both ends of a labelled span and, if the row states it beside them in `text`, its text."""
    paths = [field_paths.path_of(row, name) for name in names]
    yield Offset(field, span, paths[0], stated[0], edge="start")
    yield Offset(field, span, paths[1], stated[1], edge="stop")
    beside = (*paths[0][:-1], "text")
    text = field_paths.value(row, named(beside))
    if len(beside) > 1 and isinstance(text, str):
        yield Offset(field, span, beside, text, edge="text")


def _segment_span(where: str, stated: tuple[Any, Any], text: str, field: str, label: str) -> Span:
    """Return the span of a stated text at its stated number."""
    start, segment = _number(stated[0]), stated[1]
    if start is None or not isinstance(segment, str):
        raise AugmentError(f"{where}: needs a number and a text; has {_shown(stated)}")
    if not segment or text[start : start + len(segment)] != segment:
        problem = f"{where}: '{_shown([segment])}' does not stand at offset {_shown([start])} of '{field}'"
        raise AugmentError(f"{problem}; there stands '{_shown([text[start : start + len(segment)]])}'")
    return Span(start, start + len(segment), label)


def _number(stated: object) -> int | None:
    """Return the number that a value states as an integer or as digits; None if it does not state one."""
    if isinstance(stated, str) and stated.isascii() and stated.isdigit():
        return int(stated) if len(stated) <= _DIGITS else None
    return stated if isinstance(stated, int) and not isinstance(stated, bool) else None


def _shown(stated: Iterable[object], joined: str = " and ") -> str:
    """Join values for a message, each shortened."""
    texts = [str(one) for one in stated]
    return joined.join(text if len(text) <= _SHOWN else text[:_SHOWN] + "…" for text in texts)


def table(value: object, where: str) -> Values:
    """Check that a value is a JSON object, and return it.

    Args:
        value: the value.
        where: where it stands, for the message.

    Raises:
        AugmentError: the value is not an object.
    """
    if not isinstance(value, Mapping):
        raise AugmentError(f"{where}: holds {kind(value)}, not an object")
    return value


def kind(value: object) -> str:
    """Return the word for the type of a JSON value, such as "a list", for messages."""
    if isinstance(value, float) and isnan(value):  # with which pandas fills cells without a value
        return "NaN"
    kinds = {type(None): "nothing", bool: "a truth value", int: "a number", float: "a number", str: "a text"}
    return kinds.get(type(value), "a list" if isinstance(value, Sequence) else "an object")
