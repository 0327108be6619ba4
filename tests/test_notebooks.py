"""The notebooks of examples/ run, and show what they hold."""

import json
import os
from pathlib import Path

import pytest

import notebooks

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "examples").glob("notebooks/*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_show_what_the_notebook_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)  # as Jupyter does, wherever it was started
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, outputs in notebooks.run(notebook, path.name):
        assert outputs == notebook["cells"][number]["outputs"], f"cell {number}"


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    class Shown:
        def __repr__(self) -> str:
            return "plain"

        def _repr_html_(self) -> str:
            return "<b>html</b>"

    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["import builtins\n", "made = builtins.shown\n", "print('a')\n", "made"]},
        {"cell_type": "code", "source": ["x = 1"]},
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.shown", Shown(), raising=False)
        found = dict(notebooks.run({"cells": cells}, "name"))
    assert [sorted(found), found[2]] == [[1, 2], []]
    assert found[1][0]["text"] == ["a\n"]
    assert found[1][1]["data"] == {"text/html": ["<b>html</b>"], "text/plain": ["plain"]}


@pytest.mark.skipif(not NOTEBOOKS, reason="needs the repository's examples")
def test_notebooks_are_formatted_as_jupyter_writes_them() -> None:
    assert len(NOTEBOOKS) == 2
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert text == notebooks.written(json.loads(text))
        assert os.fspath(ROOT) not in text
