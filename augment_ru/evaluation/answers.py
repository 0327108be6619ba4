"""Right answers and predictions in the form that metrics compare: labels, texts, or lists of labels."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Prediction
from augment_ru.evaluation.metrics import Gold, Kind, metrics_of
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_texts, label_of
from augment_ru.records.task import Task

Answer: TypeAlias = tuple[Any, ...]
"""A prediction as metrics compare it: an entry for each of `task.decided`, in the form of the metrics' kind."""

Golds: TypeAlias = Sequence[Sequence[Gold | None]]
"""For each original, the right answer of each of `task.decided`; None where it has none."""

_BITS = 14_000
"""Bits of the longest number in a prediction: Python writes no number of over 4,300 digits."""
_PLAIN = frozenset({str, float, bool, type(None)})

_SHOWN = 5
"""Labels that a message names."""
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
    """The right answers of each row, one for each of `task.decided`; None where it has none.

    A field whose label is -1 in all rows has no right answers.

    Raises:
        AugmentError: a field holds no label where one is needed, or not a label for each norm.
    """
    return _without_held_back([_labelled(values, task, kind) for values in rows], task)


def different_golds(rows: Iterable[Mapping[str, Any]], task: Task) -> set[tuple[Gold | None, ...]]:
    """The different right answers of rows, which are read one by one; none where answers are free.

    Raises:
        AugmentError: as `golds_of`.
    """
    kind = _kind_of(task)
    found: set[tuple[Gold | None, ...]] = set()
    for values in rows:
        golds = _labelled(values, task, kind)
        if kind != "answers":
            found.add(golds)
    return found


def labels_of_different(golds: Iterable[tuple[Gold | None, ...]], task: Task) -> tuple[str, ...] | None:
    """The labels among the different right answers of all rows, sorted; None where answers are free."""
    return labels_among(_without_held_back(list(golds), task), _kind_of(task))


def _kind_of(task: Task) -> Kind:
    return next(iter(metrics_of(task.scoring.metrics).values())).kind


def _labelled(values: Mapping[str, Any], task: Task, kind: Kind) -> tuple[Gold | None, ...]:
    return tuple(None if one in task.scoring.unlabelled else one for one in _golds(values, task, kind))


def _without_held_back(golds: Sequence[tuple[Gold | None, ...]], task: Task) -> list[tuple[Gold | None, ...]]:
    count = len(task.scoring.decided)
    held_back = {at for at in range(count) if golds and all(gold[at] == _UNLABELLED for gold in golds)}
    return [tuple(None if at in held_back else answer for at, answer in enumerate(gold)) for gold in golds]


def labels_among(golds: Iterable[object], kind: Kind) -> tuple[str, ...] | None:
    """The labels among right answers as `golds_of` gives them, sorted; None where answers are free."""
    return None if kind == "answers" else tuple(sorted({label for gold in golds for label in _flat(gold)}))


def check_labels_shared(train: str, learned: Collection[str], asked: Collection[str] | None) -> None:
    """Refuse a train file that has none of the labels of the rows: a model that learns from it is always wrong.

    Args:
        train: the train file, for messages.
        learned: its labels.
        asked: those of the rows; None or empty if they are not known.

    Raises:
        AugmentError: the labels of both.
    """
    if learned and asked and not set(learned) & set(asked):
        own, others = (", ".join(sorted(one)[:_SHOWN]) for one in (learned, asked))
        raise AugmentError(f"{train}: its labels are {own}; those of the rows are {others}: none is the same")


def _flat(gold: Any) -> Iterator[str]:  # noqa: ANN401  (texts, nested in tuples)
    """The labels of a right answer, which may be nested."""
    if isinstance(gold, str):
        yield gold
    elif gold is not None:
        for one in gold:
            yield from _flat(one)


def _golds(values: Mapping[str, Any], task: Task, kind: Kind) -> tuple[Gold | None, ...]:
    if task.scoring.norms:
        return _norm_labels(field_paths.value(values, task.scoring.gold[0]), task)
    try:
        return tuple(_gold(_gold_value(values, name, kind), kind, task.scoring.separator) for name in task.scoring.gold)
    except AugmentError as error:
        raise AugmentError(f"the right answer in {', '.join(task.scoring.gold)}: {error}") from error


