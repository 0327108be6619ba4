"""Workers: signals, killed processes and errors end a run, and nothing waits forever."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import NoReturn

import pytest

from augment_ru.errors import AugmentError, Terminated
from augment_ru.run.processes import Processes
from profiles import IS_FULL, pairs

LARGE = 50_000_000
"""Bytes of an answer that takes long to hand over."""


class _UntravelledError(Exception):
    """An error that cannot be made from its message alone."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def _done(part: object) -> object:
    """Work that does what a part says."""
    if part == "busy":
        Thread(target=time.sleep, args=(60,)).start()
    if part == "large":
        return bytes(LARGE)
    if part == "forked" and not os.fork():
        time.sleep(30)
        os._exit(0)
    if part in {"killed", "forked"}:
        os.kill(os.getpid(), signal.SIGKILL)
    if part == "untravelled":
        raise _UntravelledError("кошка", "спит")
    if part == "wrong":
        raise ValueError("enough")
    if part == "ends":
        sys.exit(0)
    if part == "leaves":
        os._exit(3)
    if part == "late":
        time.sleep(60)
    return part


def _outcomes(workers: int, parts: Sequence[str]) -> list[object]:
    """What comes of the parts, None for large ones; the first error is raised."""
    with Processes(workers).session(_done) as session:
        for number, part in enumerate(parts):
            session.submit(number, part)
        found: dict[int, object] = {}
        while len(found) < len(parts):
            for done in session.wait():
                if done.error is not None:
                    raise done.error
                found[done.number] = None if parts[done.number] == "large" else done.outcome
    return [found[number] for number in range(len(parts))]


def _signalled(number: signal.Signals, after: float) -> None:
    timer = Timer(after, os.kill, [os.getpid(), number])
    timer.start()
    try:
        _outcomes(2, ["large"] * 1_000)
    finally:
        timer.cancel()  # it must not meet another test


def _ends(number: int, frame: object) -> NoReturn:
    del frame
    raise Terminated(128 + number)


def _ended(group: int, *, within: float) -> bool:
    """Whether no process of a group is left after so many seconds."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def _no_garbage() -> Iterator[None]:
    """Python drops what a handler raises while it collects garbage; that of other tests may be collected here."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_each_part_has_its_outcome() -> None:
    parts = [f"part {number}" for number in range(20)]
    assert _outcomes(2, parts) == parts


@pytest.mark.usefixtures("_no_garbage")
@pytest.mark.parametrize(("after", "number"), pairs([0.0, 0.05, 0.3, 1.0, 1.5], [signal.SIGINT, signal.SIGTERM]))
def test_a_signal_ends_a_run_at_any_moment(number: signal.Signals, after: float) -> None:
    """Also while a process starts, and while large answers are on their way: a killed process leaves half of one."""
    before = signal.signal(number, _ends)
    begun = time.monotonic()
    try:
        with pytest.raises(Terminated) as found:
            _signalled(number, after)
        assert found.value.code == 128 + number
        assert signal.getsignal(number) is _ends
    finally:
        signal.signal(number, before)
    assert time.monotonic() - begun < 30


def test_an_error_ends_the_parts_that_run() -> None:
    begun = time.monotonic()
    with pytest.raises(ValueError, match="enough"):
        _outcomes(2, ["late", "wrong"])
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("beside", ["large", "late"])
def test_a_killed_worker_is_told_at_once(beside: str) -> None:
    with pytest.raises(AugmentError, match="a worker was killed"):
        _outcomes(2, [beside, "killed"])


def test_a_worker_that_leaves_is_told_with_its_code() -> None:
    with pytest.raises(AugmentError, match="a worker ended with exit code 3"):
        _outcomes(2, ["part", "leaves"])


def test_threads_of_a_part_do_not_hold_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    if not IS_FULL:  # the process whose thread goes on is waited for so long
        monkeypatch.setattr("augment_ru.run.processes._PATIENCE", 1.0)
    begun = time.monotonic()
    assert _outcomes(1, ["busy"]) == ["busy"]
    assert time.monotonic() - begun < 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_killed_worker_is_told_though_what_it_forked_lives() -> None:
    """As the workers of a data loader do, which have the ends of its pipes."""
    begun = time.monotonic()
    with pytest.raises(AugmentError, match="a worker was killed"):
        _outcomes(1, ["forked"])
    assert time.monotonic() - begun < 20


def test_errors_of_a_part_come_back_as_they_can() -> None:
    with Processes(1).session(_done) as session:
        for number, part in enumerate(["untravelled", "ends", "whole"]):
            session.submit(number, part)
        (told,), (ended,), (whole,) = session.wait(), session.wait(), session.wait()
    assert isinstance(told.error, RuntimeError)
    assert "кошка спит" in str(told.error)
    assert "_done" in str(told.error)
    assert isinstance(ended.error, SystemExit)
    assert "in a worker:" in ended.error.__notes__[0]
    assert whole.outcome == "whole"


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
@pytest.mark.parametrize(
    ("between", "numbers"),
    pairs([0.0, 0.002, 0.02], [("SIGTERM", "SIGTERM"), ("SIGHUP", "SIGTERM"), ("SIGINT", "SIGHUP")]),
)
def test_signals_one_after_another_end_a_command_once(tmp_path: Path, numbers: tuple[str, str], between: float) -> None:
    """The second one meets what cleans up behind the first, and must not end it halfway."""
    sent = {getattr(signal, number) for number in numbers}
    if any(signal.getsignal(number) is signal.SIG_IGN for number in sent):
        pytest.skip("whoever runs the tests lets signals be ignored, as nohup does")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "Кошка спит на окне."}\n' * 20_000, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "augment_ru", "perturb", rows, "-o", tmp_path / "out.jsonl", "--attack", "case",
         "--no-constraints", "--similarity", "none", "--workers", "2", "--part-size", "0.1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True,
    )  # fmt: skip
    while process.poll() is None and len(list(tmp_path.iterdir())) == 1:
        time.sleep(0.01)
    time.sleep(0.3)
    for number in numbers:
        os.killpg(process.pid, getattr(signal, number))
        time.sleep(between)
    _, said = process.communicate(timeout=60)
    assert process.returncode in {128 + number for number in sent} | {-number for number in sent}, said
    (line,) = filter(None, said.splitlines())
    assert "no output file was written" in line
    assert list(tmp_path.iterdir()) == [rows]
    assert _ended(process.pid, within=10.0)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
@pytest.mark.parametrize("after", [0.0, 0.03, 0.1, 0.2] if IS_FULL else [0.0, 0.1])
def test_an_interruption_at_the_terminal_is_told_once(tmp_path: Path, after: float) -> None:
    """There, the workers get it, too, some of them before they have begun."""
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, sys\n"
        "from augment_ru.run.processes import Processes\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell ignores it for what it starts with &
        "    with Processes(3).session(repr) as session:\n"
        "        for number in range(3):\n"
        "            session.submit(number, 'part')\n"
        "        try:\n"
        "            print('begun', flush=True)\n"
        "            while True:\n"
        "                session.submit(0, 'part')\n"
        "                session.wait()\n"
        "        except KeyboardInterrupt:\n"
        "            sys.exit(3)\n"
    )
    process = subprocess.Popen([sys.executable, script], stdout=-1, stderr=-1, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, said) == (3, b"")
