"""The lines of a file."""

from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError

MAX_LINE = 16 * 2**20
"""Bytes of the longest line that is read: a text of that size takes about 1 GiB while it is perturbed."""

LONG_LINE_SHOWN = 80
"""Bytes that are kept of a line or row that is too long."""

BOM = b"\xef\xbb\xbf"
"""What some editors put at the start of a file in UTF-8."""

MOST_BLANKS = 1_000_000
"""Blank lines that may follow one another."""

_LONGEST = 2**30
"""Bytes after which a line is taken for one without an end."""

_LINE_FEED = 10
_END = 2
"""Bytes of the longest end of a line."""


class Line(NamedTuple):
    """A line or row of a file: its number from 1, its bytes without the end of the line, and why it cannot be used."""

    number: int
    data: bytes
    problem: str | None = None
    end: bytes = b"\n"
    """How the line ends; empty for a last one that does not."""
    place: Any = None
    """What else the format keeps of the row."""


PLAIN_LINE = (None, b"\n", None)
"""What most lines have beside their numbers and bytes."""


def read_lines(stream: BinaryIO, *, blank: bool = False, first: int = 1) -> Iterator[Line]:
    """The lines of a file; blank ones only with `blank`. A byte-order mark is skipped; LF and CR LF both end a line.

    `first` is the number of the first line, if the stream is a part of a file.

    A line over `MAX_LINE` bytes is reported as a problem, with its first bytes.

    Raises:
        AugmentError: a line has no end, or there are over a million blank lines one after another.
    """
    number, blanks = first, 0
    while data := stream.readline(MAX_LINE + _END):
        if number > 1 and len(data) <= MAX_LINE and data[-1] == _LINE_FEED and data[-2:] != b"\r\n":  # most lines
            line = Line(number, data[:-1]) if blank or not data.isspace() else None
        else:
            line = _line(stream, number, data, blank=blank)
        blanks = blanks + 1 if line is None else 0
        if blanks > MOST_BLANKS:
            raise AugmentError(f"line {number}: {blanks:,} blank lines one after another; give a file of rows")
        if line is not None:
            yield line
        number += 1


def _ended(stream: BinaryIO, data: bytes, number: int) -> tuple[bytes, int]:
    """A line of this beginning, and how many bytes of it were passed over, because it is too long."""
    if number == 1 and data.startswith(BOM) and not data.endswith(b"\n"):
        data += stream.readline(len(BOM))
    passed, rest = 0, data
    while not rest.endswith(b"\n") and (rest := stream.readline(MAX_LINE)):
        passed += len(rest)
        if passed > _LONGEST:
            raise AugmentError(
                f"line {number}: over {_LONGEST:,} bytes without an end of the line; give a file of rows"
            )
    return data, passed


def _line(stream: BinaryIO, number: int, data: bytes, *, blank: bool) -> Line | None:
    """The line of this number, which begins so; None if it is blank, and blank ones are not wanted."""
    passed = 0
    if len(data) > MAX_LINE:
        data, passed = _ended(stream, data, number)
    marked = number == 1 and data.startswith(BOM)
    if marked:
        data = data.removeprefix(BOM)
    if len(data) > MAX_LINE and not data.endswith(b"\n"):
        problem = f"{len(data) + passed:,} bytes; the longest line may have {MAX_LINE:,}; split the text"
        return Line(number, data[:LONG_LINE_SHOWN], problem)
    bare = data.rstrip(b"\r\n")
    return Line(number, bare, end=data[len(bare) :], place=marked or None) if blank or bare.strip() else None
