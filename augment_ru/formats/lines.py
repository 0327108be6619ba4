"""Lines of a file: one by one, or in blocks that are read at once."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError

MAX_LINE = 16 * 2**20
"""Bytes of the longest line that is read: a text of that size takes about 1 GiB while it is perturbed."""

LONG_LINE_SHOWN = 80
"""Bytes that are kept of a line or row that is too long."""

BOM = b"\xef\xbb\xbf"
"""What some editors put at the start of a file in UTF-8."""

BLOCK_BYTES = 2**20
"""A block ends with the line that reaches them."""

MOST_BLANKS = 1_000_000
"""Blank lines that may follow one another."""

_LONGEST = 2**30
"""Bytes after which a line is taken for one without an end."""

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


class Block(NamedTuple):
    """Lines that stand together in a file."""

    first: int
    """The number of the first line, from 1."""
    raw: Sequence[bytes]
    """The bytes of each line, with its end."""
    passed: int = 0
    """How many bytes of the last line were left out, because it is too long to be read."""

    def lines(self) -> Iterator[Line]:
        """The lines, as `read_lines` gives them."""
        last = len(self.raw) - 1
        for at, data in enumerate(self.raw):
            line = _line(self.first + at, data, self.passed if at == last else 0)
            if line is not None:
                yield line


def read_lines(stream: BinaryIO, *, blank: bool = False, first: int = 1) -> Iterator[Line]:
    """The lines of a file; blank ones only with `blank`. A byte-order mark is skipped; LF and CR LF both end a line.

    `first` is the number of the first line, if the stream is a piece of a file.

    A line over `MAX_LINE` bytes is reported as a problem, with its first bytes.

    Raises:
        AugmentError: a line has no end, or there are over a million blank lines one after another.
    """
    number, passed, blanks = first, 0, 0
    while data := stream.readline(MAX_LINE + _END):
        if len(data) > MAX_LINE:
            data, passed = _ended(stream, data, number)
        line = _line(number, data, passed, blank=blank)
        blanks = blanks + 1 if line is None else 0
        check_blanks(blanks, number)
        if line is not None:
            yield line
        number, passed = number + 1, 0


def check_blanks(count: int, number: int) -> None:
    """Refuse a file with so many blank lines up to the line `number`.

    Raises:
        AugmentError: there are more than `MOST_BLANKS`.
    """
    if count > MOST_BLANKS:
        raise AugmentError(f"line {number}: {count:,} blank lines one after another; give a file of rows")


def read_block(stream: BinaryIO, first: int, count: int) -> Block:
    """The next lines of a file, at most `count` of them and about `BLOCK_BYTES`; none at its end.

    `first` is the number of the first line.
    """
    raw: list[bytes] = []
    size = passed = 0
    while len(raw) < count and size < BLOCK_BYTES and (data := stream.readline(MAX_LINE + _END)):
        if len(data) > MAX_LINE:
            data, passed = _ended(stream, data, first + len(raw))
        raw.append(data)
        size += len(data)
        if passed:
            break
    return Block(first, raw, passed)


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


def _line(number: int, data: bytes, passed: int, *, blank: bool = False) -> Line | None:
    """The line of this number; None if it is blank, and blank ones are not wanted."""
    marked = number == 1 and data.startswith(BOM)
    if marked:
        data = data.removeprefix(BOM)
    if len(data) > MAX_LINE and not data.endswith(b"\n"):
        problem = f"{len(data) + passed:,} bytes; the longest line may have {MAX_LINE:,}; split the text"
        return Line(number, data[:LONG_LINE_SHOWN], problem)
    bare = data.rstrip(b"\r\n")
    return Line(number, bare, end=data[len(bare) :], place=marked) if blank or bare.strip() else None
