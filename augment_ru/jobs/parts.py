"""A run in parts: each is read, perturbed and written by itself, by any engine, and joined in the order of the input.

Little of a part depends on the rows before it: how many rows are read at most, the columns of a table that is made of
JSON, and the types of the values in such columns. A part is done without them; if they would have changed it, which is
rare, it is done once more with them, here, when it is its turn.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, TypeAlias

from augment_ru.errors import AugmentError
from augment_ru.formats.fitting import Learnt
from augment_ru.formats.lines import Line
from augment_ru.formats.pieces import Piece, pieces
from augment_ru.formats.sinks import Sink, sink_of
from augment_ru.jobs.rows import RowsJob
from augment_ru.jobs.kept_parts import kept_parts
from augment_ru.jobs.outputs import rejected_line
from augment_ru.jobs.part import JobPart, PartDone
from augment_ru.jobs.reading import checked_chunks, checked_records, said_rows, where_of
from augment_ru.jobs.summary import Summary, Tally
from augment_ru.jobs.writing import OnChunk, RowWork, reading, writing
from augment_ru.run.engines import in_order


@dataclass(frozen=True, slots=True)
class PartWork:
    """The work of a run on its parts.

    Attributes:
        rows: what is done with rows.
        is_final: whether an error is raised; else it may be another one with what the rows before it teach.
    """

    rows: RowWork
    is_final: bool = True

    def begin(self) -> Callable[[JobPart], PartDone]:
        """Load what the work needs; the function that does a part."""
        return partial(_do, self, self.rows.begin())


OnPart: TypeAlias = Callable[[Mapping[str, Any]], None]


def _do(work: PartWork, on_chunk: OnChunk, part: JobPart) -> PartDone:
    job = replace(work.rows.job, limit=part.limit)
    tally = _tally(job)
    rows, rejects = BytesIO(), BytesIO()

    def reject(line: Line, reason: str) -> None:
        rejects.write(rejected_line(line, reason))

    source = part.piece.source()
    marked, metadata = job.output is not None, job.meta != "none"
    with closing(
        sink_of(job.format, rows, source, metadata=metadata, mark=marked, part=part.learnt, csv_safe=job.csv_safe)
    ) as sink:
        try:
            for chunk in checked_chunks(source, job, tally, reject, sink):
                sink.write(on_chunk(chunk, tally, _silent))
        except AugmentError:
            if work.is_final:
                raise
            return PartDone(b"", b"", failed=True)
        sink.finish()
        return PartDone(rows.getvalue(), rejects.getvalue(), tally.counts(), sink.learnt())


def _tally(job: RowsJob) -> Tally:
    return Tally({perturber.attack.name: Summary() for perturber in job.perturbers})


def _silent(count: int, size: float | None = None, total: int | None = None, note: str = "") -> None:
    del count, size, total, note


def write_parts(work: RowWork, tally: Tally, advance: OnPart, content: BinaryIO | None = None) -> None:
    """Read the rows of a run in parts, let its engine do them, and write what they come to, in their order.

    The bytes are those of `write_rows`, whatever the engine, its workers, and the size of the parts.

    Args:
        work: makes the rows that are written.
        tally: counts the rows.
        advance: is called with the counts of a part when it is written.
        content: that of the input, if it is open already.

    Raises:
        AugmentError: a row or a file is wrong; of several wrong rows the first is named.
    """
    with (
        reading(work, content) as (ready, source),
        kept_parts(ready.job) as kept,
        writing(ready.job, source) as (output, sink),
    ):
        job = ready.job
        if job.limit == 0:
            return
        found = _with_names(said_rows(pieces(source, job.split.part_bytes), where_of(job)), sink, job)
        parts = (JobPart(piece, Learnt(sink.learnt().names), job.limit) for piece in found)
        stands_alone = job.limit is None and not sink.learns_types
        joiner = _Joiner(ready, sink, tally)
        with closing(in_order(job.split.made(), PartWork(ready, is_final=stands_alone), parts, kept)) as every:
            for part, made in every:
                done = joiner.checked(part, made)
                sink.join(done.rows, part.piece.array)
                output.rejected(done.rejects)
                tally.add_counts(done.counts)
                advance(done.counts)
                if output.flushed:
                    output.stream.flush()
                if tally.rows == job.limit:
                    break
        kept.is_whole = True
    tally.kept = kept.found


def _with_names(found: Iterator[Piece], sink: Sink, job: RowsJob) -> Iterator[Piece]:
    """The pieces; before the first one is given, the first row that can be written has named the columns of a table."""
    held: list[Piece] = []
    if job.format in {"CSV", "TSV"}:
        lenient = replace(job, skip=True, limit=1)
        while not sink.learnt().names and (piece := next(found, None)) is not None:
            held.append(piece)
            any(checked_records(piece.source(), lenient, _tally(job), _ignored, sink.check))
    yield from held
    yield from found


def _ignored(line: Line, reason: str) -> None:
    del line, reason


class _Joiner:
    """Decides whether what was made of a part is what the rows before it let it be, and makes it anew if not."""

    def __init__(self, rows: RowWork, sink: Sink, tally: Tally) -> None:
        self._rows, self._sink, self._tally = rows, sink, tally
        self._function: Callable[[JobPart], PartDone] | None = None

    def checked(self, part: JobPart, made: PartDone) -> PartDone:
        """What is written for a part.

        Raises:
            AugmentError: a row cannot be used and is not skipped.
        """
        left = None if part.limit is None else part.limit - self._tally.rows
        before = self._sink.learnt()
        ends = left is not None and part.limit != left and made.counts.get("rows", left) >= left
        if not (ends or made.failed or self._teach(made, before)):
            return made
        self._function = self._function or PartWork(self._rows).begin()
        types = before.types if self._sink.learns_types else ()
        exact = self._function(replace(part, learnt=Learnt(part.learnt.names, types), limit=left))
        self._sink.learn(exact.learnt)
        return exact

    def _teach(self, made: PartDone, before: Learnt) -> bool:
        """Tell the sink of the types in a part; whether they do not go with those before, or it may have refused rows.

        What is said of a refused row may depend on the types before.
        """
        if self._sink.learns_types and before.types and made.counts["skipped"]:
            return True
        try:
            self._sink.learn(made.learnt)
        except AugmentError:
            return True
        return False
