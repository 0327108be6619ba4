"""What a run did, attack by attack: acceptance, similarity, and the probability that was spent (TAPE, Table 1)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from augment_ru.engine.result import Result
from augment_ru.engine.search import DIGITS, Cost

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_SCALE = 10**DIGITS


@dataclass(slots=True)
class Summary:
    """The results of one attack. Similarities have four digits, so counting them keeps quantiles exact."""

    status: Counter[str] = field(default_factory=Counter)
    similarities: Counter[int] = field(default_factory=Counter)
    probability: float = 0.0
    edits: int = 0
    cost: Cost = field(default_factory=Cost)

    def add(self, result: Result) -> None:
        """Count a result."""
        self.status[result.status] += 1
        if result.similarity is not None:
            self.similarities[round(result.similarity * _SCALE)] += 1
        if result.probability is not None:
            self.probability += result.probability
            self.edits += sum(len(script.edits) for script in result.scripts.values())

    @property
    def accepted(self) -> float | None:
        """The share of the rows with something to change whose perturbation passed; None without such rows."""
        possible = self.status["perturbed"] + self.status["rejected"]
        return self.status["perturbed"] / possible if possible else None

    @property
    def passes(self) -> float | None:
        """Texts through a network for each perturbed row; None without a network or such rows."""
        perturbed = self.status["perturbed"]
        return self.cost.passes / perturbed if perturbed and self.cost.passes else None

    def table(self) -> dict[str, Any]:
        """The figures as JSON values; `similarity` is None where nothing was scored."""
        perturbed = self.status["perturbed"]
        return {
            "rows": self.status.total(),
            "perturbed": perturbed,
            "unchanged": self.status["unchanged"],
            "rejected": self.status["rejected"],
            "accepted": _rounded(self.accepted),
            "similarity": distribution(self.similarities),
            "probability": _rounded(self.probability / perturbed if perturbed else None),
            "edits": _rounded(self.edits / perturbed if perturbed else None),
            "calls": self.cost.calls,
            "pairs": self.cost.pairs,
            "passes": self.cost.passes,
            "passes_an_accepted_row": _rounded(self.passes),
        }


def distribution(values: Mapping[int, int]) -> dict[str, Any] | None:
    """Mean, standard deviation and quantiles of counted values, each in units of the last of four digits."""
    total = sum(values.values())
    if not total:
        return None
    mean = sum(value * count for value, count in values.items()) / total
    variance = sum((value - mean) ** 2 * count for value, count in values.items()) / total
    ordered = sorted(values.items())
    quantiles = {f"{share:.0%}": _quantile(ordered, total, share) / _SCALE for share in QUANTILES}
    return {
        "mean": _rounded(mean / _SCALE),
        "deviation": _rounded(variance**0.5 / _SCALE),
        "least": ordered[0][0] / _SCALE,
        **quantiles,
        "most": ordered[-1][0] / _SCALE,
    }


def _quantile(ordered: Sequence[tuple[int, int]], total: int, share: float) -> int:
    """The least value that at least this share of the values does not exceed."""
    wanted = share * total
    below = 0
    for value, count in ordered:
        below += count
        if below >= wanted:
            return value
    return ordered[-1][0]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


_COLUMNS = (
    "attack", "rows", "perturbed", "unchanged", "rejected", "accepted", "similarity", "± sd", "5 %", "50 %", "95 %",
    "p", "passes/row",
)  # fmt: skip


def lines(summaries: Mapping[str, Summary]) -> Iterable[str]:
    """The table for people, one attack a line."""
    rows = [_COLUMNS, *(_row(name, summary.table()) for name, summary in summaries.items())]
    if not any(summary.cost.passes for summary in summaries.values()):
        rows = [row[:-1] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *others]).rstrip()


def _row(name: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    similarity = table["similarity"] or {}

    def number(value: float | None, form: str = ".3f") -> str:
        return "–" if value is None else format(value, form)

    return (
        name,
        *(f"{table[status]:,}" for status in ("rows", "perturbed", "unchanged", "rejected")),
        number(table["accepted"], ".1%"),
        *(number(similarity.get(key)) for key in ("mean", "deviation", "5%", "50%", "95%")),
        number(table["probability"]),
        number(table["passes_an_accepted_row"], ".2f"),
    )
