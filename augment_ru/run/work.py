"""The interface between work in parts and the engines that run it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

Part_contra = TypeVar("Part_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Work(Protocol[Part_contra, Outcome_co]):
    """The work to be done with each part of a run. The work, the parts and the outcomes can be pickled."""

    def begin(self) -> Callable[[Part_contra], Outcome_co]:
        """Load what the work needs, and return the function that does a part. Called once in each worker process."""


class Done(NamedTuple):
    """The result of a part.

    Attributes:
        number: the number of the part.
        outcome: its outcome; None if an error ended it.
        error: the error that ended it; None if there was no error.
    """

    number: int
    outcome: Any
    error: BaseException | None = None


class Session(Protocol):
    """An engine while it does one piece of work."""

    @property
    def workers(self) -> int:
        """How many parts can be done at the same time now."""

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401  (a part of the session's work)
        """Give the engine a part to do. `number` identifies it in `Done`."""

    def wait(self) -> Sequence[Done]:
        """Wait until at least one part is done; return the finished parts in any order."""


class Engine(Protocol):
    """Runs work somewhere, such as in this process or on a cluster."""

    def session(self, work: Work[Any, Any]) -> AbstractContextManager[Session]:
        """Return a context manager that yields a session for the work; parts not done when it ends are abandoned."""
