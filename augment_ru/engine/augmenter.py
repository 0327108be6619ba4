"""The one object that users hold: texts and records in, results out."""

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from augment_ru.constraints.protector import Protector
from augment_ru.constraints.rule_file import LANGUAGES, Constraint
from augment_ru.constraints.rule_file import constraint as constraint_of
from augment_ru.draws import Streams, digests, mix
from augment_ru.edits import Script, Span
from augment_ru.engine.attack import Attack, check_probability, layers_of, proposals, seen_by
from augment_ru.engine.composition import attack_of, informed, with_probability
from augment_ru.engine.legality import legal
from augment_ru.engine.prepare import CHUNK_CHARACTERS, CHUNK_ROWS, Prepared, chunks, prepare, prepare_texts
from augment_ru.engine.proposals import Applied, apply
from augment_ru.engine.result import NO_SPANS, Result, Run, Verdict
from augment_ru.engine.search import SCHEDULES, Counts, Found, Gate, Plan, cut
from augment_ru.engine.similarity import Similarity, similarity_of
from augment_ru.errors import AugmentError, unknown
from augment_ru.language.annotate import Annotator
from augment_ru.language.annotate import annotator as annotator_of
from augment_ru.records.record import Record
from augment_ru.records.task import Task, generic, task_for_row
from augment_ru.records.task import task as task_of
from augment_ru.text.characters import Mask

_MOST_CANDIDATES = 1000


Data = TypeVar("Data")


