"""Open the outputs of `perturb`: a file, stdout or differences on a terminal, and a file for rejected rows."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.files import bare_name, is_packed, packed, removed, replacing_file
from augment_ru.formats.json_lines import encoded, encoded_row
from augment_ru.formats.lines import Line
from augment_ru.formats.sources import KINDS


class Outputs(NamedTuple):
    """The open outputs of a run.

    Attributes:
        stream: the stream for rows.
        flushed: whether each chunk is written out at once, so that a reader of the stream need not wait.
        rejected: a function that writes lines to the file of rejected rows (rows that could not be used).
    """

    stream: BinaryIO
    flushed: bool
    rejected: Callable[[bytes], None]


def rejects_of(output: str) -> str:
    """Return the path of the file for rejected rows, which could not be used: `OUT.rejects.jsonl` beside `OUT.jsonl`.

    Args:
        output: the path of the output file.
    """
    bare = bare_name(output)
    suffix = Path(bare).suffix
    return f"{bare.removesuffix(suffix) if suffix in KINDS else bare}.rejects.jsonl"


def is_shown(output: str | None) -> bool:
    """Tell whether results are shown as differences on the terminal, instead of being written as rows.

    This is so if there is no output file and stdout is a terminal.

    Args:
        output: the output file; None if there is none.
    """
    return output is None and sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def outputs(output: str | None, *, skip: bool) -> Iterator[Outputs]:
    """Hold the outputs of a run open during a `with` block: one for rows, and one for rejected rows.

    Args:
        output: the output file; None for stdout.
        skip: whether rows that cannot be used are skipped; they are then written to the file that `rejects_of` names.

    Raises:
        AugmentError: stdout is closed, or a file cannot be written.
    """
    if output is None:
        if sys.stdout is None:
            raise AugmentError("stdout: is closed; give a file with `output`")
        rows = sys.stdout.buffer
        with redirect_stdout(sys.stderr):  # what a user's own code prints is not a row
            yield Outputs(rows, flushed=True, rejected=lambda _lines: None)
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

        # packed bytes would depend on where they are flushed
        yield Outputs(rows, flushed=not is_packed(output), rejected=rejected)
        if skip and not opened:
            removed(rejects)  # of an earlier run


def rejected_line(line: Line, reason: str) -> bytes:
    """Return the line of JSON that the file of rejected rows gets for a row that could not be used.

    It states the number of the row's line, the reason and the content of the row.

    Args:
        line: the line of the row.
        reason: why it could not be used.
    """
    row: dict[str, Any] = {"line": line.number, "reason": reason}
    try:
        row["raw"] = line.data.decode()
    except UnicodeDecodeError:
        row["raw_hex"] = line.data.hex()
    return f"{encoded(row)}\n".encode()


def write_file(name: str | Path | None, content: Iterable[bytes]) -> None:
    """Write a file, completely or not at all.

    Args:
        name: a path or a URL; None to write nothing.
        content: the bytes, piece by piece.

    Raises:
        AugmentError: the file cannot be written.
    """
    if name is not None:
        with replacing_file(str(name)) as stream:
            stream.writelines(content)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Encode rows as JSON lines."""
    return (f"{encoded_row(row)}\n".encode("utf-8", "surrogatepass") for row in rows)
