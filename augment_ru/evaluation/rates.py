"""Count right and wrong answers of models: outcomes, rates with their intervals, differences, metrics; in per cent.

An episode is one set of demonstrations. A run is the answers of one model with one number of demonstrations. A decision
is one prediction that is counted, for one label of one row.

A report holds the outcomes of all rows as letters, and a key for each row, so that reports can be compared row by row.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import blake2b
from itertools import chain, islice
from statistics import fmean, mean, stdev
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import structs

from augment_ru.draws import Floats, digests
from augment_ru.evaluation import report
from augment_ru.evaluation.answers import FATES, Answer, Metric, as_compared, fates, group_of, is_right
from augment_ru.evaluation.pairs import WORST_ROWS, Pair, Pairs
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_texts
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record

Ends: TypeAlias = tuple[float, float]

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution: a 95 % interval has this many standard errors on each side."""

RESAMPLES = 1000
"""The number of resamples in a bootstrap."""

_CHUNK = 50
"""The number of resamples that are drawn or counted at once; it limits the memory."""


def wilson(hits: float, trials: float, z: float = Z95) -> Ends | None:
    """Return Wilson's interval of a rate (Wilson 1927), in [0, 1]; None without trials.

    Args:
        hits: how many of the trials the rate counts, such as the broken ones.
        trials: the number of trials.
        z: the quantile of the normal distribution that sets the width; the default gives 95 %.

    >>> [round(end, 4) for end in wilson(5, 10)]
    [0.2366, 0.7634]
    """
    if trials <= 0:
        return None
    rate, z2 = hits / trials, z * z
    centre = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = z * math.sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    return low, 1.0 if hits == trials else min(1.0, centre + half)


def newcombe(a: tuple[float, float], b: tuple[float, float]) -> Ends | None:
    """Return the 95 % interval of the difference a - b of two rates (Newcombe 1998, method 10), in [-1, 1].

    It is made from the Wilson intervals of both rates, and is None if one of them has no trials.

    Args:
        a: the first rate, in [0, 1], and its number of trials (such as decisions).
        b: the second rate, and its number of trials.

    >>> [round(end, 4) for end in newcombe((0.7, 80), (0.5, 80))]
    [0.0482, 0.3394]
    """
    first, second = (wilson(rate * trials, trials) for rate, trials in (a, b))
    return None if first is None or second is None else of_difference((a[0], first), (b[0], second))


def of_difference(a: tuple[float, report.Interval], b: tuple[float, report.Interval]) -> Ends:
    """Return the interval of the difference a - b of two independent values (Zou and Donner 2008).

    It has the confidence level of the given intervals, such as 95 %.

    Args:
        a: the first value and its interval.
        b: the second value and its interval.
    """
    (first, ends), (second, others) = a, b
    low = first - second - math.hypot(first - ends[0], others[1] - second)
    return low, first - second + math.hypot(ends[1] - first, second - others[0])


class Cells(NamedTuple):
    """The hits and the trials of a rate, such as the success rate of an attack on a model, which is hits / trials.

    A decision is one prediction that is counted, for one label of one row; an episode is one set of demonstrations.

    Attributes:
        hits: how many decisions of each record the rate counts, such as the broken ones, shape (groups, episodes,
            records). A task with several labels has one group for each label, other tasks have one group.
        trials: how many decisions of each record could be counted, such as those that were right; same shape.
    """

    hits: Floats
    trials: Floats

    def rate(self) -> float | None:
        """Return the rate, in [0, 1]; None if no decision could be counted.

        It is the sum of the hits of all records divided by the sum of their trials. If there are several groups (labels
        of a row) or episodes, it is the mean of this quotient over those that have trials.
        """
        return _mean_rate(self.hits.sum(axis=2), self.trials.sum(axis=2))

    def rates(self) -> list[float | None]:
        """Return the rate of each episode, in [0, 1]; None for an episode in which no decision could be counted."""
        hits, trials = self.hits.sum(axis=2), self.trials.sum(axis=2)
        return [_mean_rate(hits[:, [at]], trials[:, [at]]) for at in range(hits.shape[1])]


def _mean_rate(hits: Floats, trials: Floats) -> float | None:
    counted = trials > 0
    return float((hits[counted] / trials[counted]).mean()) if counted.any() else None


