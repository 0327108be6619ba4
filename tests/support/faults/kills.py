"""Kills of every command that writes, at random moments: what it writes is whole or absent, and the next run mends."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from commands import write
from faults.fuzzer import Case, Fault, Fuzzer
from releases import recipe
from strategies import SENTENCES

_ROWS = [
    {"text": f"{text} Случай {number}.", "label": str(number % 2)}
    for number, text in enumerate([text for text in SENTENCES if len(text) > 20] * 40)
]
_FAST = ("--attack", "butterfingers", "--no-constraints", "--similarity", "none")
_PATIENCE = 120.0


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Attributes:
        arguments: after `augment-ru`; paths are relative to the folder of the inputs.
        outputs: what it writes, files or folders, relative to the folder of the outputs, which `{out}` stands for.
        resumes: whether a run that was killed is continued by the same arguments and `--resume`.
    """

    arguments: Sequence[str]
    outputs: Sequence[str]
    resumes: bool = False


COMMANDS: Mapping[str, Command] = {
    "perturb .jsonl": Command(("perturb", "rows.jsonl", "-o", "{out}/o.jsonl", *_FAST), ("o.jsonl",)),
    "perturb .parquet": Command(("perturb", "rows.jsonl", "-o", "{out}/o.parquet", *_FAST), ("o.parquet",)),
    "perturb .csv.gz, report": Command(
        ("perturb", "rows.jsonl", "-o", "{out}/o.csv.gz", "--report", "{out}/r.json", *_FAST), ("o.csv.gz", "r.json")
    ),
    "perturb, rejects": Command(
        ("perturb", "bad.jsonl", "-o", "{out}/o.jsonl", "--on-error", "skip", *_FAST), ("o.jsonl", "o.rejects.jsonl")
    ),
    "attack": Command(
        ("attack", "few.jsonl", "-o", "{out}/o.jsonl", "--model", "linear", "--train", "rows.jsonl", "--cache", "none",
         "--budget", "10", *_FAST),
        ("o.jsonl",),
    ),
    "evaluate": Command(
        ("evaluate", "perturbed.jsonl", "--model", "majority:rows.jsonl", "--cache", "none", "-o", "{out}/r.json",
         "--html", "{out}/r.html", "--predictions", "{out}/p.jsonl"),
        ("r.json", "r.html", "p.jsonl"),
    ),
    "calibrate": Command(
        ("calibrate", "few.jsonl", "--report", "{out}/c.json", "--attack", "butterfingers", "--no-constraints",
         "--similarity", "navec"),
        ("c.json",),
    ),
    "similarity": Command(
        ("similarity", "perturbed.jsonl", "-o", "{out}/s.jsonl", "--similarity", "navec"), ("s.jsonl",)
    ),
    "verdicts export": Command(("verdicts", "export", "perturbed.jsonl", "-o", "{out}/t.json"), ("t.json", "t.xml")),
    "release": Command(("release", "made/recipe.toml", "-o", "{out}/release"), ("release",), resumes=True),
    "perturb, 2 workers": Command(
        ("perturb", "rows.jsonl", "-o", "{out}/o.jsonl", "--workers", "2", "--part-size", "0.01", *_FAST), ("o.jsonl",)
    ),
    "perturb --resume": Command(
        ("perturb", "rows.jsonl", "-o", "{out}/o.jsonl", "--resume", "--part-size", "0.01", *_FAST), ("o.jsonl",)
    ),
    "attack --resume": Command(
        ("attack", "few.jsonl", "-o", "{out}/o.jsonl", "--model", "linear", "--train", "rows.jsonl", "--cache", "none",
         "--budget", "10", "--resume", "--part-size", "0.002", *_FAST),
        ("o.jsonl",),
    ),
    # commands that run on Ray belong here
}  # fmt: skip


