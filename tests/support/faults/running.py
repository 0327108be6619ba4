"""Commands as processes that can be killed: started anew, or as copies of one that has loaded what commands load.

Most of a short command is its start. A copy begins where that ends, so many more kills meet the work and the writing.
"""

import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Running(Protocol):
    """A command that runs."""

    def wait(self, seconds: float) -> int | None:
        """Its exit code, negative if a signal ended it; None if it still runs after these seconds."""

    def send(self, number: int) -> None:
        """Send it a signal."""


class Anew:
    """A command in a process of its own; what it says on stderr goes to a file."""

    def __init__(self, arguments: Sequence[str], folder: Path, said: Path) -> None:
        with said.open("wb") as stream:
            self._process = subprocess.Popen(
                python(arguments), cwd=folder, stdout=subprocess.DEVNULL, stderr=stream,
                preexec_fn=_as_from_a_shell,  # noqa: PLW1509  (no threads start here)
            )  # fmt: skip

    def wait(self, seconds: float) -> int | None:
        """As `Running`."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def send(self, number: int) -> None:
        """As `Running`."""
        self._process.send_signal(number)


def python(arguments: Sequence[str]) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "augment_ru", *arguments]


def _as_from_a_shell() -> None:
    """In a new process: let it be interrupted, although a shell's background job is not, and have all memory."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
