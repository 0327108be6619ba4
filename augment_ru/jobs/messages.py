"""Show progress and messages on the terminal; parameter names in messages become options.

The library names parameters, the command line has options. In a message, a parameter is written in backquotes
(`label_fields`); it is shown as its option (--label-field).
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

from augment_ru.errors import AugmentError, amount, escaped

_ALIKE = (
    "accept annotator budget by cache candidates catch confirm copies csv_safe date defence device draws encoding "
    "engine episodes field flipping fresh guide html input_format latex limit meta min_changes model nearest "
    "no_constraints no_minimal on_error originals part_size predictions preset probability prompts protocol repeats "
    "report require require_point resume schedule seed set shots similarity spans submission task threshold title "
    "train verdicts with_original workers worst_case"
)
_REPEATED = "attacks constraints defences fields judges label_fields metrics model_options models normalizers"
_OTHERS = {
    "__cause__": "--debug", "baseline": "--write-baseline", "constraints=()": "--no-constraints", "form": "--format",
    "options": "--set", "output": "-o", "probabilities": "--at", "seconds": "--time", "target": "--targeted",
}  # fmt: skip
_NAMES = {name: name for name in _ALIKE.split()} | {name: name.removesuffix("s") for name in _REPEATED.split()}
_OPTIONS = {**{name: f"--{option.replace('_', '-')}" for name, option in _NAMES.items()}, **_OTHERS}
_NAMED = re.compile(rf"`({'|'.join(map(re.escape, _OPTIONS))})`")


def with_flags(message: str) -> str:
    """Replace the names of parameters in a message of the library by the options of the command line.

    Args:
        message: the message, with names of parameters in backquotes.

    >>> with_flags("no right answer; name its field with `label_fields`")
    'no right answer; name its field with --label-field'
    """
    return _NAMED.sub(lambda found: _OPTIONS[found[1]], message)


class MisuseError(AugmentError):
    """A command was used wrongly: a name, a value or a file of its options is wrong. The exit code is 2."""


@contextmanager
def checking() -> Iterator[None]:
    """Run a block that checks the options of a command; an error in it becomes an error of usage (exit code 2).

    Raises:
        MisuseError: an `AugmentError` is raised in the block.
    """
    try:
        yield
    except AugmentError as error:
        raise MisuseError(str(error)) from error


def check_used(given: Mapping[str, Any], names: Iterable[str], needs: Sequence[str], why: str) -> None:
    """Check that options without effect of their own are given only with one that they need, as `title` with `html`.

    Args:
        given: the values of all options of the command, by parameter name.
        names: the options to check; without one of `needs` they have no effect.
        needs: the options of which at least one must be given if one of `names` is.
        why: what the checked options do, for the message, such as "stands in the report".

    Raises:
        AugmentError: one of `names` is given, and none of `needs`; the message names both.
    """
    if not any(given[name] for name in needs):
        for name in names:
            if given[name] not in (None, False, (), "none"):
                need = " or ".join(f"`{one}`" for one in needs)
                raise AugmentError(f"`{name}`: {why}; give {need}, too, or leave it out")


_WHOLE_RUN = 1e9
"""The number of seconds over which the speed is averaged. It is longer than any run: progress comes in large steps."""


def terminal_width(stream: TextIO | None) -> int | None:
    """Return the number of columns of the terminal that a stream writes to; None if it is not a terminal."""
    if stream is None or not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else os.get_terminal_size(stream.fileno()).columns or 80


def say(line: str, *, quiet: bool = False) -> None:
    """Print a message of augment-ru on stderr, unless stderr is closed.

    Args:
        line: the message.
        quiet: True to print nothing.
    """
    if not quiet:
        tell(f"augment-ru: {with_flags(line)}")


def tell(line: str) -> None:
    """Print a line on stderr, unless stderr is closed."""
    if sys.stderr is not None:  # for None, `print` would write to stdout
        print(line, file=sys.stderr)


def print_problems(problems: Iterable[str], where: str = "", unchecked: Callable[[], str | None] = str) -> None:
    """Print problems, one on a line. If there are none, print what was not checked, and then "no problems".

    Args:
        problems: the problems.
        where: the text with which the error message begins.
        unchecked: a function that returns a text about what was not checked; None or "" if there is nothing to say.

    Raises:
        AugmentError: there are problems; the message says how many.
    """
    count = 0
    for count, line in enumerate(problems, start=1):  # noqa: B007
        print(escaped(line))
    if count:
        raise AugmentError(f"{where}{amount(count, 'problem')}")
    if left := unchecked():
        tell(escaped(left))
    tell("no problems")


class Advance(Protocol):
    """A function that a run calls to report progress: how many rows (or other units) were done since the last call."""

    def __call__(self, count: int, size: float | None = None, total: int | None = None, note: str = "") -> None:
        """Report progress.

        Args:
            count: how many units, such as rows, were done since the last call.
            size: how far the bar moves; None for `count`.
            total: the new length of the bar; None leaves it unchanged.
            note: a text that is shown after the rate.
        """


def silent(count: int, size: float | None = None, total: int | None = None, note: str = "") -> None:
    """Do nothing; a run calls this function if it shows no progress."""
    del count, size, total, note


@contextmanager
def progress(name: str, unit: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Advance]:
    """Show a progress bar on stderr during a `with` block, if stderr is a terminal.

    Args:
        name: what is done, such as "perturb".
        unit: what is counted, such as "rows".
        total: the length of the bar; None if it is not known yet.
        quiet: whether no bar is shown, even on a terminal.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    began, done = time.perf_counter(), 0
    counted = TextColumn(
        "{task.fields[done]:,} {task.fields[unit]}, {task.fields[rate]:,.1f} a second{task.fields[note]}"
    )
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), counted, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=_WHOLE_RUN) as bar:
        shown = bar.add_task(escape(name), total=total, done=0, unit=unit, rate=0.0, note="")

        def advance(count: int, size: float | None = None, total: int | None = None, note: str = "") -> None:
            nonlocal done
            done += count
            rate = done / max(time.perf_counter() - began, 1e-9)
            shift = count if size is None else size
            bar.update(shown, advance=shift, total=total, done=done, rate=rate, note=escape(note))

        yield advance
