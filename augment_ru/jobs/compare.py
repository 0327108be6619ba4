"""The work of `augment-ru compare` and `totals`: read reports, compare them, or take means over tasks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.evaluation import totals
from augment_ru.evaluation.compare import compare, compared_page, compared_tables, named_report
from augment_ru.evaluation.report import as_json, read_report
from augment_ru.formats.files import check_input, check_outputs
from augment_ru.formats.json_lines import encoded
from augment_ru.jobs.evaluate import latex_options, print_shown, say_written, write_json
from augment_ru.jobs.messages import check_used, checking
from augment_ru.jobs.outputs import write_file


def compare_reports(given: Mapping[str, Any]) -> None:
    """Compare reports, print the tables, and write the files. If the comparison goes to stdout, tables go to stderr.

    Args:
        given: the values of the options of `compare`, by parameter name.

    Raises:
        AugmentError: a file is not a report or cannot be written, or the reports share no rows.
    """
    reports, output, html, form = (given[name] for name in ("reports", "output", "html", "form"))
    with checking():
        check_used(given, ("title", "date"), ("output", "html"), "stands in the comparison")
        options = latex_options(given["latex"], form)
        for path in reports:
            check_input(path)
        check_outputs([("`output`", None if output == "-" else output), ("`html`", html)], reports)
    read = [named_report(Path(path)) for path in reports]
    found = compare(read, seed=given["seed"], title=given["title"], date=given["date"])
    tables = compared_tables(found)
    write_json(output, as_json(found))
    if html is not None:
        write_file(html, [compared_page(found, tables).encode("utf-8", "replace")])
    shown = [table for table in tables if table.key != "attacks" or form != "table"]
    print_shown(shown, form, found, latex=options, to_stderr=output == "-")
    say_written([output, html], "the comparison", "`html` PAGE.html makes a page", quiet=given["quiet"])


def print_totals(reports: Sequence[Path], form: str) -> None:
    """Print the means of models over several tasks, from the reports of `evaluate`.

    Args:
        reports: the files of the reports, one for each task.
        form: how the tables are printed: `table` for the terminal, `json`, `markdown`, `csv` or `latex`.

    Raises:
        AugmentError: a file is not a report.
    """
    with checking():
        read = [read_report(path) for path in reports]
    if form == "json":
        print(encoded(as_json(totals.totals(read))))
        return
    for table in totals.total_tables(read, [path.stem for path in reports]):
        print_shown([table], form)
        if form != "table":
            print()
