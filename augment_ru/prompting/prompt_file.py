"""Prompt files: `prompts/NAME.toml`, read strictly; a user's own file overrides ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, unknown
from augment_ru.prompting.choices import Options
from augment_ru.prompting.prompt import LIMITS, OwnTemplate, Prompt
from augment_ru.prompting.template import LABEL, Template, with_label
from augment_ru.records.task import Task
from augment_ru.resources import folder
from augment_ru.strict_tables import (
    LIST,
    SOME_TEXTS,
    TABLE,
    TEXT,
    TEXT_OR_TEXTS,
    Key,
    checked,
    read_toml,
    table_values,
)

GENERIC = "generic"
_KEYS = {
    "template": Key(TEXT_OR_TEXTS), "targets": Key(TABLE), "own": Key(TABLE), "instruction": Key(TEXT),
    "separator": Key(TEXT, "\n\n"), "labels": Key(TABLE), "options": Key(TABLE), "words": Key(TABLE, {}),
    "tokens": Key(LIST), "stop": Key(TEXT_OR_TEXTS, "\n"), "each": Key(TEXT),
}  # fmt: skip
_OPTIONS = {"inside": Key(TEXT), "fields": Key(TABLE), "texts": Key(TEXT), "spans": Key(TEXT)}
_OWN = {key: Key(TEXT, required=True) for key in ("template", "values", "later")}


def prompt_of(task: Task, template: str | Path | None = None, *, variant: int = 1) -> Prompt:
    """How the rows of a task are asked about.

    Args:
        task: its `prompt`, else its name, names the file; a task without one is asked generically, in its language.
        template: a file in place of ours.
        variant: which of the file's templates, from 1; where a field has fewer, its last.

    Raises:
        AugmentError: there is no such file or variant, or the file is wrong.
    """
    path = Path(template) if template else _path(task)
    where = f"{path.parent.name or '.'}/{path.name}"
    values = table_values(where, read_toml(path, where), _KEYS)
    try:
        return _prompt(path.stem, values, task, variant)
    except AugmentError as error:
        raise AugmentError(f"{where}: {error}") from error


def _path(task: Task) -> Path:
    known = {path.stem: path for path in folder("prompts").glob("*.toml")}
    if task.benchmark.prompt is not None and task.benchmark.prompt not in known:
        raise unknown("prompt", task.benchmark.prompt, known)
    generic = known.get(f"{GENERIC}_{task.benchmark.language}", known[GENERIC])
    return known.get(task.benchmark.prompt or task.name, generic)


def _prompt(name: str, values: Mapping[str, Any], task: Task, variant: int) -> Prompt:
    given = {key: value for key, value in values.items() if value is not None}
    instruction = Template.of(given["instruction"]) if "instruction" in given else None
    if instruction and (extra := set(instruction.names) - {"labels"}):
        raise AugmentError(f"instruction: no place {{{min(extra)}}}; possible: {{labels}}")
    return Prompt(
        name=name,
        task=task,
        targets=_targets(given, task, variant),
        instruction=instruction,
        separator=given["separator"],
        labels=_spellings("labels", given["labels"]) if "labels" in given else None,
        options=_options(given["options"]) if "options" in given else None,
        words=_words(given["words"]),
        writes="tokens" in given,
        limits=_limits(given["tokens"]) if "tokens" in given else LIMITS,
        stop=_texts("stop", given["stop"]),
        own=_own(given["own"]) if "own" in given else None,
        each=given.get("each"),
    )


def _targets(given: Mapping[str, Any], task: Task, variant: int) -> dict[str, Template]:
    ways = [key for key in ("template", "targets", "own") if key in given]
    if len(ways) != 1:
        raise AugmentError(f"needs one of template, targets, own; has {' and '.join(ways) or 'none'}")
    if "own" in given:
        return {task.scoring.gold[0]: Template(("", ""), (LABEL,))}
    targets = given.get("targets", {task.scoring.gold[0]: given.get("template")})
    found = {field: [_template(field, text) for text in _texts(field, value)] for field, value in targets.items()}
    most = max((len(templates) for templates in found.values()), default=0)
    if not 1 <= variant <= most:
        raise AugmentError(f"variant {variant}; the file has {most}, from 1")
    return {field: templates[min(variant, len(templates)) - 1] for field, templates in found.items()}


def _template(field: str, text: str) -> Template:
    try:
        template = with_label(Template.of(text))
    except AugmentError as error:
        raise AugmentError(f"template of {field}: {error}") from error
    if template.names.count(LABEL) > 1:
        raise AugmentError(f"template of {field}: {{{LABEL}}} stands more than once")
    return template


def _options(table: Mapping[str, Any]) -> Options:
    values = table_values("options", table, _OPTIONS)
    if len(table) != 1:
        raise AugmentError(f"options: needs one of {', '.join(_OPTIONS)}; has {' and '.join(table) or 'none'}")
    fields = None if values["fields"] is None else _spellings("options.fields", values["fields"])
    return Options(**values | {"fields": fields})


def _spellings(where: str, table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    spelled = {word: _texts(f"{where}.{word}", labels) for word, labels in table.items()}
    if len({len(labels) for labels in spelled.values()}) != 1:
        raise AugmentError(f"{where}: every word needs as many spellings of its label as the others")
    for column in zip(*spelled.values(), strict=True):
        if len(set(column)) < len(column):
            raise AugmentError(f"{where}: two words for one label in {', '.join(column)}")
    return spelled


def _words(tables: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    for field, table in tables.items():
        for key, word in checked(f"words.{field}", table, TABLE).items():
            checked(f"words.{field}.{key}", word, TEXT)
    return {field: dict(table) for field, table in tables.items()}


def _limits(numbers: list[Any]) -> tuple[int, int]:
    if [type(one) for one in numbers] != [int, int] or min(numbers) < 1:
        raise AugmentError(f"tokens is {numbers}; it must be two numbers from 1: without and with demonstrations")
    return numbers[0], numbers[1]


def _own(table: Mapping[str, Any]) -> OwnTemplate:
    values = table_values("own", table, _OWN)
    return OwnTemplate(values["template"], values["values"], _template("own.later", values["later"]))


def _texts(where: str, value: object) -> tuple[str, ...]:
    return tuple(checked(where, [value] if isinstance(value, str) else value, SOME_TEXTS))
