"""Shows people what a script changes: as kept, removed and added parts of a text, or as HTML for notebooks."""

import unicodedata
from html import escape
from typing import Literal, NamedTuple

from augment_ru.script import Script


class Part(NamedTuple):
    """A piece of a comparison of a text before and after its edits.

    Attributes:
        kind: `kept` (in both texts), `removed` (only in the source) or `added` (only in the new text).
        text: the characters.
    """

    kind: Literal["kept", "removed", "added"]
    text: str


def parts(script: Script) -> list[Part]:
    """Return the pieces of a comparison of a text before and after its edits, in order: kept, removed, added.

    The kept and removed pieces together are the source. The kept and added pieces together are the new text.

    >>> from augment_ru.edits import Edit
    >>> [f"{part.kind}: {part.text}" for part in parts(Script("кошка спит", [Edit(0, 5, "🐱")]))]
    ['removed: кошка', 'added: 🐱', 'kept:  спит']
    """
    at, found = 0, list[Part]()
    for edit in script.edits:
        removed = script.source[edit.start : edit.stop]
        found += [Part("kept", script.source[at : edit.start]), Part("removed", removed), Part("added", edit.text)]
        at = edit.stop
    found.append(Part("kept", script.source[at:]))
    return [part for part in found if part.text]


def visible(text: str) -> str:
    """Replace the invisible characters inside words by their code points, so that people see edits that insert them.

    Invisible characters that join the parts of an emoji stay.

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


_TAGS = {
    "kept": ("", ""),
    "removed": ('<del style="background:#fdd;color:#900">', "</del>"),
    "added": ('<ins style="background:#dfd;color:#060;text-decoration:none">', "</ins>"),
}


def difference_html(script: Script) -> str:
    """Return a text as HTML that marks what its edits removed and added; all characters of the text are escaped.

    >>> from augment_ru.edits import Edit
    >>> difference_html(Script("a<b", [])), "<del" in difference_html(Script("кот", [Edit(0, 1, "К")]))
    ('a&lt;b', True)
    """
    return "".join(map(_marked, parts(script)))


def _marked(part: Part) -> str:
    before, after = _TAGS[part.kind]
    return f"{before}{escape(part.text if part.kind == 'kept' else visible(part.text))}{after}"
