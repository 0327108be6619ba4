"""Rows of datasets: which of their texts are perturbed, and which parts of these texts must survive.

`AlikeRecords` holds records of one task with one text each, in columns; it makes a `Record` only when it is indexed.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

from augment_ru.edits import Span
from augment_ru.errors import AugmentError, brief, saying_where
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_texts, answer_values, label_of, marked_options, option_letter
from augment_ru.records.field_paths import named, strings
from augment_ru.records.offsets import Offset, kind, offsets_of, table
from augment_ru.records.patterns import matches
from augment_ru.records.places import places_in
from augment_ru.records.task import Task
from augment_ru.text.batch import CONTEXT
from augment_ru.text.context import Context
from augment_ru.text.words import occurrences

_SHOWN = 60
"""The characters of a record's key, or of a wrong value, that a message shows."""


class Anchors(NamedTuple):
    """The spans that the task of a record protects, and the borders that no change may cross.

    Attributes:
        spans: the protected spans of each text, by field.
        borders: the borders in each text as indices of characters, by field: where options or marked parts start, and
            both ends of labelled spans that are perturbed.
    """

    spans: Mapping[str, list[Span]]
    borders: Mapping[str, list[int]]


@dataclass
class Record:
    """A row of a dataset with its task.

    A record must not be changed: what follows from its values is computed once, on first use.

    Attributes:
        values: the row as JSON values by key.
        task: the task of the row.
        line: the JSON that the row was read from; None for a row that was not read from JSON.
        origin: further data that the file format needs to write the row with the layout of the input.
    """

    values: Final[Mapping[str, Any]]
    task: Final[Task]
    line: Final[str | None] = None
    origin: Final[Any] = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"Record({brief(dict(self.values))}, task {self.task.name!r})"

    def __reduce__(self) -> tuple[type["Record"], tuple[Any, ...]]:
        return type(self), (self.values, self.task, self.line, self.origin)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields to perturb; the task's `qas[].query` becomes `qas[0].query` and so on."""
        always = self.task.layout.fields_of_every_row
        return _fields(self.values, self.task) if always is None else always

    def texts(self) -> Mapping[str, str]:
        """Return the original texts of the fields to perturb, by field.

        Raises:
            AugmentError: a field is missing, or does not hold a text.
        """
        return self._texts

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return {name: _checked(self.values, name) for name in self.fields}

    @property
    def size(self) -> int:
        """The number of characters of the texts to perturb; missing texts count 0."""
        held = [field_paths.value(self.values, name) for name in self.fields]
        return sum(len(one) for one in held if isinstance(one, str))

    def check_places(self) -> None:
        """Check that no number of the row is a character offset that would be wrong once the texts are perturbed.

        Raises:
            AugmentError: the row states a place that the task does not declare, a field is missing, or an offset does
                not match its text.
        """
        found, stated = list(places_in(self.values, self.texts())), self.task.layout.offsets
        texts = [name for one in stated if found for name in field_paths.every(self.values, one.text)]  # others, too
        declared = {offset.path for offset in offsets_of(self.values, self.task, texts)}
        for path, text in found:
            if path not in declared:
                in_cell = len(path) > 1 and isinstance(self.values[str(path[0])], str)
                remedy = "give the rows as JSON lines and " if in_cell else ""
                raise AugmentError(
                    f"field '{named(path)}' holds a place in '{text}', which the task '{self.task.name}' does not "
                    f"move; {remedy}state it in a task file, under [[characters]] or [[answers]], or leave it out of "
                    "the row"
                )

    def text(self, name: str) -> str:
        """Return the original text of one of the fields to perturb.

        Raises:
            AugmentError: a field to perturb is missing, or does not hold a text.
        """
        return self.texts()[name]

    def read(self) -> dict[str, str]:
        """Return the texts that a model reads, by field: those of `Layout.read`, and all texts to perturb.

        A value that is not a text is converted to one, such as 1 to "1" (`label_of`).

        Raises:
            AugmentError: a field to perturb is missing, or does not hold a text.
        """
        texts = self.texts()
        names = [name for given in self.task.layout.read for name in field_paths.every(self.values, given)]
        names = [name for name in dict.fromkeys((*names, *texts)) if field_paths.has_value(self.values, name)]
        held = {name: field_paths.value(self.values, name) for name in names}
        return {name: value if isinstance(value, str) else label_of(value) for name, value in held.items()}

    @property
    def key(self) -> str:
        """The key that the record's random draws depend on: its id, or the texts to perturb if it has no id."""
        identity = field_paths.value(self.values, self.task.layout.id) if self.task.layout.id else None
        if isinstance(identity, str | int) and identity != "":
            return f"id:{identity}"
        return "text:" + "\x1f".join([str(field_paths.value(self.values, name)) for name in self.fields])

    @property
    def view(self) -> Mapping[str, Any]:
        """The values of the row, also under the names that constraints (rules of what is protected) look for.

        A constraint may look for a name that is none of the row's fields. The task says which field stands for this
        name (`Layout.aliases`).
        """
        if not self.task.layout.aliases:
            return self.values
        found = {theirs: field_paths.value(self.values, ours) for theirs, ours in self.task.layout.aliases}
        split = {
            theirs: answer_texts(found[theirs], self.task.scoring.separator)
            for theirs, ours in self.task.layout.aliases
            if ours in self.task.scoring.gold and isinstance(found[theirs], str)
        }
        return {**self.values, **{name: value for name, value in (found | split).items() if value is not None}}

    def check(self) -> None:
        """Check the texts of the record and the places stated in them; the message of an error names the record.

        Raises:
            AugmentError: a text is missing, or a stated place (offset) does not match its text or would not move with
                it.
        """
        key = self.key
        with saying_where(f"record {key if len(key) <= _SHOWN else key[:_SHOWN] + '…'}"):
            self.texts()
            self.anchors()
            self.check_places()

    def offsets(self) -> tuple[Offset, ...]:
        """Return the offsets of the row: the numbers that it states as places in the texts to perturb.

        Raises:
            AugmentError: an offset does not match its text.
        """
        return self._offsets

    @cached_property
    def _offsets(self) -> tuple[Offset, ...]:
        return tuple(offsets_of(self.values, self.task, self.fields)) if self.task.layout.offsets else ()

    def labelled(self) -> dict[str, list[Span]]:
        """Return the labelled spans (right answers) of each text if the task lets attacks edit them; otherwise `{}`."""
        found: dict[str, list[Span]] = {name: [] for name in self.fields if self.task.layout.spans != "context"}
        for offset in self.offsets() if found else ():
            if offset.edge == "start":
                found[offset.text].append(offset.span)
        return found

    def anchors(self) -> Anchors:
        """Return the spans that the task protects in the texts to perturb, and the borders that no change may cross.

        Raises:
            AugmentError: an offset does not match its text, or a field that must hold a list of texts holds another
                value.
        """
        return self._anchors

    @cached_property
    def _anchors(self) -> Anchors:
        if not self.task.layout.has_anchors:
            return Anchors({name: [] for name in self.fields}, {})
        for name in self.task.layout.lists:
            with saying_where(f"field '{name}'"):
                list_of_texts(field_paths.value(self.values, name))
        spans: dict[str, list[Span]] = {name: [] for name in self.fields}
        borders: dict[str, list[int]] = {}
        opened = self.labelled()
        for offset in self.offsets():
            if not (opened and offset.edge):
                spans[offset.text].append(offset.span)
        for name, labelled in opened.items():
            spans[name] += _kept_of_labelled(self.text(name), labelled, self.task.layout.spans)
            borders[name] = sorted({place for span in labelled for place in (span.start, span.stop)})
        for name, words, label in self._kept():
            spans[name] += occurrences(self.text(name), words, label)
        for name, marks, border in self._marks():
            spans[name] += marks
            if border:
                borders[name] = sorted({*borders.get(name, ()), *(span.start for span in marks)})
        return Anchors({name: sorted(set(found)) for name, found in spans.items()}, borders)

    def _kept(self) -> Iterator[tuple[str, list[str], str]]:
        """Yield triples: a field, the words that survive wherever they stand in it, and the label of their spans."""
        for words in self.task.layout.words:
            if words.text in self.fields:
                target = table(field_paths.value(self.values, words.field), words.field)
                yield words.text, [str(target[key]) for key, _ in words.pairs if key in target], words.label
        if self.task.layout.kept:
            values = [value for name in self.task.layout.kept for value in field_paths.values(self.values, name)]
            kept = [text for value in values for text in strings(value)]
            for name in self.fields:
                yield name, kept, "KEPT"

    def _marks(self) -> Iterator[tuple[str, list[Span], bool]]:
        """Yield triples: a field, spans of option markers or other marks in it, and whether they are borders."""
        fields = self.fields
        for name in self.task.layout.options:
            if name in fields:
                yield name, option_markers(self.text(name)), True
        for marks in self.task.layout.marks:
            for name in field_paths.every(self.values, marks.text):
                if name in fields:
                    found = matches(marks.pattern, self.text(name))
                    yield name, [Span(*place, marks.label) for place in found], marks.border