def bootstrap(of: Sequence[Cells], seed: int, resamples: int = RESAMPLES) -> npt.NDArray[np.float64]:
    """Compute several rates in bootstrap resamples of the records; return an array of shape (rates, resamples).

    Records are drawn with replacement, and so are episodes if there are several. All rates get the same records, and
    the same episodes if they have equally many, so that their differences are paired. A rate is NaN in a resample that
    has no decision to count. The same seed gives the same numbers.

    Args:
        of: the hits and trials of each rate; all rates are over the same records.
        seed: the seed of the draws.
        resamples: the number of resamples.
    """
    if not of:
        return np.empty((0, resamples))
    key = int(digests([f"bootstrap:{seed}"])[0])
    records, starts = of[0].hits.shape[2], range(0, resamples, _CHUNK)
    weights = resampled(key, records, resamples)
    places: dict[bytes, int] = {}  # the different rows of counts; many rates have the same trials
    rows = (row for cells in of for one in cells for row in one.reshape(-1, records))
    at = iter([places.setdefault(row.tobytes(), len(places)) for row in rows])
    counts = np.array([np.frombuffer(row) for row in places]).T
    sums = np.concatenate([weights[start : start + _CHUNK].astype(np.float64) @ counts for start in starts])
    drawn: dict[int, npt.NDArray[np.int64]] = {}
    found = np.empty((len(of), resamples))
    for number, cells in enumerate(of):
        if (episodes := cells.hits.shape[1]) not in drawn:
            own = (np.random.Generator(np.random.PCG64([key, episodes, start])) for start in starts)
            drawn[episodes] = np.concatenate([one.integers(episodes, size=(_CHUNK, 1, episodes)) for one in own])
        both = (sums[:, list(islice(at, one[..., 0].size))].reshape(-1, *one.shape[:2]) for one in cells)
        hits, trials = (np.take_along_axis(one, drawn[episodes][:resamples], axis=2) for one in both)
        counted = trials > 0
        count = counted.sum(axis=(1, 2))
        total = np.divide(hits, trials, out=np.zeros_like(hits), where=counted).sum(axis=(1, 2))
        found[number] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return found


@lru_cache(maxsize=2)
def resampled(key: int, records: int, resamples: int) -> npt.NDArray[np.uint8]:
    """Draw how often each bootstrap resample contains each record, shape (resamples, records).

    Args:
        key: the seed of the draws.
        records: the number of records, which are drawn with replacement.
        resamples: the number of resamples.
    """
    random = np.random.Generator(np.random.PCG64(key))
    found = np.empty((resamples, records), np.uint8)
    for part in np.split(found, range(_CHUNK, resamples, _CHUNK)):
        picked = random.integers(records, size=part.shape) + records * np.arange(len(part))[:, None]
        # no record comes 256 times
        part[:] = np.bincount(picked.ravel(), minlength=part.size).reshape(part.shape)
    return found


def effective(cells: Cells, drawn: npt.NDArray[np.float64]) -> Ends | None:
    """Return the 95 % interval of a rate over decisions that depend on each other; None without decisions.

    The decisions about one record (of several rows or episodes) depend on each other, so they tell less than
    independent ones. The interval is Wilson's for a lower number of trials: rate · (1 - rate) / v (Kish 1965, section
    8.2), where v is the variance of the rate.

    Args:
        cells: the hits and trials of the rate.
        drawn: the rate in each bootstrap resample, shape (resamples,).
    """
    rate, records = cells.rate(), int((cells.trials > 0).any(axis=(0, 1)).sum())
    if rate is None or not (freedom := records - 1):
        return None if rate is None else wilson(rate, 1)
    hits, misses = (int((one > 0).any(axis=(0, 1)).sum()) for one in (cells.hits, cells.trials - cells.hits))
    # The variance is the weighted mean of two estimates. That of the bootstrap is uncertain if few records have a hit,
    # or few have a miss: its weight is the lower of the two counts. The other one, with weight 1, is right if all
    # decisions about a record are alike. The quantile is Student's (Dean and Pagano 2015).
    told, alike = min(hits, misses), rate * (1 - rate) / records
    variance = (told * float(np.nanvar(drawn)) * records / freedom + alike) / (told + 1)
    trials = min(rate * (1 - rate) / variance, float(cells.trials.sum())) if variance > 0 else records
    return wilson(rate * trials, trials, student(freedom))


def student(freedom: int) -> float:
    """Return the 97.5 % point of Student's t distribution, by the series of Hill (1970).

    Its error is 4e-4 for 10 degrees of freedom, and 1e-5 for 30.

    Args:
        freedom: the degrees of freedom.

    >>> [round(student(freedom), 3) for freedom in (10, 30, 1000)]
    [2.228, 2.042, 1.962]
    """
    n, z = freedom, Z95
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def percentile95(values: npt.NDArray[np.float64]) -> Ends | None:
    """Return the ends of the 95 % interval of bootstrapped values: their 2.5 % and 97.5 % points.

    The result is None if all values are NaN.
    """
    values = values[~np.isnan(values)]
    if not values.size:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


