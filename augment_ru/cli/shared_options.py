"""The classes of commands and groups, and the options that several commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from augment_ru.cli.complete import complete_attacks, complete_constraints, complete_tasks
from augment_ru.cli.misuse import REAL, no_command
from augment_ru.jobs.flags import MisuseError

_F = TypeVar("_F", bound=Callable[..., Any])


class Command(click.Command):
    """A command with the option --debug, whose wrong usage ends with exit code 2."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401  (click's own signature)
        super().__init__(*args, **more)
        # `augment-ru` reads it from its arguments, because an error may occur before any command runs
        self.params.append(click.Option(["--debug"], is_flag=True, hidden=True, expose_value=False))

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's own signature)
        """Run the command; what it returns is the exit code."""
        try:
            return super().invoke(ctx)
        except MisuseError as error:
            raise click.UsageError(str(error), ctx) from error


class HelpfulGroup(click.Group):
    """A group of commands that prints its help where no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments; without any, the help is printed, and the program ends."""
        if not args and not ctx.resilient_parsing:  # a shell that asks for completions has no arguments, too
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names, and the arguments behind it."""
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None and args[0][:1] != "-":
            raise no_command(self, ctx, args)
        return super().resolve_command(ctx, args)


DEVICE = (
    click.option("--device", metavar="NAME", help="Where networks run: auto, cpu, cuda, cuda:N.  [default: auto]"),
)


def _probability(default: str) -> tuple[Callable[[_F], _F], ...]:
    help_ = f"Share of the possible changes, 0 to 1.  [default: {default}]"
    return (click.option("--probability", type=REAL, metavar="P", help=help_),)


PROBABILITY = _probability("the attack's")

_THRESHOLD = (
    click.option(
        "--threshold",
        type=REAL,
        metavar="X",
        help="The lowest similarity that passes, 0 to 1.  [default: the similarity's]",
    ),
)

SEARCH = (
    *_THRESHOLD,
    click.option(
        "--schedule",
        metavar="NAME",
        help="paper: halve P until the gate passes; strongest: many changes that still pass.  [default: paper]",
    ),
    click.option("--candidates", type=int, metavar="N", help="Perturbations to try for each row.  [default: 3]"),
    click.option(
        "--min-changes",
        type=int,
        metavar="N",
        help="Make at least N changes where a row allows so many; 0 leaves some rows clean.  [default: the attack's]",
    ),
)
"""Options on the search for a perturbation that passes."""

SIMILARITY = (
    click.option(
        "--similarity",
        metavar="NAME[:MODEL[@LAYER]]",
        help="meaning, navec, bertscore:MODEL@LAYER, python:MODULE:FUNCTION, or none.  [default: meaning]",
    ),
)

SETUP = (
    *SIMILARITY,
    click.option(
        "--set",
        "options",
        multiple=True,
        metavar="NAME.OPTION=VALUE",
        help="Set an option of an attack or a similarity (see list -v). Repeatable.",
    ),
    click.option(
        "--constraint",
        "constraints",
        multiple=True,
        metavar="NAME|FILE",
        shell_complete=complete_constraints,
        help="What is protected instead of what the task protects: a name, a rule file, FILE.py:FUNCTION. Repeatable.",
    ),
    click.option("--no-constraints", is_flag=True, help="Protect only links, answers and option markers."),
    click.option("--annotator", metavar="NAME", help="natasha or spacy:PIPELINE.  [default: natasha]"),
    click.option("--seed", type=int, metavar="N", help="Seed of the random numbers.  [default: 42]"),
    click.option(
        "--preset",
        type=click.Choice(["offline", "tape"]),
        help="Defaults of the other options; tape: those of the TAPE paper, with networks.  [default: offline]",
    ),
    *DEVICE,
)
"""Options on attacks, similarity, constraints and randomness."""

FILE_FORM = (
    click.option(
        "--input-format",
        type=click.Choice(["jsonl", "json", "csv", "tsv", "parquet", "txt"]),
        help="Format of the input.  [default: by the end of its name; stdin holds jsonl]",
    ),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of input that is not UTF-8, such as cp1251; output is UTF-8."
    ),
)
"""Options on the file that is read."""

INPUT = (
    click.option(
        "--task",
        metavar="NAME|FILE.toml",
        shell_complete=complete_tasks,
        help="The task of the rows.  [default: recognised from their fields]",
    ),
    click.option(
        "--field",
        "fields",
        multiple=True,
        metavar="NAME",
        help="A field that is perturbed, in place of the task's. Repeatable.",
    ),
    *FILE_FORM,
)
"""Options on the rows and the file that is read."""

MODEL = (
    click.option(
        "--label-field",
        "label_fields",
        multiple=True,
        metavar="NAME",
        help="A field of the right answer, in place of the task's. Repeatable.",
    ),
    click.option(
        "--train",
        metavar="FILE",
        help="Train rows: linear and similar models learn them; of others, they are the demonstrations.",
    ),
    click.option(
        "--model-option",
        "model_options",
        multiple=True,
        metavar="KIND.NAME=VALUE",
        help="An option of the models of a kind; see augment-ru list models -v. Repeatable.",
    ),
    click.option("--cache", metavar="FILE|none", help="The cache of answers.  [default: in the user's cache folder]"),
)
"""Options on the models that are asked."""

WORKERS = (
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes; the output is the same.  [default: 1]",
    ),
)

SPLIT = (
    *WORKERS,
    click.option(
        "--resume",
        is_flag=True,
        help="Keep finished parts, and continue a killed run that was begun with --resume.",
    ),
    click.option(
        "--engine",
        metavar="NAME",
        default="local",
        help="local: processes of this machine; ray[:ADDRESS]: a Ray cluster.  [default: local]",
    ),
    click.option(
        "--part-size",
        type=click.FloatRange(min=0, min_open=True),
        metavar="MIB",
        default=0.125,
        show_default=True,
        help="Mebibytes of the input that a worker does at a time.",
    ),
)
"""Options on how a run is split into parts."""

ROWS = (
    click.option(
        "--meta",
        type=click.Choice(["full", "brief", "none"]),
        help="How much metadata `augment` holds.  [default: full]",
    ),
    click.option(
        "--on-error",
        type=click.Choice(["stop", "skip"]),
        help="stop at a bad row, or skip it and write it to OUT.rejects.jsonl.  [default: stop]",
    ),
    click.option(
        "--csv-safe",
        is_flag=True,
        help="CSV, TSV: put an apostrophe before a cell that an edit made look like a formula of a spreadsheet.",
    ),
    click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Read only the first N rows."),
)
"""Options on the rows that are written."""

QUIET = (click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor the lines at the end of a run."),)

POOL = (*_probability("1"), *_THRESHOLD, *SETUP)
"""The options of a run that searches among all changes: without those on the search for a level."""


def attack_option(help_: str, default: str = "") -> Callable[[_F], _F]:
    """The option that names attacks; `help_`: what they are for, `default`: what the help says is the default."""
    return click.option(
        "--attack",
        "attacks",
        multiple=True,
        metavar="NAME[+NAME...]|FILE.py",
        shell_complete=complete_attacks,
        help=f"{help_} Repeatable.{f'  [default: {default}]' if default else ''}",
    )


def table_format(*more: str) -> tuple[Callable[[_F], _F], ...]:
    """The option on how tables are printed; `more`: further formats."""
    forms = click.Choice(["table", "markdown", "csv", "latex", *more])
    help_ = "How the tables are printed."
    return (click.option("--format", "form", type=forms, default="table", show_default=True, help=help_),)


def with_options(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """A decorator that adds these options to a command, in this order."""

    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
