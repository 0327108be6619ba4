"""What the models that count words share: a train file, a classifier for each field of the right answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import golds_of
from augment_ru.evaluation.examples import Example, Prediction, example_of
from augment_ru.evaluation.metrics import sklearn_metrics
from augment_ru.formats.read import read_rows
from augment_ru.records.task import Task


class Classifier(Protocol):
    """scikit-learn's classifiers and pipelines."""

    def fit(self, inputs: Sequence[str], labels: Sequence[str], /) -> Any:  # noqa: ANN401  (itself)
        """Learn."""

    def predict(self, inputs: Sequence[str], /) -> Any:  # noqa: ANN401  (an array of labels)
        """A label for each input."""


@dataclass(frozen=True, slots=True)
class Train:
    """The texts and the labels of a train file: those of each field of the right answer."""

    texts: Sequence[str]
    labels: Mapping[str, Sequence[str]]
    digest: str


def train_of(argument: str, task: Task, options: Mapping[str, Any], kind: str) -> Train:
    """The train file that a model of this kind is given, as its argument or by `--train`.

    Raises:
        AugmentError: none is given, or a row lacks its text or its label.
    """
    path = argument or options.get("train")
    if not path:
        raise AugmentError(f"needs a train file: {kind}:TRAIN.jsonl, or --train TRAIN.jsonl")
    read = read_rows(str(path))
    if not read.rows:
        raise AugmentError(f"{path}: no rows")
    golds = golds_of(read.values, task, "labels")
    texts: list[str] = []
    for row, gold in zip(read.rows, golds, strict=True):
        for name, label in zip(task.gold, gold, strict=True):
            if label is None:
                raise AugmentError(f"{row.where}: no label in '{name}'; name the field with --label-field")
        try:
            texts.append(example_of(row.values, task).text)
        except AugmentError as error:
            raise AugmentError(f"{row.where}: {error}") from error
    labels = {name: [str(gold[at]) for gold in golds] for at, name in enumerate(task.gold)}
    return Train(texts, labels, read.digest)


@dataclass(frozen=True, slots=True)
class Always:
    """The classifier for a train file of one class, which scikit-learn's refuse."""

    label: str

    def predict(self, inputs: Sequence[str]) -> list[str]:
        """The label, for each input."""
        return [self.label] * len(inputs)


@dataclass(frozen=True, slots=True)
class BagOfWords:
    """Classifiers, one for each field of the right answer; they see the text alone."""

    classifiers: Mapping[str, Any]
    signature: str
    few_shot: bool = field(default=False, init=False)
    cached: bool = field(default=False, init=False)
    chunk: int = field(default=2**20, init=False)

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A label for each example, or an object of labels."""
        texts = [example.text for example in examples]
        said = {name: [str(label) for label in one.predict(texts)] for name, one in self.classifiers.items()}
        if len(said) == 1:
            return list(next(iter(said.values())))
        return [dict(zip(said, row, strict=True)) for row in zip(*said.values(), strict=True)]


def fitted(train: Train, make: Callable[[], Classifier], signature: str) -> BagOfWords:
    """A classifier for each field, trained.

    Raises:
        AugmentError: scikit-learn is missing, or there are no words to count.
    """
    sklearn_metrics()
    classifiers: dict[str, Any] = {}
    for name, labels in train.labels.items():
        if len(set(labels)) == 1:
            classifiers[name] = Always(labels[0])
            continue
        classifiers[name] = make()
        try:
            classifiers[name].fit(train.texts, labels)
        except ValueError as error:
            raise AugmentError(f"cannot be trained: {error}") from error
    return BagOfWords(classifiers, f"{signature}|train={train.digest}")
