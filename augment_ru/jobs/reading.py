"""The records of a run: its input is opened, its rows are read and checked."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TypeVar

from augment_ru.errors import AugmentError
from augment_ru.formats.encodings import in_utf8, is_utf8
from augment_ru.formats.files import open_input
from augment_ru.formats.lines import Line
from augment_ru.formats.packed import is_packed
from augment_ru.formats.row import refuse_twice
from augment_ru.formats.sources import RowSource, source_of
from augment_ru.jobs.job import Job
from augment_ru.jobs.outputs import Reject
from augment_ru.jobs.summary import Tally
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_for_row

T = TypeVar("T")


@contextmanager
def opened(job: Job) -> Iterator[BinaryIO]:
    """The content of the input, in UTF-8."""
    with open_input(job.source) as stream, in_utf8(stream, job.encoding) as content:
        yield content


def size_of(job: Job) -> int | None:
    """The bytes that will be read; None if that cannot be known before."""
    plain = job.source != "-" and Path(job.source).is_file() and not is_packed(job.source)
    return Path(job.source).stat().st_size if plain and is_utf8(job.encoding) and job.limit is None else None


def where_of(job: Job) -> str:
    """The name of the input in messages."""
    return "stdin" if job.source == "-" else job.source


def source_in(job: Job, stream: BinaryIO) -> RowSource:
    """The rows of the content of the input.

    Raises:
        AugmentError: it is not of the format that it is said to be; the message names it.
    """
    try:
        return source_of(job.input_kind, stream)
    except AugmentError as error:
        raise AugmentError(f"{job.source}: {error}") from error


def with_corpus(job: Job, stream: BinaryIO) -> Job:
    """The job with attacks that have the sentences of all its records; the stream stands where it stood."""
    from augment_ru.editing.input_corpus import InputCorpus  # noqa: PLC0415  (only some attacks want it)

    start = stream.tell()
    source, task = source_in(job, stream), job.schema

    def records() -> Iterator[Record]:
        for line in source:
            with suppress(AugmentError):  # the row is reported when it is perturbed
                yield _record(source, line, job, task)

    corpus = InputCorpus.of(records())
    stream.seek(start)
    return replace(job, perturbers=[perturber.with_corpus(corpus) for perturber in job.perturbers])


def records_of(job: Job) -> Iterator[Record]:
    """The records of the job's input.

    Raises:
        AugmentError: a line is no row of the task.
    """

    def reject(line: Line, reason: str) -> None:
        raise AugmentError(f"{line.number}: {reason}")

    with opened(job) as stream:
        source = source_in(job, stream)
        yield from checked_records(source, job, Tally({}), reject, lambda _record: None)


def checked_records(
    source: RowSource, job: Job, tally: Tally, reject: Reject, check: Callable[[Record], None]
) -> Iterator[Record]:
    """The records that can be perturbed and written; a row that cannot is rejected, or ends the run.

    Args:
        source: the rows.
        job: the run; its limit counts the records that are given.
        tally: counts rows, and the bytes that were read.
        reject: is called for a row that cannot be used, if such rows are skipped.
        check: raises an error if the output cannot hold a record.

    Raises:
        AugmentError: a row cannot be used and is not skipped, or the file is damaged.
    """
    task = job.schema
    if job.limit == 0:
        return
    for line in said_rows(source, where_of(job)):
        tally.read += len(line.data) + 1
        try:
            record = _record(source, line, job, task)
            check(record)
        except AugmentError as error:
            if not job.skip:
                raise AugmentError(f"{where_of(job)}: {source.unit} {line.number}: {error}") from error
            tally.skipped += 1
            reject(line, str(error))
            continue
        tally.rows += 1
        if task is None and not job.fields and record.task.name != "generic":
            tally.recognised.add(record.task.name)
        yield record
        if tally.rows == job.limit:
            return


def said_rows(source: Iterable[T], where: str) -> Iterator[T]:
    """The rows or the pieces of a file.

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
    known = task_for_row(values, task, job.fields)
    record = Record(values, known, text, origin)
    record.texts()
    if known.has_anchors:
        record.anchors()
    if job.meta != "none":
        refuse_twice(values)
    return record
