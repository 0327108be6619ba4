"""The documents are true: their code runs and prints what they show, and they name all that can be named.

Of README.md and of every page of docs/, in a temporary copy of the repository:

- A block behind a line that ends in a file's name and a colon («`negation.toml`:») is that file. All files of a page
  are written first.
- Every other `python` block runs, all of a page as one program.
- Every line of an `sh` block runs, but for the commands that `NOT_RUN` names.
- A `text` or `json` block directly behind an `sh` or `python` block is what that prints, on stdout; lines that start
  with «augment-ru:» are from stderr. `json` is compared as a value, `text` by its lines without the blanks at their
  ends. «…» stands for anything on a line, a line «…» for any number of lines, and any number of seconds is right.
- What a `python` block prints is shown. A `text` block is always output: a drawing has no language.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

import page_runs
from augment_ru.constraints.rule_file import constraint_paths
from augment_ru.registry import names
from page_runs import OURS

if TYPE_CHECKING:
    from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
NOT_RUN = {
    r"^pip install ": "needs the network",
    r"^pytest$": "would run this test again",
    r"^augment-ru models pull |^hf upload ": "needs the network",
    r"^lm_eval |^cd small$": "needs weights",
    r" hf-(causal|seq2seq|classifier):| --similarity bertscore": "needs weights",
    r"openai:http": "needs a server",
    r"verdicts import | --verdicts ": "needs annotators",
}
"""The commands that are not run here, and why."""

FILE = re.compile(r"`([\w./-]+\.(?:toml|tsv|py|jsonl))`:$")

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="needs the repository's documents")


@dataclass(frozen=True)
class Block:
    """A code block of a page.

    Attributes:
        line: its number in the page, from 1.
        file: the file that it stands for.
        shown: the block behind it, if that shows output.
    """

    line: int
    language: str
    content: str
    file: str = ""
    shown: "Block | None" = None

    @property
    def output(self) -> str:
        """The output that is shown."""
        return self.shown.content if self.shown else ""


def blocks(page: str) -> list[Block]:
    """The code blocks of a page; one that shows output is part of its producer."""
    found: list[Block] = []
    before: Token | None = None
    for token in MarkdownIt().parse((ROOT / page).read_text(encoding="utf-8")):
        if token.type == "fence":
            name = FILE.search(before.content) if before is not None and before.type == "inline" else None
            block = Block(token.map[0] + 1 if token.map else 0, token.info, token.content, name[1] if name else "")
            behind = before is not None and before.type == "fence" and found and found[-1].language in ("sh", "python")
            if behind and block.language in ("text", "json"):
                found[-1] = replace(found[-1], shown=block)
            else:
                found.append(block)
        if token.type in ("fence", "inline"):
            before = token
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the repository's files that a user works with, as the working folder, with `augment-ru` in the path."""
    for folder in ("augment_ru", "constraints", "dictionaries", "examples", "prompts"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = tmp_path / "bin" / "augment-ru"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m augment_ru "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    for name, value in {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HUB_CACHE": str(tmp_path / "hub"), "PYTHONIOENCODING": "utf-8",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(content: str) -> list[str]:
    """The commands of a block that are run here."""
    parts = [part for line in content.splitlines() for part in line.split(" && ")]
    return [part for part in parts if not any(re.search(pattern, part) for pattern in NOT_RUN)]


def is_shown(printed: str, shown: Block) -> bool:
    """Whether a block shows what was printed."""
    if shown.language == "json":
        return bool(json.loads(printed) == json.loads(shown.content))
    pattern = re.escape("".join(f"{line.rstrip()}\n" for line in shown.content.splitlines()))
    pattern = re.sub(r"(?m)^…\\\n\Z", "(?s:.*)", pattern).replace("…", ".*")
    pattern = re.sub(r"\d+\\\.\d+\\ s\b", r"\\d+\\.\\d+\\ s", pattern)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.splitlines())) is not None


