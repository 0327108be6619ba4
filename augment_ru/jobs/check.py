"""The work of `augment-ru check`: find mistakes in data files, and rules that contradict their examples."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from augment_ru import registry
from augment_ru.constraints import rule_file
from augment_ru.constraints.protection import check_rules, protected
from augment_ru.edits import Span
from augment_ru.engine.prepare import Preparation
from augment_ru.errors import AugmentError
from augment_ru.language.annotate import Natasha
from augment_ru.prompting.prompt import Prompt
from augment_ru.prompting.prompt_file import prompt_of, unfit
from augment_ru.records.task import Task, generic, is_task_file, read_task_file, task
from augment_ru.registry import is_own
from augment_ru.resources import file_text, folder
from augment_ru.strict_tables import read_toml

_HEADER = {"source": "source", "licen": "licence"}
"""Maps each string that a header must contain to the word that messages use for it."""
_ALL_KEY = "all columns are the key"
"""What a header says if all columns form the key of a row. Without it, the last column is the value of the key."""


def file_problems(files: Sequence[Path]) -> Iterator[str]:
    """Yield a line for each problem in dictionaries, rule files, task files and prompt files.

    Args:
        files: the files; if empty, the dictionaries, rule files and prompt files of this package are checked.
    """
    ours = [*sorted(folder("dictionaries").glob("*.tsv")), *rule_file.constraint_paths().values()]
    for path in files or [*ours, *sorted(folder("prompts").glob("*.toml"))]:
        if is_own(str(path)):
            own = partial(rule_file.constraint, str(path), may_import=True)
            yield from _with_error(str(path), constraint_problems(str(path), own))
        elif not path.is_file():
            yield f"{path}: no such file"
        elif path.suffix == ".tsv":
            yield from _with_error(path.name, dictionary_problems(path))
        elif path.suffix == ".toml":
            yield from toml_problems(path)
        else:
            yield (
                f"{path}: neither a dictionary (.tsv), a rule, task or prompt file (.toml) nor a constraint's function "
                f"(FILE.py:FUNCTION)"
            )


def _with_error(where: str, problems: Iterable[str]) -> Iterator[str]:
    """Yield problems; if an error ends them, it is the last one, and names the file or constraint `where`."""
    try:
        yield from problems
    except AugmentError as error:
        yield str(error) if str(error).startswith(where) else f"{where}: {error}"


def dictionary_problems(path: Path) -> Iterator[str]:
    """Yield a line for each problem of a dictionary.

    It must be UTF-8 in NFC (Unicode's composed form: й is one character), sorted, without repeated keys or empty cells,
    have the same number of cells in all rows, and name its source and licence.

    Raises:
        AugmentError: the file cannot be read.
    """
    text = file_text(path, path.name)
    lines = text.split("\n")
    yield from _header_problems(path.name, lines)
    if "\r" in text:
        yield f"{path.name}: has carriage returns; lines end with a line feed alone"
    if text and not text.endswith("\n"):
        yield f"{path.name}: the last line does not end"
    all_key = _ALL_KEY in "\n".join(line for line in lines if line.startswith("#"))
    rows = [(number, line) for number, line in enumerate(lines, start=1) if line and not line.startswith("#")]
    before: list[str] = []
    for number, line in rows:
        cells = line.split("\t")
        for problem in _row_problems(line, cells, before, all_key=all_key):
            yield f"{path.name}: line {number}: {problem}"
        before = cells


def _header_problems(where: str, lines: Sequence[str]) -> Iterator[str]:
    header = "\n".join(line for line in lines if line.startswith("#")).lower()
    if missing := [said for sign, said in _HEADER.items() if sign not in header]:
        yield f"{where}: the header names no {' and no '.join(missing)}"


def _row_problems(line: str, cells: list[str], before: list[str], *, all_key: bool) -> Iterator[str]:
    """Yield the problems of a row.

    Args:
        line: the row.
        cells: its cells.
        before: the cells of the previous row; empty for the first row.
        all_key: whether all cells form the key of the row; otherwise the last cell is its value.
    """
    if not unicodedata.is_normalized("NFC", line):
        yield "not in NFC"
    if any(cell != cell.strip() or not cell for cell in cells):
        yield "an empty cell, or one with spaces around it"
    if before and len(cells) != len(before):
        yield f"{len(cells)} columns, not {len(before)}"
    key, last = (cells, before) if all_key else (cells[:-1] or cells, before[:-1] or before)
    if key == last:
        yield f"{' '.join(key)} stands twice"
    elif key < last:
        yield f"not sorted: {' '.join(key)} after {' '.join(last)}"


def toml_problems(path: Path) -> Iterator[str]:
    """Yield a line for each problem of a TOML file.

    Its keys tell whether it is a prompt file, a task file or a rule file.
    """
    try:
        content = read_toml(path)
    except AugmentError:  # the reader of rule files says what is wrong
        content = {}
    if path.resolve().parent == folder("prompts") or content.keys() & {"template", "targets", "own"}:
        yield from _with_error("", prompt_problems(path))
    elif is_task_file(content) or (content and not content.keys() & {"why", "rule", "example"}):
        yield from _with_error(path.name, task_problems(path))
    else:
        name = rule_file.name_of(path)
        yield from _with_error(name, constraint_problems(name, partial(rule_file.read_constraint, path)))


def prompts_of_files(files: Sequence[Path]) -> str:
    """Name the prompt with which the task of each task file is asked, such as "my.toml: the prompt rwsd".

    The files must have no problems; other files than task files are left out.
    """
    tasks = [path for path in files if path.suffix == ".toml" and is_task_file(read_toml(path))]
    return "; ".join(f"{path}: {_stated_prompt(read_task_file(path))}" for path in tasks)


def _stated_prompt(known: Task) -> str:
    """Name the prompt of a task. If the generic prompt does not fit the task, tell why."""
    reason = unfit(known)
    left = f' does not fit, as {reason}; name a prompt file: prompt = "FILE.toml"' if reason else ""
    return f"the prompt {prompt_of(known).name}{left}"


def task_problems(path: Path) -> Iterator[str]:
    """Yield a line if the prompt of a task file asks for other fields than the right answers.

    Raises:
        AugmentError: the file is no task file, or its constraints or its prompt do not exist or do not fit the task.
    """
    known = read_task_file(path)
    Preparation().check(known)
    yield from _target_problems(path.name, prompt_of(known))


def _target_problems(where: str, prompt: Prompt) -> Iterator[str]:
    if others := prompt.targets.keys() - set(prompt.task.scoring.gold):
        yield f"{where}: asks for {', '.join(sorted(others))}; the task has {', '.join(prompt.task.scoring.gold)}"


def prompt_problems(path: Path) -> Iterator[str]:
    """Yield a line for each problem of a prompt file.

    It must be valid, in NFC (Unicode's composed form: й is one character), and without spaces at line ends. Prompt
    files of this package must name a source and a licence. If a task has the same name as the file, the prompt may ask
    only for fields that hold right answers of the task.

    Raises:
        AugmentError: it is not valid.
    """
    where = f"{path.parent.name}/{path.name}"
    known = path.stem in registry.names("tasks")
    prompt = prompt_of(task(path.stem) if known else generic(), path)
    if known:
        yield from _target_problems(where, prompt)
    lines = file_text(path).split("\n")
    if path.resolve().parent == folder("prompts"):  # what this package publishes; a file of a user is private
        yield from _header_problems(where, lines)
    for number, line in enumerate(lines, start=1):
        if not unicodedata.is_normalized("NFC", line):
            yield f"{where}: line {number}: not in NFC"
        if line != line.rstrip():
            yield f"{where}: line {number}: ends in space"


def constraint_problems(where: str, read: Callable[[], rule_file.Constraint]) -> Iterator[str]:
    """Yield a line for each problem of a constraint (a rule that says what is protected).

    A constraint must be valid. It must have examples in which it protects something, and examples in which it protects
    nothing. In each example it must protect exactly what the example marks, also if it is asked twice.

    Args:
        where: the name of the constraint in messages.
        read: reads the constraint, and raises an error if it cannot.

    Raises:
        AugmentError: the constraint is not valid.
    """
    found = read()
    check_rules((found,))
    if not any(example.spans for example in found.examples):
        yield f'{where}: no example with something protected; add "… [so] …" to its examples'
    if all(example.spans for example in found.examples):
        yield f"{where}: no example with nothing protected; add one that must stay free"
    for number, example in enumerate(found.examples, start=1):
        spans = protected_in(found, example)
        if wrong := mismatch(example, spans):
            yield f"{where}: example {number}: {wrong}"
        if spans != protected_in(found, example):
            yield f"{where}: example {number}: other spans the second time; the same text needs the same spans"
    protected_in(found, rule_file.RuleExample(""))


def protected_in(one: rule_file.Constraint, example: rule_file.RuleExample) -> list[Span]:
    """Return the spans that a constraint protects in the text of an example.

    Args:
        one: the constraint.
        example: an example of its rule file: a text, with brackets around what is to be protected.
    """
    (doc,) = Natasha()([example.text], one.layers)
    return protected((one,), {**example.record, "text": example.text}, {"text": doc})["text"]


def mismatch(example: rule_file.RuleExample, found: Sequence[Span]) -> str:
    """Return a message if a constraint protects other characters of an example than the example marks; otherwise "".

    Args:
        example: the example: a text, with brackets around what is to be protected.
        found: the spans that the constraint protects in it.
    """
    wanted = {place for span in example.spans for place in range(span.start, span.stop)}
    got = {place for span in found for place in range(span.start, span.stop)}
    if wanted == got:
        return ""
    opening, closing = got - {place + 1 for place in got}, got - {place - 1 for place in got}
    shown = "".join(
        f"{'[' if place in opening else ''}{char}{']' if place in closing else ''}"
        for place, char in enumerate(example.text)
    )
    return f"expected {example.marked}, got {shown}"
