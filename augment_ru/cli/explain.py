"""`augment-ru explain`."""

from typing import Any

import click

from augment_ru.cli.shared_options import SEARCH, choices, usage, with_options
from augment_ru.errors import AugmentError


@click.command()
@click.argument("text")
@click.option("--attack", "attacks", multiple=True, metavar="NAME[+NAME...]", help="An attack to explain. Repeatable.")
@with_options(SEARCH)
@click.option("--debug", is_flag=True, hidden=True)
def explain(text: str, **given: Any) -> None:  # noqa: ANN401
    """Show why a text changes as it does.

    Prints the protected spans with their rules, the proposed changes with their ranks, which of them were
    dropped and why, and which were applied.
    """
    from augment_ru.jobs.explain import explained  # noqa: PLC0415

    try:
        preparation, run = choices(given, given["attacks"] or ("butterfingers",))
    except AugmentError as error:
        raise usage(error) from error
    explained(text, preparation, run.perturbers)
