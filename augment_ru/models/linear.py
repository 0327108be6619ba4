"""Logistic regression on TF-IDF of the 150,000 most frequent 1- to 4-grams of words: TAPE's baseline (section 5.1).

The baseline of Russian SuperGLUE (section 4.1.1) counts the 10,000 most frequent words of a separate corpus; for this
baseline, set longest=1, features=10000, corpus=FILE. On MuSeRC and RuCoS, which have no class to learn, the model
chooses the answers nearest to the passage (`tfidf.Chooser`).
"""

from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError, optional, saying_where
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.formats.read import read_rows
from augment_ru.models._bag_of_words import NEEDED, BagOfWords, fitted, train_of
from augment_ru.models._options import CheckedOptions, limited
from augment_ru.models.tfidf import Chooser
from augment_ru.prompting.prompt import text_of

NGRAMS = (1, 4)
FEATURES = 150_000
ANALYZERS = ("word", "char", "char_wb")


@dataclass(frozen=True, slots=True)
class Options(CheckedOptions):
    """The options of the model `linear` (logistic regression over n-grams), set by `--model-option linear.NAME=VALUE`.

    Attributes:
        analyzer: the unit of the n-grams: word, char, or char_wb (characters inside words).
        shortest: the number of units in the shortest n-grams, at least 1.
        longest: the number of units in the longest n-grams, at least `shortest`.
        features: how many of the most frequent n-grams are counted.
        corpus: a file of rows from whose texts the n-grams and their document frequencies are taken; None for the train
            file.
        case: whether letter case is kept.
        strength: the inverse strength of the regularisation, scikit-learn's C; over 0.
    """

    analyzer: str = limited("word", possible=ANALYZERS)
    shortest: int = limited(NGRAMS[0], positive=True)
    longest: int = NGRAMS[1]
    features: int = limited(FEATURES, positive=True)
    corpus: str | None = None
    case: bool = False
    strength: float = limited(1.0, positive=True)


def linear(request: ModelRequest, /) -> BagOfWords | Chooser:
    """Train the model (logistic regression over n-grams of the text) on a train file.

    MuSeRC and RuCoS have no classes to learn: there it chooses the options that are nearest to the passage by tf-idf.

    Args:
        request: what the model is made from. The train file is its `argument`; if that is empty, its `train`.

    Raises:
        AugmentError: the train file is missing or wrong, an option is wrong, or scikit-learn is not installed.
    """
    given: Options = request.options
    if given.longest < given.shortest:
        raise AugmentError(f"option longest={given.longest}; must be at least {given.shortest}")
    corpus = read_rows(given.corpus, encoding=request.encoding) if given.corpus else None
    with saying_where(str(given.corpus)):
        texts = [text_of(row, "text") for row in corpus.values] if corpus else []
    choosing = request.task.name in {"muserc", "rucos"}
    if choosing and corpus is None:
        raise AugmentError("has no labels to learn here and chooses by the words of a corpus: give linear.corpus=FILE")
    train = None if choosing else train_of(request, "linear")
    optional("sklearn", NEEDED, "eval")
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  (an extra)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import FunctionTransformer  # noqa: PLC0415

    def counts() -> Any:  # noqa: ANN401  (scikit-learn has no types)
        vectors = TfidfVectorizer(
            analyzer=given.analyzer,
            ngram_range=(given.shortest, given.longest),
            max_features=given.features,
            lowercase=not given.case,
        )
        return vectors.fit(texts) if corpus else vectors

    def make() -> Any:  # noqa: ANN401
        vectors = FunctionTransformer(counts().transform) if corpus else counts()
        return make_pipeline(vectors, LogisticRegression(C=given.strength, max_iter=1000))

    counted = f"{given.analyzer}-{given.shortest}..{given.longest}{'-case' if given.case else ''}"
    source = f"|corpus={corpus.digest}" if corpus else ""
    signature = f"linear|{counted}|top={given.features}|C={given.strength:g}{source}"
    return fitted(train, make, signature) if train else Chooser(request.task, counts().transform, signature)
