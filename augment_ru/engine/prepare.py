"""Prepares records for attacks: annotates their texts, and finds the protected spans of the texts."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from inspect import signature
from operator import attrgetter
from typing import Any, TypeAlias, TypeGuard, TypeVar

import numpy as np

from augment_ru.constraints.protection import check_rules, protected_in_rows, warnings
from augment_ru.constraints.rule_file import LANGUAGES, Constraint, Function, own_constraint
from augment_ru.constraints.rule_file import constraint as constraint_of
from augment_ru.draws import Ints, Keys, digests
from augment_ru.edits import Span
from augment_ru.engine.attack import Attack, Needs, Wants
from augment_ru.engine.questions import Questions
from augment_ru.engine.similarity import References
from augment_ru.errors import AugmentError, brief, saying_where
from augment_ru.language.annotate import Annotator, Natasha, closed
from augment_ru.language.annotate import annotator as annotator_of
from augment_ru.records.options import offers_options
from augment_ru.records.record import AlikeRecords, Record, contexts_of
from augment_ru.records.task import Task, generic, task_for_row, task_or_file
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask
from augment_ru.text.doc import Doc


@dataclass(frozen=True)
class Prepared:
    """Holds records with annotated texts and protected spans; it can be passed to any number of attacks.

    Attributes:
        records: the records.
        fields: the name of the field of each text of the batch.
        owners: the index of the record that each text of the batch belongs to, ascending, shape (texts,).
        keys: the key of each record, on which its random draws depend, shape (records,).
        batch: the texts of all records in one array, with the annotation and the protected spans.
        references: the same texts in the form in which a similarity gets them.
        questions: the questions with options that edits can change; None if there are no such questions.
        warnings: the warnings of constraints, by the index of the record.
        unread: whether each text was neither annotated nor given to constraints, because no attack of the run may
            change it, shape (texts,); None if nothing reads annotation.
    """

    records: Sequence[Record]
    fields: Sequence[str]
    owners: Ints
    keys: Keys
    batch: Batch
    references: References = field(init=False)
    questions: Questions | None = None
    warnings: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    unread: Mask | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "references", References(self.batch))

    def __len__(self) -> int:
        return self.keys.size

    @cached_property
    def first_rows(self) -> list[int]:
        """The index of each record's first text in the batch, followed by the number of texts."""
        rows: list[int] = np.searchsorted(self.owners, np.arange(len(self) + 1)).tolist()
        return rows

    def rows(self, record: int) -> range:
        """Return the indices in the batch of a record's texts, given the index of the record."""
        return range(self.first_rows[record], self.first_rows[record + 1])

    def seen_by(self, attack: Attack) -> "Prepared":
        """Return a copy for one attack, in which exactly those spans are protected that this attack may not edit.

        The spans of its guards (constraints that it keeps to, whatever the task) are added, and spans that it may
        replace, such as names, are left out.
        """
        batch = self.batch.seen_by(attack.view)
        if batch is self.batch:
            return self
        other = replace(self, batch=batch)
        object.__setattr__(other, "references", self.references)  # a scorer of these texts serves all attacks
        return other


_SURROGATE = re.compile("[\ud800-\udfff]")
CHUNK_ROWS = 1024
LONGEST = CHUNK_CHARACTERS = 2**20
"""A chunk ends when it has `CHUNK_ROWS` rows or `CHUNK_CHARACTERS` characters. A record may have at
most `LONGEST` characters if its texts are annotated, protected by constraints or scored."""


Constraints: TypeAlias = (
    str | Constraint | Function | Sequence[str | Constraint | Function] | Callable[[Task], Sequence[str]] | None
)
"""Constraints: one or several names, files, objects or functions of two arguments (`own_constraint`); or a function
of one argument, from a task to the names of its constraints; or None for the constraints that each task names."""


def _listed(given: Any) -> tuple[Constraint, ...]:  # noqa: ANN401  (whatever a caller gives)
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not all(isinstance(one, str | Constraint) or callable(one) for one in several):
        possible = "names, files, Constraint objects, functions, or () for none"
        raise AugmentError(f"constraints={brief(given)}: possible: {possible}")
    found = [constraint_of(one, may_import=True) if isinstance(one, str) else one for one in several]
    return tuple(one if isinstance(one, Constraint) else own_constraint(one) for one in found)


def _chooses(constraints: Any) -> TypeGuard[Callable[[Task], Sequence[str]]]:  # noqa: ANN401  (what a caller gives)
    """Tell whether a value is a function of one argument, which chooses the constraints of a task."""
    return callable(constraints) and len(signature(constraints).parameters) == 1


