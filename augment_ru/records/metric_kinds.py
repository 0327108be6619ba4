"""The metrics that a task may name, and the kind of answer that each metric scores (`evaluation.answers`)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from augment_ru.errors import AugmentError, check_known

Kind = Literal["labels", "answers", "lists", "rankings", "spans", "exercises"]
"""The kind of a prediction. labels: one of several classes; answers: a text, and several texts may be right; lists: a
label for each option of a row; rankings: ids of documents, the best first; spans: places in a text with their labels;
exercises: the answer to an exercise, which earns points.
"""

METRIC_KINDS: Mapping[str, Kind] = {
    "accuracy": "labels",
    "macro_f1": "labels",
    "mcc": "labels",
    "exact_match": "answers",
    "f1": "answers",
    "muserc_f1a": "lists",
    "muserc_em": "lists",
    **{f"{name}@{first}": "rankings" for name in ("hit", "ndcg", "recall") for first in (1, 3, 5, 10, 20, 50, 100)},
    "mrr": "rankings",
    "grade_norm": "exercises",
    "span_f1": "spans",
    "span_f1_relaxed": "spans",
}


def check_metrics(names: Sequence[str]) -> None:
    """Check the names of a task's metrics: the metrics must exist, and must score the same kind of answers.

    Raises:
        AugmentError: a metric does not exist, or the metrics score different kinds of answers.
    """
    for name in names:
        check_known("metric", name, METRIC_KINDS)
    if len({METRIC_KINDS[name] for name in names}) > 1:
        raise AugmentError(f"the metrics {', '.join(names)} score answers of different kinds; take those of one kind")
