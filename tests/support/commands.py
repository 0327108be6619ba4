"""The command line through a real process."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 120.0
"""Seconds that a test waits for what must happen: far more than it takes on a busy machine."""


def run(*args: str | Path, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401
    """The command with these arguments."""
    command = [sys.executable, "-m", "augment_ru", *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, **options)


def fails(code: int, *args: str | Path, stdin: bytes = b"") -> str:
    """The one line that a failing command says."""
    done = run(*args, stdin=stdin)
    assert done.returncode == code, done.stderr.decode()
    (line,) = [line for line in done.stderr.decode().split("\n") if line]
    assert line.startswith("augment-ru: error: ")
    return line


def started(command: list[str], **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401
    """A process that an interrupt ends, even where this one ignores interrupts, as a shell's background jobs do.

    An ignored signal stays ignored in a child, a handled one gets its default action there.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)


def wait_until(happened: Callable[[], object]) -> None:
    """Wait until a condition is true; fail if it does not become true."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, f"nothing happened in {PATIENCE} seconds"
        time.sleep(0.01)


def write(path: Path, *rows: object) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def rows_of(data: bytes) -> list[dict[str, Any]]:
    """The rows of JSON lines."""
    return [json.loads(line) for line in data.decode().split("\n") if line]
