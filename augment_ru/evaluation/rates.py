"""Attack success rates with their intervals, as the report states them: in percent, each beside its counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.intervals import Cells, Interval, bootstrap, percentile95, wilson
from augment_ru.evaluation.metrics import Kind, Metric
from augment_ru.evaluation.outcomes import AttackOutcomes, Flags, Golds, Score, groups_of, outcomes_of, scores
from augment_ru.evaluation.pairs import WORST_ROWS, Pairs
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.robustness import robustness_cells
from augment_ru.records.task import Task

_OF_VALID = "valid:"
"""What the names of rates over valid rows start with."""

DIGITS = 4
"""Digits after the point of a percentage in the report."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A model run, judged.

    Attributes:
        run: the answers.
        outcomes: by attack.
        together: the hits and trials of the rates over all attacks.
        resamples: the bootstrapped rates, by (attack, name of the rate); those over all attacks have the attack "".
    """

    run: ModelRun
    outcomes: Mapping[str, AttackOutcomes]
    together: Mapping[str, Cells]
    resamples: Mapping[tuple[str, str], npt.NDArray[np.float64]]


def judged_runs(runs: Sequence[ModelRun], pairs: Pairs, golds: Golds, kind: Kind, seed: int) -> list[JudgedRun]:
    """Every model run with its outcomes, and its rates in the same resamples, so that runs can be compared in pairs."""
    outcomes = [{attack: outcomes_of(run, pairs, attack, golds, kind) for attack in pairs.attacks} for run in runs]
    together = [robustness_cells(run, own, pairs, kind) for run, own in zip(runs, outcomes, strict=True)]
    named = [
        (number, (attack, rate), cells)
        for number, of_attacks in enumerate(outcomes)
        for attack, of_attack in of_attacks.items()
        for rate, cells in cells_of(of_attack, len(pairs.originals)).items()
    ]
    named += [(number, ("", rate), cells) for number, own in enumerate(together) for rate, cells in own.items()]
    drawn = bootstrap([cells for _, _, cells in named], seed)
    resamples: list[dict[tuple[str, str], npt.NDArray[np.float64]]] = [{} for _ in runs]
    for (number, name, _), values in zip(named, drawn, strict=True):
        resamples[number][name] = values
    return [JudgedRun(*parts) for parts in zip(runs, outcomes, together, resamples, strict=True)]


def cells_of(outcomes: AttackOutcomes, records: int) -> dict[str, Cells]:
    """The hits and trials of each rate, also over the rows that people found valid, if they judged any."""
    found = _cells(outcomes, records, None)
    if outcomes.judged.any():
        valid = _cells(outcomes, records, outcomes.valid)
        found |= {f"{_OF_VALID}{name}": valid[name] for name in valid if name != "asr_perturbed_rows"}
    return found


def _cells(outcomes: AttackOutcomes, records: int, rows: Flags | None) -> dict[str, Cells]:
    known = np.broadcast_to(outcomes.known[:, None, :], outcomes.before.shape)
    everything = np.ones_like(known)
    return {
        "asr": outcomes.cells(outcomes.broken, outcomes.right, records, rows),
        "asr_perturbed_rows": outcomes.cells(outcomes.broken, outcomes.right, records, outcomes.perturbed),
        "asr_all_rows": outcomes.cells(outcomes.broken, known, records, rows),
        "flip_rate": outcomes.cells(outcomes.flipped, everything, records, rows),
        "kept_accuracy": outcomes.cells(outcomes.after & known, outcomes.right, records, rows),
    }


def percent(value: float | None) -> float | None:
    """A share in percent, rounded; None stays None."""
    return None if value is None else round(100 * value, DIGITS)


def percents(interval: Interval | None) -> list[float] | None:
    """An interval in percent, rounded; None stays None."""
    return None if interval is None else [round(100 * end, DIGITS) for end in interval]


def attack_entry(
    judged: JudgedRun,
    attack: str,
    pairs: Pairs,
    golds: Golds,
    metrics: Mapping[str, Metric],
) -> dict[str, Any]:
    """The report's entry for an attack on a model, without its breakdowns; the keys are those of docs/evaluation.md."""
    outcomes, run = judged.outcomes[attack], judged.run
    cells = cells_of(outcomes, len(pairs.originals))
    entry = rate_entry("asr", cells, judged, attack)
    entry |= {
        "right": int(outcomes.right.sum()),
        "broken": int(outcomes.broken.sum()),
        "fixed": int(outcomes.fixed.sum()),
        "unchanged": outcomes.status["unchanged"],
        "rejected": outcomes.status["rejected"],
        "rows": int(outcomes.original.size),
        "decisions": int(outcomes.known.sum()) * run.episodes,
        "asr_perturbed_rows": rate_entry("asr_perturbed_rows", cells, judged, attack)
        | {"right": int((outcomes.right & outcomes.perturbed).sum())},
        "asr_all_rows": rate_entry("asr_all_rows", cells, judged, attack),
        "flips": int(outcomes.flipped.sum()),
        "flip_rate": rate_entry("flip_rate", cells, judged, attack),
        "performance_drop_rate": _drop_rate(cells, judged, attack),
        "metrics": _metrics(run, attack, pairs, golds, metrics),
    }
    if outcomes.judged.any():
        entry["valid_rows"] = _valid(outcomes, cells, judged, attack)
    if len(pairs.task.decided) > 1:
        entry["labels"] = {name: _label(outcomes, field) for field, name in enumerate(pairs.task.decided)}
    return entry


