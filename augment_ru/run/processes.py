"""Work in several processes of this machine: they share no memory, and each loads models once."""

import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.run.engines import Done, Session, Work
from augment_ru.run.shipping import shipped, unpacked_work
from augment_ru.run.signals import HeldSignals

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""The variables that say how many threads libraries for matrices and tokens use."""

_PATIENCE = 5.0
"""Seconds in which the exit codes of lost processes are known, or never."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine of so many processes.

    They are started anew, not forked: a fork copies the locks of threads that it does not copy. Each uses one thread
    for matrices, unless the environment says otherwise.
    """

    workers: int

    @contextmanager
    def session(self, work: Work[Any, Any]) -> Iterator[Session]:
        """Begin work; processes are started as parts come, and ended with the block.

        Raises:
            AugmentError: a process was killed.
        """
        context = _Context()
        with _one_thread():
            pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin, initargs=(shipped(work),))
            session = _Pool(pool, self.workers, context.made)
            try:
                yield session
            finally:
                if session.running:  # an error or an interruption: what still runs is not needed
                    for process in context.made:
                        if process.pid is not None:
                            process.kill()
                pool.shutdown(cancel_futures=True)


class _Context(SpawnContext):
    """Starts processes anew, and keeps them, so that one can see how they ended.

    Attributes:
        made: the processes.
    """

    def __init__(self) -> None:
        self.made: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: ANN401, N802
        """A new process."""
        process = SpawnProcess(*args, **kwargs)
        self.made.append(process)
        return process


class _Pool:
    def __init__(self, pool: ProcessPoolExecutor, workers: int, processes: Sequence[BaseProcess]) -> None:
        self._pool, self.workers, self._processes = pool, workers, processes
        self.running: dict[Future[Any], int] = {}

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401
        try:
            with HeldSignals():  # a process that is half started would say so in many lines
                self.running[self._pool.submit(_do, part)] = number
        except BrokenProcessPool as error:
            raise AugmentError(_why_lost(self._processes)) from error

    def wait(self) -> Sequence[Done]:
        found = []
        for future in wait(self.running, return_when=FIRST_COMPLETED).done:
            number = self.running.pop(future)
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                raise AugmentError(_why_lost(self._processes)) from error
            found.append(Done(number, None, error) if error is not None else Done(number, future.result()))
        return found


def _why_lost(processes: Collection[BaseProcess]) -> str:
    """Why workers ended, and what to do; a process that a signal has ended has a negative exit code.

    The pool ends all its processes when one is lost. Its own thread waits for them, too, so for a moment the exit code
    of a process that has ended may be unknown.
    """
    patience = time.monotonic() + _PATIENCE
    while any(process.exitcode is None for process in processes) and time.monotonic() < patience:
        time.sleep(0.01)
    if any(process.exitcode is not None and process.exitcode > 0 for process in processes):
        return (
            "a worker ended with an error, which stands above; each worker imports the script that starts it, so the "
            'script must do that below `if __name__ == "__main__":`'
        )
    return "a worker was killed (out of memory?); run again with fewer --workers; --resume keeps what is done"


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for matrices in processes that are started in the block."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: value or "1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


_work: bytes = b""
_function: Callable[[Any], Any] | None = None


def _begin(work: bytes) -> None:
    global _work  # noqa: PLW0603  (a process has one work)
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent reports the interruption
    Thread(target=_end_with_parent, daemon=True).start()


def _do(part: Any) -> Any:  # noqa: ANN401
    global _function  # noqa: PLW0603
    _function = _function or unpacked_work(_work).begin()
    return _function(part)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
