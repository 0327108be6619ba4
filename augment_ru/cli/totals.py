"""`augment-ru totals`."""

from pathlib import Path

import click

from augment_ru.cli.shared_options import DEBUG, table_format, usage, with_options
from augment_ru.errors import AugmentError


@click.command(short_help="Means over tasks, from several reports.")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT.json...", type=click.Path(path_type=Path))
@with_options(table_format("json"))
@with_options(DEBUG)
def totals(reports: tuple[Path, ...], form: str | None) -> None:
    """Means over tasks, from the reports of evaluate: totals of MERA and Russian SuperGLUE, TAPE's Tables 3 and 4.

    \b
    augment-ru evaluate release/winograd --model linear -o winograd.json
    augment-ru evaluate release/ru_worldtree --model linear -o ru_worldtree.json
    augment-ru totals winograd.json ru_worldtree.json
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.evaluation import totals as means  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.evaluation.report import as_json, read_report  # noqa: PLC0415
    from augment_ru.evaluation.table_text import as_text  # noqa: PLC0415
    from augment_ru.evaluation.terminal import print_tables  # noqa: PLC0415
    from augment_ru.formats.json_lines import encoded  # noqa: PLC0415

    try:
        read = [read_report(path) for path in reports]
    except AugmentError as error:
        raise usage(error) from error
    if form == "json":
        click.echo(encoded(as_json(means.totals(read))))
        return
    for table in means.total_tables(read, [path.stem for path in reports]):
        if form in {None, "table"}:
            print_tables([table])
        else:
            click.echo(as_text(table, form))
