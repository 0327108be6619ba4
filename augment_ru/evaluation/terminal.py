"""Print the tables of a report on a terminal, such as those of metrics, success rates and counts."""

import textwrap
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from augment_ru.errors import printable
from augment_ru.evaluation import tables
from augment_ru.evaluation.findings import about_chosen, findings
from augment_ru.evaluation.pairs import WORST_ROWS
from augment_ru.evaluation.report import AnyReport, Report
from augment_ru.evaluation.table_text import INTERVAL, NONE, ShownTable, column_groups

_WIDE = 240
"""The width in characters if the output is not a terminal; so wide that no line is wrapped."""

_CAPTION = 104
"""The maximum width of a caption line in characters."""

_WIDEST_NAME = 24
"""The maximum width of a name column in characters; longer names are folded over several lines."""


def print_tables(shown: Sequence[ShownTable], report: AnyReport | None = None, console: Console | None = None) -> None:
    """Print tables on a terminal, with a blank line between two.

    Args:
        shown: the tables.
        report: the report of the tables; if given, its rates are printed with an explanation and one column per attack.
        console: where to print; None for stdout.
    """
    console = console or Console()
    plain = not console.is_terminal
    if plain:
        console = Console(file=console.file, width=_WIDE, highlight=False)
    for at, found in enumerate(shown):
        if at:
            console.print()
        if found.key == "rates" and report is not None:
            for part in _rates(report, found, console.width, plain=plain):
                console.print(part)
        else:
            console.print(_text(found.title, style="bold"))
            for drawn in _drawn(found.columns, found.rows, found.named, console.width):
                console.print(drawn)


def _text(text: str, style: str = "") -> Text:
    """Return a text with its control characters escaped; names of attacks and labels come from the rows."""
    return Text(printable(text), style)


def _rates(report: AnyReport, found: ShownTable, width: int, *, plain: bool) -> Iterator[Table | Text]:
    """Yield the table of rates with its caption and notes.

    A column for each attack shows the metric after it and its success rate; the metric on the originals comes first.
    """
    metric, names = report.metrics[0], tables.names_of(report)
    if isinstance(report, Report):
        for sentence in findings(report):
            yield _text(sentence)
    caption = (
        f"{metric}, %, after each attack, and in brackets the attack success rate (ASR): right predictions that the "
        "attack breaks. The lower the rate, the better."
    )
    for line in textwrap.wrap(caption, min(width, _CAPTION)):
        yield _text(line, style="bold")
    attacks = range(3, 3 + 2 * len(report.attacks), 2)
    rows: list[list[str | Text]] = [
        [
            *row[:3],
            *(Text.assemble(f"{row[at]} (", _marked(found, number, at + 1, plain=plain), ")") for at in attacks),
            _marked(found, number, len(row) - 3, plain=plain),
            f"{row[-2]} ({row[-1]})",
        ]
        for number, row in enumerate(found.rows)
    ]
    columns = ["model", "shots", f"{metric}, original", *(names[name] for name in report.attacks), "mean ASR"]
    yield from _drawn([*columns, "worst case"], rows, 2, width)
    if report.originals_without_gold == report.originals:
        fields = ", ".join(report.gold)
        yield _text(f"No row has a right answer in '{fields}' (--label-field), so there are no rates, only flips.")
    if plain and found.best:
        yield _text("* clearly the lowest rate of the column: the test is corrected for the number of columns")
    if isinstance(report, Report) and report.worst_of:
        yield _text(f"{WORST_ROWS}: {about_chosen(report.worst_of)}")


def _marked(found: ShownTable, row: int, column: int, *, plain: bool) -> Text:
    """Return a cell; the best cell is bold, or has a star if the output is plain."""
    text = found.rows[row][column]
    if (row, column) not in found.best:
        return _text(text)
    return _text(f"{text}*") if plain else _text(text, style="bold")


def _drawn(columns: Sequence[str], rows: Sequence[Sequence[str | Text]], named: int, width: int) -> Iterator[Table]:
    """Yield the table; if the terminal is too narrow, split it into several tables, which are yielded one by one.

    Before a table is split, those of its first `named` columns that hold only dashes are left out.

    Args:
        columns: the names of the columns.
        rows: the cells.
        named: how many columns from the left name the row; the others hold numbers.
        width: the width of the terminal in characters.
    """
    cells = [[cell if isinstance(cell, Text) else _text(cell) for cell in row] for row in rows]
    in_columns = zip(columns, *cells, strict=True)
    widths = [max([cell_len(name), *(cell.cell_len for cell in column)]) for name, *column in in_columns]
    names = [min(one, _WIDEST_NAME) for one in widths[:named]]
    room = width - 4  # borders and spaces take four characters
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
                _text(columns[column]), justify="left" if left else "right", overflow="fold", no_wrap=column >= named
            )
        for row in cells:
            table.add_row(*(row[column] for column in group))
        yield table
