"""What other packages offer by entry points: found and used like those of this package, and never in their place."""

import os
from pathlib import Path

import pytest

from commands import run, run_apart

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


def with_packages(folder: Path) -> dict[str, str]:
    """The variables of a process for which the folder's packages are installed beside this one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[1])])}


def test_a_package_adds_attacks_similarities_tasks_and_constraints(tmp_path: Path) -> None:
    installed(tmp_path, OFFERED)
    arguments = ("--attack", "shout", "--similarity", "half", "--constraint", "cats", "--meta", "none")
    row = '{"sender": "я", "body": "Кошка тихо спит"}\n'.encode()
    done = run_apart("perturb", "-", *arguments, stdin=row, env=with_packages(tmp_path))
    assert done.stdout.decode() == '{"sender": "я", "body": "Кошка тихоъ спитъ"}\n'
    listed = run("list", env=with_packages(tmp_path)).stdout.decode()
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
    done = run(*command, env=with_packages(tmp_path))
    assert done.returncode == 1
    assert message in done.stderr.decode()


def test_two_packages_with_one_name_are_an_error(tmp_path: Path) -> None:
    installed(tmp_path, {"augment_ru.attacks": "shout = plug:Shout"})
    installed(tmp_path, {"augment_ru.attacks": "shout = other:Shout"}, name="other")
    done = run("perturb", "-", "--attack", "shout", env=with_packages(tmp_path))
    assert done.returncode == 2
    assert "two packages offer 'shout'" in done.stderr.decode()


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
    row = '{"text": "Кот спит."}\n'.encode()
    done = run("perturb", "-", "--attack", "exits", "-o", out, stdin=row, env=with_packages(tmp_path))
    assert (done.returncode, done.stdout, out.exists()) == (1, b"", False)
    assert b"raised SystemExit(0), which ends a program; no output file was written" in done.stderr
