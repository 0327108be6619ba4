"""The work of `augment-ru perturb`: rows in, rows out, in chunks; nothing half-done is left behind."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import orjson

from augment_ru.engine.attack import Attack
from augment_ru.engine.augmenter import Augmenter
from augment_ru.engine.composition import wants_corpus
from augment_ru.engine.prepare import chunks, prepare
from augment_ru.engine.result import STATUSES, Result, original
from augment_ru.engine.search import Counts
from augment_ru.errors import AugmentError
from augment_ru.formats.files import Advance, opened, progress, replacing, twice
from augment_ru.formats.json_lines import Line, encoded
from augment_ru.formats.row import refuse_twice
from augment_ru.formats.sinks import sink_of
from augment_ru.formats.sources import JSON_LINES, KINDS, Source, kind_of, source_of
from augment_ru.jobs.summary import Summary, summary_lines
from augment_ru.records.record import Record
from augment_ru.records.task import Task, chosen, generic
from augment_ru.records.task import task as task_of
from augment_ru.version import __version__


@dataclass(frozen=True, slots=True)
class Job:
    """What the command line asks for."""

    source: str
    output: str | None
    attacks: Sequence[Attack]
    task: str | None
    fields: Sequence[str]
    settings: Mapping[str, Any]
    with_original: bool = False
    meta: str = "full"
    skip: bool = False
    limit: int | None = None
    report: str | None = None

    def prepared(self) -> "Prepared":
        """The job with its augmenters made and its files looked at, before anything is read.

        Raises:
            AugmentError: a name, a value or a file is wrong.
        """
        if not self.attacks:
            raise AugmentError("no attack; name one with --attack (augment-ru list attacks)")
        augmenters = [Augmenter(attack, **self.settings) for attack in self.attacks]
        task = task_of(self.task) if self.task else None
        if task is not None or augmenters[0].constraints is not None:
            augmenters[0].protector(task or generic()).compiled()  # a wrong rule is wrong usage, not a failed run
        if self.source != "-" and not Path(self.source).exists():
            raise AugmentError(f"{self.source}: no such file")
        if self.source != "-" and Path(self.source).is_dir():
            raise AugmentError(f"{self.source}: is a folder; give a file")
        if self.report is not None:
            self.check_beside("--report", self.report)
        if self.output is not None:
            self._check_output(Path(self.output))
        elif self.skip:
            raise AugmentError("--on-error skip: needs -o, so that rejected lines can be written beside it")
        if "Parquet" in {kind_of(self.source), self.format} and find_spec("pyarrow") is None:
            raise AugmentError('Parquet files need pyarrow: pip install "augment-ru[hf]"')
        return Prepared(self, augmenters, task)

    def check_beside(self, option: str, file: str) -> None:
        """See that a file which an option names can be written, and takes the place of no other of the job.

        Raises:
            AugmentError: it has no folder, is one, or is the input or the output.
        """
        path = Path(file)
        if not file or path.is_dir():
            raise AugmentError(f"{option} {file}: is no file; give a file to write to")
        if not path.absolute().parent.is_dir():
            raise AugmentError(f"{option} {file}: its folder does not exist; make it first")
        if path.is_file() and self._is_input(path):
            raise AugmentError(f"{option} {file}: is the input; give another file, or the input would be lost")
        taken = [] if self.output is None else [Path(self.output), *([self.rejects] if self.skip else [])]
        if any(path.resolve() == other.resolve() for other in taken):
            raise AugmentError(f"{option} {file}: the rows go there; give another file")

    def _check_output(self, target: Path) -> None:
        if not self.output or target.is_dir():
            raise AugmentError(f"-o {self.output}: is no file; give a file to write to")
        if not target.absolute().parent.is_dir():
            raise AugmentError(f"{target}: the folder {target.parent} does not exist; make it first")
        if self.skip and target.exists() and not target.is_file():
            raise AugmentError(f"--on-error skip: {target} is no plain file, so rejects have no place beside it")
        for path in (target, self.rejects) if self.skip else (target,):
            if path.exists() and path.is_file() and self._is_input(path):
                raise AugmentError(f"{path}: is the input; give another file, or the input would be lost")

    def _is_input(self, path: Path) -> bool:
        if self.source != "-":
            return path.samefile(self.source)
        return sys.stdin is not None and os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))

    @property
    def rejects(self) -> Path:
        """Where rejected lines go: `OUT.rejects.jsonl` beside `OUT.jsonl`."""
        target = Path(self.output or "")
        stem = target.stem if target.suffix in {".jsonl", *KINDS} else target.name
        return target.with_name(f"{stem}.rejects.jsonl")

    @property
    def format(self) -> str:
        """That of the output: of its name, on stdout that of the input, but JSON lines for Parquet."""
        kind = kind_of(self.source if self.output is None else self.output)
        return JSON_LINES if self.output is None and kind == "Parquet" else kind


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job that can run."""

    job: Job
    augmenters: Sequence[Augmenter]
    task: Task | None


