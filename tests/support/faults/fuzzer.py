"""What a fuzzer is, what happens in a case of it, and how a failure is made small."""

import faulthandler
import resource
import signal
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar

MEMORY = 3 * 2**30
"""Bytes that a case may take beside what the process has."""

_SHRINK_SECONDS, _SHRINK_CHECKS = 60.0, 300
_WAIT, _TICK = 4.0, 0.01
"""How many times its processor time a case may take by the clock: others may use the processors, too.
And the seconds after which it is asked again whether a case is late."""


class Fault(Exception):  # noqa: N818  (what a fuzzer looks for)
    """A promise that was broken."""


class TooSlow(BaseException):
    """A case took too long; no handler of errors may catch it."""


@dataclass(frozen=True)
class Case:
    """What is tried.

    Attributes:
        pieces: what can be left out, one by one, to find what a failure needs.
        settings: what stays.
    """

    pieces: Sequence[Any]
    settings: dict[str, Any] = field(default_factory=dict)


class Fuzzer(ABC):
    """Draws cases and checks them.

    Args:
        folder: an empty folder for its files.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    """What is counted."""
    goal: ClassVar[int]
    """How many units a full run tries."""
    share: ClassVar[float] = 1.0
    """Its part of the time, beside those of the others."""
    seconds: ClassVar[float] = 30.0
    """The most processor time that a case may take; by the clock it may take some times as long, on a busy machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: dict[str, int] = {}
        """What became of the cases, counted."""

    @abstractmethod
    def draw(self, random: Random) -> Case:
        """A case; the same for the same state of the generator."""

    @abstractmethod
    def check(self, case: Case) -> int:
        """Try a case; how many units it was. Raises an error, of any kind, if a promise is broken."""

    def note(self, what: str) -> None:
        """Count something."""
        self.notes[what] = self.notes.get(what, 0) + 1

    def shown(self, case: Case) -> str:
        """A case for a reader."""
        settings = f"{case.settings} " if case.settings else ""
        return f"{settings}{list(case.pieces)!r}"


@dataclass(frozen=True)
class Failure:
    """What broke a promise."""

    fuzzer: str
    number: int
    message: str
    shown: str

    @property
    def kind(self) -> str:
        """The message without its numbers, so that equal failures are reported once."""
        return f"{self.fuzzer}: " + "".join(char for char in self.message if not char.isdigit())[:160]


def generator(seed: int, fuzzer: Fuzzer, number: int) -> Random:
    """The random numbers of a case: they depend on the seed, the fuzzer and the number of the case alone."""
    return Random(f"{seed}/{fuzzer.name}/{number}")


@contextmanager
def limits(seconds: float) -> Iterator[None]:
    """Stop what takes more processor time, much longer by the clock, or more memory than a case may."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    alarm = _Alarm(seconds)
    before = signal.signal(signal.SIGALRM, alarm.ring)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MEMORY, hard))
        faulthandler.dump_traceback_later(10 * seconds, exit=True)  # code that never comes back to Python
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        try:
            alarm.is_on = False
        finally:  # it rings once at most, so not in here
            alarm.is_on = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
            faulthandler.cancel_dump_traceback_later()
            signal.signal(signal.SIGALRM, before)
    if alarm.is_late():
        raise TooSlow


class _Alarm:
    """Ends a case that takes too long, unless it is off."""

    def __init__(self, seconds: float) -> None:
        self.is_on = True
        self._ends, self._used_up = time.monotonic() + _WAIT * seconds, time.process_time() + seconds

    def is_late(self) -> bool:
        """Whether the case has taken too long."""
        return time.process_time() > self._used_up or time.monotonic() > self._ends

    def ring(self, number: int, frame: object) -> None:
        """End the case, or ring again when it may be late."""
        del number, frame
        if not self.is_on:
            return
        if self.is_late():
            raise TooSlow
        signal.setitimer(signal.ITIMER_REAL, max(self._used_up - time.process_time(), 0) + _TICK)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def problem_of(fuzzer: Fuzzer, case: Case) -> tuple[int, str | None]:
    """How many units a case is, and what it breaks; None if it breaks nothing."""
    try:
        with limits(fuzzer.seconds):
            return fuzzer.check(case), None
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except TooSlow:
        return 1, f"took over {fuzzer.seconds:.0f} s"
    except Fault as fault:
        return 1, str(fault)
    except BaseException as error:  # noqa: BLE001  (SystemExit, too, is a failure)
        return 1, f"{type(error).__name__}: {str(error)[:300]} ({_where(error)})"


def _where(error: BaseException) -> str:
    """The last place in augment-ru that an error passed."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "augment_ru" in frame.filename] or frames[-1:]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"


def tried(fuzzer: Fuzzer, seed: int, number: int) -> tuple[int, Failure | None]:
    """Try the case of a number; how many units it was, and the failure in its smallest form."""
    case = fuzzer.draw(generator(seed, fuzzer, number))
    count, problem = problem_of(fuzzer, case)
    if problem is None:
        return count, None
    small = _smallest(fuzzer, case, problem)
    return count, Failure(fuzzer.name, number, problem, fuzzer.shown(small))


def _smallest(fuzzer: Fuzzer, case: Case, problem: str) -> Case:
    """The case with as few pieces, and of texts as few characters, as still break something."""
    deadline, left = time.monotonic() + _SHRINK_SECONDS, [_SHRINK_CHECKS]

    def fails(pieces: Sequence[Any]) -> bool:
        if not pieces or time.monotonic() > deadline or left[0] <= 0:
            return False
        left[0] -= 1
        again = problem_of(fuzzer, Case(pieces, case.settings))[1]
        return again is not None and again[:20] == problem[:20]

    pieces = list(_without(list(case.pieces), fails))
    for at, piece in enumerate(pieces):
        if isinstance(piece, str):
            found = _without(list(piece), lambda chars, at=at: fails([*pieces[:at], "".join(chars), *pieces[at + 1 :]]))
            pieces[at] = "".join(found)
    return Case(pieces, case.settings)


def _without(items: list[Any], fails: Any) -> list[Any]:  # noqa: ANN401  (a function from items to a truth value)
    """As few of the items as still fail (delta debugging: parts are left out, smaller and smaller ones)."""
    size = len(items) // 2
    while size:
        at = 0
        while at < len(items):
            rest = items[:at] + items[at + size :]
            if fails(rest):
                items = rest
            else:
                at += size
        size //= 2
    return items


def command_of(seed: int, failure: Failure) -> str:
    """The command that repeats a failure."""
    return f"python -m tests.long --seed {seed} --only {failure.fuzzer} --case {failure.number}"


def told(seed: int, failure: Failure) -> str:
    """A failure for a reader."""
    return f"{failure.fuzzer}: {failure.message}\n  {failure.shown[:3000]}\n  again: {command_of(seed, failure)}"


def say(text: str) -> None:
    """Print at once."""
    print(text, file=sys.stdout, flush=True)
