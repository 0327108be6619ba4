"""Base classes of commands and groups, options that several commands share, and shell completion of their values."""

import os.path
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from augment_ru.errors import unknown
from augment_ru.jobs.messages import MisuseError
from augment_ru.options import meant_number

_TOO_MANY = "Got unexpected extra argument"


class Real(click.types.FloatParamType):
    """A number on the command line. If it has a comma or a per cent sign, the error suggests how to write it.

    >>> Real().convert("0.15", None, None)
    0.15
    """

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert a value to a float.

        Raises:
            click.BadParameter: the value is not a number.
        """
        try:
            return float(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a number{meant_number(str(value))}", param, ctx)


REAL = Real()


def misuse(error: click.UsageError) -> str:
    """Return the message for an error in the use of a command (such as an unknown option), as one line."""
    command = error.ctx.command_path if error.ctx else ""
    hint = f" (see {command} --help)" if command else ""
    return f"{_said(error).removesuffix('.')}{hint}"


def is_file(text: str) -> bool:
    """Tell whether a text that was given on the command line is the path of a file.

    A text that is longer than a path can be is none.
    """
    return os.path.isfile(text)  # noqa: PTH113  (`Path.is_file` raises an error for a long one)


def no_command(group: click.Group, context: click.Context, args: list[str]) -> click.UsageError:
    """Return the error to raise if the first argument is not one of the commands.

    Args:
        group: the commands.
        context: click's context of the call, which the message uses.
        args: the arguments.
    """
    name = args[0]
    if is_file(name) and "perturb" in group.commands:
        said = f"{name}: is a file; a command stands before it, as in {context.command_path} perturb {name}"
    else:
        said = str(unknown("command", name, group.commands))
    return click.UsageError(said, context)


def _said(error: click.UsageError) -> str:
    context = error.ctx
    if isinstance(error, click.NoSuchOption) and context is not None:
        place = _place(error.option_name, context)
        return f"{error.message.removesuffix('.')}{place}" if place else error.format_message()
    if isinstance(error, click.MissingParameter):
        usage = "" if error.param and isinstance(error.param.type, click.Choice) else _usage(context)
        return f"{error.format_message().removesuffix('.')}{usage}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        said = error.message.removesuffix(".").replace("is not a valid integer", "is not a whole number")
        return f"{max(error.param.opts, key=len)}: {said}" if isinstance(error.param, click.Option) else said
    if context is not None and error.message.startswith(_TOO_MANY):
        named = error.message.removeprefix(_TOO_MANY).lstrip("s ").removesuffix(".")
        repeated = ", and an option is repeated for each of its values (--attack A --attack B)"
        more = repeated if "--attack" in _option_names(context.command) else ""
        return f"too many arguments {named}; one run takes one input{more}{_usage(context)}"
    return error.format_message()


def _place(option: str, context: click.Context) -> str:
    """Return the end of a message about a wrong option: which commands have this option; "" if no command has it."""
    root = context.find_root()
    commands = root.command.commands.items() if isinstance(root.command, click.Group) else ()
    owners = [name for name, command in commands if option in _option_names(command)]
    if not owners:
        return ""
    if context is root:
        return f"; options stand after the command, as in {root.command_path} {owners[0]} … {option} …"
    return f"; it is an option of {', '.join(owners)}"


def _option_names(command: click.Command) -> set[str]:
    return {name for one in command.params if isinstance(one, click.Option) for name in one.opts}


def _usage(context: click.Context | None) -> str:
    if context is None:
        return ""
    return f"; usage: {context.command_path} {' '.join(context.command.collect_usage_pieces(context))}"


_F = TypeVar("_F", bound=Callable[..., Any])


class Command(click.Command):
    """A command whose option --debug may stand anywhere, and which exits with code 2 if it is used wrongly."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401  (click's own signature)
        super().__init__(*args, **more)
        # `augment-ru` reads it from its arguments, because an error may occur before any command runs
        self.params.append(click.Option(["--debug"], is_flag=True, hidden=True, expose_value=False))

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's own signature)
        """Run the command, and return its exit code. A `MisuseError` becomes one of click, with the exit code 2."""
        try:
            return super().invoke(ctx)
        except MisuseError as error:
            raise click.UsageError(str(error), ctx) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the options; if there are many, they are grouped under headings.

        Args:
            ctx: the context of the command.
            formatter: what the help is written to.
        """
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        shown = [(param.name, record) for param in options if (record := param.get_help_record(ctx))]
        if len(shown) < _MANY:
            super().format_options(ctx, formatter)
            return
        group_of = {name: heading for heading, names in _GROUPS.items() for name in names.split()}
        for heading in (*_GROUPS, "Other options"):
            if records := [record for name, record in shown if group_of.get(name or "", "Other options") == heading]:
                with formatter.section(heading):
                    formatter.write_dl(records)


_MANY = 12
"""If a command has at least this many options, its help groups them."""
_GROUPS = {
    "Input": "input_format encoding task fields spans label_fields originals fresh train limit recipe",
    "Attack": (
        "attacks normalizers probability min_changes set options "
        "constraints no_constraints annotator copies preset seed"
    ),
    "Gate": "similarity threshold schedule candidates accept probabilities baseline",
    "Model": "model models model_options defences defence guide target budget confirm draws no_minimal seconds cache",
    "Evaluation": (
        "protocol shots nearest judges prompts episodes repeats metrics by verdicts flipping catch require "
        "require_point"
    ),
    "Output": (
        "output with_original meta on_error csv_safe report html predictions submission worst_case title date "
        "tables form latex quiet"
    ),
    "Scale": "workers engine part_size resume device",
}
"""Maps each heading of the help to the parameters whose options are listed under it."""


class HelpfulGroup(click.Group):
    """A group of commands that prints its help if no command is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. If there are none, print the help and exit."""
        if not args and not ctx.resilient_parsing:  # a shell that asks for completions passes none
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of the command that the first argument names, the command, and the arguments after it.

        Args:
            ctx: the context of the group.
            args: the arguments.

        Raises:
            click.UsageError: no command has this name.
        """
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None and args[0][:1] != "-":
            raise no_command(self, ctx, args)
        return super().resolve_command(ctx, args)


_Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completer(kind: str, *more: str, joined: bool = False) -> _Completer:
    """Return a function that completes names on the command line, such as those of attacks.

    If no name fits what was typed, it completes files.

    Args:
        kind: what is named, such as `attacks`.
        more: further names.
        joined: whether several names may be joined by `+`; the last one is then completed.
    """

    def complete(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        from augment_ru.constraints.rule_file import constraint_paths  # noqa: PLC0415  (loads what --help does not need)
        from augment_ru.registry import names  # noqa: PLC0415

        before, plus, last = typed.rpartition("+") if joined else ("", "", typed)
        known = [*(constraint_paths() if kind == "constraints" else names(kind)), *more]
        found = [CompletionItem(f"{before}{plus}{name}") for name in known if name.startswith(last)]
        return found or [CompletionItem(typed, type="file")]

    return complete


_CHOICES = re.compile(r"[a-z-]+(\|[a-z-]+)+")
_NUMBERS = ("P", "X", "SHARE", "SECONDS")
"""The placeholders of numbers; N stands for an integer."""


def option(
    shown: str,
    help_: str = "",
    *,
    dest: str | None = None,
    least: int | None = None,
    **more: Any,  # noqa: ANN401
) -> Callable[[_F], _F]:
    """Define an option of a command. Its placeholder tells the type of its value.

    Args:
        shown: the names of the option and a placeholder for its value, as the help shows them, such as "-o/--output
            OUT". With `...` at the end, the option can be repeated. N is an integer, P, X, SHARE and SECONDS are
            numbers, `full|brief|none` are choices, all else is a text. Without a placeholder, the option is a flag.
        help_: what the option does, with its default in brackets unless `default` is given.
        dest: the name of its parameter; None for the name of the option, in the plural if it can be repeated.
        least: the least integer; None for any.
        more: further arguments of `click.option`.
    """
    names, _, value = shown.partition(" ")
    bare = value.removesuffix("...")
    settings: dict[str, Any] = {"metavar": bare or None, "show_default": "default" in more}
    if not value and "type" not in more:
        settings["is_flag"] = True
    if bare == "N":
        settings["type"] = int if least is None else click.IntRange(min=least)
    elif bare in _NUMBERS:
        settings["type"] = REAL
    elif _CHOICES.fullmatch(bare):
        settings |= {"type": click.Choice(bare.split("|")), "metavar": None}
    if value.endswith("..."):
        settings["multiple"] = True
        dest = dest or f"{names.removeprefix('--').replace('-', '_')}s"
        said, gap, default = help_.partition("  [")
        help_ = f"{said} Repeatable.{gap}{default}"
    return click.option(*names.split("/"), *([dest] if dest else []), help=help_, **{**settings, **more})


DEVICE = option("--device NAME", "Where networks run: auto, cpu, cuda, cuda:N.  [default: auto]")


def _probability(default: str) -> Callable[[_F], _F]:
    return option("--probability P", f"Share of the possible changes, 0 to 1.  [default: {default}]")


PROBABILITY = _probability("the attack's")

_THRESHOLD = option("--threshold X", "The lowest similarity that passes, 0 to 1.  [default: the similarity's]")

SEARCH = (
    _THRESHOLD,
    option("--schedule NAME", "paper: halve P until the gate passes; strongest: the most that pass.  [default: paper]"),
    option("--candidates N", "Perturbations to try for each row.  [default: 3]"),
    option(
        "--min-changes N", "Make at least N changes where possible; 0: some rows stay clean.  [default: the attack's]"
    ),
)
"""The options of the search for a perturbation that passes the gate (similarity and threshold)."""

SIMILARITY = option(
    "--similarity NAME[:MODEL[@LAYER]]",
    "meaning, navec, bertscore:MODEL@LAYER, python:MODULE:FUNCTION, or none.  [default: meaning]",
)

SET = option("--set NAME.OPTION=VALUE...", "Set an option of an attack or a similarity (see list -v).", dest="options")
SETUP = (
    SIMILARITY,
    SET,
    option(
        "--constraint NAME|FILE...",
        "What is protected instead of what the task protects: a name, a rule file, FILE.py:FUNCTION.",
        shell_complete=completer("constraints"),
    ),
    option("--no-constraints", "Protect only links, answers and option markers."),
    option("--annotator NAME", "natasha or spacy:PIPELINE.  [default: natasha]"),
    option("--seed N", "Seed of the random numbers.  [default: 42]"),
    option("--preset offline|tape", "Other defaults; tape: the TAPE paper's, with networks.  [default: offline]"),
    DEVICE,
)
"""The options for attacks, similarity, constraints and randomness."""


class _Form(click.Choice[str]):
    """The format of a file: one of the choices, or `beir:` with the file of the judgements."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the value if it is one of the choices or begins with `beir:`.

        Raises:
            click.BadParameter: it is neither.
        """
        return value if value.startswith("beir:") else super().convert(value, param, ctx)


FILE_FORM = (
    option(
        "--input-format",
        "Format of the input.  [default: by the end of its name; stdin holds jsonl]",
        type=_Form(["jsonl", "json", "csv", "tsv", "parquet", "txt", "conll", "bio", "labelstudio", "beir:QRELS"]),
    ),
    option("--encoding NAME", "Encoding of input that is not UTF-8, such as cp1251; output is UTF-8."),
)
"""The options for the format of the input file."""

INPUT = (
    option(
        "--task NAME|FILE.toml",
        "The task of the rows.  [default: recognised from their fields]",
        shell_complete=completer("tasks", "generic"),
    ),
    option("--field NAME...", "A field that is perturbed, in place of the task's."),
    *FILE_FORM,
)
"""The options for the rows and the input file: the task, the fields, and those of `FILE_FORM`."""
SPANS = option(
    "--spans context|inside|all",
    "What is perturbed in texts with labelled spans: what stands around them, the spans, or both.  [default: context]",
)
METRIC = option("--metric NAME...", "Metrics, in place of the task's.")

MODEL = (
    option("--label-field NAME...", "A field of the right answer, in place of the task's."),
    option("--train FILE", "Train rows: linear and similar models learn them; of others, they are the demonstrations."),
    option("--model-option KIND.NAME=VALUE...", "An option of the models of a kind; see augment-ru list models -v."),
    option("--cache FILE|none", "The cache of answers.  [default: in the user's cache folder]"),
)
"""The options for the models that are asked."""

WORKERS = option("--workers N", "Processes; the output is the same.  [default: 1]", least=1)

SPLIT = (
    WORKERS,
    option("--resume", "Keep finished parts, and continue a killed run that was begun with --resume."),
    option("--engine NAME", "local: processes of this machine; ray[:ADDRESS]: a Ray cluster.", default="local"),
    option(
        "--part-size MIB",
        "Mebibytes of the input that a worker does at a time.  [default: 0.125]",
        type=click.FloatRange(min=0, min_open=True),
    ),
)
"""The options for splitting a run into parts."""

ROWS = (
    option("--meta full|brief|none", "How much metadata each row gets.  [default: full]"),
    option("--on-error stop|skip", "At a bad row: stop, or write it to OUT.rejects.jsonl.  [default: stop]"),
    option("--csv-safe", "CSV, TSV: put an apostrophe before a cell that an edit made look like a formula."),
    option("--limit N", "Read only the first N rows.", least=0),
)
"""The options for the rows that are written."""

NORMALIZER = option(
    "--normalizer NAME[+NAME...]|FILE.py...",
    "A normalizer (see augment-ru list normalizers); several are done one after another.  [default: evasion]",
    shell_complete=completer("normalizers", joined=True),
)

OUTPUT = option("-o/--output OUT", "Output file, written when the run is complete.  [default: stdout]")
QUIET = option("-q/--quiet", "Show neither progress nor the lines at the end of a run.")

POOL = (_probability("1"), _THRESHOLD, *SETUP)
"""The options of the command `attack` for the changes in its pool; those on how many to try (`SEARCH`) are left out."""


def attack_option(help_: str, default: str = "") -> Callable[[_F], _F]:
    """Return the option that names attacks.

    Args:
        help_: what the attacks are for.
        default: the default as the help shows it; "" if there is none.
    """
    told = f"{help_}  [default: {default}]" if default else help_
    return option("--attack NAME[+NAME...]|FILE.py...", told, shell_complete=completer("attacks", joined=True))


def table_format(*more: str) -> Callable[[_F], _F]:
    """Return the option for the format of printed tables.

    Args:
        more: formats besides the usual ones (table, markdown, csv, latex).
    """
    forms = "|".join(("table", "markdown", "csv", "latex", *more))
    return option(f"--format {forms}", "How the tables are printed.", dest="form", default="table")


LATEX = option(
    "--latex OPTION...", "With --format latex: intervals, transposed, caption=TEXT or label=TEXT.", dest="latex"
)


def with_options(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Return a decorator that adds these options to a command, in this order.

    Args:
        options: the options, as `option` returns them.
    """

    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
