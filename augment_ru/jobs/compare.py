"""The work of `augment-ru compare`: read reports, compare them, write the comparison."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from augment_ru.evaluation.compare import compare, named_report
from augment_ru.evaluation.compared_page import compared_page, compared_tables
from augment_ru.evaluation.report import as_json
from augment_ru.formats.files import check_input, check_outputs, replacing
from augment_ru.formats.json_lines import encoded_row
from augment_ru.jobs.evaluate import pretty, print_shown
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
    reports = [named_report(Path(path)) for path in job.reports]
    found = compare(reports, seed=job.seed, title=job.title, date=job.date)
    tables = compared_tables(found)
    if job.output == "-":
        print(encoded_row(as_json(found)))
    elif job.output is not None:
        with replacing(Path(job.output)) as stream:
            stream.write(pretty(as_json(found)))
    if job.html is not None:
        with replacing(Path(job.html)) as stream:
            stream.write(compared_page(found, tables).encode("utf-8", "replace"))
    shown = [table for table in tables if table.key != "attacks" or job.form != "table"]
    print_shown(shown, job.form, found, to_stderr=job.output == "-")
    files = [file for file in (job.output, job.html) if file]
    wrote = ", ".join("the comparison to stdout" if file == "-" else file for file in files)
    say(f"wrote {wrote or 'no file; --html PAGE.html makes a page'}", quiet=job.quiet)
