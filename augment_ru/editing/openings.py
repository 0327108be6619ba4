"""The first words of sentences: whether such a word keeps its capital if another word is put before it."""

from functools import lru_cache

from augment_ru.language.morphology import is_known, readings

LOWERED, NAME, ADJECTIVE = 1, 2, 4
"""Bits: the word loses its capital when it is no longer first; it is a name, which keeps it; it is an adjective, which
may begin a name («Малая Вишера»).
"""
_SURELY, _HARDLY = 0.85, 0.02
"""Bounds for the share of a word's readings that are names: at 0.85 or more it is a name, at 0.02 or less it is not.

The share is about 0.9 for «Петров» and «Коля», 0.8 for «Мороз», 0.2 for «Тише» (of a mouse), 0.015 for «Голову».
Between the bounds only the sentence can tell.
"""


@lru_cache(maxsize=100_000)
def opening(word: str) -> int:
    """Tell whether the first word of a sentence would lose its capital at another place; return a sum of bits.

    `LOWERED`: the word is certainly no name, so it would lose its capital. `NAME`: it is certainly a name, or is not in
    the dictionary. If neither bit is set, it is uncertain whether the word is a name. `ADJECTIVE` is added if the word
    may be an adjective.

    >>> opening("вчера") == LOWERED, opening("анна") == NAME, opening("мороз") & (LOWERED | NAME)
    (True, True, 0)

    Args:
        word: the word in lower case.
    """
    if not is_known(word):
        return NAME
    found = readings(word)
    adjective = ADJECTIVE if any(one.pos == "ADJF" and "Apro" not in one.grammemes for one in found) else 0
    share = sum(one.score for one in found if one.name) / sum(one.score for one in found)
    return adjective + (NAME if share >= _SURELY else LOWERED if share <= _HARDLY else 0)
