"""Prepares records for attacks: annotates their texts and finds their protected spans."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from augment_ru.constraints.protector import Protector
from augment_ru.constraints.rule_file import LANGUAGES, Constraint
from augment_ru.constraints.rule_file import constraint as constraint_of
from augment_ru.draws import digests
from augment_ru.edits import Span
from augment_ru.engine.attack import Needs
from augment_ru.engine.prepared import BareTexts, Prepared
from augment_ru.engine.questions import Questions
from augment_ru.errors import AugmentError, brief
from augment_ru.language.annotate import Annotator
from augment_ru.language.annotate import annotator as annotator_of
from augment_ru.records import field_paths
from augment_ru.records.context import contexts_of
from augment_ru.records.record import Record, tasks_of
from augment_ru.records.task import Task, generic, task_for_row
from augment_ru.records.task_file import task_or_file
from augment_ru.text.batch import Batch
from augment_ru.text.characters import surrogates
from augment_ru.text.doc import Doc

CHUNK_ROWS = 1024
CHUNK_CHARACTERS = 2**20
"""The most rows of a chunk, and the number of characters at which it ends."""


Constraints: TypeAlias = str | Constraint | Sequence[str | Constraint] | Callable[[Task], Sequence[str]] | None
"""Constraints as names, files or objects; a function from a task to their names; None for the task's own."""


def _listed(given: Any) -> tuple[Constraint, ...]:  # noqa: ANN401  (whatever a caller gives)
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not all(isinstance(one, str | Constraint) for one in several):
        raise AugmentError(f"constraints={brief(given)}: possible: names, files, Constraint objects, or () for none")
    return tuple(constraint_of(one) if isinstance(one, str) else one for one in several)


