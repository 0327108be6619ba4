"""Tasks as TOML files: the schema of a dataset without a line of Python. The keys are the attributes of `Task`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru import registry
from augment_ru.errors import AugmentError, unknown
from augment_ru.records.metric_kinds import check_metrics
from augment_ru.records.task import AnswerOffsets, CharacterSpans, Dialogue, Marks, Task, WordSpans, task
from augment_ru.resources import folder
from augment_ru.strict_tables import (
    INTEGER,
    LIST,
    SOME_TEXTS,
    TABLE,
    TABLES,
    TEXT,
    TEXTS,
    TRUTH,
    Key,
    Kind,
    checked,
    read_toml,
    table_values,
)

_PAIR = Kind("a list of two texts", lambda value: TEXTS.fits(value) and len(value) == 2)  # noqa: PLR2004
_REQUIRED = Key(TEXT, required=True)
_KEYS = {
    "fields": Key(SOME_TEXTS, required=True), "name": Key(TEXT), "id": Key(TEXT), "prompt": Key(TEXT),
    "language": Key(Kind("'ru' or 'en'", lambda value: value in ("ru", "en"))), "contains": Key(_PAIR),
    "gold": Key(SOME_TEXTS), "metrics": Key(SOME_TEXTS), "separator": Key(TEXT), "shots": Key(INTEGER),
    "trained_on": Key(TEXT), "grouped_by": Key(TEXT), "every_class": Key(TRUTH), "diagnostic": Key(TRUTH),
    "dialogue": Key(TABLE),
    **{key: Key(TEXTS) for key in ("keys", "constraints", "options", "lists", "optional", "kept", "judged",
                                   "forbidden", "option_fields", "inputs", "unlabelled", "norms")},
    "aliases": Key(LIST), "answers": Key(TABLES), "words": Key(TABLES), "characters": Key(TABLES), "marks": Key(TABLES),
}  # fmt: skip
_SHARED = {"name", "language", "options", "words", "shots", "separator"}
"""Keys that files of other kinds may have, too: rule files, prompt files, recipes."""
_DIALOGUE = dict.fromkeys(("id", "turn", "context"), _REQUIRED)
_TABLES: Mapping[str, tuple[type, Mapping[str, Key]]] = {
    "answers": (
        AnswerOffsets,
        {"field": _REQUIRED, "text": _REQUIRED, "label": _REQUIRED, "may_be_text": Key(TRUTH, default=False)},
    ),
    "words": (
        WordSpans,
        {"field": _REQUIRED, "text": _REQUIRED, "pairs": Key(LIST, required=True), "label": _REQUIRED},
    ),
    "characters": (CharacterSpans, dict.fromkeys(("text", "start", "stop", "label"), _REQUIRED)),
    "marks": (
        Marks,
        {"text": _REQUIRED, "pattern": _REQUIRED, "label": _REQUIRED, "border": Key(TRUTH, default=False)},
    ),
}


def task_or_file(spec: str) -> Task:
    """The task of this name, or that of a TOML file.

    Raises:
        AugmentError: there is no such task or file, or the file states no task.
    """
    return read_task_file(Path(spec)) if spec.endswith(".toml") else task(spec)


def is_task_file(content: Mapping[str, Any]) -> bool:
    """Whether the content of a TOML file is meant to be a task: it has a key that tasks have, and no others do."""
    return bool(content.keys() & (_KEYS.keys() - _SHARED))


def read_task_file(path: Path) -> Task:
    """The task of a TOML file; its name is that of the file, if it states none.

    Raises:
        AugmentError: the file cannot be read, or a key or a value is none of a task: also if there is no such metric or
            prompt, or its name is taken.
    """
    content = read_toml(path, path.name)
    values = {key: value for key, value in table_values(path.name, content, _KEYS).items() if key in content}
    for key, (made, keys) in _TABLES.items():
        if key in values:
            values[key] = tuple(
                made(**_entry(f"{path.name}: [[{key}]] {number}", entry, keys))
                for number, entry in enumerate(values[key], start=1)
            )
    if "aliases" in values:
        values["aliases"] = _pairs(f"{path.name}: 'aliases'", values["aliases"])
    if "contains" in values:
        _check_pattern(f"{path.name}: 'contains'", values["contains"][1])
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    values["keys"] = frozenset(values.get("keys", ()))
    if "dialogue" in values:
        values["dialogue"] = Dialogue(**table_values(f"{path.name}: [dialogue]", values["dialogue"], _DIALOGUE))
    found = Task(**{"name": path.stem, **values})
    try:
        _check_names(found)
    except AugmentError as error:
        raise AugmentError(f"{path.name}: {error}") from error
    return found


def _check_names(made: Task) -> None:
    """Raise an error if the task has a name of something else, or names what is not there.

    Raises:
        AugmentError: it is so.
    """
    if not made.name.strip() or not made.name.isprintable():
        raise AugmentError(f"'name' is {made.name!r}; it must be a text of one line")
    if made.name in {"generic", "original", *registry.names("tasks"), *registry.names("attacks")}:
        raise AugmentError(f"'{made.name}' is the name of a task or an attack already; write name = \"another one\"")
    check_metrics(made.metrics)
    prompts = [path.stem for path in folder("prompts").glob("*.toml")]
    if made.prompt is not None and made.prompt not in prompts:
        raise unknown("prompt", made.prompt, prompts)
    if made.trained_on is not None:
        task(made.trained_on)
    if made.shots < 0:
        raise AugmentError(f"'shots' is {made.shots}; it must be at least 0")


def _entry(where: str, table: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    values = table_values(where, table, keys)
    if "pairs" in values:
        values["pairs"] = _pairs(f"{where}: 'pairs'", values["pairs"])
    if "pattern" in values:
        _check_pattern(f"{where}: 'pattern'", values["pattern"])
    return values


def _pairs(where: str, value: list[Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(checked(f"{where}, entry {number}", one, _PAIR)) for number, one in enumerate(value, start=1))


def _check_pattern(where: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise AugmentError(f"{where}: no regular expression: {error}") from error
