"""Tells how frequent a word is in news, and how much information it carries, by the counts of navec's word vectors."""

from functools import cache, lru_cache
from math import log2

from augment_ru.language.slovnet import embedding, number_of

_BITS = 20
"""The information in bits that counts as 1; about that of a word that occurs once in a million words."""
_STEPS = 64
"""Information is rounded to 1/64, so that logarithms that differ between processors give the same values."""


def word_counts() -> dict[str, int]:
    """Return how often each word occurs in a large corpus of news.

    It is the corpus that natasha's word vectors (navec) were trained on. 250,000 words in lower case have a count. The
    table takes 20 MB and is made anew for each call; for single words there is `count_of`.
    """
    vocabulary = embedding().vocab
    return dict(zip(vocabulary, vocabulary.counts.tolist(), strict=False))


def count_of(word: str) -> int:
    """Return how often a word in lower case occurs in the corpus of news that `word_counts` counts; 0 without count."""
    number = number_of(word)
    return 0 if number is None else int(embedding().vocab.counts[number])


@cache
def all_words() -> int:
    """Return how many words the corpus of `word_counts` has in all: the sum of the counts."""
    return int(embedding().vocab.counts.sum())


def is_common(word: str) -> bool:
    """Tell whether a word in lower case is one of the 250,000 words of natasha's word vectors (navec)."""
    return number_of(word) is not None


@lru_cache(maxsize=100_000)
def information(word: str) -> float:
    """Return the information of a word in lower case: minus the logarithm of its frequency, scaled into (0, 1].

    The frequency is that in the corpus of news of `word_counts`. A word without a count is taken to occur once.

    >>> information("и") < information("дом") < information("кошка") < information("синхрофазотрон")
    True
    """
    count = count_of(word) or count_of(word.replace("ё", "е")) or 1
    return min(round(log2(all_words() / count) / _BITS * _STEPS), _STEPS) / _STEPS
