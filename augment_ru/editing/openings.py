"""The first words of sentences: whether they keep their capital if something is put in front of them."""

from functools import lru_cache

from augment_ru.editing.word_forms import WordFunction
from augment_ru.language.morphology import NAME_LABELS, is_known, morphology

LOWERED, NAME, ADJECTIVE = 1, 2, 4
"""Bits: the word gets a small letter; it is a name; it is an adjective, which may begin a name («Малая Вишера»)."""
_SURELY, _HARDLY = 0.85, 0.02
"""The share of a word's readings that are names, from which it is one, and up to which it is none.

«Петров» and «Коля» are names by 0.9, «Тише» (of a mouse) by 0.2, «Мороз» by 0.8, «Голову» by 0.015. In between nobody
knows without the sentence.
"""


@lru_cache(maxsize=100_000)
def opening(word: str) -> int:
    """What a word in lower case is that begins a sentence: a sum of bits; neither `LOWERED` nor `NAME`: not certain.

    A word that the dictionary does not have counts as a name.

    >>> opening("вчера") == LOWERED, opening("анна") == NAME, opening("мороз") & (LOWERED | NAME)
    (True, True, 0)
    """
    if not is_known(word):
        return NAME
    analyses = morphology().parse(word)
    adjective = ADJECTIVE if any(one.tag.POS == "ADJF" and "Apro" not in one.tag for one in analyses) else 0
    names = sum(float(one.score) for one in analyses if NAME_LABELS.keys() & one.tag.grammemes)
    share = names / sum(float(one.score) for one in analyses)
    return adjective + (NAME if share >= _SURELY else LOWERED if share <= _HARDLY else 0)


OPENINGS = WordFunction(opening)
