"""`augment-ru release`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.shared_options import DEBUG, DEVICE, QUIET, WORKERS, HelpfulGroup, usage, with_options
from augment_ru.errors import AugmentError, amount, escaped


class _Release(HelpfulGroup):
    """A group whose first argument is a recipe to build, unless it is the name of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, with the command `build` before a recipe."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["build", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of `build`, and the other commands."""
        build_.format_help(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([("verify DIR", verify.get_short_help_str(80))])


class _Build(click.Command):
    """The command `build`, shown in the help without its name, which may be left out."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401  (click's own signature)
    ) -> click.Context:
        """The context, with the name of the group alone."""
        del info_name
        return super().make_context("", args, parent, **extra)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The usage line."""
        formatter.write_usage("augment-ru release", "[OPTIONS] RECIPE.toml -o DIR")


@click.group(cls=_Release, short_help="Build an adversarial test set to publish, or check one.")
def release() -> None:
    """Build adversarial test sets for publication as a benchmark, or check them."""


@release.command("build", cls=_Build, hidden=True)
@click.argument("recipe", metavar="RECIPE.toml")
@click.option(
    "-o", "--output", required=True, metavar="DIR", help="A new folder; it appears when the release is complete."
)
@with_options(WORKERS)
@click.option("--resume", is_flag=True, help="Continue a build that was killed.")
@with_options(DEVICE)
@with_options(QUIET)
@with_options(DEBUG)
def build_(*, recipe: str, output: str, workers: int | None, resume: bool, device: str | None, quiet: bool) -> None:
    """Build a release: original and perturbed test sets, few-shot episodes, card, manifest, tasks for lm-eval.

    \b
    augment-ru release tape-like.toml -o tape-like
    augment-ru release verify tape-like --rebuild 20
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.jobs.progress import progress, say  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.release.build import prepare_build  # noqa: PLC0415

    try:
        prepared = prepare_build(
            Path(recipe), Path(output), workers=workers or 1, resume=resume, device=device or "auto"
        )
    except AugmentError as error:
        raise usage(error) from error
    with progress("release", "shards", quiet=quiet) as advance:
        report = prepared.run(lambda count, total: advance(count, total=total))
    say(str(report), quiet=quiet)
    say(f"wrote {output}", quiet=quiet)


@release.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--rebuild",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Perturb N rows of each task again and compare.",
)
@click.option("--expect", metavar="SHA256", help="The digest of the manifest as it was published.")
@with_options(DEBUG)
def verify(*, folder: str, rebuild: int, expect: str | None) -> None:
    """Check a release: every file, row and edit. Report each change with its file and row."""
    from augment_ru.release.verify import unchecked, verify_release  # noqa: PLC0415

    found = 0
    for line in verify_release(Path(folder), rebuild=rebuild, expect=expect):
        found += 1
        click.echo(escaped(line))
    if found:
        raise AugmentError(f"{folder}: {amount(found, 'problem')}")
    if left := unchecked(Path(folder)):
        click.echo(escaped(left), err=True)
    click.echo("no problems", err=True)