Flags: TypeAlias = npt.NDArray[np.bool_]

WORST, WORST_ASR, CONSISTENCY = "worst_case", "worst_case_asr", "consistency"

RIGHT = "right"
"""The name of the rate of right decisions (predictions that are counted) on the originals."""

_LETTERS = np.array(["w", "f", "b", "k"])
"""The letters for wrong, fixed, broken and kept; the index is 2 · (right before) + (right after)."""
_UNKNOWN = "-"
"""The letter for a row whose right answer is not known."""
OUTCOMES = {"b": "broken", "f": "fixed", "w": "wrong", "k": "kept", _UNKNOWN: None}
"""The word for each letter; the word of a row with several labels on a page is the first of these that one of them has.
"""
_DIGEST_BYTES = 6


class AttackOutcomes(NamedTuple):
    """The outcomes of the rows of an attack on a model.

    `known`, `before`, `after` and `flipped` are arrays of flags, shape (labels of the right answer, episodes, rows). An
    episode is one set of demonstrations.

    Attributes:
        original: the index of each row's original, shape (rows,).
        known: whether the right answer of the row is known.
        before: whether the prediction for the original is right; False if the right answer is not known.
        after: whether the prediction for the perturbed row is right; False if the right answer is not known.
        flipped: whether the two predictions differ.
    """

    original: npt.NDArray[np.int64]
    known: Flags
    before: Flags
    after: Flags
    flipped: Flags

    @property
    def right(self) -> Flags:
        """Whether each prediction for the original is right, as flags of shape (labels, episodes, rows).

        Only such predictions can be broken by the attack.
        """
        return self.before & self.known

    @property
    def broken(self) -> Flags:
        """Whether each prediction is right on the original and wrong on the perturbed row.

        The result is flags of shape (labels, episodes, rows).
        """
        return self.right & ~self.after

    @property
    def fixed(self) -> Flags:
        """Whether each prediction is wrong on the original and right on the perturbed row.

        The result is flags of shape (labels, episodes, rows).
        """
        return ~self.before & self.after & self.known

    def cells(self, hits: Flags | Floats, trials: Flags, records: int) -> Cells:
        """Count the hits and the trials of a rate for each label, episode and original.

        The rows of one original are added up.

        Args:
            hits: the decisions that the rate counts, such as the broken ones: flags or numbers in [0, 1], shape
                (labels, episodes, rows).
            trials: the decisions that could be counted, such as those that were right: flags of the same shape.
            records: the number of originals.
        """
        return cells_of(self.original, hits, trials, records)

    @property
    def letters(self) -> report.Letters:
        """The outcomes as letters: a list for each label, with a text for each episode, with a letter for each row.

        k: kept, b: broken, f: fixed, w: wrong, -: the right answer is not known.
        """
        letters = np.where(self.known, _LETTERS[2 * self.before + self.after], _UNKNOWN)
        return [["".join(episode) for episode in label] for label in letters.tolist()]

    @classmethod
    def of_letters(cls, letters: report.Letters, rows: Sequence[int], originals: Sequence[int]) -> "AttackOutcomes":
        """Restore the outcomes of some rows from the letters in a report (k: kept, b: broken, f: fixed, w: wrong).

        Args:
            letters: the letters of all rows of the report, as the property `letters` gives them.
            rows: the indices of the wanted rows.
            originals: the index of the original of each wanted row.

        >>> found = AttackOutcomes.of_letters([["kb-"]], [0, 2], [0, 1])
        >>> [flags.tolist() for flags in (found.known, found.before, found.after)]
        [[[[True, False]]], [[[True, False]]], [[[True, False]]]]
        """
        read = np.array([[list(episode) for episode in label] for label in letters], "U1")[..., list(rows)]
        before, after = np.isin(read, ["k", "b"]), np.isin(read, ["k", "f"])
        return cls(np.array(originals, np.int64), read != _UNKNOWN, before, after, before != after)


def cells_of(original: npt.NDArray[np.int64], hits: Flags | Floats, trials: Flags, records: int) -> Cells:
    """Count the hits and the trials of a rate for each label, episode and original.

    The perturbed rows of one original are added up.

    Args:
        original: the index of each row's original, shape (rows,).
        hits: the decisions that the rate counts, such as the broken ones: flags or numbers in [0, 1], shape (labels,
            episodes, rows).
        trials: the decisions that could be counted, such as those that were right: flags of the same shape.
        records: the number of originals.
    """
    both = np.stack([hits, trials])
    sums = [np.bincount(original, of_rows, records) for of_rows in both.reshape(math.prod(both.shape[:3]), -1)]
    return Cells(*np.reshape(sums, (*both.shape[:3], records)))