def rate_entry(rate: str, cells: Mapping[str, Cells], judged: JudgedRun, attack: str) -> dict[str, Any]:
    """A rate with its interval: Wilson's if every decision is of another record, else that of the bootstrap.

    Where all resamples give the same rate (nothing or everything is broken), the interval is Wilson's of as many
    decisions as an episode has records.
    """
    counts = cells[rate]
    single = counts.trials.shape[:2] == (1, 1) and counts.trials.max(initial=0) <= 1
    interval = None if single else percentile95(judged.resamples[attack, rate])
    if single or (interval is not None and interval[0] == interval[1]):
        single = True
        records = float((counts.trials > 0).sum()) / counts.trials.shape[0] / counts.trials.shape[1]
        interval = wilson(records * (counts.rate() or 0.0), records)
    name = rate if rate == "asr" else "value"
    entry: dict[str, Any] = {
        name: percent(counts.rate()),
        "ci95": percents(interval),
        "interval_method": "wilson" if single else "bootstrap",
    }
    episodes = [percent(value) for value in counts.rates()]
    if len(episodes) > 1:
        entry |= {"std": spread(episodes), "episodes": episodes}
    return entry


def mean_asr(attacks: Mapping[str, Mapping[str, Any]]) -> float | None:
    """The mean of the rates of attacks; None if one has no rate. Rows that were chosen as the worst are no attack."""
    rates = [entry["asr"] for name, entry in attacks.items() if name != WORST_ROWS]
    return None if None in rates or not rates else round(fmean(rates), DIGITS)


def together_entries(judged: JudgedRun) -> dict[str, Any]:
    """The report's entries of the rates over all attacks."""
    return {name: rate_entry(name, judged.together, judged, "") for name in judged.together}


def _valid(outcomes: AttackOutcomes, cells: Mapping[str, Cells], judged: JudgedRun, attack: str) -> dict[str, Any]:
    """The rates over the rows that people found valid, and how many they judged."""
    rows, valid = int(outcomes.judged.sum()), int(outcomes.valid.sum())
    return {
        "judged": rows,
        "valid": valid,
        "share": {"value": percent(valid / rows), "ci95": percents(wilson(valid, rows))},
        "right": int((outcomes.right & outcomes.valid).sum()),
        "broken": int((outcomes.broken & outcomes.valid).sum()),
        **{
            name: rate_entry(f"{_OF_VALID}{name}", cells, judged, attack)
            for name in ("asr", "asr_all_rows", "flip_rate")
        },
        "performance_drop_rate": _drop_rate(cells, judged, attack, _OF_VALID),
    }


