"""Write tables as markdown, CSV, LaTeX or HTML, and divide tables that are too wide for a terminal."""

import csv
import io
import re
from collections.abc import Collection, Sequence
from html import escape
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError, printable

FORMATS = ("markdown", "csv", "latex")


NONE = "–"
"""The text of a cell without a value: a dash."""

INTERVAL = "95 %"
"""The heading of a column that holds the interval of the rate in the column before it."""


class ShownTable(NamedTuple):
    """A table as it is shown.

    Attributes:
        title: the title of the table.
        columns: the names of its columns. The first columns hold texts, the others hold numbers.
        rows: the texts of its cells, row by row.
        named: how many of the first columns hold texts.
        best: the cells that are marked as the best, each as (row, column), from 0.
        key: its name for `--table`, and in the name of the file to which a reader of the HTML report saves it.
        heads: a head over each column and its neighbours: the beginning that their names share; "" for none.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    named: int
    best: frozenset[tuple[int, int]] = frozenset()
    key: str = ""
    heads: Sequence[str] = ()


def shown(value: float | None, digits: int = 2) -> str:
    """Return a number as tables show it; a dash for None.

    Args:
        value: the number.
        digits: how many digits after the point.
    """
    return NONE if value is None else f"{value:.{digits}f}"


def span(interval: Sequence[float] | None) -> str:
    """Return an interval as tables show it, with one decimal, such as «1.2–3.4»; a dash for None."""
    if interval is None:
        return NONE
    return f"{interval[0]:.1f}{' to ' if interval[0] < 0 else '–'}{interval[1]:.1f}"


class LatexOptions(NamedTuple):
    """Says what a LaTeX table shows besides its numbers, and how it is laid out.

    Attributes:
        intervals: whether each success rate is followed by its interval; only for the table of rates.
        transposed: whether rows and columns are swapped.
        caption: the caption; None for a table without a caption.
        label: the label by which a text refers to the table; None for a table without a label.
    """

    intervals: bool = False
    transposed: bool = False
    caption: str | None = None
    label: str | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> "LatexOptions":
        """Parse options, each written as `intervals`, `transposed`, `caption=TEXT` or `label=TEXT`.

        Raises:
            AugmentError: an option does not exist, lacks its text, or has a text although it takes none.
        """
        found: dict[str, Any] = {}
        for text in texts:
            name, _, value = text.partition("=")
            if text in {"intervals", "transposed"}:
                found[text] = True
            elif name in {"caption", "label"} and value.strip():
                found[name] = value
            else:
                raise AugmentError(f"`latex` {text}; possible: intervals, transposed, caption=TEXT, label=TEXT")
        return cls(**found)


def as_text(table: ShownTable, form: str, latex: LatexOptions | None = None) -> str:
    """Return a table as markdown, CSV or LaTeX.

    Args:
        table: the table.
        form: markdown, csv or latex; LaTeX needs the package booktabs.
        latex: the options of a LaTeX table; None for a `tabular` without a caption.

    Raises:
        AugmentError: there is no such form.
    """
    if latex and latex.transposed:
        table = transposed(table)
    if form not in FORMATS:
        raise AugmentError(f"`form` {form}; possible: table, {', '.join(FORMATS)}")
    lines = [[_one_line(cell) for cell in row] for row in (table.columns, *table.rows)]
    if form == "csv":
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(lines)
        return stream.getvalue()
    escaped, marked = (_markdown, "**{}**") if form == "markdown" else (_latex, r"\textbf{{{}}}")
    lines = [[escaped(cell) for cell in row] for row in lines]
    for at, column in table.best:
        lines[at + 1][column] = marked.format(lines[at + 1][column])
    if form == "markdown":
        ruler = ["---" if at < table.named else "---:" for at in range(len(table.columns))]
        return "".join(f"| {' | '.join(row)} |\n" for row in (lines[0], ruler, *lines[1:]))
    places = "l" * table.named + "r" * (len(table.columns) - table.named)
    body = [" & ".join(row) + r" \\" for row in lines]
    tabular = [rf"\begin{{tabular}}{{{places}}}", r"\toprule", body[0], r"\midrule", *body[1:], r"\bottomrule"]
    tabular += [r"\end{tabular}"]
    if latex and (latex.caption or latex.label):
        said = [rf"\caption{{{_latex(_one_line(latex.caption))}}}"] if latex.caption else []
        said += [rf"\label{{{latex.label}}}"] if latex.label else []
        tabular = [r"\begin{table}", r"\centering", *said, *tabular, r"\end{table}"]
    return "\n".join([*tabular, ""])


def transposed(table: ShownTable) -> ShownTable:
    """Swap rows and columns: each row becomes a column, and each column of numbers becomes a row."""
    names = [", ".join(cell for cell in row[: table.named] if cell != NONE) for row in table.rows]
    places = range(table.named, len(table.columns))
    rows = [[table.columns[at], *(row[at] for row in table.rows)] for at in places]
    best = frozenset((column - table.named, row + 1) for row, column in table.best)
    return ShownTable(table.title, ["", *names], rows, 1, best, table.key)


def as_html(table: ShownTable) -> str:
    """Return a table as HTML; special characters in every text are escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<table><caption>{escape(table.title)}</caption><tr>{head}</tr>{lines}</table>"


