"""Tasks: which fields of a dataset's rows are perturbed, what must survive in them, how answers are scored."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import msgspec

from augment_ru import registry
from augment_ru.errors import AugmentError, check_known, saying_instead, saying_where, unknown
from augment_ru.records import field_paths
from augment_ru.records.field_paths import every, inside, is_plain, keys_known_by, keys_of_each, path_of, steps, value
from augment_ru.records.metric_kinds import METRIC_KINDS, check_metrics
from augment_ru.records.patterns import check_pattern, is_found
from augment_ru.records.places import with_cells_read
from augment_ru.resources import folder
from augment_ru.strict_tables import SomeText, SomeTexts, read_toml, typed

P = TypeVar("P", bound=msgspec.Struct)
_ITEMS = re.compile(r".*\[(?:\]|[^\[\]]+=[^\[\]]*\](?!\[-?\d))")
"""Matches a name up to its last `[]`, or `[key=value]` without an index after it."""

PathText = Annotated[str, msgspec.Meta(pattern=field_paths.WELL_FORMED)]
SomePathText = Annotated[PathText, msgspec.Meta(min_length=1)]
SomePathTexts = Annotated[tuple[PathText, ...], msgspec.Meta(min_length=1)]


class _Part(msgspec.Struct, frozen=True, cache_hash=True, dict=True, forbid_unknown_fields=True):
    """The base of the parts of a task: immutable and read strictly. `dict` lets cached properties keep their values."""


class _Places(_Part, frozen=True):
    """The base of places in texts: `text` names the fields with the texts, and other attributes those with places."""

    text: SomePathText

    def __post_init__(self) -> None:
        for key, name in self._stating.items():
            if not name.startswith(self._item):
                problem = f"'{key}' is {name}, but each {self._item} has a text of its own, {self.text}"
                raise ValueError(f"{problem}; begin '{key}' with {self._item}, or name a single text, as by [0]")

    @cached_property
    def _item(self) -> str:
        """The beginning of `text` up to the last list that has a text in each item; "" if `text` names one text."""
        return found[0] if (found := _ITEMS.match(self.text)) else ""

    @cached_property
    def _stating(self) -> dict[str, str]:
        return {key: name for key in ("field", "start", "stop", "segment") if (name := getattr(self, key, ""))}

    def beside(self, row: Mapping[str, Any], field: str) -> Self:
        """Return these places for a single one of the texts: if each item of a list has a text, those in its item.

        Args:
            row: the row.
            field: the field with the text.
        """
        if not self._item or field == self.text:
            return self
        item = field_paths.named(path_of(row, field)[: len(path_of(row, self._item))])
        own = {key: item + name.removeprefix(self._item) for key, name in self._stating.items()}
        return msgspec.structs.replace(self, text=field, **own)


class AnswerOffsets(_Places, frozen=True):
    """A field that holds a list of answers {offset, length, segment}, each a part of a text (as in the dataset MultiQ).

    `offset` is where the answer starts in the text, `length` counts its characters, and `segment` is the answer itself.

    Attributes:
        field: the field with the list.
        text: the field with the text.
        label: the label of the answers' spans, which are protected.
        may_be_text: whether a row may hold a string instead of the list; such a row states no offset.
    """

    field: SomePathText
    label: SomeText
    may_be_text: bool = False


class WordSpans(_Places, frozen=True):
    """Parts of a text that a row states by their words and the index of their first word (as in the dataset RWSD).

    Words are separated by white space and counted from 0.

    Attributes:
        field: the field that states the parts, an object.
        text: the field with the text.
        pairs: for each part, two keys of this object: the key of the words, and the key of the index.
        label: the label of the protected spans.
    """

    field: SomePathText
    pairs: tuple[tuple[str, str], ...]
    label: SomeText


class CharacterSpans(_Places, frozen=True):
    """Parts of a text that a row states by indices of characters.

    A row gives the start and the stop of a part, or its start and its text. Datasets differ in whether the character at
    the stop belongs to the part. So if a part is given by both numbers and has no label, whole words are protected:
    those from start to stop, and the character at the stop unless it or the one before it is a space.

    Attributes:
        text: the field with the text.
        start: the field with the number where a part starts.
        label: the label of the protected spans.
        stop: the field with the number where a part ends; "" if `segment` is used.
        segment: the field with the text of the part (SQuAD); "" if `stop` is used.
        labels: the field with the label of each part, if the parts are labelled spans; "" otherwise. A labelled span
            does not include the character at its stop, and attacks may edit it (`Layout.spans`).
    """

    start: SomePathText
    label: SomeText
    stop: PathText = ""
    segment: PathText = ""
    labels: PathText = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.stop) == bool(self.segment):
            raise ValueError("needs either 'stop', the field of the second number, or 'segment', that of the text")


class Marks(_Part, frozen=True):
    """Parts of a text that are not language, such as sentence numbers and placeholders; no edit touches them.

    Attributes:
        text: the field with the text.
        pattern: the regular expression that finds these parts.
        label: the label of the protected spans.
        border: whether no change may cross the start of such a part.
    """

    text: SomePathText
    pattern: SomeText
    label: SomeText
    border: bool = False

    def __post_init__(self) -> None:
        check_pattern("'pattern'", self.pattern)


class Dialogue(_Part, frozen=True):
    """Says how the rows of a task form dialogues (as in ruTiE): a model sees each row after the earlier ones.

    Attributes:
        id: the field with the id of the dialogue.
        turn: the field with the number of the question in its dialogue.
        context: the field in which a model is given the earlier part of the dialogue.
    """

    id: SomePathText
    turn: SomePathText
    context: SomePathText


class Layout(_Part, frozen=True):
    """Says which fields the rows of a task hold, and which parts of them no edit may touch.

    Fields are named by paths: `text`, `inputs.text`, `qas[].query` (of each item of a list).

    Attributes:
        fields: the text fields that are perturbed; no other field is, except those in `optional`.
        optional: text fields that are perturbed as well, in the rows that have them.
        keys: the fields by which a row is recognised as one of this task. A task without such fields is used only if
            the user names it.
        contains: a field and a regular expression. A row is recognised only if the expression matches in the text of
            the field.
        id: the field with the id of a row, if there is one.
        constraints: the names of the constraints (rule files: which parts are protected) that hold for the task, unless
            the user names others.
        options: the text fields that hold options «(A) … (B) …». The markers stay, and no change crosses a marker.
        option_fields: fields that each hold an option. Fields without `[]` are options of one question. With `[]`, the
            items of a list are options of one question. No attack inserts a sentence (distractor) after an option, and
            no distractor holds the text of an option.
        option_labels: for each of `option_fields`, or for each item of a list, the label that means that this option is
            right.
        lists: the fields that must hold a list of texts, or such a list written as a string.
        answers, words, characters: where the rows state places in their texts; these numbers move with the text.
        marks: parts of the texts that are not language; no edit touches them.
        kept: fields that hold words. No edit touches these words in the perturbed texts.
        judged: further fields with a statement to judge (a hypothesis, a gap to fill). No inserted sentence
            (distractor) comes after such a statement, or is taken from it.
        forbidden: further fields that hold words, such as the word that is asked about. No distractor may contain these
            words.
        aliases: pairs: a name that constraints look for, and the field that holds this value.
        named: whether right answers depend on who is named: an answer is a name, or the question is about the real
            world. Then no attack exchanges the names of persons.
        inputs: the fields that a model reads, the most important first; other perturbed fields come after these.
        dialogue: how the rows form dialogues; None if they do not.
        spans: what is perturbed of texts with labelled spans: `context` (all but the spans), `inside` (only the spans)
            or `all`.
    """

    fields: tuple[PathText, ...]
    optional: tuple[PathText, ...] = ()
    keys: frozenset[PathText] = frozenset()
    contains: tuple[PathText, str] | None = None
    id: PathText | None = None
    constraints: tuple[str, ...] = ("named_entities",)
    options: tuple[PathText, ...] = ()
    option_fields: tuple[PathText, ...] = ()
    option_labels: tuple[str, ...] = ()
    lists: tuple[PathText, ...] = ()
    answers: tuple[AnswerOffsets, ...] = ()
    words: tuple[WordSpans, ...] = ()
    characters: tuple[CharacterSpans, ...] = ()
    marks: tuple[Marks, ...] = ()
    kept: tuple[PathText, ...] = ()
    judged: tuple[PathText, ...] = ()
    forbidden: tuple[PathText, ...] = ()
    aliases: tuple[tuple[str, PathText], ...] = ()
    named: bool = False
    inputs: tuple[PathText, ...] = ()
    dialogue: Dialogue | None = None
    spans: Literal["context", "inside", "all"] = "context"

    def __post_init__(self) -> None:
        if self.spans != "context" and self.labelled is None:
            raise ValueError(f"'spans' is {self.spans}, but no 'characters' have 'labels'")
        if not self.fields and not self.optional:
            raise ValueError("'fields' is []; it must be a list of at least one text")
        if self.contains is not None:
            check_pattern("'contains'", self.contains[1])
        choices = [step for name in self.option_fields for step in steps(name) if isinstance(step, field_paths.Which)]
        of_list = len(self.option_fields) == len(choices) == 1 < len(self.option_labels)
        if self.option_labels and not of_list and (choices or len(self.option_labels) != len(self.option_fields)):
            either = "a label for each of 'option_fields', or two or more if these are one list such as options[]"
            raise ValueError(f"'option_labels' must have {either}")

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The fields that a model reads: those in `inputs` first, then the other fields that are perturbed."""
        return (*self.inputs, *(name for name in self.fields + self.optional if name not in self.inputs))

    @cached_property
    def labelled(self) -> str | None:
        """The field of the text whose labelled spans are the right answer; None if there is none."""
        return next((one.text for one in self.characters if one.labels), None)

    @cached_property
    def offsets(self) -> tuple[AnswerOffsets | WordSpans | CharacterSpans, ...]:
        """The places in their texts that rows of the task state as numbers."""
        return (*self.answers, *self.words, *self.characters)

    @cached_property
    def opened(self) -> tuple[str, ...]:
        """The keys of a row whose values must be objects or lists, because the task finds offsets inside them."""
        names = [name for one in self.characters for name in (one.start, one.stop, one.segment) if len(steps(name)) > 1]
        whole = [one.field for one in self.answers if not one.may_be_text] + [one.field for one in self.words]
        return tuple(dict.fromkeys(str(steps(name)[0]) for name in names + whole))

    @cached_property
    def anchored(self) -> bool:
        """Whether the task itself, without constraints, protects parts of its texts."""
        return bool(self.offsets or self.options or self.marks or self.kept)

    @cached_property
    def has_anchors(self) -> bool:
        """Whether each row must be searched for parts that the task protects, or for lists to check (`lists`)."""
        return self.anchored or bool(self.lists)

    @cached_property
    def fields_of_every_row(self) -> tuple[str, ...] | None:
        """The names of the fields that are perturbed, if they are the same in all rows; otherwise None."""
        return self.fields if not self.optional and is_plain(self.fields) else None


