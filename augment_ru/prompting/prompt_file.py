"""Prompt files: `prompts/NAME.toml`, read strictly; a user's own file overrides ours."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, unknown
from augment_ru.prompting.choices import Options
from augment_ru.prompting.prompt import LIMITS, Prompt
from augment_ru.prompting.template import LABEL, Template, with_label
from augment_ru.records.task import Task
from augment_ru.resources import folder

GENERIC = "generic"
_KEYS = (
    "template",
    "targets",
    "instruction",
    "separator",
    "labels",
    "options",
    "words",
    "tokens",
    "stop",
    "own",
    "each",
)
_OPTIONS = ("inside", "fields", "texts", "spans")


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
    try:
        return _prompt(path.stem, _read(path), task, variant)
    except AugmentError as error:
        raise AugmentError(f"{path.parent.name or '.'}/{path.name}: {error}") from error


def _path(task: Task) -> Path:
    known = {path.stem: path for path in folder("prompts").glob("*.toml")}
    if task.prompt is not None and task.prompt not in known:
        raise unknown("prompt", task.prompt, known)
    generic = known.get(f"{GENERIC}_{task.language}", known[GENERIC])
    return known.get(task.prompt or task.name, generic)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise AugmentError("no such file") from None
    except UnicodeDecodeError as error:
        raise AugmentError(f"not UTF-8 at byte {error.start}") from error
    except (tomllib.TOMLDecodeError, OSError) as error:
        raise AugmentError(str(error)) from error


def _prompt(name: str, table: Mapping[str, Any], task: Task, variant: int) -> Prompt:
    for key in table:
        if key not in _KEYS:
            raise unknown("key of a prompt", key, _KEYS)
    instruction = Template.of(_typed("instruction", table["instruction"], str)) if "instruction" in table else None
    if instruction and (extra := set(instruction.names) - {"labels"}):
        raise AugmentError(f"instruction: no place {{{min(extra)}}}; possible: {{labels}}")
    return Prompt(
        name=name,
        task=task,
        targets=_targets(table, task, variant),
        instruction=instruction,
        separator=_typed("separator", table.get("separator", "\n\n"), str),
        labels=_spellings("labels", table["labels"]) if "labels" in table else None,
        options=_options(table["options"]) if "options" in table else None,
        words=_words(table.get("words", {})),
        writes="tokens" in table,
        limits=_limits(table["tokens"]) if "tokens" in table else LIMITS,
        stop=_texts("stop", table.get("stop", ["\n"])),
        own=_own(table["own"]) if "own" in table else None,
        each=_typed("each", table["each"], str) if "each" in table else None,
    )


def _targets(table: Mapping[str, Any], task: Task, variant: int) -> dict[str, Template]:
    given = [key for key in ("template", "targets", "own") if key in table]
    if len(given) != 1:
        raise AugmentError(f"needs one of template, targets, own; has {' and '.join(given) or 'none'}")
    if "own" in table:
        return {task.gold[0]: Template(("", ""), (LABEL,))}
    targets = table.get("targets", {task.gold[0]: table.get("template")})
    _typed("targets", targets, dict)
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


def _options(value: Any) -> Options:  # noqa: ANN401  (what TOML holds)
    table = _typed("options", value, dict)
    for key in table:
        if key not in _OPTIONS:
            raise unknown("key of [options]", key, _OPTIONS)
    if len(table) != 1:
        raise AugmentError(f"options: needs one of {', '.join(_OPTIONS)}; has {' and '.join(table) or 'none'}")
    if "fields" in table:
        return Options(fields=_spellings("options.fields", table["fields"]))
    return Options(**{key: _typed(f"options.{key}", text, str) for key, text in table.items()})


def _spellings(where: str, value: Any) -> dict[str, tuple[str, ...]]:  # noqa: ANN401
    table = {word: _texts(f"{where}.{word}", labels) for word, labels in _typed(where, value, dict).items()}
    if len({len(labels) for labels in table.values()}) != 1:
        raise AugmentError(f"{where}: every word needs as many spellings of its label as the others")
    for column in zip(*table.values(), strict=True):
        if len(set(column)) < len(column):
            raise AugmentError(f"{where}: two words for one label in {', '.join(column)}")
    return table


def _words(value: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401
    return {
        field: {key: _typed(f"words.{field}.{key}", word, str) for key, word in _typed("words", table, dict).items()}
        for field, table in _typed("words", value, dict).items()
    }


def _limits(value: Any) -> tuple[int, int]:  # noqa: ANN401
    if not isinstance(value, list) or [type(one) for one in value] != [int, int] or min(value) < 1:
        raise AugmentError(f"tokens: {value}; needs two numbers from 1: without and with demonstrations")
    return value[0], value[1]


def _own(value: Any) -> tuple[str, str]:  # noqa: ANN401
    table = _typed("own", value, dict)
    if sorted(table) != ["template", "values"]:
        raise AugmentError("own: needs template and values, the names of two fields")
    return _typed("own.template", table["template"], str), _typed("own.values", table["values"], str)


def _texts(where: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise AugmentError(f"{where}: {value!r}; needs a text or a list of texts")
    return tuple(texts)


def _typed(where: str, value: Any, wanted: type) -> Any:  # noqa: ANN401
    if not isinstance(value, wanted):
        raise AugmentError(f"{where}: {value!r}; needs {'a table' if wanted is dict else 'a text'}")
    return value
