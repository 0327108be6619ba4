"""Ask models: the questions and predictions, the base class of models, and the cache of answers.

Each different question is asked once. Answers are kept on disk, so that a repeated or interrupted evaluation asks only
new questions.
"""

import json
import logging
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import lru_cache
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

from platformdirs import user_cache_path

from augment_ru import registry
from augment_ru.errors import MALFORMED, AugmentError, brief, check_known, raised_by, saying_instead, saying_where
from augment_ru.formats.row import KEY
from augment_ru.options import options_of, values_of
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task

Prediction: TypeAlias = str | int | float | bool | Sequence[Any] | Mapping[str, Any] | None
"""What a model answers: a label or a text; for a task with several labels a mapping from fields to labels. Labels are
compared as texts.
"""

CHUNK = 256
"""The number of examples in one call of a model that does not set `chunk`."""

PERTURBATION, EPISODE = "perturbation", "episode"
"""The fields that releases, and the published files of the benchmark TAPE, add to a row: its attack, and the episodes
(draws of demonstrations) that show the row.
"""


_log = logging.getLogger(__name__)
_MANY_TOKENS = 1_000_000
"""If the questions are expected to have at least this many tokens, which may cost money, a warning is logged first."""
_BITS = 14_000
"""The most bits of a number in a prediction; Python refuses to print numbers with more than 4,300 digits."""


@dataclass(frozen=True, slots=True)
class Example:
    """One question to a model.

    Attributes:
        record: the row, without the metadata of perturb (`augment`) and without the fields of the right answer.
        task: the task of the row.
        text: the texts of the fields that a model reads (`task.layout.read`), joined by line feeds. Bag-of-words models
            use only this text.
        shots: the demonstrations: rows of the train file with their right answers; empty for zero shots.
    """

    record: Mapping[str, Any]
    task: Task
    text: str
    shots: tuple[Mapping[str, Any], ...] = ()
    _asked: bytes | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def asked(self) -> bytes:
        """The question without its demonstrations as JSON, of which the key of its answer in the cache is made."""
        if self._asked is None:  # several models are asked
            parts = self.task.name, self.task.scoring.gold, self.text, self.record
            object.__setattr__(self, "_asked", _canonical(parts))
        return cast("bytes", self._asked)

    def __repr__(self) -> str:
        return f"Example({brief(self.text)}, task {self.task.name!r}, {len(self.shots)} demonstrations)"


LabelScores: TypeAlias = Mapping[str, float]
"""Maps each label that may be the answer to its score: its log-probability in nats, up to a constant that all labels
share.
"""


class Scored(NamedTuple):
    """A prediction with the scores of the labels.

    Attributes:
        prediction: what the model answers.
        scores: a mapping from labels to their scores for each field of the right answer; empty if answers are free
            texts.
    """

    prediction: Prediction
    scores: tuple[LabelScores, ...] = ()


PredictFunction: TypeAlias = Callable[[Sequence[Example]], Sequence[Prediction]]
"""A plain function used as a model: it returns a prediction for each example, in the order of the examples."""


