"""Tasks: which fields of a dataset's rows are perturbed, and what must survive in them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from augment_ru import registry
from augment_ru.errors import AugmentError, unknown
from augment_ru.records.field_paths import inside, is_plain, keys_of, keys_of_each, value


@dataclass(frozen=True, slots=True)
class AnswerOffsets:
    """A field with a list of answers {offset, length, segment} that stand in a text field (MultiQ)."""

    field: str
    text: str
    label: str
    may_be_text: bool = False
    """Whether a row may hold a plain text in place of the list; it then states no offset."""


@dataclass(frozen=True, slots=True)
class WordSpans:
    """Spans that a row states as a text and the number of its first word; white space separates words (RWSD)."""

    field: str
    text: str
    pairs: tuple[tuple[str, str], ...]
    """(key of the span's text, key of the word's number)"""
    label: str


@dataclass(frozen=True, slots=True)
class CharacterSpans:
    """Spans that a row states as two numbers of characters; rows differ on whether the last one is included (RUSSE)."""

    text: str
    start: str
    stop: str
    label: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Parts of a text that are not language, such as sentence numbers and placeholders. They survive."""

    text: str
    pattern: str
    """A regular expression that finds them."""
    label: str
    border: bool = False
    """Whether no change may reach across the start of one."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Rows that are questions of one dialogue (ruTiE); their prompts hold what was said before."""

    id: str
    """The field that tells dialogues apart."""
    turn: str
    """The field with the number of the question."""
    context: str
    """The field that a model is given what was said before in."""


