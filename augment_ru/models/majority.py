"""The most frequent class of the train file, whatever the text (RAFT, section 4: plurality)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from augment_ru.models._bag_of_words import BagOfWords, Constant, train_of
from augment_ru.options import chosen
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class Options:
    """It has no options."""


def majority(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> BagOfWords:
    """The model; of equally frequent classes it takes the first in alphabetical order.

    Raises:
        AugmentError: the train file is missing or wrong.
    """
    del labels, device
    chosen("majority", Options, options)
    train = train_of(argument, task, options, "majority")
    counts = {name: Counter(found) for name, found in train.labels.items()}
    first = {name: min(count, key=lambda label: (-count[label], label)) for name, count in counts.items()}
    return BagOfWords({name: Constant(label) for name, label in first.items()}, f"majority|train={train.digest}")
