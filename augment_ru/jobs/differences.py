"""Show differences on a terminal: a perturbed text with removed and added parts in colours or between marks."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from augment_ru.engine.result import Result, parts, visible
from augment_ru.script import Script

_STYLES = {"kept": "", "removed": "red strike", "added": "bold green"}
_MARKS = {"kept": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
"""The marks around removed and added parts, as in wdiff."""
_STATUS_STYLES = {
    "perturbed": "green", "unchanged": "dim", "rejected": "yellow",
    "broken": "red", "withstood": "green", "wrong_before": "dim",
}  # fmt: skip
_COMMANDS = "\r\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROL = 0x20
_PICTURES = 0x2400
"""The first code point of the pictures of control characters (those below `_CONTROL`)."""


def pictured(text: str) -> str:
    """Replace each character that could control the terminal by a visible sign for it; line feeds stay."""
    return "".join(
        char if char.isprintable() or (char.isspace() and char not in _COMMANDS) else _picture(char) for char in text
    )


def _picture(char: str) -> str:
    if ord(char) < _CONTROL:
        return chr(_PICTURES + ord(char))
    return char if unicodedata.category(char) == "Cf" and char not in _TURNS else "\ufffd"


def difference(script: Script, *, coloured: bool) -> Text:
    """Return a changed text with its changes in colours, or between marks if there are no colours.

    Args:
        script: the original text and its edits.
        coloured: whether changes are shown in colours.
    """
    shown = Text()
    for part in parts(script):
        before, after = ("", "") if coloured else _MARKS[part.kind]
        text = part.text if part.kind == "kept" else visible(part.text)
        shown.append(f"{before}{pictured(text)}{after}", style=_STYLES[part.kind])
    return shown


def shows_differences(told: Callable[[Any], str]) -> Callable[[Iterable[Result]], None]:
    """Return a function that prints results on stdout, which must be a terminal.

    For each result it prints a line with its status and similarity, then its texts with the changes marked. Results of
    the same record must follow each other. Records are numbered, and the numbers continue from call to call.

    Args:
        told: takes a result, and returns a text that is printed before its status, such as the name of the attack.
    """
    console, number, record = Console(highlight=False), 0, None
    coloured = console.color_system is not None

    def show(results: Iterable[Result]) -> None:
        nonlocal number, record
        for result in results:
            if result.record is not record:
                number, record = number + 1, result.record
            line = Text(f"{number}  ", style="dim").append(told(result), style="not dim bold")
            line.append(f"  {result.status}", style=f"not dim {_STATUS_STYLES[result.status]}")
            if result.similarity is not None:
                line.append(f"  {result.similarity:.4f}", style="not dim")
            console.print(line)
            for name, script in result.scripts.items():
                label = Text(f"{name}: ", style="dim") if len(result.scripts) > 1 else Text()
                console.print(label, difference(script, coloured=coloured), sep="")

    return show
