"""Names in a report come from the rows: none of them commands the terminal."""

import io

import pytest
from rich.console import Console

from augment_ru.evaluation.table_text import FORMATS, ShownTable, as_text
from augment_ru.evaluation.terminal import print_tables

_NAME = "\x1b[35mзлая[/red]\x1b]0;имя\x07\u202e"
_SHOWN = r"\x1b[35mзлая[/red]\x1b]0;имя\x07\u202e"
TABLE = ShownTable(f"title {_NAME}", ["model", _NAME], [[_NAME, "1.0"], ["1\u00a0000", "2"]], 1)


def test_tables_on_a_terminal_show_names_as_they_are_spelt() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=200, color_system=None)
    print_tables({}, console, [TABLE])
    said = file.getvalue()
    assert not set(said) & {"\x07", "\u202e"}
    assert "\x1b[35m" not in said
    assert said.count(_SHOWN) == 3
    assert "1\u00a0000" in said


@pytest.mark.parametrize("form", FORMATS)
def test_tables_as_texts_hold_no_control_characters(form: str) -> None:
    said = as_text(TABLE, form)
    assert all(char.isprintable() or char in "\n\u00a0" for char in said)
    assert said.count("x1b") == 4
