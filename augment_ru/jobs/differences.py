"""Differences on the terminal: a perturbed text with what was removed and added, in colours or in marks."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from augment_ru.engine.differences import Shown, parts, visible
from augment_ru.records.record import Record
from augment_ru.script import Script

_STYLES = {"kept": "", "removed": "red strike", "added": "bold green"}
_MARKS = {"kept": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
"""As wdiff marks them."""
_STATUS_STYLES = {
    "perturbed": "green", "unchanged": "dim", "rejected": "yellow",
    "broken": "red", "withstood": "green", "wrong_before": "dim",
}  # fmt: skip
_COMMANDS = "\r\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROL = 0x20
_PICTURES = 0x2400
"""Code points below `_CONTROL` have pictures from here on."""


class ShownRecord(Shown, Protocol):
    """What became of a record: a result of an attack, or what a search found."""

    @property
    def record(self) -> Record:
        """The record, as it came."""


def pictured(text: str) -> str:
    """The text with a picture in place of each character that would command the terminal; line feeds stay."""
    return "".join(
        char if char.isprintable() or (char.isspace() and char not in _COMMANDS) else _picture(char) for char in text
    )


def _picture(char: str) -> str:
    if ord(char) < _CONTROL:
        return chr(_PICTURES + ord(char))
    return char if unicodedata.category(char) == "Cf" and char not in _TURNS else "\ufffd"


def difference(script: Script, *, coloured: bool) -> Text:
    """The text with its changes in colours, or else in marks."""
    shown = Text()
    for part in parts(script):
        before, after = ("", "") if coloured else _MARKS[part.kind]
        text = part.text if part.kind == "kept" else visible(part.text)
        shown.append(f"{before}{pictured(text)}{after}", style=_STYLES[part.kind])
    return shown


def shows_differences(told: Callable[[Any], str]) -> Callable[[Iterable[ShownRecord]], None]:
    """A function that prints results on stdout, which is a terminal: a line on each outcome, then the record's texts.

    It takes the results of records, those of one record side by side, and numbers the records from call to call.

    Args:
        told: what a result says of itself, before its status.
    """
    console, number, record = Console(highlight=False), 0, None
    coloured = console.color_system is not None

    def show(results: Iterable[ShownRecord]) -> None:
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
