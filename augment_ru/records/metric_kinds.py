"""The metrics that a task may name, and the kind of answer that each of them scores (`evaluation.answers`)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from augment_ru.errors import AugmentError, unknown

Kind = Literal["labels", "answers", "lists"]
"""What a prediction is: labels, one of several classes; answers, a text, of which several may be right; lists, a label
for each option of a row."""

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
    """Raise an error if these cannot be the metrics of a task.

    Raises:
        AugmentError: there is no such metric, or they are of several kinds.
    """
    for name in names:
        if name not in METRIC_KINDS:
            raise unknown("metric", name, METRIC_KINDS)
    if len({METRIC_KINDS[name] for name in names}) > 1:
        raise AugmentError(f"the metrics {', '.join(names)} score answers of different kinds; take those of one kind")
