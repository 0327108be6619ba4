"""Records annotated and protected: what every attack on them shares."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from augment_ru.constraints.protector import Protector
from augment_ru.constraints.rule_file import LANGUAGES, Constraint
from augment_ru.constraints.rule_file import constraint as constraint_of
from augment_ru.draws import Ints, Keys, digests
from augment_ru.edits import Span
from augment_ru.engine.attack import Attack
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Annotator
from augment_ru.language.annotate import annotator as annotator_of
from augment_ru.records import field_paths
from augment_ru.records.context import contexts_of
from augment_ru.records.record import Record
from augment_ru.records.task import Task, generic, task_for_row
from augment_ru.records.task import task as task_of
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc

_SURROGATES = 0xD800 >> 11
CHUNK_ROWS = 1024
CHUNK_CHARACTERS = 2**20
"""Texts are worked on in chunks of so many rows or characters, whichever is reached first."""


Constraints: TypeAlias = str | Constraint | Sequence[str | Constraint] | Callable[[Task], Sequence[str]] | None
"""Constraints by name, by file or ready; a function of the task that names them; None for the task's own."""


@dataclass(frozen=True)
class Prepared:
    """Records whose texts are annotated and protected: what every attack on them shares."""

    records: Sequence[Record]
    fields: Sequence[str]
    """The field of each text of the batch."""
    owners: Ints
    """The record of each text of the batch."""
    keys: Keys
    """The key of each record."""
    batch: Batch

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def first_rows(self) -> list[int]:
        """The first text of each record, and the number of texts."""
        rows: list[int] = np.searchsorted(self.owners, np.arange(len(self.records) + 1)).tolist()
        return rows

    def rows(self, record: int) -> range:
        """The texts of a record."""
        return range(self.first_rows[record], self.first_rows[record + 1])

    def seen_by(self, attack: Attack) -> "Prepared":
        """The records with what is protected from this attack."""
        batch = self.batch.seen_by(exchanges_options=attack.exchanges_options)
        return self if batch is self.batch else replace(self, batch=batch)


@dataclass(frozen=True, slots=True)
class _Texts(Sequence[Record]):
    """Records of the generic task that have nothing but a text, made when looked at."""

    texts: Sequence[str]
    task: Task

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        if isinstance(at, slice):
            return _Texts(self.texts[at], self.task)
        return Record({"text": self.texts[at]}, self.task)


