"""The first table of a report as HTML, for notebooks."""

from collections.abc import Mapping
from html import escape
from typing import Any

from augment_ru.evaluation import tables


def rates_html(report: Mapping[str, Any]) -> str:
    """The rates, or the metrics of a report without attacks; every name is escaped."""
    table = tables.tables_of(report)[0]
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<table><caption>{escape(table.title)}</caption><tr>{head}</tr>{lines}</table>"
