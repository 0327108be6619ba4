"""Does work in several processes of this machine. They share no memory, and each loads models once."""

import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any, cast

from augment_ru.errors import AugmentError, saying_instead
from augment_ru.run.work import Done, Session, Work, set_to_one, shipped, unpacked_work
from augment_ru.signals import HeldSignals

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""The environment variables that set how many threads libraries for matrices and tokenisers use."""

_PATIENCE = 5.0
"""How many seconds to wait for the exit code of a lost process, and for an idle process to end."""

_UNKNOWN = "SIGKILL"
"""The name of a signal that does not tell why a process was killed. The kernel sends it when memory runs out."""
_LOOK = 0.1
"""How many seconds lie between two checks whether a signal came, and whether processes are alive."""
_QUIET = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
"""The signals that a terminal sends to all its processes. Only the parent reports them, and it ends the others."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine that does the parts of a run in several processes on this machine.

    Each process uses one thread for computing with matrices, unless an environment variable such as OMP_NUM_THREADS
    sets their number.

    Args:
        workers: the number of processes.
    """

    workers: int

    @contextmanager
    def session(self, work: Work) -> Iterator[Session]:
        """Start the engine: yield a session, to which parts of a run are given while the `with` block runs.

        Args:
            work: what is done with each part.

        Raises:
            AugmentError: a process ended or was killed before its part was done.
        """
        with set_to_one(_THREADS):
            pool = _Pool(self.workers, shipped(work))
            try:
                yield pool
                pool.end()
            except BaseException:  # an error or an interruption: what still runs is not needed
                pool.kill()
                raise


class _Pool:
    """A pool of processes. Each says when it is free, and is then given the next part.

    The pool of `concurrent.futures` has one pipe for all processes. If a process is killed while it writes, half an
    answer stays in the pipe, and the reader waits forever. Here each process has its own pipe, which closes when the
    process ends.
    """

    def __init__(self, workers: int, work: bytes) -> None:
        self.workers, self._work = workers, work
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._processes: list[_Process] = []
        self._free: list[_Process] = []

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401
        self._waiting.append((number, pickle.dumps(part)))
        if self._free:
            self._give_part(self._free.pop())
        elif len(self._processes) < self.workers:
            with HeldSignals(), _signals_left():
                self._processes.append(_Process(self._work))

    def wait(self) -> Sequence[Done]:
        found: list[Done] = []
        with HeldSignals() as held:  # Python drops what a handler raises while garbage is collected
            while not found:
                held.deliver()
                for process in self._answering():
                    number, answer = process.number, process.answer()
                    if number is not None:
                        found.append(Done(number, *pickle.loads(answer)))  # noqa: S301  (of a process that this one began)
                    self._give_part(process)
        return found

    def _answering(self) -> list["_Process"]:
        """Return the processes that have an answer, or have ended; wait a moment for one."""
        working = {one.pipe: one for one in self._processes if one not in self._free}
        ready = [working[pipe] for pipe in wait(working, _LOOK) if isinstance(pipe, Connection)]
        # what a process forked may hold its end of the pipe when it is lost
        return ready or [one for one in working.values() if not one.process.is_alive()]

    def _give_part(self, process: "_Process") -> None:
        if self._waiting:
            process.give(*self._waiting.popleft())
        else:
            self._free.append(process)

    def end(self) -> None:
        """End the free processes, and wait for them."""
        for process in self._processes:
            process.end()

    def kill(self) -> None:
        """Kill all processes at once, even if they are working."""
        with HeldSignals():
            for process in self._processes:
                process.process.kill()
            self.end()


class _Process:
    """A process and the parent's end of its pipe.

    Args:
        work: the work, which is sent with the first part.

    Attributes:
        number: the number of the part that it was given last; None before the first.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self, work: bytes) -> None:
        self._work, self.number = work, cast("int | None", None)
        context = get_context("spawn")  # a fork would copy the locks of threads, but not the threads
        self.pipe, theirs = context.Pipe()
        with theirs:  # once it is closed here, the pipe ends with the process
            self.process = context.Process(target=_serve, args=(theirs,))
            self.process.start()

    def give(self, number: int, part: bytes) -> None:
        """Send a part to the process, which is free.

        Raises:
            AugmentError: the process has ended.
        """
        with saying_instead(lambda _: self._why_lost(), OSError):
            if self.number is None:
                self.pipe.send_bytes(self._work)
            self.pipe.send_bytes(part)
        self.number = number

    def answer(self) -> bytes:
        """Return what the process sent: at first that it has begun; later a pickle as `_serve` makes it.

        Raises:
            AugmentError: the process has ended.
        """
        with suppress(EOFError, OSError):
            if self.pipe.poll():
                return self.pipe.recv_bytes()
        raise AugmentError(self._why_lost())

    def end(self) -> None:
        """Let the process end, and wait for it. Kill it if threads of the user's code keep it alive."""
        self.pipe.close()
        self.process.join(_PATIENCE)
        self.process.kill()
        self.process.join()

    def _why_lost(self) -> str:
        """Return a message that says why the process ended, and what to do.

        A negative exit code means that a signal ended it.
        """
        self.process.join(_PATIENCE)
        code = self.process.exitcode
        if code is not None and code >= 0:
            return (
                f"a worker ended with exit code {code}; what it said stands above; each worker imports the script "
                'that starts it, so the script must do that below `if __name__ == "__main__":`'
            )
        killer = signal.Signals(-code).name if code else _UNKNOWN
        if killer != _UNKNOWN:
            return f"a worker was killed ({killer}); `resume` keeps what is done"
        return "a worker was killed (out of memory?); run again with fewer `workers`; `resume` keeps what is done"


@contextmanager
def _signals_left() -> Iterator[None]:
    """Keep the signals of a terminal away from the processes that start in the `with` block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _QUIET)
    try:
        resource_tracker.ensure_running()  # whoever starts it, as the first process does, gets SIGINT again
        signal.pthread_sigmask(signal.SIG_BLOCK, _QUIET)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """Run in a worker process: say that it has begun, then do the parts that arrive on the pipe until it closes.

    An answer is a pickle of (outcome, None), or of (None, error) if an error ended the part.
    """
    sys.stdout = sys.stderr  # what code of a user's own prints is no row
    for number in _QUIET:
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    function = None
    try:
        pipe.send_bytes(b"")
        work = pipe.recv_bytes()
        while True:
            part = pipe.recv_bytes()
            try:
                function = function or unpacked_work(work)
                outcome = function(pickle.loads(part))  # noqa: S301  (made by the process that started this one)
                answer = pickle.dumps((outcome, None))
            except BaseException as error:  # noqa: BLE001  (it is raised where the parts come from)
                answer = _failure(error)
            pipe.send_bytes(answer)
    except (EOFError, OSError):
        return


def _failure(error: BaseException) -> bytes:
    """Pickle (None, error), with a note on where the error was raised.

    An error that cannot be pickled is replaced by a `RuntimeError`.
    """
    if not isinstance(error, AugmentError) or error.__cause__ is not None:
        error.add_note("in a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        answer = pickle.dumps((None, error))
        pickle.loads(answer)  # noqa: S301  (made in the line above)
    except Exception:  # noqa: BLE001  (whatever the class of the error does)
        return pickle.dumps((None, RuntimeError("".join(traceback.format_exception(error)))))
    return answer


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
