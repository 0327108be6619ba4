"""BM25 on words or, with `bm25:lemmas:CORPUS`, on lemmas: the search of most engines (bm25s, Lucene's formula)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Floats
from augment_ru.errors import optional
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.language.morphology import lemmas_of
from augment_ru.models._options import CheckedOptions, limited
from augment_ru.models._search import Ranker, corpus_of

_WORD = re.compile(r"\w+")
_LEMMAS = "lemmas:"


@dataclass(frozen=True, slots=True)
class Options(CheckedOptions):
    """The options of the model `bm25` (a search engine for words), set by `--model-option bm25.NAME=VALUE`.

    Attributes:
        depth: how many documents a ranking holds at most.
        k1: how much each repetition of a word in a document adds to the score, above 0; the higher, the more.
        b: how much the length of a document lowers its score, from 0 (not at all) to 1.
    """

    depth: int = limited(100, positive=True)
    k1: float = limited(1.5, positive=True)
    b: float = 0.75


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, with е for ё."""
    return _WORD.findall(text.lower().replace("ё", "е"))


def lemmas(text: str) -> list[str]:
    """Return the likeliest lemma (dictionary form) of each word of a text."""
    return [lemmas_of(word)[0] for word in words(text)]


def bm25(request: ModelRequest, /) -> Ranker:
    """Make the search engine BM25: index the words of documents, or their lemmas.

    Args:
        request: what the model is made from. Its `argument` is the file of the documents; with `lemmas:` before the
            file, lemmas are indexed.

    Raises:
        AugmentError: there is no such file, an option is wrong, or bm25s is not installed.
    """
    given: Options = request.options
    library = optional("bm25s", "bm25 needs bm25s", "search")
    terms = lemmas if request.argument.startswith(_LEMMAS) else words
    corpus = corpus_of(request.argument.removeprefix(_LEMMAS), request.encoding)
    index = library.BM25(k1=given.k1, b=given.b, method="lucene")
    index.index([terms(text) for text in corpus.texts], show_progress=False)
    signature = f"bm25|{terms.__name__}|k1={given.k1:g}|b={given.b:g}|depth={given.depth}|corpus={corpus.digest}"

    def score(texts: Sequence[str]) -> Iterator[Floats]:
        for text in texts:
            known = [index.vocab_dict[term] for term in terms(text) if term in index.vocab_dict]
            yield index.get_scores_from_ids(known) if known else np.zeros(len(corpus.ids))

    return Ranker(score, corpus, given.depth, signature, above=0.0)  # leaves out documents without a term of the query
