"""`augment-ru explain`."""

from typing import Any

import click

from augment_ru.cli.shared_options import SEARCH, choices, usage, with_options
from augment_ru.errors import AugmentError


@click.command()
@click.argument("text")
@click.option("--attack", "attacks", multiple=True, metavar="NAME[+NAME...]", help="What to explain; repeatable.")
@with_options(SEARCH)
@click.option("--debug", is_flag=True, hidden=True)
def explain(text: str, **given: Any) -> None:  # noqa: ANN401
    """Show why a text changes as it does.

    The protected spans with their rules, the proposed edits with their ranks, which were dropped and why,
    and which were spent.
    """
    from augment_ru.jobs.explain import explained  # noqa: PLC0415

    try:
        preparation, run = choices(given, given["attacks"] or ("butterfingers",))
    except AugmentError as error:
        raise usage(error) from error
    explained(text, preparation, run.perturbers)
