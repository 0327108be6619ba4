"""`augment-ru list`."""

import os

import click

_KINDS = ["attacks", "constraints", "similarities", "tasks", "models"]


@click.command(name="list")
@click.argument("kind", required=False, type=click.Choice(_KINDS))
@click.option("-v", "--verbose", is_flag=True, help="Also show options, reasons and files.")
@click.option("--lang", type=click.Choice(["en", "ru"]), help="The language.  [default: that of the locale]")
@click.option("--debug", is_flag=True, hidden=True)
def list_(kind: str | None, verbose: bool, lang: str | None, debug: bool) -> None:  # noqa: FBT001
    """List attacks, constraints, similarities, tasks and models."""
    from augment_ru.jobs.list import language_of, listing  # noqa: PLC0415

    del debug
    for line in listing(kind, verbose=verbose, language=lang or language_of(os.environ)):
        click.echo(line)
