"""`augment-ru check`."""

from pathlib import Path

import click

from augment_ru.cli.shared_options import DEBUG, with_options
from augment_ru.errors import AugmentError, amount, escaped


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@with_options(DEBUG)
def check(files: tuple[str, ...]) -> None:
    """Check dictionaries, rule files, task files and prompt files.

    Also runs the examples of rule files, and of a constraint's function: FILE.py:FUNCTION. Dictionaries end in .tsv,
    the others in .toml. Without FILE, checks all files of this package.
    """
    from augment_ru.jobs.check import file_problems  # noqa: PLC0415

    found = 0
    for line in file_problems([Path(file) for file in files]):
        found += 1
        click.echo(escaped(line))
    if found:
        raise AugmentError(amount(found, "problem"))
    click.echo("no problems", err=True)