class Model:
    """The base class of models, which has defaults for all attributes that the evaluation reads.

    A plain function from examples to predictions is a model, too; for attributes that it lacks, the defaults are used.

    Attributes:
        stream: a method that takes examples, and yields each prediction as soon as it is known, with the index of its
            example, in any order, so that the cache can keep it at once. It is called instead of the model itself. None
            (the default) for a model that answers all at once.
        scored: a method that takes examples, and returns predictions with the scores of labels, in the order of the
            examples; with scores, a search against the model needs fewer queries. None (the default) for a model
            without scores.
        tokens: a method that takes examples, and estimates how many tokens the questions have; None (the default) for a
            model whose tokens are not paid for.
    """

    __slots__ = ()
    stream: ClassVar[Callable[..., Iterator[tuple[int, Prediction]]] | None] = None
    scored: ClassVar[Callable[..., Sequence[Scored]] | None] = None
    tokens: ClassVar[Callable[..., int] | None] = None

    @property
    def signature(self) -> str | None:
        """Everything that defines the answers of the model, as text.

        If it is None, the answers are not kept in the cache.
        """
        return None

    @property
    def spent(self) -> Mapping[str, int] | None:
        """How many tokens the server of the model counted so far.

        `prompt_tokens` are those in questions, `completion_tokens` those in replies; None for a model without a server.
        """
        return None

    @property
    def few_shot(self) -> bool:
        """Whether the model reads demonstrations (`Example.shots`).

        If not, it is evaluated once, without demonstrations.
        """
        return True

    @property
    def deterministic(self) -> bool:
        """Whether the model always answers a question in the same way; a model on a server must say False."""
        return False

    @property
    def cached(self) -> bool:
        """Whether the cache keeps the answers; False for models that answer faster than the cache can be read."""
        return True

    @property
    def chunk(self) -> int:
        """The most examples in one call of the model, at least 1.

        If a run is interrupted, the answers of at most one call are lost. A model that streams (yields its answers one
        by one) is given all examples in one call.
        """
        return CHUNK

    @property
    def learned(self) -> frozenset[str]:
        """The texts that the model was trained on; `evaluate` warns if it is asked about them."""
        return frozenset()

    def __call__(self, examples: Sequence[Example], /) -> Sequence[Prediction]:
        """Return a prediction for each example, in the order of the examples; by default those of `scored`.

        Raises:
            AugmentError: the class defines neither this method nor `scored`.
        """
        if self.scored is None:
            raise AugmentError(f"{type(self).__name__} answers nothing: define `__call__` or `scored`")
        return [one.prediction for one in self.scored(examples)]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is made from: its specification, the task, and the options of the run.

    Attributes:
        argument: the part of the specification after its first colon; empty if there is no colon.
        task: the task of the rows.
        labels: the classes of a classification, sorted, as texts; None if answers are no labels, such as free texts.
        device: auto, cpu or cuda[:N].
        options: the values given with `--model-option KIND.NAME=VALUE`, as an instance of the `Options` dataclass in
            the kind's module; None if the module has no such class.
        encoding: the encoding of row files, such as the train file, that are not UTF-8.
        train: the path given with `--train`.
        seed: the default of the option `seed`, for model kinds that have one.
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
"""The function `KIND` of `augment_ru/models/KIND.py`, which makes the model of `--model KIND:ARGUMENT`.

It raises an `AugmentError` if the argument or an option is wrong, or an optional dependency is not installed.
"""


