"""The seam between the evaluation and the models: what a model is asked and answers, each different question once.

Answers are kept on disk, so that a repeated or interrupted evaluation asks a model only what is new.
"""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from platformdirs import user_cache_path

from augment_ru import registry
from augment_ru.errors import AugmentError, Terminated, brief, said, unknown
from augment_ru.formats.row import KEY
from augment_ru.options import options_of, values_of
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task

Prediction: TypeAlias = str | int | float | bool | Sequence[Any] | Mapping[str, Any] | None
"""A label or a text; for a task with several labels an object, field to label. Labels are compared as texts."""

CHUNK = 256
"""Examples of one call of a model that does not state a chunk of its own."""

PERTURBATION, EPISODE = "perturbation", "episode"
"""The fields of TAPE's published files, and of a release: the attack of a row, and the episodes that show it."""


_BITS = 14_000
"""Bits of the longest number in a prediction: Python writes no number of over 4,300 digits."""
_PLAIN = frozenset({str, float, bool, type(None)})


@dataclass(frozen=True, slots=True)
class Example:
    """One question to a model.

    Attributes:
        record: the row, without `augment` and without the fields of the right answer (`task.gold`).
        task: its task.
        text: the fields that a model reads (`task.read`), joined by line feeds; a bag of words reads nothing else.
        shots: the demonstrations: rows of the train file with their right answers; empty for zero shots.
    """

    record: Mapping[str, Any]
    task: Task
    text: str
    shots: tuple[Mapping[str, Any], ...] = ()

    def __repr__(self) -> str:
        return f"Example({brief(self.text)}, task {self.task.name!r}, {len(self.shots)} demonstrations)"


LabelScores: TypeAlias = Mapping[str, float]
"""The score of every label of a decision, in nats: logarithms of probabilities, up to a number that all share."""


class Scored(NamedTuple):
    """A prediction with the scores behind it.

    Attributes:
        prediction: what the model answers.
        scores: the scores of each decision: one for each field of the right answer; empty where the answer is free.
    """

    prediction: Prediction
    scores: tuple[LabelScores, ...] = ()


PredictFunction: TypeAlias = Callable[[Sequence[Example]], Sequence[Prediction]]
"""A plain function as a model: a prediction for each example, in their order."""


class Model:
    """A model as the evaluation sees it. These are all the attributes that it reads, with their defaults.

    A plain function from examples to predictions is a model, too, whichever of the attributes it has.
    """

    __slots__ = ()
    stream: ClassVar[Callable[..., Iterator[tuple[int, Prediction]]] | None] = None
    """`stream(examples)` gives the number of an example, from 0, and its prediction as soon as the model has it, in any
    order, so that the cache keeps it at once; it is called instead of the model."""
    scored: ClassVar[Callable[..., Sequence[Scored]] | None] = None
    """`scored(examples)` gives the predictions of the model, each with the scores behind it, in the order of the
    examples. A search against a model that says how sure it is needs fewer questions."""

    @property
    def signature(self) -> str | None:
        """All that defines the answers, as text; the cache keeps no answers of a model without one."""
        return None

    @property
    def few_shot(self) -> bool:
        """Whether the model reads `Example.shots`; one that does not is evaluated once."""
        return True

    @property
    def cached(self) -> bool:
        """Whether the cache keeps its answers; False where asking is faster than looking up."""
        return True

    @property
    def chunk(self) -> int:
        """The number of examples in a call, at least 1; what an interrupted run can lose."""
        return CHUNK

    @property
    def learned(self) -> frozenset[str]:
        """The texts that it was trained on; `evaluate` warns if it is asked about them."""
        return frozenset()

    def __call__(self, examples: Sequence[Example], /) -> Sequence[Prediction]:
        """A prediction for each example, in their order."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is made from.

    Attributes:
        argument: the specification after its first colon; empty if it has none.
        task: the task of the rows.
        labels: the classes of a classification, sorted, as texts; None where answers are free.
        device: auto, cpu or cuda[:N].
        options: those of `--model-option KIND.NAME=VALUE`, as the dataclass `Options` of the kind's module; None if
            it has no such class.
        encoding: the encoding of files of rows that are not in UTF-8, such as a train file.
        train: the file of `--train`.
        seed: the seed of kinds with an option `seed` that is not set.
    """

    argument: str
    task: Task
    labels: tuple[str, ...] | None = None
    device: str = "auto"
    options: Any = None
    encoding: str = "utf-8"
    train: str | None = None
    seed: int = 42


