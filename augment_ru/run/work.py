"""The interface between work in parts and the engines that run it, and how work is sent to other processes."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from augment_ru.registry import load_file, loaded_files

Work: TypeAlias = Callable[[Any], Any]
"""The work on each part of a run's input: a function that does a part and returns its result. It can be pickled, and so
can parts and results; each worker has one copy of it, which loads what it needs for its first part."""


class Done(NamedTuple):
    """A finished part of a run: its result, or the error that ended it.

    Attributes:
        number: the number that was given with the part (`Session.submit`).
        outcome: the result; None if there was an error.
        error: the error; None if there was none.
    """

    number: int
    outcome: Any
    error: BaseException | None = None


class Session(Protocol):
    """An engine that has been started: it is given parts of a run, and returns their results."""

    @property
    def workers(self) -> int:
        """How many parts can be done at the same time now."""

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401  (a part of the session's work)
        """Give the engine a part to do.

        Args:
            number: a number that comes back with the result of the part (`Done.number`).
            part: the part.
        """

    def wait(self) -> Sequence[Done]:
        """Wait until at least one part is finished; return the finished parts, in any order."""


class Engine(Protocol):
    """The interface of an engine, which does the parts of a run in several processes, or on a cluster."""

    def session(self, work: Work) -> AbstractContextManager[Session]:
        """Start the engine: return a context manager that yields a session, to which parts of a run are given.

        At the end of the `with` block, parts that are not finished are abandoned.

        Args:
            work: what is done with each part.
        """


@contextmanager
def set_to_one(names: Sequence[str]) -> Iterator[None]:
    """Set environment variables, such as OMP_NUM_THREADS, to 1 for the programs that the `with` block starts.

    Variables that already have a value keep it. After the block, those that had none are removed.
    """
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: value or "1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def shipped(work: Work) -> bytes:
    """Encode the work of a run as bytes, to send it to a worker that this process started.

    The bytes are a pickle. Decoding a pickle can run code, so never decode one from a file or from another program.
    """
    own = [str(path) for path in loaded_files()]
    return pickle.dumps((own, pickle.dumps(work)))


def unpacked_work(data: bytes) -> Work:
    """Decode, in a worker, the work that `shipped` encoded in the process that started the worker.

    Raises:
        AugmentError: a file of the user's own code does not exist.
    """
    own, work = pickle.loads(data)  # noqa: S301  (made by the process that started this one)
    for path in own:
        load_file(Path(path))  # its classes are known by the module's name
    found: Work = pickle.loads(work)  # noqa: S301
    return found