def named_spec(text: str) -> tuple[str, str]:
    """Split the specification of a model, `NAME=KIND[:ARGUMENT]`, into its name and the rest.

    Without NAME, the specification is the name.

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
    """Return the function that makes models of the kind that a specification `KIND[:ARGUMENT]` names.

    Raises:
        AugmentError: there is no such kind.
    """
    kind = spec.partition(":")[0]
    if kind.endswith(".py"):
        raise AugmentError(f"`model` {spec}: names no kind; a function of a file is python:{kind}:NAME")
    known = {name.replace("_", "-"): name for name in registry.names("models")}
    check_known("model", kind, known)
    found: ModelMaker = registry.find("models", "model", known[kind])
    return found


def options_class(spec: str) -> Any:  # noqa: ANN401  (a dataclass)
    """Return the dataclass that holds the options of a kind of models; None if this kind has no options.

    Args:
        spec: the kind, or a specification `KIND:ARGUMENT` that begins with it.

    Raises:
        AugmentError: there is no such kind.
    """
    return getattr(sys.modules[maker_of(spec).__module__], "Options", None)


def runs_network(spec: str) -> bool:
    """Tell whether a model may run a neural network on the device of a run (CPU or GPU).

    It is True for every model of another package, because nothing is known about it.

    Args:
        spec: the specification, `KIND` or `KIND:ARGUMENT`.

    Raises:
        AugmentError: there is no such kind.
    """
    is_own = maker_of(spec).__module__.startswith("augment_ru.models.")
    return not is_own or hasattr(options_class(spec), "dtype")  # an option of all that load a network


def model_of(spec: str, request: ModelRequest, options: Mapping[str, Any] | None = None) -> Model | PredictFunction:
    """Make the model of a specification `KIND` or `KIND:ARGUMENT`.

    Args:
        spec: the specification.
        request: what the model is made from; its `argument` and `options` are replaced by those of `spec` and
            `options`.
        options: the options of the model, by name; a value may be given as a text, which is then parsed.

    Raises:
        AugmentError: there is no such kind, an option is wrong, or the model cannot be made.
    """
    kind, _, argument = spec.partition(":")
    make, made = maker_of(spec), options_class(spec)
    seed = {"seed": request.seed} if "seed" in options_of(made) else {}
    with saying_where(f"`model` {spec}"):
        values = values_of(kind, made, {**seed, **(options or {})})
        return make(replace(request, argument=argument, options=made(**values) if made else None))


def example_of(record: Mapping[str, Any], task: Task, shots: Sequence[Mapping[str, Any]] = ()) -> Example:
    """Make the question of a row: the row without metadata and without its right answer.

    Args:
        record: the row.
        task: the task of the row.
        shots: the demonstrations that are shown before the question.

    Raises:
        AugmentError: a perturbed field is missing, or is not a text.
    """
    question = without_metadata(record)
    for gold in task.scoring.gold:
        for name in field_paths.every(question, gold):
            question = _without(question, field_paths.path_of(question, name))
    return Example(question, task, "\n".join(Record(question, task).read().values()), tuple(shots))


def titled_text(values: Mapping[str, Any], task: Task) -> str:
    """Return the texts of the fields that a model reads (`task.layout.read`), joined by line feeds.

    If there are several fields, each begins with its name.

    Args:
        values: the row.
        task: its task.
    """
    read = Record(values, task).read()
    return "\n".join(f"{name.split('.')[-1]}: {text}" if len(read) > 1 else text for name, text in read.items())


def without_metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row without the metadata of perturb (`augment`).

    The fields `perturbation` and `episode`, which the rows of releases and of TAPE have, are removed, too.
    """
    added = (KEY, PERTURBATION, EPISODE) if isinstance(values.get(PERTURBATION), str) else (KEY,)
    return {name: value for name, value in values.items() if name not in added}


def _without(value: Any, path: field_paths.Path) -> Any:  # noqa: ANN401  (JSON values)
    """Return a copy of the value without the entry at the path; entries outside the path are shared, not copied."""
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
    """Convert a prediction to JSON values: NumPy numbers and arrays become Python's, tuples become lists.

    Raises:
        AugmentError: the prediction has another type, or holds a number that is not finite or is too long.
    """
    given = type(value)
    if isinstance(value, float) and not isfinite(value):
        raise AugmentError(f"a prediction is {value}; a model must return labels, texts or finite numbers")
    if value is None or isinstance(value, (str, float, bool)):  # not a union, which is slower
        return value
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
"""The number of keys in one SQL query; SQLite allows at least 999."""

_TABLE = "CREATE TABLE answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
"""The only table of a cache. A file with views, triggers or other tables is refused, so that no code in it can run."""

_MOST_BYTES = 2**24
"""The maximum size of an answer in bytes."""

_WAIT = 60.0
"""How many seconds to wait while another process writes to the file."""