class Preparation:
    """Prepares records for attacks, with an annotator and constraints.

    A preparation is immutable and picklable. Prepare a chunk of records once, with the layers of annotation that the
    attacks read, and then pass it to any number of attacks (`Perturber.perturb`).

    Args:
        constraints: what is protected: a list of names of constraints, rule files, `Constraint` objects, or functions
            of your own, which take a row and its annotated fields and return the spans of each field. () stands for no
            constraints. A function that takes a task and returns the names of constraints may be given instead of a
            list. By default, each record has the constraints that its task names.
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
        self._choose = constraints if _chooses(constraints) else None
        self._given = None if constraints is None or _chooses(constraints) else _listed(constraints)

    def constraints(self, task: Task) -> tuple[Constraint, ...]:
        """Return the constraints for a task: those that the preparation was given, or by default those of the task.

        Raises:
            AugmentError: there is no such constraint, or a constraint is for another language than the task's.
        """
        names = self._choose(task) if self._choose else task.layout.constraints
        found = tuple(map(constraint_of, names)) if self._given is None else self._given
        for one in found:
            if one.language not in (None, task.benchmark.language):
                raise AugmentError(
                    f"the constraint '{one.name}' reads {LANGUAGES[one.language]}, the texts of the task '{task.name}' "
                    f"are {LANGUAGES[task.benchmark.language]}; leave it out (`constraints=()` for none)"
                )
        return found

    def check(self, task: Task | None) -> None:
        """Compile the constraints, so that an invalid rule is an error before the run starts.

        If constraints depend on tasks that are not known yet, nothing is done.

        Args:
            task: the task of all rows; None if each row's task is recognised.

        Raises:
            AugmentError: a pattern or a function of a rule is invalid, or a constraint is for another language.
        """
        if task is not None or self._given is not None:
            check_rules(self.constraints(task or generic()))

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
        needs: Iterable[Needs] = (),
    ) -> Iterator[Prepared]:
        """Prepare the rows of a dataset for attacks, and yield them in chunks of at most 1024.

        Args:
            records: rows as dictionaries; they are not modified.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            field: the fields to perturb instead of the task's, such as `text`, `inputs.text` or `qas[].query`.
            needs: what each attack and its gate (similarity check) need to know about the texts (`Perturber.needs`).

        Raises:
            AugmentError: no task fits a row, or a row lacks a field of its task.
        """
        needs = tuple(needs)
        known = task_or_file(task) if isinstance(task, str) else task
        fields = (field,) if isinstance(field, str) else tuple(field or ())
        for chunk in chunks((record_of(row, known, fields) for row in records), SIZE):
            yield self.chunk(chunk, needs)

    def texts(self, texts: Iterable[str], *, needs: Iterable[Needs] = ()) -> Iterator[Prepared]:
        """Prepare texts for attacks, and yield them in chunks of at most 1024.

        Args:
            texts: the texts.
            needs: what each attack and its gate (similarity check) need to know about the texts (`Perturber.needs`).

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
        task = generic()
        for chunk in chunks(texts, len):
            alike = AlikeRecords(task, [{"text": text} for text in chunk], chunk)
            yield self.chunk(list(alike) if _SURROGATE.search("".join(chunk)) else alike, needs)

    def check_length(self, record: Record, needs: Needs) -> None:
        """Check that the texts of a record are not too long, if they are to be annotated.

        Args:
            record: the record.
            needs: what the attacks and their gates (similarity checks) need to know about its texts.

        Raises:
            AugmentError: the texts have over 2^20 characters, each of which takes about 1.5 KB of memory.
        """
        if record.size > LONGEST and (needs.layers or needs.guards or needs.scored or self.constraints(record.task)):
            raise AugmentError(
                f"its texts have {record.size:,} characters; with constraints or a gate they may have {LONGEST:,}: "
                "split them, or give `constraints=()` and `similarity` none"
            )

    def chunk(self, records: Sequence[Record], needs: Iterable[Needs] = ()) -> Prepared:
        """Annotate the texts of records, all at once, and find their protected spans.

        Args:
            records: the records.
            needs: what each attack and its gate (similarity check) need to know about the texts (`Perturber.needs`).

        Raises:
            AugmentError: a record lacks a field, or has an offset that does not fit its text; or the annotator or a
                constraint fails.
        """
        every = Needs.of_all(needs)
        if not isinstance(records, AlikeRecords) or max(map(len, records.texts), default=0) > LONGEST:
            for record in records:
                with saying_where(f"record {brief(record.key)}"):
                    self.check_length(record, every)
        try:
            return self._chunk(records, every)
        except AugmentError:
            for record in records:
                record.check()  # raises an error that names the record, if a record is the cause
            raise

    def _docs(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc] | None:
        docs = self.annotate(texts, layers) if layers else None
        if docs is not None and [doc.text for doc in docs] != texts:
            raise AugmentError(
                f"annotator: returned {len(docs)} documents for {len(texts)} texts, or other texts; "
                f"return one Doc for each text, in the same order"
            )
        return docs

    def _wanted(
        self, texts: Sequence[str], owners: Ints, needs: Needs, rules: frozenset[str], read: frozenset[str]
    ) -> tuple[Sequence[Doc] | None, Sequence[Doc | None] | None]:
        """Annotate the texts of the records that attacks may change.

        Args:
            texts: the texts.
            owners: the number of the record of each text, shape (texts,).
            needs: what the attacks read.
            rules: the layers that the constraints of the records read.
            read: the layers that constraints and guards read.

        Returns:
            The documents for attacks, without tokens where no attack reads a text; and those for constraints, None
            where no attack may change a text. Both are None if nothing is read.
        """
        if not (needs.layered and isinstance(self.annotate, Natasha)):  # with others, tokens may cost as much as all
            docs = self._docs(texts, needs.layers | read)
            return docs, docs
        split = dict(enumerate(self.annotate(texts, frozenset({"tokens"}))))
        kept = _asked(split, owners, needs.layered)
        if "syntax" in needs.layers:
            some = self.annotate.further(list(kept.values()), needs.layers - {"syntax"}, last=False)
            kept = _asked(dict(zip(kept, some, strict=True)), owners, needs.layered)
        reached = kept if needs.wants == needs.layered else _asked(split, owners, needs.wants)
        rest = {row: doc for row, doc in reached.items() if row not in kept}
        every = dict(zip(kept, self.annotate.further(list(kept.values()), needs.layers | read), strict=True))
        every.update(zip(rest, self.annotate.further(list(rest.values()), rules), strict=True))
        nothing = closed(needs.layers | read)
        docs = [every[row] if row in kept else Doc(text, (), nothing) for row, text in enumerate(texts)]
        return docs, [every.get(row) for row in range(len(texts))]

    def _chunk(self, records: Sequence[Record], needs: Needs) -> Prepared:
        each: list[Mapping[str, str]] = []
        if isinstance(records, AlikeRecords) and not (offers_options(records.task) or records.task.layout.offsets):
            tasks, keys, texts = [records.task] * len(records), records.keys, records.texts
            named: Sequence[Collection[str]] = [(records.field,)] * len(records)
        else:
            tasks, keys = [record.task for record in records], [record.key for record in records]
            named = each = [record.texts() for record in records]
            for record in records:
                record.check_places()
            texts = [text for held in each for text in held.values()]
        fields = [name for held in named for name in held]
        owners = np.arange(len(named)).repeat([*map(len, named)])
        different = {id(task): task for task in tasks}  # to hash a task takes long
        of_task = {task: self.constraints(task) for task in different.values()}
        wanted = [of_task[task] for task in tasks] if len(different) > 1 else [*of_task.values()] * len(tasks)
        guards = {name: constraint_of(name) for name in sorted(needs.guards)}
        ruled = [one for several in of_task.values() for one in several]
        rules = frozenset[str]().union(*(one.layers for one in ruled))
        read = rules.union(*(one.layers for one in guards.values()))
        warns = any(one.warns for one in ruled)
        if warns:
            needs = needs._replace(wants=(), layered=())
        docs, seen = self._wanted(texts, owners, needs, rules, read)
        spans, borders, warned = list[list[Span]](), list[list[int]](), dict[int, tuple[str, ...]]()
        if ruled or any(task.layout.anchored for task in of_task):
            queue = iter(seen or map(Doc, texts))
            rows = [{name: doc for name in held if (doc := next(queue)) is not None} for held in named]
            found = _ruled(wanted, records, rows)
            for record, held, own in zip(records, each, found, strict=True) if each else ():
                anchors = record.anchors()
                borders += [anchors.borders.get(name, []) for name in held]
                own.update({name: [*own.get(name, ()), *fixed] for name, fixed in anchors.spans.items()})
            spans = [_outer(own.get(name, ())) for held, own in zip(named, found, strict=True) for name in held]
            for at, row in enumerate(rows) if warns else ():
                if lines := warnings(wanted[at], records[at].view, row):
                    warned[at] = lines
        guarded = _guarded(guards, records, docs or [*map(Doc, texts)] if guards else (), fields, owners)
        batch = Batch(
            texts,
            docs if needs.layers else None,  # what only rules read is not held
            spans,
            borders,
            self.annotate,
            contexts=partial(contexts_of, records),
            guarded=guarded,
        )
        questions = Questions.of(records, fields, owners, batch) if each else None
        unread = None if seen is None else np.array([doc is None for doc in seen], dtype=np.bool_)
        return Prepared(records, fields, owners, digests(keys), batch, questions, warned, unread)


