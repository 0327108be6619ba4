"""Read the lines of a file."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError

MAX_LINE = 16 * 2**20
"""The longest line that is read, in bytes: a text of this size takes about 1 GiB while it is perturbed."""

LONG_LINE_SHOWN = 80
"""How many bytes are kept of the beginning of a line or row that is too long, so that it can be shown."""

BOM = b"\xef\xbb\xbf"
"""The byte-order mark that some editors put at the start of a UTF-8 file."""

MOST_BLANKS = 1_000_000
"""The most blank lines that may follow one another; a file with more is refused."""

_LONGEST = 2**30
"""The bytes without a line end after which a file is refused."""

_END = 2
"""The bytes of the longest line end."""


class Line(NamedTuple):
    """A line or row of a file.

    Attributes:
        number: its number, from 1.
        data: its bytes without the line end.
        problem: why it cannot be used; None if it can.
        end: the line end; empty if the last line of the file has none.
        place: what the format keeps to write the row again, such as the cells of a row of CSV; None if the bytes are
            enough.
    """

    number: int
    data: bytes
    problem: str | None = None
    end: bytes = b"\n"
    place: Any = None

    def usable(self) -> "Line":
        """Return the line itself; raise an error if it cannot be used.

        Raises:
            AugmentError: the line cannot be used; the message is `problem`.
        """
        if self.problem:
            raise AugmentError(self.problem)
        return self


def decoded(data: bytes) -> str:
    """Decode bytes in UTF-8.

    Raises:
        AugmentError: the bytes are not valid UTF-8. The message names UTF-16 if they begin like it.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        is_utf16 = error.start == 0 and data[:2] in {BOM_UTF16_LE, BOM_UTF16_BE}
        remedy = "give `encoding` utf-16" if is_utf16 else "give its encoding, as in `encoding` cp1251"
        raise AugmentError(f"not UTF-8 at byte {error.start}; save the file as UTF-8, or {remedy}") from error


PLAIN_LINE = (None, b"\n", None)
"""The `problem`, `end` and `place` of most lines: usable, ended by a line feed, with no further data."""


def read_lines(stream: BinaryIO, *, blank: bool = False, first: int = 1) -> Iterator[Line]:
    """Yield the lines of a file without their line ends, LF or CR LF. A byte-order mark is skipped.

    A line over 16 MiB is not used: only its first 80 bytes are yielded, with the reason in `Line.problem`.

    Args:
        stream: the file, or a part of it.
        blank: whether blank lines are yielded as well.
        first: the number of the first line, if the stream is a part of a file.

    Raises:
        AugmentError: there is no line end in more than 1 GiB, or over a million blank lines follow one another.
    """
    number, blanks = first, 0
    while data := stream.readline(MAX_LINE + _END):
        line = _line(stream, number, data, blank=blank)
        blanks = blanks + 1 if line is None else 0
        if blanks > MOST_BLANKS:
            raise AugmentError(f"line {number}: {blanks:,} blank lines one after another; give a file of rows")
        if line is not None:
            yield line
        number += 1


def pass_over(stream: BinaryIO, data: bytes, number: int) -> None:
    """Read the rest of a line that begins with `data`, and discard it.

    Args:
        stream: the file, after `data`.
        data: the beginning of the line; nothing is read if it holds the line end.
        number: the number of the line.

    Raises:
        AugmentError: there is no line end in more than 1 GiB.
    """
    passed = 0
    while not data.endswith(b"\n") and (data := stream.readline(MAX_LINE)):
        passed += len(data)
        if passed > _LONGEST:
            raise AugmentError(f"line {number}: over {_LONGEST:,} bytes without a line end; give a file of rows")


def too_long(what: str, most: int) -> str:
    """Return the message about a line or row that has too many bytes.

    Args:
        what: `line` or `row`.
        most: how many bytes it may have.
    """
    return f"too long; the longest {what} may have {most:,} bytes; split the text"


def _line(stream: BinaryIO, number: int, data: bytes, *, blank: bool) -> Line | None:
    """Return the line that begins with `data`; None if it is blank and blank lines are not wanted."""
    marked = number == 1 and data.startswith(BOM)
    if marked:
        data = data.removeprefix(BOM) + (b"" if data.endswith(b"\n") else stream.readline(len(BOM)))
    if len(data) > MAX_LINE and not data.endswith(b"\n"):
        pass_over(stream, data, number)
        return Line(number, data[:LONG_LINE_SHOWN], too_long("line", MAX_LINE))
    bare = data.rstrip(b"\r\n")
    return Line(number, bare, end=data[len(bare) :], place=marked or None) if blank or bare.strip() else None
