"""The report on a terminal: each metric before and after, attack success rates, and the counts."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from augment_ru.errors import printable
from augment_ru.evaluation import tables
from augment_ru.evaluation.column_groups import column_groups
from augment_ru.evaluation.pairs import CHOSEN, WORST_ROWS
from augment_ru.evaluation.shown_names import names_of
from augment_ru.evaluation.table_text import INTERVAL, NONE, ShownTable
from augment_ru.evaluation.worst_case import about_chosen

_WIDE = 240
"""Columns where the output is no terminal, so that no line is wrapped."""

_CAPTION = 104
"""The columns that a line of a caption takes at most."""


def print_tables(
    report: Mapping[str, Any], console: Console | None = None, shown: Sequence[ShownTable] | None = None
) -> None:
    """Print tables of a report; of one without attacks the metrics.

    Args:
        report: the report.
        console: where they are printed; None for stdout.
        shown: the tables; None for the short ones.
    """
    shown = tables.tables_of(report) if shown is None else shown
    console = console or Console()
    if not console.is_terminal:
        console = Console(file=console.file, width=_WIDE, highlight=False)
    for part in _parts(report, shown, console.width, plain=not console.is_terminal):
        console.print(part)


def print_table(table: ShownTable) -> None:
    """Print one table."""
    console = Console()
    if not console.is_terminal:
        console = Console(file=console.file, width=_WIDE, highlight=False)
    console.print(_text(table.title, style="bold"))
    for drawn in _drawn(table.columns, table.rows, table.named, console.width):
        console.print(drawn)


def _text(text: str, style: str = "") -> Text:
    """A text whose control characters are escaped: names of attacks and labels come from the rows."""
    return Text(printable(text), style)


def _parts(
    report: Mapping[str, Any], shown: Sequence[ShownTable], width: int, *, plain: bool
) -> Iterator[Table | Text]:
    blank = False
    for found in shown:
        if blank:
            yield Text()
        if found.key == "rates":
            yield from _rates(report, width, plain=plain)
        else:
            yield _text(found.title, style="bold")
            yield from _drawn(found.columns, found.rows, found.named, width)
        blank = True


def _rates(report: Mapping[str, Any], width: int, *, plain: bool) -> Iterator[Table | Text]:
    metric = next(iter(report["metrics"]))
    caption = (
        f"{metric}, %, after each attack, and in brackets the attack success rate (ASR): right predictions that the "
        "attack breaks. The lower the rate, the better."
    )
    for line in textwrap.wrap(caption, min(width, _CAPTION)):
        yield _text(line, style="bold")
    columns, rows = _headline(report, plain=plain)
    yield from _drawn(columns, rows, 2, width)
    if report["originals_without_gold"] == report["originals"]:
        fields = ", ".join(report["gold"])
        yield _text(f"No row has a right answer in '{fields}' (--label-field), so there are no rates, only flips.")
    yield from map(_text, _notes(report, plain=plain))


def _headline(report: Mapping[str, Any], *, plain: bool) -> tuple[list[str], list[list[Text]]]:
    """A column for each attack, with the metric after it and the rate; the metric on the originals stands first."""
    table = tables.headline(report)
    rows: list[list[Text]] = []
    for number, row in enumerate(table.rows):
        cells = [_text(cell) for cell in row[:3]]
        pairs = len(report["attacks"])
        cells += [
            Text.assemble(f"{row[at]} (", _marked(row[at + 1], (number, at + 1) in table.best, plain), ")")
            for at in range(3, 3 + 2 * pairs, 2)
        ]
        cells.append(_marked(row[-3], (number, len(row) - 3) in table.best, plain))
        cells.append(_text(f"{row[-2]} ({row[-1]})"))
        rows.append(cells)
    attacks = [names_of(report)[attack] for attack in report["attacks"]]
    return ["model", "shots", f"{table.columns[2]}, original", *attacks, "mean ASR", "worst case"], rows


def _marked(text: str, best: bool, plain: bool) -> Text:  # noqa: FBT001  (two facts about one cell)
    if not best:
        return _text(text)
    return _text(f"{text}*") if plain else _text(text, style="bold")


def _notes(report: Mapping[str, Any], *, plain: bool) -> Iterator[str]:
    if plain and tables.best_models(report):
        yield "* the lowest rate of a column"
    if CHOSEN in report:
        yield f"{WORST_ROWS}: {about_chosen(report[CHOSEN])}"
    weak = [names_of(report)[model["model"]] for model in report["models"] if not tables.beats_majority(report, model)]
    metric = next(iter(report["metrics"]))
    if weak and metric in report["majority"]:
        names = ", ".join(dict.fromkeys(weak))
        yield f"No better than the most frequent answer ({metric} {report['majority'][metric]:.2f}): {names}."


_WIDEST_NAME = 24
"""The columns that a name may take before a table is folded for it; longer names are folded themselves."""


def _drawn(columns: Sequence[str], rows: Sequence[Sequence[str | Text]], named: int, width: int) -> Iterator[Table]:
    """The table, in several if the terminal is too narrow; `named` columns name a row, all others hold numbers.

    On such a terminal a column that names nothing (– in every row) is left out.
    """
    cells = [[cell if isinstance(cell, Text) else _text(cell) for cell in row] for row in rows]
    widths = [
        max([cell_len(name), *(cell.cell_len for cell in column)])
        for name, *column in zip(columns, *cells, strict=True)
    ]
    names = [min(one, _WIDEST_NAME) for one in widths[:named]]
    room = width - 4  # lines stand at both sides
    silent = [at for at in range(named) if all(row[at].plain == NONE for row in cells)]
    if silent and sum(names + widths[named:]) + 3 * len(columns) > room + 3:
        kept = [at for at in range(len(columns)) if at not in silent]
        shorter = [[row[at] for at in kept] for row in cells]
        yield from _drawn([columns[at] for at in kept], shorter, named - len(silent), width)
        return
    intervals = {at for at, name in enumerate(columns) if name == INTERVAL}
    for group in column_groups([*names, *widths[named:]], named, room, gap=3, joined=intervals):
        table = Table()
        for column in group:
            left = column < named and columns[column] not in ("shots", "budget")
            table.add_column(
                _text(columns[column]),
                justify="left" if left else "right",
                overflow="fold",
                no_wrap=column >= named,
            )
        for row in cells:
            table.add_row(*(row[column] for column in group))
        yield table
