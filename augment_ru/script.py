"""Scripts: sorted edits that lead from a source to a new text; they also map places to it, and can be composed."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from operator import itemgetter
from typing import NamedTuple, TypeAlias, cast

from augment_ru.edits import Edit, Note, Span
from augment_ru.errors import AugmentError, brief

Triple: TypeAlias = tuple[int, int, str]
"""An edit as its start, its stop and its new text."""
_set = object.__setattr__


class Script:
    """The edits that lead from a source to a new text: sorted, disjoint, inside the source.

    Two edits may touch, but not overlap. Two insertions at one place overlap. A script is immutable. Two scripts are
    equal if their sources and edits are equal.

    Attributes:
        source: the text that is edited.
        triples: the start, the stop and the new text of each edit, sorted. `edits` makes `Edit` objects of them.
        notes: the note of each edit (what it carries besides its new text); empty if no edit has a note.

    >>> Script("кот спит", [Edit(0, 3, "🐱")]).text
    '🐱 спит'
    """

    __slots__ = ("_edits", "_moves", "_text", "notes", "source", "triples")
    source: str
    triples: Sequence[Triple]
    notes: Sequence[Note | None]
    _edits: tuple[Edit, ...] | None
    _text: str | None
    _moves: tuple[list[int], list[int]] | None
    """Two lists: the stop of each edit; and, for each n from 0, by how much the first n edits move the text after them.

    None before the first call of `map`.
    """

    def __init__(self, source: str, edits: Iterable[Edit] = ()) -> None:
        """Check and sort the edits.

        Raises:
            AugmentError: a place is not an integer, an edit lies outside the source, or two edits overlap.
        """
        ordered = tuple(sorted(edits))
        for edit in ordered:
            if not hasattr(edit.start, "__index__") or not hasattr(edit.stop, "__index__"):
                raise AugmentError(f"{edit!r}: its places are no whole numbers")
            if not 0 <= edit.start <= edit.stop <= len(source):
                raise AugmentError(f"{edit} lies outside a text of {len(source)} characters")
        notes = [edit.note for edit in ordered]
        _fill(self, source, [(edit.start, edit.stop, edit.text) for edit in ordered], notes if any(notes) else ())
        _check_order(self)
        _set(self, "_edits", ordered)

    @classmethod
    def of(cls, source: str, triples: Sequence[Triple], notes: Sequence[Note | None] = ()) -> "Script":
        """Make a script of edits that are known to be sorted, disjoint and inside the source, without checking them.

        Args:
            source: the text that is edited.
            triples: the start, the stop and the new text of each edit.
            notes: the note of each edit (what it carries besides its new text); empty if no edit has a note.
        """
        script = cls.__new__(cls)
        _fill(script, source, triples, notes)
        return script

    @classmethod
    def together(cls, source: str, triples: Sequence[Triple], notes: Sequence[Note | None] = ()) -> "Script":
        """Make a script of edits in any order that are inside the source.

        Args:
            source: the text that is edited.
            triples: the start, the stop and the new text of each edit.
            notes: the note of each edit (what it carries besides its new text); empty if no edit has a note.

        Raises:
            AugmentError: two edits overlap.
        """
        if any(notes):
            order = sorted(range(len(triples)), key=triples.__getitem__)
            script = cls.of(source, [triples[at] for at in order], [notes[at] for at in order])
        else:
            script = cls.of(source, sorted(triples))
        _check_order(script)
        return script

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits, sorted by place."""
        if self._edits is None:
            pairs = zip(self.triples, self.notes or repeat(None), strict=False)
            _set(self, "_edits", tuple(Edit(start, stop, text, note) for (start, stop, text), note in pairs))
        return cast("tuple[Edit, ...]", self._edits)

    @property
    def text(self) -> str:
        """The source with all edits applied."""
        if self._text is None:
            _set(self, "_text", self._with([text for _, _, text in self.triples]))
        return cast("str", self._text)

    @property
    def read(self) -> str:
        """The new text as it is read: with the reading of each edit that has one («кошка» for 🐱), not its new text."""
        if all(note is None or note.reading is None for note in self.notes):
            return self.text
        return self._with([edit.read for edit in self.edits])

    def _with(self, texts: Sequence[str]) -> str:
        """Return the source with the range of edit i replaced by `texts[i]`, for each edit."""
        pieces: list[str] = []
        at = 0
        for (start, stop, _), text in zip(self.triples, texts, strict=True):
            pieces += (self.source[at:start], text)
            at = stop
        pieces.append(self.source[at:])
        return "".join(pieces)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Script is immutable: cannot set {name} to {value!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Script) and (self.source, self.edits) == (other.source, other.edits)

    def __hash__(self) -> int:
        return hash((self.source, self.edits))

    def __repr__(self) -> str:
        return f"Script({brief(self.source)}, {brief(list(self.edits))})"

    def __reduce__(self) -> tuple[type["Script"], tuple[str, tuple[Edit, ...]]]:
        return type(self), (self.source, self.edits)

    def map(self, span: Span) -> Span | None:
        """Return where a span of the source is in the new text; None if an edit replaces or splits its characters.

        The result covers the same characters: `mapped.of(script.text) == span.of(script.source)`. A text that is
        inserted at an edge of the span stays outside.

        Raises:
            AugmentError: the span lies outside the source.
        """
        if span.stop > len(self.source):
            raise AugmentError(f"{span} lies outside a text of {len(self.source)} characters")
        edits = self.triples
        if self._moves is None:
            shifts = accumulate(len(text) - (stop - start) for start, stop, text in edits)
            _set(self, "_moves", ([stop for _, stop, _ in edits], [0, *shifts]))
        stops, shifts_after = cast("tuple[list[int], list[int]]", self._moves)
        before = bisect_right(stops, span.start)
        # An edit that ends at the start of the span moves it; an insertion there does not move an empty span.
        if span.start == span.stop and before and edits[before - 1][0] == span.start:
            before -= 1
        if before < len(edits) and edits[before][0] < span.stop and edits[before][1] > span.start:
            return None
        shift = shifts_after[before]
        return Span(span.start + shift, span.stop + shift, span.label)

    def carried(self, span: Span) -> Span:
        """Return where a span of the source stands in the new text, even if its characters were edited.

        If all its characters were deleted, the result is empty. Letters that are inserted directly before or after a
        letter of the span belong to it; other insertions at its edges do not. If an edit replaces characters inside and
        outside the span, the whole new text of the edit belongs to it.

        >>> Script("в Туле", [Edit(2, 2, "т"), Edit(6, 6, "!")]).carried(Span(2, 6, "LOC"))
        Span(start=2, stop=7, label='LOC')
        """
        start, stop, shift, source = span.start, span.stop, 0, self.source
        begins = source[span.start : span.start + 1].isalnum()
        ends = source[max(span.stop - 1, 0) : span.stop].isalnum() and not source[span.stop : span.stop + 1].isalnum()
        for first, last, new in self.triples:
            more, is_new = len(new) - (last - first), first == last
            if last < span.start or (last == span.start and not (is_new and begins and new[-1:].isalnum())):
                start += more
            elif first < span.start < last:
                start = first + shift
            if last < span.stop or (last == span.stop and (not is_new or (ends and new[:1].isalnum()))):
                stop += more
            elif first < span.stop < last:
                stop = first + shift + len(new)
            shift += more
        return Span(start, max(start, stop), span.label)

    def then(self, following: "Script") -> "Script":
        """Return one script that does what this script followed by another script does.

        Args:
            following: the second script; its source is the text that this one makes.

        Raises:
            AugmentError: the source of `following` is not this script's text.
        """
        return Script(self.source, (part.edit for part in compose(self, following)))


