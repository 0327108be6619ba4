"""Build the context of a text: what its record says about it, such as the right answers and which option is right."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from augment_ru.edits import Span
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_texts, answer_values, label_of, option_letter
from augment_ru.records.record import Record, option_markers
from augment_ru.text.context import Context


def contexts_of(records: Sequence[Record]) -> list[Context]:
    """Return what attacks learn about each text from its record, such as the right answers and which option is right.

    Args:
        records: the records. The result has one entry for each text, in the order of records and of their fields.
    """
    return [context for record in records for context in _contexts(record)]


def _contexts(record: Record) -> Iterator[Context]:
    answers = _texts(record, record.task.scoring.gold, record.task.scoring.separator)
    forbidden = _texts(record, (*record.task.layout.option_fields, *record.task.layout.forbidden))
    judged = judged_fields(record)
    texts, label = record.texts(), label_of_record(record)
    whole = tuple(texts.values())
    named = record.task.layout.named
    for number, (name, text) in enumerate(texts.items()):
        context = _of_question(text, answers) if name in record.task.layout.options else Context(answers)
        yield replace(
            context, judged=name in judged, record=whole, forbidden=forbidden, label=label, number=number, named=named
        )


def label_of_record(record: Record) -> str:
    """Return the label of a record: its right answers joined by line feeds; "" if it has none."""
    values = [value for name in record.task.scoring.gold for value in field_paths.values(record.values, name)]
    return "\n".join(label_of(answer) for value in values for answer in answer_values(value))


def judged_fields(record: Record) -> frozenset[str]:
    """Return the fields of a record that hold statements to judge or options to choose from."""
    judged = (*record.task.layout.option_fields, *record.task.layout.judged)
    return frozenset(one for name in judged for one in field_paths.every(record.values, name))


def _texts(record: Record, names: Sequence[str], separator: str | None = None) -> tuple[str, ...]:
    values = [value for name in names for value in field_paths.values(record.values, name)]
    held = [answer for value in values for answer in answer_values(value) if isinstance(answer, str)]
    texts = [text for answer in held for text in answer_texts(answer, separator)]
    return tuple(dict.fromkeys(filter(None, texts)))


def _of_question(text: str, answers: Sequence[str]) -> Context:
    options = options_in(text)
    if not options:
        return Context(tuple(answers))
    first = options[0][0].start
    letters = [option_letter(text[marker.start + 1]) for marker, _ in options]
    chosen = (at for answer in answers for at, letter in enumerate(letters) if letter == option_letter(answer))
    right = next(chosen, None)
    if right is None:
        return Context(options=first)
    return Context(
        answers=(options[right][1].of(text),),
        options=first,
        right=options[right][1],
        wrong=tuple(option for at, (_, option) in enumerate(options) if at != right),
    )


def options_in(text: str) -> list[tuple[Span, Span]]:
    """Return the options in a question: for each, the span of its marker and the span of its text.

    >>> text = "Что тонет? (A) камень (B) пробка"
    >>> [(marker.of(text), option.of(text)) for marker, option in options_in(text)]
    [('(A)', 'камень'), ('(B)', 'пробка')]
    """
    markers = option_markers(text)
    found = []
    for marker, following in pairwise([*markers, Span(len(text), len(text))]):
        bare = text[marker.stop : following.start].strip()
        start = marker.stop + text[marker.stop : following.start].find(bare)
        found.append((marker, Span(start, start + len(bare))))
    return found
