"""The most frequent class of the train file, whatever the text (benchmark RAFT, section 4: plurality)."""

from collections import Counter

from augment_ru.evaluation.examples import ModelRequest
from augment_ru.models._bag_of_words import BagOfWords, train_of


def majority(request: ModelRequest, /) -> BagOfWords:
    """Make a model that gives the most frequent class of the train file.

    Of several equally frequent classes, it gives the first in alphabetical order.

    Args:
        request: what the model is made from. The train file is its `argument`; if that is empty, its `train`.

    Raises:
        AugmentError: the train file is missing or wrong.
    """
    train = train_of(request, "majority")
    counts = {name: Counter(found) for name, found in train.labels.items()}
    first = {name: min(count, key=lambda label: (-count[label], label)) for name, count in counts.items()}
    return BagOfWords(first, f"majority|train={train.digest}")
