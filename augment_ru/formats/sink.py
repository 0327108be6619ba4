"""The base class of all classes that write rows to a file."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import BinaryIO

from augment_ru.formats.row import Changed
from augment_ru.formats.value_types import NOTHING, Learnt
from augment_ru.records.record import Record


class Sink(ABC):
    """Writes rows to a stream in one format, and leaves the stream open.

    Attributes:
        learns_types: whether a row may be refused because earlier rows have values of other types.
    """

    learns_types = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    @abstractmethod
    def check(self, record: Record) -> None:
        """Check that the format can hold a row; called once for each row, before it is perturbed.

        Raises:
            AugmentError: the format cannot hold a field of the row.
        """

    @abstractmethod
    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows, each given as the original record and what changed in it.

        Raises:
            AugmentError: the format cannot hold a row.
        """

    def join(self, part: bytes, array: int = 0) -> None:  # noqa: ARG002  (only arrays of JSON have numbers)
        """Add the rows that another sink (writer of rows) wrote for a part of the input.

        Args:
            part: the bytes that the other sink (made by `sink_of(..., part=...)`) wrote.
            array: for JSON files, the index of the array from which the rows were read, from 0.
        """
        self._stream.write(part)

    def learnt(self) -> Learnt:
        """Return the names or types of the columns in the rows so far; empty for a format without columns."""
        return NOTHING

    def learn(self, learnt: Learnt) -> None:  # noqa: B027  (most formats learn nothing)
        """Add the names or types of columns that another sink (writer of rows) found in other rows.

        Raises:
            AugmentError: a type differs from the type in an earlier row.
        """

    def finish(self) -> None:  # noqa: B027  (after most rows comes nothing)
        """Write what comes after the last row."""

    def close(self) -> None:  # noqa: B027  (most sinks hold nothing)
        """Release files and other resources, also after an error."""