class Kills(Fuzzer):
    """Commands killed at random moments: outputs are whole or absent; the next run writes them and sweeps."""

    name: ClassVar[str] = "kills"
    unit: ClassVar[str] = "kills"
    goal: ClassVar[int] = 100 * len(COMMANDS)
    share: ClassVar[float] = 12.0
    seconds: ClassVar[float] = 3 * _PATIENCE

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        write(folder / "rows.jsonl", *_ROWS)
        write(folder / "few.jsonl", *_ROWS[:40])
        write(folder / "bad.jsonl", *_ROWS[:200], {"text": 5}, *_ROWS[200:])
        recipe(folder / "made")
        self._run(("perturb", "rows.jsonl", "-o", "perturbed.jsonl", "--with-original", *_FAST))
        self._whole: dict[str, tuple[dict[str, bytes], float]] = {}

    def _run(self, arguments: Sequence[str]) -> None:
        done = subprocess.run(_python(arguments), cwd=self.folder, capture_output=True, check=False, timeout=_PATIENCE)
        if done.returncode not in {0, 1} or b"Traceback" in done.stderr:
            raise Fault(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()[-300:]}")

    def _reference(self, name: str) -> tuple[dict[str, bytes], float]:
        """What the command writes if nobody kills it, and how long it takes."""
        if name not in self._whole:
            out = self.folder / "whole"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            began = time.monotonic()
            self._run(_placed(COMMANDS[name].arguments, out))
            self._whole[name] = _contents(out), time.monotonic() - began
            for output in COMMANDS[name].outputs:
                if not _under(self._whole[name][0], output):
                    raise Fault(f"{name}: writes no {output}")
        return self._whole[name]

    def draw(self, random: Random) -> Case:
        """A command, a signal, and a share of the time that the command takes."""
        name = random.choice(list(COMMANDS))
        number = random.choice(["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"])
        return Case([name], {"signal": number, "at": random.uniform(0.2, 1.1), "again": random.random() < 0.5})

    def check(self, case: Case) -> int:
        """Run, kill, look; run again, look."""
        (name,), given = case.pieces, case.settings
        command = COMMANDS[name]
        whole, seconds = self._reference(name)
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        arguments = _placed(command.arguments, out)
        process = subprocess.Popen(
            _python(arguments), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            preexec_fn=_interruptible,  # noqa: PLW1509  (no threads start here)
        )  # fmt: skip
        try:
            process.wait(seconds * given["at"])
        except subprocess.TimeoutExpired:
            process.send_signal(getattr(signal, given["signal"]))
        _, said = process.communicate(timeout=_PATIENCE)
        if b"Traceback" in said and given["signal"] != "SIGKILL" and process.returncode >= 0:
            raise Fault(f"{name}: a traceback after {given['signal']}: {said.decode()[-400:]}")
        self._check_outputs(name, whole, _contents(out), said=said.decode(), ended=process.returncode in {0, 1})
        self.note(f"{name}: {'killed' if process.returncode not in {0, 1} else 'ended before'}")
        if given["again"]:
            more = ("--resume",) if command.resumes and not (out / command.outputs[0]).exists() else ()
            if command.resumes and (out / command.outputs[0]).exists():
                return 1
            self._run([*arguments, *more])
            found = _contents(out)
            if found != whole:
                names = sorted(key for key in {*found, *whole} if found.get(key) != whole.get(key))
                raise Fault(f"{name}: after the next run these differ: {names[:5]}")
        return 1

    @staticmethod
    def _check_outputs(
        name: str, whole: Mapping[str, bytes], found: Mapping[str, bytes], *, said: str, ended: bool
    ) -> None:
        """What stands under the names of the outputs must be whole."""
        for output in COMMANDS[name].outputs:
            ours, theirs = _under(found, output), _under(whole, output)
            if ours and ours != theirs:
                raise Fault(f"{name}: {output} is neither whole nor absent")
            if ended and not ours:
                raise Fault(f"{name}: ended, and {output} is absent; {said[-300:]}")


def _under(contents: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """The files that are an output, or stand in one."""
    return {key: data for key, data in contents.items() if key == name or key.startswith(f"{name}/")}


def _contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of a folder, hidden ones, too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _placed(arguments: Sequence[str], out: Path) -> list[str]:
    return [argument.format(out=out) for argument in arguments]


def _python(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "augment_ru", *arguments]


_interruptible: Callable[[], Any] = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
"""An ignored interrupt stays ignored in a child, as in a shell's background jobs."""
