"""How predictions are scored, by name; from scikit-learn where it has the metric. In [0, 1], MCC in [-1, 1]."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from augment_ru.errors import AugmentError, unknown

Kind = Literal["labels", "answers", "lists"]
"""labels: one of several classes; answers: a free text, and several may be right; lists: a label for each option."""

Gold: TypeAlias = str | tuple[str, ...] | tuple[tuple[str, ...], ...]
"""A label; the answers that are right; the labels of the options of each question."""


class Metric(NamedTuple):
    """A score of predictions against right answers, and what both must be."""

    kind: Kind
    score: Callable[[Sequence[Any], Sequence[Any]], float]


def sklearn_metrics() -> Any:  # noqa: ANN401  (scikit-learn has no types)
    """The module `sklearn.metrics`.

    Raises:
        AugmentError: scikit-learn is not installed.
    """
    try:
        import sklearn.metrics  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise AugmentError('evaluation needs scikit-learn; pip install "augment-ru[eval]"') from error
    return sklearn.metrics


def accuracy(golds: Sequence[str], predictions: Sequence[str]) -> float:
    """The share of predictions that are right."""
    return float(sklearn_metrics().accuracy_score(golds, predictions))


def macro_f1(golds: Sequence[str], predictions: Sequence[str]) -> float:
    """The unweighted mean of the F1 of every class that occurs among the right answers or the predictions."""
    return float(sklearn_metrics().f1_score(golds, predictions, average="macro", zero_division=0.0))


def mcc(golds: Sequence[str], predictions: Sequence[str]) -> float:
    """Matthews' correlation coefficient, in [-1, 1]; 0 where it is not defined."""
    if len({*golds, *predictions}) <= 1:  # scikit-learn gives 0, with a warning that users can do nothing about
        return 0.0
    return float(sklearn_metrics().matthews_corrcoef(golds, predictions))


def normalised(text: str) -> str:
    """The text as SQuAD's metrics see it (Rajpurkar et al. 2016), adapted to Russian.

    Lower case, ё as е, no stress marks, no punctuation of any script, one space between words; Russian has no articles.

    >>> normalised("  «Ёлки-палки»,   сказа\u0301л он… ")
    'елкипалки сказал он'
    """
    text = unicodedata.normalize("NFC", text.lower().replace("\u0301", "")).replace("ё", "е")
    kept = (letter for letter in text if not unicodedata.category(letter).startswith("P"))
    return " ".join("".join(kept).split())


def token_f1(gold: str, prediction: str) -> float:
    """The harmonic mean of precision and recall over the words that both have, each as often as both have it.

    >>> token_f1("в городе Казани", "Казани")
    0.5
    """
    wanted, given = normalised(gold).split(), normalised(prediction).split()
    if not wanted or not given:
        return float(wanted == given)
    common = sum((Counter(wanted) & Counter(given)).values())
    return 2 * common / (len(wanted) + len(given))


def same_answer(golds: Sequence[str], prediction: str) -> bool:
    """Whether the prediction is one of the right answers, after normalisation."""
    said = normalised(prediction)
    return any(normalised(gold) == said for gold in golds)


def exact_match(golds: Sequence[Sequence[str]], predictions: Sequence[str]) -> float:
    """The share of predictions that are one of their right answers, after normalisation."""
    return _mean([float(same_answer(gold, said)) for gold, said in zip(golds, predictions, strict=True)])


def f1(golds: Sequence[Sequence[str]], predictions: Sequence[str]) -> float:
    """The mean over records of the token F1 against the right answer that is nearest."""
    pairs = zip(golds, predictions, strict=True)
    return _mean([max((token_f1(gold, said) for gold in answers), default=0.0) for answers, said in pairs])


Questions: TypeAlias = Sequence[Sequence[str]]
"""The labels of the options of each question of a row."""


def muserc_f1a(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """MuSeRC's F1a: the F1 of the label 1 over the options of all questions (Khashabi et al. 2018, section 4).

    Args:
        golds: for each row, the labels of each question's options.
        predictions: for each row, the labels of all its options, in their order.
    """
    pairs = [pair for gold, said in zip(golds, predictions, strict=True) for pair in _options(gold, said)]
    wanted, given = ([one[at] in _TRUE for one in pairs] for at in (0, 1))
    return float(sklearn_metrics().f1_score(wanted, given, zero_division=0.0))


def muserc_em(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """MuSeRC's EM: the share of questions of which every option is judged rightly; arguments as for `muserc_f1a`."""
    found: list[float] = []
    for gold, said in zip(golds, predictions, strict=True):
        judged = [wanted == given for wanted, given in _options(gold, said)]
        start = 0
        for question in gold:
            found.append(float(all(judged[start : start + len(question)])))
            start += len(question)
    return _mean(found)


_TRUE = ("1", "true")


def _options(gold: Questions, said: Sequence[str]) -> list[tuple[str, str]]:
    """The right label and the prediction of each option; one without a prediction is not chosen."""
    wanted = [label for question in gold for label in question]
    return list(zip(wanted, [*said, *[""] * len(wanted)][: len(wanted)], strict=True))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


METRICS: dict[str, Metric] = {
    "accuracy": Metric("labels", accuracy),
    "macro_f1": Metric("labels", macro_f1),
    "mcc": Metric("labels", mcc),
    "exact_match": Metric("answers", exact_match),
    "f1": Metric("answers", f1),
    "muserc_f1a": Metric("lists", muserc_f1a),
    "muserc_em": Metric("lists", muserc_em),
}


def metrics_of(names: Sequence[str]) -> dict[str, Metric]:
    """The metrics of these names, all of one kind.

    Raises:
        AugmentError: there is no such metric, or they score answers of several kinds.
    """
    for name in names:
        if name not in METRICS:
            raise unknown("metric", name, METRICS)
    found = {name: METRICS[name] for name in names}
    if len({metric.kind for metric in found.values()}) > 1:
        raise AugmentError(f"the metrics {', '.join(names)} score answers of different kinds; take those of one kind")
    return found


def right(kind: Kind, gold: Any, prediction: Any) -> bool:  # noqa: ANN401  (of the metric's kind)
    """Whether a prediction is right: the same label, one of the answers, or every option judged rightly."""
    if kind == "answers":
        return same_answer(gold, prediction)
    if kind == "lists" and gold and not isinstance(gold[0], str):
        gold = tuple(label for question in gold for label in question)
    return bool(gold == prediction)
