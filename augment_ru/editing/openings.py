"""The first words of sentences: whether such a word keeps its capital if another word is put before it."""

from functools import lru_cache

from augment_ru.language.morphology import is_known, readings

_SURELY = 0.85
"""The least share of a word's readings that are names, for a name: it is .9 for «Петров» and «Коля», .8 for «Мороз»."""


@lru_cache(maxsize=100_000)
def opens_as_name(word: str) -> bool:
    """Tell whether the first word of a sentence is certainly a name, or is not in the dictionary.

    >>> opens_as_name("вчера"), opens_as_name("анна"), opens_as_name("мороз")
    (False, True, False)

    Args:
        word: the word in lower case.
    """
    found = readings(word)
    names = sum(one.score for one in found if one.name)
    return not is_known(word) or names >= _SURELY * sum(one.score for one in found)