def default_path() -> Path:
    """Return the path of the cache of answers that is used by default.

    It is in the user's cache folder, or in the folder that the environment variable XDG_CACHE_HOME names.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    folder = Path(home) / _APPLICATION if home else user_cache_path(_APPLICATION, appauthor=False)
    return folder / "responses.sqlite"


def answer_keys(signature: str, examples: Sequence[Example], repeats: Sequence[int] = ()) -> list[bytes]:
    """Return the key of each answer in the cache: a 16-byte hash of the model's signature and the whole question.

    Args:
        signature: all that defines the answers of the model, as text.
        examples: the questions.
        repeats: how many times each question was asked before, so that each repeat has a key of its own; empty if none
            was asked before.
    """
    if any(repeats):
        keys = zip(answer_keys(signature, examples), repeats, strict=True)
        return [blake2b(key + b"%d" % time, digest_size=16).digest() if time else key for key, time in keys]
    shown = {id(example.shots): example.shots for example in examples}
    shots_of = {key: _canonical(shots) for key, shots in shown.items()}
    start = _canonical((signature,))[:-1] + b","  # the list that holds the signature and what is asked
    both = ((example.asked[1:], shots_of[id(example.shots)]) for example in examples)
    return [blake2b(b"".join((start, asked, shots)), digest_size=16).digest() for asked, shots in both]


def _as_json(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=_as_json, separators=(",", ":"))


def _canonical(value: object) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


class Cache:
    """An SQLite file that holds answers of models by key.

    When `put` returns, its answers are on disk. Several processes may use the file at once.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or create it.

        Raises:
            AugmentError: the file cannot be opened, or is not a cache of answers.
        """
        self.path = path
        with self._saying("name another file, or none"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=_WAIT)
            self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
            self._file.execute("PRAGMA trusted_schema = OFF")
            schema = self._schema()
            if not schema:
                self._file.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
                self._file.commit()
                schema = self._schema()
        if schema != [("table", "answers", _TABLE)]:
            self._file.close()
            raise AugmentError(f"`cache` {path}: is another database, no cache of answers; name another file, or none")

    def _saying(self, remedy: str) -> AbstractContextManager[None]:
        kinds = (sqlite3.Error, OSError, ValueError, RecursionError)
        return saying_instead(lambda error: f"`cache` {self.path}: {error}; {remedy}", *kinds)

    def _schema(self) -> list[tuple[object, ...]]:
        """Return the kind, name and definition of the first two objects in the database (fewer if it has fewer)."""
        return self._file.execute("SELECT type, name, sql FROM sqlite_master LIMIT 2").fetchall()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """Return answers in the file by key; keys without an answer are absent.

        Args:
            keys: the keys of the wanted answers (`answer_keys`).

        Raises:
            AugmentError: the file is damaged.
        """
        found: dict[bytes, Prediction] = {}
        read = lru_cache(_answer)  # most answers are one of few labels
        with self._saying("remove the file, or name another"):
            for start in range(0, len(keys), _MANY):
                part = keys[start : start + _MANY]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"  # noqa: S608  (question marks alone)
                found.update((key, read(answer)) for key, answer in self._file.execute(query, part))
        return found

    def put(self, answers: Iterable[tuple[bytes, Prediction]]) -> None:
        """Write answers of a model into the file.

        Args:
            answers: each answer with its key (`answer_keys`).

        Raises:
            AugmentError: the file cannot be written, or the disk is full.
        """
        rows = [(key, json.dumps(answer, ensure_ascii=True)) for key, answer in answers]
        with self._saying("name another file, or none"), self._file:
            self._file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def opened_cache(path: str | Path | None) -> AbstractContextManager[Cache | None]:
    """Open a cache of answers for a `with` block, which gets None (no cache) if the path is None or "none"."""
    return nullcontext() if path is None or path == "none" else closing(Cache(Path(path)))


def _answer(stored: object) -> Prediction:
    """Decode an answer from its stored text.

    Raises:
        ValueError: the stored value is not JSON text.
    """
    if not isinstance(stored, str):
        raise ValueError(f"an answer is {type(stored).__name__}")  # noqa: TRY004  (what JSON raises)
    answer: Prediction = json.loads(stored)
    return answer


Answers: TypeAlias = Sequence[tuple[int, Prediction]]
"""Predictions for some of the examples, each with the index of its example, from 0."""

_WANTED = "must return a list of as many"


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model with the name that the report gives it, and with every attribute that the evaluation reads.

    Attributes:
        name: the name.
        predict: the model: takes examples, and returns a prediction for each.
        signature: all that defines the answers, as text; None if they are not cached.
        few_shot: whether the model reads demonstrations.
        deterministic: whether the model always answers a question in the same way.
        cached: whether the cache keeps the answers of the model.
        chunk: the most examples in one call.
        learned: the texts that the model was trained on.
        stream: takes all examples, and yields the index of each example with its prediction as soon as it is known;
            None if the model answers all examples at once.
        scored: takes examples, and returns predictions with scores of labels; None if it has no scores.
        tokens: takes examples, and returns an estimate of the tokens in the questions; None if it gives no estimate.
        spent: how many tokens a server counted so far; None without a server.
        defence: the name of the normalizer in front of the model; "" for a bare model.
        reads: normalizes the questions before the model is asked; None to leave them as they are.
    """

    name: str
    predict: PredictFunction
    signature: str | None
    few_shot: bool
    deterministic: bool
    cached: bool
    chunk: int
    learned: frozenset[str]
    stream: Callable[[Sequence[Example]], Iterator[tuple[int, Prediction]]] | None
    scored: Callable[[Sequence[Example]], Sequence[Scored]] | None
    tokens: Callable[[Sequence[Example]], int] | None
    spent: Mapping[str, int] | None
    defence: str = ""
    reads: Callable[[Sequence[Example]], Sequence[Example]] | None = None

    @classmethod
    def made(cls, spec: str, request: ModelRequest, options: Mapping[str, Any] | None = None) -> "NamedModel":
        """Make a model from its specification `KIND[:ARGUMENT]` or `NAME=KIND[:ARGUMENT]`.

        The model is called NAME, or by the whole specification if it gives no name.

        Args:
            spec: the specification, such as `linear:train.jsonl`.
            request: what the model is made from; its `argument` and `options` are replaced by those of `spec` and
                `options`.
            options: options of this kind of model, by name.

        Raises:
            AugmentError: there is no such kind, or the model cannot be made.
        """
        name, kind = named_spec(spec)
        return cls.of(name, model_of(kind, request, options))

    @classmethod
    def of(cls, name: str, model: Model | PredictFunction) -> "NamedModel":
        """Give a model a name; attributes that the model lacks get the defaults of `Model`.

        Args:
            name: the name that the report gives it.
            model: the model, or a plain function from examples to predictions.

        Raises:
            AugmentError: an attribute cannot be read, or `chunk` is not a whole number of at least 1.
        """
        with raised_by(f"`model` {name}"):
            if not callable(given := cast("object", model)):
                raise AugmentError(f"{brief(given)} is no function from examples to answers; model_of makes one of it")
            plain = Model()
            names = [field.name for field in fields(cls)[2:] if field.default is MISSING]
            stated: dict[str, Any] = {key: getattr(model, key, getattr(plain, key)) for key in names}
            if not isinstance(chunk := stated["chunk"], int) or chunk < 1:
                raise AugmentError(f"chunk is {chunk!r}; needs a whole number from 1 on")
            if not isinstance(stated["signature"], str):
                stated["signature"] = None
            if not isinstance(stated["learned"], frozenset):  # a user's model may use this name for anything
                stated["learned"] = plain.learned
            stated["deterministic"] = stated["deterministic"] is True
            return cls(name, model, **stated)

    @property
    def stated(self) -> str | None:
        """All that defines the answers, as text: the signature of the model and the normalizer in front of it.

        It is None if the model has no signature.
        """
        defence = f"|defence={self.defence}" if self.defence else ""
        return None if self.signature is None else self.signature + defence

    def read(self, examples: Sequence[Example]) -> Sequence[Example]:
        """Return the questions as the model gets them: normalized by its defence, or unchanged for a bare model."""
        if self.reads is None:
            return examples
        with raised_by(f"`model` {self.name}"):
            return self.reads(examples)

    def with_scores(self) -> "NamedModel":
        """Return a copy of this model that answers with pairs [prediction, scores of labels].

        A cache then keeps the prediction and the scores. The copy has another signature than this model, and
        `scores_of` reads its answers. A model without scores is returned as it is.
        """
        scored = self.scored
        if scored is None:
            return self

        def predict(examples: Sequence[Example]) -> list[Prediction]:
            return [[prediction, [dict(one) for one in scores]] for prediction, scores in scored(examples)]

        signature = None if self.signature is None else f"{self.signature}|scores"
        return replace(self, predict=predict, signature=signature, stream=None)

    def scores_of(self, given: Any) -> Scored:  # noqa: ANN401  (JSON values)
        """Read an answer of the model that `with_scores` returned.

        Args:
            given: the pair [prediction, scores]; for a model without scores, the prediction alone.

        Raises:
            AugmentError: the scores are no list of mappings from labels to numbers.
        """
        if self.scored is None:
            return Scored(given)
        with saying_instead(f"`model` {self.name}: its scores are no list of labels with numbers", *MALFORMED):
            prediction, scores = given
            return Scored(prediction, tuple({str(k): float(v) for k, v in one.items()} for one in scores))

    @property
    def kept(self) -> bool:
        """Whether the cache keeps the answers of this model.

        They are kept if the model has a signature (all that defines its answers) and its attribute `cached` is True.
        """
        return self.cached and self.signature is not None

    def answers(self, examples: Sequence[Example]) -> Iterator[Answers]:
        """Yield the predictions for all examples, each with the index of its example.

        Predictions come in groups: as soon as they are known, or all at once if the model gives none earlier.

        Raises:
            AugmentError: the model raises an error, or does not return a prediction for each example.
        """
        missing = set(range(len(examples)))
        given = self._answers(examples)
        while True:
            with raised_by(f"`model` {self.name}"):  # what the caller raises is not the model's
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


