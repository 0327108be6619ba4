"""Options that several commands share, and the run that is made of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from augment_ru.cli.completion import complete_constraints, complete_tasks
from augment_ru.errors import AugmentError

if TYPE_CHECKING:
    from augment_ru.engine.prepare import Preparation
    from augment_ru.engine.presets import Run
    from augment_ru.jobs.job import Split

_F = TypeVar("_F", bound=Callable[..., Any])


def usage(error: AugmentError) -> click.UsageError:
    """The error as a usage error, with exit code 2."""
    return click.UsageError(str(error))


class HelpfulGroup(click.Group):
    """A group of commands that prints its help where no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments; without any, the help is printed, and the program ends."""
        if not args and not ctx.resilient_parsing:  # a shell that asks for completions has no arguments, too
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)


PROBABILITY = (
    click.option(
        "--probability", type=float, metavar="P", help="Share of the possible changes, 0 to 1.  [default: the attack's]"
    ),
)

_THRESHOLD = (
    click.option(
        "--threshold",
        type=float,
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
        help="The least number of changes of a row that has so many; 0 leaves some clean.  [default: the attack's]",
    ),
)
"""Options on the search for a perturbation that passes."""

SETUP = (
    click.option(
        "--similarity",
        metavar="NAME[:MODEL[@LAYER]]",
        help="meaning, navec, bertscore:MODEL@LAYER, python:MODULE:FUNCTION, or none.  [default: meaning]",
    ),
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
        help="A rule file that says what is protected, in place of the task's constraints. Repeatable.",
    ),
    click.option("--no-constraints", is_flag=True, help="Protect only links, answers and option markers."),
    click.option("--annotator", metavar="NAME", help="natasha or spacy:PIPELINE.  [default: natasha]"),
    click.option("--seed", type=int, metavar="N", help="Seed of the random numbers.  [default: 42]"),
    click.option(
        "--preset",
        type=click.Choice(["offline", "tape"]),
        help="Defaults of the other options; tape: those of the TAPE paper, with networks.  [default: offline]",
    ),
    click.option("--device", metavar="NAME", help="Where networks run: auto, cpu, cuda, cuda:N.  [default: auto]"),
)
"""Options on attacks, similarity, constraints and randomness."""

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
        help="A field to perturb, in place of the task's. Repeatable.",
    ),
    click.option(
        "--input-format",
        type=click.Choice(["jsonl", "json", "csv", "tsv", "parquet", "txt"]),
        help="Format of the input.  [default: by the end of its name; stdin holds jsonl]",
    ),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of the input, such as cp1251; output is UTF-8.  [default: utf-8]"
    ),
)
"""Options on the rows and the file that is read."""

WORKERS = (
    click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Processes; the rows are the same.  [default: 1]"
    ),
)

SPLIT = (
    *WORKERS,
    click.option(
        "--resume", is_flag=True, help="Keep what is done, and go on with a run with --resume that was killed."
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

QUIET = (click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor what the run came to."),)

POOL = (*PROBABILITY, *_THRESHOLD, *SETUP)
"""The options of a run that searches among all changes: without those on the search for a level."""


def with_options(options: tuple[Callable[[_F], _F], ...]) -> Callable[[_F], _F]:
    """A decorator that adds these options to a command, in this order."""

    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


class Choices(NamedTuple):
    """The preparation and the run that the options of a command ask for."""

    preparation: "Preparation"
    run: "Run"


def choices(given: Mapping[str, Any], attacks: Sequence[str], *, asks_model: bool = False) -> Choices:
    """Make a preparation and a run from attacks and options, with the defaults of the preset.

    Args:
        given: the values of `SETUP`, and those of `SEARCH` and `PROBABILITY` where the command has them.
        attacks: the specifications of the attacks.
        asks_model: whether the run asks a model, too, which may need the device.

    Raises:
        AugmentError: a name is unknown, or a value does not fit.
    """
    from augment_ru.engine.attack import attack_name  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.engine.prepare import Preparation  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.engine.presets import AttackChoice, GateChoice, preset, run_of  # noqa: PLC0415
    from augment_ru.engine.recipe import option_values  # noqa: PLC0415
    from augment_ru.own_code import is_own  # noqa: PLC0415

    if given["no_constraints"] and given["constraints"]:
        raise AugmentError("--constraint and --no-constraints contradict each other; give one")
    defaults = preset(given["preset"] or "offline")
    constraints = () if given["no_constraints"] else given["constraints"] or defaults.constraints
    spec = given["similarity"] or defaults.similarity
    similarity = "python" if is_own(spec) else spec.partition(":")[0]
    parts = {attack_name(name.strip()) for attack in attacks for name in attack.split("+")}
    options = option_values(given["options"], {*parts, similarity})
    run = run_of(
        defaults,
        [AttackChoice(attack, options, given.get("probability")) for attack in attacks],
        GateChoice(
            spec, options.get(similarity, {}), {key: given[key] for key in _SEARCH if given.get(key) is not None}
        ),
        seed=given["seed"],
        device=given["device"],
        may_import=True,  # a recipe that names code was refused when it was read
    )
    if given["device"] not in (None, "auto", "cpu") and not (run.runs_network or asks_model):
        raise AugmentError(f"--device {given['device']}: nothing in this run uses a GPU; leave it out")
    return Choices(Preparation(constraints, given["annotator"] or "natasha"), run)


_NO_FACTS = {"source", "output", "report", "quiet", "debug", "recipe", "cache", "workers", "resume", "engine"}
"""Parameters on which no row depends."""


def split_of(given: Mapping[str, Any], reads: Sequence[str]) -> "Split":
    """How a run is split into parts.

    Args:
        given: the values of `SPLIT` and of all other options.
        reads: the files and folders that options name.

    Raises:
        AugmentError: a file cannot be read.
    """
    from augment_ru.formats.files import named_files  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.jobs.facts import facts_of  # noqa: PLC0415
    from augment_ru.jobs.job import Split  # noqa: PLC0415

    facts: Mapping[str, Any] = {}
    if given["resume"]:
        params = {param.name: param for param in click.get_current_context().command.params}
        options = {params[name].opts[0]: value for name, value in given.items() if name not in _NO_FACTS}
        specs = [*given["attacks"], given["similarity"] or "", given.get("model") or ""]
        own = [part for spec in specs for part in spec.split("+")]
        facts = facts_of(options, [*reads, *named_files([*own, given.get("train") or ""])], own)
    return Split(given["workers"], given["resume"], given["engine"], max(1, int(given["part_size"] * 2**20)), facts)


def files_read(given: Mapping[str, Any]) -> list[str]:
    """The files and folders that options of `SETUP` and `INPUT` name, or a recipe; call it after `choices`.

    Of the user's own code they are the files that `choices` has run.
    """
    from augment_ru.formats.files import named_files  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.own_code import own_files  # noqa: PLC0415

    chosen = [pair.partition("=")[2] for pair in given["options"]]
    model = (given["similarity"] or "").partition(":")[2]
    task = given["task"] or ""
    files = named_files([given.get("recipe") or "", *given["constraints"], *chosen, model])
    return [*files, *([task] if task.endswith(".toml") else []), *map(str, own_files())]


_SEARCH = ("threshold", "schedule", "candidates", "min_changes")


def merged(given: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the command line, and those of a recipe that the command line does not set."""

    def absent(value: object) -> bool:  # 0 is not absent: it may be a seed, a probability or a limit
        return value is None or value is False or value == ()

    context = click.get_current_context()
    types = {param.name: param for param in context.command.params}
    values = dict(given)
    for key, value in recipe.items():
        if absent(given[key]):
            param = types[key]
            values[key] = value if isinstance(value, tuple | bool) else param.type.convert(value, param, context)
    return values
