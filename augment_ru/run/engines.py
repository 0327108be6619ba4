"""Engines: the same work on many parts, in this process or elsewhere; results come in the order of the parts.

Work is split into parts, each of which is done by itself: what comes of a part depends on the work and on the part
alone. So the number of workers, the order in which parts end, and parts that are done twice after a machine was lost
cannot show in what is written.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from augment_ru.errors import AugmentError
from augment_ru.run.processes import Processes
from augment_ru.run.work import Done, Engine, Session, Work

Part = TypeVar("Part")
Outcome = TypeVar("Outcome")
Part_contra = TypeVar("Part_contra", contravariant=True)

_AHEAD = 2
"""Parts that are given to an engine for each worker, so that no worker is idle."""

_APART = 4
"""Parts for each worker between the first that is not done and the last that is read: they are held in memory."""


class InProcess:
    """Does parts in this process, one after another."""

    @contextmanager
    def session(self, work: Work[Any, Any]) -> Iterator[Session]:
        """Begin work; it is loaded when the first part comes."""
        yield _Here(work)


LOCAL = "local"
RAY = "ray"


def engine_of(name: str, workers: int | None) -> Engine:
    """The engine of a name.

    Args:
        name: local, or ray, or ray:ADDRESS.
        workers: how many parts are done at a time; None for one with local, for all processors with ray.

    Raises:
        AugmentError: there is no such engine, it is not installed, or the number is below 1.
    """
    kind, _, address = name.partition(":")
    if workers is not None and workers < 1:
        raise AugmentError(f"`workers` {workers}; needs a number from 1 on")
    if name == LOCAL:
        return InProcess() if workers in (None, 1) else Processes(workers)
    if kind != RAY:
        raise AugmentError(f"`engine` {name}: possible: {LOCAL}, {RAY}, {RAY}:ADDRESS")
    from augment_ru.run.ray import Ray  # noqa: PLC0415  (an extra)

    return Ray(address, workers)


class _Here:
    workers = 1

    def __init__(self, work: Work[Any, Any]) -> None:
        self._work = work
        self._function: Callable[[Any], Any] | None = None
        self._waiting: deque[tuple[int, Any]] = deque()

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401
        self._waiting.append((number, part))

    def wait(self) -> Sequence[Done]:
        number, part = self._waiting.popleft()
        try:
            self._function = self._function or self._work.begin()
            return [Done(number, self._function(part))]
        except Exception as error:  # noqa: BLE001  (it is raised when it is the part's turn)
            return [Done(number, None, error)]


class Keep(Protocol[Part_contra, Outcome]):
    """Outcomes that outlive the run."""

    def find(self, part: Part_contra) -> Outcome | None:
        """The outcome of a part that an earlier run has done; None if there is none."""

    def save(self, part: Part_contra, outcome: Outcome) -> None:
        """Keep the outcome of a part."""


def in_order(
    engine: Engine,
    work: Work[Part, Outcome],
    parts: Iterable[Part],
    keep: Keep[Part, Outcome] | None = None,
) -> Generator[tuple[Part, Outcome], None, None]:
    """The parts with their outcomes, in the order of the parts, whatever the order in which they are done.

    An outcome is kept as soon as its part is done. Parts are read a few for each worker ahead of the first that is not
    done, and no others are in memory.

    Args:
        engine: does the parts.
        work: what is done with them.
        parts: are read as they are needed.
        keep: outcomes that outlive the run; by default none does.

    Raises:
        BaseException: that of the first part, in their order, that ends with one, or of reading the parts there.
    """
    with engine.session(work) as session:
        row: _Row[Part, Outcome] = _Row(session, enumerate(parts), keep)
        while True:
            row.fill()
            yield from row.ready()
            if row.running:
                row.wait()
            elif row.is_over:
                return


class _Row(Generic[Part, Outcome]):
    """Parts in their order, from the first whose outcome was not yet given to the last that was read."""

    def __init__(self, session: Session, coming: Iterator[tuple[int, Part]], keep: Keep[Part, Outcome] | None) -> None:
        self._session, self._coming, self._keep = session, coming, keep
        self._parts: dict[int, Part] = {}
        self._done: dict[int, Done] = {}
        self._next = self._read = 0
        """The part whose outcome is given next, and the part that is read next."""
        self._ended = False
        self.running = 0
        """How many parts the session has."""

    @property
    def is_over(self) -> bool:
        """Whether every outcome was given."""
        return self._ended and self._next == self._read

    def fill(self) -> None:
        """Read parts, and let those be done that nothing is kept of."""
        workers = self._session.workers
        while not self._ended and self.running < _AHEAD * workers and self._read - self._next < _APART * workers:
            try:
                number, part = next(self._coming)
            except StopIteration:
                self._ended = True
                return
            except Exception as error:  # noqa: BLE001  (it is raised when it is its turn)
                self._ended = True
                self._done[self._read] = Done(self._read, None, error)
                self._read += 1
                return
            self._read += 1
            self._parts[number] = part
            if (found := self._keep and self._keep.find(part)) is None:
                self._session.submit(number, part)
                self.running += 1
            else:
                self._done[number] = Done(number, found)

    def ready(self) -> Iterator[tuple[Part, Outcome]]:
        """The next parts with their outcomes, as far as there are any.

        Raises:
            BaseException: that of a part, when it is its turn.
        """
        while (done := self._done.pop(self._next, None)) is not None:
            self._next += 1
            if done.error is not None:
                raise done.error
            yield self._parts.pop(done.number), done.outcome

    def wait(self) -> None:
        """Take in what the session has done; what comes behind an error is not needed."""
        for done in self._session.wait():
            self.running -= 1
            self._done[done.number] = done
            if done.error is not None:
                self._ended = True
            elif self._keep is not None:
                self._keep.save(self._parts[done.number], done.outcome)