class Scoring(_Part, frozen=True):
    """Says where the right answers of a task are, and how a model's answers are compared with them.

    Attributes:
        gold: the fields that hold the right answer: one, or several if a row has several labels.
        metrics: the names of the metrics, the main one first.
        separator: what stands between the right answers if one string holds several (as in the benchmark MERA); None if
            it holds one.
        unlabelled: labels that mean that the right answer is not known; -1 means this, too, if all rows have it.
        every_class: whether macro F1 is the mean over all classes of the data, even over classes that do not occur in
            the rows that are scored.
        norms: for a task that judges a text by several norms: their names. A row has a right label for each norm, and
            the model's single answer is compared with each of them. If the row lists these labels, they are in the
            order of the names. If an object holds them, a key may be the beginning of a name (`util`).
        normal_form: how case, punctuation and spaces of written answers are made alike before they are compared: as for
            Russian, or as in SQuAD.
        grouped_by: a field whose values divide the rows into groups. A question is shown only demonstrations of its own
            group.
        mean_over: whether a score is the mean over the groups of `grouped_by`; if not, it is counted over all rows at
            once.
        parts_by: fields by which rows are grouped; scores are also counted for each value of such a field. A row may
            have several values, joined by `;`.
        properties: fields by whose values an evaluation divides the rows into subpopulations (`by` names further ones).
    """

    gold: SomePathTexts = ("label",)
    metrics: SomeTexts = ("accuracy", "macro_f1")
    separator: str | None = None
    unlabelled: tuple[str, ...] = ()
    every_class: bool = False
    norms: tuple[str, ...] = ()
    grouped_by: PathText | None = None
    mean_over: Literal["groups", "rows"] = "groups"
    parts_by: tuple[PathText, ...] = ()
    properties: tuple[PathText, ...] = ()
    normal_form: Literal["russian", "squad"] = "russian"

    @property
    def decided(self) -> tuple[str, ...]:
        """What a model decides about a row: its norms (`norms`), if it has any; else the fields of its right answer."""
        return self.norms or self.gold


