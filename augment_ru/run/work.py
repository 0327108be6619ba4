"""The interface between work in parts and the engines that run it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

Part_contra = TypeVar("Part_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Work(Protocol[Part_contra, Outcome_co]):
    """What is done with each part of a run's input. The work, the parts and their results can be pickled."""

    def begin(self) -> Callable[[Part_contra], Outcome_co]:
        """Load what the work needs, and return the function that does a part and returns its result.

        It is called once in each worker process.
        """


class Done(NamedTuple):
    """What came of a part of a run: its result or an error.

    Attributes:
        number: the number by which the part was submitted (`Session.submit`).
        outcome: its result; None if an error ended it.
        error: the error that ended it; None if there was no error.
    """

    number: int
    outcome: Any
    error: BaseException | None = None


class Session(Protocol):
    """An engine at work: it is given parts of a run and returns their results."""

    @property
    def workers(self) -> int:
        """How many parts can be done at the same time now."""

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401  (a part of the session's work)
        """Give the engine a part to do.

        Args:
            number: a number that identifies the part in `Done`.
            part: the part.
        """

    def wait(self) -> Sequence[Done]:
        """Wait until at least one part is done; return what came of the finished parts, in any order."""


class Engine(Protocol):
    """Does the parts of a run somewhere, such as in this process or on a cluster."""

    def session(self, work: Work[Any, Any]) -> AbstractContextManager[Session]:
        """Return a context manager that yields a session, which does parts; parts not done when it ends are abandoned.

        Args:
            work: what is done with each part.
        """
