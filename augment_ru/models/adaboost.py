"""AdaBoost with 100 trees of depth 3 and rate 1 on counts of 1- to 5-grams of words (benchmark RAFT, section 4)."""

from dataclasses import dataclass
from typing import Any

from augment_ru.errors import optional
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.models._bag_of_words import NEEDED, BagOfWords, fitted, train_of

NGRAMS = (1, 5)
TREES, DEPTH, RATE = 100, 3, 1.0


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the model `adaboost` (boosted decision trees), set by `--model-option adaboost.NAME=VALUE`.

    Attributes:
        seed: the seed of the random order in which the decision trees try the n-grams.
    """

    seed: int = 42


def adaboost(request: ModelRequest, /) -> BagOfWords:
    """Train the model (AdaBoost over n-grams of words) on a train file.

    Args:
        request: what the model is made from. The train file is its `argument`; if that is empty, its `train`.

    Raises:
        AugmentError: the train file is missing or wrong, or scikit-learn is not installed.
    """
    seed = request.options.seed % 2**32
    train = train_of(request, "adaboost")
    optional("sklearn", NEEDED, "eval")
    from sklearn.ensemble import AdaBoostClassifier  # noqa: PLC0415  (an extra)
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    def make() -> Any:  # noqa: ANN401  (scikit-learn has no types)
        tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=seed)
        trees = AdaBoostClassifier(tree, n_estimators=TREES, learning_rate=RATE, random_state=seed)
        return make_pipeline(CountVectorizer(ngram_range=NGRAMS), trees)

    return fitted(train, make, f"adaboost|word-1..5|trees={TREES}|depth={DEPTH}|rate={RATE:g}|seed={seed}")