def task_of(block: Block, page: str) -> dict[str, object]:
    """What a process of its own is to do for a block."""
    return {
        "language": block.language,
        "commands": commands(block.content),
        "content": f"import runpy; runpy.run_path({block.file!r})" if block.file else block.content,
        "name": f"{page}, line {block.line}",
        "fails": f"{OURS} error:" in block.output,
    }


def printed_by(found: Sequence[Block], page: str) -> dict[Block, str]:
    """What each block of a page prints; the messages of commands come first, where the page shows some."""
    files = [block for block in found if block.file and block.language == "python"]
    runs = files + [block for block in found if not block.file and block.language in ("sh", "python")]
    done = subprocess.run(
        [sys.executable, page_runs.__file__],
        input=json.dumps([task_of(block, page) for block in runs]),
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return {
        block: f"{messages}{out}" if OURS in block.output else out
        for block, (out, messages) in zip(runs, json.loads(done.stdout), strict=True)
    }


def problems(block: Block, printed: str) -> str:
    """What is wrong with a block that printed this; empty if nothing is."""
    if block.shown is None:
        return f"what it prints is not shown:\n{printed}" if printed and block.language == "python" else ""
    if block.language == "sh" and not commands(block.content):
        return "it shows the output of commands that are not run here"
    if not is_shown(printed, block.shown):
        return f"shown:\n{block.shown.content}printed:\n{printed}"
    return ""


@pytest.mark.skipif(os.name != "posix", reason="the commands are for a shell")
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("page", PAGES)
def test_code_prints_what_the_page_shows(page: str) -> None:
    found = blocks(page)
    for block in found:
        if block.file:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.content, encoding="utf-8")
    wrong = {block: problem for block, out in printed_by(found, page).items() if (problem := problems(block, out))}
    for block in found:
        if not block.file and block.language == "text":
            wrong[block] = "output that nothing prints; a drawing has no language"
    assert not wrong, "\n\n".join(f"{page}, line {block.line}: {problem}" for block, problem in wrong.items())


def test_every_reason_not_to_run_a_command_is_needed() -> None:
    parts = [part for page in PAGES for block in blocks(page) if block.language == "sh"
             for line in block.content.splitlines() for part in line.split(" && ")]  # fmt: skip
    assert [pattern for pattern in NOT_RUN if not any(re.search(pattern, part) for part in parts)] == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb  \n", "a \nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a\nb\n", "a\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("b\n…\n", "a\nb\nc\n", False),
        ("digest 5c…, 3 rows\n", "digest 5cde, 3 rows\n", True),
        ("digest 5c…, 3 rows\n", "digest 5cde, 4 rows\n", False),
        ("done in 1.6 s\n", "done in 20.15 s\n", True),
        ("done in 1.6 s, 0.5\n", "done in 1.6 s, 0.7\n", False),
    ],
)
def test_what_counts_as_shown(shown: str, printed: str, same: bool) -> None:  # noqa: FBT001  (a parameter of a case)
    assert is_shown(printed, Block(1, "text", shown)) == same


def test_both_readmes_show_the_same_code() -> None:
    english, russian = (
        [
            (block.language, re.sub(r"#.*", "", block.content).split(), block.file, block.shown and block.shown.content)
            for block in blocks(page)
        ]
        for page in ("README.md", "README.ru.md")
    )
    assert english
    assert english == russian


def test_everything_that_can_be_named_is_documented() -> None:
    attacks = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    formats = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"## {name}" in attacks for name in names("attacks"))
    assert all(f"`{name}`" in formats for name in names("tasks"))
    assert all(f"`{name}`" in readme for name in constraint_paths())


def test_every_test_that_the_sources_name_is_there() -> None:
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 30
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "claim":
            assert cells[1].startswith(("as ", "differs", "not here")), line
            assert cells[1].startswith("not here") or cells[3], line
