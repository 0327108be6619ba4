"""Progress on the terminal: a bar with what is done, and the rate."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from augment_ru.errors import AugmentError, amount, escaped
from augment_ru.jobs.flags import with_flags

_WHOLE_RUN = 1e9
"""Seconds."""


def terminal_width(stream: TextIO | None) -> int | None:
    """The columns of the terminal that a stream writes to; None if it is no terminal."""
    if stream is None or not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else os.get_terminal_size(stream.fileno()).columns or 80


def say(line: str, *, quiet: bool = False) -> None:
    """Print a message of augment-ru on stderr, if there is one and the user wants messages."""
    if not quiet:
        tell(f"augment-ru: {with_flags(line)}")


def tell(line: str) -> None:
    """Print a line on stderr, if there is one."""
    if sys.stderr is not None:  # else `print` would take stdout
        print(line, file=sys.stderr)


def print_problems(problems: Iterable[str], where: str = "", unchecked: Callable[[], str | None] = str) -> None:
    """Print problems that were found, one on a line, or what was not checked, and that there are none.

    Raises:
        AugmentError: there are problems; the message counts them, behind `where`.
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
    """Called when more is done."""

    def __call__(self, count: int, size: float | None = None, total: int | None = None, note: str = "") -> None:
        """`count` more are done; the bar moves by `size`, by default by `count`; its whole length is `total` now.

        `note` is shown behind the rate.
        """


def silent(count: int, size: float | None = None, total: int | None = None, note: str = "") -> None:
    """Show nothing."""
    del count, size, total, note


@contextmanager
def progress(name: str, unit: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Advance]:
    """A bar on stderr while the block runs, if stderr is a terminal.

    The time that remains is estimated from the whole run: what is done arrives in large steps.

    Args:
        name: what is done.
        unit: what is counted: rows, answers.
        total: the whole length of the bar; None if it is not known yet.
        quiet: whether there is no bar, also on a terminal.
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