@dataclass(slots=True)
class QuestionCounts:
    """How many questions a model was asked.

    Attributes:
        questions: the number of questions.
        different: how many different questions are among them.
        from_cache: how many of these the cache answered.
        expected: an estimate of the tokens in the questions that the cache did not answer.
        spent: how many tokens the server counted for these questions: `prompt_tokens` in questions, `completion_tokens`
            in replies.
    """

    questions: int = 0
    different: int = 0
    from_cache: int = 0
    expected: int = 0
    spent: Counter[str] = field(default_factory=Counter)


def ask(
    model: NamedModel,
    examples: Sequence[Example],
    cache: Cache | None,
    counts: QuestionCounts,
    advance: Callable[[int], None] = lambda _: None,
    *,
    keys: Sequence[bytes] | None = None,
    repeat: int = 0,
) -> list[Prediction]:
    """Return the predictions for all examples, in their order; equal examples are asked once.

    Args:
        model: the model.
        examples: the questions.
        cache: the cache of answers; None to ask every question.
        counts: counts of the questions asked so far, which are increased in place.
        advance: called with the number of newly answered examples; the numbers add up to all examples.
        keys: the key of each answer in the cache (`answer_keys`); None to compute them.
        repeat: how many times the same questions were asked before; each time has answers of its own in the cache.

    Raises:
        AugmentError: the model raises an error, or does not answer every question.
    """
    examples = model.read(examples)
    keys = answer_keys(model.signature or "", examples, [repeat] * len(examples)) if keys is None else keys
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
    spent = Counter(model.spent or {})
    if model.tokens and open_keys:
        counts.expected += (expected := model.tokens([questions[key] for key in open_keys]))
        if expected >= _MANY_TOKENS:
            _log.warning("%s: about %s tokens in %s questions", model.name, f"{expected:,}", f"{len(open_keys):,}")
    size = model.chunk if model.stream is None else max(len(open_keys), 1)  # a stream asks several questions at a time
    for start in range(0, len(open_keys), size):
        chunk = open_keys[start : start + size]
        for numbered in model.answers([questions[key] for key in chunk]):
            new = [(chunk[number], prediction) for number, prediction in numbered]
            if used:
                used.put(new)
            answers.update(new)
            advance(len(new))
    counts.spent += Counter(model.spent or {}) - spent
    return [answers[key] for key in keys]
