"""The documents are true: their code runs and prints what they show, and they name all that can be named.

How the code of README.md and of every page of docs/ is run, in a temporary copy of the repository, says `pages`. A page
in Russian (`.ru.md`) shows the code of the English one.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from augment_ru.cli.main import cli
from augment_ru.constraints.rule_file import constraint_paths
from augment_ru.registry import names
from commands import run
from pages import LONG, NOT_RUN, Block, blocks_of, commands_of, followed, is_shown
from profiles import IS_FULL

ROOT = Path(__file__).resolve().parents[1]
ALL_PAGES = ("README.md", "README.ru.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
RUSSIAN = tuple(page for page in ALL_PAGES if page.endswith(".ru.md"))
PAGES = tuple(page for page in ALL_PAGES if page not in RUSSIAN)

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="needs the repository's documents")


def blocks(page: str) -> list[Block]:
    """The code blocks of a page."""
    return blocks_of((ROOT / page).read_text(encoding="utf-8"))


def is_long(block: Block) -> bool:
    """Whether a block has a command that takes long."""
    return block.language == "sh" and commands_of(block.content, LONG) != commands_of(block.content, {})


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the repository's files that a user works with, as the working folder; its commands are in the path."""
    for folder in ("constraints", "dictionaries", "examples", "prompts", "tasks"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "augment_ru").symlink_to(ROOT / "augment_ru")
    (tmp_path / "bin").mkdir()
    for name, arguments in {"augment-ru": "-m augment_ru", "python": ""}.items():
        command = tmp_path / "bin" / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
        command.chmod(0o755)
    for name, value in {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tmp_path),
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HUB_CACHE": str(tmp_path / "hub"), "PYTHONIOENCODING": "utf-8",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def defined(page: str, word: str) -> list[set[str]]:
    """The words that match in the lines of each part of a glossary."""
    parts = (ROOT / page).read_text(encoding="utf-8").split("\n## ")[1:]
    return [{re.sub(r",.*", "", found) for found in re.findall(word, part, re.MULTILINE)} for part in parts]


def test_the_glossaries_define_the_same_words() -> None:
    words = defined("docs/glossary.md", r"^- \*\*(.+?)\*\*")
    assert words == defined("docs/glossary.ru.md", r"^- \*\*.+?\*\* \((.+?)\):")
    assert sum(map(len, words)) > 60


@pytest.mark.skipif(os.name != "posix", reason="the commands are for a shell")
@pytest.mark.parametrize("page", PAGES)
def test_code_prints_what_the_page_shows(page: str, place: Path) -> None:
    found = [block for block in blocks(page) if IS_FULL or not is_long(block)]
    if any(block.file.startswith("augment_ru/") for block in found):  # it has a package of its own
        (place / "augment_ru").unlink()
        # with what is compiled, but for pytest: else every command would compile it again
        shutil.copytree(ROOT / "augment_ru", place / "augment_ru", ignore=shutil.ignore_patterns("*-pytest-*"))
    wrong = followed(page, found, NOT_RUN, copies=True)
    assert not wrong, "\n\n".join(f"{page}, line {block.line}: {problem}" for block, problem in wrong.items())


@pytest.mark.skipif(os.name != "posix", reason="the commands are for a shell")
@pytest.mark.parametrize(("word", "code"), [("", 0), (" if text in SEEN else 'b'", 3)])
def test_the_workflow_passes_a_model_that_holds_and_fails_one_that_breaks(place: Path, word: str, code: int) -> None:
    (workflow,) = (block for block in blocks("docs/evaluation.md") if block.language == "yaml")
    steps = [
        line.removeprefix("- run: ") for line in map(str.strip, workflow.content.split("\n")) if "run: aug" in line
    ]
    texts = [f"Сегодня утром мы с братом купили {number} билетов на вечерний поезд." for number in range(100, 300)]
    rows = [{"text": text, "label": "a"} for text in texts]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (place / "test.jsonl").write_text(lines, encoding="utf-8")
    (place / "my_model.py").write_text(
        "import json\nSEEN = {json.loads(line)['text'] for line in open('test.jsonl', encoding='utf-8')}\n"
        f"def predict(examples):\n    return ['a'{word} for text in (example.text for example in examples)]\n",
        encoding="utf-8",
    )
    if IS_FULL:
        done = [subprocess.run(step, shell=True, capture_output=True, check=False) for step in steps]  # noqa: S602  (the page's own)
    else:
        done = [run(*shlex.split(step.removeprefix("augment-ru "))) for step in steps]
    assert [one.returncode for one in done] == [0, code], done[-1].stderr.decode()


