"""Read prompt files: `prompts/NAME.toml` of this package, or a user's own file instead; unknown keys are errors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from augment_ru.errors import AugmentError, saying_where, unknown
from augment_ru.prompting.prompt import LABEL, LIMITS, Options, OwnTemplate, Prompt, Template, with_label
from augment_ru.records.field_paths import is_plain
from augment_ru.records.metric_kinds import METRIC_KINDS
from augment_ru.records.task import Benchmark, Task
from augment_ru.resources import folder
from augment_ru.strict_tables import SomeText, SomeTexts, read_toml, typed

GENERIC = "generic"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a prompt file; unknown keys are refused."""


class _Listed(_Table, frozen=True):
    inside: str | None = None
    fields: dict[str, str | SomeTexts] | None = None
    texts: str | None = None
    spans: str | None = None


class _Own(_Table, frozen=True):
    template: SomeText
    values: SomeText
    later: SomeText


class _Variant(_Table, frozen=True):
    """A variant of a prompt: the keys that differ from the file's."""

    template: SomeText
    layout: Literal["letters", "numbers", "brackets", "lines", "json"] | None = None
    instruction: str | None = None
    labels: dict[str, str | SomeTexts] | None = None


class _File(_Table, frozen=True):
    template: str | SomeTexts | None = None
    targets: dict[str, str | SomeTexts] | None = None
    own: _Own | None = None
    instruction: str | None = None
    separator: str = "\n\n"
    labels: dict[str, str | SomeTexts] | None = None
    options: _Listed | None = None
    words: dict[str, dict[str, str]] = {}
    tokens: tuple[int, int] | None = None
    stop: str | SomeTexts = "\n"
    each: str | None = None
    system: str | None = None
    variants: tuple[_Variant, ...] = ()


def prompt_of(task: Task, template: str | Path | None = None, *, variant: int = 1) -> Prompt:
    """Read the prompt that asks a model about the rows of a task.

    Args:
        task: the task. Its `prompt`, or else its name, is the name of the file; if there is no such file, the generic
            prompt in the task's language is used. `unfit` tells why that may not fit the task.
        template: a prompt file of the user's own; None for the one of this package.
        variant: the number of the template in the file, from 1; if a field has fewer templates, its last one is used.

    Raises:
        AugmentError: there is no such file or variant, or the file is wrong.
    """
    path, given, where = _read(task, template)
    with saying_where(where):
        return _prompt(path.stem, given, task, variant)


def variants_of(task: Task, template: str | Path | None = None) -> int:
    """Return how many variants (different wordings) the prompt file of a task has.

    Args:
        task: the task; its `prompt`, or else its name, is the name of the file.
        template: a prompt file of the user's own; None for the one of this package.
    """
    _, given, _ = _read(task, template)
    return _templates(given) + len(given.variants)


def _read(task: Task, template: str | Path | None) -> tuple[Path, _File, str]:
    path = Path(template) if template else _path(task)
    where = f"{path.parent.name or '.'}/{path.name}"
    return path, typed(where, read_toml(path, where), _File), where


def _templates(given: _File) -> int:
    """Return how many templates a file states outside its variants."""
    several = (given.targets or {"": given.template or ""}).values()
    return max((len(_texts(value)) for value in several), default=0)


def unfit(task: Task) -> str:
    """Return why a model cannot be asked about the rows of a task with the generic prompt; "" if it can.

    The generic prompt shows one text and lists labels, one of which is the answer. For a task that has a prompt of its
    own, the result is also "".
    """
    if not _path(task).stem.startswith(GENERIC):
        return ""
    if METRIC_KINDS[task.scoring.metrics[0]] != "labels":
        return "the answers are no labels"
    if len(task.scoring.decided) > 1:
        return "there are several answers"
    if task.layout.options or task.layout.option_fields:
        return "there are options"
    return "" if is_plain(task.layout.read) and len(task.layout.read) == 1 else "there are several texts"