class Benchmark(_Part, frozen=True):
    """Says how the benchmark of a task asks a model about the rows.

    Attributes:
        language: the language of the texts, `ru` or `en`; constraints for the other language are refused.
        prompt: the name of the prompt file in `prompts/`; None for the prompt file with the name of the task. A user's
            task file may name a prompt file in its own folder, such as `ask.toml`; the attribute then holds the path of
            that file.
        shots: how many demonstrations (train rows with their answers) are shown before a question.
        trained_on: the task whose train rows a model may learn from if this task has none (TERRa for LiDiRus).
        diagnostic: whether the score is left out of totals (as in the benchmark MERA, section 4.2).
        later: the prompt template of every row after the first demonstration, or a template for each value of the field
            `later_by`; None for the template of the prompt file.
        later_by: the field whose value chooses a template in `later`; "" if there is one template for all rows.
        first: for rows that state templates of their own, a text that is put after the template of the first
            demonstration; white space around the other templates is then removed. None to take the templates as they
            are.
        replacement: whether demonstrations are drawn with replacement.
        protocols: for each protocol, the keys of the task file that have other values in this protocol. The first
            protocol is the one that the task file itself states.
    """

    language: Literal["ru", "en"] = "ru"
    prompt: str | None = None
    shots: Annotated[int, msgspec.Meta(ge=0)] = 0
    trained_on: str | None = None
    diagnostic: bool = False
    later: str | dict[str, str] | None = None
    later_by: PathText = ""
    first: str | None = None
    replacement: bool = True
    protocols: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.language, self.prompt, self.shots, str(self.later), self.diagnostic))

    def __repr__(self) -> str:  # templates are long
        shown = f"language={self.language!r}, prompt={self.prompt!r}, shots={self.shots}"
        return f"Benchmark({shown}, protocols={list(self.protocols)})"


