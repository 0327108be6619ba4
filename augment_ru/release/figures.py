"""How an attack fared: what was accepted, and how alike the accepted rows are (the figures of TAPE's Table 1)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_DIGITS = 4
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(slots=True)
class Tally:
    """Counts of rows under one attack."""

    rows: int = 0
    status: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("perturbed", "unchanged", "rejected"), 0))
    similarities: list[float] = field(default_factory=list)
    probabilities: list[float] = field(default_factory=list)
    edits: int = 0

    def add(self, evidence: Mapping[str, Any]) -> None:
        """Count a row by its evidence."""
        self.rows += 1
        self.status[evidence["status"]] += 1
        if evidence["status"] == "perturbed":
            self.edits += sum(map(len, evidence["edits"].values()))
            self.probabilities.append(evidence["probability"])
            if evidence["similarity"] is not None:
                self.similarities.append(evidence["similarity"])

    def figures(self) -> dict[str, Any]:
        """The figures of the manifest.

        `accepted`: the share of the rows that were perturbed; `similarity`, `spent` (probability): of
        those rows; `edits`: their mean number. Means and deviations (of the rows themselves, not an estimate) have
        four digits.
        """
        perturbed = self.status["perturbed"]
        return {
            "rows": self.rows,
            **self.status,
            "accepted": round(perturbed / self.rows, _DIGITS) if self.rows else None,
            "similarity": summary(self.similarities),
            "spent": summary(self.probabilities),
            "edits": round(self.edits / perturbed, _DIGITS) if perturbed else None,
        }


def summary(values: Iterable[float]) -> dict[str, Any] | None:
    """Mean, standard deviation and quantiles; None of nothing.

    A quantile is the value at its place in the sorted list, between two values their weighted mean.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    mean = math.fsum(ordered) / len(ordered)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / len(ordered))
    return {
        "mean": round(mean, _DIGITS),
        "std": round(deviation, _DIGITS),
        "quantiles": {f"{share:g}": round(_quantile(ordered, share), _DIGITS) for share in QUANTILES},
    }


def _quantile(ordered: list[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def merged(tallies: Iterable[Tally]) -> Tally:
    """One tally of all rows."""
    total = Tally()
    for tally in tallies:
        total.rows += tally.rows
        total.edits += tally.edits
        total.similarities += tally.similarities
        total.probabilities += tally.probabilities
        for status, count in tally.status.items():
            total.status[status] += count
    return total
