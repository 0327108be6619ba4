"""Count the results of searches against a model: success at each number of queries, and the sizes of the changes.

The counts come from the rows' metadata under `augment` (docs/adversary.md), so no model is asked.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from augment_ru.evaluation.pairs import CHOSEN, Pair, Pairs, as_float
from augment_ru.evaluation.rates import wilson
from augment_ru.evaluation.report import CurvePoint, SearchReport
from augment_ru.records.record import Record
from augment_ru.text.words import LETTERS_AND_DIGITS

_MOST_QUERIES = 2**53
"""A row that states more queries was not made by a search; sums of such numbers fit no float."""
_QUERIES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""The numbers of queries on a curve. Only those below the budget are used; the last point is the budget itself."""
_DIGITS = 2


def searches(pairs: Pairs) -> dict[str, SearchReport]:
    """Return the results of each attack whose rows were made by a search."""
    found = {attack: list(filter(is_searched, rows)) for attack, rows in pairs.attacks.items()}
    return {attack: _of_search(rows, pairs) for attack, rows in found.items() if rows}


def is_searched(pair: Pair) -> bool:
    """Tell whether a row was made by a search.

    Rows chosen as the worst case do not count: a curve over them would show only successes.
    """
    if CHOSEN in pair.metadata:
        return False
    counts = pair.metadata.get("queries"), pair.metadata.get("budget")
    return all(isinstance(count, int) and 0 <= count <= _MOST_QUERIES for count in counts)


def _of_search(rows: Sequence[Pair], pairs: Pairs) -> SearchReport:
    """Return the results of a search; its rates count only the rows that `can_be_broken`."""
    right = [pair.metadata for pair in rows if can_be_broken(pair.metadata)]
    broken = [pair for pair in rows if pair.metadata.get("status") == "broken"]
    budget = max(int(pair.metadata["budget"]) for pair in rows)
    queries = sum(int(one["queries"]) for one in right)
    words = [changed_words(Record(pairs.originals[pair.original].values, pairs.task).texts(), pair) for pair in broken]
    return SearchReport(
        model=rows[0].metadata.get("model"),
        budget=budget,
        right=len(right),
        broken=len(broken),
        curve=[_point(number, right) for number in (*(one for one in _QUERIES if one < budget), budget)],
        queries=queries,
        queries_a_success=_ratio(queries, len(broken)),
        changes=_mean([count for pair in broken if (count := as_float(pair.metadata.get("changes"))) is not None]),
        changed_words=_mean([float(count) for count in words if count is not None]),
        minimal=_ratio(100 * sum(bool(pair.metadata.get("minimal")) for pair in broken), len(broken)),
        similarity=_mean([pair.similarity for pair in broken if pair.similarity is not None], digits=4),
    )


def can_be_broken(search: Mapping[str, Any]) -> bool:
    """Tell whether a row of a search counts, given the row's metadata.

    It does if the model was right on the original, and its answer was not already the answer that the search aims at.
    """
    return search.get("status") != "wrong_before" and search.get("reason") != "right already"


def _point(queries: int, right: Sequence[Mapping[str, Any]]) -> CurvePoint:
    """Return the success rate within a number of queries, with Wilson's interval."""
    hits = sum(isinstance(at := one.get("broken_at"), int) and at <= queries for one in right)
    band = wilson(hits, len(right))
    return CurvePoint(
        queries, hits, _ratio(100 * hits, len(right)), band and [round(100 * end, _DIGITS) for end in band]
    )


def changed_words(texts: Mapping[str, str], pair: Pair) -> int | None:
    """Count the words of the original that the edits touch; an edit that touches no word counts as one word.

    Args:
        texts: the original texts, by field.
        pair: the perturbed row.

    Returns:
        The number of words; None if the edits of the row are not known.
    """
    if pair.edits is None:
        return None
    touched = 0
    for name, edits in pair.edits.items():
        words = [word.span() for word in LETTERS_AND_DIGITS.finditer(texts[name])]
        hit: set[int] = set()
        for start, stop, *_ in edits:
            own = {at for at, (begin, end) in enumerate(words) if begin < max(stop, start + 1) and start < end}
            hit |= own
            touched += not own
        touched += len(hit)
    return touched


def _ratio(count: float, of: int) -> float | None:
    return round(count / of, _DIGITS) if of else None


def _mean(values: Sequence[float], digits: int = _DIGITS) -> float | None:
    return round(fmean(values), digits) if values else None
