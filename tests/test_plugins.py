"""What other packages offer by entry points: found and used like those of this package, and never in their place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = '''
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from augment_ru import Attack, Edit, Scorer, Similarity
from augment_ru.records.task import Task

@dataclass(frozen=True)
class Shout(Attack):
    """Every word ends in a hard sign, as it did before 1918."""
    name: ClassVar[str] = "shout"
    probability: float = 1.0

    def propose(self, doc, rng):
        for word in doc.words:
            yield rng.change(Edit(word.stop, word.stop, "ъ"))

@dataclass(frozen=True)
class Half(Similarity):
    name: ClassVar[str] = "half"
    threshold: float = 0.4
    signature: str = "half"

    def against(self, references):
        class Always(Scorer):
            def score(self, indices, candidates):
                import numpy as np
                return np.full(len(candidates), 0.5)
        return Always()

TASK = Task.of(name="letters", fields=("body",), keys=frozenset({"body", "sender"}))
RULES = Path(__file__).with_name("cats.toml")

def cats(record, docs):
    from augment_ru import Span
    return {name: [Span(0, 5, "CAT")] for name in docs}
'''
RULES = """
why = "…"
[[rule]]
label = "CAT"
function = "cats"
"""
OFFERED = {
    "augment_ru.attacks": "shout = plug:Shout",
    "augment_ru.similarities": "half = plug:Half",
    "augment_ru.tasks": "letters = plug:TASK",
    "augment_ru.constraints": "cats = plug:RULES",
    "augment_ru.functions": "cats = plug:cats",
}


def installed(folder: Path, offered: dict[str, str], name: str = "plug") -> None:
    """A package in a folder, as an installer leaves it."""
    (folder / f"{name}.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "cats.toml").write_text(RULES, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"[{group}]\n{entry}\n" for group, entry in offered.items())
    (info / "entry_points.txt").write_text(lines, encoding="utf-8")


def run(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command where the folder's packages are installed."""
    return subprocess.run(
        [sys.executable, "-m", "augment_ru", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"},
    )


def test_a_package_adds_attacks_similarities_tasks_and_constraints(tmp_path: Path) -> None:
    installed(tmp_path, OFFERED)
    arguments = ("--attack", "shout", "--similarity", "half", "--constraint", "cats", "--meta", "none")
    done = run(tmp_path, "perturb", "-", *arguments, stdin='{"sender": "я", "body": "Кошка тихо спит"}\n')
    assert done.stdout == '{"sender": "я", "body": "Кошка тихоъ спитъ"}\n'
    listed = run(tmp_path, "list").stdout
    assert all(name in listed for name in ("shout", "half", "letters", "cats"))


@pytest.mark.parametrize(
    ("group", "entry", "command", "message"),
    [
        ("augment_ru.attacks", "case = plug:Shout", ("list",), "two attacks called 'case'"),
        ("augment_ru.constraints", "named_entities = plug:RULES", ("list",), "two constraints called 'named_entities'"),
        ("augment_ru.similarities", "navec = plug:Half", ("list",), "two similarities called 'navec'"),
        ("augment_ru.tasks", "multiq = plug:TASK", ("list",), "two tasks called 'multiq'"),
    ],
)
def test_a_name_that_this_package_has_is_refused(
    tmp_path: Path, group: str, entry: str, command: tuple[str, ...], message: str
) -> None:
    installed(tmp_path, {group: entry})
    done = run(tmp_path, *command)
    assert done.returncode == 1
    assert message in done.stderr


def test_two_packages_with_one_name_are_an_error(tmp_path: Path) -> None:
    installed(tmp_path, {"augment_ru.attacks": "shout = plug:Shout"})
    installed(tmp_path, {"augment_ru.attacks": "shout = other:Shout"}, name="other")
    done = run(tmp_path, "perturb", "-", "--attack", "shout")
    assert done.returncode == 2
    assert "two packages offer 'shout'" in done.stderr


EXITS = """
import sys
from dataclasses import dataclass
from typing import ClassVar
from augment_ru import Attack

@dataclass(frozen=True)
class Exits(Attack):
    name: ClassVar[str] = "exits"
    probability: float = 1.0
    def propose(self, doc, rng):
        sys.exit(0)
"""


def test_code_that_ends_the_program_ends_no_run_with_success(tmp_path: Path) -> None:
    installed(tmp_path, {"augment_ru.attacks": "exits = plug:Exits"})
    (tmp_path / "plug.py").write_text(EXITS, encoding="utf-8")
    out = tmp_path / "out.jsonl"
    done = run(tmp_path, "perturb", "-", "--attack", "exits", "-o", str(out), stdin='{"text": "Кот спит."}\n')
    assert (done.returncode, done.stdout, out.exists()) == (1, "", False)
    assert "raised SystemExit(0), which ends a program; no output file was written" in done.stderr
