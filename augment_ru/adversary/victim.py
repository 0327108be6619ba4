"""The model of a specification, made for the rows that it is attacked on."""

from collections.abc import Iterable, Mapping
from typing import Any

from augment_ru.evaluation.answers import different_golds, labels_of_different
from augment_ru.evaluation.examples import ModelRequest, NamedModel, model_of
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
    """Return the model of a specification `KIND` or `KIND:ARGUMENT`, under that name.

    Args:
        spec: the specification.
        labels: those that a classifier knows, of the rows that are attacked and of the train file (`labels_of`); None
            where answers are free.
        task: the task of the rows.
        train: the file that `linear` and similar models are trained on, unless the specification names one.
        device: auto, cpu or cuda[:N].
        options: options of the model.
        seed: the seed of models that draw.
        encoding: the encoding of a train file that is not in UTF-8.

    Raises:
        AugmentError: there is no such kind, or the model cannot be made.
    """
    request = ModelRequest("", task, labels, device, None, encoding, train, seed)
    return NamedModel.of(spec, model_of(spec, request, options))


def labels_of(rows: Iterable[Mapping[str, Any]], task: Task) -> tuple[str, ...] | None:
    """Return the labels among the right answers of the rows, sorted; None where answers are free."""
    return labels_of_different(different_golds(rows, task), task)
