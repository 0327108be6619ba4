"""The work of `augment-ru perturb`: perturbs the rows of a file, and says what became of them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from augment_ru.engine.result import Result, original
from augment_ru.errors import amount
from augment_ru.formats.row import Changed
from augment_ru.jobs.flags import checking
from augment_ru.jobs.outputs import is_shown, rejects_of, write_file
from augment_ru.jobs.parts import write_parts
from augment_ru.jobs.progress import Advance, progress, say, tell, terminal_width
from augment_ru.jobs.reading import size_of
from augment_ru.jobs.rows import RowsJob, rows_job
from augment_ru.jobs.summary import Tally, summary_lines
from augment_ru.jobs.writing import OnChunk, write_rows
from augment_ru.records.record import Record


def perturb_rows(given: Mapping[str, Any]) -> int:
    """Do what the options of `perturb` ask for, which `given` has by parameter; the exit code.

    Raises:
        AugmentError: an option, a row or a file is wrong.
    """
    with checking():
        job = rows_job(given, given["attacks"])
        job.check()
    return run(job)


def run(job: RowsJob) -> int:
    """Perturb the rows; the exit code: 1 if rows were skipped, otherwise 0.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    show = None
    if is_shown(job.output):
        from augment_ru.jobs.differences import shows_differences  # noqa: PLC0415  (only a terminal needs it)

        show = shows_differences(lambda result: result.settings.attack)
    work = PerturbRows(job, show)
    tally = Tally.of(job.perturbers)
    with progress("perturb", "rows", size_of(job), quiet=job.quiet or show is not None) as advance:
        if job.split.has_parts:
            write_parts(work, tally, lambda done: advance(done["rows"], done["read"]))
        else:
            write_rows(work, tally, advance, shown=show is not None)
    if job.report is not None:
        write_file(job.report, [tally.report(job.perturbers[0])])
    if not job.quiet:
        for line in summary_lines(tally.summaries, terminal_width(sys.stderr)):
            tell(line)
        say(str(tally))
        say(wrote(job, tally))
    return 1 if tally.skipped else 0


@dataclass(frozen=True, slots=True)
class PerturbRows:
    """What `perturb` does with the rows of a run.

    Attributes:
        job: the run.
        show: is called with the results in place of writing them; None if they are written.
    """

    job: RowsJob
    show: Callable[[Sequence[Result]], None] | None = None

    def with_job(self, job: RowsJob) -> "PerturbRows":
        """The same for a changed run."""
        return replace(self, job=job)

    def begin(self) -> OnChunk:
        """The function that perturbs a chunk; what attacks need is loaded when they need it."""
        read = 0

        def on_chunk(chunk: Sequence[Record], tally: Tally, advance: Advance) -> Sequence[tuple[Record, Changed]]:
            nonlocal read
            share = (tally.read - read) / (len(self.job.perturbers) * self.job.copies)
            read = tally.read
            results = _perturbed(chunk, self.job, tally, partial(advance, len(chunk), share))
            tally.written += len(results)
            if self.show is not None:
                self.show(results)
                return ()
            return [(result.record, result.changed(self.job.meta)) for result in results]

        return on_chunk


def wrote(job: RowsJob, tally: Tally) -> str:
    """What a run wrote, as a message."""
    rows = amount(tally.written, "row")
    if is_shown(job.output):
        table = f", and wrote the table to {job.report}" if job.report is not None else ""
        return f"showed {rows}{table}; `output` FILE writes rows"
    files = [f"{rows} to {job.output or 'stdout'}"]
    if tally.skipped and job.output:
        files.append(f"{tally.skipped:,} to {rejects_of(job.output)}")
    if job.report is not None:
        files.append(f"the table to {job.report}")
    return f"wrote {', '.join(files)}"


def _perturbed(chunk: Sequence[Record], job: RowsJob, tally: Tally, advance: Callable[[], None]) -> list[Result]:
    """The results of the records in their order; those of a record in the order of the attacks and of their draws.

    `advance` is called when an attack is done with them.
    """
    prepared = job.preparation.chunk(chunk, [perturber.needs for perturber in job.perturbers])
    perturbers = [perturber.at_draw(draw) for perturber in job.perturbers for draw in range(job.copies)]
    found = []
    for perturber in perturbers:
        found.append(perturber.perturb(prepared))
        advance()
    for perturber, perturbed in zip(perturbers, found, strict=True):
        tally.summaries[perturber.attack.name].add(perturbed)
    tally.warned += len(set().union(*(perturbed.chunk.warned for perturbed in found if perturbed.chunk is not None)))
    columns = [perturbed.results for perturbed in found]
    if job.with_original:
        columns.insert(0, [original(record, job.perturbers[0].seed) for record in chunk])
    return list(chain.from_iterable(zip(*columns, strict=True)))