def outcomes_of(run: ModelRun, pairs: Pairs, attack: str | None = None) -> AttackOutcomes:
    """Return which answers to the rows of an attack, and to their originals, are right.

    Args:
        run: the answers of a model.
        pairs: the original and perturbed rows, with their right answers.
        attack: the name of the attack; None for one that leaves all originals unchanged.
    """
    first, second, original = run.originals, run.originals, np.arange(len(pairs.originals))
    if attack is not None:
        second, original = run.attacks[attack], np.array([pair.original for pair in pairs.attacks[attack]], np.int64)
    kind, form = pairs.kind, pairs.task.scoring.normal_form
    right, read = cache(partial(is_right, kind, form=form)), cache(partial(as_compared, kind, form=form))
    shape = len(pairs.task.scoring.decided), len(first), original.size
    known, before, after, flipped = np.zeros((4, *shape), np.bool_)
    for label, golds in enumerate(zip(*pairs.golds, strict=True)):
        known[label] = np.array([gold is not None for gold in golds], np.bool_)[original]
        own = [golds[at] for at in original.tolist()]
        for episode, both in enumerate(zip(first, second, strict=True)):
            was, now = ([answer[label] for answer in given] for given in both)
            was = [was[at] for at in original.tolist()]
            for found, given in ((before, was), (after, now)):
                found[label, episode] = [
                    gold is not None and right(gold, one) for gold, one in zip(own, given, strict=True)
                ]
            flipped[label, episode] = [read(old) != read(new) for old, new in zip(was, now, strict=True)]
    return AttackOutcomes(original, known, before, after, flipped)


def row_keys(pairs: Pairs) -> dict[str, list[str]]:
    """Return a key for each row of each attack, by which equal rows of several reports are found.

    A key is two digests of 12 hexadecimal digits: `original-perturbed`. Two rows have the same key if their texts, the
    texts of their originals and the right answers are the same.
    """
    originals = original_keys(pairs)
    return {
        attack: [f"{originals[pair.original]}-{_digest(Record(pair.values, pairs.task).read())}" for pair in rows]
        for attack, rows in pairs.attacks.items()
    }


def original_keys(pairs: Pairs) -> list[str]:
    """Return a key for each original, by which equal originals of several reports are found: 12 hexadecimal digits.

    The key of a perturbed row (`row_keys`) begins with the key of its original.
    """
    rows = zip(pairs.originals, pairs.golds, strict=True)
    return [_digest([Record(original.values, pairs.task).read(), gold]) for original, gold in rows]


_ENCODER = json.JSONEncoder(default=str)


