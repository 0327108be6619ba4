"""Workers: a signal while they are started ends the run as any other does."""

import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NoReturn

import pytest

from augment_ru.errors import Terminated
from augment_ru.run.processes import Processes


class _Same:
    """Work that gives each part back."""

    def begin(self) -> Callable[[Any], Any]:
        """The function."""
        return _same


def _same(part: object) -> object:
    return part


def _ends(number: int, frame: object) -> NoReturn:
    del frame
    raise Terminated(128 + number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_workers_are_started(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """It then ends the run; a pool that is half started could not be ended."""
    submit, started = ProcessPoolExecutor.submit, []

    def interrupted(*given: Any, **options: Any) -> Any:  # noqa: ANN401
        signal.raise_signal(number)
        found = submit(*given, **options)
        started.append(found)
        return found

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    before = signal.signal(number, _ends)
    try:
        with pytest.raises(Terminated) as found, Processes(2).session(_Same()) as session:
            session.submit(0, "part")
        assert found.value.code == 128 + number
        assert len(started) == 1
        assert signal.getsignal(number) is _ends
    finally:
        signal.signal(number, before)
