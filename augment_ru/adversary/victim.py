"""Makes the model that a search attacks from a specification."""

from collections.abc import Iterable, Mapping
from typing import Any

from augment_ru.evaluation.answers import different_golds, labels_of_different
from augment_ru.evaluation.examples import ModelRequest, NamedModel, model_of, named_spec
from augment_ru.records.task import Task


def victim_of(
    spec: str,
    labels: tuple[str, ...] | None,
    task: Task,
    *,
    train: str | None = None,
    device: str = "auto",
    options: Mapping[str, Any] | None = None,
    seed: int = 42,
    encoding: str = "utf-8",
) -> NamedModel:
    """Make the model that is to be attacked from its specification `KIND[:ARGUMENT]` or `NAME=KIND[:ARGUMENT]`.

    The name of the model is NAME, or the whole specification if it gives no name.

    Args:
        spec: the specification, such as `linear:train.jsonl`.
        labels: the labels that a classifier knows (`labels_of`); None if answers are free texts.
        task: the task of the rows.
        train: the file on which `linear` and similar models are trained, unless `spec` names one.
        device: auto, cpu or cuda[:N].
        options: options of this kind of model, by name.
        seed: the seed of models that use random numbers.
        encoding: the encoding of the train file if it is not UTF-8.

    Raises:
        AugmentError: there is no such kind, or the model cannot be made.
    """
    request = ModelRequest("", task, labels, device, None, encoding, train, seed)
    name, kind = named_spec(spec)
    return NamedModel.of(name, model_of(kind, request, options))


def labels_of(rows: Iterable[Mapping[str, Any]], task: Task) -> tuple[str, ...] | None:
    """Return the different labels among the right answers of the rows, sorted; None if answers are free texts."""
    return labels_of_different(different_golds(rows, task), task)
