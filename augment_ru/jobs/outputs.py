"""Where the rows of `perturb` go: a file, stdout, or differences on a terminal; and rejected rows beside the file."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from augment_ru.errors import AugmentError
from augment_ru.formats.files import removed, replacing_file
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.lines import Line
from augment_ru.formats.packed import bare_name, is_packed, packed
from augment_ru.formats.sources import KINDS

Reject: TypeAlias = Callable[[Line, str], None]
"""Takes a row that cannot be used, and the reason: keeps them, or raises an error."""


class Outputs(NamedTuple):
    """The stream for rows, which is flushed after each chunk or not, and the functions for rejected rows.

    `reject` takes a row that cannot be used, `rejected` the lines for the file of such rows.
    """

    stream: BinaryIO
    flushed: bool
    reject: Reject
    rejected: Callable[[bytes], None]


def rejects_of(output: str) -> str:
    """The file of rejected rows: `OUT.rejects.jsonl` beside `OUT.jsonl`."""
    bare = bare_name(output)
    suffix = Path(bare).suffix
    return f"{bare.removesuffix(suffix) if suffix in KINDS else bare}.rejects.jsonl"


def is_shown(output: str | None) -> bool:
    """Whether the rows are shown as differences: they have no file, and stdout is a terminal."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def outputs(output: str | None, *, skip: bool) -> Iterator[Outputs]:
    """Open the file, or stdout for None; with `skip` rejected rows are written beside the file.

    Raises:
        AugmentError: stdout is closed, or a file cannot be written.
    """
    if output is None:
        if sys.stdout is None:
            raise AugmentError("stdout: is closed; give a file with `output`")

        def never(line: Line, reason: str) -> None:
            raise AugmentError(f"line {line.number}: {reason}")

        yield Outputs(sys.stdout.buffer, flushed=True, reject=never, rejected=lambda _lines: None)
        return

    rejects = rejects_of(output)
    with ExitStack() as stack:
        rows = stack.enter_context(packed(stack.enter_context(replacing_file(output)), Path(output).name))
        opened: list[BinaryIO] = []

        def rejected(lines: bytes) -> None:
            if lines and not opened:
                opened.append(stack.enter_context(replacing_file(rejects)))
            for stream in opened:
                stream.write(lines)

        def reject(line: Line, reason: str) -> None:
            rejected(rejected_line(line, reason))

        # packed bytes would depend on where they are flushed
        yield Outputs(rows, flushed=not is_packed(output), reject=reject, rejected=rejected)
        if skip and not opened:
            removed(rejects)  # of an earlier run


def rejected_line(line: Line, reason: str) -> bytes:
    """The line of the rejects file for a row."""
    row: dict[str, Any] = {"line": line.number, "reason": reason}
    try:
        row["raw"] = line.data.decode()
    except UnicodeDecodeError:
        row["raw_hex"] = line.data.hex()
    return f"{encoded(row)}\n".encode()