class Task(_Part, frozen=True):
    """The schema of a dataset: what its rows hold, how models are asked about them, and how answers are scored.

    Attributes:
        name: its name on the command line.
        layout: what its rows hold.
        scoring: how answers are scored.
        benchmark: how the benchmark that it comes from asks a model.
    """

    name: str
    layout: Layout
    scoring: Scoring = Scoring()
    benchmark: Benchmark = Benchmark()

    @classmethod
    def of(cls, name: str, **keys: object) -> "Task":
        """Make a task from the keys of a task file: the attributes of `Layout`, `Scoring` and `Benchmark` together.

        >>> Task.of("reviews", fields=["title", "body"], gold=["stars"]).scoring.gold
        ('stars',)

        Raises:
            AugmentError: a key is unknown or missing, or a value has the wrong type.
        """
        return _from_keys(f"task {name}", name, keys)

    @property
    def turns(self) -> dict[str, Any] | None:
        """How the rows form dialogues; None if they do not.

        The result holds the keyword arguments of `dialogues.with_contexts`, which gives each row the earlier part of
        its dialogue.
        """
        held, later = self.layout.dialogue, self.benchmark.later
        if held is None:
            return None
        return {
            **msgspec.structs.asdict(held),
            "answer": self.scoring.gold[0],
            "asked": list(self.layout.fields),
            "options": list(self.layout.option_fields),
            "later": later if isinstance(later, str) else "",
        }

    def changed(self, **keys: object) -> "Task":
        """Return a copy of the task with other values for the given keys of a task file, such as `fields`.

        >>> Task.of("reviews", fields=["title"], gold=["stars"]).changed(fields=("body",)).layout.fields
        ('body',)
        """
        return Task(
            self.name, _changed(self.layout, keys), _changed(self.scoring, keys), _changed(self.benchmark, keys)
        )

    def scored_by(self, metrics: Sequence[str]) -> "Task":
        """Return a copy of the task with other metrics; the task itself if none are given.

        Raises:
            AugmentError: a metric does not exist, the metrics score different kinds of answers, or they do not fit the
                task: metrics of rankings, lists or exercises (`METRIC_KINDS`) need a task with such answers.
        """
        if not metrics:
            return self
        check_metrics(metrics)
        own, wanted = (METRIC_KINDS[names[0]] for names in (self.scoring.metrics, metrics))
        if wanted != own and wanted in {"rankings", "lists", "exercises"}:
            raise AugmentError(
                f"`metrics` {metrics[0]}: scores {wanted}, and the task '{self.name}' has {own}; take a metric of "
                f"{own}, or a `task` with {wanted}"
            )
        return self.changed(metrics=tuple(metrics))

    def under(self, protocol: str | None) -> "Task":
        """Return a copy of the task for a protocol: one version of how its benchmark asks and scores.

        Args:
            protocol: the name of the protocol; None returns the task itself.

        Raises:
            AugmentError: the task has no such protocol.
        """
        if protocol is None:
            return self
        if protocol not in (known := self.benchmark.protocols):
            possible = ", ".join(known) or "none"
            raise AugmentError(f"`protocol` {protocol}: task {self.name} has {possible}")
        return self.changed(**known[protocol])


