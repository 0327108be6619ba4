"""Where a text changes and what becomes of every place in it: spans, edits, scripts."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple, Protocol, cast

from augment_ru.errors import AugmentError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of Unicode code points, `0 <= start <= stop`, and why it matters."""

    start: int
    stop: int
    label: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.stop:
            raise AugmentError(f"Span({self.start}, {self.stop}): needs 0 <= start <= stop")

    def of(self, text: str) -> str:
        """The part of `text` that the span covers."""
        return text[self.start : self.stop]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace `source[start:stop]` by `text`; `start == stop` inserts, an empty `text` deletes."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """Edits that stand or fall together, with a rank in [0, 1): active at probability p if rank < p."""

    rank: float
    edits: tuple[Edit, ...]


class EditColumns(Protocol):
    """Edits of many texts in columns."""

    def edits(self, row: int, start: int) -> Iterable[Edit]:
        """The edits of text number `row`, which starts at the place `start` of the columns, in order."""


_set = object.__setattr__


class Script:
    """The edits that turn `source` into `text`: sorted, disjoint, inside the source, checked at birth.

    Two edits may touch, and may not overlap; two insertions at one place are an overlap.
    Immutable; equal scripts have equal sources and edits.

    >>> Script("кот спит", [Edit(0, 3, "🐱")]).text
    '🐱 спит'
    """

    __slots__ = ("_at", "_columns", "_edits", "_row", "_text", "source")
    source: str
    _edits: tuple[Edit, ...]
    _text: str | None
    _columns: "EditColumns | None"
    _row: int
    _at: int

    def __init__(self, source: str, edits: Iterable[Edit] = ()) -> None:
        """Check and sort the edits.

        Raises:
            AugmentError: an edit lies outside the source, or two overlap.
        """
        ordered = tuple(sorted(edits))
        for edit in ordered:
            if not 0 <= edit.start <= edit.stop <= len(source):
                raise AugmentError(f"{edit} lies outside a text of {len(source)} characters")
        for left, right in pairwise(ordered):
            if right.start < left.stop or (left.start, left.stop) == (right.start, right.stop):
                raise AugmentError(f"{left} and {right} overlap")
        _set(self, "source", source)
        _set(self, "_edits", ordered)
        _set(self, "_text", None)
        _set(self, "_columns", None)

    @classmethod
    def of_columns(cls, source: str, text: str, columns: "EditColumns", row: int, at: int) -> "Script":
        """A script whose edits were checked already; they become objects when they are first read."""
        script = cls.__new__(cls)
        _set(script, "source", source)
        _set(script, "_text", text)
        _set(script, "_columns", columns)
        _set(script, "_row", row)
        _set(script, "_at", at)
        return script

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits in the order of the text."""
        if self._columns is not None:
            _set(self, "_edits", tuple(self._columns.edits(self._row, self._at)))
            _set(self, "_columns", None)
        return self._edits

    @property
    def text(self) -> str:
        """The source with every edit done."""
        if self._text is None:
            pieces: list[str] = []
            at = 0
            for edit in self.edits:
                pieces += (self.source[at : edit.start], edit.text)
                at = edit.stop
            pieces.append(self.source[at:])
            _set(self, "_text", "".join(pieces))
        return cast("str", self._text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Script is immutable: cannot set {name} to {value!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Script) and (self.source, self.edits) == (other.source, other.edits)

    def __hash__(self) -> int:
        return hash((self.source, self.edits))

    def __repr__(self) -> str:
        return f"Script({self.source!r}, {list(self.edits)!r})"

    def __reduce__(self) -> tuple[type["Script"], tuple[str, tuple[Edit, ...]]]:
        return type(self), (self.source, self.edits)

    def map(self, span: Span) -> Span | None:
        """Where `span` of the source stands in `text`, or None if an edit touched its characters.

        What maps keeps its characters: `mapped.of(script.text) == span.of(script.source)`.
        An insertion at an edge of the span stays outside it.

        Raises:
            AugmentError: the span lies outside the source.
        """
        if span.stop > len(self.source):
            raise AugmentError(f"{span} lies outside a text of {len(self.source)} characters")
        shift = 0
        for edit in self.edits:
            # What ends at the start pushes the span; only an empty span stays left of an insertion.
            if edit.stop <= span.start and (edit.start < edit.stop or span.start < span.stop or edit.stop < span.start):
                shift += len(edit.text) - (edit.stop - edit.start)
            elif edit.start < span.stop and edit.stop > span.start:
                return None
            else:
                break
        return Span(span.start + shift, span.stop + shift, span.label)

    def then(self, following: "Script") -> "Script":
        """One script that does this one's edits, and `following`'s on their outcome.

        Raises:
            AugmentError: `following` does not start where this script ends.
        """
        return Script(self.source, (part.edit for part in compose(self, following)))


class Composed(NamedTuple):
    """One edit of a composition, and the edits of either script that it does (by index)."""

    edit: Edit
    first: list[int]
    second: list[int]


def compose(first: Script, second: Script) -> list[Composed]:
    """Edits on `first.source` that lead to `second.text`: one for each stretch that either rewrites.

    Works on the text in the middle: each edit of `first` has produced a stretch of it, each edit of
    `second` covers one. Stretches of different scripts that touch become one edit, so that it is never
    open which of two insertions comes first. What leads back to the source is left out.

    Raises:
        AugmentError: `second` does not start where `first` ends.
    """
    if second.source != first.text:
        raise AugmentError("then: the second script's source is not the first one's text")
    stretches: list[tuple[int, int, int, int]] = []  # start and stop in the middle, which script, index
    shift = 0
    for index, edit in enumerate(first.edits):
        stretches.append((edit.start + shift, edit.start + shift + len(edit.text), 0, index))
        shift += len(edit.text) - (edit.stop - edit.start)
    stretches += [(edit.start, edit.stop, 1, index) for index, edit in enumerate(second.edits)]

    groups: list[_Group] = []
    for start, stop, which, index in sorted(stretches, key=itemgetter(0, 2, 1)):
        last = groups[-1] if groups else None
        if last is None or start > last.stop or (start == last.stop and last.enders == {which}):
            last = _Group(start)
            groups.append(last)
        last.add(stop, which, index)

    composed: list[Composed] = []
    shift = 0  # of the middle against the source, before the group
    for group in groups:
        ours, theirs = group.members
        if not ours:  # the usual case, done without a script of its own; such a group has one edit
            (alone,) = map(second.edits.__getitem__, theirs)
            grown, edit = 0, Edit(alone.start - shift, alone.stop - shift, alone.text)
        elif not theirs:
            (edit,) = map(first.edits.__getitem__, ours)
            grown = len(edit.text) - (edit.stop - edit.start)
        else:
            grown = sum(len(edit.text) - (edit.stop - edit.start) for edit in map(first.edits.__getitem__, ours))
            inner = Script(
                first.text[group.start : group.stop],
                (
                    Edit(edit.start - group.start, edit.stop - group.start, edit.text)
                    for edit in map(second.edits.__getitem__, theirs)
                ),
            )
            edit = Edit(group.start - shift, group.stop - shift - grown, inner.text)
        if first.source[edit.start : edit.stop] != edit.text:
            composed.append(Composed(edit, ours, theirs))
        shift += grown
    return composed


class _Group:
    """Stretches of the middle text that are rewritten together."""

    __slots__ = ("enders", "members", "start", "stop")

    def __init__(self, start: int) -> None:
        self.start = self.stop = start
        self.enders: set[int] = set()  # the scripts whose stretches end where the group does
        self.members: tuple[list[int], list[int]] = ([], [])

    def add(self, stop: int, which: int, index: int) -> None:
        if stop > self.stop:
            self.stop, self.enders = stop, set()
        if stop == self.stop:
            self.enders.add(which)
        self.members[which].append(index)
