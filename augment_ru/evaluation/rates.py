"""Attack success rates with their intervals, as the report states them: in percent, each beside its counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.intervals import Cells, Interval, bootstrap, percentile95, wilson
from augment_ru.evaluation.metrics import Metric
from augment_ru.evaluation.outcomes import Flags, Golds, Outcomes, scores
from augment_ru.evaluation.pairs import Pair, Pairs
from augment_ru.evaluation.protocol import Sitting
from augment_ru.evaluation.subpopulations import Subpopulation, binned

WIDE = 20.0
"""Percentage points: a cell with a wider interval is marked as small."""

DIGITS = 4
"""Of percentages in the report."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A sitting of a model, the outcomes of each attack, and the resamples of each rate."""

    sitting: Sitting
    outcomes: Mapping[str, Outcomes]
    resamples: Mapping[tuple[str, str], npt.NDArray[np.float64]]


RATES = ("asr", "asr_perturbed", "rate_all", "flip_rate")
"""Broken by right; of perturbed rows alone; broken by all rows with a right answer; changed predictions by all rows."""


def cells_of(outcomes: Outcomes, records: int) -> dict[str, Cells]:
    """Hits and trials of each rate."""
    known = np.broadcast_to(outcomes.known[:, None, :], outcomes.before.shape)
    everything = np.ones_like(known)
    return {
        "asr": outcomes.cells(outcomes.broken, outcomes.right, records),
        "asr_perturbed": outcomes.cells(outcomes.broken, outcomes.right, records, outcomes.perturbed),
        "rate_all": outcomes.cells(outcomes.broken, known, records),
        "flip_rate": outcomes.cells(outcomes.flipped, everything, records),
    }


def resampled(outcomes: Sequence[Mapping[str, Outcomes]], records: int, seed: int) -> list[dict[tuple[str, str], Any]]:
    """The bootstrapped rates of all sittings, by attack and rate: of the same resamples, so that they can be paired."""
    cells = [
        (number, (attack, rate), found)
        for number, sitting in enumerate(outcomes)
        for attack, one in sitting.items()
        for rate, found in cells_of(one, records).items()
    ]
    drawn = bootstrap([found for _, _, found in cells], seed)
    tables: list[dict[tuple[str, str], Any]] = [{} for _ in outcomes]
    for (number, name, _), values in zip(cells, drawn, strict=True):
        tables[number][name] = values
    return tables


def percent(value: float | None) -> float | None:
    """A share in percent, rounded; None stays."""
    return None if value is None else round(100 * value, DIGITS)


def percents(interval: Interval | None) -> list[float] | None:
    """An interval in percent; None stays."""
    return None if interval is None else [round(100 * end, DIGITS) for end in interval]


def attack_entry(
    judged: Judged,
    attack: str,
    pairs: Pairs,
    golds: Golds,
    metrics: Mapping[str, Metric],
) -> dict[str, Any]:
    """What the report says of an attack on a model; see docs/evaluation.md."""
    outcomes, sitting = judged.outcomes[attack], judged.sitting
    cells = cells_of(outcomes, len(pairs.originals))
    entry = _rate("asr", cells, judged, attack)
    entry |= {
        "right": int(outcomes.right.sum()),
        "broken": int(outcomes.broken.sum()),
        "fixed": int(outcomes.fixed.sum()),
        "unchanged": outcomes.status["unchanged"],
        "rejected": outcomes.status["rejected"],
        "rows": int(outcomes.original.size),
        "decisions": int(outcomes.known.sum()) * sitting.episodes,
        "asr_perturbed": _rate("asr_perturbed", cells, judged, attack)
        | {"right": int((outcomes.right & outcomes.perturbed).sum())},
        "rate_all": _rate("rate_all", cells, judged, attack),
        "flips": int(outcomes.flipped.sum()),
        "flip_rate": _rate("flip_rate", cells, judged, attack),
        "metrics": _metrics(sitting, attack, outcomes, golds, metrics),
    }
    if len(pairs.task.gold) > 1:
        entry["labels"] = {name: _label(outcomes, which) for which, name in enumerate(pairs.task.gold)}
    return entry


