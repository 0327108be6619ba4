"""`augment-ru list`."""

import click

_KINDS = ["attacks", "constraints", "similarities", "tasks", "models"]


@click.command(name="list")
@click.argument("kind", required=False, type=click.Choice(_KINDS))
@click.option("-v", "--verbose", is_flag=True, help="Also show options, reasons and files.")
@click.option("--debug", is_flag=True, hidden=True)
def list_(kind: str | None, verbose: bool, debug: bool) -> None:  # noqa: FBT001
    """List attacks, constraints, similarities, tasks and models."""
    from augment_ru.jobs.list import listing  # noqa: PLC0415

    del debug
    for line in listing(kind, verbose=verbose):
        click.echo(line)
