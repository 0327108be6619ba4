"""Runs in several processes, killed and resumed: the bytes of one process, and no part is done twice."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from commands import PATIENCE, fails, run, started, wait_until, write
from profiles import IS_FULL

TEXT = "кошка спит на тёплом окне и смотрит вниз где едет трамвай а Маша купила билет"
WORDS = TEXT.split()
PARTS = ("--part-size", "0.05")
CALM = ("--attack", "butterfingers", "--similarity", "none", "--no-constraints")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12,000 rows in about 40 parts of `PARTS`."""
    random_ = random.Random(5)
    rows = ({"id": at, "text": " ".join(random_.choices(WORDS, k=9)), "label": at % 2} for at in range(12_000))
    return write(tmp_path_factory.mktemp("many") / "in.jsonl", *rows)


@pytest.fixture
def source(many: Path, tmp_path: Path) -> Path:
    """A copy of these rows."""
    return Path(shutil.copy(many, tmp_path))


@pytest.fixture
def few(source: Path) -> Path:
    """Fewer of these rows in the quick profile, for runs that nothing has to meet halfway."""
    if not IS_FULL:
        source.write_text("\n".join(source.read_text().splitlines()[:3_000]))
    return source


def command(source: Path, target: Path, *options: str, name: str = "perturb") -> list[str]:
    return [name, str(source), "-o", str(target), *PARTS, *options]


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def whole_parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".out.*.parts/0*"))


def children(pid: int) -> list[int]:
    """The processes that the threads of a process have started."""
    return [int(one) for path in Path(f"/proc/{pid}/task").glob("*/children") for one in path.read_text().split()]


def test_two_processes_write_the_bytes_of_one(few: Path) -> None:
    """From a file and from stdin; in the quick profile a killed run, below, has the file."""
    source = few
    one, two = source.with_name("one.jsonl"), source.with_name("two.jsonl")
    assert run("perturb", source, "-o", one, *CALM).returncode == 0
    if IS_FULL:
        done = run("perturb", source, "-o", two, *CALM, *PARTS, "--workers", "2")
        assert done.returncode == 0, done.stderr.decode()
        assert two.read_bytes() == one.read_bytes()
    piped = run("perturb", "-", *CALM, *PARTS, "--workers", "2", stdin=source.read_bytes())
    assert piped.stdout == one.read_bytes()
    assert leftovers(source.parent) == []


