"""Whether a misspelt word can still be read: which other words are as near to it as the one that is meant."""

from functools import cache, lru_cache

import numpy as np

from augment_ru.draws import Ints, Keys
from augment_ru.language.frequency import word_counts

_LEAST_COUNT = 300
"""How often a word of the vocabulary must occur to be read in place of another one."""
_LONGEST = 24


@lru_cache(maxsize=100_000)
def nearest_count(form: str, meant: str) -> int:
    """How often the commonest other word occurs that differs from a form in one letter.

    One letter is replaced, left out or added, or two change places.

    Args:
        form: a misspelt word, in lower case with е for ё.
        meant: the word that is meant, which does not count.

    Returns:
        The count in navec's vocabulary; 0 if there is no such word.
    """
    if len(form) > _LONGEST:
        return 0
    keys, numbers = _index()
    words, counts = _words()
    wanted = np.array(_shortened(form), dtype=np.uint64)
    firsts = np.searchsorted(keys, wanted, side="left").tolist()
    lasts = np.searchsorted(keys, wanted, side="right").tolist()
    found = {number for first, last in zip(firsts, lasts, strict=True) for number in numbers[first:last].tolist()}
    near = [counts[number] for number in found if words[number] not in (meant, form)]
    return max(near, default=0)


@cache
def _words() -> tuple[list[str], list[int]]:
    counts, _ = word_counts()
    fit = ((word.replace("ё", "е"), count) for word, count in counts.items() if count >= _LEAST_COUNT)
    kept = [(word, count) for word, count in fit if 1 < len(word) <= _LONGEST]
    return [word for word, _ in kept], [count for _, count in kept]


def _shortened(word: str) -> list[int]:
    """The hashes of a word and of the word without each of its letters."""
    return [_hash(word), *(_hash(word[:at] + word[at + 1 :]) for at in range(len(word)))]


_FACTOR, _MASK = 0x9E3779B97F4A7C15, 2**64 - 1


def _hash(word: str) -> int:
    """A hash that is the same in every process: a polynomial over the code points, modulo 2**64."""
    value = 0
    for char in word:
        value = value * _FACTOR + ord(char) & _MASK
    return value


@cache
def _index() -> tuple[Keys, Ints]:
    """The hashes of all words and of these words without one letter, in order, and the number of the word of each."""
    words, _ = _words()
    lengths = np.array([len(word) for word in words])
    keys: list[Keys] = []
    numbers: list[Ints] = []
    for length in np.unique(lengths).tolist():
        mine = np.flatnonzero(lengths == length)
        joined = "".join([words[number] for number in mine.tolist()]).encode("utf-32-le")
        codes = np.frombuffer(joined, dtype="<u4").astype(np.uint64).reshape(-1, length)
        for left_out in (None, *range(length)):
            keys.append(_hashes(codes if left_out is None else np.delete(codes, left_out, axis=1)))
            numbers.append(mine)
    every = np.concatenate(keys)
    order = np.argsort(every, kind="stable")
    return every[order], np.concatenate(numbers)[order]


def _hashes(codes: Keys) -> Keys:
    """`_hash` of each row of code points, shape (words,)."""
    value = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        value = value * np.uint64(_FACTOR) + column
    return value
