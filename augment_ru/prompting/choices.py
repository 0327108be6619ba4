"""What a prompt's answer is chosen from: labels in words, or what the row itself lists."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.prompting.template import text_of
from augment_ru.records import field_paths
from augment_ru.records.offsets import offsets_of
from augment_ru.records.record import list_of_texts, option_markers
from augment_ru.records.task import Task

_LETTERS = "ABCDEFGHIJ"


class Candidate(NamedTuple):
    """An answer: the label, and the text that stands for it after the context."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Options:
    """Where the row itself lists the answers to choose from.

    Attributes:
        inside: a text field that ends in «(A) … (B) …»; its place holds what stands before.
        fields: a field for each option, with the spellings of its label.
        texts: a list of texts, each its own label.
        spans: a list of the task's `characters`; the text of each is its label.
    """

    inside: str | None = None
    fields: Mapping[str, tuple[str, ...]] | None = None
    texts: str | None = None
    spans: str | None = None


def choices(
    name: str, options: Options, task: Task, record: Mapping[str, Any], labels: Sequence[str] | None
) -> Iterator[Candidate]:
    """The answers that a row lists, in its order.

    Args:
        name: of the prompt.
        options: where they are.
        task: whose row it is.
        record: the row.
        labels: the classes of the data.

    Raises:
        AugmentError: the row lists none.
    """
    if options.inside:
        text = text_of(record, options.inside)
        markers = option_markers(text)
        if not markers:
            raise AugmentError(f"field '{options.inside}' has no options «(A) … (B) …»")
        ends = [*(span.start for span in markers[1:]), len(text)]
        for letter, span, end in zip(_LETTERS, markers, ends, strict=False):
            yield Candidate(letter, text[span.stop : end].strip())
    elif options.fields:
        places_of = spelled(name, options.fields, labels)
        yield from (Candidate(label, text_of(record, field)) for label, field in places_of)
    elif options.texts:
        listed = list_of_texts(field_paths.value(record, options.texts))
        yield from (Candidate(text, text) for text in dict.fromkeys(listed))
    elif options.spans:
        start = field_paths.steps(options.spans)
        fields = [characters.text for characters in task.characters]
        found = [place for place in offsets_of(record, task, fields) if place.path[: len(start)] == start]
        texts = (text_of(record, place.text)[place.span.start : place.span.stop].strip() for place in found)
        yield from (Candidate(text, text) for text in dict.fromkeys(texts))


def spelled(name: str, table: Mapping[str, tuple[str, ...]], labels: Sequence[str] | None) -> tuple[Candidate, ...]:
    """The words of a table with their labels, in the spelling of the data; in the first one if nothing is known of it.

    >>> spelled("danetqa", {"Да": ("true", "1"), "Нет": ("false", "0")}, ["0", "1"])
    (Candidate(label='1', text='Да'), Candidate(label='0', text='Нет'))

    Raises:
        AugmentError: the data has a label that is in no spelling of the table, or its labels are of several.
    """
    columns = list(zip(*table.values(), strict=True))
    for column in columns:
        if set(labels or ()) <= set(column):
            return tuple(Candidate(label, word) for label, word in zip(column, table, strict=True))
    known = "; or ".join(", ".join(column) for column in columns)
    raise AugmentError(f"prompt {name}: words for the labels {known}, but the data has {', '.join(labels or ())}")