def _kept_of_labelled(text: str, labelled: Iterable[Span], part: str) -> Iterator[Span]:
    """Yield the spans that no edit may touch in a text whose labelled spans are perturbed.

    These are the first and the last character of a labelled span, unless it and the one next to it in the span are
    letters; and, if `part` is `inside`, all text outside the labelled spans. If a mark at an edge, or the only letter
    before one, were deleted, the row would not tell where the span had begun.
    """
    at = 0
    for span in sorted(labelled):
        held = span.of(text)
        for edge, two in ((span.start, held[:2]), (span.stop - 1, held[-2:])):
            if held == two[:1] or not two.isalnum():
                yield Span(edge, edge + 1, span.label)
        if part == "inside" and span.start > at:
            yield Span(at, span.start, CONTEXT)
        at = max(at, span.stop)
    if part == "inside" and at < len(text):
        yield Span(at, len(text), CONTEXT)


def tasks_of(records: Iterable[Record]) -> list[Task]:
    """Return the tasks of records, each once, in the order of their first records."""
    found = {id(record.task): record.task for record in records}  # to hash a task takes long
    return list(dict.fromkeys(found.values()))


def _fields(values: Mapping[str, Any], task: Task) -> tuple[str, ...]:
    """Return the names of the texts of a row that the task perturbs."""
    layout = task.layout
    present = [name for name in layout.optional if field_paths.has_value(values, name)]
    return tuple(dict.fromkeys(one for name in (*layout.fields, *present) for one in field_paths.every(values, name)))


