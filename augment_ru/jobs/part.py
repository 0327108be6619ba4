"""A part of a run, and what was made of it."""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from augment_ru.formats.fitting import NOTHING, Learnt
from augment_ru.formats.pieces import Piece


@dataclass(frozen=True, slots=True)
class JobPart:
    """Rows of the input that are done together.

    Attributes:
        piece: the rows.
        learnt: what the output knows from the rows before.
        limit: how many rows are read at most; None for all.
    """

    piece: Piece
    learnt: Learnt = NOTHING
    limit: int | None = None

    @property
    def name(self) -> str:
        """The name of what is kept of it: in the order of the input, with a hash of all that it is."""
        facts = f"{self.piece.digest} {self.learnt.names} {self.learnt.types} {self.limit}"
        return f"{self.piece.first:015d}-{blake2b(facts.encode(), digest_size=16).hexdigest()}"


@dataclass(frozen=True, slots=True)
class PartDone:
    """What was made of a part.

    Attributes:
        rows: what is written for it, in the form that `Sink.join` takes.
        rejects: the lines for the file of rejected rows.
        counts: those of `Tally.counts`.
        learnt: what the output knows after it.
        failed: whether a row ended it; then it is done once more, with what the output knows from the rows before.
    """

    rows: bytes
    rejects: bytes
    counts: dict[str, Any] = field(default_factory=dict)
    learnt: Learnt = NOTHING
    failed: bool = False
