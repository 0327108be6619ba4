"""The seam of work in parts: what is done with each part, and where."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

Part_contra = TypeVar("Part_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Work(Protocol[Part_contra, Outcome_co]):
    """What is done with each part. It can be pickled, and so can parts and outcomes."""

    def begin(self) -> Callable[[Part_contra], Outcome_co]:
        """Load what the work needs, once in each process that works; the function that does one part."""


class Done(NamedTuple):
    """What became of a part: its number, its outcome, and the error that it ended with, if any."""

    number: int
    outcome: Any
    error: BaseException | None = None


class Session(Protocol):
    """An engine at one piece of work."""

    @property
    def workers(self) -> int:
        """How many parts are done at a time, now."""

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401  (a part of the session's work)
        """Let a part be done; `number` names it."""

    def wait(self) -> Sequence[Done]:
        """Wait until parts are done, and give them in any order."""


class Engine(Protocol):
    """Where work runs."""

    def session(self, work: Work[Any, Any]) -> AbstractContextManager[Session]:
        """Begin work; parts that are not done when the block ends are given up."""