def _digest(value: object) -> str:
    return blake2b(_ENCODER.encode(value).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def worst_cells(outcomes: Mapping[str, AttackOutcomes], records: int) -> dict[str, Cells]:
    """Count the hits and trials of two rates of the worst case: an adversary chooses the attack for each original.

    - `worst_case`: the share of decisions that are right on the original and on every perturbed row (Liang et al. 2023,
      HELM, section 4.3).
    - `worst_case_asr`: the share of decisions right on the original that at least one perturbed row breaks.

    Args:
        outcomes: the outcomes of each attack.
        records: the number of originals.
    """
    shape = next(iter(outcomes.values())).before.shape[:2]
    flags = np.zeros((records, 3, *shape), np.bool_)
    for one in outcomes.values():
        np.logical_or.at(flags, one.original, np.moveaxis(np.stack([one.known, one.right, one.broken]), -1, 0))
    known, right, broken = np.moveaxis(flags.astype(np.float64), 0, -1)
    return {WORST: Cells(right * (1 - broken), known), WORST_ASR: Cells(broken, right)}


def consistency_cells(run: ModelRun, pairs: Pairs) -> Cells:
    """Count the hits and trials of a model's consistency: how often it answers the versions of a record alike.

    The versions of a record are the original and its perturbed rows. Consistency is the share of pairs of versions that
    get the same prediction (Nalbandyan et al. 2025, SCORE, section 3). It is averaged over the records that have at
    least two versions.

    Args:
        run: the answers of the model.
        pairs: the original and perturbed rows.
    """
    records, form = len(pairs.originals), pairs.task.scoring.normal_form
    read = cache(partial(as_compared, pairs.kind, form=form))
    of = np.array([*range(records), *(pair.original for rows in pairs.attacks.values() for pair in rows)], np.int64)
    sizes = np.bincount(of, minlength=records)
    shares, counted = np.zeros((2, len(pairs.task.scoring.decided), run.episodes, records))
    counted[:] = sizes > 1
    for episode, originals in enumerate(run.originals):
        versions = chain(originals, *(run.attacks[attack][episode] for attack in pairs.attacks))
        for label, answers in enumerate(zip(*versions, strict=True)):
            numbers: dict[Any, int] = {}
            given = np.array([numbers.setdefault(read(answer), len(numbers)) for answer in answers])
            alike, counts = np.unique(of * len(numbers) + given, return_counts=True)
            agreeing = np.bincount(alike // len(numbers), counts * (counts - 1), records)
            np.divide(agreeing, sizes * (sizes - 1), out=shares[label, episode], where=sizes > 1)
    return Cells(shares, counted)


def agreements(answers: Sequence[Answer], pairs: Pairs) -> list[float]:
    """Return how often several answers to a row are the same, as a share in [0, 1] for each label of the row.

    It is the share of equal pairs among all pairs of answers.

    Args:
        answers: the answers, at least two.
        pairs: the rows of the evaluation, whose task says how answers are compared.
    """
    read = partial(as_compared, pairs.kind, form=pairs.task.scoring.normal_form)
    counts = [Counter(map(read, label)).values() for label in zip(*answers, strict=True)]
    return [sum(count * (count - 1) for count in one) / (len(answers) * (len(answers) - 1)) for one in counts]


Name: TypeAlias = tuple[str, str]
"""The key of a rate: the name of its attack ("" for a rate over all attacks), and its own name."""

LOSS = "loss"
"""The name of the rate of lost right answers, (broken - fixed) / all counted predictions, over perturbed rows that
should keep the meaning; it may be below 0.
"""

OF_VALID = "valid:"
"""The prefix of the names of rates that are counted over the rows that people found valid."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The answers of one model with one number of demonstrations, with their outcomes and rates.

    Attributes:
        run: the answers.
        outcomes: which answers to the rows of each attack, and to their originals, are right.
        cells: the hits and trials of each rate. A key is a pair: the name of the attack ("" for all attacks), and the
            name of the rate.
        resamples: the values of each rate in the bootstrap resamples, by the same keys.
    """

    run: ModelRun
    outcomes: Mapping[str, AttackOutcomes]
    cells: Mapping[Name, Cells]
    resamples: Mapping[Name, npt.NDArray[np.float64]]

    def rate(self, attack: str, name: str, right: int | None = None) -> report.Rate:
        """Return a rate with its 95 % interval, in per cent.

        Args:
            attack: the name of the attack; "" for rates over all attacks.
            name: the name of the rate, such as "asr" (attack success rate).
            right: how many decisions are right on the original, to be shown with the rate; None to show no count.
        """
        return rate_of(self.cells[attack, name], self.resamples[attack, name], right)

    def success(self, attack: str) -> report.SuccessRate:
        """Return the success rate of an attack, with its interval and the counts of right, broken and fixed answers.

        Args:
            attack: the name of the attack.
        """
        rate, counted = self.rate(attack, "asr"), success_rate(self.outcomes[attack])
        return structs.replace(
            counted, asr=rate.value, ci95=rate.ci95, interval_method=rate.interval_method, spread=rate.spread
        )

    def drop_rate(self, attack: str, rows: str = "") -> report.Rate:
        """Return the performance drop rate of an attack (Zhu et al. 2023, PromptRobust), in per cent.

        It is 1 - (right predictions after the attack) / (right predictions before it). The interval is that of the
        bootstrap.

        Args:
            attack: the name of the attack.
            rows: "" to count all rows, or `OF_VALID` to count the rows that people found valid.
        """
        name = attack, f"{rows}kept_accuracy"
        kept = self.cells[name].rate()
        interval = percentile95(1 - self.resamples[name])
        if kept is not None and interval is not None and interval[0] == interval[1]:
            # all resamples give the same rate: it is as uncertain as a rate of 0
            half = (wilson(0, float((self.cells[name].trials > 0).sum())) or (0.0, 1.0))[1]
            interval = (1 - kept - half, 1 - kept + half)
        return report.Rate(None if kept is None else percent(1 - kept), percents(interval), "bootstrap")


def rate_of(cells: Cells, drawn: npt.NDArray[np.float64], right: int | None = None) -> report.Rate:
    """Return a rate in per cent, with Wilson's 95 % interval, for the report.

    If a record has several decisions, the interval allows for their dependence (`effective`).

    Args:
        cells: the hits and trials of the rate.
        drawn: the rate in each bootstrap resample, shape (resamples,); used only if a record has several decisions.
        right: how many decisions are right on the original, to be shown with the rate; None to show no count.
    """
    alone = cells.trials.shape[:2] == (1, 1) and cells.trials.max(initial=0) <= 1
    interval = wilson(float(cells.hits.sum()), float(cells.trials.sum())) if alone else effective(cells, drawn)
    episodes = [percent(value) for value in cells.rates()]
    of_episodes = report.Spread(spread(episodes), episodes) if len(episodes) > 1 else None
    method = "wilson" if alone else "effective"
    return report.Rate(percent(cells.rate()), percents(interval), method, of_episodes, right)


def percent(value: float | None) -> float | None:
    """Convert a share in [0, 1] to per cent, rounded to four decimals as in the report; None stays None."""
    return None if value is None else round(100 * value, DIGITS)


def percents(interval: report.Interval | None) -> report.Interval | None:
    """Convert the ends of an interval from shares to per cent, rounded to four decimals as in the report.

    None stays None.
    """
    return None if interval is None else [round(100 * end, DIGITS) for end in interval]


def wilson_rate(hits: float, of: float) -> report.Rate:
    """Return the share of independent trials that are hits, in per cent, with Wilson's 95 % interval.

    Args:
        hits: how many of the trials are hits.
        of: the number of trials.
    """
    return report.Rate(percent(hits / of if of else None), percents(wilson(hits, of)), "wilson")


def evaluated_runs(runs: Sequence[ModelRun], pairs: Pairs, seed: int) -> list[JudgedRun]:
    """Judge the answers of models: return every run with its outcomes and rates.

    Args:
        runs: the runs of all models.
        pairs: the original and perturbed rows, with their right answers.
        seed: the seed of the bootstrap.
    """
    outcomes = [{attack: outcomes_of(run, pairs, attack) for attack in pairs.attacks} for run in runs]
    records, cells = len(pairs.originals), []
    for run, own in zip(runs, outcomes, strict=True):
        cells.append(
            {(attack, name): one for attack in own for name, one in _cells(own[attack], pairs, attack).items()}
        )
        if own:
            cells[-1] |= {("", name): one for name, one in worst_cells(own, records).items()}
            cells[-1]["", CONSISTENCY] = consistency_cells(run, pairs)
            cells[-1] |= _fates(run, pairs) if pairs.kind == "spans" else {}
        if own or run.prompt is not None:
            originals = outcomes_of(run, pairs)
            cells[-1]["", RIGHT] = originals.cells(originals.right, originals.known, records)
    return judged_runs(runs, outcomes, cells, seed)


FATE = "fate:"
"""The prefix of the names of the rates that count what an attack does to right spans: kept, border, type, lost
(`FATES`).
"""


def _fates(run: ModelRun, pairs: Pairs) -> dict[Name, Cells]:
    """Return, for each attack and fate, the counts of right spans that are found in the originals and have this fate.

    The trials are all right spans that are found in the originals.
    """
    found: dict[Name, Cells] = {}
    for attack, rows in pairs.attacks.items():
        counts = np.zeros((len(FATES), 1, run.episodes, len(pairs.originals)))
        for episode, answers in enumerate(run.attacks[attack]):
            for pair, (after,) in zip(rows, answers, strict=True):
                gold: Any = pairs.golds[pair.original][0]
                own = fates(gold or (), run.originals[episode][pair.original][0], after)
                counts[:, 0, episode, pair.original] += [own[fate] for fate in FATES]
        found |= {(attack, FATE + fate): Cells(counts[at], counts.sum(0)) for at, fate in enumerate(FATES)}
    return found


def judged_runs(
    runs: Sequence[ModelRun],
    outcomes: Sequence[Mapping[str, AttackOutcomes]],
    cells: Sequence[Mapping[Name, Cells]],
    seed: int,
) -> list[JudgedRun]:
    """Join the runs of models with their outcomes, and with their rates in bootstrap resamples.

    All rates are computed in the same resamples, so that runs can be compared in pairs.

    Args:
        runs: the runs of all models.
        outcomes: which answers to the rows of each attack are right, for each run.
        cells: the hits and trials of the rates of each run, by attack and name of the rate.
        seed: the seed of the bootstrap.
    """
    drawn = iter(bootstrap([one for own in cells for one in own.values()], seed))
    parts = zip(runs, outcomes, cells, strict=True)
    # each takes as many of the drawn as it has rates
    return [JudgedRun(run, of, own, dict(zip(own, drawn, strict=False))) for run, of, own in parts]


def _cells(outcomes: AttackOutcomes, pairs: Pairs, attack: str) -> dict[str, Cells]:
    """Return the hits and trials of each rate of an attack, with rates over valid rows if people judged any row."""
    records, rows = len(pairs.originals), pairs.attacks[attack]
    pairs_of_flags = {
        "asr": (outcomes.broken, outcomes.right),
        "asr_all_rows": (outcomes.broken, outcomes.known),
        "flip_rate": (outcomes.flipped, np.ones_like(outcomes.known)),
        "kept_accuracy": (outcomes.after & outcomes.known, outcomes.right),
    }
    found = {name: outcomes.cells(hits, trials, records) for name, (hits, trials) in pairs_of_flags.items()}
    perturbed = flags_of(pair.status == "perturbed" for pair in rows)
    loss = outcomes.broken - 1.0 * outcomes.fixed
    found[LOSS] = outcomes.cells(loss, outcomes.known & same_meaning(rows), records)
    found["asr_perturbed_rows"] = outcomes.cells(outcomes.broken, outcomes.right & perturbed, records)
    if any(pair.verdict for pair in rows):
        valid = flags_of(pair.verdict == "valid" for pair in rows)
        for name, (hits, trials) in pairs_of_flags.items():
            found[f"{OF_VALID}{name}"] = outcomes.cells(hits & valid, trials & valid, records)
    return found


def flags_of(of_rows: Iterable[bool]) -> Flags:
    """Return truth values, one for each row, as an array of shape (rows,)."""
    return np.array(list(of_rows), np.bool_)


def same_meaning(rows: Iterable[Pair]) -> Flags:
    """Return which rows were changed and should still mean the same, as flags of shape (rows,).

    Their status is `perturbed`, and people did not find them invalid.
    """
    return flags_of(pair.status == "perturbed" and pair.verdict != "invalid" for pair in rows)


def success_rate(outcomes: AttackOutcomes, where: Any = ...) -> report.SuccessRate:  # noqa: ANN401  (an index of an array)
    """Return the success rate of an attack over all decisions, or over some of them.

    Its interval is Wilson's. Decisions about one row in several episodes depend on each other, so the interval is
    computed from the mean counts of an episode.

    Args:
        outcomes: the outcomes of the attack: flags of shape (labels, episodes, rows).
        where: an index into these flags, such as that of a label or of some rows; all by default.
    """
    right, broken, fixed = (int(flags[where].sum()) for flags in (outcomes.right, outcomes.broken, outcomes.fixed))
    episodes = outcomes.right.shape[1]
    return report.SuccessRate(
        asr=percent(broken / right if right else None),
        ci95=percents(wilson(broken / episodes, right / episodes)),
        right=right,
        broken=broken,
        fixed=fixed,
    )


def mean_asr(attacks: Mapping[str, report.SuccessRate]) -> float | None:
    """Return the mean success rate of all attacks, in per cent; None if there are none, or one has no known rate.

    Worst-case rows, which are chosen from several attacks by what they break, are not an attack and are left out.

    Args:
        attacks: the success rate of each attack.
    """
    found = mean_of_all([rate.asr for name, rate in attacks.items() if name != WORST_ROWS])
    return None if found is None else round(found, DIGITS)


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean of some values; None if there are none, or one of them is None."""
    return fmean(values) if values and None not in values else None  # type: ignore[arg-type]


DIGITS = 4
"""The number of decimals of a percentage in the report."""

_Decisions: TypeAlias = Sequence[tuple[int, Sequence[int]]]
"""Counted predictions: the index of a label, and the indices of the rows where its right answer is known."""


def scores(
    metrics: Mapping[str, Metric], pairs: Pairs, episodes: Sequence[Sequence[Answer]], rows: Sequence[int] | None = None
) -> dict[str, report.Score]:
    """Return the score of each metric over the rows whose right answer is known, in per cent.

    If rows have several labels, the score is the mean over the labels. If the task averages over groups of rows
    (`task.scoring.mean_over`), it is the mean over the groups. If no right answer is known, the result is empty.

    Args:
        metrics: the metrics, by name.
        pairs: the original and perturbed rows.
        episodes: the answers to all rows, in each episode.
        rows: the index of each row's original; None if the rows are the originals themselves.
    """
    rows = range(len(pairs.originals)) if rows is None else rows
    task = pairs.task
    decided = task.scoring.decided
    in_groups = task.scoring.mean_over == "groups" and task.scoring.grouped_by is not None
    golds_of_labels = list(zip(*map(pairs.golds.__getitem__, rows), strict=True))
    known: dict[tuple[str | None, int], Sequence[int]] = {}
    for label, golds in enumerate(golds_of_labels):
        places = [at for at, gold in enumerate(golds) if gold is not None]
        by_group: Mapping[str | None, Sequence[int]] = {None: places} if places else {}
        if in_groups:
            by_group = grouped((group_of(pairs.originals[rows[at]].values, task), at) for at in places)
        known |= {(group, label): own for group, own in by_group.items()}
    known = dict(sorted(known.items(), key=lambda one: (one[0][0] is None, one[0])))
    every = [(label, own) for (_, label), own in known.items()]

    def counted(score: Callable[[Sequence[Any], Sequence[Any]], float], own: _Decisions) -> list[float]:
        golds = [golds_of_labels[label][at] for label, places in own for at in places]
        given = ([answers[at][label] for label, places in own for at in places] for answers in episodes)
        return [100 * score(golds, one) for one in given]

    by_field = sorted(_by_field(every, pairs, rows).items())
    found: dict[str, report.Score] = {}
    for name, metric in metrics.items() if known else ():
        parts = {key: counted(metric.score, [(key[1], own)]) for key, own in known.items()}
        values = [_mean_of_groups(parts, episode) for episode in range(len(episodes))]
        entries = [
            report.ScorePart(group=group, label=decided[label] if len(decided) > 1 else None, value=rounded_mean(own))
            for (group, label), own in parts.items()
        ]
        if metric.of_label is not None:
            labels = sorted({span.label for label, own in every for at in own for span in golds_of_labels[label][at]})
            by_label = ((label, counted(metric.of_label(label), every)) for label in labels)
            entries = [report.ScorePart(label=label, value=rounded_mean(own)) for label, own in by_label] or entries
        entries = entries if len(entries) > 1 else []  # one part alone is the score itself
        of_values = ((held, counted(metric.score, own)) for held, own in by_field)
        entries += [report.ScorePart(label=held, value=rounded_mean(own)) for held, own in of_values]
        found[name] = report.Score(rounded_mean(values), spread(values), entries or None)
    return found


def _by_field(decisions: _Decisions, pairs: Pairs, rows: Sequence[int]) -> dict[str, _Decisions]:
    """Return the decisions by the values of the task's fields `parts_by`, such as LiDiRus' features."""
    found: dict[str, list[tuple[int, Sequence[int]]]] = {}
    for label, places in decisions:
        for name in pairs.task.scoring.parts_by:
            held = ((at, field_paths.value(pairs.originals[rows[at]].values, name)) for at in places)
            own = grouped((f"{name}: {text}", at) for at, value in held for text in answer_texts(value, ";"))
            for text, ats in own.items():
                found.setdefault(text, []).append((label, ats))
    return dict(found)


def _mean_of_groups(parts: Mapping[tuple[str | None, int], Sequence[float]], episode: int) -> float:
    """Return the mean over the groups of the mean over their labels, in one episode."""
    of_group = grouped((group, values[episode]) for (group, _), values in parts.items())
    return mean(mean(values) for values in of_group.values())


def rounded_mean(values: Sequence[float]) -> float:
    """Return the mean of some values, rounded to four decimals as in the report."""
    return round(sum(values) / len(values), DIGITS)


def spread(values: Sequence[float | None]) -> float | None:
    """Return the sample standard deviation (n - 1) of the known values, to four decimals; None for fewer than two."""
    known = [value for value in values if value is not None]
    return round(stdev(known), DIGITS) if len(known) > 1 else None


def changed_scores(
    metrics: Mapping[str, Metric], pairs: Pairs, run: ModelRun, attack: str, where: Sequence[int] | None = None
) -> dict[str, report.ChangedScore]:
    """Return the scores of a model before and after an attack, in per cent.

    Args:
        metrics: the metrics, by name.
        pairs: the original and perturbed rows, with their right answers.
        run: the answers of the model.
        attack: the name of the attack.
        where: the indices of the rows that are counted; None for all rows of the attack.
    """
    where = range(len(pairs.attacks[attack])) if where is None else where
    rows = [pairs.attacks[attack][at].original for at in where]
    before = scores(metrics, pairs, [[episode[at] for at in rows] for episode in run.originals], rows)
    after = scores(metrics, pairs, [[episode[at] for at in where] for episode in run.attacks[attack]], rows)
    found: dict[str, report.ChangedScore] = {}
    for name, was in before.items():
        now = after[name]
        both = zip(was.parts or (), now.parts or (), strict=True)
        parts = [structs.replace(one, before=one.value, after=other.value) for one, other in both]
        found[name] = report.ChangedScore(was.value, now.value, was.std, now.std, parts or None)
    return found