class Augmenter:
    """Perturbs texts by one attack, keeps what is protected, returns only what still means the same.

    Immutable and picklable; may be used from several threads and processes at once. What a text becomes
    depends on the settings, the seed and the text (or the record's id), and on nothing else.

    Args:
        attack: an attack, its name, or names joined by `+`.
        constraints: names, rule files or `Constraint` objects; by default those of the task; () for none;
            or a function of the task that names them.
        similarity: `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, by default the similarity's own.
        schedule: `paper` (halve the probability until it passes) or `strongest` (bisect for the most changes).
        seed: any integer; 0 is a seed like any other.
        probability: in place of the attack's own.
        candidates: how many perturbations are tried for each record.
        min_changes: how many changes a positive probability makes at least, where there are so many.
        floor: the lowest probability that the search goes down to.
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.

    Raises:
        AugmentError: a name is unknown, or a value out of its range.

    >>> augmenter = Augmenter("case", constraints=(), similarity="none", seed=1)
    >>> augmenter("Кошка спит на окне.").text
    'Кошка Спит на окне.'
    """

    def __init__(
        self,
        attack: str | Attack,
        *,
        constraints: str | Constraint | Sequence[str | Constraint] | Callable[[Task], Sequence[str]] | None = None,
        similarity: str | Similarity | Callable[[Sequence[str], Sequence[str]], Any] | None = "navec",
        threshold: float | None = None,
        schedule: str = "paper",
        seed: int = 42,
        probability: float | None = None,
        candidates: int = 3,
        min_changes: int = 1,
        floor: float = 0.01,
        annotator: str | Annotator = "natasha",
    ) -> None:
        self.attack = attack_of(attack) if isinstance(attack, str) else attack
        if probability is not None:
            check_probability(self.attack.name, probability)
            self.attack = with_probability(self.attack, probability)
        check_probability(self.attack.name, self.attack.probability)
        self.similarity = similarity_of(similarity)
        if threshold is not None and not 0.0 <= threshold <= 1.0:
            raise AugmentError(f"threshold {threshold}; needs a number from 0 to 1")
        if schedule not in SCHEDULES:
            raise unknown("schedule", schedule, SCHEDULES)
        if not isinstance(seed, int):
            raise AugmentError(f"seed {seed!r}; needs an integer")
        if not 1 <= candidates <= _MOST_CANDIDATES:
            raise AugmentError(f"candidates {candidates}; needs a number from 1 to {_MOST_CANDIDATES}")
        if min_changes < 0:
            raise AugmentError(f"min_changes {min_changes}; needs an integer, 0 or more")
        if not 0.0 < floor <= 1.0:
            raise AugmentError(f"floor {floor}; needs a probability over 0")
        self.threshold = self.similarity.threshold if threshold is None and self.similarity else threshold
        self.schedule = schedule
        self.seed = seed
        self.candidates = candidates
        self.min_changes = min_changes
        self.floor = floor
        self.annotate = annotator_of(annotator) if isinstance(annotator, str) else annotator
        if isinstance(constraints, str | Constraint):
            constraints = [constraints]
        self.constraints = (
            constraints
            if constraints is None or callable(constraints)
            else tuple(constraint_of(one) if isinstance(one, str) else one for one in constraints)
        )

    def informed(self, corpus: object) -> "Augmenter":
        """The same with an attack that draws on this corpus (`augment_ru.editing.corpus.Corpus`), if it wants one."""
        other = copy.copy(self)
        other.attack = informed(self.attack, corpus)
        return other

    @property
    def run(self) -> Run:
        """What the results of this augmenter share."""
        scorer = self.similarity.signature if self.similarity else "none"
        return Run(self.attack.name, self.seed, scorer, self.threshold if self.similarity else None)

    @property
    def layers(self) -> frozenset[str]:
        """The annotation that the attack reads."""
        return layers_of(self.attack)

    def protector(self, task: Task) -> Protector:
        """The constraints that hold for a task: those given, else the task's own.

        Raises:
            AugmentError: a constraint reads another language than the texts of the task.
        """
        names: Sequence[str | Constraint]
        if callable(self.constraints):
            names = self.constraints(task)
        else:
            names = task.constraints if self.constraints is None else self.constraints
        found = tuple(constraint_of(one) if isinstance(one, str) else one for one in names)
        for one in found:
            if one.language not in (None, task.language):
                raise AugmentError(
                    f"the constraint '{one.name}' reads {LANGUAGES[one.language]}, the texts of the task '{task.name}' "
                    f"are {LANGUAGES[task.language]}; leave it out (--no-constraints for none)"
                )
        return Protector(found)

    def __call__(self, text: str) -> Result:
        """Perturb one text."""
        return self.texts([text])[0]

    def texts(self, texts: Iterable[str]) -> list[Result]:
        """Perturb texts; results stand in their order.

        Raises:
            AugmentError: one of the texts is no string, or holds a lone surrogate.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the augmenter itself")
        texts = texts if isinstance(texts, Sequence) else list(texts)
        protector = self.protector(generic())
        for text in texts:
            if not isinstance(text, str):
                raise AugmentError(f"{text!r}: not a text; give strings, or use records() for rows")
        found: list[Result] = []
        at = 0
        while at < len(texts):
            chunk = texts[at : at + CHUNK_ROWS]
            while len(chunk) > 1 and sum(map(len, chunk)) > CHUNK_CHARACTERS:
                chunk = chunk[: len(chunk) // 2]
            found += self.perturb(prepare_texts(chunk, protector, self.annotate, self.layers))
            at += len(chunk)
        return found

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
    ) -> Iterator[Result]:
        """Perturb dataset rows one chunk after another; results come in their order.

        Args:
            records: rows as dictionaries; they are not changed.
            task: a task or its name; by default recognised from each row's fields.
            field: the fields to perturb, in place of the task's: `text`, `inputs.text`, `qas[].query`.

        Raises:
            AugmentError: no task fits, or a row lacks a field of it.
        """
        known = task_of(task) if isinstance(task, str) else task
        fields = (field,) if isinstance(field, str) else tuple(field or ())
        for chunk in chunks(Record(dict(row), task_for_row(row, known, fields)) for row in records):
            yield from self.perturb(prepare(chunk, self.protector, self.annotate, self.layers))

    def map_dataset(
        self,
        dataset: Data,
        *,
        field: str | Sequence[str] | None = None,
        task: str | Task | None = None,
        meta: str = "full",
        num_proc: int | None = None,
        batch_size: int = 1024,
    ) -> Data:
        """Perturb a Hugging Face dataset; its rows become what `records` makes of them.

        Args:
            dataset: a `Dataset`, `IterableDataset` (streaming), or a dictionary of either; it is not changed.
            field: the fields to perturb, in place of the task's.
            task: a task or its name; by default recognised from each row's fields.
            meta: full, brief or none: what the column `augment` holds, as a text of JSON.
            num_proc: processes; not for a dataset that is streamed.
            batch_size: rows worked on at once; the outcome does not depend on it.

        Raises:
            AugmentError: the library is missing, no task fits, or a row lacks a field of it.
        """
        from augment_ru.engine.datasets import map_dataset  # noqa: PLC0415  (an extra)

        return map_dataset(self, dataset, field=field, task=task, meta=meta, num_proc=num_proc, batch_size=batch_size)

    def perturb(self, prepared: Prepared, counts: Counts | None = None) -> list[Result]:
        """Perturb prepared records; `counts`, if given, is told what the search cost."""
        if not prepared.batch:
            return []
        prepared = self.seen(prepared)
        if self.similarity is None or self.attack.probability == 0:
            return self._ungated(prepared)
        return self._gated(prepared, self.similarity, counts)

    def seen(self, prepared: Prepared) -> Prepared:
        """The records with what is protected from this attack."""
        batch = seen_by(self.attack, prepared.batch)
        return prepared if batch is prepared.batch else replace(prepared, batch=batch)

    def streams(self, prepared: Prepared, candidate: int) -> Streams:
        """The random draws of each text: a function of seed, attack, record, field and candidate."""
        keys = Streams.of(prepared.keys, self.seed, self.attack.name, candidate).keys[prepared.owners]
        names = list(dict.fromkeys(prepared.fields))
        salts = digests(names)
        if len(names) == 1:
            return Streams(mix(keys ^ salts))
        return Streams(mix(keys ^ salts[[names.index(name) for name in prepared.fields]]))

    def plan(self, prepared: Prepared, candidate: int) -> Plan:
        """The legal changes of a candidate that its probability makes active."""
        batch, probability = prepared.batch, self.attack.probability
        found = legal(batch, proposals(self.attack, batch, self.streams(prepared, candidate)))
        owners = prepared.owners[batch.rows(found.starts[found.first_edits])]
        active = cut(found, owners, probability, self.min_changes)
        return Plan.of(found.keep(active).settled(), owners[active], len(prepared.records))

    def _ungated(self, prepared: Prepared) -> list[Result]:
        batch, probability = prepared.batch, self.attack.probability
        found = legal(batch, proposals(self.attack, batch, self.streams(prepared, 0)))
        owners = prepared.owners[batch.rows(found.starts[found.first_edits])]
        active = cut(found, owners, probability, self.min_changes)
        changed = np.bincount(owners[active], minlength=len(prepared)) > 0
        none = np.full(len(prepared), np.nan)
        probabilities = np.full(len(prepared), probability)
        columns = Found(np.where(changed, 0, -1), none, probabilities, none)
        return _results(prepared, [apply(batch, found, active)], columns, changed, self.run)

    def _gated(self, prepared: Prepared, similarity: Similarity, counts: Counts | None) -> list[Result]:
        batch = prepared.batch
        plans = [self.plan(prepared, candidate) for candidate in range(self.candidates)]
        gate = Gate(batch, prepared.owners, plans, similarity, float(self.threshold or 0.0))
        found = SCHEDULES[self.schedule](gate, self.attack.probability, self.min_changes, self.floor)
        if counts is not None:
            counts.add(found.counts)
        applied = [
            apply(batch, plan.proposals, plan.mask(np.where(found.candidates == candidate, found.levels, 0)))
            for candidate, plan in enumerate(plans)
        ]
        possible = np.max([plan.levels for plan in plans], axis=0) > 0
        return _results(prepared, applied, found, possible, self.run)


class _Outcomes:
    """What became of the records of a chunk."""

    __slots__ = (
        "_applied",
        "_candidates",
        "_possible",
        "_prepared",
        "_probabilities",
        "_similarities",
        "_warnings",
        "run",
    )

    def __init__(self, prepared: Prepared, applied: Sequence[Applied], found: Found, possible: Mask, run: Run) -> None:
        self._prepared, self._applied, self.run = prepared, applied, run
        self._warnings = found.warnings
        self._candidates, self._possible = found.candidates.tolist(), possible.tolist()
        self._probabilities, self._similarities = found.probabilities.tolist(), found.similarities.tolist()

    def record(self, at: int) -> Record:
        return self._prepared.records[at]

    def scripts(self, at: int) -> dict[str, Script]:
        prepared, batch = self._prepared, self._prepared.batch
        texts, edits = self._applied[max(self._candidates[at], 0)]
        return {
            prepared.fields[row]: Script.of_columns(batch.texts[row], texts[row], edits, row, int(batch.starts[row]))
            for row in prepared.rows(at)
        }

    def text(self, at: int) -> str | None:
        if len(self._prepared.fields) != len(self._prepared):
            return None
        applied: Applied = self._applied[max(self._candidates[at], 0)]
        return applied.texts[at]

    def protected(self, at: int) -> Mapping[str, tuple[Span, ...]]:
        batch = self._prepared.batch
        if not batch.spans[2]:
            return NO_SPANS
        return {self._prepared.fields[row]: tuple(batch.protected(row)) for row in self._prepared.rows(at)}

    def verdict(self, at: int) -> Verdict:
        candidate, warnings = self._candidates[at], self._warnings.get(at, ())
        if candidate < 0:
            return Verdict("rejected" if self._possible[at] else "unchanged", warnings=warnings)
        similarity = None if math.isnan(self._similarities[at]) else self._similarities[at]
        return Verdict("perturbed", self._probabilities[at], similarity, candidate, warnings)


def _results(prepared: Prepared, applied: Sequence[Applied], found: Found, possible: Mask, run: Run) -> list[Result]:
    outcomes = _Outcomes(prepared, applied, found, possible, run)
    return [Result(outcomes, at) for at in range(len(prepared))]