def _drop_rate(cells: Mapping[str, Cells], judged: JudgedRun, attack: str, rows: str = "") -> dict[str, Any]:
    """The performance drop rate, 1 - attacked / clean share of right decisions (Zhu et al. 2023, PromptRobust).

    Where all resamples give the same rate, the interval is as wide on both sides as Wilson's of a rate of 0.
    """
    name = f"{rows}kept_accuracy"
    counts = cells[name]
    kept = counts.rate()
    interval = percentile95(1 - judged.resamples[attack, name])
    if kept is not None and interval is not None and interval[0] == interval[1]:
        half = (wilson(0, float((counts.trials > 0).sum())) or (0.0, 1.0))[1]
        interval = (1 - kept - half, 1 - kept + half)
    return {
        "value": None if kept is None else percent(1 - kept),
        "ci95": percents(interval),
        "interval_method": "bootstrap",
    }


def spread(values: Sequence[float | None]) -> float | None:
    """The standard deviation over episodes (n - 1); None if there are fewer than two values."""
    known = [value for value in values if value is not None]
    return round(stdev(known), DIGITS) if len(known) > 1 else None


def mean_and_spread(values: Sequence[float]) -> dict[str, Any]:
    """The mean over episodes, with the standard deviation if there are several."""
    mean = {"value": round(sum(values) / len(values), DIGITS)}
    return mean if len(values) == 1 else {**mean, "std": spread(values)}


def _metrics(
    run: ModelRun,
    attack: str,
    pairs: Pairs,
    golds: Golds,
    metrics: Mapping[str, Metric],
) -> dict[str, Any]:
    """The scores before and after the attack, over the rows of the attack."""
    rows = [pair.original for pair in pairs.attacks[attack]]
    wanted, groups = [golds[at] for at in rows], groups_of(pairs)
    groups = [groups[at] for at in rows]
    first = [[episode[at] for at in rows] for episode in run.originals]
    before, after = (scores(metrics, wanted, given, groups) for given in (first, run.attacks[attack]))
    found: dict[str, Any] = {}
    for name in before:
        was, now = mean_and_spread(before[name].values), mean_and_spread(after[name].values)
        found[name] = {"before": was["value"], "after": now["value"]}
        if "std" in was:
            found[name] |= {"before_std": was["std"], "after_std": now["std"]}
        if parts := part_entries(before[name], pairs.task):
            later = part_entries(after[name], pairs.task)
            found[name]["parts"] = [
                {**part, "before": part.pop("value"), "after": then["value"]}
                for part, then in zip(parts, later, strict=True)
            ]
    return found


def metric_entries(judged: JudgedRun, pairs: Pairs, golds: Golds, metrics: Mapping[str, Metric]) -> dict[str, Any]:
    """The report's entry of the metrics of a model on the originals."""
    found: dict[str, Any] = {}
    for name, score in scores(metrics, golds, judged.run.originals, groups_of(pairs)).items():
        found[name] = mean_and_spread(score.values)
        if parts := part_entries(score, pairs.task):
            found[name]["parts"] = parts
    return found


def part_entries(score: Score, task: Task) -> list[dict[str, Any]]:
    """The means over episodes of the parts of a score; empty if it has one part alone."""
    if len(score.parts) < 2:  # noqa: PLR2004  (one part is the score itself)
        return []
    return [
        {
            **({} if group is None else {"group": group}),
            **({"label": task.decided[field]} if len(task.decided) > 1 else {}),
            "value": round(sum(values) / len(values), DIGITS),
        }
        for (group, field), values in score.parts.items()
    ]


def _label(outcomes: AttackOutcomes, field: int) -> dict[str, Any]:
    """The rate and the counts of one of several labels."""
    right, broken, fixed = (flags[field] for flags in (outcomes.right, outcomes.broken, outcomes.fixed))
    return rate_of(right, broken) | {"fixed": int(fixed.sum())}


def rate_of(right: Flags, broken: Flags) -> dict[str, Any]:
    """The rate and the counts of some decisions, flags of shape (…, episodes, rows).

    The interval is Wilson's of as many decisions as an episode has.
    """
    episodes = right.shape[-2]
    all_right, all_broken = float(right.sum()), float(broken.sum())
    return {
        "asr": percent(all_broken / all_right if all_right else None),
        "ci95": percents(wilson(all_broken / episodes, all_right / episodes)),
        "right": int(all_right),
        "broken": int(all_broken),
    }