def test_the_first_error_of_the_input_is_reported(few: Path) -> None:
    """Also if a later one is met before it; the line is that of one process."""
    source = few
    lines = source.read_text().splitlines()
    lines[-200] = lines[300] = "{"
    source.write_text("\n".join(lines))
    expected = fails(1, "perturb", source, "-o", source.with_name("one.jsonl"), *CALM)
    assert "line 301: not JSON" in expected
    arguments = ("perturb", source, "-o", source.with_name("two.jsonl"), *CALM, *PARTS, "--workers", "2")
    found = fails(1, *arguments, forks=True)
    assert found == expected
    assert sorted(path.name for path in source.parent.iterdir()) == ["in.jsonl"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds child processes in /proc")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_an_ended_run_leaves_nothing_and_nobody(source: Path, stop: signal.Signals) -> None:
    source.write_bytes(source.read_bytes() * 10)
    target = source.with_name("out.jsonl")
    process = started(command(source, target, *CALM, "--workers", "2"), stderr=subprocess.PIPE)
    wait_until(lambda: len(children(process.pid)) >= 3)  # two workers, and what cleans up after them
    workers = children(process.pid)
    time.sleep(0.5)
    process.send_signal(stop)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode in {130, 143}, said.decode()
    assert len(said.decode().split("\n")) <= 3
    assert b"augment-ru: error: " in said
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert sorted(path.name for path in source.parent.iterdir()) == ["in.jsonl"]


def test_a_killed_run_goes_on(source: Path) -> None:
    """SIGKILL at any moment: whole parts are kept, the others are done anew, the bytes are those of one process."""
    if not IS_FULL:
        source.write_text("".join(source.read_text().splitlines(keepends=True)[:6_000]))
    one, target = source.with_name("one.jsonl"), source.with_name("out.jsonl")
    assert run("perturb", source, "-o", one, *CALM, "--report", source.with_name("one.json")).returncode == 0
    for workers in ("1", "2"):
        _kill_and_go_on(source, target, *CALM, "--workers", workers, "--resume")
        assert target.read_bytes() == one.read_bytes()
        assert source.with_name("out.json").read_bytes() == source.with_name("one.json").read_bytes()
        assert leftovers(source.parent) == []
        target.unlink()


def _kill_and_go_on(source: Path, target: Path, *options: str) -> None:
    moments = (1, 5, 12) if IS_FULL else (5,)
    for wanted in moments:
        process = started(command(source, target, *options), stderr=subprocess.PIPE)
        wait_until(lambda: len(whole_parts(source.parent)) >= wanted)  # noqa: B023
        process.kill()
        process.communicate()
        assert not target.exists()
    kept = len(whole_parts(source.parent))
    done = run(*command(source, target, *options, "--report", str(source.with_name("out.json"))))
    assert done.returncode == 0, done.stderr.decode()
    (said,) = re.findall(r"(\d+) parts kept", done.stderr.decode())
    assert int(said) == kept >= moments[-1]


def leave_parts(source: Path, target: Path) -> None:
    """Let a run end in an error at the last line, so that the parts before it are left; mend the line."""
    whole = source.read_text()
    source.write_text(f"{whole}\n{{")
    fails(1, *command(source, target, *CALM, "--resume"))
    source.write_text(whole)
    assert whole_parts(source.parent)


def test_parts_of_another_run_are_not_taken(few: Path) -> None:
    source, target = few, few.with_name("out.jsonl")
    leave_parts(source, target)
    said = fails(1, *command(source, target, *CALM, "--resume", "--seed", "7"))
    assert "--seed was None and is 7; give it as before, or run without --resume" in said
    assert whole_parts(source.parent)
    swept = run(*command(source, target, *CALM, "--seed", "7", "--workers", "1"))
    assert swept.returncode == 0
    assert leftovers(source.parent) == []


def test_only_changed_parts_are_done_anew(few: Path) -> None:
    source, target = few, few.with_name("out.jsonl")
    lines = source.read_text().splitlines()
    source.write_text("\n".join([*lines[:-1], "{"]))
    assert run(*command(source, target, *CALM, "--resume")).returncode == 1
    kept = len(whole_parts(source.parent))
    source.write_text("\n".join(lines))
    done = run(*command(source, target, *CALM, "--resume"))
    assert f"{kept} parts kept".encode() in done.stderr
    one = source.with_name("one.jsonl")
    run("perturb", source, "-o", one, *CALM)
    assert target.read_bytes() == one.read_bytes()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owner")
def test_a_folder_that_others_can_write_to_is_not_trusted(few: Path) -> None:
    source, target = few, few.with_name("out.jsonl")
    leave_parts(source, target)
    (folder,) = source.parent.glob(".out.*.parts")
    folder.chmod(0o777)
    assert "others can write to it" in fails(1, *command(source, target, *CALM, "--resume"))
    for part in folder.glob("0*"):  # a damaged part is none
        part.write_bytes(part.read_bytes()[:-1])
    folder.chmod(0o700)
    done = run(*command(source, target, *CALM, "--resume"))
    assert done.returncode == 0
    assert b"kept" not in done.stderr


def test_attack_in_parts(tmp_path: Path) -> None:
    """Also from stdin, which is read for the labels first."""
    rows = [{"id": at, "text": " ".join(WORDS[at : at + 5]), "label": at % 2} for at in range(8)]
    source = write(tmp_path / "in.jsonl", *rows)
    options = ("--model", f"linear:{source}", *CALM, "--cache", str(tmp_path / "cache"))
    one = run("attack", source, *options)
    assert one.returncode == 0, one.stderr.decode()
    more = ("--workers", "2", "--part-size", "0.0005")
    two = run("attack", "-", *options, *more, stdin=source.read_bytes(), forks=True)
    assert two.stdout == one.stdout
    assert b"8 rows in; " in two.stderr
    assert len(one.stdout.splitlines()) == 8