@dataclass(slots=True)
class Tally:
    """What is told at the end."""

    summaries: Mapping[str, Summary]
    rows: int = 0
    skipped: int = 0
    began: float = field(default_factory=time.perf_counter)

    def __str__(self) -> str:
        counts = Counts()
        status: Counter[str] = Counter()
        for summary in self.summaries.values():
            counts.add(summary.counts)
            status += summary.figures.statuses
        parts = [f"{self.rows:,} rows in", ", ".join(f"{status[name]:,} {name}" for name in STATUSES)]
        if counts.pairs:
            parts.append(f"{counts.pairs:,} pairs scored in {counts.rounds:,} calls")
        if counts.passes:
            each = f", {counts.passes / status['perturbed']:.2f} per perturbed row" if status["perturbed"] else ""
            parts.append(f"{counts.passes:,} forward passes{each}")
        if self.skipped:
            parts.append(f"{self.skipped:,} lines skipped")
        return "; ".join([*parts, f"{time.perf_counter() - self.began:.1f} s"])

    def report(self, prepared: "Prepared") -> dict[str, Any]:
        """The same, and what defines the numbers, as JSON values; without the time, so that it can be compared."""
        first = prepared.augmenters[0]
        return {
            "version": 1,
            "augment_ru": __version__,
            "scorer": first.run.scorer,
            "threshold": first.run.threshold,
            "schedule": first.schedule if first.similarity else None,
            "candidates": first.candidates if first.similarity else 1,
            "seed": first.seed,
            "rows": self.rows,
            "skipped": self.skipped,
            "attacks": {name: summary.table() for name, summary in self.summaries.items()},
        }


