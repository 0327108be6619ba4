"""The architecture: packages, their names and sizes, the public names, and the tests that mirror the packages."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import augment_ru

PACKAGE = Path(augment_ru.__file__).parent
ROOT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))
PACKAGES = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
ALIKE_BY_DESIGN = frozenset({"models", "cli"})
"""Packages whose modules offer the same names: `TASK`, `model`, one function for each command."""

in_a_checkout = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="needs the repository")


def relative(path: Path) -> str:
    """The path of a module inside the package."""
    return path.relative_to(PACKAGE).as_posix()


_FACTS = """
import ast, json, sys
def facts(path):
    with open(path, encoding="utf-8") as file:
        body = ast.parse(file.read())
    named = (ast.FunctionDef, ast.ClassDef)
    return {"says": bool(ast.get_docstring(body)), "defines": [one.name for one in body.body if isinstance(one, named)]}
print(json.dumps({path: facts(path) for path in json.load(sys.stdin)}))
"""


@pytest.fixture(scope="module")
def facts() -> dict[str, dict[str, Any]]:
    """Of each module whether it has a docstring, and the names of its functions and classes.

    Read in a process of its own: on Python 3.11 `ast.parse` fails where the stack is deep or the collector runs.
    """
    paths = json.dumps(list(map(str, MODULES)))
    done = subprocess.run([sys.executable, "-c", _FACTS], input=paths, capture_output=True, check=True, text=True)
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def test_no_public_function_or_class_is_defined_twice(facts: dict[str, dict[str, Any]]) -> None:
    places = defaultdict(set)
    for path in MODULES:
        if path.relative_to(PACKAGE).parts[0] in ALIKE_BY_DESIGN:
            continue
        for name in facts[str(path)]["defines"]:
            if not name.startswith("_"):
                places[name].add(relative(path))
    twice = [f"{name}: {', '.join(sorted(found))}" for name, found in sorted(places.items()) if len(found) > 1]
    assert not twice, "\n".join(twice)


def test_at_most_ten_modules_stand_at_the_top() -> None:
    top = {path.stem for path in PACKAGE.glob("*.py")}
    assert {"__init__", "__main__"} <= top
    assert len(top - {"__init__", "__main__"}) <= 10


def test_every_package_and_module_says_what_it_is(facts: dict[str, dict[str, Any]]) -> None:
    assert [path for path, found in facts.items() if not found["says"]] == []


@in_a_checkout
def test_ci_checks_the_directions_of_imports() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    (checks,) = (line for line in lines if line.strip().startswith("for command in"))
    assert '"lint-imports --no-cache"' in checks
    assert "exhaustive = true" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_tests_mirror_the_packages() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    assert folders == {path.name for path in PACKAGES if path.parent == PACKAGE}


def test_every_public_name_is_there_and_nothing_else() -> None:
    offered = dir(augment_ru)
    assert {"Augmenter", "Attack", "Similarity", "Annotator", "evaluate", "__version__"} <= set(offered)
    for name in offered:
        assert name == "__version__" or getattr(augment_ru, name).__name__ == name
    with pytest.raises(AttributeError, match="No augment_ru attribute nothing"):
        getattr(augment_ru, "nothing")  # noqa: B009  (no such name in the stub)


@in_a_checkout
def test_every_public_name_is_documented() -> None:
    code = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
    documents = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    documented = {word for text in documents for found in code.findall(text) for word in re.findall(r"\w+", found)}
    missing = sorted(set(dir(augment_ru)) - documented)
    assert not missing, ", ".join(missing)


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'spacy', 'natasha', 'pymorphy3', 'torch', 'transformers'}"
    code = f"import augment_ru, sys; dir(augment_ru); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "set()\n"
