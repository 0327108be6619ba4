"""Shared by models that count words: reading the train file, and training a classifier for each answer field."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError, saying_instead, saying_where
from augment_ru.evaluation.answers import check_labels_shared, golds_of
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Scored, example_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import Task
from augment_ru.records.task import task as task_of

NEEDED = "models that count words need scikit-learn"


class Train(NamedTuple):
    """The rows of a train file, from which bag-of-words models are trained.

    Attributes:
        texts: the text of each row.
        labels: maps each field of the right answer to its label in each row.
        digest: a digest of the rows.
    """

    texts: Sequence[str]
    labels: Mapping[str, Sequence[str]]
    digest: str


def train_of(request: ModelRequest, kind: str) -> Train:
    """Read the train file of a model.

    Args:
        request: what the model is made from. The train file is its `argument`; if that is empty, its `train`.
        kind: the kind of model, for messages.

    Raises:
        AugmentError: no file is given, it has no rows, a row has no text or no label, none of its labels occurs in the
            evaluated rows, or the task has no single right answer to learn.
    """
    path, task = request.argument or request.train, request.task
    if task.scoring.norms:
        raise AugmentError(f"{task.name} has no one right answer to learn, but a label for each norm")
    if not path:
        raise AugmentError(f"needs a train file: {kind}:TRAIN.jsonl, or `train` TRAIN.jsonl")
    read = read_rows(str(path), encoding=request.encoding)
    if not read.rows:
        raise AugmentError(f"{path}: no rows")
    task = _learned(task, read.values)
    golds = golds_of(read.values, task, "labels")
    texts: list[str] = []
    for row, gold in zip(read.rows, golds, strict=True):
        for name, label in zip(task.scoring.gold, gold, strict=True):
            if label is None:
                raise AugmentError(f"{row.where}: no label in '{name}'; name the field with `label_fields`")
        with saying_where(row.where):
            texts.append(example_of(row.values, task).text)
    labels = {name: [str(gold[at]) for gold in golds] for at, name in enumerate(request.task.scoring.gold)}
    check_labels_shared(str(path), {label for own in labels.values() for label in own}, request.labels)
    return Train(texts, labels, read.digest)


def _learned(task: Task, rows: Sequence[Mapping[str, Any]]) -> Task:
    """Return the task that the train rows belong to.

    If `task` names another task to learn from (`trained_on`) and the rows lack the fields of `task`, it is that other
    task; otherwise it is `task` itself.
    """
    if task.benchmark.trained_on is None or set(task.layout.fields) <= rows[0].keys():
        return task
    return task_of(task.benchmark.trained_on)


@dataclass(frozen=True, slots=True)
class BagOfWords(Model):
    """A model that classifies texts by their words or n-grams; it reads no demonstrations.

    It has one classifier for each field of the right answer.

    Attributes:
        classifiers: maps each field to its classifier, or to its only label, since the classifiers of scikit-learn
            cannot be trained on a single class.
        signature: all that defines the answers.
        learned: the texts that it was trained on.
    """

    classifiers: Mapping[str, Any]
    signature: str
    learned: frozenset[str] = field(default=frozenset(), repr=False)
    few_shot = False
    deterministic = True
    cached = False
    chunk = 2**12

    def scored(self, examples: Sequence[Example], /) -> list[Scored]:
        """Return a label for each example, with the scores of all labels.

        If the right answer has several fields, the prediction is a mapping from fields to labels.

        Args:
            examples: the questions.
        """
        texts = [example.text for example in examples]
        scores = {name: decisions(one, texts) for name, one in self.classifiers.items()}
        given = []
        for own in zip(*scores.values(), strict=True):
            labels = {name: max(one, key=one.__getitem__) for name, one in zip(scores, own, strict=True)}
            given.append(Scored(labels if len(labels) > 1 else next(iter(labels.values())), own))
        return given


def decisions(classifier: Any, texts: Sequence[str]) -> list[dict[str, float]]:  # noqa: ANN401
    """Return the scores of the labels for each text: a mapping from labels to values of the decision function.

    For logistic regression the value is the log-odds. Of labels with the same score, the first is predicted, as in
    scikit-learn.

    Args:
        classifier: a trained classifier of scikit-learn, or the label that each text gets.
        texts: the texts.
    """
    if isinstance(classifier, str):
        return [{classifier: 0.0} for _ in texts]
    if not texts:
        return []
    values = classifier.decision_function(texts)
    if values.ndim == 1:  # two classes: the log-odds of the second
        values = [[0.0, value] for value in values.tolist()]
    names = [str(label) for label in classifier.classes_]
    return [dict(zip(names, map(float, row), strict=True)) for row in values]


def fitted(train: Train, make: Callable[[], Any], signature: str) -> BagOfWords:
    """Train a model that classifies texts by their words or n-grams.

    A classifier is trained for each field of the right answer.

    Args:
        train: the rows of the train file.
        make: returns an untrained classifier.
        signature: all that defines the classifier besides the train file, as text.

    Raises:
        AugmentError: the classifier cannot be trained, for example because the texts have no words.
    """
    classifiers: dict[str, Any] = {}
    for name, labels in train.labels.items():
        if len(set(labels)) == 1:
            classifiers[name] = labels[0]
            continue
        classifiers[name] = make()
        told = saying_instead(lambda error: f"cannot be trained on this file: {error}", ValueError)
        with told, warnings.catch_warnings():
            # it warns if most rows have a label of their own; the rates show how bad that is
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            classifiers[name].fit(train.texts, labels)
    return BagOfWords(classifiers, f"{signature}|train={train.digest}", frozenset(train.texts))
