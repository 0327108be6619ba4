"""TF-IDF of 1- to 4-grams of words, the top 150,000, and logistic regression: TAPE's baseline (section 5.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.metrics import sklearn_metrics
from augment_ru.models._bag_of_words import BagOfWords, fitted, train_of
from augment_ru.options import chosen
from augment_ru.records.task import Task

NGRAMS = (1, 4)
FEATURES = 150_000
ANALYZERS = ("word", "char", "char_wb")


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option linear.NAME=VALUE`.

    Attributes:
        analyzer: what n-grams are of: word, char or char_wb (letters inside words).
        strength: the inverse of the regularisation, scikit-learn's C.
    """

    analyzer: str = "word"
    strength: float = 1.0


def linear(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> BagOfWords:
    """The model, trained on the file that `argument` names.

    Raises:
        AugmentError: the file or an option is wrong, or scikit-learn is missing.
    """
    del labels, device
    wanted = chosen("linear", Options, options)
    if wanted.analyzer not in ANALYZERS:
        raise AugmentError(f"option analyzer={wanted.analyzer}: must be one of {', '.join(ANALYZERS)}")
    if not wanted.strength > 0:
        raise AugmentError(f"option strength={wanted.strength}: must be positive")
    train = train_of(argument, task, options, "linear")
    sklearn_metrics()
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  (an extra)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415

    def make() -> Any:  # noqa: ANN401  (scikit-learn has no types)
        vectors = TfidfVectorizer(analyzer=wanted.analyzer, ngram_range=NGRAMS, max_features=FEATURES)
        return make_pipeline(vectors, LogisticRegression(C=wanted.strength, max_iter=1000))

    return fitted(train, make, f"linear|{wanted.analyzer}-1..4|top={FEATURES}|C={wanted.strength:g}")
