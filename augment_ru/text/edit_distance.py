"""By how many letters two words differ."""

from functools import lru_cache

_LONGEST = 40
"""Letters of words that are compared letter by letter."""


@lru_cache(maxsize=100_000)
def edit_distance(one: str, other: str) -> int:
    """How many letters have to be replaced, added or taken away between two words (Levenshtein 1966).

    Of words of more than 40 letters, the length of the longer one.
    """
    if len(one) == len(other):
        differing = sum(left != right for left, right in zip(one, other, strict=True))
        if differing <= 1:
            return differing
    if max(len(one), len(other)) > _LONGEST:
        return max(len(one), len(other))
    row = list(range(len(other) + 1))
    for at, left in enumerate(one, start=1):
        before, row[0] = row[0], at
        for place, right in enumerate(other, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (left != right))
    return row[-1]
