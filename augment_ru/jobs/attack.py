"""The work of `augment-ru attack`: reads rows, searches for the changes that break a model, writes them."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from augment_ru.adversary.adversary import Adversary, check_search
from augment_ru.adversary.case import STATUSES, SearchCase
from augment_ru.adversary.victim import labels_of, victim_of
from augment_ru.errors import AugmentError, unknown
from augment_ru.evaluation.cache import Cache, default_path
from augment_ru.evaluation.evaluate import check_models
from augment_ru.evaluation.named_model import NamedModel
from augment_ru.evaluation.pairs import task_of_rows
from augment_ru.formats.files import check_input
from augment_ru.formats.read import read_rows
from augment_ru.formats.row import Changed
from augment_ru.jobs.perturb import Job, write_rows, wrote
from augment_ru.jobs.progress import progress, say
from augment_ru.jobs.summary import Tally
from augment_ru.records.record import Record
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class AttackJob:
    """A run of `attack`, as the command line describes it.

    Attributes:
        rows: the files, the task and its fields, and the attacks with their gate.
        model: the specification of the model.
        label_fields: the fields of the right answer, in place of the task's.
        train: the file that models are trained on; None for none.
        options: options of models, by kind.
        device: where networks run.
        cache: the file of the cache, or none; None for the user's cache folder.
        search: further arguments of `Adversary`: budget, target, minimal, draws, seconds.
    """

    rows: Job
    model: str
    label_fields: Sequence[str]
    train: str | None
    options: Mapping[str, Mapping[str, str]]
    device: str
    cache: str | None
    search: Mapping[str, Any]

    def check(self) -> None:
        """Check names and files before anything is read.

        Raises:
            AugmentError: a name, a value or a file is wrong.
        """
        if self.rows.source == "-":
            raise AugmentError("IN -: stdin can be read once, and the labels are read first; give a file")
        self.rows.check()
        check_models([self.model], self.options)
        check_search(len(self.rows.perturbers), self.search["budget"], self.search["draws"], self.search["seconds"])
        if self.train is not None:
            check_input(self.train, "--train")


@dataclass(slots=True)
class _Count:
    """What the searches came to so far."""

    statuses: Counter[str] = field(default_factory=Counter)
    queries: int = 0
    began: float = field(default_factory=time.perf_counter)

    def add(self, case: SearchCase) -> None:
        self.statuses[str(case.status)] += 1
        self.queries += case.queries

    @property
    def note(self) -> str:
        """What the progress bar shows."""
        broken, withstood = self.statuses["broken"], self.statuses["withstood"]
        return f"; {broken:,} broken, {withstood:,} withstood, {self.queries:,} queries"


def run_attack(job: AttackJob) -> int:
    """Search for the changes of all rows; the exit code: 1 if rows were skipped, otherwise 0.

    Raises:
        AugmentError: a row or a file is wrong, or the model fails.
    """
    read = read_rows(job.rows.source)
    schema = task_of_rows(read.rows, job.rows.schema, tuple(job.rows.fields), tuple(job.label_fields))
    model = _model(job, read.values, schema)
    cache = None if job.cache == "none" else Cache(Path(job.cache) if job.cache else default_path())
    count, tally = _Count(), Tally({})
    adversaries: dict[int, Adversary] = {}

    def found(chunk: Sequence[Record], rows: Job) -> Iterator[tuple[Record, Changed]]:
        if id(rows) not in adversaries:  # once: the attacks have their corpus now
            adversaries[id(rows)] = Adversary(
                rows.perturbers, model, preparation=rows.preparation, cache=cache, **job.search
            )
        adversary = adversaries[id(rows)]
        records = [replace(record, task=replace(record.task, gold=schema.gold)) for record in chunk]

        def finished(case: SearchCase) -> None:
            count.add(case)
            advance(1, note=count.note)

        for one in adversary.search(rows.preparation.chunk(records, adversary.needs), finished):
            tally.warned += bool(one.warnings)
            tally.written += 1
            yield one.record, one.changed(rows.meta)

    total = len(read.rows) if job.rows.limit is None else min(job.rows.limit, len(read.rows))
    try:
        with progress("attack", "rows", total, silent=job.rows.quiet) as advance:
            write_rows(job.rows, tally, found)
    finally:
        if cache:
            cache.close()
    say(_closing(count, tally, adversaries), quiet=job.rows.quiet)
    say(wrote(job.rows, tally), quiet=job.rows.quiet)
    return 1 if tally.skipped else 0


def _model(job: AttackJob, rows: Sequence[Mapping[str, Any]], schema: Task) -> NamedModel:
    """The model.

    Raises:
        AugmentError: it cannot be made, or it has no label of the name that is aimed at.
    """
    labels, target = labels_of(rows, schema), job.search["target"]
    if target is not None and labels and target not in labels:
        raise unknown("label of the rows", target, labels)
    given = job.options.get(job.model.partition(":")[0], {})
    seed = job.rows.perturbers[0].seed
    return victim_of(job.model, rows, schema, train=job.train, device=job.device, options=given, seed=seed)


def _closing(count: _Count, tally: Tally, adversaries: Mapping[int, Adversary]) -> str:
    """The line at the end of a run."""
    right = sum(count.statuses.values()) - count.statuses["wrong_before"]
    rate = f" ({count.statuses['broken'] / right:.1%} of {right:,} right)" if right else ""
    parts = [f"{tally.rows:,} rows in", ", ".join(f"{count.statuses[name]:,} {name}" for name in STATUSES) + rate]
    parts.append(f"{count.queries:,} queries")
    cached = sum(adversary.ledger.counts.from_cache for adversary in adversaries.values())
    parts += [f"{cached:,} answers from the cache"] if cached else []
    parts += [f"{tally.warned:,} rows with warnings"] if tally.warned else []
    parts += [f"{tally.skipped:,} lines skipped"] if tally.skipped else []
    return "; ".join([*parts, f"{time.perf_counter() - count.began:.1f} s"])
