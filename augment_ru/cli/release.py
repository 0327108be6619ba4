"""`augment-ru release`."""

import sys
from pathlib import Path
from typing import Any

import click

from augment_ru.cli.shared_options import usage
from augment_ru.errors import AugmentError


class _Release(click.Group):
    """`release RECIPE` builds, `release verify DIR` checks: what is no command is a recipe."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, with the command that a recipe stands for."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["build", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of building, and what else there is."""
        build_.format_help(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([("verify DIR", verify.get_short_help_str(80))])


class _Build(click.Command):
    """Shown without its name, which nobody need type."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401  (click's own signature)
    ) -> click.Context:
        """The context, which goes by the name of the group."""
        del info_name
        return super().make_context("", args, parent, **extra)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """How it is called."""
        formatter.write_usage("augment-ru release", "[OPTIONS] RECIPE.toml -o DIR")


@click.group(cls=_Release, invoke_without_command=True)
@click.pass_context
def release(context: click.Context) -> None:
    """Build adversarial test sets that a benchmark can publish, or check them."""
    if context.invoked_subcommand is None:
        raise click.UsageError("no recipe; RECIPE.toml -o DIR builds a release, verify DIR checks one", context)


@release.command("build", cls=_Build, hidden=True)
@click.argument("recipe", metavar="RECIPE.toml")
@click.option("-o", "--output", required=True, metavar="DIR", help="A new folder, there when the release is complete.")
@click.option("--workers", type=click.IntRange(min=1), default=1, metavar="N", help="Processes.  [default: 1]")
@click.option("--resume", is_flag=True, help="Go on where a run was killed.")
@click.option("--device", default="auto", metavar="NAME", help="auto, cpu, cuda or cuda:N.  [default: auto]")
@click.option("--debug", is_flag=True, hidden=True)
def build_(*, recipe: str, output: str, workers: int, resume: bool, device: str, debug: bool) -> None:
    """Build a release: original and perturbed test sets, few-shot episodes, card, manifest, lm-evaluation tasks.

    \b
    augment-ru release tape-like.toml -o tape-like
    augment-ru release verify tape-like --rebuild 20
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.jobs.progress import progress  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.release.build import Job, build  # noqa: PLC0415

    del debug
    try:
        job = Job(Path(recipe), Path(output), workers=workers, resume=resume, device=device).prepared()
    except AugmentError as error:
        raise usage(error) from error
    with progress("release", "parts") as advance:
        report = build(job, lambda count, total: advance(count, total=total))
    if sys.stderr is not None:
        click.echo(f"augment-ru: {report}", err=True)


@release.command()
@click.argument("folder", metavar="DIR")
@click.option("--rebuild", type=click.IntRange(min=0), default=0, metavar="N", help="Make N rows of each task anew.")
@click.option("--expect", metavar="SHA256", help="The digest that the release was published with.")
@click.option("--debug", is_flag=True, hidden=True)
def verify(*, folder: str, rebuild: int, expect: str | None, debug: bool) -> None:
    """Check a release: every file, every row and its edits; name what was changed."""
    from augment_ru.release.verify import problems  # noqa: PLC0415

    del debug
    found = 0
    for line in problems(Path(folder), rebuild=rebuild, expect=expect):
        found += 1
        click.echo(line)
    if found:
        raise AugmentError(f"{folder}: {found} problem{'s' if found > 1 else ''}")
    click.echo("no problems", err=True)