def test_every_reason_not_to_run_a_command_or_seldom_is_needed() -> None:
    parts = [part for page in PAGES for block in blocks(page) if block.language == "sh"
             for line in block.content.splitlines() for part in line.split(" && ")]  # fmt: skip
    assert [pattern for pattern in [*NOT_RUN, *LONG] if not any(re.search(pattern, part) for part in parts)] == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb  \n", "a \nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a\nb\n", "a\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("b\n…\n", "a\nb\nc\n", False),
        ("…\nb\n…\nd\n", "a\na\nb\nc\nd\n", True),
        ("a\n…\nb\n", "a\nb\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("digest 5c…, 3 rows\n", "digest 5cde, 3 rows\n", True),
        ("digest 5c…, 3 rows\n", "digest 5cde, 4 rows\n", False),
        ("done in 1.6 s\n", "done in 20.15 s\n", True),
        ("done in 1.6 s, 0.5\n", "done in 1.6 s, 0.7\n", False),
        ("done in 1.6 s, 1,235 rows a second\n", "done in 0.2 s, 9.8 rows a second\n", True),
    ],
)
def test_what_counts_as_shown(shown: str, printed: str, same: bool) -> None:  # noqa: FBT001  (a parameter of a case)
    assert is_shown(printed, Block(1, "text", shown)) == same


@pytest.mark.parametrize("page", RUSSIAN)
def test_a_page_in_russian_shows_the_code_of_the_english_one(page: str) -> None:
    english, russian = (
        [
            (block.language, re.sub(r"#.*", "", block.content).split(), block.file, block.shown and block.shown.content)
            for block in blocks(one)
        ]
        for one in (page.replace(".ru.md", ".md"), page)
    )
    assert english == russian


@pytest.mark.parametrize("page", PAGES + RUSSIAN)
def test_no_star_inside_a_word_is_read_as_emphasis(page: str) -> None:
    """In «з*р*нее» Markdown reads the stars as emphasis; with a backslash before each they stay."""
    for token in MarkdownIt().enable("table").parse((ROOT / page).read_text(encoding="utf-8")):
        parts = token.children or []
        lost = [after.content for before, one, after in zip(parts, parts[1:], parts[2:], strict=False)
                if one.type == "em_open" and before.content[-1:].isalpha()]  # fmt: skip
        assert not lost, f"{page}, line {(token.map or [0])[0] + 1}"


def test_everything_that_can_be_named_is_documented() -> None:
    attacks = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    formats = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    constraints = (ROOT / "docs" / "constraints.md").read_text(encoding="utf-8")
    assert all(f"## {name}" in attacks for name in names("attacks"))
    assert all(f"`{name}`" in formats for name in names("tasks"))
    assert all(f"| `{name}` |" in constraints for name in constraint_paths())


def test_every_test_that_the_sources_name_is_there() -> None:
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 30
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "claim":
            assert not cells[1] or cells[1].startswith(("as ", "differs: ", "not here")), line
            assert cells[1].startswith("not here") or cells[2], line


def test_every_command_that_the_sources_name_has_its_options() -> None:
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    lines = re.findall(r"`augment-ru ([^`]+)`", text)
    assert lines
    for line in lines:
        name, *words = line.split()
        command = cli.commands[name]
        known = {one for option in command.params for one in option.opts}
        assert known >= {word for word in words if word.startswith("--")}, line
