"""The similarity `navec`: greedy matching of static word vectors; it needs no download."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints
from augment_ru.engine.similarity import Scorer, Similarity, as_read
from augment_ru.language.slovnet import embedding, word_vector
from augment_ru.text.words import word_ranges
from augment_ru.version import version_of

Vectors = npt.NDArray[np.float64]

_CHARACTER_DIMENSIONS = 128
_DIGITS = 9
BLOCK = 512
"""How many words of a reference are matched in one block."""
_REACH = 512
"""In a long text, a word is matched only with words up to this many words away from its own position. So time and
memory grow with the length of a text instead of its square."""


@dataclass(frozen=True, slots=True)
class Navec(Similarity):
    """Computes BERTScore's F1 (Zhang et al. 2019) with navec's static word vectors instead of BERT's contextual ones.

    A word without a vector is compared by its letters and pairs of letters, so that a typo stays similar to its word.
    Texts are compared as they are read («кошка» for 🐱). Static vectors ignore the order of words, so two similar words
    count in full only if their neighbours are similar, too. In texts of more than 512 words, a word is compared only
    with words that are at most 512 words away from its position. Scores lie in [0, 1]; equal texts score 1.

    Args:
        context: if two words are compared, the weight of the similarity of the words before them, in [0, 0.5]; the
            words after them have the same weight.
        threshold: the lowest score that passes by default; docs/similarity.md says how it was chosen.
    """

    name: ClassVar[str] = "navec"
    context: float = 0.2
    threshold: float = 0.75

    @property
    def signature(self) -> str:
        """States everything that a score depends on: the vectors, `context`, versions."""
        return f"navec:news_v1_250K_300d|greedy-F1|context={self.context}|as-read|navec-{version_of('navec')}|v2"

    def against(self, references: Sequence[str]) -> "NavecScorer":
        """Return a scorer for these original texts, whose words are found only once for all perturbed texts."""
        return NavecScorer(self.context, references)


class NavecScorer(Scorer):
    """Scores how alike perturbed texts and fixed original texts are, as `Navec` describes it.

    The word vectors of the original texts are kept, since many perturbed texts are compared with each of them.

    Args:
        context: if two words are compared, the weight of the similarity of the words before them, in [0, 0.5]; the
            words after them have the same weight.
        texts: the original texts.
        block: how many words of an original are compared at once. If an original has more words, each of them is
            compared only with words of the new text near the same position.
    """

    def __init__(self, context: float, texts: Sequence[str], block: int = BLOCK) -> None:
        self._context = context
        self._words = [_words_of(text) for text in texts]
        self._texts = list(texts)
        self._block = block
        self._vectors: dict[int, _Words | None] = {}

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Return the score of each perturbed text against its original, shape (candidates,), in [0, 1].

        Args:
            indices: for each perturbed text, the index of its original among the references, shape (candidates,).
            candidates: the perturbed texts.
        """
        scores = np.empty(len(candidates))
        for place, (index, text) in enumerate(zip(indices.tolist(), as_read(candidates), strict=True)):
            words = _words_of(text)
            if text == self._texts[index] or words == self._words[index]:
                scores[place] = 1.0 if text == self._texts[index] or words else 0.0
            elif not words or not self._words[index]:
                scores[place] = 0.0
            else:
                if index not in self._vectors:
                    short = len(self._words[index]) <= self._block
                    self._vectors[index] = _vectors_of(self._words[index]) if short else None
                scores[place] = _f1(self._words[index], words, self._context, self._block, self._vectors[index])
        return scores


def _words_of(text: str) -> list[str]:
    """Return the words of a text in order, in lower case."""
    text = text.lower()
    return [text[start:stop] for start, stop in word_ranges(text)]


class _Words(NamedTuple):
    """The vectors of a text's words.

    Attributes:
        meanings: word vectors of length 1, or zeros for a word without a vector, shape (words, 300).
        letters: hashed counts of letters and pairs of letters, scaled to length 1, shape (words, 128).
    """

    meanings: Vectors
    letters: Vectors


