"""The command line: options to settings, errors to one line. Each command's work stands in its own module."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from augment_ru import __version__
from augment_ru.errors import AugmentError, unknown

_F = TypeVar("_F", bound=Callable[..., Any])


_SIGNALLED = 128
_UNFINISHED = "; no output file was written, and what went to stdout is incomplete"


class _Commands(click.Group):
    """Turns errors into one line on stderr: usage 2, data and runs 1, interrupted 130."""

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (click's own signature)
        try:
            return super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.UsageError as error:
            hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            _fail(f"{error.format_message()}{hint}", 2)
        except click.ClickException as error:
            _fail(error.format_message(), 1)
        except AugmentError as error:
            _fail(str(error), 1)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _fail(f"{where}{error.strerror or error}", 1)
        except (KeyboardInterrupt, click.Abort):
            _fail(f"interrupted{_UNFINISHED}", 130)
        except SystemExit as error:
            if isinstance(error.code, int) and error.code > _SIGNALLED:
                _fail(f"terminated{_UNFINISHED}", error.code)
            raise


def _fail(message: str, code: int) -> None:
    if "--debug" in sys.argv:
        raise  # noqa: PLE0704  (called while an error is handled)
    click.echo(f"augment-ru: error: {' '.join(message.split())}", err=True)
    sys.exit(code)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="augment-ru")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:  # noqa: FBT001  (click passes options by name)
    """Perturb Russian texts as people and adversaries do; keep what carries the task and the meaning."""
    del debug  # read where errors are shown, which may be before this runs


def _usage(error: AugmentError) -> click.UsageError:
    return click.UsageError(str(error))


def _options(pairs: tuple[str, ...], attacks: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """`ATTACK.OPTION=VALUE` as options of attacks."""
    used = {name for spec in attacks for name in spec.split("+")}
    found: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        left, equals, value = pair.partition("=")
        name, dot, option = left.partition(".")
        if not (equals and dot):
            raise AugmentError(f"--set {pair}: must be ATTACK.OPTION=VALUE, as in butterfingers.probability=0.2")
        if name not in used:
            raise AugmentError(f"--set {pair}: {unknown('attack of this run', name, used)}")
        found.setdefault(name, {})[option] = value
    return found


_SEARCH = (
    click.option("--probability", type=float, metavar="P", help="In place of the attack's default, from 0 to 1."),
    click.option("--similarity", default=None, metavar="NAME", help="navec or none.  [default: navec]"),
    click.option("--threshold", type=float, metavar="X", help="The lowest similarity that passes, from 0 to 1."),
    click.option(
        "--schedule",
        metavar="NAME",
        help="paper: halve P until it passes; strongest: as many edits as pass.  [default: paper]",
    ),
    click.option("--candidates", type=int, metavar="N", help="Perturbations tried for each row.  [default: 3]"),
    click.option(
        "--set",
        "options",
        multiple=True,
        metavar="ATTACK.OPTION=VALUE",
        help="An option of an attack (list attacks -v).",
    ),
    click.option(
        "--constraint",
        "constraints",
        multiple=True,
        metavar="NAME|FILE",
        help="In place of the task's constraints.",
    ),
    click.option("--no-constraints", is_flag=True, help="Protect links, answers and option markers only."),
    click.option("--annotator", metavar="NAME", help="natasha or spacy:PIPELINE.  [default: natasha]"),
    click.option("--seed", type=int, metavar="N", help="Of all random draws.  [default: 42]"),
)


def _with(options: tuple[Callable[[_F], _F], ...]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an augmenter that the options of a command name."""
    keys = ("similarity", "threshold", "schedule", "candidates", "annotator", "seed")
    settings = {key: given[key] for key in keys if given.get(key) is not None}
    if given["no_constraints"] and given["constraints"]:
        raise AugmentError("--constraint and --no-constraints contradict each other; give one")
    if given["no_constraints"]:
        settings["constraints"] = ()
    elif given["constraints"]:
        settings["constraints"] = given["constraints"]
    return settings