def run(prepared: Prepared) -> int:
    """Do the job; the exit code: 1 when lines were skipped, else 0.

    Raises:
        AugmentError: a line or a file is wrong.
    """
    job = prepared.job
    tally = Tally({augmenter.attack.name: Summary() for augmenter in prepared.augmenters})
    with ExitStack() as stack:
        content = stack.enter_context(opened(job.source))
        if any(wants_corpus(augmenter.attack) for augmenter in prepared.augmenters):
            content = stack.enter_context(twice(content))
            prepared = _informed(prepared, content)
        source = _source(job, content)
        stream, reject = stack.enter_context(_outputs(job))
        advance = stack.enter_context(progress(job.source))
        sink = sink_of(job.format, stream, source, job.meta, mark=job.output is not None)
        for chunk in chunks(_records(source, prepared, tally, reject, advance)):
            sink.write(list(_perturbed(chunk, prepared, tally)))
            stream.flush()
        sink.finish()
        stream.flush()
    if job.report is not None:
        with replacing(Path(job.report)) as file:
            file.write(orjson.dumps(tally.report(prepared), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    if sys.stderr is not None:
        print(*summary_lines(tally.summaries), f"augment-ru: {tally}", sep="\n", file=sys.stderr)
    return 1 if tally.skipped else 0


def _source(job: Job, stream: BinaryIO) -> Source:
    try:
        return source_of(kind_of(job.source), stream)
    except AugmentError as error:
        raise AugmentError(f"{job.source}: {error}") from error


def _informed(prepared: Prepared, stream: BinaryIO) -> Prepared:
    """The job with attacks that know the sentences of all its records; the stream is back where it was."""
    from augment_ru.editing.corpus import corpus_of  # noqa: PLC0415  (only some attacks want it)

    start = stream.tell()
    source = _source(prepared.job, stream)

    def records() -> Iterator[Record]:
        for line in source:
            with suppress(AugmentError):  # told when it is perturbed
                yield _record(source, line, prepared.job, prepared.task)

    corpus = corpus_of(records())
    stream.seek(start)
    return replace(prepared, augmenters=[augmenter.informed(corpus) for augmenter in prepared.augmenters])


def _perturbed(chunk: Sequence[Record], prepared: Prepared, tally: Tally) -> Iterator[Result]:
    """The results of the rows: in row order, the attacks of a row in command order."""
    job, augmenters = prepared.job, prepared.augmenters
    layers = frozenset().union(*(augmenter.layers for augmenter in augmenters))
    shared = prepare(chunk, augmenters[0].protector, augmenters[0].annotate, layers)
    summaries = [tally.summaries[augmenter.attack.name] for augmenter in augmenters]
    by_attack = [
        augmenter.perturb(shared, summary.counts) for augmenter, summary in zip(augmenters, summaries, strict=True)
    ]
    for record, *results in zip(chunk, *by_attack, strict=True):
        if job.with_original:
            yield original(record, augmenters[0].seed)
        for result, summary in zip(results, summaries, strict=True):
            summary.add(result)
            yield result


def records_of(prepared: Prepared) -> Iterator[Record]:
    """The rows of the job's input as records.

    Raises:
        AugmentError: a line is no row of the task.
    """

    def reject(line: Line, reason: str) -> None:
        raise AugmentError(f"{line.number}: {reason}")

    with opened(prepared.job.source) as stream:
        source = _source(prepared.job, stream)
        yield from _records(source, prepared, Tally({}), reject, lambda _rows, _size: None)


class _Reject(Protocol):
    def __call__(self, line: Line, reason: str) -> None: ...


def _records(source: Source, prepared: Prepared, tally: Tally, reject: _Reject, advance: Advance) -> Iterator[Record]:
    """The rows of the file as records that can be perturbed; what cannot is rejected, or ends the run."""
    job = prepared.job
    where = "stdin" if job.source == "-" else job.source
    if job.limit == 0:
        return
    for line in source:
        try:
            record = _record(source, line, job, prepared.task)
        except AugmentError as error:
            if not job.skip:
                raise AugmentError(f"{where}: {source.unit} {line.number}: {error}") from error
            tally.skipped += 1
            reject(line, str(error))
            continue
        tally.rows += 1
        advance(1, len(line.data) + 1)
        yield record
        if tally.rows == job.limit:
            return


def _record(source: Source, line: Line, job: Job, task: Task | None) -> Record:
    """The record of a line, of the task given or recognised.

    Raises:
        AugmentError: the line is no row of the task.
    """
    if line.problem:
        raise AugmentError(line.problem)
    text, values, origin = source.parsed(line)
    record = Record(values, chosen(values, task, job.fields), text, origin)
    record.texts()
    record.anchors()
    if job.meta != "none":
        refuse_twice(values)
    return record


@contextmanager
def _outputs(job: Job) -> Iterator[tuple[BinaryIO, _Reject]]:
    """Where rows and rejected lines go."""
    if job.output is None:
        if sys.stdout is None:
            raise AugmentError("stdout: is closed; give a file with -o")

        def never(line: Line, reason: str) -> None:
            raise AugmentError(f"line {line.number}: {reason}")

        yield sys.stdout.buffer, never
        return

    target = Path(job.output)
    with ExitStack() as stack:
        rows = stack.enter_context(replacing(target))
        rejects: list[BinaryIO] = []

        def reject(line: Line, reason: str) -> None:
            if not rejects:
                rejects.append(stack.enter_context(replacing(job.rejects)))
            row: dict[str, Any] = {"line": line.number, "reason": reason}
            try:
                row["raw"] = line.data.decode()
            except UnicodeDecodeError:
                row["raw_hex"] = line.data.hex()
            rejects[0].write(f"{encoded(row)}\n".encode())

        yield rows, reject
        if job.skip and not rejects:
            job.rejects.unlink(missing_ok=True)  # of a run before: no longer true
