"""The same on every processor: under the arithmetic of each kind that this machine can compute as."""

import re
import subprocess
import sys
from collections.abc import Mapping

import pytest

from processor_rows import CORES, ROOT, SEARCHED, TEXTS, TRAIN, WORKS
from profiles import IS_FULL

LEAST = {"attacks": 36 * TEXTS, "search": min(SEARCHED, 60), "scores": 96}


@pytest.mark.parametrize("work", WORKS)
def test_nothing_depends_on_the_processor(work: str, other_processors: Mapping[str, Mapping[str, list[str]]]) -> None:
    """What this process finds is what processes find that compute as other kinds of processors."""
    if not other_processors:
        pytest.skip("this machine can compute as one kind of processor alone")
    own = WORKS[work]()
    assert len(own) >= LEAST[work]
    for core, found in other_processors.items():
        assert found[work] == own, core


@pytest.mark.skipif(not IS_FULL, reason="what the script compares is compared above on fewer rows")
def test_the_script_finds_no_row_that_depends_on_the_processor() -> None:
    script = ROOT / "scripts" / "processors.py"
    command = [sys.executable, str(script), str(TRAIN), "--rows", str(TEXTS), "--cores", ",".join(CORES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    differ, rows, runs = re.findall(r"^(\d+) of (\d+) rows differ between (.+)$", done.stdout, re.MULTILINE)[-1]
    assert int(differ) == 0
    assert int(rows) >= 36 * TEXTS
    assert runs.count(";") >= 1  # at least two kinds were compared
