"""The answers that a prompt offers to choose from: words for the labels, or the options that the row lists."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.prompting.template import text_of
from augment_ru.records import field_paths
from augment_ru.records.answers import LETTERS
from augment_ru.records.context import options_in
from augment_ru.records.offsets import offsets_of
from augment_ru.records.record import list_of_texts
from augment_ru.records.task import Task

_CYRILLIC = "АБВГДЕЖЗИК"

OPTIONS = "options"
"""The name of the template place that is filled with the list of the choices."""
LAYOUTS = ("letters", "numbers", "brackets", "lines", "json")
"""How choices are listed: «А) …», «1. …», «(A) …», «— …» (the answer is then the text itself), or as JSON."""


class Choice(NamedTuple):
    """One of the answers that a model chooses from.

    Attributes:
        label: its label in the data.
        text: the answer as it is written in the prompt.
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Options:
    """Where a row of the data lists the options of its question; exactly one attribute is set.

    Attributes:
        inside: a text field that ends in «(A) … (B) …»; the place of this field in a prompt gets the part before the
            options.
        fields: maps the field that holds an option to the label of this option, such as `choice1` to "0". If data sets
            write the label in several ways, all are given.
        texts: a field with a list of texts; each text is also its label.
        spans: the path of a list of spans in the row; the text of each span is also its label.
    """

    inside: str | None = None
    fields: Mapping[str, tuple[str, ...]] | None = None
    texts: str | None = None
    spans: str | None = None


def listed_choices(
    name: str, options: Options, task: Task, record: Mapping[str, Any], labels: Sequence[str] | None
) -> Iterator[Choice]:
    """Yield each option that a row lists, in the order of the row, as a label and a text.

    Args:
        name: the name of the prompt, for messages.
        options: where the row lists its options.
        task: the row's task.
        record: the row.
        labels: the classes of the data; None if they are not known.

    Raises:
        AugmentError: the text that must end in options has none, a field is missing, or the labels of the data are not
            those of the prompt.
    """
    if options.inside:
        text = text_of(record, options.inside)
        if not (found := options_in(text)):
            raise AugmentError(f"field '{options.inside}' has no options «(A) … (B) …»")
        yield from (Choice(letter, option.of(text)) for letter, (_, option) in zip(LETTERS, found, strict=False))
    elif options.fields:
        places_of = spelled(name, options.fields, labels)
        yield from (Choice(label, text_of(record, field)) for label, field in places_of)
    elif options.texts:
        listed = list_of_texts(field_paths.value(record, options.texts))
        yield from (Choice(text, text) for text in dict.fromkeys(listed))
    elif options.spans:
        start = field_paths.steps(options.spans)
        fields = [characters.text for characters in task.layout.characters]
        places = [place for place in offsets_of(record, task, fields) if place.path[: len(start)] == start]
        texts = (place.span.of(text_of(record, place.text)).strip() for place in places)
        yield from (Choice(text, text) for text in dict.fromkeys(texts))


def spelled(name: str, table: Mapping[str, tuple[str, ...]], labels: Sequence[str] | None) -> tuple[Choice, ...]:
    """Return the choices of a prompt: each word that stands for a label («Да»), and the label as the data write it.

    Data sets write the same label in several ways, such as "1" and "true". The first way in `table` that has all labels
    of the data is taken.

    Args:
        name: the name of the prompt, for messages.
        table: maps each word to the ways in which its label is written.
        labels: the labels of the data; None if they are not known.

    >>> spelled("danetqa", {"Да": ("true", "1"), "Нет": ("false", "0")}, ["0", "1"])
    (Choice(label='1', text='Да'), Choice(label='0', text='Нет'))

    Raises:
        AugmentError: no way of writing in the table has all labels of the data.
    """
    columns = list(zip(*table.values(), strict=True))
    for column in columns:
        if set(labels or ()) <= set(column):
            return tuple(Choice(label, word) for label, word in zip(column, table, strict=True))
    known = "; or ".join(", ".join(column) for column in columns)
    raise AugmentError(f"prompt {name}: has words for the labels {known}, but the data has {', '.join(labels or ())}")


def laid_out(choices: Sequence[Choice], layout: str) -> tuple[str, tuple[Choice, ...]]:
    r"""List choices in a text; return it, and the choices with their marks in the list («А») as their texts.

    In a list without marks (`lines`), the choices keep their texts.

    Args:
        choices: the choices.
        layout: how they are listed, one of `LAYOUTS`: with letters, numbers or brackets, as lines, or as JSON.

    >>> laid_out((Choice("1", "да"), Choice("0", "нет")), "letters")
    ('А) да\nБ) нет', (Choice(label='1', text='А'), Choice(label='0', text='Б')))
    """
    texts = [choice.text for choice in choices]
    if layout == "lines":
        return "\n".join(f"— {text}" for text in texts), tuple(choices)
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    signs = {"letters": _CYRILLIC, "numbers": numbers}.get(layout, LETTERS)
    form = {"letters": "{}) {}", "numbers": "{}. {}", "brackets": "({}) {}"}.get(layout, "")
    listed = "\n".join(form.format(sign, text) for sign, text in zip(signs, texts, strict=False))
    if layout == "json":
        listed = json.dumps(dict(zip(signs, texts, strict=False)), ensure_ascii=False)
    return listed, tuple(Choice(choice.label, sign) for choice, sign in zip(choices, signs, strict=False))
