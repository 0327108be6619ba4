"""Plain text files: each line is a row with the field `text`, including empty lines."""

from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from augment_ru.formats.files import decoded
from augment_ru.formats.json_lines import Around
from augment_ru.formats.lines import Line, read_lines

FIELD = "text"
"""The name of the field that holds a line."""


class Ends(Around):
    """The characters around a text in a file with one text on each line.

    Attributes:
        before: a byte-order mark, or "".
        after: the line end, or "".
    """

    __slots__ = ()


class TextLines:
    """A file of plain text with one text on each line, or a part of it, as a source of rows.

    Args:
        stream: the file or the part.
        first: the number that the first line of `stream` has in the file.
    """

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, *, first: int = 1) -> None:
        self.stream, self._first = stream, first

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines, including empty ones."""
        return read_lines(self.stream, blank=True, first=self._first)

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Ends]:
        """Parse a line; return None, the row that it makes, and the characters around its text.

        Other formats have the JSON of the row in place of None.

        Raises:
            AugmentError: the line is not UTF-8.
        """
        return None, {FIELD: decoded(line.data)}, Ends("\ufeff" if line.place else "", line.end.decode())