ModelMaker: TypeAlias = Callable[[ModelRequest], Model | PredictFunction]
"""The function `KIND` of `augment_ru/models/KIND.py`: it makes the model of `--model KIND:ARGUMENT`.

It raises an `AugmentError` if the argument or an option is wrong, or an extra is missing.
"""


def named_spec(text: str) -> tuple[str, str]:
    """The name and the specification in `NAME=KIND[:ARGUMENT]`; without a name the specification is the name.

    >>> named_spec("words=linear:train.jsonl"), named_spec("openai:http://host/v1?key=1#gpt")[1]
    (('words', 'linear:train.jsonl'), 'openai:http://host/v1?key=1#gpt')

    Raises:
        AugmentError: the name is empty.
    """
    name, equals, spec = text.partition("=")
    if not equals or ":" in name:  # an argument may hold any sign, a kind and a name hold no colon
        return text, text
    if not name.strip():
        raise AugmentError(f"`model` {text}: has no name before =; give NAME=KIND[:ARGUMENT]")
    return name, spec


def maker_of(spec: str) -> ModelMaker:
    """The maker for the kind of a specification; a dash in KIND is an underscore in its file's name.

    Raises:
        AugmentError: there is no such kind.
    """
    kind = spec.partition(":")[0]
    known = {name.replace("_", "-"): name for name in registry.names("models")}
    if kind not in known:
        raise unknown("model", kind, known)
    found: ModelMaker = registry.find("models", "model", known[kind])
    return found


def model_of(spec: str, request: ModelRequest, options: Mapping[str, Any] | None = None) -> Model | PredictFunction:
    """The model of a specification `KIND` or `KIND:ARGUMENT`.

    Args:
        spec: the specification.
        request: what it is made from; argument and options are put into it here.
        options: values of the kind's options, or texts that are read as such.

    Raises:
        AugmentError: there is no such kind, an option is wrong, or the model cannot be made.
    """
    kind, _, argument = spec.partition(":")
    make = maker_of(spec)
    made = getattr(sys.modules[make.__module__], "Options", None)
    seed = {"seed": request.seed} if "seed" in options_of(made) else {}
    try:
        values = values_of(kind, made, {**seed, **(options or {})})
        return make(replace(request, argument=argument, options=made(**values) if made else None))
    except AugmentError as error:
        raise AugmentError(f"`model` {spec}: {error}") from error


def example_of(record: Mapping[str, Any], task: Task, shots: Sequence[Mapping[str, Any]] = ()) -> Example:
    """The question of a row: the row without metadata and without its right answer.

    Raises:
        AugmentError: a field that is perturbed is missing, or is not a text.
    """
    question = without_metadata(record)
    for gold in task.scoring.gold:
        for name in field_paths.every(question, gold):
            question = _without(question, field_paths.path_of(question, name))
    return Example(question, task, "\n".join(Record(question, task).read().values()), tuple(shots))


def without_metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the row without the metadata of perturb, and without the fields that TAPE's files add to a row."""
    added = (KEY, PERTURBATION, EPISODE) if isinstance(values.get(PERTURBATION), str) else (KEY,)
    return {name: value for name, value in values.items() if name not in added}


def _without(value: Any, path: field_paths.Path) -> Any:  # noqa: ANN401  (JSON values)
    """A copy of the value without the entry at the path; the values beside the path are shared."""
    found = path[0] in value if isinstance(value, Mapping) else isinstance(value, list) and isinstance(path[0], int)
    if not found:
        return value
    copied: Any = list(value) if isinstance(value, list) else dict(value)
    if len(path) > 1:
        copied[path[0]] = _without(copied[path[0]], path[1:])
    else:
        del copied[path[0]]
    return copied


def json_value(value: Any) -> Prediction:  # noqa: ANN401  (whatever a model returned)
    """A prediction as JSON values: NumPy's numbers and arrays become Python's, tuples become lists.

    Raises:
        AugmentError: the prediction is something else.
    """
    given = type(value)
    if isinstance(value, float) and not isfinite(value):
        raise AugmentError(f"a prediction is {value}; a model must return labels, texts or finite numbers")
    if given in _PLAIN or isinstance(value, str | float):
        plain: str | float | None = value
        return plain
    if isinstance(value, int):
        if value.bit_length() > _BITS:
            raise AugmentError("a prediction is a number of over 4,300 digits")
        return value
    if given is dict or isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if given is not list and callable(getattr(value, "tolist", None)):  # NumPy, torch
        return json_value(value.tolist())
    if given is list or isinstance(value, Sequence):
        return [json_value(entry) for entry in value]
    raise AugmentError(f"a prediction has the type {type(value).__name__}; a model must return labels or texts")


