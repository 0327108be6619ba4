"""The work of `augment-ru perturb`: reads rows in chunks, perturbs them, writes them; no incomplete file is left."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation, chunks
from augment_ru.engine.result import original
from augment_ru.errors import AugmentError
from augment_ru.formats.files import check_input, check_outputs, open_input, replacing, twice
from augment_ru.formats.json_lines import Line, encoded
from augment_ru.formats.row import Changed, refuse_twice
from augment_ru.formats.sinks import sink_of
from augment_ru.formats.sources import JSON_LINES, KINDS, RowSource, kind_of, source_of
from augment_ru.jobs.progress import progress
from augment_ru.jobs.summary import Summary, Tally, summary_lines
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_for_row
from augment_ru.records.task import task as task_of


@dataclass(frozen=True, slots=True)
class Job:
    """A run of `perturb`, as the command line describes it.

    Attributes:
        source: the input file; `-` is stdin.
        output: the output file; None is stdout.
        perturbers: the attacks, in the order of the command line.
        preparation: annotates and protects the records.
        task: the name of the task of all rows; None recognises that of each row.
        fields: the fields to perturb, in place of the task's.
        with_original: whether each row is also written unperturbed.
        meta: full, brief or none: how much metadata is written.
        skip: whether bad rows go to the rejects file; otherwise the first one ends the run.
        limit: how many rows are read at most.
        report: the file of the closing table as JSON.
        reads: the files that options name: the recipe, rule files, dictionaries, folders of models.
    """

    source: str
    output: str | None
    perturbers: Sequence[Perturber]
    preparation: Preparation
    task: str | None
    fields: Sequence[str]
    with_original: bool = False
    meta: str = "full"
    skip: bool = False
    limit: int | None = None
    report: str | None = None
    reads: Sequence[str] = ()

    @property
    def schema(self) -> Task | None:
        """The task of all rows; None if that of each row is recognised."""
        return task_of(self.task) if self.task else None

    def check(self) -> None:
        """Check names, constraints and files before anything is read.

        Raises:
            AugmentError: a name, a value or a file is wrong.
        """
        if not self.perturbers:
            raise AugmentError("no attack; name one with --attack (augment-ru list attacks)")
        self.preparation.check(self.schema)  # so that a wrong rule is an error of usage
        check_input(self.source)
        self._check_outputs()
        if "Parquet" in {kind_of(self.source), self.format} and find_spec("pyarrow") is None:
            raise AugmentError('Parquet files need pyarrow: pip install "augment-ru[hf]"')

    def _check_outputs(self) -> None:
        if self.skip and self.output is None:
            raise AugmentError("--on-error skip: needs -o, so that rejected lines can be written beside it")
        if self.skip and Path(self.output or "").exists() and not Path(self.output or "").is_file():
            raise AugmentError(f"--on-error skip: {self.output} is no plain file, so rejects have no place beside it")
        rejects = str(self.rejects) if self.skip else None
        outputs = [("-o", self.output), ("the rejects of --on-error skip:", rejects), ("--report", self.report)]
        check_outputs(outputs, [self.source, *self.reads])

    @property
    def rejects(self) -> Path:
        """The file of rejected rows: `OUT.rejects.jsonl` beside `OUT.jsonl`."""
        target = Path(self.output or "")
        stem = target.stem if target.suffix in {".jsonl", *KINDS} else target.name
        return target.with_name(f"{stem}.rejects.jsonl")

    @property
    def format(self) -> str:
        """The format of the output: by its name; on stdout that of the input, or JSON Lines if that is Parquet."""
        kind = kind_of(self.source if self.output is None else self.output)
        return JSON_LINES if self.output is None and kind == "Parquet" else kind


def run(job: Job) -> int:
    """Perturb the rows; the exit code: 1 if rows were skipped, otherwise 0.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    tally = Tally({perturber.attack.name: Summary() for perturber in job.perturbers})
    with progress("perturb", "rows", _size(job.source)) as advance:
        write_rows(job, tally, advance, lambda chunk, job: _perturbed(chunk, job, tally))
    if job.report is not None:
        with replacing(Path(job.report)) as file:
            file.write(tally.report(job.perturbers[0]))
    if sys.stderr is not None:
        print(*summary_lines(tally.summaries), f"augment-ru: {tally}", sep="\n", file=sys.stderr)
    return 1 if tally.skipped else 0


Work: TypeAlias = Callable[[Sequence[Record], Job], Iterable[tuple[Record, Changed]]]
"""What is done with a chunk of records: a function to the rows that are written for them."""


