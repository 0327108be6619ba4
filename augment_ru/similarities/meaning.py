"""The similarity `meaning`, the default: it reads the edits and estimates whether a text still means the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from math import exp
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.edits import Edit
from augment_ru.engine.similarity import Candidates, Scorer, Similarity
from augment_ru.errors import AugmentError
from augment_ru.inference.pretrained import short_digest
from augment_ru.resources import dictionary_path, rows
from augment_ru.similarities._meaning_features import features_of
from augment_ru.similarities._meaning_matching import fates_of, word_edits
from augment_ru.similarities._meaning_words import Source

_CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Meaning(Similarity):
    """An estimate, in [0, 1], that a careful reader says that a text still means the same.

    A logistic function of a sum of features of the edits: what was lost, misspelt, moved, replaced or added, in which
    word, with which role. A dictionary names and explains the features and holds their weights, none of which is
    above 0: a further loss never raises a score. The weights were fitted to pairs of texts that two readers graded
    (docs/similarity.md).

    Texts are compared as they are read. Two texts without a script are aligned word by word first.

    Args:
        weights: the dictionary of features and weights: the name of a shipped one, or a file that ends in .tsv.
        threshold: the lowest score that passes by default; docs/similarity.md says how it was chosen.

    Raises:
        AugmentError: there is no such dictionary, or a weight in it is no number or above 0.
    """

    name: ClassVar[str] = "meaning"
    weights: str = "meaning"
    threshold: float = 0.73

    def __post_init__(self) -> None:
        weights_of(self.weights)  # so that a wrong file is an error before the run starts

    @property
    def signature(self) -> str:
        """All that defines a score."""
        digest = short_digest(dictionary_path(self.weights).read_bytes())
        return f"meaning:{digest}|as-read|navec-{version('navec')}|pymorphy3-{version('pymorphy3')}|v1"

    def __call__(self, references: Sequence[str], candidates: Sequence[str]) -> Floats:
        """The score of each pair of a reference and a candidate, shape (pairs,)."""
        return self.against(references).score(np.arange(len(references)), candidates)

    def grades(self, scores: Floats) -> Floats | None:
        """The shares of readers' grades that texts with these scores had; None for weights of one's own, shape (4,)."""
        if self.weights != "meaning" or not scores.size:
            return None
        lows, shares = _graded()
        expected: Floats = shares[np.searchsorted(lows, scores, side="right") - 1].mean(axis=0)
        return expected

    def against(self, references: Sequence[str]) -> "MeaningScorer":
        """A scorer that finds the words of each reference once, for all its candidates."""
        return MeaningScorer(weights_of(self.weights), references)


class MeaningScorer(Scorer):
    """Scores candidates against fixed references.

    Args:
        weights: the weight of each feature, and the constant.
        references: the original texts.
    """

    screens = True

    def __init__(self, weights: Mapping[str, float], references: Sequence[str]) -> None:
        self._weights, self._references = weights, references
        self._sources: dict[int, Source] = {}

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Scores of the candidates against the references of these indices, shape (candidates,), in [0, 1]."""
        scripts = candidates.scripts if isinstance(candidates, Candidates) else None
        scores = np.empty(len(candidates))
        for place, index in enumerate(indices.tolist()):
            source = self._sources.get(index)
            if source is None:
                source = self._sources[index] = Source(self._references[index])
            edits = word_edits(source, candidates[place]) if scripts is None else scripts[place].edits
            scores[place] = self._score(source, edits)
        return scores

    def _score(self, source: Source, edits: Sequence[Edit]) -> float:
        features = features_of(fates_of(source, edits))
        if not features:
            return 1.0
        total = self._weights[_CONSTANT] + sum(
            self._weights.get(name, 0.0) * features[name] for name in sorted(features)
        )
        return 1 / (1 + exp(-max(min(total, 30.0), -30.0)))


@cache
def _graded() -> tuple[Floats, Floats]:
    """The lowest score of each band, shape (bands,), and the shares of the grades 3, 2, 1, 0 in it, (bands, 4)."""
    found = [tuple(map(float, cells)) for cells in rows(dictionary_path("meaning_grades"), columns=6)]
    return np.array([low for low, *_ in found]), np.array([shares for _, _, *shares in found])


@lru_cache(maxsize=4)
def weights_of(name: str) -> Mapping[str, float]:
    """The weight of each feature of a dictionary, and of `constant`.

    Raises:
        AugmentError: there is no such dictionary, no constant, or a weight is no number or above 0.
    """
    found: dict[str, float] = {}
    for feature, weight, _ in rows(dictionary_path(name), columns=3):
        try:
            found[feature] = float(weight)
        except ValueError as error:
            raise AugmentError(f"{name}: {feature}: '{weight}' is no number; give a weight of 0 or less") from error
        if found[feature] > 0 and feature != _CONSTANT:
            raise AugmentError(f"{name}: {feature}: weight {weight}; a loss cannot raise a score: give 0 or less")
    if _CONSTANT not in found:
        raise AugmentError(f"{name}: no line '{_CONSTANT}'; give the score of a text that lost nothing")
    return found
