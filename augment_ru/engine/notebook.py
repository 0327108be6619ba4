"""How results show themselves in notebooks: with their differences marked."""

from collections.abc import Mapping
from html import escape
from typing import Protocol

from augment_ru.engine.differences import Part, parts, visible
from augment_ru.script import Script

_TAGS = {
    "kept": ("", ""),
    "removed": ('<del style="background:#fdd;color:#900">', "</del>"),
    "added": ('<ins style="background:#dfd;color:#060;text-decoration:none">', "</ins>"),
}


class Shown(Protocol):
    """What is shown of a result."""

    @property
    def scripts(self) -> Mapping[str, Script]:
        """The edits of each field."""

    @property
    def status(self) -> str:
        """The status."""

    @property
    def similarity(self) -> float | None:
        """The similarity."""


def difference_html(script: Script) -> str:
    """The text with what was removed and added, as HTML in which every text is escaped.

    >>> from augment_ru.edits import Edit
    >>> difference_html(Script("a<b", [])), "<del" in difference_html(Script("кот", [Edit(0, 1, "К")]))
    ('a&lt;b', True)
    """
    return "".join(map(_marked, parts(script)))


def _marked(part: Part) -> str:
    before, after = _TAGS[part.kind]
    return f"{before}{escape(part.text if part.kind == 'kept' else visible(part.text))}{after}"


def result_html(result: Shown) -> str:
    """A result as HTML: its status and similarity, and each text with its changes marked."""
    score = "" if result.similarity is None else f", similarity {result.similarity}"
    texts = "".join(
        f'<div style="white-space:pre-wrap">{f"<b>{escape(name)}:</b> " if len(result.scripts) > 1 else ""}'
        f"{difference_html(script)}</div>"
        for name, script in result.scripts.items()
    )
    return f"<div><small>{escape(result.status)}{score}</small>{texts}</div>"
