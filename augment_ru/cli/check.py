"""`augment-ru check`."""

from pathlib import Path

import click

from augment_ru.errors import AugmentError, shown


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--debug", is_flag=True, hidden=True)
def check(files: tuple[str, ...], debug: bool) -> None:  # noqa: FBT001
    """Check dictionaries, rule files and prompt files.

    Also runs the examples of rule files. Dictionaries end in .tsv, rule files and prompt files in .toml. Without FILE,
    checks all files of this package.
    """
    from augment_ru.jobs.check import file_problems  # noqa: PLC0415

    del debug
    found = 0
    for line in file_problems([Path(file) for file in files]):
        found += 1
        click.echo(shown(line))
    if found:
        raise AugmentError(f"{found} problem{'s' if found > 1 else ''}")
    click.echo("no problems", err=True)
