"""Logistic regression on TF-IDF of the 150,000 most frequent 1- to 4-grams of words: TAPE's baseline (section 5.1)."""

from dataclasses import dataclass
from typing import Any

from augment_ru.evaluation.examples import ModelRequest
from augment_ru.evaluation.metrics import sklearn_metrics
from augment_ru.models._bag_of_words import BagOfWords, fitted, train_of
from augment_ru.models._options import check_one_of, check_positive
from augment_ru.options import chosen

NGRAMS = (1, 4)
FEATURES = 150_000
ANALYZERS = ("word", "char", "char_wb")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `--model-option linear.NAME=VALUE`.

    Attributes:
        analyzer: the unit of the n-grams: word, char, or char_wb (characters inside words).
        strength: the inverse strength of the regularisation, scikit-learn's C; over 0.
    """

    analyzer: str = "word"
    strength: float = 1.0


def linear(request: ModelRequest, /) -> BagOfWords:
    """The model, trained on the file that `argument` names.

    Raises:
        AugmentError: the train file is missing or wrong, an option is wrong, or scikit-learn is not installed.
    """
    given = chosen("linear", Options, request.options)
    check_one_of("analyzer", given.analyzer, ANALYZERS)
    check_positive("strength", given.strength)
    train = train_of(request, "linear")
    sklearn_metrics()
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  (an extra)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415

    def make() -> Any:  # noqa: ANN401  (scikit-learn has no types)
        vectors = TfidfVectorizer(analyzer=given.analyzer, ngram_range=NGRAMS, max_features=FEATURES)
        return make_pipeline(vectors, LogisticRegression(C=given.strength, max_iter=1000))

    return fitted(train, make, f"linear|{given.analyzer}-1..4|top={FEATURES}|C={given.strength:g}")
