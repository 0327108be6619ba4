"""The rate of an attack in parts of its rows: by subpopulation, by similarity, by probability."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from augment_ru.evaluation.bins import binned
from augment_ru.evaluation.outcomes import AttackOutcomes, Flags
from augment_ru.evaluation.pairs import Pair
from augment_ru.evaluation.rates import percent, rate_of
from augment_ru.evaluation.subpopulations import Subpopulation

WIDE = 20.0
"""Percentage points: the report flags a cell whose interval is wider."""


def by_subpopulation(
    outcomes: AttackOutcomes, subpopulations: Sequence[Subpopulation]
) -> dict[str, list[dict[str, Any]]]:
    """The entries of the cells of each property."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in subpopulations:
        cell_of = np.array(one.of, np.int64)[outcomes.original]
        found[one.name] = [{"value": name} | _cell(outcomes, cell_of == at) for at, name in enumerate(one.cells)]
    return found


def by_strength(outcomes: AttackOutcomes, pairs: Sequence[Pair]) -> dict[str, list[dict[str, Any]]]:
    """The entries of the perturbed rows in quartiles of the similarity and of the probability of their perturbation."""
    perturbed = np.array([pair.status == "perturbed" for pair in pairs], np.bool_)
    columns = {
        "similarity": [pair.similarity for pair in pairs],
        "probability": [pair.probability for pair in pairs],
    }
    return {name: cells for name, values in columns.items() if (cells := _quartiles(outcomes, values, perturbed))}


def _quartiles(outcomes: AttackOutcomes, values: Sequence[float | None], perturbed: Flags) -> list[dict[str, Any]]:
    known = [value if chosen else None for value, chosen in zip(values, perturbed.tolist(), strict=True)]
    bins = binned(known)
    if bins is None:
        return []
    cell_of = np.array(bins[1], np.int64)
    entries = []
    for at, name in enumerate(bins[0]):
        inside = [value for value, cell in zip(known, bins[1], strict=True) if cell == at and value is not None]
        if inside:
            entry = _cell(outcomes, cell_of == at)
            entries.append({"value": name, "low": min(inside), "high": max(inside)} | entry)
    return entries


def _cell(outcomes: AttackOutcomes, rows: Flags) -> dict[str, Any]:
    """The report's entry for some rows of an attack, flags of shape (rows,)."""
    entry = rate_of(outcomes.right[..., rows], outcomes.broken[..., rows])
    known = int(outcomes.known[:, rows].sum()) * outcomes.before.shape[1]
    interval = entry["ci95"]
    return entry | {
        "fixed": int(outcomes.fixed[..., rows].sum()),
        "rows": int(rows.sum()),
        "accuracy_before": percent(entry["right"] / known if known else None),
        "accuracy_after": percent(float((outcomes.after[..., rows]).sum()) / known if known else None),
        "wide_interval": interval is None or interval[1] - interval[0] > WIDE,
    }
