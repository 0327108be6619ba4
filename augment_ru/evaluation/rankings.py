"""Rankings of documents: which documents are relevant to a query, and metrics with the same values as trec_eval's."""

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import NamedTuple, TypeAlias

from augment_ru.errors import AugmentError, brief, saying_instead

Ranking: TypeAlias = Sequence[str]
"""The ids of documents, the best first."""


class Relevant(NamedTuple):
    """The right answer to a query of a search engine: the documents that are relevant to it.

    Attributes:
        grades: the id and the relevance grade (above 0) of each relevant document.
        first: the cutoff k: a ranking is right if a relevant document is among its first k documents.
    """

    grades: tuple[tuple[str, float], ...]
    first: int = 1

    @property
    def gains(self) -> dict[str, float]:
        """Return the grade of each relevant document (how relevant it is, above 0), by the id of the document."""
        return dict(self.grades)

    def is_met(self, ranking: Ranking) -> bool:
        """Tell whether a relevant document is among the first `first` documents of the ranking."""
        return _hit(self.gains, ranking, self.first) > 0

    def margin(self, scores: Mapping[str, float]) -> float:
        """Return how far the ranking by these scores is from being wrong; above 0 it is right.

        A ranking is right if a relevant document is among its first k documents (k is `first`). The result is the
        highest score of a relevant document, minus the k-th highest score of the other documents.

        Args:
            scores: the score of each document; a document without a score counts as having the lowest score.
        """
        gains, lowest = self.gains, min(scores.values(), default=0.0)
        others = sorted((value for name, value in scores.items() if name not in gains), reverse=True)
        last = others[self.first - 1] if len(others) >= self.first else lowest
        return max((scores[name] for name in gains if name in scores), default=lowest) - last


def relevant_of(value: object, metric: str) -> Relevant | None:
    """Return the documents that are relevant to a query, as its row states them; None if none is relevant.

    Args:
        value: a mapping from ids of documents to grades, as in TREC's qrels; or a list of ids or a single id, which
            have the grade 1.
        metric: the main metric of the task. With `hit@10`, a ranking is right if a relevant document is among its first
            10. Without a number, the first document must be relevant.

    Raises:
        AugmentError: the value has another form, or a grade is no number.
    """
    held = value if isinstance(value, Mapping) else dict.fromkeys(ranking_of(value), 1)
    with saying_instead(f"{brief(value)}: has a grade that is no number; give ids with numbers", TypeError, ValueError):
        grades = tuple((str(name), float(grade)) for name, grade in held.items() if float(grade) > 0)
    return Relevant(grades, int(metric.partition("@")[2] or 1)) if grades else None


def ranking_of(value: object) -> tuple[str, ...]:
    """Return the ids of ranked documents as texts, the best first, without repeats.

    Args:
        value: a list of ids, or a single id.

    Raises:
        AugmentError: the value is no list of ids.
    """
    items = [value] if isinstance(value, str | int) else value
    if not isinstance(items, Sequence) or not all(isinstance(one, str | int) for one in items):
        raise AugmentError(f"{brief(value)} is no ranking; the task needs a list of the ids of documents")
    return tuple(dict.fromkeys(map(str, items)))


def _recall(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    return sum(name in gains for name in ranking[:first]) / len(gains)


def _hit(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    return float(not gains.keys().isdisjoint(ranking[:first]))


def _ndcg(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    best = _discounted(sorted(gains.values(), reverse=True)[:first])
    return _discounted([gains.get(name, 0.0) for name in ranking[:first]]) / best


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains))


def _reciprocal_rank(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    return next((1 / place for place, name in enumerate(ranking[:first], start=1) if name in gains), 0.0)


_SCORES = {"hit": _hit, "recall": _recall, "ndcg": _ndcg, "mrr": _reciprocal_rank}


def ranking_score(metric: str) -> Callable[[Sequence[Relevant], Sequence[Ranking]], float]:
    """Return the function that computes a metric of rankings, such as `ndcg@10`, as the mean over queries, in [0, 1].

    The function takes the relevant documents and the rankings of all queries. The metrics are those of trec_eval under
    other names: `hit` is success, `ndcg` is ndcg_cut (the gain of a document is its grade), and `mrr` is the mean of
    recip_rank.

    Args:
        metric: `hit`, `ndcg` or `mrr`, with @ and the number of documents that count.
    """
    name, _, at = metric.partition("@")
    one, first = _SCORES[name], int(at) if at else None

    def score(golds: Sequence[Relevant], rankings: Sequence[Ranking]) -> float:
        values = [one(gold.gains, ranking, first) for gold, ranking in zip(golds, rankings, strict=True)]
        return sum(values) / len(values) if values else 0.0

    return score
