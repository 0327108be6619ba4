"""Tasks as TOML files: the schema of a dataset without a line of Python. The keys are the attributes of `Task`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.records.task import AnswerOffsets, CharacterSpans, Marks, Task, WordSpans, task
from augment_ru.strict_tables import (
    LIST,
    SOME_TEXTS,
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
    **{key: Key(TEXTS) for key in ("keys", "constraints", "options", "lists", "gold", "metrics", "optional", "kept",
                                   "judged", "forbidden", "option_fields")},
    "aliases": Key(LIST), "answers": Key(TABLES), "words": Key(TABLES), "characters": Key(TABLES), "marks": Key(TABLES),
}  # fmt: skip
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


def read_task_file(path: Path) -> Task:
    """The task of a TOML file; its name is that of the file, if it states none.

    Raises:
        AugmentError: the file cannot be read, or a key or a value is none of a task.
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
    return Task(**{"name": path.stem, **values})


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
