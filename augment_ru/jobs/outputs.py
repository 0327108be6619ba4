"""Open the outputs of `perturb`: a file, stdout or differences on a terminal, and a file for rejected rows."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.files import removed, replacing_file
from augment_ru.formats.json_lines import encoded, encoded_row
from augment_ru.formats.lines import Line
from augment_ru.formats.packed import bare_name, is_packed, packed
from augment_ru.formats.sources import KINDS


class Outputs(NamedTuple):
    """The open outputs of a run.

    Attributes:
        stream: the stream for rows.
        flushed: whether the stream is flushed after each chunk.
        rejected: a function that writes lines to the rejects file.
    """

    stream: BinaryIO
    flushed: bool
    rejected: Callable[[bytes], None]


def rejects_of(output: str) -> str:
    """Return the path of the file for rejected rows: `OUT.rejects.jsonl` in the folder of `OUT.jsonl`."""
    bare = bare_name(output)
    suffix = Path(bare).suffix
    return f"{bare.removesuffix(suffix) if suffix in KINDS else bare}.rejects.jsonl"


def is_shown(output: str | None) -> bool:
    """Tell whether rows are shown as differences, because there is no output file and stdout is a terminal."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def outputs(output: str | None, *, skip: bool) -> Iterator[Outputs]:
    """Hold the outputs of a run open during a `with` block: the output file, or stdout for None, and the rejects file.

    Args:
        output: the output file.
        skip: whether rejected rows are skipped; they are then written to the file `rejects_of(output)`.

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
    """Return a JSON line for the rejects file: the number of the row's line, the reason, and the content."""
    row: dict[str, Any] = {"line": line.number, "reason": reason}
    try:
        row["raw"] = line.data.decode()
    except UnicodeDecodeError:
        row["raw_hex"] = line.data.hex()
    return f"{encoded(row)}\n".encode()


def write_file(name: str | Path | None, content: Iterable[bytes]) -> None:
    """Write a file, completely or not at all. `name` is a path or a URL; if it is None, nothing is written.

    Raises:
        AugmentError: the file cannot be written.
    """
    if name is not None:
        with replacing_file(str(name)) as stream:
            stream.writelines(content)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Encode rows as JSON lines."""
    return (f"{encoded_row(row)}\n".encode("utf-8", "surrogatepass") for row in rows)
