"""Tasks: which fields of a dataset's rows are perturbed, and what must survive in them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from augment_ru import registry
from augment_ru.errors import AugmentError, unknown
from augment_ru.records.field_paths import keys_of, value


@dataclass(frozen=True, slots=True)
class AnswerOffsets:
    """A field that lists answers {offset, length, segment} which stand in a text field (MultiQ)."""

    field: str
    text: str
    label: str
    may_be_text: bool = False
    """A plain text in place of the list is an answer without a place."""


@dataclass(frozen=True, slots=True)
class WordSpans:
    """Spans given as a text and the number of its first word, counted between white space (RWSD)."""

    field: str
    text: str
    pairs: tuple[tuple[str, str], ...]
    """(key of the span's text, key of the word's number)"""
    label: str


@dataclass(frozen=True, slots=True)
class CharacterSpans:
    """Spans given as the numbers of characters; whether the last one belongs to them need not be known (RUSSE)."""

    text: str
    start: str
    stop: str
    label: str


@dataclass(frozen=True, slots=True)
class Marks:
    """What is no language in a text: the numbers of sentences, placeholders. A regular expression finds it."""

    text: str
    pattern: str
    label: str
    border: bool = False
    """No change reaches across the start of such a mark."""


@dataclass(frozen=True, slots=True)
class Task:
    """A dataset's schema. Fields are named as in `records.field_paths`: `text`, `inputs.text`, `qas[].query`.

    Attributes:
        name: how it is called on the command line.
        fields: the text fields that are perturbed; all others never are.
        optional: text fields that are perturbed where a row has them.
        keys: the fields by which a row is recognised.
        contains: what else tells a row: a field that must hold a text with this regular expression.
        id: the field that tells rows apart, if there is one.
        language: of the texts, `ru` or `en`; constraints that read another one are refused.
        constraints: the constraints that hold by default.
        options: the text fields that hold «(A) … (B) …»; the markers survive, each option stays its own.
        lists: the fields that must be lists of texts, or the string form of one.
        answers, words, characters: fields whose places follow the text.
        marks: what is no language in the texts, and survives.
        kept: fields whose texts survive wherever they stand in a perturbed text as whole words.
        judged: fields that are a statement to judge or to choose (a hypothesis, a choice, a reply, a gap to fill):
            nothing is put behind them, and they are no source of sentences for other texts.
        unsaid: fields whose texts no sentence that is put behind a text may hold: options that are fields of their
            own, the word that is asked about.
        aliases: the names under which constraints look for what stands elsewhere: (their name, ours).
        gold: the fields that hold the right answer; several for several labels of one row.
        metrics: how predictions are scored, the first first; the names of `augment_ru.evaluation.metrics`.
        prompt: the prompt file of this name in `prompts/`, by default the task's own.
    """

    name: str
    fields: tuple[str, ...]
    keys: frozenset[str] = frozenset()
    id: str | None = None
    constraints: tuple[str, ...] = ("named_entities",)
    options: tuple[str, ...] = ()
    answers: tuple[AnswerOffsets, ...] = ()
    words: tuple[WordSpans, ...] = ()
    lists: tuple[str, ...] = ()
    gold: tuple[str, ...] = ("label",)
    metrics: tuple[str, ...] = ("accuracy", "macro_f1")
    prompt: str | None = None
    optional: tuple[str, ...] = ()
    contains: tuple[str, str] | None = None
    language: str = "ru"
    characters: tuple[CharacterSpans, ...] = ()
    marks: tuple[Marks, ...] = ()
    kept: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    @property
    def anchored(self) -> bool:
        """Whether the task itself names what must survive in its texts."""
        return bool(self.options or self.answers or self.words or self.characters or self.marks or self.kept)


def generic(*fields: str) -> Task:
    """The task of rows with these text fields and nothing else to heed."""
    return Task("generic", fields or ("text",), id="id")


def task(name: str) -> Task:
    """The task of this name.

    Raises:
        AugmentError: there is no such task.
    """
    if name == "generic":
        return generic()
    if name not in registry.names("tasks"):
        raise unknown("task", name, [*registry.names("tasks"), "generic"])
    found: Task = registry.find("tasks", "task", name)
    return found


def recognise(row: Mapping[str, Any]) -> Task:
    """The task whose fields a row has; the one with the most, where several fit.

    Raises:
        AugmentError: none fits, or several fit equally well.
    """
    fitting = _fits(row)
    best = [one for one in fitting if not any(one.keys < other.keys for other in fitting)]
    if len(best) > 1:
        raise AugmentError(f"the fields fit several tasks: {', '.join(one.name for one in best)}; choose with --task")
    if best:
        return best[0]
    if "text" in row:
        return generic()
    raise AugmentError(
        f"no field 'text', and no task has the fields {', '.join(row) or '(none)'}; "
        f"name the text field with --field, or a task with --task"
    )


def chosen(row: Mapping[str, Any], known: Task | None, fields: Sequence[str] = ()) -> Task:
    """The task of a row: the one that is known, else the one recognised; with these fields in place of its own.

    Raises:
        AugmentError: no task fits, and no field is given; or several fit.
    """
    if known is None:
        known = recognise(row) if not fields or _fits(row) else generic()
    return _with_fields(known, tuple(fields)) if fields else known


@lru_cache(maxsize=256)
def _with_fields(known: Task, fields: tuple[str, ...]) -> Task:
    return replace(known, fields=fields, optional=())


def _fits(row: Mapping[str, Any]) -> list[Task]:
    return [one for one in _fitting(keys_of(row)) if _contains(one, row)]


@lru_cache(maxsize=1024)
def _fitting(keys: tuple[str, ...]) -> list[Task]:
    return [known for known in map(task, registry.names("tasks")) if known.keys <= set(keys)]


def _contains(known: Task, row: Mapping[str, Any]) -> bool:
    if known.contains is None:
        return True
    name, pattern = known.contains
    held = value(row, name)
    return isinstance(held, str) and re.search(pattern, held) is not None
