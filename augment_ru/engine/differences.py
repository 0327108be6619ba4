"""What a script changes, for people: the kept, removed and added parts of a text."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from augment_ru.script import Script


class Part(NamedTuple):
    """A part of a text before and after its edits."""

    kind: Literal["kept", "removed", "added"]
    text: str


def parts(script: Script) -> Iterator[Part]:
    """The text in parts that are not empty, in order: without the added ones the source, without the removed the text.

    >>> from augment_ru.edits import Edit
    >>> [f"{part.kind}: {part.text}" for part in parts(Script("кошка спит", [Edit(0, 5, "🐱")]))]
    ['removed: кошка', 'added: 🐱', 'kept:  спит']
    """
    at = 0
    for edit in script.edits:
        yield from _unless_empty(Part("kept", script.source[at : edit.start]))
        yield from _unless_empty(Part("removed", script.source[edit.start : edit.stop]))
        yield from _unless_empty(Part("added", edit.text))
        at = edit.stop
    yield from _unless_empty(Part("kept", script.source[at:]))


def _unless_empty(part: Part) -> Iterator[Part]:
    if part.text:
        yield part
