"""Every command that writes, with what it reads and writes."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from commands import PATIENCE, write
from faults.fuzzer import Fault
from faults.running import python
from releases import recipe
from strategies import SENTENCES

_ROWS = [
    {"text": f"{text} Случай {number}.", "label": str(number % 2)}
    for number, text in enumerate([text for text in SENTENCES if len(text) > 20] * 40)
]
_SAID = ("да", "да", "нет")
FAST = ("--attack", "butterfingers", "--no-constraints", "--similarity", "none")
"""What makes a run quick."""


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

    @property
    def is_alone(self) -> bool:
        """Whether it starts no other processes."""
        return "--workers" not in self.arguments and "--engine" not in self.arguments


_PARTS = ("--part-size", "0.01")
_PERTURB = ("perturb", "rows.jsonl", "-o", "{out}/o.jsonl", *FAST)
_ATTACK = ("attack", "few.jsonl", "-o", "{out}/o.jsonl", "--model", "majority", "--train", "rows.jsonl", "--cache",
           "none", "--budget", "10", *FAST)  # fmt: skip
_SMALL = ("--part-size", "0.002")
_CALIBRATE = ("calibrate", "few.jsonl", "--report", "{out}/c.json", "--attack", "butterfingers", "--no-constraints",
              "--similarity", "navec")  # fmt: skip
_RELEASE = ("release", "made/recipe.toml", "-o", "{out}/release")
_EVALUATE = ("evaluate", "perturbed.jsonl", "--model", "majority:rows.jsonl", "--cache", "none", "-o", "{out}/r.json",
             "--html", "{out}/r.html", "--predictions", "{out}/p.jsonl", "--worst-case", "{out}/w.jsonl")  # fmt: skip

LOCAL: Mapping[str, Command] = {
    "perturb .jsonl": Command(_PERTURB, ("o.jsonl",)),
    "perturb .parquet": Command(("perturb", "rows.jsonl", "-o", "{out}/o.parquet", *FAST), ("o.parquet",)),
    "perturb .csv.gz, report": Command(
        ("perturb", "rows.jsonl", "-o", "{out}/o.csv.gz", "--report", "{out}/r.json", *FAST), ("o.csv.gz", "r.json")
    ),
    "perturb, rejects": Command(
        ("perturb", "bad.jsonl", "-o", "{out}/o.jsonl", "--on-error", "skip", *FAST), ("o.jsonl", "o.rejects.jsonl")
    ),
    "perturb, 2 workers": Command((*_PERTURB, *_PARTS, "--workers", "2"), ("o.jsonl",)),
    "perturb --resume": Command((*_PERTURB, *_PARTS, "--resume"), ("o.jsonl",)),
    "perturb --resume, 2 workers": Command((*_PERTURB, *_PARTS, "--resume", "--workers", "2"), ("o.jsonl",)),
    "attack": Command(_ATTACK, ("o.jsonl",)),
    "attack, linear": Command((*_ATTACK, "--model", "linear"), ("o.jsonl",)),
    "attack, 2 workers": Command((*_ATTACK, *_SMALL, "--workers", "2"), ("o.jsonl",)),
    "attack --resume": Command((*_ATTACK, *_SMALL, "--resume"), ("o.jsonl",)),
    "evaluate": Command(_EVALUATE, ("r.json", "r.html", "p.jsonl", "w.jsonl")),
    "compare": Command(("compare", "one.json", "two.json", "-o", "{out}/c.json", "--html", "{out}/c.html"),
                       ("c.json", "c.html")),
    "calibrate": Command(_CALIBRATE, ("c.json",)),
    "calibrate, 2 workers": Command((*_CALIBRATE, "--workers", "2"), ("c.json",)),
    "similarity": Command(
        ("similarity", "perturbed.jsonl", "-o", "{out}/s.jsonl", "--similarity", "navec"), ("s.jsonl",)
    ),
    "verdicts export": Command(("verdicts", "export", "perturbed.jsonl", "-o", "{out}/t.json"), ("t.json", "t.xml")),
    "verdicts import": Command(("verdicts", "import", "answers.tsv", "-o", "{out}/v.jsonl"), ("v.jsonl",)),
    "release": Command(_RELEASE, ("release",), resumes=True),
    "release, 2 workers": Command((*_RELEASE, "--workers", "2"), ("release",), resumes=True),
}  # fmt: skip
"""Every command that writes, on one process and on several."""
ON_RAY: Mapping[str, Command] = {
    "perturb, Ray": Command((*_PERTURB, *_PARTS, "--engine", "ray:{ray}"), ("o.jsonl",)),
    "perturb --resume, Ray": Command((*_PERTURB, *_PARTS, "--resume", "--engine", "ray:{ray}"), ("o.jsonl",)),
    "attack --resume, Ray": Command((*_ATTACK, *_SMALL, "--resume", "--engine", "ray:{ray}"), ("o.jsonl",)),
}
"""On a cluster, whose address `{ray}` stands for."""


def prepare(folder: Path) -> None:
    """Write what the commands read."""
    write(folder / "rows.jsonl", *_ROWS)
    write(folder / "few.jsonl", *_ROWS[:40])
    write(folder / "bad.jsonl", *_ROWS[:200], {"text": 5}, *_ROWS[200:])
    recipe(folder / "made")
    answers = [f"{number}\t{said}\tw{who}" for number in range(50) for who, said in enumerate(_SAID)]
    lines = ["INPUT:id\tOUTPUT:verdict\tASSIGNMENT:worker_id", *answers, ""]
    (folder / "answers.tsv").write_text("\n".join(lines), encoding="utf-8")
    succeed(("perturb", "rows.jsonl", "-o", "perturbed.jsonl", "--with-original", *FAST), folder)
    for name, label in (("one", "0"), ("two", "1")):
        write(folder / "train.jsonl", *[row for row in _ROWS if row["label"] == label])
        evaluate = ("evaluate", "perturbed.jsonl", "--model", "majority:train.jsonl", "--cache", "none")
        succeed((*evaluate, "-o", f"{name}.json"), folder)


def succeed(arguments: Sequence[str], folder: Path) -> None:
    """Run a command in a folder.

    Raises:
        Fault: it fails.
    """
    done = subprocess.run(python(arguments), cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
    if done.returncode not in {0, 1} or b"Traceback" in done.stderr:
        raise Fault(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()[-300:]}")
