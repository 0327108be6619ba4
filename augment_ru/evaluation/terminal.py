"""The report on a terminal: TAPE's Table 4 (models × shots × attacks, the lower the better), and the counts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 240
"""Columns where the output is no terminal: nothing is wrapped there."""


def robustness(report: Mapping[str, Any]) -> tuple[list[str], list[tuple[list[str], list[float | None], list[str]]]]:
    """Table 4 of the report: its columns; and for each row its names, its numbers, and what is shown of them."""
    attacks = list(report["attacks"])
    rows: list[tuple[list[str], list[float | None], list[str]]] = []
    for model in report["models"]:
        entries = [model["attacks"][attack] for attack in attacks]
        numbers = [entry["asr"] for entry in entries] + [model["asr_mean"]]
        shown = [_rate(entry["asr"], entry.get("std")) for entry in entries] + [_rate(model["asr_mean"], None)]
        shots = "–" if model["shots"] is None else str(model["shots"])
        rows.append(([model["model"], shots], numbers, shown))
    return ["model", "shots", *attacks, "mean"], rows


def best(rows: Sequence[Sequence[float | None]]) -> list[tuple[float | None, float | None]]:
    """The lowest and the second lowest number of each column; None where there are none, or only one is told apart."""
    found: list[tuple[float | None, float | None]] = []
    for column in zip(*rows, strict=True):
        ordered = sorted({round(number, 2) for number in column if number is not None})
        several = len([number for number in column if number is not None]) > 1
        first = ordered[0] if several and ordered else None
        found.append((first, ordered[1] if several and len(ordered) > 1 else None))
    return found


def _rate(value: float | None, std: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if std is None else f"{value:.2f} ±{std:.2f}"


def show(report: Mapping[str, Any], console: Console | None = None) -> None:
    """Print the tables."""
    console = console or Console()
    if not console.is_terminal:
        console = Console(file=console.file, width=_WIDE, highlight=False)
    for table in _tables(report, plain=not console.is_terminal):
        console.print(table)


def _tables(report: Mapping[str, Any], *, plain: bool) -> Iterator[Table | Text]:
    columns, rows = robustness(report)
    yield Text("Attack success rate, %: right predictions that the attack breaks. The lower, the better.", style="bold")
    table = Table()
    for number, name in enumerate(columns):
        table.add_column(Text(name), justify="left" if number == 0 else "right", overflow="fold")
    marks = best([numbers for _, numbers, _ in rows])
    for names, numbers, shown in rows:
        cells = [
            _marked(text, number, mark, plain=plain) for text, number, mark in zip(shown, numbers, marks, strict=True)
        ]
        table.add_row(*map(Text, names), *cells)
    yield table
    if report["without_gold"] == report["originals"]:
        fields = ", ".join(report["gold"])
        yield Text(f"No row has a right answer in '{fields}' (--label-field), so there are no rates, only flips.")
    if plain and len(rows) > 1:
        yield Text("* the lowest of a column")
    yield Text()
    yield Text("Counts", style="bold")
    yield _counts(report)


def _marked(text: str, number: float | None, mark: tuple[float | None, float | None], *, plain: bool) -> Text:
    """Bold for the lowest of a column, underlined for the second, as in the paper; a star where there is no bold."""
    if number is None or round(number, 2) not in mark:
        return Text(text)
    lowest = round(number, 2) == mark[0]
    if plain:
        return Text(f"{text}*" if lowest else text)
    return Text(text, style="bold" if lowest else "underline")


def _counts(report: Mapping[str, Any]) -> Table:
    metric = report["metrics"][0]
    table = Table()
    for name in ("model", "shots", "attack"):
        table.add_column(name, overflow="fold")
    for name in ("right", "broken", "fixed", "ASR, %", "95 %", "flips, %", metric, "unchanged", "rejected", "rows"):
        table.add_column(name, justify="right")
    for model in report["models"]:
        for attack, entry in model["attacks"].items():
            change = entry["metrics"].get(metric)
            table.add_row(
                Text(model["model"]),
                "–" if model["shots"] is None else str(model["shots"]),
                Text(attack),
                *(f"{entry[name]:,}" for name in ("right", "broken", "fixed")),
                _rate(entry["asr"], None),
                "–" if entry["ci95"] is None else "{:.1f}–{:.1f}".format(*entry["ci95"]),
                _rate(entry["flip_rate"]["value"], None),
                "–" if change is None else f"{change['before']:.1f} → {change['after']:.1f}",
                *(f"{entry[name]:,}" for name in ("unchanged", "rejected", "rows")),
            )
    return table
