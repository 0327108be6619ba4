"""Runs the code of a page in a process of its own: its Python blocks as one program, its commands between them.

    python tests/support/page_runs.py < blocks.json > printed.json

`blocks.json`: [{"language": "sh" | "python", "commands": […], "content": …, "name": …, "fails": …, "copies": …}]; of an
`sh` block the commands are run, of a `python` block the content, under a name for tracebacks; `fails` says whether
commands must fail, `copies` whether commands of augment-ru alone run in copies of this process, which is faster.
`printed.json`: for each block what it prints on stdout, and on stderr.
"""

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import commands

_ALONE = re.compile(r"augment-ru (?!completion)(?:[^|<>&;$`'\"#*\\]|\"[^\"$`\\]*\"|'[^']*')*(?: #.*)?")
"""A command of augment-ru that needs no shell."""
_SCRIPT = re.compile(r"python examples/[\w/]+\.py( [\w./-]+)*")
"""An example that runs as a script."""


def run_here(other: Callable[..., Any], line: list[str], **options: Any) -> subprocess.CompletedProcess[Any]:  # noqa: ANN401
    """What `subprocess.run` does, with commands of augment-ru in this process."""
    done: subprocess.CompletedProcess[Any]
    ours = next(
        (way for way in (["augment-ru"], [sys.executable, "-m", "augment_ru"]) if line[: len(way)] == way), None
    )
    if ours is None:
        done = other(line, **options)
        return done
    done = commands.run(*line[len(ours) :], cwd=options.get("cwd"))
    out, said = (data.decode(options.get("encoding") or "utf-8") for data in (done.stdout, done.stderr))
    if options.get("check") and done.returncode:
        raise subprocess.CalledProcessError(done.returncode, line, out, said)
    return subprocess.CompletedProcess(line, done.returncode, out, said)


def _here() -> Any:  # noqa: ANN401  (a private class of `unittest.mock`)
    return patch.object(subprocess, "run", partial(run_here, subprocess.run))


def printed_by_command(command: str, *, fails: bool, copies: bool) -> tuple[str, str]:
    """Return what a command prints on stdout, and on stderr.

    Raises:
        SystemExit: the command fails although it must not, or does not fail although it must.
    """
    words = shlex.split(command, comments=True)
    if copies and _ALONE.fullmatch(command):
        done = commands.run(*words[1:], forks=True)
    elif copies and _SCRIPT.fullmatch(command):
        with _here():
            done = commands.run_script(Path(words[1]), *words[2:], cwd=Path.cwd())
    else:
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    out, said = done.stdout.decode(), done.stderr.decode()
    if (done.returncode != 0) != fails:
        raise SystemExit(f"{command}\nexit code {done.returncode}\n{said}")
    return out, said


def printed_by(block: dict[str, Any], space: dict[str, Any]) -> tuple[str, str]:
    """Return what a block prints on stdout, and what its commands print on stderr."""
    if block["language"] == "sh":
        options = {"fails": block["fails"], "copies": block["copies"]}
        found = [printed_by_command(command, **options) for command in block["commands"]]
        return "".join(out for out, _ in found), "".join(messages for _, messages in found)
    here = _here() if block["copies"] else contextlib.nullcontext()
    with here, contextlib.redirect_stdout(io.StringIO()) as stream:
        exec(compile(block["content"], block["name"], "exec"), space)  # noqa: S102  (a document of the repository)
    return stream.getvalue(), ""


def print_blocks(blocks: list[dict[str, Any]]) -> None:
    """Run the blocks, and print what they print."""
    program: dict[str, Any] = {"__name__": "page"}
    json.dump([printed_by(block, program) for block in blocks], sys.stdout)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder: its modules would hide those that a page writes
    print_blocks(json.load(sys.stdin))
