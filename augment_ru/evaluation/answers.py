"""Right answers and predictions in the form that metrics compare: labels, texts, or lists of labels."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Prediction
from augment_ru.evaluation.metrics import Gold, Kind
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_texts, label_of
from augment_ru.records.task import Task

Answer: TypeAlias = tuple[Any, ...]
"""A prediction as metrics compare it: an entry for each field of `task.gold`, in the form of the metrics' kind."""

_BITS = 14_000
"""Bits of the longest number in a prediction: Python writes no number of over 4,300 digits."""

_UNLABELLED = "-1"
"""The label that the `datasets` package writes where labels are held back."""


def _gold_value(values: Mapping[str, Any], name: str, kind: Kind) -> Any:  # noqa: ANN401  (JSON values)
    """The value of an answer field; for lists of labels a list for each question (MuSeRC)."""
    if kind != "lists":
        if "[]" in name and name not in values:
            return [value for value in field_paths.values(values, name) if value is not None]
        return field_paths.value(values, name)
    questions: dict[str, list[Any]] = {}
    for path in field_paths.every(values, name):
        if field_paths.has_value(values, path):
            questions.setdefault(path[: path.rfind("[")], []).append(field_paths.value(values, path))
    return [labels[0] if len(labels) == 1 and isinstance(labels[0], list) else labels for labels in questions.values()]


def golds_of(rows: Sequence[Mapping[str, Any]], task: Task, kind: Kind) -> list[tuple[Gold | None, ...]]:
    """The right answers of each row, one for each field of `task.gold`; None where it has none.

    A field whose label is -1 in all rows has no right answers.
    """
    golds = [tuple(_gold(_gold_value(values, name, kind), kind) for name in task.gold) for values in rows]
    held_back = {at for at in range(len(task.gold)) if golds and all(gold[at] == _UNLABELLED for gold in golds)}
    return [tuple(None if at in held_back else answer for at, answer in enumerate(gold)) for gold in golds]


def _gold(value: Any, kind: Kind) -> Gold | None:  # noqa: ANN401  (JSON values)
    if value is None or value in ("", []):
        return None
    if kind == "labels":
        return label_of(value)
    if kind == "answers":
        return tuple(answer_texts(value)) or None
    questions = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(label is None for labels in questions for label in labels):
        return None
    return tuple(tuple(label_of(label) for label in labels) for labels in questions)


def answer_of(prediction: Prediction, task: Task, kind: Kind) -> Answer:
    """A prediction as metrics compare it, with an entry for each field of `task.gold`.

    Raises:
        AugmentError: the prediction has not the form that the task needs.
    """
    if len(task.gold) == 1:
        if isinstance(prediction, Mapping):
            prediction = prediction.get(task.gold[0])
        return (_entry(prediction, kind),)
    if isinstance(prediction, Mapping):
        return tuple(_entry(prediction.get(name), kind) for name in task.gold)
    if isinstance(prediction, Sequence) and not isinstance(prediction, str) and len(prediction) == len(task.gold):
        return tuple(_entry(value, kind) for value in prediction)
    raise AugmentError(f"a prediction is {prediction!r}; the task needs an object with {', '.join(task.gold)}")


def _entry(value: Any, kind: Kind) -> Any:  # noqa: ANN401  (JSON values)
    if kind == "lists":
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        nested = [item if isinstance(item, Sequence) and not isinstance(item, str) else [item] for item in items]
        return tuple(label_of(label) for labels in nested for label in labels)
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        raise AugmentError(f"a prediction is {value!r}; the task needs a {'label' if kind == 'labels' else 'text'}")
    return label_of(value)


def by_field(answer: Sequence[Any], task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """Entries for the fields of `task.gold` as JSON: the entry itself, or an object where there are several fields."""
    if len(task.gold) == 1:
        return answer[0]
    return dict(zip(task.gold, answer, strict=True))


def json_value(value: Any) -> Prediction:  # noqa: ANN401  (whatever a model returned)
    """A prediction as JSON values: NumPy's numbers and arrays become Python's, tuples become lists.

    Raises:
        AugmentError: the prediction is something else.
    """
    if isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise AugmentError("a prediction is a number of over 4,300 digits")
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if callable(getattr(value, "tolist", None)):  # NumPy, torch
        return json_value(value.tolist())
    if isinstance(value, Sequence):
        return [json_value(entry) for entry in value]
    raise AugmentError(f"a prediction is a {type(value).__name__}; a model must return labels or texts")