def write_rows(job: Job, tally: Tally, advance: Callable[[int, int], None], work: Work) -> None:
    """Read the rows of a job in chunks, and write what is made of them; no incomplete file is left.

    Args:
        job: the files, and the attacks, which get the corpus of the rows if they want one.
        tally: counts the rows.
        advance: is called with the number of rows and of bytes that were read.
        work: makes the rows that are written; it gets the job with the corpus.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    with ExitStack() as stack:
        content = stack.enter_context(open_input(job.source))
        if any(perturber.attack.wants_corpus for perturber in job.perturbers):
            content = stack.enter_context(twice(content))
            job = _with_corpus(job, content)
        source = _source(job, content)
        stream, reject = stack.enter_context(_outputs(job))
        kind, marked = job.format, job.output is not None
        sink = stack.enter_context(closing(sink_of(kind, stream, source, metadata=job.meta != "none", mark=marked)))
        for chunk in chunks(_records(source, job, tally, reject, advance, sink.check)):
            sink.write(list(work(chunk, job)))
            stream.flush()
        sink.finish()
        stream.flush()


def _size(source: str) -> int | None:
    """The bytes of a file; None if it is no plain file."""
    return Path(source).stat().st_size if source != "-" and Path(source).is_file() else None


def _source(job: Job, stream: BinaryIO) -> RowSource:
    try:
        return source_of(kind_of(job.source), stream)
    except AugmentError as error:
        raise AugmentError(f"{job.source}: {error}") from error


def _with_corpus(job: Job, stream: BinaryIO) -> Job:
    """The job with attacks that have the sentences of all its records; the stream stands where it stood."""
    from augment_ru.editing.input_corpus import InputCorpus  # noqa: PLC0415  (only some attacks want it)

    start = stream.tell()
    source, task = _source(job, stream), job.schema

    def records() -> Iterator[Record]:
        for line in source:
            with suppress(AugmentError):  # the row is reported when it is perturbed
                yield _record(source, line, job, task)

    corpus = InputCorpus.of(records())
    stream.seek(start)
    return replace(job, perturbers=[perturber.with_corpus(corpus) for perturber in job.perturbers])


def _perturbed(chunk: Sequence[Record], job: Job, tally: Tally) -> Iterator[tuple[Record, Changed]]:
    """The rows of the records in their order; those of a record in the order of the attacks."""
    prepared = job.preparation.chunk(chunk, [perturber.needs for perturber in job.perturbers])
    summaries = [tally.summaries[perturber.attack.name] for perturber in job.perturbers]
    found = [perturber.perturb(prepared) for perturber in job.perturbers]
    for summary, perturbed in zip(summaries, found, strict=True):
        summary.cost.add(perturbed.cost)
    for record, *results in zip(chunk, *(perturbed.results for perturbed in found), strict=True):
        if job.with_original:
            yield record, original(record, job.perturbers[0].seed).changed(job.meta)
        tally.warned += any(result.warnings for result in results)
        for result, summary in zip(results, summaries, strict=True):
            summary.add(result)
            yield record, result.changed(job.meta)


def records_of(job: Job) -> Iterator[Record]:
    """The records of the job's input.

    Raises:
        AugmentError: a line is no row of the task.
    """

    def reject(line: Line, reason: str) -> None:
        raise AugmentError(f"{line.number}: {reason}")

    with open_input(job.source) as stream:
        source = _source(job, stream)
        yield from _records(source, job, Tally({}), reject, lambda _rows, _size: None, lambda _record: None)


class _Reject(Protocol):
    def __call__(self, line: Line, reason: str) -> None: ...


def _records(  # noqa: PLR0917  (the parts of a run)
    source: RowSource,
    job: Job,
    tally: Tally,
    reject: _Reject,
    advance: Callable[[int, int], None],
    check: Callable[[Record], None],
) -> Iterator[Record]:
    """The records that can be perturbed and written; a row that cannot is rejected, or ends the run."""
    task = job.schema
    where = "stdin" if job.source == "-" else job.source
    if job.limit == 0:
        return
    for line in _lines(source, where):
        try:
            record = _record(source, line, job, task)
            check(record)
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


def _lines(source: RowSource, where: str) -> Iterator[Line]:
    """The rows of a file.

    Raises:
        AugmentError: the file is damaged; the message names it.
    """
    try:
        yield from source
    except AugmentError as error:
        raise AugmentError(f"{where}: {error}") from error


def _record(source: RowSource, line: Line, job: Job, task: Task | None) -> Record:
    """The record of a row; its task is the one given, or recognised.

    Raises:
        AugmentError: the line is no row of the task.
    """
    if line.problem:
        raise AugmentError(line.problem)
    text, values, origin = source.parsed(line)
    record = Record(values, task_for_row(values, task, job.fields), text, origin)
    record.texts()
    record.anchors()
    if job.meta != "none":
        refuse_twice(values)
    return record


@contextmanager
def _outputs(job: Job) -> Iterator[tuple[BinaryIO, _Reject]]:
    """The stream for rows, and the function for rejected rows."""
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
            job.rejects.unlink(missing_ok=True)  # of an earlier run
