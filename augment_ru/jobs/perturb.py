"""The work of `augment-ru perturb`: reads rows in chunks, perturbs them, writes them; no incomplete file is left."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, TypeAlias

from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation, chunks
from augment_ru.engine.result import Result, original
from augment_ru.errors import AugmentError, missing
from augment_ru.formats.encodings import as_utf8, check_encoding
from augment_ru.formats.files import check_input, check_outputs, open_input, replacing, twice
from augment_ru.formats.json_lines import Line
from augment_ru.formats.packed import check_packing, is_packed
from augment_ru.formats.row import Changed, refuse_twice
from augment_ru.formats.sinks import sink_of
from augment_ru.formats.sources import JSON_LINES, KINDS, RowSource, kind_of, source_of
from augment_ru.jobs.outputs import Reject, is_shown, outputs, rejects_of, shows_differences
from augment_ru.jobs.progress import progress, terminal_width
from augment_ru.jobs.summary import Summary, Tally, summary_lines
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_for_row
from augment_ru.records.task_file import task_or_file


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
        input_format: the format of the input, as the end of a file's name without its dot; None goes by the name.
        encoding: the encoding of the input.
        copies: how many perturbations each attack makes of a row, from different draws.
        csv_safe: whether a cell of a table that an edit made look like a formula gets an apostrophe before it.
        quiet: whether neither progress nor the closing table is shown.
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
    input_format: str | None = None
    encoding: str = "utf-8"
    copies: int = 1
    csv_safe: bool = False
    quiet: bool = False

    @property
    def schema(self) -> Task | None:
        """The task of all rows; None if that of each row is recognised."""
        return task_or_file(self.task) if self.task else None

    def check(self) -> None:
        """Check names, constraints and files before anything is read.

        Raises:
            AugmentError: a name, a value or a file is wrong.
        """
        if not self.perturbers:
            raise AugmentError("no attack; name one with --attack (augment-ru list attacks)")
        self.preparation.check(self.schema)  # so that a wrong rule is an error of usage
        check_input(self.source)
        check_encoding(self.encoding)
        self._check_outputs()
        for name in (self.source, self.output or ""):
            check_packing(name)
        if "Parquet" in {self.input_kind, self.format} and find_spec("pyarrow") is None:
            raise missing("Parquet files need pyarrow", "hf")
        if self.csv_safe and self.format not in {"CSV", "TSV"}:
            raise AugmentError(f"--csv-safe: the output is {self.format}, no table; leave it out")
        if self.input_kind == "Parquet" and self.encoding != "utf-8":
            raise AugmentError(f"--encoding {self.encoding}: Parquet files have no other encoding; leave it out")

    def _check_outputs(self) -> None:
        if self.skip and self.output is None:
            raise AugmentError("--on-error skip: needs -o, so that rejected lines can be written beside it")
        if self.skip and Path(self.output or "").exists() and not Path(self.output or "").is_file():
            raise AugmentError(f"--on-error skip: {self.output} is no plain file, so rejects have no place beside it")
        rejects = str(rejects_of(self.output)) if self.skip and self.output else None
        outputs = [("-o", self.output), ("the rejects of --on-error skip:", rejects), ("--report", self.report)]
        check_outputs(outputs, [self.source, *self.reads])

    @property
    def input_kind(self) -> str:
        """The format of the input: as it is named, or by the name of the file."""
        return kind_of(self.source) if self.input_format is None else KINDS[f".{self.input_format}"]

    @property
    def format(self) -> str:
        """The format of the output: by its name; on stdout that of the input, or JSON Lines if that is Parquet."""
        if self.output is not None:
            return kind_of(self.output)
        return JSON_LINES if self.input_kind == "Parquet" else self.input_kind


def run(job: Job) -> int:
    """Perturb the rows; the exit code: 1 if rows were skipped, otherwise 0.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    tally = Tally({perturber.attack.name: Summary() for perturber in job.perturbers})
    show = shows_differences() if is_shown(job.output) else None
    read = 0
    with progress("perturb", "rows", _size(job), silent=job.quiet or show is not None) as advance:

        def work(chunk: Sequence[Record], job: Job) -> Iterable[tuple[Record, Changed]]:
            nonlocal read
            share = (tally.read - read) / (len(job.perturbers) * job.copies)
            read = tally.read
            results = list(_perturbed(chunk, job, tally, partial(advance, len(chunk), share)))
            tally.written += len(results)
            if show is not None:
                show(results)
                return ()
            return [(result.record, result.changed(job.meta)) for result in results]

        write_rows(job, tally, work, shown=show is not None)
    if job.report is not None:
        with replacing(Path(job.report)) as file:
            file.write(tally.report(job.perturbers[0]))
    if sys.stderr is not None and not job.quiet:
        lines = (
            *summary_lines(tally.summaries, terminal_width(sys.stderr)),
            f"augment-ru: {tally}",
            f"augment-ru: {_wrote(job, tally)}",
        )
        print(*lines, sep="\n", file=sys.stderr)
    return 1 if tally.skipped else 0


