"""Similarity of texts by greedy matching of static word vectors: the embedded default, no download."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import ClassVar, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints
from augment_ru.engine.similarity import Scorer, Similarity
from augment_ru.language.slovnet import embedding
from augment_ru.resources import dictionary
from augment_ru.text import characters

Vectors = npt.NDArray[np.float32]

_KEYCAP = "\ufe0f\u20e3"
_SYMBOLS = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]")
_CHARACTER_DIMENSIONS = 128
BLOCK = 512
"""Words of a reference that are matched at once."""
_REACH = 512
"""Words: how far a text of several blocks looks for a match, so that time and memory grow with its length."""


@dataclass(frozen=True, slots=True)
class Navec(Similarity):
    """BERTScore's F1 (Zhang et al. 2019) over navec's static vectors in place of BERT's.

    A word outside the vocabulary is compared by its letters and letter pairs, so that a typo stays near its
    word; an emoji by the words it stands for. Static vectors know no order, so a match counts in full only
    beside matching neighbours: each neighbour has the share `context` in it.

    Texts of over 512 words look for a match within 512 words of its place. Scores lie in [0, 1]; equal texts
    score 1. The default threshold: docs/similarity.md says how it was
    chosen.
    """

    name: ClassVar[str] = "navec"
    context: float = 0.2
    threshold: float = 0.75

    @property
    def signature(self) -> str:
        """All that defines the number."""
        return f"navec:news_v1_250K_300d|greedy-F1|context={self.context}|navec-{version('navec')}|v1"

    def __call__(self, references: Sequence[str], candidates: Sequence[str]) -> Floats:
        """Scores of candidates against the references beside them, shape (texts,)."""
        return self.against(references).score(np.arange(len(references)), candidates)

    def against(self, references: Sequence[str]) -> "NavecScorer":
        """A scorer that looks at each reference once, however many candidates come."""
        return NavecScorer(self.context, references)


class NavecScorer(Scorer):
    """Scores candidates against fixed references; the size of a block changes no score."""

    def __init__(self, context: float, texts: Sequence[str], block: int = BLOCK) -> None:
        self._context = context
        self._words = [_words_of(text) for text in texts]
        self._texts = list(texts)
        self._block = block
        self._vectors: dict[int, _Words | None] = {}

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Scores of the candidates against the references of these indices, in [0, 1]."""
        scores = np.empty(len(candidates))
        for place, (index, text) in enumerate(zip(indices.tolist(), candidates, strict=True)):
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
    """The words and emoji of a text, in lower case; keycaps count as their digits."""
    text = text.lower().replace(_KEYCAP, "")
    codes, _ = characters.encode([text])
    starts, stops = characters.words(codes, characters.classes(codes))
    found = [(start, text[start:stop]) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    if _SYMBOLS.search(text):
        found += [(match.start(), match.group()) for match in _emoji_pattern().finditer(text)]
        found.sort()
    return [word for _, word in found]


@cache
def _meanings() -> dict[str, list[str]]:
    """The lemmas that each emoji of our dictionary stands for."""
    meanings: dict[str, list[str]] = {}
    for (lemma, _), found in dictionary("emoji").items():
        for emoji in found:
            meanings.setdefault(emoji, []).append(lemma)
    return meanings


@cache
def _emoji_pattern() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(emoji) for emoji in sorted(_meanings(), key=len, reverse=True)))


class _Words(NamedTuple):
    """The vectors of a text's words: an emoji has one for each of its words, any other word has one."""

    meanings: Vectors
    """Unit vectors, zero where there is none, shape (vectors, 300)."""
    letters: Vectors
    """Unit vectors of letters and letter pairs, shape (vectors, 128)."""
    firsts: Ints
    """The first vector of each word, shape (words,)."""


def _vectors_of(words: Sequence[str]) -> _Words:
    forms = [_meanings().get(word) or (word,) for word in words]
    pairs = [_vector(form) for alternatives in forms for form in alternatives]
    counts = np.array([len(alternatives) for alternatives in forms])
    return _Words(
        np.stack([meaning for meaning, _ in pairs]),
        np.stack([letters for _, letters in pairs]),
        np.cumsum(counts) - counts,
    )


@lru_cache(maxsize=8192)
def _vector(word: str) -> tuple[Vectors, Vectors]:
    model = embedding()
    meaning = model.get(word)
    if meaning is None:
        meaning = model.get(word.replace("ё", "е"))
    letters = np.zeros(_CHARACTER_DIMENSIONS, dtype=np.float32)
    padded = f"^{word}$".encode("utf-32-le", "surrogatepass")
    for start in range(4, len(padded), 4):
        letters[crc32(padded[start - 4 : start + 4]) % _CHARACTER_DIMENSIONS] += 1
        letters[crc32(padded[start : start + 4]) % _CHARACTER_DIMENSIONS] += 1
    return _unit(np.zeros(model.pq.dim, dtype=np.float32) if meaning is None else meaning), _unit(letters)


def _unit(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def _f1(reference: Sequence[str], candidate: Sequence[str], context: float, size: int, known: "_Words | None") -> float:
    """The F1 of two lists of words, in blocks of a size; `known`: the vectors of the reference, if it is one block."""
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
    """Cosines of meaning where both words have one, else of letters; the best of several; (rows, columns)."""
    known = np.logical_and.outer(reference.meanings.any(axis=1), candidate.meanings.any(axis=1))
    cosines = np.where(known, reference.meanings @ candidate.meanings.T, reference.letters @ candidate.letters.T)
    if len(cosines) > len(reference.firsts):
        cosines = np.maximum.reduceat(cosines, reference.firsts, axis=0)
    if cosines.shape[1] > len(candidate.firsts):
        cosines = np.maximum.reduceat(cosines, candidate.firsts, axis=1)
    return cosines.astype(np.float64)


def _with_neighbours(plain: Floats, context: float, edges: tuple[bool, bool]) -> Floats:
    """Each similarity with its share of those of the words before, and of those after.

    At an edge of both texts the neighbour that neither has counts as a match; at an edge of one as none.
    `edges`: whether the block starts and stops with the reference.
    """
    padded = np.zeros((plain.shape[0] + 2, plain.shape[1] + 2))
    padded[1:-1, 1:-1] = plain
    padded[0, 0], padded[-1, -1] = edges
    mixed: Floats = (1 - 2 * context) * plain + context * (padded[:-2, :-2] + padded[2:, 2:])
    return mixed