def _checked(values: Mapping[str, Any], name: str) -> str:
    """Return the text of a field.

    Raises:
        AugmentError: the field is missing, is not a text, or has a lone surrogate.
    """
    value = field_paths.value(values, name)
    if not isinstance(value, str):
        if not field_paths.has_value(values, name):
            shown = ", ".join(field_paths.keys_of(values)) or "none"
            raise AugmentError(f"no field '{name}'; the row has {shown}; see `field`")
        held = f"{kind(value)}, not a text{field_paths.inside(value, name)}"
        raise AugmentError(f"field '{name}' holds {held}; choose another with `field`")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        problem = f"field '{name}': lone surrogate U+{ord(value[error.start]):04X} at character {error.start}"
        raise AugmentError(f"{problem}; no text may hold one") from error
    return value


_APART = re.compile(r"""(?<=['"])\s+(?=['"])""")
"""The space between two texts of a list whose comma is missing."""


def list_of_texts(value: object) -> list[str]:
    """Return the texts of a list, stripped and without empty ones; None gives an empty list.

    Old files hold such a list as a string, in the notation of Python or JSON. The string is parsed, never run.

    >>> list_of_texts("['Катя', 'Машу']"), list_of_texts("['Катя' 'Машу']"), list_of_texts(None)
    (['Катя', 'Машу'], ['Катя', 'Машу'], [])

    Raises:
        AugmentError: the value is neither a list of texts nor a string that holds one.
    """
    read = value
    if isinstance(value, str):
        for reader in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                read = reader(_APART.sub(", ", value))
                break
    if read is None:
        return []
    if isinstance(read, str) or not isinstance(read, Sequence) or not all(isinstance(one, str) for one in read):
        shown = repr(value)
        raise AugmentError(f"{shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'} is no list of texts")
    return [one.strip() for one in read if one.strip()]