def _rate(rate: str, cells: Mapping[str, Cells], judged: Judged, attack: str) -> dict[str, Any]:
    """A rate with its interval: Wilson's if every decision is of another record, else of the bootstrap.

    Where all resamples say the same (nothing broken, or everything), Wilson's of as many decisions as there are records
    in an episode.
    """
    found = cells[rate]
    single = found.trials.shape[:2] == (1, 1) and found.trials.max(initial=0) <= 1
    interval = None if single else percentile95(judged.resamples[attack, rate])
    if single or (interval is not None and interval[0] == interval[1]):
        single = True
        records = float((found.trials > 0).sum()) / found.trials.shape[0] / found.trials.shape[1]
        interval = wilson(records * (found.rate() or 0.0), records)
    name = rate if rate == "asr" else "value"
    entry: dict[str, Any] = {
        name: percent(found.rate()),
        "ci95": percents(interval),
        "interval": "wilson" if single else "bootstrap",
    }
    episodes = [percent(value) for value in found.rates()]
    if len(episodes) > 1:
        entry |= {"std": spread(episodes), "episodes": episodes}
    return entry


def spread(values: Sequence[float | None]) -> float | None:
    """The standard deviation over episodes (with n − 1); None of fewer than two."""
    there = [value for value in values if value is not None]
    return round(stdev(there), DIGITS) if len(there) > 1 else None


def mean_and_spread(values: Sequence[float]) -> dict[str, Any]:
    """The mean over episodes, with the standard deviation where there are several."""
    mean = {"value": round(sum(values) / len(values), DIGITS)}
    return mean if len(values) == 1 else {**mean, "std": spread(values)}


def _metrics(
    sitting: Sitting,
    attack: str,
    outcomes: Outcomes,
    golds: Golds,
    metrics: Mapping[str, Metric],
) -> dict[str, Any]:
    wanted = [golds[at] for at in outcomes.original]
    first = [[episode[at] for at in outcomes.original] for episode in sitting.originals]
    before, after = scores(metrics, wanted, first), scores(metrics, wanted, sitting.attacks[attack])
    found: dict[str, Any] = {}
    for name in before:
        was, now = mean_and_spread(before[name]), mean_and_spread(after[name])
        found[name] = {"before": was["value"], "after": now["value"]}
        if "std" in was:
            found[name] |= {"before_std": was["std"], "after_std": now["std"]}
    return found


def _label(outcomes: Outcomes, which: int) -> dict[str, Any]:
    """The counts of one of several labels, with Wilson's interval where there is one episode."""
    right, broken, fixed = (flags[which] for flags in (outcomes.right, outcomes.broken, outcomes.fixed))
    return _cell(right, broken) | {"fixed": int(fixed.sum())}


def _cell(right: Flags, broken: Flags) -> dict[str, Any]:
    """A rate of some decisions of shape (…, episodes, rows); its interval is of as many rows as an episode has."""
    episodes = right.shape[-2]
    all_right, all_broken = float(right.sum()), float(broken.sum())
    return {
        "asr": percent(all_broken / all_right if all_right else None),
        "ci95": percents(wilson(all_broken / episodes, all_right / episodes)),
        "right": int(all_right),
        "broken": int(all_broken),
    }


def cell_entry(outcomes: Outcomes, rows: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """What the report says of some rows of an attack: a subpopulation, or a range of similarity."""
    entry = _cell(outcomes.right[..., rows], outcomes.broken[..., rows])
    known = int(outcomes.known[:, rows].sum()) * outcomes.before.shape[1]
    interval = entry["ci95"]
    return entry | {
        "fixed": int(outcomes.fixed[..., rows].sum()),
        "rows": int(rows.sum()),
        "right_before": percent(entry["right"] / known if known else None),
        "right_after": percent(float((outcomes.after[..., rows]).sum()) / known if known else None),
        "small": interval is None or interval[1] - interval[0] > WIDE,
    }


def by_subpopulation(outcomes: Outcomes, cuts: Sequence[Subpopulation]) -> dict[str, list[dict[str, Any]]]:
    """The cells of each property, with what the attack did in them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for cut in cuts:
        of = np.array(cut.of, np.int64)[outcomes.original]
        found[cut.name] = [{"value": name} | cell_entry(outcomes, of == at) for at, name in enumerate(cut.cells)]
    return found


def by_strength(outcomes: Outcomes, pairs: Sequence[Pair]) -> dict[str, list[dict[str, Any]]]:
    """The perturbed rows by the similarity and by the probability of their perturbation, in quartiles."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name in ("similarity", "probability"):
        values = [getattr(pair, name) if pair.status == "perturbed" else None for pair in pairs]
        cut = binned(values)
        if cut is None:
            continue
        cells, of = cut[0], np.array(cut[1], np.int64)
        there = np.array([value is not None for value in values], np.bool_)
        found[name] = []
        for at, cell in enumerate(cells):
            rows = (of == at) & there
            if rows.any():
                chosen = [value for value, one in zip(values, rows.tolist(), strict=True) if one and value is not None]
                place = {"value": cell, "low": min(chosen), "high": max(chosen)}
                found[name].append(place | cell_entry(outcomes, rows))
    return found
