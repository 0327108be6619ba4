"""Records annotated and protected: what every attack on them shares."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from augment_ru.constraints.protector import Protector
from augment_ru.draws import Ints, Keys, digests
from augment_ru.edits import Span
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Annotator
from augment_ru.records import field_paths
from augment_ru.records.context import contexts_of
from augment_ru.records.record import Record
from augment_ru.records.task import Task, generic
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc

_SURROGATES = 0xD800 >> 11
CHUNK_ROWS = 1024
CHUNK_CHARACTERS = 2**20
"""Texts are worked on in chunks of so many rows or characters, whichever is reached first."""


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


def prepare(
    records: Sequence[Record],
    protector_for: Callable[[Task], Protector],
    annotate: Annotator,
    layers: frozenset[str] = frozenset(),
) -> Prepared:
    """Annotate the texts of the records once, with all layers wanted, and find what is protected.

    Raises:
        AugmentError: a record lacks a field, or has an offset that does not match: which record and field.
    """
    try:
        return _prepared(records, protector_for, annotate, layers)
    except AugmentError:
        for record in records:
            record.check()  # names the record, if it was one
        raise


def _prepared(
    records: Sequence[Record],
    protector_for: Callable[[Task], Protector],
    annotate: Annotator,
    layers: frozenset[str],
) -> Prepared:
    each = [record.texts() for record in records]
    fields = [name for names in each for name in names]
    owners = np.repeat(np.arange(len(records)), [len(names) for names in each])
    texts = [text for held in each for text in held.values()]
    keys = digests([record.key for record in records])
    protectors = {record.task: protector_for(record.task) for record in records}
    layers = layers.union(*(protector.layers for protector in protectors.values()))
    docs = annotate(texts, layers) if layers else None
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
    batch = Batch(texts, docs, protected, borders, annotate, contexts=partial(contexts_of, records))
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


def prepare_texts(
    texts: Sequence[str], protector: Protector, annotate: Annotator, layers: frozenset[str] = frozenset()
) -> Prepared:
    """`prepare` for records of the generic task that have nothing but a text, made here."""
    records = _Texts(texts, generic())
    if layers or protector.constraints:
        return prepare(records, lambda _: protector, annotate, layers)
    keys = digests(["text:" + text for text in texts])
    batch = Batch(texts, annotate=annotate)
    if (batch.codes >> 11 == _SURROGATES).any():
        for record in records:
            record.texts()  # says which, and where
    return Prepared(records, ["text"] * len(texts), np.arange(len(texts)), keys, batch)


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