_APPLICATION = "augment-ru"

_MANY = 500
"""Keys in one query; SQLite takes at least 999."""

_TABLE = "CREATE TABLE answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
"""All that a cache holds. A file with views, triggers or other tables is none, so it has no code that could run."""

_MOST_BYTES = 2**24
"""The most bytes of an answer."""

_WAIT = 60.0
"""Seconds to wait while another process writes."""


def default_path() -> Path:
    """The default file, in the user's cache folder; the environment variable XDG_CACHE_HOME names another."""
    home = os.environ.get("XDG_CACHE_HOME")
    folder = Path(home) / _APPLICATION if home else user_cache_path(_APPLICATION, appauthor=False)
    return folder / "responses.sqlite"


def answer_keys(signature: str, examples: Sequence[Example]) -> list[bytes]:
    """The key of each answer: a hash of the model's signature and of the whole question.

    Demonstrations are encoded once for all examples that show the same objects.
    """
    shown: dict[int, bytes] = {}
    found: list[bytes] = []
    for example in examples:
        shots = shown.get(id(example.shots))
        if shots is None:
            shots = shown[id(example.shots)] = _canonical(example.shots)
        question = (signature, example.task.name, example.task.scoring.gold, example.text, example.record)
        found.append(blake2b(_canonical(question) + shots, digest_size=16).digest())
    return found


def _as_json(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=_as_json, separators=(",", ":"))


def _canonical(value: object) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


class Cache:
    """Answers by key in an SQLite file. They are on disk when `put` returns; several processes may share the file."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it.

        Raises:
            AugmentError: the file cannot be opened, or is no SQLite file.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=_WAIT)
            self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
            self._file.execute("PRAGMA trusted_schema = OFF")
            schema = self._schema()
            if not schema:
                self._file.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
                self._file.commit()
                schema = self._schema()
        except (sqlite3.Error, OSError, ValueError) as error:
            raise AugmentError(f"`cache` {path}: {error}; name another file, or none") from error
        if schema != [("table", "answers", _TABLE)]:
            self._file.close()
            raise AugmentError(f"`cache` {path}: is another database, no cache of answers; name another file, or none")

    def _schema(self) -> list[tuple[object, ...]]:
        """The kind, the name and the definition of at most two things that the file holds."""
        return self._file.execute("SELECT type, name, sql FROM sqlite_master LIMIT 2").fetchall()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """The answers that the file holds, by key.

        Raises:
            AugmentError: the file is damaged.
        """
        found: dict[bytes, Prediction] = {}
        try:
            for start in range(0, len(keys), _MANY):
                part = keys[start : start + _MANY]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"  # noqa: S608  (question marks alone)
                found |= {key: _answer(answer) for key, answer in self._file.execute(query, part)}
        except (sqlite3.Error, ValueError, RecursionError) as error:
            raise AugmentError(f"`cache` {self.path}: {error}; remove the file, or name another") from error
        return found

    def put(self, answers: Iterable[tuple[bytes, Prediction]]) -> None:
        """Write answers.

        Raises:
            AugmentError: the file cannot be written, or the disk is full.
        """
        rows = [(key, json.dumps(answer, ensure_ascii=True)) for key, answer in answers]
        try:
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise AugmentError(f"`cache` {self.path}: {error}; name another file, or none") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _answer(stored: object) -> Prediction:
    """An answer as it was written.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(stored, str):
        raise ValueError(f"an answer is {type(stored).__name__}")  # noqa: TRY004  (what JSON raises)
    answer: Prediction = json.loads(stored)
    return answer


Answers: TypeAlias = Sequence[tuple[int, Prediction]]
"""Some predictions, each with the number of its example."""

