"""README's example, its report page and its picture say the same."""

import importlib.util
import json
import re
import subprocess
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from page_runs import run_here

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="needs the repository's documents")


def test_the_numbers_of_the_readme_are_those_of_the_page(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("report_page", ROOT / "scripts" / "report_page.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    with patch.object(subprocess, "run", partial(run_here, subprocess.run)):
        html = script.example_report(tmp_path).read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    data = json.loads(found)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    rates = data["tables"]["rates"]
    for row, model in zip(rates["rows"], report["models"], strict=True):
        stated = (model["metrics"][report["metrics"][0]]["value"], model["asr_mean"], model["worst_case"]["value"])
        assert (row[2], *row[-3:-1]) == tuple(f"{value:.2f}" for value in stated)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^│ (linear|majority) .*$", readme, re.MULTILINE)
    assert lines == [row[0] for row in rates["rows"]]
    for row in rates["rows"]:
        (line,) = re.findall(rf"^│ {row[0]} .*$", readme, re.MULTILINE)
        assert re.findall(r"\d+\.\d\d", line) == row[2:]


def test_the_picture_of_the_page_is_small() -> None:
    picture = (ROOT / "docs" / "images" / "report.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 200_000
