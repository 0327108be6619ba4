"""The same rows on every processor: under the arithmetic of each kind that this machine can compute as."""

import re
import subprocess
import sys
from pathlib import Path

from profiles import IS_FULL

# those of other architectures are passed over
CORES = "Prescott,Haswell,SkylakeX,ARMV8,NEOVERSEN1" if IS_FULL else "Prescott,Haswell,NEOVERSEN1"
TEXTS = 84 if IS_FULL else 24
ROOT = Path(__file__).resolve().parents[1]


def test_no_row_depends_on_the_processor() -> None:
    script, file = ROOT / "scripts" / "processors.py", ROOT / "examples" / "reviews_train.jsonl"
    command = [sys.executable, str(script), str(file), "--rows", str(TEXTS), "--cores", CORES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    differ, rows, runs = re.findall(r"^(\d+) of (\d+) rows differ between (.+)$", done.stdout, re.MULTILINE)[-1]
    assert int(differ) == 0
    assert int(rows) >= 36 * TEXTS
    assert runs.count(";") >= 1  # at least two kinds were compared
