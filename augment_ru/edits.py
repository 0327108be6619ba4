"""Spans, edits with their notes, and changes; a change is a group of edits that are applied together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from augment_ru.errors import AugmentError, brief


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of Unicode code points, `0 <= start <= stop`, with a label.

    Raises:
        AugmentError: `0 <= start <= stop` does not hold.
    """

    start: int
    stop: int
    label: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.stop:
            raise AugmentError(f"Span({self.start}, {self.stop}): needs 0 <= start <= stop")

    def of(self, text: str) -> str:
        """Return the part of `text` that the span covers."""
        return text[self.start : self.stop]


@dataclass(frozen=True, slots=True)
class Note:
    """Holds what an edit carries besides its place and its new text.

    Attributes:
        reading: the words that a reader reads instead of the new text («кошка» for 🐱), according to the attack; None
            if the new text is read as it is written.
        kind: the class of the error that the edit makes («tsya»); None if the attack has no error classes.
    """

    reading: str | None = None
    kind: str | None = None

    def values(self) -> dict[str, str]:
        """Return the attributes that are not None, by name."""
        values = {"reading": self.reading, "kind": self.kind}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Edit:
    """A replacement of `source[start:stop]` by `text`; `start == stop` inserts, an empty `text` deletes.

    Edits are equal if their `start`, `stop` and `text` are equal; their notes may differ. A note states what else is
    known of the edit, such as its reading: the words that a reader reads instead of the new text («кошка» for 🐱).
    """

    start: int
    stop: int
    text: str
    note: Note | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        note = "" if self.note is None else f", note={self.note}"
        return f"Edit(start={self.start}, stop={self.stop}, text={brief(self.text)}{note})"

    @property
    def read(self) -> str:
        """What a reader reads («кошка» for 🐱): the reading in the note, or `text` if the note has no reading."""
        return self.text if self.note is None or self.note.reading is None else self.note.reading


@dataclass(frozen=True, slots=True)
class Change:
    """Edits that are applied together or not at all.

    Attributes:
        rank: a random number in [0, 1). At probability p the edits are applied if the rank is below p.
        edits: the edits.
    """

    rank: float
    edits: tuple[Edit, ...]


def shared_start(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how many items two sequences have in common at their starts.

    >>> shared_start("кошка", "кот")
    2
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
