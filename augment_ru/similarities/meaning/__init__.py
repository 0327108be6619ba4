"""The similarity `meaning`, the default: it reads the edits and estimates whether a text still means the same."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.engine.similarity import Candidates, References, Scorer, Similarity
from augment_ru.errors import AugmentError, check_known, unknown
from augment_ru.inference.pretrained import short_digest
from augment_ru.resources import dictionary_path, number_in, rows
from augment_ru.script import Script
from augment_ru.similarities.meaning.features import features_of
from augment_ru.similarities.meaning.matching import fates_of, guessed_fates
from augment_ru.similarities.meaning.senses import edits_as_said
from augment_ru.similarities.meaning.words import SENTENCE_END, Fates, Source, kept_source
from augment_ru.text.batch import Batch
from augment_ru.text.characters import decode
from augment_ru.version import version_of

THRESHOLDS = {"strict": 0.88}
"""Thresholds by name (`Meaning.argument`)."""
_CONSTANT = "constant"
_LARGEST = 1e6
"""The bound of weights, which are about 1."""


@dataclass(frozen=True, slots=True)
class Meaning(Similarity):
    """Estimates the probability, in [0, 1], that a careful reader says that a text still means the same.

    What the edits did is described by numbers, the features: how many words were lost, misspelt, moved, replaced or
    added, whether a subject became an object, and so on. The score is a logistic function of their weighted sum. A
    dictionary lists the features, explains them, and gives their weights. These were fitted to pairs of texts that two
    readers graded (docs/similarity.md). No weight is above 0, so a further loss hardly ever raises a score.

    A text is judged sentence by sentence, and its score is that of the sentence that loses most. Texts are compared as
    they are read («кошка» for 🐱). If only the two texts are given, but not the edits, the texts are aligned word by
    word, as one sentence.

    Args:
        weights: the dictionary of features and their weights: the name of a shipped dictionary, or a file that ends in
            .tsv.
        threshold: the lowest score that passes by default; docs/similarity.md says how it was chosen.

    Raises:
        AugmentError: there is no such dictionary; a feature in it is unknown, missing or given twice; a weight is not a
            finite number, or is above 0.
    """

    weights: str = "meaning"
    threshold: float = 0.73

    def __post_init__(self) -> None:
        weights_of(self.weights)  # so that a wrong file is an error before the run starts

    @property
    def signature(self) -> str:
        """States everything that a score depends on: the digest of the weights, and versions."""
        digest = weights_of(self.weights).digest
        versions = "|".join(f"{name}-{version_of(name)}" for name in ("pymorphy3", "slovnet"))
        return f"meaning:{digest}|as-read|{versions}|v4"

    @classmethod
    def argument(cls, text: str) -> Mapping[str, float]:
        """Return the value of the option `threshold` that a name stands for, such as `strict` in `meaning:strict`.

        Of a text that passes `strict`, nine readers in ten say that it means the same.

        Raises:
            AugmentError: there is no threshold of this name.
        """
        check_known("threshold of meaning", text, THRESHOLDS)
        return {"threshold": THRESHOLDS[text]}

    def grades(self, scores: Floats) -> Floats | None:
        """Return the shares of the grades 3, 2, 1 and 0 that readers give to texts with such scores, shape (4,).

        Each share is a mean over the scores. The grades were collected for the shipped weights, so the result is None
        for other weights. It is also None if there are no scores.
        """
        if self.weights != "meaning" or not scores.size:
            return None
        lows, shares = _graded()
        expected: Floats = shares[np.searchsorted(lows, scores, side="right") - 1].mean(axis=0)
        return expected

    def against(self, references: Sequence[str]) -> "MeaningScorer":
        """Return a scorer for these original texts, whose words are found only once for all perturbed texts."""
        return MeaningScorer(weights_of(self.weights).values, references)


class MeaningScorer(Scorer):
    """Scores how well perturbed texts keep the meaning of fixed original texts, as `Meaning` describes it.

    Args:
        weights: the weight of each kind of loss, such as a lost word, and the constant of the weighted sum; by name.
        references: the original texts.
    """

    screens = True

    def __init__(self, weights: Mapping[str, float], references: Sequence[str]) -> None:
        self._weights, self._references = weights, references
        self._sources: dict[int, Source] = {}
        self._scores: dict[tuple[Hashable, ...], float] = {}
        """The scores computed so far, by reference and edits; different candidates often have the same edits."""

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Return the score of each perturbed text against its original, shape (candidates,), in [0, 1].

        Args:
            indices: for each perturbed text, the index of its original among the references, shape (candidates,).
            candidates: the perturbed texts.
        """
        if not isinstance(candidates, Candidates):
            fates = map(guessed_fates, map(self._source, indices.tolist()), candidates)
            return np.array(list(map(self._of_fates, fates)), dtype=np.float64)
        scored = map(self._of_script, indices.tolist(), candidates.scripts)
        return np.fromiter(scored, dtype=np.float64, count=indices.size)

    @property
    def sentences(self) -> Ints | None:
        """The place in the joined texts of the batch (`Batch.codes`) at which each sentence of the originals starts.

        None if the original texts are not those of a batch.
        """
        return self._references.batch.once(_sentence_starts) if isinstance(self._references, References) else None

    def _of_script(self, index: int, script: Script) -> float:
        key = (index, *script.triples, *script.notes)
        score = self._scores.get(key)
        if score is None:
            parts = self._source(index).parts(edits_as_said(script))
            if len(self._scores) >= _MOST_SCORES:
                self._scores.clear()
            score = self._scores[key] = min([self._of_fates(fates_of(*part)) for part in parts], default=1.0)
        return score

    def _source(self, index: int) -> Source:
        if index not in self._sources:
            self._sources[index] = kept_source(self._references[index])
        return self._sources[index]

    def _of_fates(self, fates: Fates) -> float:
        if fates.inserted and not fates.source.forms:
            return 0.0
        features = features_of(fates)
        if not any(features.values()):
            return 1.0
        loss, weights = 0.0, self._weights
        for name in sorted(features):  # one by one, since `sum` rounds otherwise from Python 3.12 on
            loss += weights.get(name, 0.0) * features[name]
        return 1 / (1 + exp(-max(min(weights[_CONSTANT] + loss, 30.0), -30.0)))


