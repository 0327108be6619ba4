"""The entry point of `augment-ru`: runs the command line and sets the exit code."""

import gc
import io
import math
import os
import signal
import sys
import time
from threading import Timer
from types import FrameType
from typing import NoReturn

from augment_ru.errors import Terminated
from augment_ru.signals import HeldSignals

_YOUNG = 50_000
"""After this many new objects Python searches for cycles; a chunk of rows makes tens of thousands, but no cycle."""


_ENDING = 3.0
"""For this many seconds after a signal, others are ignored; a later one ends the run again, in case it hangs."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""The variables that say how many threads NumPy's OpenBLAS uses."""
_WITH_MKL = ("x86_64", "AMD64")
"""Machines for which torch brings MKL."""


def main() -> NoReturn:
    """Run the command line.

    Exit codes: 0 success, 1 an error in the data or during the run, 2 wrong usage, 130 interrupted, 143 terminated.
    """
    try:
        _prepare()
        with HeldSignals():  # an interrupted import may become an error of another class
            from augment_ru.cli.main import cli  # noqa: PLC0415  (imports take time; the handlers must be set before)

        gc.freeze()
        gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
        code = cli(prog_name="augment-ru")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(code)


def _prepare() -> None:
    """Set the handlers of signals, the error handling of the output streams, and the number of NumPy's threads.

    A signal that is ignored (nohup) stays ignored.

    NumPy gets one thread unless the environment says otherwise: its matrices here are small, and on a busy machine its
    threads wait for each other half of the time. `--workers` uses more processors. On machines that `_WITH_MKL`
    lacks, torch may compute with OpenBLAS, too, and needs its threads.
    """
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE")
    if machine in _WITH_MKL and not any(name in os.environ for name in _THREADS):
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported
    ends = _Ends()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, ends)
    sys.unraisablehook = ends.again
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals that cannot show Cyrillic


class _Ends:
    """Handles signals that end a run.

    For `_ENDING` seconds after a signal, further ones are ignored, so that they do not interrupt the clean-up.
    """

    def __init__(self) -> None:
        self._until, self._number = -math.inf, 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raise the exception that ends the run.

        Raises:
            KeyboardInterrupt: the signal is SIGINT.
            Terminated: the signal is another one.
        """
        del frame
        if time.monotonic() < self._until:
            return
        self._until, self._number = time.monotonic() + _ENDING, number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated(128 + number)

    def again(self, lost: "sys.UnraisableHookArgs") -> None:
        """Handle an exception that Python has dropped, as it does in a `__del__`.

        If a signal raised the exception, send this process the signal again; otherwise show the exception.
        """
        if not isinstance(lost.exc_value, KeyboardInterrupt | Terminated):
            sys.__unraisablehook__(lost)
            return
        self._until = -math.inf
        timer = Timer(0.01, os.kill, (os.getpid(), self._number))
        timer.daemon = True
        timer.start()


if __name__ == "__main__":
    main()
