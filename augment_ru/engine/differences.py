"""What a script changes, for people: the kept, removed and added parts of a text."""

import unicodedata
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


def visible(text: str) -> str:
    """The text with the invisible characters inside words spelt out: without them an edit may look like none.

    Those that join emoji stay.

    >>> visible("ко\u200bт 👩\u200d🎓")
    'ко⟨U+200B⟩т 👩\u200d🎓'
    """
    if text.isascii():
        return text
    shown, in_word = [], False
    for char in text:
        hidden = unicodedata.category(char) == "Cf"
        shown.append(f"⟨U+{ord(char):04X}⟩" if hidden and in_word else char)
        in_word = in_word if hidden else char.isalnum()
    return "".join(shown)


def _unless_empty(part: Part) -> Iterator[Part]:
    if part.text:
        yield part
