"""The metrics of an evaluation, by name. Scores are in [0, 1], those of MCC in [-1, 1]."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeAlias

from augment_ru.evaluation.answer_scores import best_token_f1, f1_of_true, macro_f1, matthews, same_answer, whole
from augment_ru.records import metric_kinds

Kind: TypeAlias = metric_kinds.Kind

Gold: TypeAlias = str | tuple[str, ...] | tuple[tuple[str, ...], ...]
"""A right answer: of kind labels a label; of kind answers all texts that are right; of kind lists the labels of the
options of each question."""


class Metric(NamedTuple):
    """A function of right answers and predictions, and the kind that both must have."""

    kind: Kind
    score: Callable[[Sequence[Any], Sequence[Any]], float]


def accuracy(golds: Sequence[object], predictions: Sequence[object]) -> float:
    """The share of predictions that equal the right label."""
    return _mean([float(gold == given) for gold, given in zip(golds, predictions, strict=True)])


def exact_match(golds: Sequence[Sequence[str]], predictions: Sequence[str]) -> float:
    """The share of predictions that are one of their right answers, in normal form."""
    return _mean([float(same_answer(gold, given)) for gold, given in zip(golds, predictions, strict=True)])


def f1(golds: Sequence[Sequence[str]], predictions: Sequence[str]) -> float:
    """The mean over rows of the token F1 with the best of the right answers."""
    return _mean([best_token_f1(gold, given) for gold, given in zip(golds, predictions, strict=True)])


Questions: TypeAlias = Sequence[Sequence[str]]
"""The labels of the options of each question of a row."""


def muserc_f1a(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """MuSeRC's F1a: the F1 of the label 1 over the options of all questions (Khashabi et al. 2018, section 4).

    Args:
        golds: for each row, the labels of each question's options.
        predictions: for each row, the labels of all its options, in their order.
    """
    return f1_of_true((gold, given) for _, gold, given in _options(golds, predictions))


def muserc_em(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """MuSeRC's EM: the share of questions whose options all have the right label; arguments as for `muserc_f1a`."""
    return whole((question, gold == given) for question, gold, given in _options(golds, predictions))


def _options(
    golds: Sequence[Questions], predictions: Sequence[Sequence[str]]
) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Each option: its row and question, its right and its predicted label; "" where a prediction is missing."""
    for row, (questions, given) in enumerate(zip(golds, predictions, strict=True)):
        wanted = [((row, number), label) for number, question in enumerate(questions) for label in question]
        for (question, label), said in zip(wanted, chain(given, repeat("")), strict=False):
            yield question, label, said


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


_SCORES: Mapping[str, Callable[[Sequence[Any], Sequence[Any]], float]] = {
    "accuracy": accuracy,
    "macro_f1": lambda golds, predictions: macro_f1(zip(golds, predictions, strict=True)),
    "mcc": lambda golds, predictions: matthews(zip(golds, predictions, strict=True)),
    "exact_match": exact_match,
    "f1": f1,
    "muserc_f1a": muserc_f1a,
    "muserc_em": muserc_em,
}
METRICS = {name: Metric(kind, _SCORES[name]) for name, kind in metric_kinds.METRIC_KINDS.items()}


def metrics_of(names: Sequence[str]) -> dict[str, Metric]:
    """The metrics of these names, all of one kind.

    Raises:
        AugmentError: there is no such metric, or the metrics are of several kinds.
    """
    metric_kinds.check_metrics(names)
    return {name: METRICS[name] for name in names}


def over_classes(metrics: Mapping[str, Metric], classes: Sequence[str]) -> dict[str, Metric]:
    """The metrics, macro F1 as the mean over all these classes, those that occur nowhere included."""

    def score(golds: Sequence[str], predictions: Sequence[str]) -> float:
        return macro_f1(zip(golds, predictions, strict=True), classes)

    return {name: Metric("labels", score) if name == "macro_f1" else metric for name, metric in metrics.items()}


def is_right(kind: Kind, gold: Any, prediction: Any) -> bool:  # noqa: ANN401  (of the metric's kind)
    """Whether a prediction is right: the same label, one of the right answers, or the right label for every option."""
    if kind == "answers":
        return same_answer(gold, prediction)
    if kind == "lists" and gold and not isinstance(gold[0], str):
        gold = tuple(label for question in gold for label in question)
    return bool(gold == prediction)