def _norm_labels(held: Any, task: Task) -> tuple[Gold | None, ...]:  # noqa: ANN401  (JSON values)
    """The label of each norm, from a list in their order or from an object."""
    norms = task.scoring.norms
    if held is None or held in ("", [], {}):
        return (None,) * len(norms)
    if isinstance(held, Mapping):
        by_norm = {norm: held[key] for norm in norms for key in held if key and norm.startswith(key)}
        if len(by_norm) == len(held) == len(norms):
            return tuple(_gold(by_norm[norm], "labels") for norm in norms)
    elif isinstance(held, Sequence) and not isinstance(held, str) and len(held) == len(norms):
        return tuple(_gold(label, "labels") for label in held)
    raise AugmentError(
        f"field '{task.scoring.gold[0]}' is {held!r}; it must hold a label for each of {', '.join(norms)}"
    )


def _gold(value: Any, kind: Kind, separator: str | None = None) -> Gold | None:  # noqa: ANN401  (JSON values)
    if value is None or value in ("", []):
        return None
    if kind == "labels":
        if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
            raise AugmentError(f"{value!r} is no label; name another field with `label_fields`, or a `task`")
        return label_of(value)
    if kind == "answers":
        return tuple(answer_texts(value, separator)) or None
    questions = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(label is None for labels in questions for label in labels):
        return None
    return tuple(tuple(label_of(label) for label in labels) for labels in questions)


def most_frequent(golds: Sequence[Gold | None]) -> str:
    """The most frequent right answer; of equally frequent ones the first in alphabetical order; "" without any."""
    texts = (gold if isinstance(gold, str) else str(gold[0]) for gold in golds if gold)
    counts = Counter(texts)
    return min(counts, key=lambda text: (-counts[text], text), default="")


def answer_of(prediction: Prediction, task: Task, kind: Kind) -> Answer:
    """A prediction as metrics compare it, with an entry for each of `task.decided`; of norms all are the same.

    Raises:
        AugmentError: the prediction has not the form that the task needs.
    """
    gold = task.scoring.gold
    if len(gold) == 1:
        if not isinstance(prediction, str) and isinstance(prediction, Mapping):
            prediction = prediction.get(gold[0])
        return (_entry(prediction, kind),) * len(task.scoring.decided)
    if isinstance(prediction, Mapping):
        return tuple(_entry(prediction.get(name), kind) for name in gold)
    if isinstance(prediction, Sequence) and not isinstance(prediction, str) and len(prediction) == len(gold):
        return tuple(_entry(value, kind) for value in prediction)
    raise AugmentError(f"a prediction is {prediction!r}; the task needs an object with {', '.join(gold)}")


def _entry(value: Any, kind: Kind) -> Any:  # noqa: ANN401  (JSON values)
    if kind != "lists" and isinstance(value, str):
        return label_of(value)
    if kind == "lists":
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        nested = [item if isinstance(item, Sequence) and not isinstance(item, str) else [item] for item in items]
        return tuple(label_of(label) for labels in nested for label in labels)
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        raise AugmentError(f"a prediction is {value!r}; the task needs a {'label' if kind == 'labels' else 'text'}")
    return label_of(value)


def by_field(answer: Sequence[Any], task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """Entries for `task.decided` as JSON: the entry itself, or an object where there are several."""
    if len(task.scoring.decided) == 1:
        return answer[0]
    return dict(zip(task.scoring.decided, answer, strict=True))


def prediction_json(answer: Answer, task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """A prediction as JSON: the one answer that is compared with all norms, else as `by_field`."""
    return answer[0] if task.scoring.norms else by_field(answer, task)


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


def group_of(values: Mapping[str, Any], task: Task) -> str | None:
    """The value of `task.grouped_by` in a row, as a text; None if it has none."""
    held = field_paths.value(values, task.scoring.grouped_by) if task.scoring.grouped_by else None
    return None if held is None else label_of(held)
