"""What a newcomer meets: help without arguments, differences on a terminal, what was written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run, write

FAST = ("--attack", "case", "--no-constraints", "--similarity", "none")


def on_terminal(*args: str | Path, columns: int = 80) -> str:
    """What a command prints on a terminal of this width, stdout and stderr together."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "augment_ru", *map(str, args)]
    printed = b""
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            printed += data
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("group", [(), ("models",)])
def test_without_arguments_the_help_is_printed(group: tuple[str, ...]) -> None:
    done = run(*group)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == run(*group, "--help").stdout
    assert b"Commands:" in done.stdout


def test_a_terminal_shows_coloured_differences_and_a_pipe_gets_rows(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", {"id": 1, "text": "Кошка \x1b[2J спит на окне."}, {"id": 2, "text": "и"})
    shown = on_terminal("perturb", source, *FAST, "--probability", "1")
    assert "\x1b[1;32m" in shown
    assert "\x1b[2J" not in shown  # no text steers the terminal
    assert '"augment"' not in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "1  case  perturbed" in plain
    assert plain.rstrip().endswith("augment-ru: showed 2 rows to stdout")
    out = tmp_path / "out.jsonl"
    assert f"wrote 2 rows to {out}" in re.sub(r"\s+", " ", on_terminal("perturb", source, *FAST, "-o", out))
    assert b'"augment"' in run("perturb", source, *FAST).stdout


def test_a_run_ends_by_saying_what_it_wrote(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", {"text": "Кошка"}, {"id": 1})
    out, report = tmp_path / "out.jsonl", tmp_path / "report.json"
    done = run("perturb", source, *FAST, "-o", out, "--on-error", "skip", "--report", report)
    rejects = tmp_path / "out.rejects.jsonl"
    assert done.stderr.decode().split("\n")[-2] == (
        f"augment-ru: wrote 1 row to {out}, 1 to {rejects}, the table to {report}"
    )