def _vectors_of(words: Sequence[str]) -> _Words:
    pairs = [_vector(word) for word in words]
    return _Words(np.stack([meaning for meaning, _ in pairs]), np.stack([letters for _, letters in pairs]))


@lru_cache(maxsize=8192)
def _vector(word: str) -> tuple[Vectors, Vectors]:
    meaning = word_vector(word)
    letters = np.zeros(_CHARACTER_DIMENSIONS)
    padded = f"^{word}$".encode("utf-32-le", "surrogatepass")
    for start in range(4, len(padded), 4):
        letters[crc32(padded[start - 4 : start + 4]) % _CHARACTER_DIMENSIONS] += 1
        letters[crc32(padded[start : start + 4]) % _CHARACTER_DIMENSIONS] += 1
    letters /= math.sqrt(float(letters @ letters))
    return np.zeros(embedding().pq.dim) if meaning is None else meaning, letters


def _f1(reference: Sequence[str], candidate: Sequence[str], context: float, size: int, known: "_Words | None") -> float:
    """Compute the F1 of two lists of words, block by block.

    Args:
        reference: the words of the reference.
        candidate: the words of the candidate.
        context: as in `Navec`.
        size: how many words of the reference are one block.
        known: the vectors of the reference if it fits into one block; otherwise None.
    """
    rows, columns = len(reference), len(candidate)
    best_of_rows, best_of_columns = np.empty(rows), np.full(columns, -1.0)
    for first in range(0, rows, size):
        last = min(first + size, rows)
        above, below = max(first - 1, 0), min(last + 1, rows)
        left, right = 0, columns
        if max(rows, columns) > size:
            left = max(first * columns // rows - _REACH, 0)
            right = min(-(-last * columns // rows) + _REACH, columns)
        block = known or _vectors_of(reference[above:below])
        plain = _similarities(block, _vectors_of(candidate[left:right]))
        edges = above == left == 0, below == rows and right == columns
        mixed = _with_neighbours(plain, context, edges)[first - above : last - above]
        best_of_rows[first:last] = mixed.max(axis=1)
        np.maximum(best_of_columns[left:right], mixed.max(axis=0), out=best_of_columns[left:right])
    recall, precision = float(best_of_rows.mean()), float(best_of_columns.mean())
    total = precision + recall
    return min(max(2 * precision * recall / total, 0.0), 1.0) if total > 0 else 0.0


def _similarities(reference: _Words, candidate: _Words) -> Floats:
    """Compute the similarity of each word pair of two texts, shape (words of reference, words of candidate).

    It is the cosine of the word vectors if both words have one, otherwise the cosine of the letter counts. Products are
    computed in float64 and rounded, so that they are the same on every processor.
    """
    known = np.logical_and.outer(reference.meanings.any(axis=1), candidate.meanings.any(axis=1))
    cosines = np.where(known, reference.meanings @ candidate.meanings.T, reference.letters @ candidate.letters.T)
    return np.asarray(np.round(cosines, _DIGITS), dtype=np.float64)


def _with_neighbours(plain: Floats, context: float, edges: tuple[bool, bool]) -> Floats:
    """Mix the similarity of each word pair with those of its neighbours: the pair of words before, and that after.

    If both words are the first of their texts, the missing words before them count as a match; likewise after the last
    words. If only one of the two words has no neighbour, there is no match.

    Args:
        plain: similarities of word pairs, shape (rows, columns).
        context: the share of the words before, and of the words after, in the result.
        edges: whether the first row and column are the starts of both texts, and whether the last ones are their ends.

    Returns:
        The mixed similarities, in the shape of `plain`.
    """
    padded = np.zeros((plain.shape[0] + 2, plain.shape[1] + 2))
    padded[1:-1, 1:-1] = plain
    padded[0, 0], padded[-1, -1] = edges
    return (1 - 2 * context) * plain + context * (padded[:-2, :-2] + padded[2:, 2:])