def _fill(script: Script, source: str, triples: Sequence[Triple], notes: Sequence[Note | None]) -> None:
    _set(script, "source", source)
    _set(script, "triples", triples)
    _set(script, "notes", notes)
    for name in ("_edits", "_text", "_moves"):
        _set(script, name, None)


def _check_order(script: Script) -> None:
    at, last = 0, (-1, -1)
    for number, (start, stop, _) in enumerate(script.triples):
        if start < at or (start, stop) == last:
            raise AugmentError(f"{script.edits[number - 1]} and {script.edits[number]} overlap")
        at, last = stop, (start, stop)


class Composed(NamedTuple):
    """One edit that stands for several edits of two scripts that are applied one after the other.

    Attributes:
        edit: the edit, from the source of the first script to the text of the second.
        first: the indices of the edits of the first script that `edit` stands for.
        second: the indices of the edits of the second script that `edit` stands for.
    """

    edit: Edit
    first: list[int]
    second: list[int]


def compose(first: Script, second: Script) -> list[Composed]:
    """Return the edits of two scripts that are applied one after the other, from `first.source` to `second.text`.

    Edits of the two scripts that overlap or touch each other in the text `first.text` become one edit. An edit that
    would replace text by the same text is left out.

    The note of an edit may hold a reading: the words that a reader reads instead of the new text («кошка» for 🐱). If
    an edit of `second` changes what an edit of `first` wrote, the reading of the first edit is lost, unless the second
    edit has a reading that equals the text that it replaces.

    Raises:
        AugmentError: the source of `second` is not the text of `first`.
    """
    if second.source != first.text:
        raise AugmentError("compose: the source of the second script is not the text of the first")
    stretches: list[tuple[int, int, int, int]] = []  # ranges: start and stop in the middle text, script, index of edit
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
    shift = 0  # how much longer the middle text is than the source, up to the group
    for group in groups:
        ours, theirs = group.members
        if not ours:  # the usual case: the group has one edit, which needs no script
            (alone,) = map(second.edits.__getitem__, theirs)
            grown, edit = 0, Edit(alone.start - shift, alone.stop - shift, alone.text, alone.note)
        elif not theirs:
            (edit,) = map(first.edits.__getitem__, ours)
            grown = len(edit.text) - (edit.stop - edit.start)
        else:
            grown = sum(len(edit.text) - (edit.stop - edit.start) for edit in map(first.edits.__getitem__, ours))
            middle = first.text[group.start : group.stop]
            inner = [
                Edit(edit.start - group.start, edit.stop - group.start, edit.text, edit.note)
                for edit in map(second.edits.__getitem__, theirs)
            ]
            # an edit that is read as the text that it replaces keeps the readings of that text
            opaque = [edit for edit in inner if edit.read != middle[edit.start : edit.stop]]
            kept = [
                Edit(
                    start - group.start, stop - group.start, middle[start - group.start : stop - group.start], edit.note
                )
                for (start, stop, _, _), edit in ((stretches[index], first.edits[index]) for index in ours)
                if edit.read != edit.text
                and not any(one.start + group.start < stop and one.stop + group.start > start for one in opaque)
                and not any(one.start + group.start == one.stop + group.start == start == stop for one in opaque)
            ]
            text, read = Script(middle, inner).text, Script(middle, [*opaque, *kept]).read
            kinds = _kinds([*map(first.edits.__getitem__, ours), *map(second.edits.__getitem__, theirs)])
            reading = None if read == text else read
            note = None if reading is kinds is None else Note(reading, kinds)
            edit = Edit(group.start - shift, group.stop - shift - grown, text, note)
        if first.source[edit.start : edit.stop] != edit.text:
            composed.append(Composed(edit, ours, theirs))
        shift += grown
    return composed


def _kinds(edits: Iterable[Edit]) -> str | None:
    """Return the error classes of these edits, each once, joined by `+`; None if no edit has a class."""
    return "+".join(dict.fromkeys(edit.note.kind for edit in edits if edit.note and edit.note.kind)) or None


class _Group:
    """Ranges of the middle text that become one edit; `members` holds, for each script, the indices of its edits."""

    __slots__ = ("enders", "members", "start", "stop")

    def __init__(self, start: int) -> None:
        self.start = self.stop = start
        self.enders: set[int] = set()  # the scripts with a range that ends where the group ends
        self.members: tuple[list[int], list[int]] = ([], [])

    def add(self, stop: int, which: int, index: int) -> None:
        if stop > self.stop:
            self.stop, self.enders = stop, set()
        if stop == self.stop:
            self.enders.add(which)
        self.members[which].append(index)
