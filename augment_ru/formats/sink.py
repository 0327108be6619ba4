"""The base class of all classes that write rows to a file."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import BinaryIO

from augment_ru.formats.row import Changed
from augment_ru.formats.value_types import NOTHING, Learnt
from augment_ru.records.record import Record


class Sink(ABC):
    """Writes rows to a stream, and leaves the stream open.

    Attributes:
        learns_types: whether a row may be refused because of the types of values in earlier rows.
    """

    learns_types = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    @abstractmethod
    def check(self, record: Record) -> None:
        """Check that the format can hold the row; called once for each row, before it is perturbed.

        Raises:
            AugmentError: the format cannot hold a field of the row.
        """

    @abstractmethod
    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write rows: the records that were read, each with its changes.

        Raises:
            AugmentError: the format cannot hold a row.
        """

    def join(self, part: bytes, array: int = 0) -> None:  # noqa: ARG002  (only arrays of JSON have numbers)
        """Write the rows of a part, as if they were given to `write`.

        Args:
            part: the bytes that a sink made by `sink_of(..., part=...)` wrote.
            array: for JSON arrays, the number of the array that the rows were read from.
        """
        self._stream.write(part)

    def learnt(self) -> Learnt:
        """Return what `check` has learnt from the rows so far."""
        return NOTHING

    def learn(self, learnt: Learnt) -> None:  # noqa: B027  (most formats learn nothing)
        """Take over what a part has learnt from its rows.

        Raises:
            AugmentError: a type in the part differs from the type in an earlier row.
        """

    def finish(self) -> None:  # noqa: B027  (after most rows comes nothing)
        """Write what comes after the last row."""

    def close(self) -> None:  # noqa: B027  (most sinks hold nothing)
        """Release files and other resources, also after an error."""
