"""The rows of a search with scores are the same under the arithmetic of other processors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from profiles import IS_FULL

PROGRAM = """
import hashlib, sys
from augment_ru import Adversary
from augment_ru.evaluation.examples import ModelRequest, model_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic
train, test, count = sys.argv[1:]
model = model_of("linear:" + train, ModelRequest("", generic(), ("negative", "positive"), "cpu"), {"analyzer": "char"})
search = Adversary(["butterfingers", "misspell"], model, similarity="none", constraints=())
rows = [one.line() for one in search.records(read_rows(test).values[: int(count)])]
print(len(rows), hashlib.sha256("".join(rows).encode()).hexdigest())
"""
EXAMPLES = Path(__file__).parents[2] / "examples"


def rows_under(core: str) -> str | None:
    """The digest of the rows under the arithmetic of this kind of processor; None if this machine has it not."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": core}
    files = [str(EXAMPLES / f"reviews_{part}.jsonl") for part in ("train", "test")]
    command = [sys.executable, "-c", PROGRAM, *files, "1000" if IS_FULL else "20"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False, text=True)
    if done.returncode < 0 or "Core not found" in done.stderr:
        return None
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_row_depends_on_the_processor() -> None:
    cores = ("Prescott", "Haswell", *(["SkylakeX"] if IS_FULL else []))
    found = [rows for core in cores if (rows := rows_under(core)) is not None]
    if len(found) < 2:
        pytest.skip("this machine can compute as one kind of processor alone")
    assert len(set(found)) == 1
