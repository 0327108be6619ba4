"""Figures of a run: how many rows an attack perturbed, how similar they stayed, and at which probabilities."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from augment_ru.engine.result import STATUSES, Perturbed
from augment_ru.engine.search import DIGITS, Cost

QUANTILES = {"min": 0.0, "5%": 0.05, "25%": 0.25, "50%": 0.5, "75%": 0.75, "95%": 0.95, "max": 1.0}


@dataclass(slots=True)
class Figures:
    """Counts the rows that one attack was applied to.

    Attributes:
        statuses: the number of rows with each status: `perturbed`, `unchanged`, `rejected`.
        similarities: the number of perturbed rows with each similarity; empty if nothing was scored.
        probabilities: the number of rows whose changes were made at each probability.
        edits: the number of edits in all perturbed rows.
        words: the number of words in the originals of all perturbed rows; 0 if they were not counted.
        weak: the number of rows perturbed at less than half of the attack's probability (the share of its possible
            changes that it makes), because with more changes they were not similar enough.
        cost: how much the similarity was used for the rows; 0 if this was not counted.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    similarities: Counter[float] = field(default_factory=Counter)
    probabilities: Counter[float] = field(default_factory=Counter)
    edits: int = 0
    words: int = 0
    weak: int = 0
    cost: Cost = field(default_factory=Cost)

    @classmethod
    def of(cls, perturbed: Perturbed) -> "Figures":
        """Count the results of a chunk: the records that an attack perturbed at once."""
        outcomes = perturbed.outcomes
        changed = np.array([one.status == "perturbed" for one in outcomes], dtype=np.bool_)
        half = perturbed.settings.probability / 2
        words = perturbed.words[changed[perturbed.prepared.owners]]
        return cls(
            Counter(one.status for one in outcomes),
            Counter(one.similarity for one in outcomes if one.candidate is not None and one.similarity is not None),
            Counter(one.probability for one in outcomes if one.probability is not None),
            perturbed.edits.starts.size,
            int(words.sum()),
            sum(one.probability is not None and one.probability < half for one in outcomes),
            replace(perturbed.cost),
        )

    def count(self, status: str, probability: float | None, similarity: float | None, edits: int) -> None:
        """Count one row; its words, and whether it is weak, are not counted.

        Args:
            status: the status of the row. The other arguments are ignored unless it is `perturbed`.
            probability: the probability at which its changes were made.
            similarity: its similarity to the original; None if it was not scored.
            edits: the number of its edits.
        """
        self.statuses[status] += 1
        if status == "perturbed":
            self.edits += edits
            if probability is not None:
                self.probabilities[probability] += 1
            if similarity is not None:
                self.similarities[similarity] += 1

    def update(self, other: "Figures") -> None:
        """Add the counts of other rows to these counts."""
        self.statuses.update(other.statuses)
        self.similarities.update(other.similarities)
        self.probabilities.update(other.probabilities)
        self.edits += other.edits
        self.words += other.words
        self.weak += other.weak
        self.cost.add(other.cost)

    @property
    def is_weak(self) -> bool:
        """Whether at least a quarter of the perturbed rows were made at less than half of the attack's probability.

        The search lowers the probability for a row if, with more changes, it is not similar enough to its original.
        """
        return self.weak > 0 and 4 * self.weak >= self.statuses["perturbed"]

    @property
    def acceptance(self) -> float | None:
        """The share perturbed / (perturbed + rejected), in [0, 1]; None if nothing could be changed in any row."""
        perturbed = self.statuses["perturbed"]
        changeable = perturbed + self.statuses["rejected"]
        return perturbed / changeable if changeable else None

    def per_perturbed_row(self, total: int) -> float | None:
        """Return a total divided by the number of perturbed rows, to 4 digits; None if no row was perturbed."""
        perturbed = self.statuses["perturbed"]
        return round(total / perturbed, DIGITS) if perturbed else None

    def table(self) -> dict[str, Any]:
        """Return the counts as JSON values, rounded to 4 digits.

        Similarities and probabilities are given by mean, standard deviation and quantiles over the perturbed rows, or
        None if there are no values.
        """
        acceptance = self.acceptance
        return {
            "rows": self.statuses.total(),
            **{status: self.statuses[status] for status in STATUSES},
            "acceptance": None if acceptance is None else round(acceptance, DIGITS),
            "similarity": distribution(self.similarities.elements()),
            "probability": distribution(self.probabilities.elements()),
            "edits_per_perturbed_row": self.per_perturbed_row(self.edits),
            **({"edits_per_100_words": round(100 * self.edits / self.words, DIGITS)} if self.words else {}),
        }


def distribution(values: Iterable[float]) -> dict[str, float] | None:
    """Return the mean, the population standard deviation and quantiles, rounded to 4 digits; None without values.

    A quantile that lies between two values is interpolated linearly, as NumPy does by default.

    >>> found = distribution([0.9, 0.8])
    >>> found["mean"], found["std"], found["min"], found["25%"]
    (0.85, 0.05, 0.8, 0.825)
    """
    ordered = sorted(values)
    if not ordered:
        return None
    mean = math.fsum(ordered) / len(ordered)
    std = math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / len(ordered))
    quantiles = {name: _quantile(ordered, share) for name, share in QUANTILES.items()}
    return {name: round(value, DIGITS) for name, value in {"mean": mean, "std": std, **quantiles}.items()}


def _quantile(ordered: list[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])
