"""The information of words, from how often it occurs in the news that navec's vectors were trained on."""

from functools import cache, lru_cache
from math import log2

from augment_ru.language.slovnet import embedding

_BITS = 20
"""The information, in bits, that counts as 1: that of a word that occurs once in a million words."""
_STEPS = 64
"""Information is rounded to this part of 1, so that the logarithm of no processor decides."""


@cache
def word_counts() -> tuple[dict[str, int], int]:
    """The count of each word in the texts that the vectors were trained on, and the number of words of these texts."""
    vocabulary = embedding().vocab
    counts = dict(zip(vocabulary.words, map(int, vocabulary.counts), strict=True))
    return counts, sum(counts.values())


def is_common(word: str) -> bool:
    """Whether a word in lower case is one of the 250,000 words that the vectors have."""
    return word in word_counts()[0]


@lru_cache(maxsize=100_000)
def information(word: str) -> float:
    """The information of a word in lower case, in (0, 1]: minus the logarithm of its frequency.

    A word that is not in the vocabulary has that of a word that occurs once.

    >>> information("и") < information("дом") < information("кошка") < information("синхрофазотрон")
    True
    """
    counts, total = word_counts()
    count = counts.get(word) or counts.get(word.replace("ё", "е")) or 1
    return min(round(log2(total / count) / _BITS * _STEPS), _STEPS) / _STEPS