def option_markers(text: str) -> list[Span]:
    """Return the spans of the markers «(A)», «(B)», … of the options in a question."""
    return [Span(*found.span(), "OPTION") for found in marked_options(text)]


class AlikeRecords(Sequence[Record]):
    """Records that are perturbed together in arrays: all have the same task, and one text each in the same field.

    Args:
        task: the task of all records. It perturbs exactly one field, which is a key of every row. It protects parts of
            texts only by constraints (rule files).
        values: the row of each record; the rows must not be changed afterwards.
        texts: the text of each record, which is the value of that field; a text must not hold a lone surrogate.
        lines: the JSON line that each record was read from; None if the records were not read from JSON lines.
        origin: what a writer needs to know of the layout of the input file; the same for all records.

    Attributes:
        field: the field that is perturbed.
    """

    def __init__(
        self,
        task: Task,
        values: Sequence[dict[str, Any]],
        texts: Sequence[str],
        lines: Sequence[bytes] | None = None,
        origin: object = None,
    ) -> None:
        self.task, self.values, self.texts, self.lines, self._origin = task, values, texts, lines, origin
        (self.field,) = task.layout.fields

    @staticmethod
    def fits(task: Task) -> bool:
        """Tell whether rows of a task can be stored in this class.

        The task must perturb exactly one field, the same in all rows, and protect parts of texts only by constraints
        (rule files): options, marks or offsets do not fit.
        """
        layout = task.layout
        return not layout.has_anchors and layout.fields_of_every_row is not None and len(layout.fields) == 1

    @cached_property
    def _records(self) -> list[Record]:
        lines = [None] * len(self) if self.lines is None else [line.decode() for line in self.lines]
        return [Record(row, self.task, line, self._origin) for row, line in zip(self.values, lines, strict=True)]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return self._records[at]

    @property
    def keys(self) -> list[str]:
        """The key of each record, on which its random draws depend."""
        name = self.task.layout.id
        if name is None or "." in name or "[" in name:
            return [record.key for record in self]
        both = zip([row.get(name) for row in self.values], self.texts, strict=True)
        return [f"id:{one}" if isinstance(one, str | int) and one != "" else f"text:{text}" for one, text in both]


def contexts_of(records: Sequence[Record]) -> list[Context]:
    """Return what attacks may know about each text from its record, such as the right answers and the right option.

    Args:
        records: the records. The result has an entry for each text: first for those of the first record.
    """
    return [context for record in records for context in _contexts(record)]


def _contexts(record: Record) -> Iterator[Context]:
    layout, scoring = record.task.layout, record.task.scoring
    answers = _texts(record, scoring.gold, scoring.separator)
    forbidden = _texts(record, (*layout.option_fields, *layout.forbidden))
    judged = judged_fields(record)
    texts, label = record.texts(), label_of_record(record)
    whole = tuple(texts.values())
    for number, (name, text) in enumerate(texts.items()):
        context = _of_question(text, answers) if name in layout.options else Context(answers)
        context = replace(context, judged=name in judged, number=number, named=layout.named)
        yield replace(context, record=whole, forbidden=forbidden, label=label)


def label_of_record(record: Record) -> str:
    """Return the label of a record: its right answers joined by line feeds; "" if it has none."""
    values = [value for name in record.task.scoring.gold for value in field_paths.values(record.values, name)]
    return "\n".join(label_of(answer) for value in values for answer in answer_values(value))


def judged_fields(record: Record) -> frozenset[str]:
    """Return the fields of a record that hold options or statements to judge; attacks insert no sentence after them."""
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
