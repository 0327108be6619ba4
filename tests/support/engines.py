"""An engine for tests: parts are done in this process in a random order, and are pickled as between processes."""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from augment_ru.jobs.rows import RunSplit
from augment_ru.run.work import Done, Engine, Session, Work, shipped, unpacked_work


@dataclass(frozen=True, slots=True)
class Shuffled:
    """An engine that does the parts of several workers in a random order."""

    workers: int
    seed: int

    @contextmanager
    def session(self, work: Work) -> Iterator[Session]:
        yield _Session(self.workers, Random(self.seed), shipped(work))


class _Session:
    def __init__(self, workers: int, random: Random, work: bytes) -> None:
        self.workers, self._random, self._work = workers, random, work
        self._waiting: list[tuple[int, bytes]] = []

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401
        self._waiting.append((number, pickle.dumps(part)))

    def wait(self) -> Sequence[Done]:
        assert len(self._waiting) <= 2 * self.workers
        number, part = self._waiting.pop(self._random.randrange(len(self._waiting)))
        try:
            outcome = unpacked_work(self._work)(pickle.loads(part))  # noqa: S301
        except Exception as error:  # noqa: BLE001
            return [Done(number, None, pickle.loads(pickle.dumps(error)))]  # noqa: S301
        return [Done(number, pickle.loads(pickle.dumps(outcome)))]  # noqa: S301


@dataclass(frozen=True, slots=True)
class ShuffledSplit(RunSplit):
    """The settings of a run whose parts are done by `Shuffled`."""

    seed: int = 0

    @property
    def has_parts(self) -> bool:
        return True

    def made(self) -> Engine:
        return Shuffled(self.workers or 1, self.seed)
