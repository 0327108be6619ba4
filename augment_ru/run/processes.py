"""Does work in several processes of this machine. They share no memory, and each loads models once."""

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.run.work import Done, Session, Work, set_to_one, shipped, unpacked_work
from augment_ru.signals import HeldSignals

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""The environment variables that set how many threads libraries for matrices and tokenisers use."""

_PATIENCE = 5.0
"""How many seconds to wait for the exit code of a lost process, and for an idle process to end."""

_UNKNOWN = "SIGKILL"
"""The name of a signal that does not tell why a process was killed. The kernel sends it when memory runs out."""
_TICK = 1.0
"""How many seconds lie between two checks whether a process is alive."""
_LOOK = 0.1
"""How many seconds lie between two checks whether a signal came."""
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
    def session(self, work: Work[Any, Any]) -> Iterator[Session]:
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


class _LostError(AugmentError):
    """A process ended before its part was done."""


class _Pool:
    """A pool of processes. For each process there is a thread that gives it parts.

    The pool of `concurrent.futures` has one pipe for all processes. If a process is killed while it writes, half an
    answer stays in the pipe, and the reader waits forever. Here each process has its own pipe, which closes when the
    process ends.
    """

    def __init__(self, workers: int, work: bytes) -> None:
        self.workers, self._work = workers, work
        self._threads = ThreadPoolExecutor(workers, initializer=_leave_signals)
        self._answers: SimpleQueue[Done] = SimpleQueue()
        self._processes: list[_Process] = []
        self._idle: list[_Process] = []
        self._starting = Lock()
        self._is_over = False

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401
        with HeldSignals():  # a thread begins here
            self._threads.submit(self._answer, number, part)

    def wait(self) -> Sequence[Done]:
        done = None
        with HeldSignals() as held:  # Python drops what a handler raises while garbage is collected
            while done is None:
                held.deliver()
                with suppress(Empty):
                    done = self._answers.get(timeout=_LOOK)
        if isinstance(done.error, _LostError):
            raise AugmentError(str(done.error)) from None
        return [done]

    def end(self) -> None:
        """End the idle processes, and wait for them."""
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.end()

    def kill(self) -> None:
        """Kill all processes at once, even if they are working."""
        with HeldSignals():
            with self._starting:
                self._is_over = True
                for process in self._processes:
                    process.kill()
            self.end()

    def _answer(self, number: int, part: Any) -> None:  # noqa: ANN401  (in a thread)
        try:
            try:
                process = self._idle.pop()
            except IndexError:
                process = self._started()
            done = Done(number, *process.do(part))
            self._idle.append(process)
        except BaseException as error:  # noqa: BLE001  (whoever waits must learn of it)
            done = Done(number, None, error)
        self._answers.put(done)

    def _started(self) -> "_Process":
        with self._starting:
            if self._is_over:
                raise _LostError("the run is over")
            process = _Process()
            self._processes.append(process)
        process.begin(self._work)
        return process


class _Process:
    """A process and the parent's end of its pipe.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self) -> None:
        context = get_context("spawn")  # a fork would copy the locks of threads, but not the threads
        self._pipe, theirs = context.Pipe()
        with theirs:  # once it is closed here, the pipe ends with the process
            self._process = context.Process(target=_serve, args=(theirs,))
            self._process.start()

    def begin(self, work: bytes) -> None:
        """Send the work to the process.

        Raises:
            _LostError: the process has ended.
        """
        try:
            self._pipe.send_bytes(work)
        except OSError as error:
            raise _LostError(self._why_lost()) from error

    def do(self, part: Any) -> tuple[Any, BaseException | None]:  # noqa: ANN401
        """Do a part in the process. Return (outcome, None), or (None, error) if an error ended the part.

        Raises:
            _LostError: the process has ended.
        """
        data = pickle.dumps(part)
        try:
            self._pipe.send_bytes(data)
            while not self._pipe.poll(_TICK) and self._process.is_alive():
                pass  # what a process forked may hold its end of the pipe when it is lost
            answer = self._pipe.recv_bytes() if self._pipe.poll() else None
        except (EOFError, OSError) as error:
            raise _LostError(self._why_lost()) from error
        if answer is None:
            raise _LostError(self._why_lost())
        found: tuple[Any, BaseException | None] = pickle.loads(answer)  # noqa: S301  (of a process that this one began)
        return found

    def end(self) -> None:
        """Let the process end, and wait for it. Kill it if threads of the user's code keep it alive."""
        self._pipe.close()
        self._process.join(_PATIENCE)
        self._process.kill()
        self._process.join()

    def kill(self) -> None:
        """Kill the process at once. A thread that waits for its answer gets a `_LostError`."""
        self._process.kill()

    def _why_lost(self) -> str:
        """Return a message that says why the process ended, and what to do.

        A negative exit code means that a signal ended it.
        """
        self._process.join(_PATIENCE)
        code = self._process.exitcode
        if code is not None and code >= 0:
            return (
                f"a worker ended with exit code {code}; what it said stands above; each worker imports the script "
                'that starts it, so the script must do that below `if __name__ == "__main__":`'
            )
        killer = signal.Signals(-code).name if code else _UNKNOWN
        if killer != _UNKNOWN:
            return f"a worker was killed ({killer}); `resume` keeps what is done"
        return "a worker was killed (out of memory?); run again with fewer `workers`; `resume` keeps what is done"


def _leave_signals() -> None:
    """Keep the signals of a terminal away from this thread and from the processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, _QUIET)
        resource_tracker.ensure_running()  # whoever starts it, as the first process does, gets SIGINT again
        signal.pthread_sigmask(signal.SIG_BLOCK, _QUIET)


def _serve(pipe: Connection) -> None:
    """Run in a worker process: do the parts that arrive on the pipe until the pipe closes."""
    sys.stdout = sys.stderr  # what code of a user's own prints is no row
    for number in _QUIET:
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    function = None
    try:
        work = pipe.recv_bytes()
        while True:
            part = pipe.recv_bytes()
            try:
                function = function or unpacked_work(work).begin()
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
    if not isinstance(error, AugmentError):
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
