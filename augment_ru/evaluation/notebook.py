"""The rates of a report as HTML, for notebooks."""

from collections.abc import Mapping
from html import escape
from typing import Any

from augment_ru.evaluation.terminal import rate_table


def rates_html(report: Mapping[str, Any]) -> str:
    """The table of rates; every name is escaped."""
    columns, rows = rate_table(report)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in (*row.names, *row.texts))}</tr>" for row in rows
    )
    caption = "Attack success rate, %: right predictions that the attack breaks. The lower, the better."
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{lines}</table>"