Work: TypeAlias = Callable[[Sequence[Record], Job], Iterable[tuple[Record, Changed]]]
"""What is done with a chunk of records: a function to the rows that are written for them."""


def write_rows(job: Job, tally: Tally, work: Work, *, shown: bool = False) -> None:
    """Read the rows of a job in chunks, and write what is made of them; no incomplete file is left.

    Args:
        job: the files, and the attacks, which get the corpus of the rows if they want one.
        tally: counts the rows.
        work: makes the rows that are written; it gets the job with the corpus.
        shown: whether `work` shows the rows itself, and nothing is written.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    with ExitStack() as stack:
        content = stack.enter_context(_input(job))
        if any(perturber.attack.wants_corpus for perturber in job.perturbers):
            content = stack.enter_context(twice(content))
            job = _with_corpus(job, content)
        source = _source(job, content)
        output = stack.enter_context(outputs(job.output, skip=job.skip))
        kind, marked, metadata = job.format, job.output is not None, job.meta != "none"
        options = {"metadata": metadata, "mark": marked, "csv_safe": job.csv_safe}
        sink = stack.enter_context(closing(sink_of(kind, output.stream, source, **options)))
        for chunk in chunks(_records(source, job, tally, output.reject, sink.check)):
            found = list(work(chunk, job))
            if shown:
                continue
            sink.write(found)
            if output.flushed:
                output.stream.flush()
        if not shown:
            sink.finish()
            output.stream.flush()


def _wrote(job: Job, tally: Tally) -> str:
    """What a run wrote."""
    rows = f"{tally.written:,} row{'' if tally.written == 1 else 's'}"
    files = [f"{rows} to {job.output or 'stdout'}"]
    if tally.skipped and job.output:
        files.append(f"{tally.skipped:,} to {rejects_of(job.output)}")
    if job.report is not None:
        files.append(f"the table to {job.report}")
    return f"{'showed' if is_shown(job.output) else 'wrote'} {', '.join(files)}"


@contextmanager
def _input(job: Job) -> Iterator[BinaryIO]:
    """The content of the input, in UTF-8."""
    with open_input(job.source) as stream:
        yield as_utf8(stream, job.encoding)


def _size(job: Job) -> int | None:
    """The bytes that will be read; None if that cannot be known before."""
    plain = job.source != "-" and Path(job.source).is_file() and not is_packed(job.source)
    return Path(job.source).stat().st_size if plain and job.encoding == "utf-8" and job.limit is None else None


def _source(job: Job, stream: BinaryIO) -> RowSource:
    try:
        return source_of(job.input_kind, stream)
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


def _perturbed(chunk: Sequence[Record], job: Job, tally: Tally, advance: Callable[[], None]) -> Iterator[Result]:
    """The results of the records in their order; those of a record in the order of the attacks and of their draws.

    `advance` is called when an attack is done with them.
    """
    prepared = job.preparation.chunk(chunk, [perturber.needs for perturber in job.perturbers])
    perturbers = [perturber.at_draw(draw) for perturber in job.perturbers for draw in range(job.copies)]
    summaries = [tally.summaries[perturber.attack.name] for perturber in perturbers]
    found = []
    for perturber in perturbers:
        found.append(perturber.perturb(prepared))
        advance()
    for summary, perturbed in zip(summaries, found, strict=True):
        summary.cost.add(perturbed.cost)
    for record, *results in zip(chunk, *(perturbed.results for perturbed in found), strict=True):
        if job.with_original:
            yield original(record, job.perturbers[0].seed)
        tally.warned += any(result.warnings for result in results)
        for result, summary in zip(results, summaries, strict=True):
            summary.add(result)
            yield result


def records_of(job: Job) -> Iterator[Record]:
    """The records of the job's input.

    Raises:
        AugmentError: a line is no row of the task.
    """

    def reject(line: Line, reason: str) -> None:
        raise AugmentError(f"{line.number}: {reason}")

    with _input(job) as stream:
        source = _source(job, stream)
        yield from _records(source, job, Tally({}), reject, lambda _record: None)


def _records(
    source: RowSource, job: Job, tally: Tally, reject: Reject, check: Callable[[Record], None]
) -> Iterator[Record]:
    """The records that can be perturbed and written; a row that cannot is rejected, or ends the run."""
    task = job.schema
    where = "stdin" if job.source == "-" else job.source
    if job.limit == 0:
        return
    for line in _lines(source, where):
        tally.read += len(line.data) + 1
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
