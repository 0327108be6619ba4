"""A run in parts: an engine does each part by itself, and the outcomes are joined in the order of the input.

The rows before a part affect it in three ways only: how many rows may still be read, the columns of a table that is
made from JSON, and the types of the values in such columns. A part is first done without knowing this. If that makes a
difference, which is rare, this process does the part again when its turn comes.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError, amount
from augment_ru.formats.sinks import Sink
from augment_ru.formats.sources import FilePart, file_parts
from augment_ru.formats.value_types import NOTHING, Learnt
from augment_ru.jobs import row_work
from augment_ru.jobs.messages import say, silent
from augment_ru.jobs.rows import RowsJob
from augment_ru.jobs.summary import Tally
from augment_ru.run.engines import LOCAL, in_order
from augment_ru.run.stores import PartStore, sealed, store_of, stores_beside, unsealed

_FACTS = "facts.json"
"""The file in the store of a run that holds everything its rows depend on besides the input."""


class JobPart(NamedTuple):
    """A part of the input, which one worker does by itself.

    Attributes:
        file_part: where the rows of the part are in the input.
        learnt: the names and types of the output's columns, as far as they are known from the rows before this part.
        limit: the maximum number of rows to read; None for all.
    """

    file_part: FilePart
    learnt: Learnt = NOTHING
    limit: int | None = None

    @property
    def name(self) -> str:
        """The name of the file that holds the finished part, for a run that is continued.

        It depends on all attributes of the part. Sorted by name, the parts are in the order of the input.
        """
        facts = f"{self.file_part.digest} {self.learnt.names} {self.learnt.types} {self.limit}"
        return f"{self.file_part.first:015d}-{blake2b(facts.encode(), digest_size=16).hexdigest()}"


@dataclass(frozen=True, slots=True)
class PartDone:
    """The rows that were made of a part of the input, and what was counted and learnt from it.

    Attributes:
        rows: the rows to write, as bytes.
        rejects: the lines for the file of rejected rows (rows that could not be used).
        tally: the counts of the rows.
        learnt: the names and types of the output's columns, as known at the end of the part.
        failed: whether a row raised an error. Its cause may be that the rows before the part are not known yet, so the
            part is done again when they are.
    """

    rows: bytes
    rejects: bytes
    tally: Tally = field(default_factory=lambda: Tally({}))
    learnt: Learnt = NOTHING
    failed: bool = False


@dataclass(slots=True)
class KeptParts:
    """Stores the finished parts of a run, so that a killed run can be continued.

    Attributes:
        store: where they are stored; None if nothing is stored.
        found: how many parts were taken from an earlier run.
        is_whole: whether the output is complete, so that the stored parts are no longer needed.
    """

    store: PartStore | None = None
    found: int = 0
    is_whole: bool = False

    def find(self, part: JobPart) -> PartDone | None:
        """Return what an earlier run made of a part; None if nothing is stored, or the file is damaged.

        Args:
            part: the part of the input.
        """
        data = None if self.store is None else self.store.read(part.name)
        done = None if data is None else unsealed(data, PartDone)
        self.found += done is not None
        return done

    def save(self, part: JobPart, outcome: PartDone) -> None:
        """Store what was made of a part; its file appears only when it is complete. Failed parts are not stored.

        Args:
            part: the part of the input.
            outcome: what was made of it.

        Raises:
            AugmentError: the file cannot be written.
        """
        if self.store is not None and not outcome.failed:
            self.store.write(part.name, sealed(outcome))


@contextmanager
def kept_parts(job: RowsJob) -> Iterator[KeptParts]:
    """Hold the stored parts of a run open during a `with` block, so that a killed run can be continued.

    If the run is not asked to `resume`, nothing is stored. The parts are deleted after the block if the output is
    complete.

    Args:
        job: the run.

    Raises:
        AugmentError: parts that were made with other settings are stored for this output, another run is writing it, or
            other users can write to the folder of the parts.
    """
    if job.output is None or not job.split.resume:
        yield KeptParts()
        return
    corpora = [perturber.attack.corpus_digest for perturber in job.perturbers]
    given = {**job.split.facts, "the corpus of the rows": corpora}
    text = json.dumps(given, ensure_ascii=False, sort_keys=True, default=str)
    facts = text.encode("utf-8", "surrogatepass")  # the name of a file need not be UTF-8
    store = store_of(job.output, blake2b(facts, digest_size=8).hexdigest())
    for other in stores_beside(job.output):
        if other.place != store.place:
            raise AugmentError(f"`resume`: {_difference(other, given)} (or delete the folder {other.place})")
    with store.held(job.output):
        if store.read(_FACTS) is None:
            store.write(_FACTS, facts)
        kept = KeptParts(store)
        yield kept
    if kept.is_whole:
        store.delete()


def _difference(store: PartStore, facts: Mapping[str, Any]) -> str:
    """Tell how the settings of the stored parts differ from those of this run, and what to do."""
    try:
        before = json.loads(store.read(_FACTS) or b"")
    except ValueError:
        before = {}
    now = json.loads(json.dumps(facts, ensure_ascii=False, default=str))
    for name in dict.fromkeys([*now, *before]) if before else ():
        if before.get(name) != now.get(name):
            what = f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
            return f"the parts that are done were made otherwise: {what}; give it as before, or run without `resume`"
    return "parts of another run stand beside the output; run without it to begin anew"


@dataclass(frozen=True)
class PartWork:
    """Does parts of the input, in a worker: called with a `JobPart`, it returns the `PartDone` that it made of it.

    Attributes:
        rows: what the command does with rows.
        is_final: True if a wrong row raises an error. False if it only marks the part as failed; such a part is done
            again when the rows before it are known, since whether a row is wrong may depend on them.
    """

    rows: row_work.RowWork
    is_final: bool = True

    @cached_property
    def _on_chunk(self) -> row_work.OnChunk:
        return self.rows.begin()

    def __call__(self, part: JobPart) -> PartDone:
        """Do a part.

        Raises:
            AugmentError: a row cannot be used, and `is_final` is True.
        """
        job = replace(self.rows.job, limit=part.limit)
        tally = Tally.of(job.perturbers)
        rows, rejects = BytesIO(), BytesIO()
        source, on_chunk = part.file_part.source(), self._on_chunk
        with closing(row_work.sink_for(job, rows, source, part.learnt)) as sink:
            try:
                for chunk in row_work.RowsReading(source, job, tally, rejects.write, sink.check).chunks(sink):
                    for made in row_work.rows_made(chunk, on_chunk, tally, silent):
                        made.write(sink, job.meta)
            except AugmentError:
                if self.is_final:
                    raise
                return PartDone(b"", b"", failed=True)
            sink.finish()
            return PartDone(rows.getvalue(), rejects.getvalue(), tally, sink.learnt())


def write_parts(
    work: row_work.RowWork, tally: Tally, advance: Callable[[Tally], None], content: BinaryIO | None = None
) -> None:
    """Read the rows of a run in parts, let its engine do the parts, and write the new rows in the order of the input.

    The output does not depend on the engine, the number of workers or the size of the parts.

    Args:
        work: what the command does with rows.
        tally: the counts of the run, which are increased.
        advance: called with the counts of each part that was written.
        content: the content of the input; if it is None, this function opens the input.

    Raises:
        AugmentError: a row or a file is wrong; if several rows are wrong, the error names the first.
    """
    with (
        row_work.reading(work, content) as (ready, source),
        kept_parts(ready.job) as kept,
        row_work.writing(ready.job, source) as (output, sink),
    ):
        job = ready.job
        if job.limit == 0:
            return
        found = _with_names(
            row_work.said_rows(file_parts(source, job.split.part_bytes), row_work.where_of(job)), sink, job
        )
        parts = (JobPart(file_part, Learnt(sink.learnt().names), job.limit) for file_part in found)
        stands_alone = job.limit is None and not sink.learns_types
        once, again = PartWork(ready, is_final=stands_alone), PartWork(ready)
        count = 0
        with closing(in_order(job.split.made(), once, parts, kept.find, kept.save)) as every:
            for part, made in every:
                done = _checked(part, made, sink, tally.rows, again)
                sink.join(done.rows, part.file_part.array)
                output.rejected(done.rejects)
                tally.add(done.tally)
                advance(done.tally)
                count += 1
                if output.flushed:
                    output.stream.flush()
                if tally.rows == job.limit:
                    break
        kept.is_whole = True
    tally.kept = kept.found
    if job.split.engine == LOCAL and (advice := workers_advice(job.split.workers or 1, count, _processors())):
        say(advice, quiet=job.quiet)


def workers_advice(workers: int, parts: int, processors: int) -> str:
    """Advise fewer workers if there are more of them than parts of the input or processors; otherwise return "".

    Args:
        workers: the number of workers.
        parts: the number of parts of the input.
        processors: the number of processors of the machine.

    >>> workers_advice(8, 3, 4)
    '`workers` 8: the input has 3 parts, so `workers` 3 is as fast; a lower `part_size` makes more parts'
    """
    if parts < workers and parts <= processors:
        remedy = "a lower `part_size` makes more parts"
        said, most = f"the input has {amount(parts, 'part')}", max(parts, 1)
    elif processors < workers:
        said, most, remedy = f"this machine has {amount(processors, 'processor')}", processors, ""
    else:
        return ""
    return f"`workers` {workers}: {said}, so `workers` {most} is as fast{remedy and f'; {remedy}'}"


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _with_names(found: Iterator[FilePart], sink: Sink, job: RowsJob) -> Iterator[FilePart]:
    """Yield the parts in `found`.

    If the output is a table, first teach the sink the names of its columns from the first row that can be used.
    """
    held: list[FilePart] = []
    if job.format in {"CSV", "TSV"}:
        lenient = replace(job, skip=True, limit=1)
        while not sink.learnt().names and (file_part := next(found, None)) is not None:
            held.append(file_part)
            rows = file_part.source()
            any(row_work.RowsReading(rows, lenient, Tally({}), check=sink.check).records(rows))
    yield from held
    yield from found


def _checked(part: JobPart, made: PartDone, sink: Sink, rows: int, again: PartWork) -> PartDone:
    """Return the outcome to write for a part: `made`, or that of a second try if `made` does not fit the rows before.

    Args:
        part: the part.
        made: its outcome, made without knowing the rows before it.
        sink: what the rows are written to; it is told the names and types of columns that the part determines.
        rows: how many rows were read before the part.
        again: the work of the second try.

    Raises:
        AugmentError: a row cannot be used and is not skipped.
    """
    left = None if part.limit is None else part.limit - rows
    before = sink.learnt()
    ends = left is not None and part.limit != left and made.tally.rows >= left
    if not (ends or made.failed or _taught(sink, made, before)):
        return made
    types = before.types if sink.learns_types else ()
    exact = again(part._replace(learnt=Learnt(part.learnt.names, types), limit=left))
    sink.learn(exact.learnt)
    return exact


def _taught(sink: Sink, made: PartDone, before: Learnt) -> bool:
    """Tell the sink the names and types of columns that a part determines; return whether it must be done again.

    It must if the types of its values conflict with earlier ones. It must also if rows were rejected and earlier
    types are known, because the reasons for the rejection may depend on these types.
    """
    if sink.learns_types and before.types and made.tally.skipped:
        return True
    try:
        sink.learn(made.learnt)
    except AugmentError:
        return True
    return False
