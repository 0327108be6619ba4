"""The architecture: packages, their names and sizes, the public names, and the tests that mirror the packages."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

import augment_ru

PACKAGE = Path(augment_ru.__file__).parent
ROOT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))
PACKAGES = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
ALIKE_BY_DESIGN = frozenset({"tasks", "models", "cli"})
"""Packages whose modules offer the same names: `TASK`, `model`, one function for each command."""
LONGEST = 300
"""Lines of code of a module, without blank lines, comments and docstrings."""
LONGER: frozenset[str] = frozenset()
"""Modules that may be longer. There are none: a longer module is two things."""

in_a_checkout = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="needs the repository")


def relative(path: Path) -> str:
    """The path of a module inside the package."""
    return path.relative_to(PACKAGE).as_posix()


def tree(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def lines_of_code(path: Path) -> int:
    """Lines with code on them: no blank lines, comments or docstrings."""
    text = path.read_text(encoding="utf-8")
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in nothing
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def test_no_public_function_or_class_is_defined_twice() -> None:
    places = defaultdict(set)
    for path in MODULES:
        if path.relative_to(PACKAGE).parts[0] in ALIKE_BY_DESIGN:
            continue
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(relative(path))
    twice = [f"{name}: {', '.join(sorted(found))}" for name, found in sorted(places.items()) if len(found) > 1]
    assert not twice, "\n".join(twice)


def test_at_most_ten_modules_stand_at_the_top() -> None:
    top = {path.stem for path in PACKAGE.glob("*.py")}
    assert {"__init__", "__main__"} <= top
    assert len(top - {"__init__", "__main__"}) <= 10


def test_a_module_is_short_enough_to_read_in_one_sitting() -> None:
    long = {relative(path): count for path in MODULES if (count := lines_of_code(path)) > LONGEST}
    assert long.keys() == LONGER, long


def test_every_package_and_module_says_what_it_is() -> None:
    assert [relative(path) for path in MODULES if not ast.get_docstring(tree(path))] == []


@in_a_checkout
def test_ci_checks_the_directions_of_imports() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert "lint-imports" in lines
    assert "exhaustive = true" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_tests_mirror_the_packages() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    assert folders == {path.name for path in PACKAGES if path.parent == PACKAGE} - {"tasks"}  # tested with their rows


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
