"""Right answers and predictions in one form, so that they can be compared: labels, texts, or lists of labels."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Prediction, label_of
from augment_ru.evaluation.metrics import Gold, Kind
from augment_ru.records import field_paths
from augment_ru.records.task import Task

Answer: TypeAlias = tuple[Any, ...]
"""What a prediction says about each field of `task.gold`, in the form of the metrics' kind."""

_TEXTS = ("segment", "text", "answer")
"""Where an answer given as an object has its text."""

_UNLABELLED = "-1"
"""What the `datasets` package writes for rows whose label is held back."""


def gold_of(values: Mapping[str, Any], task: Task, kind: Kind) -> tuple[Gold | None, ...]:
    """The right answers of a row, one for each field of `task.gold`; None where it has none."""
    return tuple(_gold(_value(values, name, kind), kind) for name in task.gold)


def _value(values: Mapping[str, Any], name: str, kind: Kind) -> Any:  # noqa: ANN401  (JSON values)
    """What stands in a field; for lists of labels those of each question apart (MuSeRC)."""
    if kind != "lists":
        found = (
            field_paths.values(values, name) if "[]" in name and name not in values else field_paths.value(values, name)
        )
        return [one for one in found if one is not None] if "[]" in name and name not in values else found
    groups: dict[str, list[Any]] = {}
    for one in field_paths.every(values, name):
        if field_paths.has_value(values, one):
            groups.setdefault(one[: one.rfind("[")], []).append(field_paths.value(values, one))
    return [group[0] if len(group) == 1 and isinstance(group[0], list) else group for group in groups.values()]


def golds_of(rows: Sequence[Mapping[str, Any]], task: Task, kind: Kind) -> list[tuple[Gold | None, ...]]:
    """The right answers of rows; a field that is -1 in all of them holds none."""
    golds = [gold_of(values, task, kind) for values in rows]
    held_back = {at for at in range(len(task.gold)) if golds and all(gold[at] == _UNLABELLED for gold in golds)}
    if not held_back:
        return golds
    return [tuple(None if at in held_back else one for at, one in enumerate(gold)) for gold in golds]


def _gold(value: Any, kind: Kind) -> Gold | None:  # noqa: ANN401  (JSON values)
    if value is None or value in ("", []):
        return None
    if kind == "labels":
        return label_of(value)
    items = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if kind == "lists":
        if any(label is None for group in items for label in group):
            return None
        return tuple(tuple(label_of(label) for label in group) for group in items)
    return tuple(_text(item) for item in items)


def _text(item: object) -> str:
    if isinstance(item, Mapping):
        return str(next((item[key] for key in _TEXTS if key in item), ""))
    return label_of(item)


def answer_of(prediction: Prediction, task: Task, kind: Kind) -> Answer:
    """A prediction, one entry for each field of `task.gold`.

    Raises:
        AugmentError: it has not the form that the task needs.
    """
    if len(task.gold) == 1:
        if isinstance(prediction, Mapping):
            prediction = prediction.get(task.gold[0])
        return (_said(prediction, kind),)
    if isinstance(prediction, Mapping):
        return tuple(_said(prediction.get(name), kind) for name in task.gold)
    if isinstance(prediction, Sequence) and not isinstance(prediction, str) and len(prediction) == len(task.gold):
        return tuple(_said(one, kind) for one in prediction)
    raise AugmentError(f"a prediction is {prediction!r}; the task needs an object with {', '.join(task.gold)}")


def _said(value: Any, kind: Kind) -> Any:  # noqa: ANN401  (JSON values)
    if kind == "lists":
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        nested = [item if isinstance(item, Sequence) and not isinstance(item, str) else [item] for item in items]
        return tuple(label_of(label) for group in nested for label in group)
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        raise AugmentError(f"a prediction is {value!r}; the task needs a {'label' if kind == 'labels' else 'text'}")
    return label_of(value)


def shown(answer: Sequence[Any], task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """An answer or right answer as JSON: itself, or an object for a task of several fields."""
    if len(task.gold) == 1:
        return answer[0]
    return dict(zip(task.gold, answer, strict=True))


def plain(value: Any) -> Prediction:  # noqa: ANN401  (whatever a model returned)
    """What a model returned, as JSON values: NumPy's numbers as Python's, tuples as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if callable(getattr(value, "tolist", None)):  # NumPy, torch
        return plain(value.tolist())
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    raise AugmentError(f"a prediction is a {type(value).__name__}; a model must return labels or texts")