@dataclass(frozen=True)
class Task:
    """A dataset's schema. Fields are named as in `records.field_paths`: `text`, `inputs.text`, `qas[].query`.

    Attributes:
        name: its name on the command line.
        fields: the text fields that are perturbed; all others never are.
        optional: text fields that are perturbed where a row has them.
        keys: the fields by which a row is recognised.
        contains: a field and a regular expression that must match in its text, for a row to be recognised.
        id: the field with the id of a row, if there is one.
        language: the language of the texts, `ru` or `en`; constraints for the other one are refused.
        constraints: the default constraints.
        options: the text fields that hold options «(A) … (B) …»; the markers survive, no change crosses one.
        option_fields: fields each of which is an option of one question, or, with `[]`, the lists of them: the entries
            of a list belong to one question. They are judged, and no distractor may hold one.
        lists: the fields that must hold a list of texts, or the text of one.
        answers, words, characters: the offsets that a row states; they move with the text.
        marks: parts of the texts that are not language; they survive.
        kept: fields with words that survive wherever they stand in a perturbed text.
        judged: further fields with a statement to judge (a hypothesis, a gap to fill): no distractor is put behind
            them, and none is made of their sentences.
        forbidden: further fields with words that no distractor may hold: the word that is asked about.
        aliases: pairs (name that constraints look for, name of our field that holds it).
        inputs: the fields that a model reads, the most important first; perturbed fields that are not among them
            follow.
        gold: the fields that hold the right answer; several for several labels of one row.
        separator: what stands between several right answers in one text (MERA); None if a text is one answer.
        dialogue: how the rows belong together if they are questions of dialogues.
        unlabelled: labels that stand for no right answer, as -1 does in every task.
        every_class: whether macro F1 is the mean over all classes of the data, those that occur nowhere included.
        shots: how many demonstrations the task's benchmark shows.
        trained_on: the task whose train rows a model may learn from where the task has none (LiDiRus from TERRa).
        norms: what the one answer about a row is compared with, one by one, where its answer field holds a label for
            each: in this order if it is a list; an object may name a norm by its beginning (`util`).
        grouped_by: the field whose values split the rows for the metrics: a score is the mean over them.
        diagnostic: whether its score is in no total (MERA, section 4.2).
        metrics: names of `augment_ru.evaluation.metrics`, the main one first.
        prompt: the name of the prompt file in `prompts/`; by default the name of the task.
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
    forbidden: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    option_fields: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    separator: str | None = None
    dialogue: Dialogue | None = None
    unlabelled: tuple[str, ...] = ()
    every_class: bool = False
    shots: int = 0
    trained_on: str | None = None
    norms: tuple[str, ...] = ()
    grouped_by: str | None = None
    diagnostic: bool = False

    def __hash__(self) -> int:
        return hash((self.name, self.fields))

    @property
    def decided(self) -> tuple[str, ...]:
        """The names of what is decided about a row: its norms, or the fields of its right answers."""
        return self.norms or self.gold

    @property
    def read(self) -> tuple[str, ...]:
        """The fields that a model reads, in order."""
        return (*self.inputs, *(name for name in self.fields + self.optional if name not in self.inputs))

    @cached_property
    def states_offsets(self) -> bool:
        """Whether the rows state offsets into their texts."""
        return bool(self.answers or self.words or self.characters)

    @cached_property
    def anchored(self) -> bool:
        """Whether the task itself protects something in its texts."""
        return bool(self.options or self.answers or self.words or self.characters or self.marks or self.kept)

    @cached_property
    def has_anchors(self) -> bool:
        """Whether the anchors of its rows are looked for: they protect something, or can be wrong."""
        return self.anchored or bool(self.lists)

    @cached_property
    def fields_of_every_row(self) -> tuple[str, ...] | None:
        """The names of the texts that are perturbed, if they are the same in all rows; else None."""
        return self.fields if not self.optional and is_plain(self.fields) else None


@lru_cache(maxsize=256)
def generic(*fields: str) -> Task:
    """The task of rows with these text fields, by default `text`, that no other task fits."""
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
    """The task whose key fields a row has. Of several, the one whose key fields include those of all others.

    Raises:
        AugmentError: none fits, or several fit equally well.
    """
    fitting = _fits(row)
    if not fitting and "text" in row:
        return generic()
    best = [one for one in fitting if not any(one.keys < other.keys for other in fitting)]
    if len(best) > 1:
        raise AugmentError(f"the fields fit several tasks: {', '.join(one.name for one in best)}; choose with `task`")
    if best:
        return best[0]
    raise AugmentError(
        f"no field 'text', and no task has the fields {', '.join(row) or '(none)'}{inside(row)}; "
        f"name the text field with `fields`, or a task with `task`"
    )


def task_for_row(row: Mapping[str, Any], known: Task | None, fields: Sequence[str] = ()) -> Task:
    """The task of a row: the known one, else the recognised one; it perturbs `fields`, if there are any.

    Raises:
        AugmentError: no task is known and none fits, or several fit equally well.
    """
    if known is None:
        known = recognise(row) if not fields or _fits(row) else generic()
    return _with_fields(known, tuple(fields)) if fields else known


@lru_cache(maxsize=256)
def _with_fields(known: Task, fields: tuple[str, ...]) -> Task:
    return replace(known, fields=fields, optional=())


def common_task(rows: Sequence[dict[str, Any]], known: Task | None, fields: Sequence[str] = ()) -> Task | None:
    """The task of rows, if `task_for_row` gives the same for all of them; None if not, or if it gives none for one.

    Only one row of those with the same keys is asked about, where their keys decide.
    """
    asked: Iterable[dict[str, Any]] = rows[:1]
    if known is None:
        by_keys = dict(zip(keys_of_each(rows), rows, strict=True))
        by_text = any(one.contains for keys in by_keys for one in _fitting(keys))
        asked = rows if by_text else by_keys.values()
    try:
        found = {id(one): one for one in (task_for_row(row, known, fields) for row in asked)}
    except AugmentError:
        return None
    return next(iter(found.values())) if len(found) == 1 else None


def _fits(row: Mapping[str, Any]) -> list[Task]:
    fitting = _fitting(keys_of(row))
    return [one for one in fitting if _contains(one, row)] if fitting else fitting


@lru_cache(maxsize=1024)
def _fitting(keys: tuple[str, ...]) -> list[Task]:
    return [known for known in map(task, registry.names("tasks")) if known.keys <= set(keys)]


def _contains(known: Task, row: Mapping[str, Any]) -> bool:
    if known.contains is None:
        return True
    name, pattern = known.contains
    held = value(row, name)
    return isinstance(held, str) and re.search(pattern, held) is not None
