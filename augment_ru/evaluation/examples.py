"""The seam between the evaluation and the models: what a model is asked, what it answers, and what it states."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

from augment_ru import registry
from augment_ru.errors import AugmentError, brief, unknown
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
