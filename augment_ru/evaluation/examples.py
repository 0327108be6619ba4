"""What a model is asked, and what it answers: the seam between the protocol and the models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from augment_ru import registry
from augment_ru.errors import AugmentError, unknown
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task

Prediction: TypeAlias = str | int | float | bool | Sequence[Any] | Mapping[str, Any] | None
"""A label or a text; for a task of several labels an object, field to label. Labels are compared as texts."""

CHUNK = 256
"""Examples of one call of a model that does not state a chunk of its own."""


@dataclass(frozen=True, slots=True)
class Example:
    """One question to a model.

    Attributes:
        record: the row, without `augment` and without the fields of the right answer (`task.gold`).
        task: its task.
        text: the fields that are perturbed, joined by line feeds: the whole input of a bag of words.
        shots: demonstrations: rows of the train file, right answers included; empty for zero shots.
    """

    record: Mapping[str, Any]
    task: Task
    text: str
    shots: tuple[Mapping[str, Any], ...] = ()


class Model(Protocol):
    """Anything that answers examples: a plain function will do.

    A model may also have these attributes:
        signature: text, all that defines its answers; the cache of responses keeps only what a model with one says.
        few_shot: False if it does not look at `Example.shots`; it is then evaluated once. By default True.
        cached: False if asking it is cheaper than looking its answers up. By default True.
        stream: `(examples) -> iterator of (number, prediction)` in any order, called in place of the model, so that
            each answer is kept as soon as it is there.
    """

    def __call__(self, examples: Sequence[Example], /) -> Sequence[Prediction]:
        """A prediction for each example, in their order."""


class ModelMaker(Protocol):
    """What `augment_ru/models/KIND.py` offers under the name KIND: it makes the model of `--model KIND:ARGUMENT`."""

    def __call__(
        self,
        argument: str,
        /,
        *,
        task: Task,
        labels: tuple[str, ...] | None,
        device: str,
        options: Mapping[str, Any],
    ) -> Model:
        """The model.

        Args:
            argument: what stands after the first colon of the specification; empty if there is none.
            task: the task of the rows.
            labels: the classes of a classification, sorted, as texts; None where answers are free.
            device: auto, cpu or cuda[:N].
            options: those of `--model-option KIND.NAME=VALUE` for this kind (values are texts), and `seed`, an integer.

        Raises:
            AugmentError: the argument or an option is wrong, or an extra is missing.
        """


def maker_of(spec: str) -> ModelMaker:
    """What makes the models of a specification's kind; a dash in KIND is an underscore in its file's name.

    Raises:
        AugmentError: there is no such kind.
    """
    kind = spec.partition(":")[0]
    known = {name.replace("_", "-"): name for name in registry.names("models")}
    if kind not in known:
        raise unknown("model", kind, known)
    found: ModelMaker = registry.find("models", "model", known[kind])
    return found


def model_of(
    spec: str,
    *,
    task: Task,
    labels: tuple[str, ...] | None = None,
    device: str = "auto",
    options: Mapping[str, Any] | None = None,
) -> Model:
    """The model of a specification `KIND` or `KIND:ARGUMENT`.

    Raises:
        AugmentError: there is no such kind, or it cannot be made.
    """
    argument = spec.partition(":")[2]
    make = maker_of(spec)
    try:
        return make(argument, task=task, labels=labels, device=device, options=options or {})
    except AugmentError as error:
        raise AugmentError(f"--model {spec}: {error}") from error


def example_of(record: Mapping[str, Any], task: Task, shots: Sequence[Mapping[str, Any]] = ()) -> Example:
    """The question that a row asks: without metadata and without its right answer.

    Raises:
        AugmentError: a field that is perturbed is missing, or is not a text.
    """
    seen: dict[str, Any] = {name: value for name, value in record.items() if name != "augment"}
    for field in task.gold:
        for name in field_paths.every(seen, field):
            seen = _without(seen, field_paths.path_of(seen, name))
    return Example(seen, task, "\n".join(Record(record, task).texts().values()), tuple(shots))


def _without(value: Any, path: field_paths.Path) -> Any:  # noqa: ANN401  (JSON values)
    """A copy of the value without what stands at the path; what lies beside the path is shared."""
    there = path[0] in value if isinstance(value, Mapping) else isinstance(value, list) and isinstance(path[0], int)
    if not there:
        return value
    left: Any = list(value) if isinstance(value, list) else dict(value)
    if len(path) > 1:
        left[path[0]] = _without(left[path[0]], path[1:])
    else:
        del left[path[0]]
    return left


def label_of(value: object) -> str:
    """A label as text, the same for all its spellings: 1, 1.0 and "1"; true and "true"; None is "".

    >>> [label_of(value) for value in (1, 1.0, " 1 ", True, "B", None)]
    ['1', '1', '1', 'true', 'B', '']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
