"""Differences on the terminal: a perturbed text with what was removed and added, in colours or in marks."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from augment_ru.edits import Script
from augment_ru.engine.differences import parts
from augment_ru.engine.result import Result

_STYLES = {"kept": "", "removed": "red strike", "added": "bold green"}
_MARKS = {"kept": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
"""As wdiff marks them."""
_STATUS_STYLES = {"perturbed": "green", "unchanged": "dim", "rejected": "yellow"}
_VISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
"""Control characters of a text are shown as pictures, so that no text can steer the terminal."""


def difference(script: Script, *, coloured: bool) -> Text:
    """The text with its changes in colours, or else in marks."""
    shown = Text()
    for part in parts(script):
        before, after = ("", "") if coloured else _MARKS[part.kind]
        shown.append(f"{before}{part.text.translate(_VISIBLE)}{after}", style=_STYLES[part.kind])
    return shown


def show_results(console: Console, results: Iterable[Result], first: int) -> int:
    """Print each result: a line on the outcome, then the texts of the record.

    Args:
        console: the terminal.
        results: the results of records, those of one record side by side.
        first: the number of the record before the first.

    Returns:
        The number of the last record.
    """
    coloured = console.color_system is not None
    number, record = first, None
    for result in results:
        if result.record is not record:
            number, record = number + 1, result.record
        line = Text(f"{number}  ", style="dim").append(result.settings.attack, style="not dim bold")
        line.append(f"  {result.status}", style=f"not dim {_STATUS_STYLES[result.status]}")
        if result.similarity is not None:
            line.append(f"  {result.similarity:.4f}", style="not dim")
        console.print(line)
        for name, script in result.scripts.items():
            label = Text(f"{name}: ", style="dim") if len(result.scripts) > 1 else Text()
            console.print(label, difference(script, coloured=coloured), sep="")
    return number
