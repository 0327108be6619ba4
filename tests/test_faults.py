"""A few cases of every fuzzer (`python -m tests.long` runs them long), and that a fuzzer finds what it looks for."""

from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

pytest.importorskip("resource", reason="limits of Unix")

from faults.catalogue import FUZZERS
from faults.fuzzer import Case, Failure, Fault, Fuzzer, command_of, generator, told, tried
from faults.main import main
from profiles import IS_FULL

_CASES = {
    "perturbations": 2, "third-party": 20, "files": 40, "commands": 40, "manifests": 60, "tampering": 10, "recipes": 15,
    "rules": 15, "caches": 40, "models": 4, "servers": 12, "kills": 3, "kills-ray": 1,
}  # fmt: skip
_SEED = 16


@pytest.mark.parametrize("name", FUZZERS)
def test_no_case_breaks_a_promise(name: str, tmp_path: Path) -> None:
    fuzzer = FUZZERS[name](tmp_path)
    failures = [tried(fuzzer, _SEED, number)[1] for number in range(_CASES[name] if IS_FULL else -(-_CASES[name] // 3))]
    assert [told(_SEED, failure) for failure in failures if failure] == []


class _Planted(Fuzzer):
    """Breaks where a text holds both letters of a pair, and takes for ever where it holds a third."""

    name: ClassVar[str] = "planted"
    unit: ClassVar[str] = "texts"
    goal: ClassVar[int] = 10
    seconds: ClassVar[float] = 0.2

    def draw(self, random: Random) -> Case:
        """Three texts, of which one breaks."""
        bad = "".join(random.sample("абвгдежзик" + "xy", 12))
        return Case(["ок", bad, "и ещё"], {"kept": 1})

    def check(self, case: Case) -> int:
        """Look for the pair."""
        pieces = list(case.pieces)
        if any("x" in text and "y" in text for text in pieces):
            raise Fault("x and y")
        while any("z" in text for text in pieces):
            pass
        if any("m" in text for text in pieces):
            bytearray(2**40)
        return len(pieces)


def test_a_failure_is_found_and_made_small(tmp_path: Path) -> None:
    _, failure = tried(_Planted(tmp_path), 1, 0)
    assert failure is not None
    assert (failure.fuzzer, failure.number, failure.message) == ("planted", 0, "x and y")
    assert failure.shown in {"{'kept': 1} ['xy']", "{'kept': 1} ['yx']"}
    assert command_of(1, failure) == "python -m tests.long --seed 1 --only planted --case 0"


@pytest.mark.parametrize(("letter", "message"), [("z", "took over 0 s"), ("m", "MemoryError: ")])
def test_time_and_memory_have_bounds(letter: str, message: str, tmp_path: Path) -> None:
    class Other(_Planted):
        """Of one text."""

        def draw(self, random: Random) -> Case:
            """The text."""
            del random
            return Case([letter])

    _, failure = tried(Other(tmp_path), 1, 0)
    assert failure is not None
    assert failure.message.startswith(message)


def test_a_case_depends_on_seed_fuzzer_and_number_alone(tmp_path: Path) -> None:
    fuzzer = FUZZERS["third-party"](tmp_path)
    cases = [fuzzer.draw(generator(1, fuzzer, 5)) for _ in range(2)]
    assert cases[0] == cases[1]
    assert fuzzer.draw(generator(1, fuzzer, 6)) != cases[0]


def test_a_run_ends_with_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUZZERS, "planted", _Planted)
    assert main(["--minutes", "0.01", "--seed", "3", "--only", "planted"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("seed 3\n")
    assert "again: python -m tests.long --seed 3 --only planted --case 0" in said
    row = said.strip().split("\n")[-1]
    assert row.startswith("| `planted` | ")
    assert row.endswith(" | 1 |")
    assert Failure("a", 1, "at 15", "").kind == Failure("a", 2, "at 27", "").kind
