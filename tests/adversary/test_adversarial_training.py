"""The example of adversarial training runs, and says what it found."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import augment_ru

ROOT = Path(augment_ru.__file__).parents[1]
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="needs the repository's examples")


def test_it_trains_with_and_without_the_rows_found(tmp_path: Path) -> None:
    for name, step in (("train", 1), ("test", 4)):
        lines = (EXAMPLES / f"reviews_{name}.jsonl").read_text(encoding="utf-8").splitlines()
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines[::step]) + "\n", encoding="utf-8")
    command = [sys.executable, str(EXAMPLES / "adversarial_training.py"), "train.jsonl", "test.jsonl", "--budget", "30"]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, env=path, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    rate = r"\d+ of 15 rows right, \d+ of them broken \([\d.]+ %\)"
    assert re.fullmatch(rf"without: {rate}\nrows found: [1-9]\d*\nwith:    {rate}\n", done.stdout)