_KEYS = {name for part in (Layout, Scoring, Benchmark) for name in part.__struct_fields__}
_SHARED = {"language", "options", "words", "shots", "separator"}
"""Keys that rule files, prompt files and recipes may have as well."""


def _from_keys(where: str, name: str, keys: Mapping[str, object]) -> Task:
    for key in keys:
        if key not in _KEYS:
            raise AugmentError(f"{where}: {unknown('key', key, _KEYS | {'name'})}")
    found = Task(name, _part(where, keys, Layout), _part(where, keys, Scoring), _part(where, keys, Benchmark))
    for protocol, changes in found.benchmark.protocols.items():
        _from_keys(f"{where}: protocols.{protocol}", name, {**keys, "protocols": {}, **changes})
    return found


def _part(where: str, keys: Mapping[str, object], kind: type[P]) -> P:
    return typed(where, {key: keys[key] for key in kind.__struct_fields__ if key in keys}, kind)


def _changed(part: P, keys: Mapping[str, object]) -> P:
    changes = {key: keys[key] for key in part.__struct_fields__ if key in keys}
    return msgspec.structs.replace(part, **changes) if changes else part


def task_or_file(spec: str) -> Task:
    """Return the task with this name, or, if `spec` ends in `.toml`, the task in that file.

    Raises:
        AugmentError: there is no such task or file, or the file does not hold a task.
    """
    return read_task_file(Path(spec)) if spec.endswith(".toml") else task(spec)


