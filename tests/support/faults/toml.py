"""Recipes and rule files of others, changed at random."""

import shutil
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import ClassVar

from augment_ru import AugmentError, Perturber, Preparation
from faults.fuzzer import Case, Fault, Fuzzer
from faults.in_process import checked
from releases import recipe
from strategies import SENTENCES

_LITERALS = (
    "0",
    "-1",
    "1",
    "1e400",
    "nan",
    "inf",
    "9" * 5000,
    "10000000000",
    "true",
    '""',
    '"x"',
    "'''",
    '"\\u0000"',
    "[]",
    "{}",
    "[[]]",
    "[1000000000]",
    '["x", "x"]',
    "[" * 2000,
    "1979-05-27",
    '"/dev/zero"',
    '"../../etc/passwd"',
    "[1, 1, 1]",
    '"' + "я" * 3000 + '"',
    '"{0,4294967296}"',
    '"*"',
    '"python:os:system"',
    '"x.py"',
    '"corpus:/dev/zero"',
    '"bae"',
    '"butterfingers+butterfingers"',
    '"(a+)+$"',
    '{ REGEX = "(a+)+$" }',
    "{ IN = [1] }",
    '{ "==" = 10 }',
    "0x7f",
    "-0",
)


def _line_change(random: Random, text: str) -> tuple[int, str, str]:
    """A change of a line of TOML: which, what is done, and what stands there."""
    at = random.randrange(len(text.split("\n")))
    kind = random.choice(["value", "value", "value", "delete", "twice", "before", "bytes", "key"])
    return at, kind, random.choice(_LITERALS)


def _with_lines(text: str, changes: Sequence[tuple[int, str, str]]) -> str:
    """TOML with changed lines."""
    lines = text.split("\n")
    for at, kind, literal in changes:
        if at >= len(lines):
            continue
        line = lines[at]
        if kind == "value" and "=" in line:
            lines[at] = f"{line.partition('=')[0]}= {literal}"
        elif kind == "delete":
            del lines[at]
        elif kind == "twice":
            lines.insert(at, line)
        elif kind == "before":
            lines.insert(at, f"new = {literal}")
        elif kind == "bytes":
            lines[at] = line[: len(line) // 2] + literal + line[len(line) // 2 :]
        elif kind == "key":
            lines[at] = line.replace("=", f"{_key(literal)} =", 1)
    return "\n".join(lines)


def _key(literal: str) -> str:
    """A key made of a literal."""
    return "".join(char for char in literal if char in string.ascii_letters)[:9] or "k"


class Recipes(Fuzzer):
    """Recipes of perturb, of evaluate and of releases with other lines: one line, or a run."""

    name: ClassVar[str] = "recipes"
    unit: ClassVar[str] = "recipes"
    goal: ClassVar[int] = 3_000
    texts: ClassVar[Mapping[str, str]] = {
        "perturb": 'attack = ["butterfingers", "case"]\nprobability = 0.2\nsimilarity = "none"\nseed = 7\n'
        "candidates = 2\n"
        'no-constraints = true\nset = ["case.probability=0.1"]\nmeta = "brief"\nlimit = 2\n'
        'copies = 1\non-error = "stop"\n'
        'schedule = "paper"\nmin-changes = 1\nfield = "question"\n',
        "release": '\nname = "tiny"\nlicence = "mit"\ntitle = "Т"\nseed = 4\npreset = "offline"\nlanguage = ["ru"]\n'
        "[gate]\n"
        'similarity = "none"\ncandidates = 2\nschedule = "paper"\nmin_changes = 1\n[shots]\nk = [1, 4]\nepisodes = 2\n'
        '[[attack]]\nspec = "butterfingers"\nprobability = 0.2\n[[attack]]\nspec = "eda_swap+case"\nname = "swapped"\n'
        'options.case.probability = 0.1\n[[task]]\nname = "school"\ntrain = "train.jsonl"\ntest = "test.jsonl"\n'
        'attacks = ["butterfingers"]\nconstraints = []\n',
    }

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        recipe(folder)
        (folder / "recipe.toml").unlink()

    def draw(self, random: Random) -> Case:
        """Changes of lines of a recipe."""
        kind = random.choice(list(self.texts))
        changes = [_line_change(random, self.texts[kind]) for _ in range(random.choice([1, 1, 2, 3]))]
        return Case(changes, {"kind": kind})

    def check(self, case: Case) -> int:
        """Run the command with the recipe."""
        kind = case.settings["kind"]
        path = self.folder / "recipe.toml"
        path.write_text(_with_lines(self.texts[kind], case.pieces), encoding="utf-8")
        if kind == "perturb":
            code = checked(
                "perturb", self.folder / "test.jsonl", "-o", self.folder / "out.jsonl", "--recipe", path, "-q"
            )
        else:
            code = checked("release", path, "-o", self.folder / "made")
            shutil.rmtree(self.folder / "made", ignore_errors=True)
            for left in self.folder.glob(".made*"):
                shutil.rmtree(left, ignore_errors=True)
        self.note(("run", "refused", "refused")[code])
        return 1


class Rules(Fuzzer):
    """Rule files with other lines: one line, or protected spans, in time for a long text."""

    name: ClassVar[str] = "rules"
    unit: ClassVar[str] = "rule files"
    goal: ClassVar[int] = 3_000
    text: ClassVar[str] = (
        'why = "Имена."\nlanguage = "ru"\nlayers = ["entities", "morphology", "lemmas", "syntax"]\n'
        '[[rule]]\nlabel = "A"\npattern = [\n'
        '{ LEMMA = "кот" },\n{ POS = { IN = ["NOUN", "ADJ"] }, OP = "+" },\n{ LOWER = "и", OP = "?" },\n'
        '{ TEXT = { REGEX = "^п" }, OP = "*" },\n{ LENGTH = { ">=" = 3 } },\n'
        '{ MORPH = { IS_SUPERSET = ["Case=Nom"] } },\n'
        ']\n[[rule]]\nlabel = "B"\nfields = ["answer"]\n[[rule]]\nlabel = "C"\nfunction = "referents"\n'
        '[[example]]\ntext = "Спит [кот]."\nrecord = { answer = "кот" }\n'
    )
    texts: ClassVar[Sequence[str]] = (*SENTENCES[:5], "кот и пёс " * 200, "п" * 2000)
    number: int = 0

    def draw(self, random: Random) -> Case:
        """Changes of lines of the rule file."""
        return Case([_line_change(random, self.text) for _ in range(random.choice([1, 1, 2, 3]))])

    def check(self, case: Case) -> int:
        """Protect texts by the rules, and perturb them."""
        self.number += 1  # rule files are read once for each name
        path = self.folder / f"rules{self.number}.toml"
        path.write_text(_with_lines(self.text, case.pieces), encoding="utf-8")
        try:
            perturber = Perturber("butterfingers", similarity="none", seed=1)
            for prepared in Preparation((str(path),)).texts(self.texts, needs=[perturber.needs]):
                list(perturber.perturb(prepared).results)
            self.note("run")
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        finally:
            path.unlink()
        return 1
