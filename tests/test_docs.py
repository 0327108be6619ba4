"""Documents cannot lie: their examples run, and print what they say."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from augment_ru.constraints.rule_file import constraint_paths
from augment_ru.registry import names

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="needs the repository's documents")


def blocks(name: str) -> list[tuple[str, str]]:
    """The code blocks of a document: language and content."""
    return [(match[1], match[2]) for match in BLOCK.finditer((ROOT / name).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", ["README.md", "README.ru.md"])
def test_the_readme_prints_what_it_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    space: dict[str, Any] = {}
    said: list[str] = []
    for language, content in blocks(name):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(content, name, "exec"), space)  # noqa: S102  (our own document)
            said.append(out.getvalue())
        elif language == "text" and said and said[-1]:
            assert said.pop() == content
    assert said.count("") >= 1 or not said


def test_both_readmes_show_the_same_code() -> None:
    english, russian = (
        [re.sub(r"#.*", "", content).split() for language, content in blocks(name) if language == "python"]
        for name in ("README.md", "README.ru.md")
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