def is_task_file(content: Mapping[str, Any]) -> bool:
    """Tell whether the content of a TOML file is meant to be a task: it has a key that only task files have."""
    return bool(content.keys() & (_KEYS - _SHARED))


def read_task_file(path: Path) -> Task:
    """Read the task in a user's TOML file; a task without a name gets the name of the file.

    Raises:
        AugmentError: the file cannot be read; it has a key or a value that a task cannot have, such as an unknown
            metric or prompt; or its name is taken.
    """
    found = _read(path)
    prompt = found.benchmark.prompt or ""
    own = prompt.endswith(".toml")
    with saying_where(path.name):
        if own and (not (path.parent / prompt).is_file() or Path(prompt).name != prompt):
            raise AugmentError(f"prompt: '{prompt}' is no file beside the task file; put it there")
        _check_names(found.changed(prompt=None) if own else found)
    rules = tuple(_found_beside(path, name) for name in found.layout.constraints)
    return found.changed(constraints=rules, **({"prompt": str(path.parent / prompt)} if own else {}))


def _found_beside(path: Path, rules: str) -> str:
    """Return the path of a rule file that a task file names: as named if it is there, else beside the task file."""
    beside = path.parent / rules
    return str(beside) if rules.endswith(".toml") and not Path(rules).exists() and beside.is_file() else rules


def _read(path: Path) -> Task:
    keys = read_toml(path, path.name)
    name = keys.pop("name", path.stem)
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise AugmentError(f"{path.name}: 'name' is {name!r}; it must be a text of one line")
    return _from_keys(path.name, name, keys)


def _check_names(made: Task) -> None:
    """Check the name of a task and the names that it refers to.

    Raises:
        AugmentError: the name is taken, or a metric, a prompt or the task in `trained_on` does not exist.
    """
    if made.name in {"generic", "original", *registry.names("tasks"), *registry.names("attacks")}:
        raise AugmentError(f"'{made.name}' is the name of a task or an attack already; write name = \"another one\"")
    check_metrics(made.scoring.metrics)
    if made.benchmark.prompt is not None:
        check_known("prompt", made.benchmark.prompt, [path.stem for path in folder("prompts").glob("*.toml")])
    if made.benchmark.trained_on is not None:
        task(made.benchmark.trained_on)


@lru_cache(maxsize=256)
def generic(*fields: str) -> Task:
    """Return a task for rows that fit no known task; it perturbs the given text fields, or `text` if none are given."""
    return Task("generic", Layout(fields or ("text",), id="id"))


@cache
def task(name: str) -> Task:
    """Return the task with this name: one that `augment-ru list tasks` shows.

    Raises:
        AugmentError: there is no such task.
    """
    if name == "generic":
        return generic()
    check_known("task", name, [*registry.names("tasks"), "generic"])
    entry = registry.offered("augment_ru.tasks").get(name)
    found = entry.load() if entry else folder("tasks") / f"{name}.toml"
    return found if isinstance(found, Task) else _read(Path(found))


def recognise(row: Mapping[str, Any]) -> Task:
    """Return the task of a row, recognised by the fields that the row has.

    A task fits if the row has all its key fields (`Layout.keys`). If several tasks fit, the one whose key fields
    include those of all others is taken. If none fits, keys inside strings of JSON (as in cells of a table) count as
    fields, too. A row that still fits no task but has a field `text` gets a generic task.

    Raises:
        AugmentError: no task fits, or several fit equally well.
    """
    fitting = _fits(row)
    if not fitting and "text" in row:
        return generic()
    best = [one for one in fitting if not any(one.layout.keys < other.layout.keys for other in fitting)]
    if len(best) > 1:
        raise AugmentError(f"the fields fit several tasks: {', '.join(one.name for one in best)}; choose with `task`")
    if best:
        return best[0]
    problem = f"no field 'text', and no task has the fields {', '.join(row) or '(none)'}{inside(row)}"
    raise AugmentError(f"{problem}; name the text field with `field`, or a task with `task`")