class Preparation:
    """What all attacks on the same records share: who annotates the texts, and which constraints hold.

    Immutable and picklable. Prepare a chunk of records once, then give it to as many attacks as you like
    (`Perturber.perturb`); name the layers that they read.

    Args:
        constraints: names, rule files or `Constraint` objects; by default those of each record's task; () for
            none; or a function of the task that names them.
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.

    Raises:
        AugmentError: there is no such constraint or annotator, or a rule file is wrong.

    >>> from augment_ru import Perturber
    >>> attacks = [Perturber(name, similarity="none", seed=1) for name in ("case", "eda_swap")]
    >>> for prepared in Preparation(constraints=()).texts(["Кошка спит на окне."]):
    ...     [attack.perturb(prepared).results[0].text for attack in attacks]
    ['Кошка Спит на окне.', 'окне спит на Кошка.']
    """

    def __init__(self, constraints: Constraints = None, annotator: str | Annotator = "natasha") -> None:
        self.annotate = annotator_of(annotator) if isinstance(annotator, str) else annotator
        if isinstance(constraints, str | Constraint):
            constraints = [constraints]
        self._constraints = (
            constraints
            if constraints is None or callable(constraints)
            else tuple(constraint_of(one) if isinstance(one, str) else one for one in constraints)
        )

    def protector(self, task: Task) -> Protector:
        """The constraints that hold for a task: those given, else the task's own.

        Raises:
            AugmentError: a constraint reads another language than the texts of the task.
        """
        names: Sequence[str | Constraint]
        if callable(self._constraints):
            names = self._constraints(task)
        else:
            names = task.constraints if self._constraints is None else self._constraints
        found = tuple(constraint_of(one) if isinstance(one, str) else one for one in names)
        for one in found:
            if one.language not in (None, task.language):
                raise AugmentError(
                    f"the constraint '{one.name}' reads {LANGUAGES[one.language]}, the texts of the task '{task.name}' "
                    f"are {LANGUAGES[task.language]}; leave it out (--no-constraints for none)"
                )
        return Protector(found)

    def check(self, task: Task | None) -> None:
        """Compile the constraints, where they do not depend on the row, so that a wrong rule is known at once.

        Args:
            task: of all rows; None if each row's is recognised.

        Raises:
            AugmentError: a pattern or a function of a rule is wrong, or a constraint reads another language.
        """
        if task is not None or self._constraints is not None:
            self.protector(task or generic()).compiled()

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
        layers: frozenset[str] = frozenset(),
    ) -> Iterator[Prepared]:
        """Dataset rows, prepared in chunks.

        Args:
            records: rows as dictionaries; they are not changed.
            task: a task or its name; by default recognised from each row's fields.
            field: the fields to perturb, in place of the task's: `text`, `inputs.text`, `qas[].query`.
            layers: the annotation that the attacks read (`Attack.layers`); that of the constraints is added.

        Raises:
            AugmentError: no task fits, or a row lacks a field of it.
        """
        known = task_of(task) if isinstance(task, str) else task
        fields = (field,) if isinstance(field, str) else tuple(field or ())
        for chunk in chunks(Record(dict(row), task_for_row(row, known, fields)) for row in records):
            yield self.chunk(chunk, layers)

    def texts(self, texts: Iterable[str], *, layers: frozenset[str] = frozenset()) -> Iterator[Prepared]:
        """Texts, prepared in chunks.

        Raises:
            AugmentError: one of the texts is no string, or holds a lone surrogate.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; put one text into a list")
        texts = texts if isinstance(texts, Sequence) else list(texts)
        for text in texts:
            if not isinstance(text, str):
                raise AugmentError(f"{text!r}: not a text; give strings, or use records() for rows")
        bare = not (layers or self.protector(generic()).constraints)
        at = 0
        while at < len(texts):
            part = texts[at : at + CHUNK_ROWS]
            while len(part) > 1 and sum(map(len, part)) > CHUNK_CHARACTERS:
                part = part[: len(part) // 2]
            yield self._bare(part) if bare else self.chunk(_Texts(part, generic()), layers)
            at += len(part)

    def chunk(self, records: Sequence[Record], layers: frozenset[str] = frozenset()) -> Prepared:
        """Annotate the texts of some records once, with all layers wanted, and find what is protected.

        Raises:
            AugmentError: a record lacks a field, or has an offset that does not match: which record and field.
        """
        try:
            return self._chunk(records, layers)
        except AugmentError:
            for record in records:
                record.check()  # names the record, if it was one
            raise

    def _bare(self, texts: Sequence[str]) -> Prepared:
        """Texts of the generic task that need no annotation."""
        batch = Batch(texts, annotate=self.annotate)
        records = _Texts(texts, generic())
        if (batch.codes >> 11 == _SURROGATES).any():
            for record in records:
                record.texts()  # says which, and where
        keys = digests(["text:" + text for text in texts])
        return Prepared(records, ["text"] * len(texts), np.arange(len(texts)), keys, batch)

    def _chunk(self, records: Sequence[Record], layers: frozenset[str]) -> Prepared:
        each = [record.texts() for record in records]
        fields = [name for held in each for name in held]
        owners = np.repeat(np.arange(len(records)), [len(held) for held in each])
        texts = [text for held in each for text in held.values()]
        keys = digests([record.key for record in records])
        protectors = {task: self.protector(task) for task in {record.task: None for record in records}}
        layers = layers.union(*(protector.layers for protector in protectors.values()))
        docs = self.annotate(texts, layers) if layers else None
        if docs is not None and [doc.text for doc in docs] != texts:
            raise AugmentError(f"annotator: gave {len(docs)} documents for {len(texts)} texts, or other texts")
        protected: list[list[Span]] = []
        borders: list[list[int]] = []
        if any(protector.constraints for protector in protectors.values()) or any(task.anchored for task in protectors):
            queue = iter(docs or map(Doc, texts))
            by_field = [{name: next(queue) for name in names} for names in each]
            for record, names, spans in zip(records, each, _found(records, by_field, protectors), strict=True):
                anchors = record.anchors()
                protected += [_outer(anchors.spans[name] + spans[name]) for name in names]
                borders += [anchors.borders.get(name, []) for name in names]
        batch = Batch(texts, docs, protected, borders, self.annotate, contexts=partial(contexts_of, records))
        return Prepared(records, fields, owners, keys, batch)


def _outer(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, without those that lie within one of the same label."""
    kept: list[Span] = []
    reach: dict[str, int] = {}
    for span in sorted(spans, key=lambda span: (span.start, -span.stop)):
        if span.stop > reach.get(span.label, -1):
            reach[span.label] = span.stop
            kept.append(span)
    return kept


def _found(
    records: Sequence[Record], by_field: Sequence[dict[str, Doc]], protectors: Mapping[Task, Protector]
) -> Iterator[dict[str, list[Span]]]:
    """What the constraints of each record's task protect, the records of a task taken together."""
    found: dict[int, dict[str, list[Span]]] = {}
    for task, protector in protectors.items():
        places = [place for place, record in enumerate(records) if record.task == task]
        spans = protector([records[place].view for place in places], [by_field[place] for place in places])
        found.update(zip(places, spans, strict=True))
    return (found[place] for place in range(len(records)))


def chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in chunks of `CHUNK_ROWS`, or fewer when their texts are long."""
    chunk: list[Record] = []
    size = 0
    for record in records:
        chunk.append(record)
        for name in record.fields:
            value = field_paths.value(record.values, name)
            size += len(value) if isinstance(value, str) else 0
        if len(chunk) == CHUNK_ROWS or size >= CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
