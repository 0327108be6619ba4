"""Commands as processes that can be killed: started anew, or as forks of one that has loaded what commands need.

Most of a short command is its start. A fork begins where that ends, so many more kills meet the work and the writing.
"""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Protocol

from commands import PATIENCE
from faults.fuzzer import Fault

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A fork has no threads of its parent, so the parent must have none."""


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


class Forks:
    """A process that forks for each command; it ends when this object is gone.

    Args:
        folder: where the commands run.
        warming: commands that are run there first, so that what they load is loaded.
    """

    def __init__(self, folder: Path, warming: Sequence[Sequence[str]]) -> None:
        self._read = b""
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._server = subprocess.Popen(
            [sys.executable, "-c", "from faults.forks import serve; serve()"], cwd=folder, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=_as_from_a_shell,  # noqa: PLW1509
        )  # fmt: skip
        for arguments in warming:
            self._ask({"warm": arguments})
            self._answer(PATIENCE)

    def _ask(self, what: object) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(what).encode() + b"\n")
        self._server.stdin.flush()

    def _answer(self, seconds: float) -> int | None:
        """The next number that the process says; None if it says nothing in these seconds."""
        assert self._server.stdout is not None
        while b"\n" not in self._read:
            if not select.select([self._server.stdout], [], [], max(seconds, 0))[0]:
                return None
            got = os.read(self._server.stdout.fileno(), 100)
            if not got:
                raise Fault("the process that forks has ended")
            self._read += got
        line, _, self._read = self._read.partition(b"\n")
        return int(line)

    def run(self, arguments: Sequence[str], said: Path) -> Running:
        """Begin a command; what it says on stderr goes to a file."""
        self._ask({"run": arguments, "said": str(said)})
        number = self._answer(PATIENCE)
        assert number is not None
        return _Fork(number, self)

    def answer(self, seconds: float) -> int | None:
        """The exit code of the command that runs."""
        return self._answer(seconds)

    def end(self) -> None:
        """End the process."""
        self._server.communicate()


class _Fork:
    def __init__(self, number: int, forks: Forks) -> None:
        self._number, self._forks = number, forks
        self._code: int | None = None

    def wait(self, seconds: float) -> int | None:
        if self._code is None:
            self._code = self._forks.answer(seconds)
        return self._code

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(self._number, number)


def serve() -> None:
    """What the process that forks does: read commands from stdin, write numbers to stdout."""
    from faults.in_process import run  # noqa: PLC0415  (loaded in this process alone)

    for line in sys.stdin:
        given = json.loads(line)
        if "warm" in given:
            run(*given["warm"])
            _say(0)
            continue
        number = os.fork()
        if number == 0:
            _become(given["run"], given["said"])
        _say(number)
        _say(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]))


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _become(arguments: Sequence[str], said: str) -> NoReturn:
    """Run a command in this process, as if it were its own."""
    from augment_ru.__main__ import main  # noqa: PLC0415  (it was loaded before)

    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    sys.argv = ["augment-ru", *arguments]
    code: object = 1
    try:
        main()
    except SystemExit as error:
        code = error.code
    except BaseException:  # noqa: BLE001  (as Python itself ends)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(int(str(code or 0)))


def python(arguments: Sequence[str]) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "augment_ru", *arguments]


def _as_from_a_shell() -> None:
    """In a new process: let it be interrupted, although a shell's background job is not, and have all memory."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
