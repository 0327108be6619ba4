"""`augment-ru list`."""

import os

import click

from augment_ru.cli.shared_options import DEBUG, with_options

_KINDS = ["attacks", "constraints", "similarities", "tasks", "models"]


@click.command(name="list")
@click.argument("kind", required=False, type=click.Choice(_KINDS))
@click.option("-v", "--verbose", is_flag=True, help="Also show options, reasons and files.")
@click.option("--lang", type=click.Choice(["en", "ru"]), help="The language.  [default: that of the locale]")
@with_options(DEBUG)
def list_(kind: str | None, verbose: bool, lang: str | None) -> None:  # noqa: FBT001
    """List attacks, constraints, similarities, tasks and models."""
    from augment_ru.jobs.list import language_of, listing  # noqa: PLC0415

    for line in listing(kind, verbose=verbose, language=lang or language_of(os.environ)):
        click.echo(line)