_WANTED = "must return a list of as many"


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model under the name that the report gives it, with all that `Model` states."""

    name: str
    predict: PredictFunction
    signature: str | None
    few_shot: bool
    cached: bool
    chunk: int
    learned: frozenset[str]
    stream: Callable[[Sequence[Example]], Iterator[tuple[int, Prediction]]] | None
    scored: Callable[[Sequence[Example]], Sequence[Scored]] | None

    @classmethod
    def of(cls, name: str, model: Model | PredictFunction) -> "NamedModel":
        """The model under this name; an attribute that it does not have gets its default.

        Raises:
            AugmentError: an attribute cannot be read, or `chunk` is no whole number from 1 on.
        """
        with _said_of(name):
            plain = Model()
            names = [field.name for field in fields(cls)[2:]]
            stated: dict[str, Any] = {key: getattr(model, key, getattr(plain, key)) for key in names}
            if not isinstance(chunk := stated["chunk"], int) or chunk < 1:
                raise AugmentError(f"chunk is {chunk!r}; needs a whole number from 1 on")
            if not isinstance(stated["signature"], str):
                stated["signature"] = None
            if not isinstance(stated["learned"], frozenset):  # a model of a user's may call anything so
                stated["learned"] = plain.learned
            return cls(name, model, **stated)

    @property
    def kept(self) -> bool:
        """Whether the cache keeps its answers."""
        return self.cached and self.signature is not None

    def answers(self, examples: Sequence[Example]) -> Iterator[Answers]:
        """The predictions for all examples: one by one if the model streams, else all at once.

        Raises:
            AugmentError: the model raises an error, or does not give a prediction for each example.
        """
        missing = set(range(len(examples)))
        given = self._answers(examples)
        while True:
            with _said_of(self.name):  # not while the caller holds the answers: what it raises is not the model's
                answers = next(given, None)
                if answers is None:
                    break
                if strange := [number for number, _ in answers if number not in range(len(examples))]:
                    raise AugmentError(f"answered example {strange[0]} of {len(examples)}; they are numbered from 0")
                missing.difference_update(number for number, _ in answers)
                found = [(number, json_value(prediction)) for number, prediction in answers]
            yield found
        if missing:
            raise AugmentError(f"`model` {self.name}: {len(missing)} examples were not answered")

    def _answers(self, examples: Sequence[Example]) -> Iterator[Answers]:
        if self.stream is not None:
            yield from ([answer] for answer in self.stream(examples))
            return
        given = self.predict(examples)
        predictions = given if isinstance(given, list | tuple) else json_value(given)
        if not isinstance(predictions, list | tuple):
            raise AugmentError(f"returned a {type(predictions).__name__} for {len(examples)} examples; {_WANTED}")
        if len(predictions) != len(examples):
            raise AugmentError(f"returned {len(predictions)} predictions for {len(examples)} examples; {_WANTED}")
        yield list(enumerate(predictions))


@contextmanager
def _said_of(name: str) -> Iterator[None]:
    """What a model raises, which may be anything, as an error that names it."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        raise
    except AugmentError as error:
        raise AugmentError(f"`model` {name}: {error}") from error
    except BaseException as error:
        raise AugmentError(f"`model` {name}: {said(error)}") from error


@dataclass(slots=True)
class QuestionCounts:
    """How many questions a model was asked, how many of them differ, and how many answers the cache had."""

    questions: int = 0
    different: int = 0
    from_cache: int = 0


def ask(
    model: NamedModel,
    examples: Sequence[Example],
    cache: Cache | None,
    counts: QuestionCounts,
    advance: Callable[[int], None] = lambda _: None,
    *,
    keys: Sequence[bytes] | None = None,
) -> list[Prediction]:
    """The predictions for all examples, in their order; equal examples are asked once.

    Args:
        model: the model.
        examples: the questions.
        cache: the cache of answers; None asks every question.
        counts: is added to.
        advance: is called with the number of examples that are answered; in the end, with all of them.
        keys: those of the answers (`answer_keys`), if they are known.

    Raises:
        AugmentError: the model raises an error, or does not answer every question.
    """
    keys = answer_keys(model.signature or "", examples) if keys is None else keys
    questions: dict[bytes, Example] = {}
    for key, example in zip(keys, examples, strict=True):
        questions.setdefault(key, example)
    used = cache if model.kept else None
    answers: dict[bytes, Prediction] = used.get(list(questions)) if used else {}
    counts.questions += len(examples)
    counts.different += len(questions)
    counts.from_cache += len(answers)
    advance(len(examples) - len(questions) + len(answers))  # of equal examples only one is asked about
    open_keys = [key for key in questions if key not in answers]
    for start in range(0, len(open_keys), model.chunk):
        chunk = open_keys[start : start + model.chunk]
        for numbered in model.answers([questions[key] for key in chunk]):
            new = [(chunk[number], prediction) for number, prediction in numbered]
            if used:
                used.put(new)
            answers.update(new)
            advance(len(new))
    return [answers[key] for key in keys]
