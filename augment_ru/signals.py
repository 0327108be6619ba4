"""Holds back the signals that end a run while code runs that must not be interrupted."""

import signal
from threading import current_thread, main_thread
from typing import Any, Self

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The numbers of the signals that end a run; Windows has no SIGHUP."""


class HeldSignals:
    """Context manager: holds signals (such as Ctrl-C) back until its block ends or `deliver` is called.

    Outside the main thread it does nothing.

    Attributes:
        came: the numbers of the signals that came and were not delivered yet, in the order in which they came.

    Raises:
        BaseException: the handler of a held signal raised an error at the end of the block.
    """

    def __init__(self) -> None:
        self.came: list[int] = []
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            handlers = {number: signal.getsignal(number) for number in _ENDING}
            self._handlers = {number: one for number, one in handlers.items() if one is not signal.SIG_IGN}
            try:
                for number in self._handlers:
                    signal.signal(number, lambda number, _: self.came.append(number))
            except BaseException:  # one that came before its turn
                self._restore()
                raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._restore()
        except BaseException:  # a handler that is back already raised
            self._restore()
            raise
        self.deliver()

    def _restore(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def deliver(self) -> None:
        """Pass the first signal that was held back, if any, to its usual handler, which may end the run.

        Raises:
            BaseException: the handler raises it.
        """
        if not self.came:
            return
        number = self.came.pop(0)
        handler = self._handlers[number]
        if callable(handler):
            handler(number, None)
        else:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
