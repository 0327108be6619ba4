"""`augment-ru explain`."""

from typing import Any

import click

from augment_ru.cli.choices import choices
from augment_ru.cli.complete import complete_attacks
from augment_ru.cli.misuse import is_file
from augment_ru.cli.shared_options import DEBUG, PROBABILITY, SEARCH, SETUP, usage, with_options
from augment_ru.errors import AugmentError


@click.command()
@click.argument("text")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME[+NAME...]|FILE.py",
    shell_complete=complete_attacks,
    help="An attack to explain. Repeatable.  [default: butterfingers]",
)
@with_options(PROBABILITY)
@with_options(SEARCH)
@with_options(SETUP)
@with_options(DEBUG)
def explain(text: str, **given: Any) -> None:  # noqa: ANN401
    """Show which changes are applied to a text, and why.

    Prints the protected spans with their rules. For each attack prints the proposed changes with their ranks, and
    whether each was dropped (with the reason), applied, or not applied.
    """
    from augment_ru.jobs.explain import explained  # noqa: PLC0415

    if is_file(text):
        raise click.UsageError(f"{text}: is a file; explain takes a text, perturb shows what it changes in a file")
    try:
        preparation, run = choices(given, given["attacks"] or ("butterfingers",))
    except AugmentError as error:
        raise usage(error) from error
    explained(text, preparation, run.perturbers)
