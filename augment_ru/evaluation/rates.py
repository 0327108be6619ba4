"""Attack success rates with their intervals, as the report states them: in percent, each beside its counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.answers import Golds
from augment_ru.evaluation.intervals import Cells, bootstrap, percentile95, wilson
from augment_ru.evaluation.metrics import Kind
from augment_ru.evaluation.outcomes import (
    CONSISTENCY,
    AttackOutcomes,
    Flags,
    consistency_cells,
    outcomes_of,
    worst_cells,
)
from augment_ru.evaluation.pairs import WORST_ROWS, Pairs
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.report import Interval, Rate, Spread, SuccessRate
from augment_ru.evaluation.scores import DIGITS, spread

Name: TypeAlias = tuple[str, str]
"""An attack and the name of a rate; a rate over all attacks has the attack ""."""

OF_VALID = "valid:"
"""What the names of rates over valid rows start with."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A model run, judged.

    Attributes:
        run: the answers.
        outcomes: by attack.
        cells: the hits and trials of each rate.
        resamples: the bootstrapped rates.
    """

    run: ModelRun
    outcomes: Mapping[str, AttackOutcomes]
    cells: Mapping[Name, Cells]
    resamples: Mapping[Name, npt.NDArray[np.float64]]

    def rate(self, attack: str, name: str, right: int | None = None) -> Rate:
        """A rate with its interval: Wilson's if every decision is of another record, else that of the bootstrap.

        Where all resamples give the same rate (nothing or everything is broken), the interval is Wilson's of as many
        decisions as an episode has records.
        """
        counts = self.cells[attack, name]
        by_wilson = counts.trials.shape[:2] == (1, 1) and counts.trials.max(initial=0) <= 1
        interval = None if by_wilson else percentile95(self.resamples[attack, name])
        if by_wilson or (interval is not None and interval[0] == interval[1]):
            by_wilson = True
            records = float((counts.trials > 0).sum()) / counts.trials.shape[0] / counts.trials.shape[1]
            interval = wilson(records * (counts.rate() or 0.0), records)
        episodes = [percent(value) for value in counts.rates()]
        return Rate(
            percent(counts.rate()),
            percents(interval),
            "wilson" if by_wilson else "bootstrap",
            Spread(spread(episodes), episodes) if len(episodes) > 1 else None,
            right,
        )

    def success(self, attack: str) -> SuccessRate:
        """The attack success rate with its counts."""
        rate, counted = self.rate(attack, "asr"), success_rate(self.outcomes[attack])
        return replace(
            counted, asr=rate.value, ci95=rate.ci95, interval_method=rate.interval_method, spread=rate.spread
        )

    def drop_rate(self, attack: str, rows: str = "") -> Rate:
        """The performance drop rate, 1 - attacked / clean share of right decisions (Zhu et al. 2023, PromptRobust).

        Where all resamples give the same rate, the interval is as wide on both sides as Wilson's of a rate of 0.
        """
        name = attack, f"{rows}kept_accuracy"
        kept = self.cells[name].rate()
        interval = percentile95(1 - self.resamples[name])
        if kept is not None and interval is not None and interval[0] == interval[1]:
            half = (wilson(0, float((self.cells[name].trials > 0).sum())) or (0.0, 1.0))[1]
            interval = (1 - kept - half, 1 - kept + half)
        return Rate(None if kept is None else percent(1 - kept), percents(interval), "bootstrap")


def percent(value: float | None) -> float | None:
    """A share in percent, rounded; None stays None."""
    return None if value is None else round(100 * value, DIGITS)


def percents(interval: Interval | None) -> Interval | None:
    """An interval in percent, rounded; None stays None."""
    return None if interval is None else [round(100 * end, DIGITS) for end in interval]


def evaluated_runs(runs: Sequence[ModelRun], pairs: Pairs, golds: Golds, kind: Kind, seed: int) -> list[JudgedRun]:
    """Every model run with its outcomes and rates."""
    outcomes = [{attack: outcomes_of(run, pairs, attack, golds, kind) for attack in pairs.attacks} for run in runs]
    records, cells = len(pairs.originals), []
    for run, own in zip(runs, outcomes, strict=True):
        cells.append(
            {(attack, name): one for attack in own for name, one in _cells(own[attack], pairs, attack).items()}
        )
        if own:
            cells[-1] |= {("", name): one for name, one in worst_cells(own, records).items()}
            cells[-1]["", CONSISTENCY] = consistency_cells(run, pairs, kind)
    return judged_runs(runs, outcomes, cells, seed)


def judged_runs(
    runs: Sequence[ModelRun],
    outcomes: Sequence[Mapping[str, AttackOutcomes]],
    cells: Sequence[Mapping[Name, Cells]],
    seed: int,
) -> list[JudgedRun]:
    """The runs with their rates in the same resamples, so that they can be compared in pairs.

    Args:
        runs: the answers.
        outcomes: of each run, by attack.
        cells: of each run, the hits and trials of its rates.
        seed: the seed of the bootstrap.
    """
    drawn = iter(bootstrap([one for own in cells for one in own.values()], seed))
    return [
        JudgedRun(run, of, own, dict(zip(own, drawn, strict=False)))  # as many as it has rates
        for run, of, own in zip(runs, outcomes, cells, strict=True)
    ]


def _cells(outcomes: AttackOutcomes, pairs: Pairs, attack: str) -> dict[str, Cells]:
    """The hits and trials of each rate of an attack, also over the rows that people found valid, if they judged any."""
    records, rows = len(pairs.originals), pairs.attacks[attack]
    pairs_of_flags = {
        "asr": (outcomes.broken, outcomes.right),
        "asr_all_rows": (outcomes.broken, outcomes.known),
        "flip_rate": (outcomes.flipped, np.ones_like(outcomes.known)),
        "kept_accuracy": (outcomes.after & outcomes.known, outcomes.right),
    }
    found = {name: outcomes.cells(hits, trials, records) for name, (hits, trials) in pairs_of_flags.items()}
    perturbed = flags_of(pair.status == "perturbed" for pair in rows)
    found["asr_perturbed_rows"] = outcomes.cells(outcomes.broken, outcomes.right & perturbed, records)
    if any(pair.verdict for pair in rows):
        valid = flags_of(pair.verdict == "valid" for pair in rows)
        for name, (hits, trials) in pairs_of_flags.items():
            found[f"{OF_VALID}{name}"] = outcomes.cells(hits & valid, trials & valid, records)
    return found


def flags_of(of_rows: Iterable[bool]) -> Flags:
    """Flags of rows, shape (rows,)."""
    return np.fromiter(of_rows, np.bool_)


def success_rate(outcomes: AttackOutcomes, where: Any = ...) -> SuccessRate:  # noqa: ANN401  (an index of an array)
    """The success rate over all decisions together, or over those of a label or of some rows.

    The interval is Wilson's of as many decisions as an episode has.
    """
    right, broken, fixed = (int(flags[where].sum()) for flags in (outcomes.right, outcomes.broken, outcomes.fixed))
    episodes = outcomes.right.shape[1]
    return SuccessRate(
        asr=percent(broken / right if right else None),
        ci95=percents(wilson(broken / episodes, right / episodes)),
        right=right,
        broken=broken,
        fixed=fixed,
    )


def mean_asr(attacks: Mapping[str, SuccessRate]) -> float | None:
    """The mean of the rates of attacks; None if one has no rate. Rows that were chosen as the worst are no attack."""
    rates = [rate.asr for name, rate in attacks.items() if name != WORST_ROWS]
    known = [rate for rate in rates if rate is not None]
    return round(fmean(known), DIGITS) if known and len(known) == len(rates) else None