_BREAKS = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def _one_line(text: str) -> str:
    """Return the text without line breaks, which would end a table row, and with control characters escaped."""
    return printable(_BREAKS.sub(" ", text))


def _markdown(text: str) -> str:
    return text.replace("|", r"\|")


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "→": r"$\to$"}
_LATEX |= {"–": "--", "±": r"$\pm$", "−": "$-$", "<": "$<$", ">": "$>$"}
_LATEX |= {"[": "{[}", "*": "{*}"}  # both have a meaning after \\
_LATEX |= {one: f"\\{one}" for one in "&%$#_{}"}
_NEGATIVE = re.compile(r"(?<!\S)-(?=\d)")


def _latex(text: str) -> str:
    return "".join(_LATEX.get(one, one) for one in _NEGATIVE.sub("−", text))


def column_groups(
    widths: Sequence[int], keys: int, room: int, *, gap: int, joined: Collection[int] = ()
) -> list[list[int]]:
    """Divide a table that is too wide for a terminal into several; return the indices of the columns of each.

    Each of them begins with the key columns, which name the row.

    >>> column_groups([5, 8, 8, 8], keys=1, room=27, gap=2)
    [[0, 1, 2], [0, 3]]
    >>> column_groups([5, 8, 8, 8], keys=1, room=27, gap=2, joined={3})
    [[0, 1], [0, 2, 3]]

    Args:
        widths: the width of each column, in characters.
        keys: how many columns from the left are key columns.
        room: the width of the terminal, in characters.
        gap: the number of characters between two columns.
        joined: the indices of columns that stay next to the column before them, such as its interval, if the terminal
            has room for both.
    """
    fixed = list(range(keys))
    used = sum(widths[:keys]) + gap * keys
    groups: list[list[int]] = []
    left = 0
    units: list[list[int]] = []
    for column in range(keys, len(widths)):
        if units and column in joined and used + _need(widths, [*units[-1], column], gap) <= room + gap:
            units[-1].append(column)
        else:
            units.append([column])
    for unit in units:
        need = _need(widths, unit, gap)
        if not groups or need > left + gap:  # there is no gap after the last column
            groups.append([*fixed])
            left = room - used
        groups[-1] += unit
        left -= need
    return groups or [fixed]


def _need(widths: Sequence[int], columns: Sequence[int], gap: int) -> int:
    """Return the number of characters that columns take, including the gap after each."""
    return sum(widths[column] + gap for column in columns)
