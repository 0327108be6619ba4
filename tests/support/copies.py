"""Copies (forks) of a process that has just started and loaded what commands load.

The process is started at the first use, once for all workers of pytest. It knows nothing of what tests did in theirs,
has no threads, and is small: a copy of it costs a tenth of one of a process that has run tests.
"""

import atexit
import fcntl
import gc
import os
import pickle
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from own_folders import own_folder

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A fork has no threads of its parent, so the parent must have none."""
_NUMBER = struct.Struct("q")
_HERE = Path(__file__).parent
_LONELY = 60.0
"""Seconds until the process ends if nobody says that he may ask."""


@dataclass(frozen=True)
class _Work:
    """What a copy does: a function of a module that it can import, with these arguments, in a folder."""

    function: Callable[..., object]
    arguments: tuple[Any, ...]
    cwd: str
    env: Mapping[str, str]


class _Origin:
    """The process that is copied. All workers of pytest use the same, which ends when none of them is left."""

    def __init__(self) -> None:
        self.address = ""
        self._kept: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def find(self) -> None:
        """Find the process, or start it; wait until it can be asked."""
        self.address = str(Path(os.environ.get("AUGMENT_RU_TEST_COPIES") or own_folder("augment-ru-copies")) / "origin")
        self._owner = os.getpid()
        with Path(f"{self.address}.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # ends with the file
            try:
                self._kept = self.connected()
            except OSError:
                Path(self.address).unlink(missing_ok=True)
                self._start()
                self._kept = self.connected()
        self._kept.sendall(_NUMBER.pack(0))
        atexit.register(self.end)

    def connected(self) -> socket.socket:
        """A new connection to the process.

        Raises:
            OSError: there is no such process.
        """
        asked = socket.socket(socket.AF_UNIX)
        try:
            asked.connect(self.address)
        except OSError:
            asked.close()
            raise
        return asked

    def _start(self) -> None:
        path = os.pathsep.join([str(_HERE.parents[1]), *(one for one in sys.path if one)])
        line = [sys.executable, "-c", "import sys, copies; copies.serve(sys.argv[1])", self.address]
        self._process = subprocess.Popen(
            line, env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, start_new_session=True, preexec_fn=_with_all_memory,  # noqa: PLW1509
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.read(1) == b"+", "the process that is copied did not start"
        self._process.stdout.close()

    def end(self) -> None:
        """Need no copy any more; who started the process waits until the others do not, either."""
        if self._kept is not None and self._owner == os.getpid():
            self._kept.close()
            self._kept, self.address = None, ""
            if self._process is not None:
                self._process.wait()


def _with_all_memory() -> None:
    """Lift the bound of a test in a new process, which others ask, too."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


_ORIGIN = _Origin()


def end() -> None:
    """Need no copy any more. Workers of pytest-xdist end without their exit handlers."""
    _ORIGIN.end()


class Copy:
    """A copy that calls a function as a program that has just started.

    Args:
        function: is found in its module by its name.
        arguments: can be pickled.
        streams: files for stdin, stdout and stderr.
        cwd: the working folder; that of this process by default.
        env: all variables; those of this process by default.

    Attributes:
        pid: its process id.
    """

    def __init__(
        self,
        function: Callable[..., object],
        *arguments: object,
        streams: Sequence[IO[bytes] | int],
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        if not _ORIGIN.address:
            _ORIGIN.find()
        work = _Work(function, arguments, str(cwd or Path.cwd()), dict(os.environ if env is None else env))
        data = pickle.dumps(work)
        files = [one if isinstance(one, int) else one.fileno() for one in streams]
        self._asked = _ORIGIN.connected()
        socket.send_fds(self._asked, [_NUMBER.pack(len(data))], files)
        self._asked.sendall(data)
        self.pid = _number(self._asked)
        self._code: int | None = None

    def wait(self, seconds: float | None = None) -> int | None:
        """Its exit code, negative if a signal ended it; None if it still runs after these seconds."""
        if self._code is None and select.select([self._asked], [], [], seconds)[0]:
            self._code = _number(self._asked)
            self._asked.close()
        return self._code

    def send(self, number: int) -> None:
        """Send it a signal."""
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(self.pid, number)


def _number(asked: socket.socket) -> int:
    (number,) = _NUMBER.unpack(_read(asked, _NUMBER.size))
    return int(number)


def _read(asked: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        got = asked.recv(size - len(data))
        if not got:
            raise EOFError("the process that is copied has ended")
        data += got
    return data


def serve(address: str) -> None:
    """What the process does that is copied: answer until nobody is left who may ask."""
    import commands  # noqa: PLC0415  (it imports this module)

    _ORIGIN.address = address  # copies may ask for copies, too
    commands.load()
    gc.collect()
    gc.freeze()  # a collection of garbage would write into all that copies share, so copy it
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    sys.stdout.write("+")
    sys.stdout.flush()
    users: set[socket.socket] = set()
    while True:
        ready, _, _ = select.select([listening, *users], [], [], _LONELY)
        for one in users.intersection(ready):
            users.remove(one)
            one.close()
        if listening in ready:
            asked, _ = listening.accept()
            size, files, _, _ = socket.recv_fds(asked, _NUMBER.size, 3)
            if size == _NUMBER.pack(0):
                users.add(asked)
            elif size:
                _answer_apart(asked, _NUMBER.unpack(size)[0], files)
        elif not users:
            break
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    listening.close()
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _answer_apart(asked: socket.socket, size: int, files: Sequence[int]) -> None:
    """Answer in a copy that waits for another, so that this process can answer others."""
    if os.fork() == 0:
        _answer(asked, size, files)
    asked.close()
    for file in files:
        os.close(file)


def _answer(asked: socket.socket, size: int, files: Sequence[int]) -> NoReturn:
    """Copy this process, say the copy's number, and then its exit code."""
    data = _read(asked, size)
    child = os.fork()
    if child == 0:
        asked.close()
        _work_and_end(data, files)
    with suppress(BrokenPipeError):  # who asked was killed
        asked.sendall(_NUMBER.pack(child))
        asked.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
    os._exit(0)


def _work_and_end(data: bytes, files: Sequence[int]) -> NoReturn:
    """Do the work in this process, as if it had just started, and exit."""
    import commands  # noqa: PLC0415  (as in `serve`)

    code: Any = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        work: _Work = pickle.loads(data)  # noqa: S301  (of this program)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        commands.begin(work.cwd, work.env)
        work.function(*work.arguments)
        code = 0
    except SystemExit as end_:
        code = end_.code or 0
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:  # noqa: BLE001  (a new process, too, would print it and end)
        traceback.print_exc()
    finally:
        for written in (sys.stdout, sys.stderr):
            written.flush()
        os._exit(code if isinstance(code, int) else 1)
