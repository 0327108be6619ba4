"""Compare prompts on the same rows: how far apart they are, which is the worst, and the sources of the variance."""

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from augment_ru.draws import Floats, digests
from augment_ru.evaluation.pairs import WORST_ROWS
from augment_ru.evaluation.rates import RESAMPLES, RIGHT, JudgedRun, percent, percentile95, percents
from augment_ru.evaluation.report import PromptEffect, PromptsReport, Rate
from augment_ru.records.groups import grouped

_FACTORS = ("prompt", "attack", "row")
_ROW = 2
_PARTS = tuple(chain.from_iterable(combinations(range(3), size) for size in (1, 2, 3)))
"""The sources of variance: each factor, each pair of factors, and all three together, as tuples of axes."""
SHARES = (*(" × ".join(_FACTORS[axis] for axis in part) for part in _PARTS[:-1]), "rest")


def prompts_report(judged: Sequence[JudgedRun], seed: int) -> list[PromptsReport]:
    """Return how much the right answers of models depend on the prompt.

    There is a report for each model that is asked with several prompts, and for each of its numbers of demonstrations.

    Args:
        judged: the runs of all models: their answers, and which of them are right.
        seed: the seed of the bootstrap.
    """
    groups = grouped(((one.run.prompt.model, one.run.shots), one) for one in judged if one.run.prompt is not None)
    found = [_report(model, shots, runs, seed) for (model, shots), runs in groups.items() if len(runs) > 1]
    return [one for one in found if one is not None]


def right_by_prompt(runs: Sequence[JudgedRun]) -> tuple[list[str], Floats]:
    """Return, for each prompt, which share of a model's answers to each original is right, before and after attacks.

    An original is left out if its right answer is not known, or if some attack has no row of it.

    Args:
        runs: the runs of one model (its answers, and which of them are right), one for each prompt.

    Returns:
        Two values. The first has the names of the conditions: the original text, then each attack. The second is an
        array of shape (prompts, conditions, originals) with the shares, in [0, 1]. A share is the mean over the rows of
        the original, the labels, and the episodes (sets of demonstrations).
    """
    attacks = [attack for attack in runs[0].outcomes if attack != WORST_ROWS]
    found = []
    for one in runs:
        hits = [one.cells["", RIGHT].hits, *(one.cells[attack, "kept_accuracy"].hits for attack in attacks)]
        trials = [one.cells["", RIGHT].trials, *(one.cells[attack, "asr_all_rows"].trials for attack in attacks)]
        sums = [[counts.sum(axis=(0, 1)) for counts in side] for side in (hits, trials)]
        with np.errstate(invalid="ignore", divide="ignore"):
            found.append(np.array(sums[0]) / np.array(sums[1]))
    values = np.array(found)
    return ["original", *attacks], values[..., ~np.isnan(values).any(axis=(0, 1))]


def variance_shares(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the shares of the variance of right answers that the prompt, the attack and the row cause, in [0, 1].

    There are seven shares: of prompt, attack and row, of each pair of them, and of the rest (the interaction of all
    three together with the error). They are estimated as in a crossed design with random effects (Brennan 2001,
    Generalizability Theory, chapter 3). A negative estimate counts as 0.

    Args:
        values: the share of right answers, shape (prompts, conditions, rows). The conditions are the original text and
            the attacks.
        weights: how often each bootstrap resample contains each row, shape (resamples, rows); None for no bootstrap:
            each row counts once.

    Returns:
        The shares in the order of `SHARES`, shape (resamples, 7); NaN where nothing varies.
    """
    sizes = values.shape
    weights = np.ones((1, sizes[2])) if weights is None else weights
    squares: dict[tuple[int, ...], Floats] = {}
    for part in ((), *_PARTS):
        left = tuple(axis for axis in range(2) if axis not in part)
        means = values.mean(axis=left, keepdims=True)
        if _ROW in part:
            sums = (weights @ (means**2).reshape(-1, sizes[2]).T).sum(axis=1)
        else:
            flat = means.reshape(-1, sizes[2])
            sums = ((weights @ flat.T / weights.sum(axis=1, keepdims=True)) ** 2).sum(axis=1) * sizes[2]
        repeats = np.prod([sizes[axis] for axis in left], initial=1.0)
        within = [other for other in squares if set(other) < set(part)]
        squares[part] = sums * repeats - sum((squares[other] for other in within), np.zeros(len(weights)))
    mean = {part: squares[part] / np.prod([sizes[axis] - 1.0 for axis in part]) for part in _PARTS}
    components = []
    for part in _PARTS:
        signed = [(-1) ** (len(other) - len(part)) * mean[other] for other in _PARTS if set(part) <= set(other)]
        others = np.prod([sizes[axis] for axis in range(3) if axis not in part], initial=1.0)
        components.append(np.maximum(sum(signed, np.zeros(len(weights))) / others, 0.0))
    found = np.stack(components, axis=1)
    total = found.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(found, total, out=np.full_like(found, np.nan), where=total > 0)
    return shares


def _report(model: str, shots: int | None, runs: Sequence[JudgedRun], seed: int) -> PromptsReport | None:
    """Return the report of a model; None if no original is counted."""
    conditions, values = right_by_prompt(runs)
    prompts, rows = [one.run.prompt.prompt for one in runs if one.run.prompt is not None], values.shape[2]
    if not rows:
        return None
    random = np.random.Generator(np.random.PCG64(int(digests([f"prompts:{seed}"])[0])))
    drawn = [np.arange(rows), *random.integers(rows, size=(RESAMPLES, rows))]  # the rows themselves, then resamples
    weights = np.stack([np.bincount(one, minlength=rows) for one in drawn]).astype(np.float64)
    means = np.einsum("pcr,br->bpc", values, weights) / rows
    over = means.mean(axis=2)  # by prompt, over the conditions
    attacked = len(conditions) > 1
    shares = variance_shares(values, weights) if attacked and rows > 1 else np.empty((0, 0))
    return PromptsReport(
        model=model,
        shots=shots,
        rows=rows,
        prompts=[
            PromptEffect(
                name=name,
                original=_rate(means[:, at, 0]),
                attacked=_rate(means[:, at, 1:].mean(axis=1)) if attacked else None,
                effect=_rate(over[:, at] - over.mean(axis=1)),
            )
            for at, name in enumerate(prompts)
        ],
        attacks={
            name: _rate((means[..., at] - means[..., 0]).mean(axis=1)) for at, name in enumerate(conditions) if at
        },
        spread=_rate(np.ptp(means[..., 0], axis=1)),
        worst=prompts[over[0].argmin()],
        worst_in=percent(float((over[1:].argmin(axis=1) == over[0].argmin()).mean())) or 0.0,
        shares={name: _rate(shares[:, at]) for at, name in enumerate(SHARES) if shares.size},
    )


def _rate(values: Floats) -> Rate:
    """Return the rate `values[0]`, in per cent, with the 95 % interval of its resamples `values[1:]`."""
    own = None if np.isnan(values[0]) else percent(float(values[0]))
    return Rate(own, percents(percentile95(values[1:])), "bootstrap")
