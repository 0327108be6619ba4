"""The same work on many parts of an input, in this process or by an engine elsewhere; `in_order` orders the results.

The result of a part depends only on the work and on the part. So the output does not depend on the number of workers,
on the order in which parts end, or on parts that are done twice because a machine was lost.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeVar

from augment_ru.errors import AugmentError
from augment_ru.run.processes import Processes
from augment_ru.run.work import Done, Engine

Part = TypeVar("Part")
Outcome = TypeVar("Outcome")

_AHEAD = 2
"""The most parts for each worker that an engine is given at a time; more than one, so that no worker is idle."""

_APART = 4
"""The most parts for each worker that are in memory: from the first unfinished part to the last part read."""


LOCAL = "local"
RAY = "ray"


def engine_of(name: str, workers: int | None) -> Engine | None:
    """Return the engine of this name, which does the parts of a run elsewhere; None if this process does them.

    Args:
        name: `local`, `ray` or `ray:ADDRESS`.
        workers: how many parts are done at a time. None means one with `local`, and with `ray` as many as the cluster
            has processors.

    Raises:
        AugmentError: the name is unknown, the engine is not installed, or `workers` is below 1.
    """
    kind, _, address = name.partition(":")
    if workers is not None and workers < 1:
        raise AugmentError(f"`workers` {workers}; needs a number from 1 on")
    if name == LOCAL:
        return None if workers in (None, 1) else Processes(workers)
    if kind != RAY:
        raise AugmentError(f"`engine` {name}: possible: {LOCAL}, {RAY}, {RAY}:ADDRESS")
    from augment_ru.run.ray import Ray  # noqa: PLC0415  (an extra)

    return Ray(address, workers)


def in_order(
    engine: Engine | None,
    work: Callable[[Part], Outcome],
    parts: Iterable[Part],
    find: Callable[[Part], Outcome | None] = lambda _part: None,
    save: Callable[[Part, Outcome], object] = lambda _part, _outcome: None,
) -> Generator[tuple[Part, Outcome], None, None]:
    """Do all parts of a run, and yield each part with its result, in the order of `parts`.

    The parts may end in another order. Only a few parts are read ahead, so that few are in memory.

    Args:
        engine: does the parts; None if this process does them, one after another.
        work: what is done with each part.
        parts: the parts; each is read when it is needed.
        find: returns the result of a part that an earlier run stored; None if there is none.
        save: stores the result of a part, as soon as it is done, for a later run.

    Raises:
        BaseException: the error that a part, or reading `parts`, raised. All earlier parts are yielded before it.
    """
    if engine is not None:
        yield from _by_engine(engine, work, parts, find, save)
        return
    for part in parts:
        if (outcome := find(part)) is None:
            outcome = work(part)
            save(part, outcome)
        yield part, outcome


def _by_engine(
    engine: Engine,
    work: Callable[[Part], Outcome],
    parts: Iterable[Part],
    find: Callable[[Part], Outcome | None],
    save: Callable[[Part, Outcome], object],
) -> Iterator[tuple[Part, Outcome]]:
    errors: list[Exception] = []
    coming = enumerate(_up_to_error(parts, errors))
    row: dict[int, Part] = {}  # the parts that were read and not yielded yet, in order
    done: dict[int, Done] = {}
    running, is_read = 0, False
    with engine.session(work) as session:
        while row or not is_read:
            while not is_read and running < _AHEAD * session.workers and len(row) < _APART * session.workers:
                if (following := next(coming, None)) is None:
                    is_read = True
                    break
                number, part = following
                row[number] = part
                if (known := find(part)) is None:
                    session.submit(number, part)
                    running += 1
                else:
                    done[number] = Done(number, known)
            while row and (first := done.pop(next(iter(row)), None)):
                part = row.pop(first.number)
                if first.error is not None:
                    raise first.error
                yield part, first.outcome
            for one in session.wait() if running else ():
                running -= 1
                done[one.number] = one
                is_read |= one.error is not None  # what comes after an error is not needed
                if one.error is None:
                    save(row[one.number], one.outcome)
        for error in errors:
            raise error


def _up_to_error(parts: Iterable[Part], errors: list[Exception]) -> Iterator[Part]:
    """Yield the parts; an error that reading them raises ends them and is put into `errors`."""
    try:
        yield from parts
    except Exception as error:  # noqa: BLE001  (it is raised when it is its turn)
        errors.append(error)
