"""The interface between work in parts and the engines that run it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

Part_contra = TypeVar("Part_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Work(Protocol[Part_contra, Outcome_co]):
    """The work to be done with each part. The work, the parts and the outcomes can be pickled."""

    def begin(self) -> Callable[[Part_contra], Outcome_co]:
        """Load what the work needs, once in each worker process, and return the function that does one part."""


class Done(NamedTuple):
    """The result of a part: its number, its outcome, and the error that it ended with, if any."""

    number: int
    outcome: Any
    error: BaseException | None = None


class Session(Protocol):
    """An engine while it does one piece of work."""

    @property
    def workers(self) -> int:
        """How many parts are done at a time at the moment."""

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401  (a part of the session's work)
        """Hand over a part to be done; `number` identifies it in `Done`."""

    def wait(self) -> Sequence[Done]:
        """Wait until at least one part is done; return the finished parts in any order."""


class Engine(Protocol):
    """Runs work somewhere, such as in this process or on a cluster."""

    def session(self, work: Work[Any, Any]) -> AbstractContextManager[Session]:
        """Begin work; parts that are not done when the block ends are abandoned."""