def _ruled(
    wanted: Sequence[tuple[Constraint, ...]], records: Sequence[Record], rows: Sequence[Mapping[str, Doc]]
) -> list[dict[str, Collection[Span]]]:
    """Find the spans that constraints protect in the texts of each record, by field.

    Args:
        wanted: the constraints of each record; records of one task share the object.
        records: the records.
        rows: the texts of each record that attacks may change, annotated, by field.
    """
    found: list[dict[str, Collection[Span]]] = [{} for _ in rows]
    alike: dict[int, list[int]] = {}
    for at, several in enumerate(wanted):
        if rows[at]:
            alike.setdefault(id(several), []).append(at)
    for own in alike.values():
        docs = [rows[at] for at in own]
        every = iter(protected_in_rows(wanted[own[0]], docs, lambda at, own=own: records[own[at]].view))  # type: ignore[misc]
        for at in own:
            found[at] = dict(zip(rows[at], every, strict=False))
    return found


def _asked(docs: Mapping[int, Doc], owners: Ints, wants: Wants) -> dict[int, Doc]:
    """Return the texts, by number, of the records with a text that an attack wants; all texts if `wants` is empty."""
    found = {owners[row] for row, doc in docs.items() if not wants or any(one(doc) for one in wants)}
    return {row: doc for row, doc in docs.items() if owners[row] in found}


