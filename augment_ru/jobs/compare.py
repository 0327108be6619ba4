"""The work of `augment-ru compare`: read reports, compare them, write the comparison."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.evaluation.compare import compare
from augment_ru.evaluation.compared_page import compared_page, compared_tables
from augment_ru.evaluation.named_reports import named_report
from augment_ru.evaluation.table_text import ShownTable, as_text
from augment_ru.evaluation.totals import of_reports
from augment_ru.formats.files import check_input, check_outputs, replacing
from augment_ru.formats.json_lines import encoded_row
from augment_ru.jobs.evaluate import pretty
from augment_ru.jobs.progress import say


class ComparisonJob(NamedTuple):
    """The arguments of the command.

    Attributes:
        reports: the files of the reports.
        output: the file of the comparison as JSON, or - for stdout; None for no file.
        html: the file of the page; None for no page.
        form: how the tables are printed: as a table, or as a format of `evaluation.table_text`.
        title: the title of the comparison.
        date: the date that it states.
        seed: the seed of the bootstrap.
        quiet: whether it does not say on stderr what it wrote.
    """

    reports: Sequence[str]
    output: str | None
    html: str | None
    form: str
    title: str | None
    date: str | None
    seed: int
    quiet: bool = False

    def check(self) -> None:
        """Nothing, if all files can be read and written.

        Raises:
            AugmentError: one cannot.
        """
        for path in self.reports:
            check_input(path)
        check_outputs([("-o", None if self.output == "-" else self.output), ("--html", self.html)], self.reports)


def run_comparison(job: ComparisonJob) -> None:
    """Compare, print the tables, write the files. The tables go to stderr if the comparison goes to stdout.

    Raises:
        AugmentError: a file is no report, or the reports share no rows.
    """
    with of_reports([Path(path) for path in job.reports]):
        reports = [named_report(Path(path)) for path in job.reports]
        found = compare(reports, seed=job.seed, title=job.title, date=job.date)
        tables = compared_tables(found)
        if job.output == "-":
            print(encoded_row(found))
        elif job.output is not None:
            with replacing(Path(job.output)) as stream:
                stream.write(pretty(found))
        if job.html is not None:
            with replacing(Path(job.html)) as stream:
                stream.write(compared_page(found, tables).encode("utf-8", "replace"))
        _print_tables(job, found, tables)
    files = [file for file in (job.output, job.html) if file]
    wrote = ", ".join("the comparison to stdout" if file == "-" else file for file in files)
    say(f"wrote {wrote or 'no file; --html PAGE.html makes a page'}", quiet=job.quiet)


def _print_tables(job: ComparisonJob, found: Mapping[str, Any], tables: Sequence[ShownTable]) -> None:
    to_stderr = job.output == "-"
    if job.form != "table":
        text = "\n".join(as_text(table, job.form) for table in tables)
        print(text, end="", file=sys.stderr if to_stderr else sys.stdout)
        return
    from rich.console import Console  # noqa: PLC0415  (for tables alone)

    from augment_ru.evaluation.terminal import print_tables  # noqa: PLC0415

    print_tables(found, Console(stderr=to_stderr), [table for table in tables if table.key != "attacks"])
