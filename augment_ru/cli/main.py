"""The command `augment-ru`: its subcommands, and errors printed as one line."""

import os
import sys
from typing import Any

import click

from augment_ru.cli import commands
from augment_ru.cli.shared_options import HelpfulGroup, misuse
from augment_ru.errors import AugmentError, Terminated, brief, escaped, shortened
from augment_ru.jobs.messages import with_flags
from augment_ru.version import __version__

_CLOSED_PIPE = 141
"""The exit code that shells use for a program whose reader closed the pipe: 128 plus the number of SIGPIPE."""


class _ReaderGoneError(Exception):
    """The reader of stdout has closed it. Without this error click would exit with code 1."""


class _Commands(HelpfulGroup):
    """Prints an error as one line on stderr. Exit codes: 2 usage, 1 data or run, 130 interrupted, 141 closed pipe."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of their definition, in which the main commands come first."""
        del ctx
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; print the help if there are none."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError as error:  # --help prints at once
            raise _ReaderGoneError from error

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's own signature)
        """Run a command. Raise `_ReaderGoneError` if the reader of stdout has closed it."""
        try:
            found = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()  # so that what is left cannot fail at the end of the process
        except BrokenPipeError as error:
            raise _ReaderGoneError from error
        except (Exception, KeyboardInterrupt, Terminated):
            raise
        except BaseException as error:  # code of another package that is called here
            if isinstance(error.__context__, BrokenPipeError):  # rich ends the program if the reader has gone away
                raise _ReaderGoneError from error
            _fail(f"an attack, a model or another part raised {brief(error)}, which ends a program; {_left()}", 1)
        return found

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (click's own signature)
        try:
            return super().main(*args, **{**kwargs, "standalone_mode": False})
        except _ReaderGoneError:
            if sys.stdout is not None:  # the process flushes it once more at its end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(_CLOSED_PIPE)
        except click.UsageError as error:
            _fail(misuse(error), 2)
        except click.ClickException as error:
            _fail(error.format_message(), 1)
        except AugmentError as error:
            _fail(str(error), 1)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _fail(f"{where}{error.strerror or error}", 1)
        except MemoryError:
            _fail(f"out of memory; {_left()}; a file of JSON is read as a whole, JSON lines row by row", 1)
        except (KeyboardInterrupt, click.Abort):
            _fail(f"interrupted; {_left()}", 130)
        except Terminated as error:
            _fail(f"terminated; {_left()}", int(str(error.code)))


def _left() -> str:
    """Return a message that says which output files an interrupted run has written."""
    from augment_ru.formats.files import written_files  # noqa: PLC0415  (so that --help loads nothing heavy)

    files = ", ".join(map(str, written_files()))
    said = f"{files}: written" if files else "no output file was written"
    return f"{said}, and output on stdout, if any, is incomplete"


def _fail(message: str, code: int) -> None:
    if "--debug" in sys.argv:
        raise  # noqa: PLE0704  (called while an error is handled)
    click.echo(f"augment-ru: error: {shortened(escaped(with_flags(message)))}", err=True)
    sys.exit(code)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="augment-ru")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:  # noqa: FBT001  (click passes options by name)
    """Perturb Russian texts as people and adversaries do, and measure how often a model's right answers break."""
    del debug  # `_fail` reads it from `sys.argv`, because an error may occur before this function runs
    _show_warnings()


def _show_warnings() -> None:
    """Make the warnings and errors that the package logs appear on stderr, one line each.

    A second call changes nothing.
    """
    import logging  # noqa: PLC0415  (so that the help does not load it)

    class Lines(logging.Handler):
        """Prints each warning as one line, on what is stderr at that time."""

        def emit(self, record: logging.LogRecord) -> None:
            click.echo(f"augment-ru: warning: {with_flags(record.getMessage())}", err=True)

    log, lines = logging.getLogger("augment_ru"), Lines(logging.WARNING)
    lines.name = "augment-ru"
    if not any(handler.name == lines.name for handler in log.handlers):
        log.addHandler(lines)


for _command in (
    commands.perturb, commands.evaluate, commands.attack, commands.normalize, commands.release, commands.explain,
    commands.list_, commands.check, commands.calibrate, commands.similarity, commands.compare, commands.totals,
    commands.verdicts, commands.models, commands.completion,
):  # fmt: skip
    cli.add_command(_command)
