"""Read the rows of a run, let a command work on them, and write the rows made; leave no incomplete file."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypeVar

from augment_ru.engine.prepare import CHUNK_CHARACTERS, CHUNK_ROWS, LONGEST
from augment_ru.engine.result import Result
from augment_ru.errors import AugmentError, saying_where
from augment_ru.formats.files import Piped, in_utf8, is_packed, is_utf8, open_input, twice
from augment_ru.formats.json_lines import PLAIN, JsonLines, objects_of
from augment_ru.formats.lines import PLAIN_LINE, Line
from augment_ru.formats.row import refuse_twice
from augment_ru.formats.sinks import LinesSink, Sink, SinkForm, sink_of
from augment_ru.formats.sources import TABLES, RowSource, source_of
from augment_ru.formats.value_types import Learnt
from augment_ru.jobs.messages import Advance, with_flags
from augment_ru.jobs.outputs import Outputs, outputs, rejected_line
from augment_ru.jobs.rows import RowsJob
from augment_ru.jobs.summary import Tally
from augment_ru.records.places import may_hold_places
from augment_ru.records.record import AlikeRecords, Record
from augment_ru.records.task import Task, task_for_row, tasks_of_rows, with_spans
from augment_ru.run.stores import sweep

T = TypeVar("T")


@contextmanager
def opened(job: RowsJob) -> Iterator[BinaryIO]:
    """Hold the input of a run open during a `with` block; yield a stream of its content in UTF-8.

    Args:
        job: the run.
    """
    is_table = job.input_kind in TABLES
    with open_input(job.source) as stream, in_utf8(stream, job.encoding, marked=is_table) as content:
        yield content


def size_of(job: RowsJob) -> int | None:
    """Return how many bytes of the input will be read; None if this is not known in advance."""
    plain = job.source != "-" and Path(job.source).is_file() and not is_packed(job.source)
    return Path(job.source).stat().st_size if plain and is_utf8(job.encoding) and job.limit is None else None


def where_of(job: RowsJob) -> str:
    """Return how messages call the input of a run: the name of its file, or stdin."""
    return "stdin" if job.source == "-" else job.source


def source_in(job: RowsJob, stream: BinaryIO) -> RowSource:
    """Return a reader of the rows of a run's input.

    Args:
        job: the run.
        stream: the content of the input.

    Raises:
        AugmentError: the content is not in the expected format.
    """
    with saying_where(job.source):
        return source_of(job.input_kind, stream)


def with_corpus(job: RowsJob, stream: BinaryIO) -> RowsJob:
    """Give all sentences of the input to the attacks that insert such sentences; return a copy of the run with them.

    The sentences are read from the stream, which is then set back to where it was.

    Args:
        job: the run.
        stream: the content of the input.
    """
    from augment_ru.attacks.add_sent.input_corpus import InputCorpus  # noqa: PLC0415  (only some attacks want it)

    start = stream.tell()
    lenient = replace(job, skip=True, limit=None)  # a wrong row is reported when it is perturbed
    corpus = InputCorpus.of(_records_in(source_in(job, stream), lenient))
    stream.seek(start)
    return replace(job, perturbers=[perturber.with_corpus(corpus) for perturber in job.perturbers])


def records_of(job: RowsJob) -> Iterator[Record]:
    """Yield the records in the input of a run.

    Raises:
        AugmentError: a row does not fit the task.
    """
    with opened(job) as stream:
        yield from _records_in(source_in(job, stream), job)


def _records_in(source: RowSource, job: RowsJob) -> Iterator[Record]:
    return RowsReading(source, job, Tally({})).records(source)


class RowsReading:
    """Reads the records of a run; rows that cannot be used are skipped if the run allows it.

    If the run does not allow it, the first such row raises an `AugmentError`. A damaged file always raises one.

    Args:
        source: the rows of the input.
        job: the run; its limit is the maximum number of records that are yielded.
        tally: the counts of the run: its rows, and the bytes that were read.
        reject: a function that is called with a line for the file of rejected rows, for each row that is skipped.
        check: a function that raises an error if the output cannot hold a record.
    """

    def __init__(
        self,
        source: RowSource,
        job: RowsJob,
        tally: Tally,
        reject: Callable[[bytes], object] = lambda _line: None,
        check: Callable[[Record], None] = lambda _record: None,
    ) -> None:
        self.source, self.job, self.tally, self.reject, self.check = source, job, tally, reject, check
        self.task = job.schema  # None if that of each row is recognised

    def chunks(self, sink: Sink) -> Iterator["ReadChunk"]:
        """Yield the records in chunks: records that are perturbed together.

        Args:
            sink: writes the rows. If input and output are JSON lines, a chunk of similar rows is an `AlikeRecords`.
        """
        in_columns = isinstance(self.source, JsonLines) and isinstance(sink, LinesSink)
        for lines in said_rows(self._blocks(), where_of(self.job)):
            alike = self._alike(lines) if in_columns else None
            if alike is not None:
                self.tally.read += sum(map(len, alike.lines or ()))
                self.tally.rows += len(alike)
                self._recognised(alike.task)
                yield ReadChunk(alike, lines, self._refuse)
            else:
                used: list[Line] = []
                if records := list(self.records(lines, used)):
                    yield ReadChunk(records, used, self._refuse)

    def _blocks(self) -> Iterator[list[Line]]:
        """Yield lists of up to `CHUNK_ROWS` lines or `CHUNK_CHARACTERS` bytes, until the run has reached its limit.

        A list ends early where a pipe has no more to read: the program at its other end may wait for these rows.
        """
        lines, limit, stream = iter(self.source), self.job.limit, getattr(self.source, "stream", None)
        while count := CHUNK_ROWS if limit is None else min(CHUNK_ROWS, limit - self.tally.rows):
            block, size = list[Line](), 0
            for line in lines:
                block.append(line)
                size += len(line.data)
                is_drained = isinstance(stream, Piped) and stream.is_drained()
                if len(block) == count or size >= CHUNK_CHARACTERS or is_drained:
                    break
            if not block:
                return
            yield block

    def _alike(self, lines: Sequence[Line]) -> AlikeRecords | None:
        """Return the records of these lines as `AlikeRecords`; None if they are not alike or need checks."""
        job, raw = self.job, [line.data for line in lines]
        if job.accepts or job.spans or {line[2:] for line in lines} != {PLAIN_LINE} or max(map(len, raw)) > LONGEST:
            return None
        values = objects_of(raw)
        if values is None or may_hold_places(values):
            return None
        if job.meta != "none" and job.key in set(chain.from_iterable(values)):
            return None
        try:
            (task,) = tasks_of_rows(values, self.task, job.fields)
        except (AugmentError, ValueError):
            return None
        texts: list[Any] = [row.get(task.layout.fields[0]) for row in values] if AlikeRecords.fits(task) else [None]
        if set(map(type, texts)) != {str}:
            return None
        return AlikeRecords(task, values, texts, raw, PLAIN)

    def records(self, lines: Iterable[Line], used: list[Line] | None = None) -> Iterator[Record]:
        """Yield the records of these lines.

        Args:
            lines: lines of the input.
            used: a list to which the line of each record is appended; None for no list.
        """
        job, tally = self.job, self.tally
        if job.limit == 0:
            return
        for line in said_rows(lines, where_of(job)):
            tally.read += len(line.data) + 1
            try:
                record = _record(self.source, line, job, self.task)
                self.check(record)
            except AugmentError as error:
                self._skip(line, error)
                continue
            tally.rows += 1
            self._recognised(record.task)
            if used is not None:
                used.append(line)
            yield record
            if tally.rows == job.limit:
                return

    def _skip(self, line: Line, error: AugmentError) -> None:
        """Reject a row if such rows are skipped; otherwise raise an error that names it."""
        if not self.job.skip:
            raise AugmentError(f"{where_of(self.job)}: {self.source.unit} {line.number}: {error}") from error
        self.tally.skipped += 1
        self.reject(rejected_line(line, with_flags(str(error))))

    def _refuse(self, line: Line, reason: str) -> None:
        """Do what `_skip` does, for a row that was already counted as read."""
        self._skip(line, AugmentError(reason))
        self.tally.rows -= 1

    def _recognised(self, task: Task) -> None:
        """Remember the task that rows were recognised as."""
        if self.task is None and not self.job.fields and task.name != "generic":
            self.tally.recognised.add(task.name)


def said_rows(source: Iterable[T], where: str) -> Iterator[T]:
    """Yield the rows or the parts of a file; if the file is damaged, the error names it.

    Args:
        source: the rows or parts.
        where: the name of the file, with which the message begins.

    Raises:
        AugmentError: the file is damaged; the message begins with `where`.
    """
    with saying_where(where):
        yield from source


def _record(source: RowSource, line: Line, job: RowsJob, task: Task | None) -> Record:
    """Return the record of a row. If `task` is None, its task is recognised from its fields.

    Raises:
        AugmentError: the row cannot be read, or does not fit the task.
    """
    text, values, origin = source.parsed(line.usable())
    known = with_spans(task_for_row(values, task, job.fields), job.spans)
    record = Record(values, known, text, origin)
    record.texts()
    if text is None or len(text) > LONGEST:
        job.check_length(record)
    if known.layout.has_anchors:
        record.anchors()
    record.check_places()
    if job.accepts is not None:
        job.accepts(record)
    if job.meta != "none":
        refuse_twice(values, job.key)
    return record


class ReadChunk(NamedTuple):
    """Records that are perturbed together.

    Attributes:
        records: the records.
        lines: the lines (number and text) of the records, in their order.
        refuse: a function that takes a line and a reason. If bad rows are skipped, it writes the row to the file of
            rejected rows; otherwise it raises an error that names the row.
    """

    records: Sequence[Record]
    lines: Sequence[Line]
    refuse: Callable[[Line, str], None]

    def halves(self) -> Iterator["ReadChunk"]:
        """Yield the first and the second half of the chunk."""
        middle = len(self.records) // 2
        for some in (slice(None, middle), slice(middle, None)):
            yield ReadChunk(self.records[some], self.lines[some], self.refuse)


class MadeRows(NamedTuple):
    """The rows that are made of a chunk (records read at once). They are made when they are written or shown, once.

    Attributes:
        results: the results from which the rows are made, one for each row.
        lines: the same rows as lines of JSON, which are made faster; None if there are only results.
    """

    results: Iterable[Result]
    lines: Iterable[bytes] | None = None

    def write(self, sink: Sink, meta: str) -> None:
        """Write the rows.

        Args:
            sink: what writes them.
            meta: how much metadata each row gets: `full`, `brief` or `none`.

        Raises:
            AugmentError: the format cannot hold a row.
        """
        if self.lines is not None:
            sink.join(b"".join(self.lines))
        else:
            sink.write([(one.record, one.changed(meta)) for one in self.results])


OnChunk: TypeAlias = Callable[[Sequence[Record], Tally, Advance], MadeRows]
"""A function that processes a chunk (records read at once): it adds to the counts and returns the rows to write."""
Show: TypeAlias = Callable[[Iterable[Result]], object]
"""A function that takes results in place of their rows being written, such as one that shows them on a terminal."""


@dataclass(frozen=True, slots=True)
class RowWork(ABC):
    """The work of a command on the rows of a run. It can be sent to other processes.

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
    """Open the input of a run for a `with` block; yield the work on its rows, and a reader of the rows.

    If attacks insert sentences of the input, the work is a copy in which they have all of its sentences.

    Args:
        work: the work of a command on the rows.
        content: the content of the input; if it is None, this function opens the input.

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
    """Return the sink that writes the rows of a run, in the format of its output.

    Args:
        job: the run.
        stream: the file to write to.
        source: the rows of the input.
        part: if only a part of the output is written, the names and types of its columns in the rows before this part;
            None to write the whole output.
    """
    key = job.key if job.meta != "none" else None
    return sink_of(job.format, stream, source, SinkForm(key, job.output is not None, part, job.csv_safe))


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
    work: RowWork, tally: Tally, advance: Advance, content: BinaryIO | None = None, show: Show | None = None
) -> None:
    """Do a run in this process: read its rows in chunks, and write the rows that are made of them.

    Args:
        work: what the command does with the rows.
        tally: the counts of the run, which are increased.
        advance: a function that is called when rows are done, to report progress.
        content: the content of the input; if it is None, this function opens the input.
        show: a function that is given the results, and then no rows are written; None to write rows.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    shown = show is not None
    with reading(work, content) as (ready, source), writing(ready.job, source, shown=shown) as (output, sink):
        on_chunk = ready.begin()
        for chunk in RowsReading(source, ready.job, tally, output.rejected, sink.check).chunks(sink):
            for made in rows_made(chunk, on_chunk, tally, advance):
                if show is None:
                    made.write(sink, ready.job.meta)
                else:
                    show(made.results)
            if output.flushed:
                output.stream.flush()


def rows_made(chunk: ReadChunk, on_chunk: OnChunk, tally: Tally, advance: Advance) -> Iterator[MadeRows]:
    """Yield the rows to write for a chunk of records.

    If the chunk needs too much memory, its halves are done one after the other.

    Args:
        chunk: the records.
        on_chunk: makes the rows of a chunk.
        tally: the counts of the run, which are increased.
        advance: a function that is called when rows are done, to report progress.

    Raises:
        AugmentError: a row is wrong. Also if one row alone needs too much memory, unless bad rows are skipped.
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
        chunk.refuse(chunk.lines[0], reason)
