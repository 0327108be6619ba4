"""The command `augment-ru compare`."""

import click

from augment_ru.cli.shared_options import DEBUG, QUIET, table_format, usage, with_options
from augment_ru.errors import AugmentError


@click.command(short_help="Put the reports of several evaluations side by side.")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT.json...")
@click.option("-o", "--output", metavar="COMPARISON.json", help="The comparison as JSON; - for stdout.")
@click.option("--html", metavar="PAGE.html", help="The comparison as a web page.")
@with_options(table_format())
@click.option("--title", metavar="TEXT", help="The title of the comparison.")
@click.option("--date", metavar="TEXT", help="The date of the comparison.")
@click.option("--seed", default=42, type=int, metavar="N", help="The seed of the bootstrap.  [default: 42]")
@with_options(QUIET)
@with_options(DEBUG)
def compare(  # noqa: PLR0917  (click passes options by name)
    reports: tuple[str, ...],
    output: str | None,
    html: str | None,
    form: str | None,
    title: str | None,
    date: str | None,
    seed: int,
    quiet: bool,  # noqa: FBT001
) -> None:
    """Put the reports of several evaluations side by side: models by attacks, over the rows that all of them share.

    \b
    augment-ru evaluate perturbed.jsonl --model linear:train.jsonl -o linear.json
    augment-ru evaluate perturbed.jsonl --model hf-causal:gpt -o gpt.json
    augment-ru compare linear.json gpt.json --html both.html
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.jobs.compare import ComparisonJob, run_comparison  # noqa: PLC0415  (so that --help loads nothing heavy)

    job = ComparisonJob(reports, output, html, form or "table", title, date, seed, quiet)
    try:
        job.check()
    except AugmentError as error:
        raise usage(error) from error
    run_comparison(job)
