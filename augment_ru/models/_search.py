"""Shared by models that rank documents: the corpus, and rankings with the scores of their documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Model, Scored
from augment_ru.formats.read import read_rows, rows_of

DIGITS = 4
"""The decimals to which scores are rounded, so that the order of documents does not depend on rounding errors."""


class Corpus(NamedTuple):
    """The documents that a search engine ranks.

    Attributes:
        ids: their ids.
        texts: their texts.
        digest: a digest of their rows.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    digest: str


def corpus_of(given: str | Sequence[Mapping[str, str]] | None, encoding: str) -> Corpus:
    """Read documents in the format of BEIR and MTEB.

    A row has `_id`, `text` and perhaps `title`, which is put before the text.

    Args:
        given: their file or their rows; None raises an error.
        encoding: the encoding of the file, if it is not UTF-8.

    Raises:
        AugmentError: no file is named, or a row has no id or text.
    """
    if given is None or given == "":
        raise AugmentError("needs the file of the documents, as in bm25:corpus.jsonl")
    rows = read_rows(given, encoding=encoding) if isinstance(given, str) else rows_of(given)
    for where, row in rows.rows:
        if "_id" not in row or not isinstance(row.get("text"), str):
            raise AugmentError(f"{where}: needs a document with _id and text")
    texts = [f"{row.get('title') or ''} {row['text']}".strip() for row in rows.values]
    return Corpus([str(row["_id"]) for row in rows.values], texts, rows.digest)


def ranked(ids: Sequence[str], scores: Floats, depth: int, *, above: float = -np.inf) -> Scored:
    """Rank documents by their scores, and return the ranking with these scores.

    Documents with equal scores keep the order of the corpus.

    Args:
        ids: the ids of the documents.
        scores: their scores, shape (documents,).
        depth: the most documents in the ranking.
        above: documents with this score or less are left out.
    """
    rounded = np.round(scores.astype(np.float64), DIGITS)
    order = [at for at in np.argsort(-rounded, kind="stable")[:depth].tolist() if rounded[at] > above]
    return Scored([ids[at] for at in order], ({ids[at]: float(rounded[at]) for at in order},))


@dataclass(frozen=True, slots=True)
class Ranker(Model):
    """A model that ranks documents: it answers a query with the ids of documents, the best first.

    Attributes:
        score: a function that takes queries, and yields the scores of all documents for each, shape (documents,).
        documents: the documents.
        depth: how many documents a ranking holds at most.
        signature: all that defines the answers.
        deterministic: whether it always answers a query in the same way.
        cached: whether the cache keeps its answers.
        above: documents with this score or less are left out.
    """

    score: Callable[[Sequence[str]], Iterable[Floats]]
    documents: Corpus
    depth: int
    signature: str
    deterministic: bool = True
    cached: bool = False
    above: float = -np.inf
    few_shot = False

    def scored(self, examples: Sequence[Example], /) -> list[Scored]:
        """Return a ranking of documents for each query, with the scores of the ranked documents.

        Args:
            examples: the queries.
        """
        scores = self.score([one.text for one in examples])
        return [ranked(self.documents.ids, own, self.depth, above=self.above) for own in scores]
