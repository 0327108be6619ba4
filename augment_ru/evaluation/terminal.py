"""The report on a terminal: attack success rates as in TAPE's Table 4 (models × shots × attacks), and the counts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from augment_ru.evaluation.column_groups import column_groups

_WIDE = 240
"""Columns where the output is no terminal, so that no line is wrapped."""


class RateRow(NamedTuple):
    """A row of the table of rates: model and shots, the rate of each attack and their mean, and these as text."""

    names: list[str]
    rates: list[float | None]
    texts: list[str]


def rate_table(report: Mapping[str, Any]) -> tuple[list[str], list[RateRow]]:
    """The columns and the rows of the table of rates."""
    attacks = list(report["attacks"])
    rows: list[RateRow] = []
    for model in report["models"]:
        entries = [model["attacks"][attack] for attack in attacks]
        rates = [entry["asr"] for entry in entries] + [model["asr_mean"]]
        texts = [_rate(entry["asr"], entry.get("std")) for entry in entries] + [_rate(model["asr_mean"], None)]
        shots = "–" if model["shots"] is None else str(model["shots"])
        rows.append(RateRow([model["model"], shots], rates, texts))
    return ["model", "shots", *attacks, "mean"], rows


def two_lowest(rows: Sequence[Sequence[float | None]]) -> list[tuple[float | None, float | None]]:
    """The lowest and the second lowest number of each column, rounded as shown; None where a column has one number."""
    found: list[tuple[float | None, float | None]] = []
    for column in zip(*rows, strict=True):
        numbers = [round(number, 2) for number in column if number is not None]
        ordered = sorted(set(numbers)) if len(numbers) > 1 else []
        found.append((ordered[0] if ordered else None, ordered[1] if len(ordered) > 1 else None))
    return found


def _rate(value: float | None, std: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if std is None else f"{value:.2f} ±{std:.2f}"


def print_tables(report: Mapping[str, Any], console: Console | None = None) -> None:
    """Print the rates and the counts."""
    console = console or Console()
    if not console.is_terminal:
        console = Console(file=console.file, width=_WIDE, highlight=False)
    for table in _tables(report, console.width, plain=not console.is_terminal):
        console.print(table)


def _tables(report: Mapping[str, Any], width: int, *, plain: bool) -> Iterator[Table | Text]:
    columns, rows = rate_table(report)
    yield Text("Attack success rate, %: right predictions that the attack breaks. The lower, the better.", style="bold")
    lowest = two_lowest([row.rates for row in rows])
    shown = [
        [
            *map(Text, row.names),
            *(_marked(*cell, plain=plain) for cell in zip(row.texts, row.rates, lowest, strict=True)),
        ]
        for row in rows
    ]
    yield from _folded(columns, shown, 1, width)
    if report["originals_without_gold"] == report["originals"]:
        fields = ", ".join(report["gold"])
        yield Text(f"No row has a right answer in '{fields}' (--label-field), so there are no rates, only flips.")
    if plain and len(rows) > 1:
        yield Text("* the lowest of a column")
    yield Text()
    yield Text("Counts", style="bold")
    yield from _counts(report, width)


_WIDEST_NAME = 24
"""The columns that a name may take before a table is folded for it; longer names are folded themselves."""


def _folded(columns: Sequence[str], rows: Sequence[Sequence[Text]], keys: int, width: int) -> Iterator[Table]:
    """The table, in several if the terminal is too narrow; `keys` columns name a row, all others hold numbers."""
    widths = [
        max(cell_len(name), *(cell.cell_len for cell in cells)) for name, *cells in zip(columns, *rows, strict=True)
    ]
    named = [min(one, _WIDEST_NAME) for one in widths[:keys]]
    for group in column_groups([*named, *widths[keys:]], keys, width - 4, gap=3):  # lines stand at both sides
        table = Table()
        for column in group:
            name = column < keys
            table.add_column(
                Text(columns[column]), justify="left" if name else "right", overflow="fold", no_wrap=not name
            )
        for row in rows:
            table.add_row(*(row[column] for column in group))
        yield table


def _marked(text: str, rate: float | None, lowest: tuple[float | None, float | None], *, plain: bool) -> Text:
    """The rate in bold if it is the lowest of its column, underlined if the second lowest; plain text has a star."""
    if rate is None or round(rate, 2) not in lowest:
        return Text(text)
    first = round(rate, 2) == lowest[0]
    if plain:
        return Text(f"{text}*" if first else text)
    return Text(text, style="bold" if first else "underline")


def _counts(report: Mapping[str, Any], width: int) -> Iterator[Table]:
    metric = report["metrics"][0]
    columns = ("model", "shots", "attack", "right", "broken", "fixed", "ASR, %", "95 %", "flips, %", metric)
    rows = []
    for model in report["models"]:
        for attack, entry in model["attacks"].items():
            change = entry["metrics"].get(metric)
            cells = (
                model["model"],
                "–" if model["shots"] is None else str(model["shots"]),
                attack,
                *(f"{entry[name]:,}" for name in ("right", "broken", "fixed")),
                _rate(entry["asr"], None),
                "–" if entry["ci95"] is None else "{:.1f}–{:.1f}".format(*entry["ci95"]),
                _rate(entry["flip_rate"]["value"], None),
                "–" if change is None else f"{change['before']:.1f} → {change['after']:.1f}",
                *(f"{entry[name]:,}" for name in ("unchanged", "rejected", "rows")),
            )
            rows.append([Text(cell) for cell in cells])
    yield from _folded([*columns, "unchanged", "rejected", "rows"], rows, 3, width)
