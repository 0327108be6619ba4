"""Read the rows of a run, let a command work on them, and write the rows made; leave no incomplete file."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, TypeAlias

from augment_ru.formats.files import twice
from augment_ru.formats.row import Changed
from augment_ru.formats.sinks import Sink, sink_of
from augment_ru.formats.sources import RowSource
from augment_ru.formats.value_types import Learnt
from augment_ru.jobs.outputs import Outputs, outputs
from augment_ru.jobs.progress import Advance
from augment_ru.jobs.reading import ReadChunk, RowsReading, opened, source_in, with_corpus
from augment_ru.jobs.rows import RowsJob
from augment_ru.jobs.summary import Tally
from augment_ru.records.record import Record
from augment_ru.run.stores import sweep

OnChunk: TypeAlias = Callable[[Sequence[Record], Tally, Advance], Sequence[tuple[Record, Changed]]]
"""A function that processes a chunk of records. It adds to the tally, and returns the rows to write."""


@dataclass(frozen=True, slots=True)
class RowWork(ABC):
    """What a command does with the rows of a run. It can be sent to other processes.

    Attributes:
        job: the run: its files, task and settings.
    """

    job: RowsJob

    @abstractmethod
    def begin(self) -> OnChunk:
        """Load what the work needs, and return the function that does it for a chunk of records.

        It is called once in each process. The returned function takes the records, the counts to increase, and the
        function that reports progress; it returns the rows to write.
        """


@contextmanager
def reading(work: RowWork, content: BinaryIO | None = None) -> Iterator[tuple[RowWork, RowSource]]:
    """Open the input of a run for a `with` block; yield what is to be done with the rows, and a reader of the rows.

    If attacks insert sentences of the input, they get all of its sentences first.

    Args:
        work: what a command does with the rows.
        content: the content of the input; None to open the input here.

    Raises:
        AugmentError: the input is not in the expected format.
    """
    with ExitStack() as stack:
        content = content or stack.enter_context(opened(work.job))
        if any(perturber.attack.wants_corpus for perturber in work.job.perturbers):
            content = stack.enter_context(twice(content))
            work = replace(work, job=with_corpus(work.job, content))
        yield work, source_in(work.job, content)


def sink_for(job: RowsJob, stream: BinaryIO, source: RowSource, part: Learnt | None = None) -> Sink:
    """Return what writes the rows of a run, in the format of its output.

    Args:
        job: the run.
        stream: the file to write to.
        source: the rows of the input.
        part: if only a part of the output is written, the names and types of its columns in the rows before this part;
            None to write the whole output.
    """
    marked = job.output is not None
    key = job.key if job.meta != "none" else None
    return sink_of(job.format, stream, source, key=key, mark=marked, part=part, csv_safe=job.csv_safe)


@contextmanager
def writing(job: RowsJob, source: RowSource, *, shown: bool = False) -> Iterator[tuple[Outputs, Sink]]:
    """Hold the outputs of a run open during a `with` block; yield the outputs, and a writer of rows.

    If the block ends with an error, no output file is left.

    Args:
        job: the run.
        source: the rows of the input.
        shown: whether results are shown on the terminal, so that no rows are written.

    Raises:
        AugmentError: a file cannot be written.
    """
    if job.output is not None and not job.split.resume:
        sweep(job.output)
    with outputs(job.output, skip=job.skip) as output, closing(sink_for(job, output.stream, source)) as sink:
        yield output, sink
        if not shown:
            sink.finish()
            output.stream.flush()


def write_rows(
    work: RowWork, tally: Tally, advance: Advance, content: BinaryIO | None = None, *, shown: bool = False
) -> None:
    """Do a run in this process: read its rows in chunks, and write the rows that are made of them.

    Args:
        work: what the command does with the rows.
        tally: the counts of the run, which are increased.
        advance: a function that is called when rows are done, to report progress.
        content: the content of the input; None to open the input here.
        shown: whether the work shows results on the terminal itself, so that no rows are written.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    with reading(work, content) as (ready, source), writing(ready.job, source, shown=shown) as (output, sink):
        on_chunk = ready.begin()
        for chunk in RowsReading(source, ready.job, tally, output.rejected, sink.check).chunks(sink):
            for rows in rows_made(chunk, on_chunk, tally, advance):
                if not shown:
                    sink.write(rows)
            if output.flushed:
                output.stream.flush()


def rows_made(
    chunk: ReadChunk, on_chunk: OnChunk, tally: Tally, advance: Advance
) -> Iterator[Sequence[tuple[Record, Changed]]]:
    """Yield the rows to write for a chunk of records.

    If the chunk needs too much memory, its halves are done one after the other.

    Args:
        chunk: the records.
        on_chunk: makes the rows of a chunk.
        tally: the counts of the run, which are increased.
        advance: a function that is called when rows are done, to report progress.

    Raises:
        AugmentError: a row is wrong; or one row alone needs too much memory, and bad rows are not skipped.
    """
    try:
        rows = on_chunk(chunk.records, tally, advance)
    except MemoryError:
        rows = None  # the memory of the failed try is freed before the next
    if rows is not None:
        yield rows
    elif len(chunk.records) > 1:
        for half in chunk.halves():
            yield from rows_made(half, on_chunk, tally, advance)
    else:
        size = sum(map(len, chunk.records[0].texts().values()))
        reason = f"out of memory: its texts have {size:,} characters; split them, or run on a larger machine"
        chunk.refuse(chunk.lines()[0], reason)