def _path(task: Task) -> Path:
    if task.benchmark.prompt is not None and task.benchmark.prompt.endswith(".toml"):
        return Path(task.benchmark.prompt)
    known = {path.stem: path for path in folder("prompts").glob("*.toml")}
    if task.benchmark.prompt is not None and task.benchmark.prompt not in known:
        raise unknown("prompt", task.benchmark.prompt, known)
    generic = known.get(f"{GENERIC}_{task.benchmark.language}", known[GENERIC])
    return known.get(task.benchmark.prompt or task.name, generic)


def _prompt(name: str, given: _File, task: Task, variant: int) -> Prompt:
    layout = None
    most = _templates(given) + len(given.variants)
    if not 1 <= variant <= most:
        raise AugmentError(f"variant {variant}; the file has {most}, from 1")
    if variant > _templates(given):
        chosen = given.variants[variant - _templates(given) - 1]
        further = {} if chosen.labels is None else {"labels": chosen.labels}
        fields = dict.fromkeys(given.targets or {}, chosen.template) or None
        given = msgspec.structs.replace(
            given,
            template=None if fields else chosen.template,
            targets=fields,
            instruction=chosen.instruction,
            **further,
        )
        layout, variant = chosen.layout, 1
    instruction = None if given.instruction is None else Template.of(given.instruction)
    if instruction and (extra := set(instruction.names) - {"labels"}):
        raise AugmentError(f"instruction: no place {{{min(extra)}}}; possible: {{labels}}")
    if given.tokens and min(given.tokens) < 1:
        raise AugmentError(f"tokens is {[*given.tokens]}; it must be two numbers from 1: without and with shots")
    own = given.own
    return Prompt(
        name=name,
        task=task,
        targets=_targets(given, task, variant),
        instruction=instruction,
        separator=given.separator,
        labels=None if given.labels is None else _spellings("labels", given.labels),
        options=None if given.options is None else _options(given.options),
        words=given.words,
        writes=given.tokens is not None,
        limits=given.tokens or LIMITS,
        stop=_texts(given.stop),
        own=None if own is None else _own(own, task.benchmark),
        each=given.each,
        layout=layout,
    )


def _own(own: _Own, asked: Benchmark) -> OwnTemplate:
    kinds = asked.later if isinstance(asked.later, dict) else {}
    text = asked.later if isinstance(asked.later, str) else own.later
    made = {kind: _template("later", template) for kind, template in kinds.items()}
    return OwnTemplate(own.template, own.values, _template("later", text), asked.first, asked.later_by, made)


def _targets(given: _File, task: Task, variant: int) -> dict[str, Template]:
    ways = [key for key in ("template", "targets", "own") if getattr(given, key) is not None]
    if len(ways) != 1:
        raise AugmentError(f"needs one of template, targets, own; has {' and '.join(ways) or 'none'}")
    if given.own:
        return {task.scoring.gold[0]: Template(("", ""), (LABEL,))}
    targets = {task.scoring.gold[0]: given.template or ""} if given.targets is None else given.targets
    found = {field: [_template(field, text) for text in _texts(value)] for field, value in targets.items()}
    return {field: templates[min(variant, len(templates)) - 1] for field, templates in found.items()}


def _template(field: str, text: str) -> Template:
    with saying_where(f"template of {field}"):
        template = with_label(Template.of(text))
    if template.names.count(LABEL) > 1:
        raise AugmentError(f"template of {field}: {{{LABEL}}} stands more than once")
    return template


def _options(listed: _Listed) -> Options:
    given = {key: value for key, value in msgspec.structs.asdict(listed).items() if value is not None}
    if len(given) != 1:
        possible = ", ".join(listed.__struct_fields__)
        raise AugmentError(f"options: needs one of {possible}; has {' and '.join(given) or 'none'}")
    if listed.fields is not None:
        given["fields"] = _spellings("options.fields", listed.fields)
    return Options(**given)


def _spellings(where: str, table: Mapping[str, str | SomeTexts]) -> dict[str, tuple[str, ...]]:
    spelled = {word: _texts(labels) for word, labels in table.items()}
    if len({len(labels) for labels in spelled.values()}) != 1:
        raise AugmentError(f"{where}: every word needs as many spellings of its label as the others")
    for column in zip(*spelled.values(), strict=True):
        if len(set(column)) < len(column):
            raise AugmentError(f"{where}: two words for one label in {', '.join(column)}")
    return spelled


def _texts(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given
