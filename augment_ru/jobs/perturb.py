"""The work of `augment-ru perturb` and `normalize`: make new rows of those of a file, and print figures about them."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from augment_ru.engine.prepare import Preparation
from augment_ru.engine.result import Perturbed, original
from augment_ru.errors import amount
from augment_ru.jobs.messages import Advance, checking, progress, say, tell, terminal_width
from augment_ru.jobs.outputs import is_shown, rejects_of, write_file
from augment_ru.jobs.parts import write_parts
from augment_ru.jobs.row_work import MadeRows, OnChunk, RowWork, size_of, write_rows
from augment_ru.jobs.rows import RowsJob, job_of, rows_job
from augment_ru.jobs.summary import Tally, summary_lines
from augment_ru.normalizers._normalization import normalizations_of
from augment_ru.normalizers._normalizer import KEY, Normalizer
from augment_ru.records.record import AlikeRecords, Record
from augment_ru.registry import own_files

T = TypeVar("T")


def perturb_rows(given: Mapping[str, Any]) -> int:
    """Perturb the rows of a file as the options ask. Return the exit code: 1 if rows were skipped, else 0.

    Args:
        given: the values of the options, by parameter name.

    Raises:
        AugmentError: an option, a row or a file is wrong.
    """
    with checking():
        job = rows_job(given, given["attacks"])
        job.check()
    return run(job)


def run(job: RowsJob) -> int:
    """Perturb the rows of a run. Return the exit code: 1 if rows were skipped, else 0.

    Args:
        job: the run: its files, attacks and settings.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    tally = Tally.of(job.perturbers)
    make_rows("perturb", PerturbRows(job), tally)
    if job.report is not None:
        write_file(job.report, [tally.report(job.perturbers[0])])
    if not job.quiet:
        for line in summary_lines(tally.summaries, terminal_width(sys.stderr)):
            tell(line)
        say(str(tally))
        say(wrote(job, tally))
    return 1 if tally.skipped else 0


def make_rows(name: str, work: RowWork, tally: Tally) -> None:
    """Do a run: write its rows, or show them if the output is a terminal. Meanwhile show a progress bar.

    Args:
        name: the command.
        work: what it does with the rows.
        tally: the counts of the run, which are increased.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    job, show = work.job, None
    if is_shown(job.output):
        from augment_ru.jobs.differences import shows_differences  # noqa: PLC0415  (only a terminal needs it)

        show = shows_differences(lambda result: result.settings.attack)
    with progress(name, "rows", size_of(job), quiet=job.quiet or show is not None) as advance:
        if job.split.has_parts:
            write_parts(work, tally, lambda done: advance(done.rows, done.read))
        else:
            write_rows(work, tally, advance, show=show)


class PerturbRows(RowWork):
    """Perturbs the rows of a run, for the command `perturb`."""

    __slots__ = ()

    def begin(self) -> OnChunk:
        """Return the function that perturbs a chunk (records read at once); attacks load data on first use."""
        read = 0

        def on_chunk(chunk: Sequence[Record], tally: Tally, advance: Advance) -> MadeRows:
            nonlocal read
            share = (tally.read - read) / (len(self.job.perturbers) * self.job.copies)
            read = tally.read
            found = _perturbed(chunk, self.job, tally, partial(advance, len(chunk), share))
            seed = self.job.perturbers[0].seed if self.job.with_original else None
            tally.written += len(chunk) * (len(found) + self.job.with_original)
            return perturbed_rows(chunk, found, self.job.meta, seed)

        return on_chunk


def normalize_rows(given: Mapping[str, Any]) -> int:
    """Normalize the rows of a file as the options ask. Return the exit code: 1 if rows were skipped, else 0.

    Args:
        given: the values of the options, by parameter name.

    Raises:
        AugmentError: an option, a row or a file is wrong.
    """
    with checking():
        normalizer = Normalizer(normalizations_of(given["normalizers"], given["options"]))
        job = job_of(given, (), Preparation(()), [*map(str, own_files())], KEY)
        job.check()
    tally = Tally({})
    make_rows("normalize", NormalizeRows(job, normalizer), tally)
    if not job.quiet:
        say(tally.line(f"{tally.rows:,} rows in", f"{tally.searches['normalized']:,} normalized"))
        say(wrote(job, tally))
    return 1 if tally.skipped else 0


@dataclass(frozen=True, slots=True)
class NormalizeRows(RowWork):
    """Normalizes the rows of a run, for the command `normalize`.

    Attributes:
        job: the run: its files, task and settings.
        normalizer: the normalizer.
    """

    normalizer: Normalizer

    def begin(self) -> OnChunk:
        """Return the function that normalizes a chunk (records read at once); dictionaries are loaded on first use."""
        read = 0

        def on_chunk(chunk: Sequence[Record], tally: Tally, advance: Advance) -> MadeRows:
            nonlocal read
            results = self.normalizer.chunk(chunk)
            tally.searches.update(one.status for one in results)
            tally.written += len(results)
            advance(len(chunk), tally.read - read)
            read = tally.read
            return MadeRows(results)

        return on_chunk


def wrote(job: RowsJob, tally: Tally) -> str:
    """Return a message that says how many rows a run wrote, and to which files.

    Args:
        job: the run.
        tally: its counts.
    """
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


def _perturbed(chunk: Sequence[Record], job: RowsJob, tally: Tally, advance: Callable[[], None]) -> list[Perturbed]:
    """Perturb the records once for each attack and draw; return the results of each, attack by attack.

    `advance` is called after each attack and draw.
    """
    prepared = job.preparation.chunk(chunk, [perturber.needs for perturber in job.perturbers])
    perturbers = [perturber.at_draw(draw) for perturber in job.perturbers for draw in range(job.copies)]
    found = []
    for perturber in perturbers:
        found.append(perturber.perturb(prepared))
        advance()
    for perturber, perturbed in zip(perturbers, found, strict=True):
        tally.summaries[perturber.attack.name].add(perturbed)
    tally.warned += len(set().union(*(perturbed.warned for perturbed in found)))
    return found


def perturbed_rows(records: Sequence[Record], found: Sequence[Perturbed], meta: str, seed: int | None) -> MadeRows:
    """Return the rows to write for a chunk of records: each original row, if wanted, followed by its results.

    Args:
        records: the records of the chunk, at least one.
        found: the results on these records. Each item is one random perturbation of all records by one attack.
        meta: how much metadata is written: full, brief or none.
        seed: the seed that the metadata of unperturbed rows states; None to write no unperturbed rows.
    """
    originals = [] if seed is None else [original(record, seed) for record in records]
    results = _in_turn(originals, (one.results for one in found))
    if not isinstance(records, AlikeRecords):
        return MadeRows(results)
    lines = (f"{one.line(meta)}\n".encode() for one in originals)
    return MadeRows(results, _in_turn(lines, (one.lines(records, meta) for one in found)))


def _in_turn(first: Iterable[T], columns: Iterable[Iterable[T]]) -> Iterator[T]:
    """Yield items of columns that have one for each record: all of the first record, then of the second, ….

    Those of the column `first` come first; it is left out if it is empty.
    """
    held = list(first)
    yield from chain.from_iterable(zip(*([held] if held else []), *columns, strict=True))