def _guarded(
    guards: Mapping[str, Constraint],
    records: Sequence[Record],
    docs: Sequence[Doc],
    fields: Sequence[str],
    of: Ints,
) -> dict[str, list[list[Span]]]:
    """Find the spans of guards, and return those of each text by the name of the guard.

    Args:
        guards: the guards by name.
        records: the records.
        docs: the texts of the records, annotated if a guard needs it; empty if there are no guards.
        fields: the field of each text.
        of: the number of the record of each text, shape (texts,).
    """
    owners, found = of.tolist(), {}
    rows: list[dict[str, Doc]] = [{} for _ in records]
    for doc, field_of, owner in zip(docs, fields, owners, strict=False):
        rows[owner][field_of] = doc
    tasks = [records.task] * len(records) if isinstance(records, AlikeRecords) else [one.task for one in records]
    opens = {at for at, task in enumerate(tasks) if task.layout.spans != "context"}
    for name, guard in guards.items():
        reads = [guard.language in (None, task.benchmark.language) for task in tasks]  # else a guard finds nothing
        every = protected_in_rows((guard,), rows, lambda at: records[at].view)
        spans = [[*own] if reads[owner] else [] for own, owner in zip(every, owners, strict=True)]
        for row, owner in enumerate(owners) if opens else ():
            if owner in opens:  # a word that is exchanged, moved or dropped is not what its label says
                spans[row] += records[owner].labelled().get(fields[row], [])
        found[name] = list(map(_outer, spans))
    return found


def record_of(row: object, task: Task | None, fields: Sequence[str]) -> Record:
    """Make the record of a row.

    Args:
        row: the row, a dictionary.
        task: its task; None to recognise it from the fields of the row.
        fields: the fields to perturb instead of the task's; empty for those of the task.

    Raises:
        AugmentError: the row is not a dictionary, or no task fits it.
    """
    if not isinstance(row, Mapping):
        raise AugmentError(f"{str(row)[:80]!r}: no row; records() takes dictionaries, texts() takes texts")
    return Record(dict(row), task_for_row(row, task, fields))


def _outer(spans: Iterable[Span]) -> list[Span]:
    """Return the spans sorted by place, without those that lie inside another span with the same label."""
    kept: list[Span] = []
    reach: dict[str, int] = {}
    for span in sorted(spans, key=lambda span: (span.start, -span.stop, span.label)):
        if span.stop > reach.get(span.label, -1):
            reach[span.label] = span.stop
            kept.append(span)
    return kept


SIZE = attrgetter("size")
T = TypeVar("T")


def chunks(records: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield records or texts in chunks of at most 1024.

    A chunk ends earlier if it has 2^20 or more characters.

    Args:
        records: the records or texts.
        size_of: a function that returns how many characters a record or text has.
    """
    chunk: list[T] = []
    size = 0
    for record in records:
        chunk.append(record)
        size += size_of(record)
        if len(chunk) == CHUNK_ROWS or size >= CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
