"""Tables on a terminal: no name in a row commands it, and no number is lost on a narrow one."""

import io

import pytest
from rich.console import Console

from augment_ru.evaluation.table_text import FORMATS, INTERVAL, NONE, ShownTable, as_text
from augment_ru.evaluation.terminal import print_tables

_NAME = "\x1b[35mзлая[/red]\x1b]0;имя\x07\u202e"
_SHOWN = r"\x1b[35mзлая[/red]\x1b]0;имя\x07\u202e"
TABLE = ShownTable(f"title {_NAME}", ["model", _NAME], [[_NAME, "1.0"], ["1\u00a0000", "2"]], 1)


def test_tables_on_a_terminal_show_names_as_they_are_spelt() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=200, color_system=None)
    print_tables([TABLE], console=console)
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


@pytest.mark.parametrize("width", [80, 90, 120, 200])
def test_an_interval_stays_beside_its_rate_and_a_column_of_dashes_goes_where_there_is_no_room(width: int) -> None:
    columns = ["model", "shots", "attack", "right", "ASR, %", INTERVAL, "consistency, %", INTERVAL]
    row = ["linear:reviews_train.jsonl", NONE, "butterfingers", "59", "6.78", "2.7–16.2", "94.4", "85.5–98.0"]
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width, color_system=None)
    print_tables([ShownTable("title", columns, [row], 3)], console=console)
    lines = file.getvalue().splitlines()
    heads = [line for line in lines if "model" in line]
    assert all(len(line) <= width for line in lines)
    assert all(text in file.getvalue() for text in row[3:])
    assert sum(line.count(INTERVAL) for line in heads) == 2
    assert all(line.count("ASR, %") + line.count("consistency, %") == line.count(INTERVAL) for line in heads)
    assert any("shots" in line for line in heads) == (width >= 120)
