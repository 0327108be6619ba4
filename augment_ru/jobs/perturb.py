"""The work of `augment-ru perturb`: perturb the rows of a file, and print figures about them."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from augment_ru.engine.result import Perturbed, Result, original
from augment_ru.errors import amount
from augment_ru.formats.row import Changed, LinesAtOnce
from augment_ru.jobs.messages import Advance, checking, progress, say, tell, terminal_width
from augment_ru.jobs.outputs import is_shown, rejects_of, write_file
from augment_ru.jobs.parts import write_parts
from augment_ru.jobs.row_work import OnChunk, RowWork, size_of, write_rows
from augment_ru.jobs.rows import RowsJob, rows_job
from augment_ru.jobs.summary import Tally, summary_lines
from augment_ru.records.record import AlikeRecords, Record

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
    make_rows("perturb", job, tally, lambda show: PerturbRows(job, show))
    if job.report is not None:
        write_file(job.report, [tally.report(job.perturbers[0])])
    if not job.quiet:
        for line in summary_lines(tally.summaries, terminal_width(sys.stderr)):
            tell(line)
        say(str(tally))
        say(wrote(job, tally))
    return 1 if tally.skipped else 0


Show: TypeAlias = Callable[[Sequence[Result]], None]
"""A function that shows results on a terminal."""


def make_rows(name: str, job: RowsJob, tally: Tally, work_of: Callable[[Show | None], RowWork]) -> None:
    """Do a run: write its rows, or show them if the output is a terminal. Meanwhile show a progress bar.

    Args:
        name: the command.
        job: the run.
        tally: the counts of the run, which are increased.
        work_of: a function that makes the work on the rows. Its argument is a function that shows results on the
            terminal, or None if rows are written.

    Raises:
        AugmentError: a row or a file is wrong.
    """
    show: Show | None = None
    if is_shown(job.output):
        from augment_ru.jobs.differences import shows_differences  # noqa: PLC0415  (only a terminal needs it)

        show = shows_differences(lambda result: result.settings.attack)
    with progress(name, "rows", size_of(job), quiet=job.quiet or show is not None) as advance:
        if job.split.has_parts:
            write_parts(work_of(show), tally, lambda done: advance(done.rows, done.read))
        else:
            write_rows(work_of(show), tally, advance, shown=show is not None)


@dataclass(frozen=True, slots=True)
class PerturbRows(RowWork):
    """What the command `perturb` does with the rows of a run.

    Attributes:
        job: the run: its files, attacks and settings.
        show: a function that shows the results instead of writing them; None to write them.
    """

    show: Show | None = None

    def begin(self) -> OnChunk:
        """Return the function that perturbs a chunk (records read at once); attacks load data on first use."""
        read = 0

        def on_chunk(chunk: Sequence[Record], tally: Tally, advance: Advance) -> Sequence[tuple[Record, Changed]]:
            nonlocal read
            share = (tally.read - read) / (len(self.job.perturbers) * self.job.copies)
            read = tally.read
            found = _perturbed(chunk, self.job, tally, partial(advance, len(chunk), share))
            seed = self.job.perturbers[0].seed if self.job.with_original else None
            rows = PerturbedRows(chunk, found, self.job.meta, seed)
            tally.written += len(rows)
            if self.show is None:
                return rows
            self.show(rows.results)
            return ()

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


class PerturbedRows(LinesAtOnce):
    """The rows that are written for a chunk (the records that are perturbed at once).

    For each record these are its unperturbed row, if wanted, and its perturbed rows.

    Args:
        records: the records of the chunk, at least one.
        found: the results on these records. Each item is one random perturbation of all records by one attack.
        meta: how much metadata is written: full, brief or none.
        seed: the seed that the metadata of unperturbed rows states; None to write no unperturbed rows.
    """

    def __init__(self, records: Sequence[Record], found: Sequence[Perturbed], meta: str, seed: int | None) -> None:
        self._records, self._found, self._meta = records, found, meta
        self._originals = [] if seed is None else [original(record, seed) for record in records]

    def _in_turn(self, first: Sequence[T], columns: Iterable[Iterable[T]]) -> list[T]:
        """Merge columns that have an item for each record: all items of the first record, then of the second, ….

        The column `first` comes first, or is left out if it is empty.
        """
        return list(chain.from_iterable(zip(*([first] if first else []), *columns, strict=True)))

    @property
    def results(self) -> list[Result]:
        """The results, one for each row that is written."""
        return self._in_turn(self._originals, [one.results for one in self._found])

    @cached_property
    def _rows(self) -> list[tuple[Record, Changed]]:
        first = [(one.record, one.changed(self._meta)) for one in self._originals]
        return self._in_turn(first, [one.rows(self._meta) for one in self._found])

    def __len__(self) -> int:
        return len(self._records) * len(self._found) + len(self._originals)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return self._rows[at]

    def __iter__(self) -> Iterator[tuple[Record, Changed]]:
        return iter(self._rows)

    def lines(self) -> Iterable[bytes] | None:
        """Return the rows as lines of JSON, made all at once, which is faster.

        The result is None if the records do not have one text each in the same field.
        """
        records, meta = self._records, self._meta
        if not isinstance(records, AlikeRecords):
            return None
        first = [f"{one.line(meta)}\n".encode() for one in self._originals]
        return self._in_turn(first, [one.lines(records, meta) for one in self._found])