def task_for_row(row: Mapping[str, Any], known: Task | None, fields: Sequence[str] = ()) -> Task:
    """Return the task of a row: a given one, or the one that is recognised by the fields of the row.

    Args:
        row: the row.
        known: the task, if it is known; None to recognise it.
        fields: the fields to perturb instead of the task's; empty for those of the task.

    Raises:
        AugmentError: no task is known and no task fits, or several fit equally well; or the row lacks one of `fields`.
    """
    check_found(row, fields)
    if known is None:
        known = recognise(row) if not fields or _fits(row) else generic()
    return _with_fields(known, tuple(fields)) if fields else known


@lru_cache(maxsize=256)
def with_spans(known: Task, spans: str | None) -> Task:
    """Return a copy of a task that perturbs its labelled spans, or the text around them, or both.

    Args:
        known: the task.
        spans: what is perturbed: `context` (all but the spans), `inside` (only the spans) or `all`. None returns the
            task itself.

    Raises:
        AugmentError: the rows of the task have no labelled spans.
    """
    with saying_instead(f"`spans` {spans}: the rows of the task '{known.name}' have no labelled spans", ValueError):
        return known if spans is None else known.changed(spans=spans)


def check_found(row: Mapping[str, Any], fields: Sequence[str]) -> None:
    """Check that a row has the fields whose names hold a condition, such as `messages[role=user].content`.

    Other names are not checked.

    Args:
        row: the row.
        fields: the names of the fields to perturb.

    Raises:
        AugmentError: no item of the list meets the condition of a name.
    """
    for name in fields:
        if "=" in name and not every(row, name):
            raise AugmentError(f"no field '{name}': no entry of the list fits it; see `field`")


@lru_cache(maxsize=256)
def _with_fields(known: Task, fields: tuple[str, ...]) -> Task:
    return known.changed(fields=fields, optional=())


def tasks_of_rows(rows: Sequence[dict[str, Any]], known: Task | None, fields: Sequence[str] = ()) -> list[Task]:
    """Return the tasks of rows, each once: a given one, or those that are recognised by the fields of the rows.

    Args:
        rows: the rows.
        known: the task, if it is known; None to recognise it.
        fields: the fields to perturb instead of the task's; empty for those of the task.

    Raises:
        AugmentError: no task is known and no task fits, or several fit equally well; or a row lacks one of `fields`.
    """
    by_keys = dict(zip(keys_of_each(rows), rows, strict=True))
    by_text = known is None and any(one.layout.contains for keys in by_keys for one in _fitting(keys))
    asked = rows if by_text else by_keys.values()
    return list({id(one): one for one in (task_for_row(row, known, fields) for row in asked)}.values())


def _fits(row: Mapping[str, Any]) -> list[Task]:
    fitting = _fitting(keys_known_by(row)) or _fitting(keys_known_by(with_cells_read(row)))
    return [one for one in fitting if _contains(one, row)] if fitting else fitting


@lru_cache(maxsize=1024)
def _fitting(keys: tuple[str, ...]) -> list[Task]:
    return [one for one in map(task, registry.names("tasks")) if one.layout.keys and one.layout.keys <= set(keys)]


def _contains(known: Task, row: Mapping[str, Any]) -> bool:
    if known.layout.contains is None:
        return True
    name, pattern = known.layout.contains
    held = value(row, name)
    return isinstance(held, str) and is_found(pattern, held, "contains")