_MOST_SCORES = 8192
"""The most scores that are kept: more than the candidates of a chunk of sentences; in a long text each takes 1 KB."""


def _sentence_starts(batch: Batch) -> Ints:
    """Return the global places where the sentences of the texts of a batch start, ascending, shape (sentences,)."""
    ends = np.array([match.end() for match in SENTENCE_END.finditer(decode(batch.codes))], dtype=np.int64)
    starts = np.sort(np.concatenate((batch.starts[:-1], ends[ends < batch.codes.size])))
    return starts[first_of_each(starts)]


@cache
def _graded() -> tuple[Floats, Floats]:
    """Return how readers graded texts with scores in several intervals, as collected for the shipped weights.

    Returns:
        The lowest score of each interval, ascending, shape (intervals,). And for each interval the shares of its texts
        with the grades 3, 2, 1 and 0, shape (intervals, 4).
    """
    found = [tuple(map(float, cells)) for cells in rows(dictionary_path("meaning_grades"), columns=6)]
    return np.array([low for low, *_ in found]), np.array([shares for _, _, *shares in found])


class Weights(NamedTuple):
    """Holds the weights that a dictionary gives to the kinds of loss that edits may cause, such as a lost word.

    Attributes:
        values: the weight of each kind by its name, and the constant of the weighted sum under the name `constant`.
        digest: the digest of the file.
    """

    values: Mapping[str, float]
    digest: str


@lru_cache(maxsize=4)
def weights_of(name: str) -> Weights:
    """Read a dictionary that gives weights to the kinds of loss that edits may cause, such as a lost word.

    A score comes from a sum: a constant, plus the weight of each loss. A weight is at most 0, since a loss cannot raise
    a score; the constant, which the dictionary lists as well, may be above 0.

    Args:
        name: the name of a shipped dictionary, or a file that ends in .tsv. It must list the same kinds of loss as the
            shipped dictionary `meaning`.

    Raises:
        AugmentError: there is no such dictionary; a kind is unknown, missing or given twice; a weight is above 0; a
            weight or the constant is no number, or beyond a million.
    """
    path = dictionary_path(name)
    found: dict[str, float] = {}
    for feature, weight, _ in rows(path, columns=3):
        where = f"{path.name}: {feature}"
        if feature in found:
            raise AugmentError(f"{where}: stands twice; leave one line")
        most = _LARGEST if feature == _CONSTANT else 0.0  # a loss cannot raise a score
        found[feature] = number_in(f"{where}: weight", weight, least=-_LARGEST, most=most)
    known = {feature for feature, *_ in rows(dictionary_path("meaning"), columns=3)}
    for feature in found:
        if feature not in known:
            raise AugmentError(f"{path.name}: {unknown('feature', feature, known)}")
    if missing := known - found.keys():
        raise AugmentError(f"{path.name}: no line for {', '.join(sorted(missing))}; give 0 to what is not to count")
    return Weights(found, short_digest(path.read_bytes()))
