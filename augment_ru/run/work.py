"""The interface between work in parts and the engines that run it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

Part_contra = TypeVar("Part_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Work(Protocol[Part_contra, Outcome_co]):
    """The interface of what is done with each part of a run's input. Work, parts and results must be picklable."""

    def begin(self) -> Callable[[Part_contra], Outcome_co]:
        """Load what the work needs, and return a function that does a part and returns its result.

        `begin` is called once in each worker process.
        """


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
    """The interface of what does the parts of a run: this process, several processes, or a cluster."""

    def session(self, work: Work[Any, Any]) -> AbstractContextManager[Session]:
        """Start the engine: return a context manager that yields a session, to which parts of a run are given.

        At the end of the `with` block, parts that are not finished are abandoned.

        Args:
            work: what is done with each part.
        """