@cli.command()
@click.argument("source", metavar="IN.jsonl|-")
@click.option("-o", "--output", metavar="OUT.jsonl", help="Written when the run is complete.  [default: stdout]")
@click.option("--attack", "attacks", multiple=True, metavar="NAME[+NAME...]", help="A+B does A, then B. Repeatable.")
@click.option("--task", metavar="NAME", help="By default recognised by the fields.")
@click.option("--field", "fields", multiple=True, metavar="NAME", help="Fields to perturb, in place of the task's.")
@_with(_SEARCH)
@click.option("--preset", type=click.Choice(["offline"]), help="Defaults of everything else.  [default: offline]")
@click.option("--recipe", metavar="FILE.toml", help="Options from a file; the command line goes before it.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    help="For models.  [default: auto]",
)
@click.option("--with-original", is_flag=True, help='Also write each row unperturbed (attack "original").')
@click.option("--meta", type=click.Choice(["full", "brief", "none"]), help="How much `augment` holds.  [default: full]")
@click.option("--on-error", type=click.Choice(["stop", "skip"]), help="skip: to OUT.rejects.jsonl.  [default: stop]")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Only the first N rows.")
@click.option("--debug", is_flag=True, hidden=True)
def perturb(**given: Any) -> None:  # noqa: ANN401
    """Perturb the rows of a file, one output row for each row and attack.

    \b
    augment-ru perturb in.jsonl -o out.jsonl --attack butterfingers
    augment-ru perturb in.jsonl --attack eda_swap --attack butterfingers+emojify --seed 7
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.perturb import Job, run  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.recipe import read_recipe  # noqa: PLC0415

    try:
        if given["recipe"]:
            given = _merged(given, read_recipe(Path(given["recipe"])))
        if given["device"] == "cuda":
            raise AugmentError("--device cuda: no attack or similarity of this run uses a GPU; leave it out")  # noqa: TRY301
        job = Job(
            source=given["source"],
            output=given["output"],
            attacks=given["attacks"],
            options=_options(given["options"], given["attacks"]),
            probability=given["probability"],
            task=given["task"],
            fields=given["fields"],
            settings=_settings(given),
            with_original=given["with_original"],
            meta=given["meta"] or "full",
            skip=given["on_error"] == "skip",
            limit=given["limit"],
        )
        prepared = job.prepared()
    except AugmentError as error:
        raise _usage(error) from error
    sys.exit(run(prepared))


def _merged(given: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a recipe, and over them those of the command line."""

    def absent(value: object) -> bool:  # 0 is a value: a seed, a probability, a limit
        return value is None or value is False or value == ()

    context = click.get_current_context()
    types = {param.name: param for param in context.command.params}
    merged = dict(given)
    for key, value in recipe.items():
        if absent(given[key]):
            param = types[key]
            merged[key] = value if isinstance(value, tuple | bool) else param.type.convert(value, param, context)
    return merged


@cli.command(name="list")
@click.argument("kind", required=False, type=click.Choice(["attacks", "constraints", "similarities", "tasks"]))
@click.option("-v", "--verbose", is_flag=True, help="With options, reasons and files.")
@click.option("--debug", is_flag=True, hidden=True)
def list_(kind: str | None, verbose: bool, debug: bool) -> None:  # noqa: FBT001
    """List the attacks, constraints, similarities and tasks."""
    from augment_ru.listing import listing  # noqa: PLC0415

    del debug
    for line in listing(kind, verbose=verbose):
        click.echo(line)


@cli.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--debug", is_flag=True, hidden=True)
def check(files: tuple[str, ...], debug: bool) -> None:  # noqa: FBT001
    """Lint dictionaries (.tsv) and rule files (.toml), and run the rules' examples; by default ours."""
    from augment_ru.check import problems  # noqa: PLC0415

    del debug
    found = 0
    for line in problems([Path(file) for file in files]):
        found += 1
        click.echo(line)
    if found:
        raise AugmentError(f"{found} problem{'s' if found > 1 else ''}")
    click.echo("no problems", err=True)


@cli.command()
@click.argument("text")
@click.option("--attack", "attacks", multiple=True, metavar="NAME[+NAME...]", help="What to explain; repeatable.")
@_with(_SEARCH)
@click.option("--debug", is_flag=True, hidden=True)
def explain(text: str, **given: Any) -> None:  # noqa: ANN401
    """Show why a text changes as it does.

    The protected spans with their rules, the proposed edits with their ranks, which were dropped and why,
    and which were spent.
    """
    from augment_ru.compose import attack_of  # noqa: PLC0415
    from augment_ru.explain import explained  # noqa: PLC0415

    try:
        attacks = given["attacks"] or ("butterfingers",)
        options = _options(given["options"], attacks)
        made = [attack_of(spec, probability=given["probability"], options=options) for spec in attacks]
        settings = _settings(given)
    except AugmentError as error:
        raise _usage(error) from error
    explained(text, made, settings)
