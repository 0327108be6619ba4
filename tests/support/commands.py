"""The command line through a real process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


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


def write(path: Path, *rows: object) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def rows_of(data: bytes) -> list[dict[str, Any]]:
    """The rows of JSON lines."""
    return [json.loads(line) for line in data.decode().split("\n") if line]
