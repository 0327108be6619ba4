"""Kills of every command that writes, at random moments: what it writes is whole or absent, and the next run mends."""

import os
import resource
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import ClassVar
from weakref import finalize

from commands import PATIENCE, command
from copies import Copy
from faults.fuzzer import Case, Fault, Fuzzer
from faults.running import Anew, Running
from faults.writers import LOCAL, ON_RAY, Command, prepare

_KILLS = 130
"""Kills of each command in the mean, so that hardly any has fewer than a hundred."""
_PYTHON_BEGINS = ("Fatal Python error: init_", "Could not import runpy module")
"""What Python says if a signal meets its own start."""
_ANEW = 0.1
"""The share of commands that are started anew, though they could be copies."""


class Kills(Fuzzer):
    """Commands killed at random moments: outputs are whole or absent; the next run writes them and sweeps."""

    name: ClassVar[str] = "kills"
    unit: ClassVar[str] = "kills"
    goal: ClassVar[int] = _KILLS * len(LOCAL)
    share: ClassVar[float] = 12.0
    seconds: ClassVar[float] = 3 * PATIENCE
    commands: ClassVar[Mapping[str, Command]] = LOCAL

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        prepare(folder)
        self._whole: dict[tuple[str, bool], tuple[dict[str, bytes], float]] = {}

    def draw(self, random: Random) -> Case:
        """A command, a signal, and when it is sent."""
        name = random.choice(list(self.commands))
        number = random.choice(["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"])
        at = {"written": random.random() < 0.5, "share": random.random()}
        settings = {"signal": number, **at, "again": random.random() < 0.5, "anew": random.random() < _ANEW}
        return Case([name], settings)

    def check(self, case: Case) -> int:
        """Run, kill, look; run again, look. No kill, if the command had ended before."""
        (name,), given = case.pieces, case.settings
        one = self.commands[name]
        anew = given["anew"] or not one.is_alone
        whole, seconds = self._reference(name, anew=anew)
        out = self._emptied("out")
        arguments = self._placed(name, out)
        running = self._begun(arguments, anew=anew)
        if given["written"]:
            while (code := running.wait(0.0)) is None and not any(out.iterdir()):
                time.sleep(0.0005)
            code = running.wait(seconds * given["share"] ** 3 / 2) if code is None else code  # most of them soon
        else:
            code = running.wait(seconds * (0.1 + 1.0 * given["share"]))
        if code is None:
            running.send(getattr(signal, given["signal"]))
            code = running.wait(PATIENCE)
        said = self._said.read_text(encoding="utf-8", errors="replace")
        if code is None:
            raise Fault(f"{name}: runs on after {given['signal']}")
        too_early = any(words in said for words in _PYTHON_BEGINS)
        if "Traceback" in said and not too_early and given["signal"] != "SIGKILL" and code >= 0:
            raise Fault(f"{name}: a traceback after {given['signal']}: {said[:400]} … {said[-400:]}")
        ended = code in {0, 1} and not too_early
        self._check_outputs(name, whole, _contents(out), said=said, ended=ended)
        self.note(f"{name}: {'ended before' if ended else 'killed'}")
        is_there = (out / one.outputs[0]).exists()
        if given["again"] and not (one.resumes and is_there):
            self._succeed([*arguments, *(("--resume",) if one.resumes else ())], anew=anew)
            found = _contents(out)
            if found != whole:
                names = sorted(key for key in {*found, *whole} if found.get(key) != whole.get(key))
                raise Fault(f"{name}: after the next run these differ: {names[:5]}")
        return int(not ended)

    def _reference(self, name: str, *, anew: bool) -> tuple[dict[str, bytes], float]:
        """What the command writes if nobody kills it, and how long it takes."""
        if (name, anew) not in self._whole:
            out = self._emptied("whole")
            arguments = self._placed(name, out)
            began = time.monotonic()
            self._succeed(arguments, anew=anew)
            self._whole[name, anew] = _contents(out), time.monotonic() - began
            for output in self.commands[name].outputs:
                if not _under(self._whole[name, anew][0], output):
                    raise Fault(f"{name}: writes no {output}")
        return self._whole[name, anew]

    @cached_property
    def _said(self) -> Path:
        """The file that a command says its messages to."""
        return self.folder / "said"

    def _begun(self, arguments: Sequence[str], *, anew: bool) -> Running:
        """A command that runs: in a process that is started anew, or in a copy of one that has loaded all."""
        self._said.unlink(missing_ok=True)  # a worker of a killed driver may still write to the old one
        if anew:
            return Anew(arguments, self.folder, self._said)
        with Path(os.devnull).open("r+b") as nothing, self._said.open("wb") as said:
            return Copy(command, arguments, streams=(nothing, nothing, said), cwd=self.folder)

    def _succeed(self, arguments: Sequence[str], *, anew: bool) -> None:
        """Run a command to its end.

        Raises:
            Fault: it fails.
        """
        code = self._begun(arguments, anew=anew).wait(PATIENCE)
        said = self._said.read_text(encoding="utf-8", errors="replace")
        if code not in {0, 1} or "Traceback" in said:
            raise Fault(f"{' '.join(arguments)}: exit code {code}: {said[-300:]}")

    def _emptied(self, name: str) -> Path:
        """An empty folder of this name."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def _placed(self, name: str, out: Path) -> list[str]:
        """The arguments of a command that writes to a folder."""
        return [argument.format(out=out, ray=self._ray) for argument in self.commands[name].arguments]

    @cached_property
    def _ray(self) -> str | None:
        """The address of a cluster."""
        return None

    def _check_outputs(
        self, name: str, whole: Mapping[str, bytes], found: Mapping[str, bytes], *, said: str, ended: bool
    ) -> None:
        """What stands under the names of the outputs must be whole."""
        for output in self.commands[name].outputs:
            ours, theirs = _under(found, output), _under(whole, output)
            if ours and ours != theirs:
                raise Fault(f"{name}: {output} is neither whole nor absent")
            if ended and not ours:
                raise Fault(f"{name}: ended, and {output} is absent; {said[-300:]}")


class KillsOnRay(Kills):
    """The same for drivers of Ray; their cluster lives on."""

    name: ClassVar[str] = "kills-ray"
    goal: ClassVar[int] = _KILLS * len(ON_RAY)
    share: ClassVar[float] = 4.0
    commands: ClassVar[Mapping[str, Command]] = ON_RAY

    @cached_property
    def _ray(self) -> str:
        from ray.cluster_utils import Cluster  # noqa: PLC0415  (an extra; the import takes seconds)

        handler = signal.getsignal(signal.SIGTERM)  # Ray sets its own
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # its processes map more than a case may take
        try:
            cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
            signal.signal(signal.SIGTERM, handler)
        finalize(self, cluster.shutdown)
        return str(cluster.address)


def _under(contents: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """The files that are an output, or stand in one."""
    return {key: data for key, data in contents.items() if key == name or key.startswith(f"{name}/")}


def _contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of a folder, hidden ones, too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
