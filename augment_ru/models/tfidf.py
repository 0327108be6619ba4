"""The cosine of TF-IDF vectors: it ranks documents, and chooses answers of MuSeRC and RuCoS.

The choice of answers is the baseline of Russian SuperGLUE (section 4.1.1) for tasks without a class to learn, as in the
code of github.com/RussianNLP/MOROCCO. In RuCoS, the model chooses the entity with which the query is nearest to the
passage; in MuSeRC, the two answers to each question that, together with the question, are nearest to the passage.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Floats
from augment_ru.errors import optional, saying_instead
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Prediction
from augment_ru.models._bag_of_words import NEEDED
from augment_ru.models._options import CheckedOptions, limited
from augment_ru.models._search import Ranker, corpus_of
from augment_ru.prompting.prompt import text_of
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.task import Task

_RIGHT = 2
"""How many answers to a question of MuSeRC are taken as right."""
_HIGHLIGHT, _PLACE = "@highlight", "@placeholder"


@dataclass(frozen=True, slots=True)
class Options(CheckedOptions):
    """The options of the model `tfidf` (it ranks documents), set by `--model-option tfidf.NAME=VALUE`.

    Attributes:
        corpus: the file of the documents, or their rows; one must be given.
        depth: how many documents a ranking holds at most.
    """

    corpus: str | Sequence[Mapping[str, str]] | None = None
    depth: int = limited(100, positive=True)


def tfidf(request: ModelRequest, /) -> Ranker:
    """Make a model that ranks documents by the cosine of their tf-idf vectors and that of the query.

    Args:
        request: what the model is made from; the option `corpus` names the file of the documents.

    Raises:
        AugmentError: there is no such file, it has no words, or scikit-learn is not installed.
    """
    given: Options = request.options
    optional("sklearn", NEEDED, "eval")
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  (an extra)

    documents = corpus_of(given.corpus, request.encoding)
    with saying_instead(lambda error: f"option corpus: {error}", ValueError):
        vectors = TfidfVectorizer().fit(documents.texts)
    found = vectors.transform(documents.texts)

    def score(texts: Sequence[str]) -> Iterator[Floats]:
        yield from (vectors.transform(texts) @ found.T).toarray() if texts else ()

    return Ranker(score, documents, given.depth, f"tfidf|depth={given.depth}|corpus={documents.digest}")


@dataclass(frozen=True, slots=True)
class Chooser(Model):
    """Answers MuSeRC and RuCoS with the options nearest to the passage, by the cosine of tf-idf vectors.

    In MuSeRC it takes the two options of each question that are nearest together with the question; in RuCoS, the
    entity that brings the query nearest when it fills the gap.

    Attributes:
        task: the task, MuSeRC or RuCoS.
        vectors: a function that takes texts, and returns a tf-idf vector of length 1 for each, shape (texts, terms).
        signature: a text that names all that the answers depend on.
    """

    task: Task
    vectors: Callable[[Sequence[str]], Any]
    signature: str
    few_shot = False
    deterministic = True
    cached = False

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """Return an entity for each example, or the labels of all answers to its questions."""
        return [self._answer(one.record) for one in examples]

    def _answer(self, row: Mapping[str, Any]) -> Prediction:
        passage = text_of(row, "passage.text").replace(_HIGHLIGHT, " ")
        if prompt_of(self.task).each is None:
            (asked,) = prompt_of(self.task).build(row)
            names = [choice.label for choice in asked.choices]
            near = self._near(passage, [text_of(row, "qas[0].query").replace(_PLACE, name) for name in names])
            return names[int(near.argmax())]
        found: list[str] = []
        for number, question in enumerate(row["passage"]["questions"]):
            asked_for = text_of(row, f"passage.questions[{number}].question")
            near = self._near(passage, [f"{asked_for} {one['text']}" for one in question["answers"]])
            best = np.argsort(near, kind="stable")[-_RIGHT:].tolist()
            found += ["1" if at in best else "0" for at in range(len(near))]
        return found

    def _near(self, passage: str, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.zeros(0)
        cosines: Floats = (self.vectors(texts) @ self.vectors([passage]).T).toarray()[:, 0]
        return np.round(cosines, 9)
