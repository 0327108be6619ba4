"""The topic of a text as a vector: texts are near in topic if the cosine of their vectors is large."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from augment_ru.language.frequency import word_counts
from augment_ru.language.morphology import morphology
from augment_ru.language.slovnet import embedding, word_vector
from augment_ru.text.words import LETTERS, RUSSIAN

Vectors: TypeAlias = npt.NDArray[np.float64]
"""The vector of a text, shape (dimensions,), or of several, shape (texts, dimensions)."""

_STEPS = 2**20
"""Numbers are rounded to this part of 1: then products of two vectors are exact in float64, in any order of adding."""

_LEAST_LETTERS = 3
_RARE = 1e-5
"""The frequency at which a word has half the greatest weight; chosen by eye on short sentences."""


def topics(texts: Sequence[str]) -> Vectors:
    """A unit vector for each text, zero where no word is known; shape (texts, dimensions)."""
    width: int = embedding().pq.dim
    return np.stack([topic(text) for text in texts]) if texts else np.zeros((0, width))


@lru_cache(maxsize=4096)
def topic(text: str) -> Vectors:
    """The weighted mean of the vectors of the nouns, of length 1; of all words if no noun has a vector.

    A word of frequency p has the weight a / (a + p): Arora, Liang and Ma 2017, "A simple but tough-to-beat
    baseline for sentence embeddings".
    """
    long = [word for word in LETTERS.findall(text.lower()) if len(word) >= _LEAST_LETTERS]
    known = [(word, vector) for word in long if (vector := word_vector(word)) is not None]
    known = [(word, vector) for word, vector in known if _is_noun(word)] or known
    if not known:
        return np.zeros(embedding().pq.dim)
    counts, total = word_counts()
    mean = np.sum([vector * (_RARE / (_RARE + counts.get(word, 0) / total)) for word, vector in known], axis=0)
    length = float(np.linalg.norm(mean))
    found: Vectors = np.round(mean * (_STEPS / length)) / _STEPS if length else mean
    return found


@lru_cache(maxsize=50_000)
def _is_noun(word: str) -> bool:
    return RUSSIAN.fullmatch(word) is not None and morphology().parse(word)[0].tag.POS == "NOUN"