class Preparation:
    """Prepares records for attacks: an annotator and constraints.

    Immutable and picklable. Prepare a chunk of records once, with the layers that the attacks read, then pass it to
    any number of attacks (`Perturber.perturb`).

    Args:
        constraints: names, rule files or `Constraint` objects; by default those of each record's task; () for
            none; or a function from a task to the names.
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.

    Raises:
        AugmentError: there is no such constraint or annotator, or a rule file is invalid.

    >>> from augment_ru import Perturber
    >>> attacks = [Perturber(name, similarity="none", seed=1) for name in ("case", "eda_swap")]
    >>> for prepared in Preparation(constraints=()).texts(["Кошка спит на окне."]):
    ...     [attack.perturb(prepared).results[0].text for attack in attacks]
    ['Кошка Спит на окне.', 'Кошка на окне спит.']
    """

    def __init__(self, constraints: Constraints = None, annotator: str | Annotator = "natasha") -> None:
        self.annotate = annotator_of(annotator) if isinstance(annotator, str) else annotator
        if not callable(self.annotate):
            raise AugmentError(f"annotator={brief(annotator)}: possible: a name, or a function from texts to documents")
        self._constraints = constraints if constraints is None or callable(constraints) else _listed(constraints)

        self._known: dict[Task | str, Protector] = {}
        """The protectors that were made, by their task or by the name of the guard."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}}

    def protector(self, task: Task) -> Protector:
        """The protector of a task, made of the given constraints, or of the task's own if none were given.

        Raises:
            AugmentError: a constraint is not for the language of the task.
        """
        if task not in self._known:
            self._known[task] = self._made(task)
        return self._known[task]

    def _guard(self, name: str) -> Protector:
        if name not in self._known:
            self._known[name] = Protector((constraint_of(name),))
        return self._known[name]

    def _made(self, task: Task) -> Protector:
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
                    f"are {LANGUAGES[task.language]}; leave it out (`constraints=()` for none)"
                )
        return Protector(found)

    def check(self, task: Task | None) -> None:
        """Compile the constraints, so that an invalid rule is an error before the run starts.

        Does nothing if the constraints depend on the row.

        Args:
            task: the task of all rows; None if each row's task is recognised.

        Raises:
            AugmentError: a pattern or a function of a rule is invalid, or a constraint is for another language.
        """
        if task is not None or self._constraints is not None:
            self.protector(task or generic()).compiled()

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
        needs: Iterable[Needs] = (),
    ) -> Iterator[Prepared]:
        """Prepare the rows of a dataset in chunks.

        Args:
            records: rows as dictionaries; they are not changed.
            task: a task, its name, or a TOML file that states it; by default that of each row is recognised.
            field: the fields to perturb in place of the task's, such as `text`, `inputs.text`, `qas[].query`.
            needs: what each attack and its gate need (`Perturber.needs`).

        Raises:
            AugmentError: no task fits a row, or a row lacks a field of its task.
        """
        needs = tuple(needs)
        known = task_or_file(task) if isinstance(task, str) else task
        fields = (field,) if isinstance(field, str) else tuple(field or ())
        for chunk in chunks(_record(row, known, fields) for row in records):
            yield self.chunk(chunk, needs)

    def texts(self, texts: Iterable[str], *, needs: Iterable[Needs] = ()) -> Iterator[Prepared]:
        """Prepare texts in chunks; `needs`: as in `records`.

        Raises:
            AugmentError: one of the texts is not a string, or contains a lone surrogate.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; put one text into a list")
        texts = texts if isinstance(texts, Sequence) else list(texts)
        for text in texts:
            if not isinstance(text, str):
                raise AugmentError(f"{text!r}: not a text; give strings, or use records() for rows")
        needs = tuple(needs)
        bare = not (any(map(any, needs)) or self.protector(generic()).constraints)
        at = 0
        while at < len(texts):
            part = texts[at : at + CHUNK_ROWS]
            while len(part) > 1 and sum(map(len, part)) > CHUNK_CHARACTERS:
                part = part[: len(part) // 2]
            yield self._bare(part) if bare else self.chunk(list(BareTexts(part, generic())), needs)
            at += len(part)

    def chunk(self, records: Sequence[Record], needs: Iterable[Needs] = ()) -> Prepared:
        """Annotate the texts of one chunk of records and find their protected spans.

        Args:
            records: the records.
            needs: as in `records`.

        Raises:
            AugmentError: a record lacks a field, or has an offset that does not match its text.
        """
        try:
            return self._chunk(records, Needs.of_all(needs))
        except AugmentError:
            for record in records:
                record.check()  # raises an error that names the record, if a record is the cause
            raise

    def _bare(self, texts: Sequence[str]) -> Prepared:
        """Prepare texts of the generic task that need no annotation."""
        batch = Batch(texts, annotate=self.annotate)
        records = BareTexts(texts, generic())
        if surrogates(batch.codes).any():
            for record in records:
                record.texts()  # raises an error that names the record and the place
        keys = digests(["text:" + text for text in texts])
        return Prepared(records, ["text"] * len(texts), np.arange(len(texts)), keys, batch)

    def _chunk(self, records: Sequence[Record], needs: Needs) -> Prepared:
        each = [record.texts() for record in records]
        fields = [name for held in each for name in held]
        owners = np.repeat(np.arange(len(records)), [len(held) for held in each])
        texts = [text for held in each for text in held.values()]
        keys = digests([record.key for record in records])
        protectors = {task: self.protector(task) for task in tasks_of(records)}
        guards = {name: self._guard(name) for name in sorted(needs.guards)}
        layers = needs.layers.union(*(protector.layers for protector in (*protectors.values(), *guards.values())))
        docs = self.annotate(texts, layers) if layers else None
        if docs is not None and [doc.text for doc in docs] != texts:
            raise AugmentError(
                f"annotator: returned {len(docs)} documents for {len(texts)} texts, or other texts; "
                f"return one Doc for each text, in the same order"
            )
        protected: list[list[Span]] = []
        borders: list[list[int]] = []
        guarded: dict[str, list[list[Span]]] = {name: [] for name in guards}
        is_protected = any(protector.constraints or task.anchored for task, protector in protectors.items())
        queue = iter(docs or map(Doc, texts))
        by_field = [{name: next(queue) for name in names} for names in each] if guards or is_protected else []
        if is_protected:
            for record, names, spans in zip(records, each, _found(records, by_field, protectors), strict=True):
                anchors = record.anchors()
                protected += [_outer(anchors.spans[name] + spans[name]) for name in names]
                borders += [anchors.borders.get(name, []) for name in names]
        for guard, protector in guards.items():
            for guards_spans, names in zip(_guarded(records, by_field, protector), each, strict=True):
                guarded[guard] += [_outer(guards_spans[name]) for name in names]
        batch = Batch(
            texts, docs, protected, borders, self.annotate, contexts=partial(contexts_of, records), guarded=guarded
        )
        questions = Questions.of(records, fields, owners, batch)
        return Prepared(records, fields, owners, keys, batch, questions, _warnings(records, by_field, protectors))


def _record(row: object, task: Task | None, fields: Sequence[str]) -> Record:
    if not isinstance(row, Mapping):
        raise AugmentError(f"{str(row)[:80]!r}: no row; records() takes dictionaries, texts() takes texts")
    return Record(dict(row), task_for_row(row, task, fields))


def _outer(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, without those inside another span of the same label."""
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
    """The spans that constraints protect in each record, by field; the records of a task are searched together."""
    found: dict[int, dict[str, list[Span]]] = {}
    for task, protector in protectors.items():
        places = [place for place, record in enumerate(records) if record.task == task]
        spans = protector([records[place].view for place in places], [by_field[place] for place in places])
        found.update(zip(places, spans, strict=True))
    return (found[place] for place in range(len(records)))


def _warnings(
    records: Sequence[Record], by_field: Sequence[dict[str, Doc]], protectors: Mapping[Task, Protector]
) -> dict[int, tuple[str, ...]]:
    """What the constraints warn of, by the number of the record; records without warnings are left out."""
    if not any(protector.warns for protector in protectors.values()):
        return {}
    found = (protectors[record.task].warnings(record.view, by_field[at]) for at, record in enumerate(records))
    return {at: warnings for at, warnings in enumerate(found) if warnings}


def _guarded(
    records: Sequence[Record], by_field: Sequence[dict[str, Doc]], protector: Protector
) -> Iterator[Mapping[str, Sequence[Span]]]:
    """The spans that a guard finds in each record, by field; none in texts of another language than its own."""
    (guard,) = protector.constraints
    read = [guard.language in (None, record.task.language) for record in records]
    places = [place for place, reads in enumerate(read) if reads]
    found = iter(protector([records[place].view for place in places], [by_field[place] for place in places]))
    for reads, docs in zip(read, by_field, strict=True):
        yield next(found) if reads else dict.fromkeys(docs, ())


def chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in chunks of `CHUNK_ROWS`; a chunk ends earlier when its texts reach `CHUNK_CHARACTERS`."""
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
