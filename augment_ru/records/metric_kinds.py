"""The metrics that a task may name, and the kind of answer that each metric scores (`evaluation.answers`)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from augment_ru.errors import AugmentError, unknown

Kind = Literal["labels", "answers", "lists"]
"""The kind of a prediction. labels: one of several classes; answers: a text, and several texts may be right; lists: a
label for each option of a row.
"""

METRIC_KINDS: Mapping[str, Kind] = {
    "accuracy": "labels",
    "macro_f1": "labels",
    "mcc": "labels",
    "exact_match": "answers",
    "f1": "answers",
    "muserc_f1a": "lists",
    "muserc_em": "lists",
}


def check_metrics(names: Sequence[str]) -> None:
    """Check that these can be the metrics of a task.

    Raises:
        AugmentError: there is no metric with one of the names, or the metrics score different kinds of answers.
    """
    for name in names:
        if name not in METRIC_KINDS:
            raise unknown("metric", name, METRIC_KINDS)
    if len({METRIC_KINDS[name] for name in names}) > 1:
        raise AugmentError(f"the metrics {', '.join(names)} score answers of different kinds; take those of one kind")
