"""The options of a question, in one text or in separate fields, and which of them are equal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from augment_ru.edits import Span
from augment_ru.records import field_paths
from augment_ru.records.record import Record, option_markers
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question.

    Attributes:
        name: its marker «(A)», or the name of its field.
        field: the field that holds it.
        span: its place in that field, including the white space around it.
        text: the characters of the span.
    """

    name: str
    field: str
    span: Span
    text: str


def offers_options(task: Task) -> bool:
    """Tell whether rows of a task may have options."""
    return bool(task.layout.options or task.layout.option_fields)


def questions_of(record: Record) -> list[list[Option]]:
    """Return the options of each question of a record; questions with fewer than two options are left out.

    Raises:
        AugmentError: a field that is perturbed is missing, or is not a text.
    """
    return [options for options in _questions(record) if len(options) > 1]


def _questions(record: Record) -> Iterator[list[Option]]:
    for name in record.task.layout.options:
        if name in record.fields:
            text = record.text(name)
            bounds = pairwise([*option_markers(text), Span(len(text), len(text))])
            places = [(marker, Span(marker.stop, following.start)) for marker, following in bounds]
            yield [Option(marker.of(text), name, place, place.of(text)) for marker, place in places]
    questions: dict[str, list[Option]] = {}
    for pattern in record.task.layout.option_fields:
        for name in field_paths.every(record.values, pattern):
            text = field_paths.value(record.values, name)
            if isinstance(text, str):
                # the entries of one list are the options of one question, and so are fields without a list
                questions.setdefault(name.rpartition("[")[0], []).append(Option(name, name, Span(0, len(text)), text))
    yield from questions.values()


def comparable(text: str) -> str:
    """Return the form in which options and distractors are compared.

    This is the text in lower case, with е for ё, without marks at the ends, and with single spaces.

    >>> comparable(" «Ёлка  растёт». ")
    'елка растет'
    """
    return " ".join(text.split()).strip(" .!?…«»\"'").casefold().replace("ё", "е")


def made_equal(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of options that a perturbation made equal, without those that were equal before.

    Args:
        before: the options of a question in their comparable form.
        after: the same options after a perturbation, in the same order and form.

    >>> made_equal(["рыжий кот", "белый кот", "кот"], ["кот", "кот", "кот"])
    [(0, 1), (0, 2), (1, 2)]
    >>> made_equal(["кот", "кот", "пёс"], ["кот", "кот", "пёс"])
    []
    """
    if len(set(after)) == len(after):
        return []
    pairs = combinations(range(len(after)), 2)
    return [(one, other) for one, other in pairs if after[one] == after[other] and before[one] != before[other]]
