"""What writes rows to a file, as all formats have it in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import BinaryIO

from augment_ru.formats.row import Changed
from augment_ru.formats.value_types import NOTHING, Learnt
from augment_ru.records.record import Record


class Sink(ABC):
    """Writes rows to a stream, which is not closed.

    Attributes:
        learns_types: whether a row may not be written because of the types in rows before it.
    """

    learns_types = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    @abstractmethod
    def check(self, record: Record) -> None:
        """Raise an error if the format cannot hold the row; called once for each row, before it is perturbed.

        Raises:
            AugmentError: the field that it cannot hold, and why.
        """

    @abstractmethod
    def write(self, rows: Sequence[tuple[Record, Changed]]) -> None:
        """Write some more rows: the records that were read, and what is new in each.

        Raises:
            AugmentError: a row has no form in the format.
        """

    def join(self, part: bytes, array: int = 0) -> None:  # noqa: ARG002  (only arrays of JSON have numbers)
        """Write the rows of a part, which a sink made by `sink_of(..., part=...)` wrote, as if `write` got them.

        `array` is the number of the array that the rows were read from.
        """
        self._stream.write(part)

    def learnt(self) -> Learnt:
        """What `check` knows from the rows so far."""
        return NOTHING

    def learn(self, learnt: Learnt) -> None:  # noqa: B027  (most formats learn nothing)
        """Take in what a part learnt from its rows.

        Raises:
            AugmentError: types of the part do not go with those of the rows before it.
        """

    def finish(self) -> None:  # noqa: B027  (after most rows comes nothing)
        """Write what comes after the last row."""

    def close(self) -> None:  # noqa: B027  (most sinks hold nothing)
        """Give back what it holds, also after an error."""
