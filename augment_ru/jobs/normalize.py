"""The work of `augment-ru normalize`: normalize the texts of a file, and count the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.engine.prepare import Preparation
from augment_ru.jobs.messages import Advance, checking, say
from augment_ru.jobs.perturb import make_rows, wrote
from augment_ru.jobs.row_work import MadeRows, OnChunk, RowWork
from augment_ru.jobs.rows import job_of
from augment_ru.jobs.summary import Tally
from augment_ru.normalizers._normalization import normalizations_of
from augment_ru.normalizers._normalizer import KEY, Normalizer
from augment_ru.records.record import Record
from augment_ru.registry import own_files


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
    """What the command `normalize` does with the rows of a run.

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
