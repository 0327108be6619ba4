"""How likely each vowel of a Russian word is unstressed: «вада» is an error that people make, «вадА» is not.

pymorphy3's dictionary has no stress. So it is estimated from the number of syllables and from endings that fix it.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.characters import Mask

_MOST = 8
"""Syllables of a word: where it has more, those before the last eight are unstressed."""


@cache
def _tables() -> tuple[dict[str, int], Floats]:
    """The number of each ending, and the share of words in which each syllable is stressed.

    Returns:
        Endings, numbered from 1; shares of shape (endings + 1, syllables + 1, syllables + 1): by the ending (0: none),
        the number of syllables, and the syllable from the end.
    """
    lines = list(rows(dictionary_path("stress"), columns=3))
    plain = np.zeros((_MOST + 1, _MOST + 1))
    endings: dict[str, tuple[int, float]] = {}
    for ending, *cells in lines:
        syllable, share = int(cells[0]), float(cells[1])
        if not (1 <= syllable <= _MOST and 0 < share <= 1):
            raise AugmentError(f"stress: {ending} {syllable} {share}; needs a syllable from 1 to {_MOST} and a share")
        if ending.isdigit():
            plain[int(ending), syllable] = share
        else:
            endings[ending] = syllable, share
    plain[1:] /= plain[1:].sum(axis=1, keepdims=True)
    shares = np.repeat(plain[None], len(endings) + 1, axis=0)
    for number, (syllable, share) in enumerate(endings.values(), start=1):
        for count in range(syllable, _MOST + 1):
            rest = plain[count].copy()
            rest[syllable] = 0.0
            shares[number, count] = rest / rest.sum() * (1.0 - share) if rest.any() else 0.0
            shares[number, count, syllable] = share
    return {ending: number for number, ending in enumerate(endings, start=1)}, shares


def unstressed(words: Sequence[str], owners: Ints, vowels: Mask, yo: Mask) -> Floats:
    """How likely each letter of some words is an unstressed vowel, shape (letters,); 1 for consonants.

    A word of one syllable is stressed; ё always is.

    Args:
        words: the words in lower case.
        owners: the number of the word of each letter; -1 between words.
        vowels: whether each letter is a vowel.
        yo: whether each letter is ё.
    """
    endings, shares = _tables()
    longest = max(map(len, endings))
    numbers = np.array(
        [
            next((endings[word[-length:]] for length in range(longest, 0, -1) if word[-length:] in endings), 0)
            for word in words
        ],
        dtype=np.int64,
    )
    places = np.flatnonzero(vowels)
    mine = owners[places]
    counts = np.bincount(mine, minlength=len(words))
    behind = np.minimum(np.cumsum(counts)[mine] - np.arange(places.size), _MOST)  # 1 for the last syllable of a word
    found = np.ones(owners.size)
    found[places] = 1.0 - shares[numbers[mine], np.minimum(counts, _MOST)[mine], behind]
    marked = np.bincount(mine, yo[places], minlength=len(words)) > 0
    found[places[marked[mine]]] = 1.0
    found[places[(counts[mine] == 1) | yo[places]]] = 0.0
    return found
