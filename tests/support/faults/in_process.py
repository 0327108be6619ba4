"""The command line in this process, so that thousands of runs are quick."""

import contextlib
import io
import sys
from pathlib import Path

from augment_ru.cli.main import cli
from faults.fuzzer import Fault

_LONGEST = 20_000
"""Characters of the longest line of an error."""


def run(*arguments: str | Path) -> tuple[int, str]:
    """The exit code of a command, and what it says on stderr; what it raises is raised."""
    errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    code: object = 0
    before = sys.argv
    sys.argv = ["augment-ru"]
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(output):
            code = cli(args=[str(argument) for argument in arguments], prog_name="augment-ru")
    except SystemExit as error:
        code = error.code
    finally:
        sys.argv = before
    said = errors.buffer.getvalue().decode()
    return int(str(code or 0)), said


def checked(*arguments: str | Path) -> int:
    """The exit code, after checking that a failure is one line.

    Raises:
        Fault: it is not, or the terminal would be commanded.
    """
    code, said = run(*arguments)
    lines = [line for line in said.split("\n") if line.startswith("augment-ru: error: ")]
    if "Traceback" in said:
        raise Fault(f"a traceback: {said[-300:]}")
    if "\x1b" in said:
        raise Fault(f"an escape reaches the terminal: {said[:300]!r}")
    if code not in {0, 1, 2}:
        raise Fault(f"exit code {code}")
    if (code == 2 and len(lines) != 1) or len(lines) > 1:
        raise Fault(f"exit code {code} with {len(lines)} lines of errors: {said[:300]!r}")
    if lines and len(lines[0]) > _LONGEST:
        raise Fault(f"an error of {len(lines[0]):,} characters: {lines[0][:200]!r}")
    return code
