"""Files and terminals: input that may be stdin, output that is whole or absent, a bar that shows the rate."""

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO, Protocol, cast

from augment_ru.errors import AugmentError


class Advance(Protocol):
    """Told of rows and bytes as they are read."""

    def __call__(self, rows: int, size: int) -> None:
        """So many more rows, of so many bytes."""


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """The file, or stdin for `-`.

    Raises:
        AugmentError: stdin is closed.
    """
    if source == "-":
        if sys.stdin is None:
            raise AugmentError("stdin: is closed; give a file")
        yield sys.stdin.buffer
        return
    with Path(source).open("rb") as stream:
        yield stream


@contextmanager
def twice(stream: BinaryIO) -> Iterator[BinaryIO]:
    """A stream that can be read twice: itself, or what it holds, kept in a temporary file."""
    if stream.seekable():
        yield stream
        return
    with TemporaryFile() as kept:
        copyfileobj(stream, kept)
        kept.seek(0)
        yield cast("BinaryIO", kept)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file that takes the target's place when all went well, and is gone when it did not.

    Raises:
        AugmentError: the file cannot be written, or the disk is full.
    """
    if target.exists() and not target.is_file():  # a device or a pipe, such as /dev/null
        try:
            with target.open("wb") as stream:
                yield stream
        except OSError as error:
            raise AugmentError(f"{target}: cannot be written: {error.strerror}; choose another place") from error
        return
    target = target.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        stream = part.open("wb")
    except OSError as error:
        raise AugmentError(f"{target}: cannot be written: {error.strerror}; choose another place") from error
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except OSError as error:
        raise AugmentError(f"{target}: cannot be written: {error.strerror}; no output file was left") from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def progress(source: str) -> Iterator[Advance]:
    """A bar with the rate on stderr, when that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda rows, size: None  # noqa: ARG005
        return
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    total = Path(source).stat().st_size if source != "-" and Path(source).is_file() else None
    began = time.perf_counter()
    done = 0
    columns = (
        SpinnerColumn(), BarColumn(), TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f} a second"),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task("perturb", total=total, rows=0, rate=0.0)

        def advance(rows: int, size: int) -> None:
            nonlocal done
            done += rows
            bar.update(shown, advance=size, rows=done, rate=done / max(time.perf_counter() - began, 1e-9))

        yield advance


@contextmanager
def steps(name: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, when that is a terminal; is told how many steps are done, of how many."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None  # noqa: ARG005
        return
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("parts"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(shown, completed=done, total=total)
