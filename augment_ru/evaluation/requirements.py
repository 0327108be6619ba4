"""Requirements on the numbers of an evaluation, such as `asr(people) <= 5`, for tests that run unattended."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from augment_ru.errors import AugmentError, check_known, saying_where
from augment_ru.evaluation import rates
from augment_ru.evaluation.answers import Answer, Metric, accuracy, exact_match
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.report import ModelReport, Rate
from augment_ru.records.groups import grouped

_FORM = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*(<=|>=)\s*(-?\d+(?:\.\d+)?)\s*%?\s*", re.DOTALL)
_OF_ATTACKS = (
    "asr", "asr_above_noise", "flips_above_noise", "asr_perturbed_rows", "asr_all_rows", "flip_rate",
    "performance_drop_rate",
)  # fmt: skip
_OF_MODELS = ("worst_case", "worst_case_asr", "consistency", "same_text_flips")
_OF_REPEATS = ("asr_above_noise", "flips_above_noise", "same_text_flips")
_SHARES = (accuracy, exact_match)
"""The metrics that are shares of right answers."""
_UNKNOWN = Rate(None, None)


class Requirement(NamedTuple):
    """A limit that a rate or a metric of every model must keep to, such as `asr(people) <= 5`.

    Attributes:
        text: the requirement as it was given.
        name: a metric, or the name of a rate in the report.
        attack: the attack; None if the text names no attack: a rate such as `asr` must then meet the requirement for
            each attack, and a metric must meet it on the originals.
        most: True if the number must be at most `limit`, False if it must be at least `limit`.
        limit: the limit, in per cent.
    """

    text: str
    name: str
    attack: str | None
    most: bool
    limit: float

    @classmethod
    def of(cls, text: str) -> "Requirement":
        """Read a requirement on a rate or metric of each model: `NAME <= NUMBER` or `NAME(ATTACK) >= NUMBER`.

        >>> Requirement.of("asr(people) <= 5").attack
        'people'

        Raises:
            AugmentError: the text has another form.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            problem = f"`require` {text}: must be NAME <= NUMBER or NAME(ATTACK) >= NUMBER, as in asr(people) <= 5"
            raise AugmentError(problem)
        name, attack, sign, limit = found.groups()
        return cls(" ".join(text.split()), name, attack and attack.strip(), sign == "<=", float(limit))

    def check(self, metrics: Sequence[str], attacks: Sequence[str], repeats: int) -> None:
        """Check that an evaluation computes the rate or metric that this requirement limits, for its attack.

        Whether the value is within the limit is checked later.

        Args:
            metrics: the names of the metrics of the evaluation.
            attacks: its attacks.
            repeats: how often it asks each question.

        Raises:
            AugmentError: the evaluation does not compute this rate or metric.
        """
        known = [*metrics, *(_OF_ATTACKS + _OF_MODELS if attacks else ("same_text_flips",))]
        with saying_where(f"`require` {self.text}"):
            check_known("metric or rate", self.name, known)
            if self.attack is not None and self.name in _OF_MODELS:
                raise AugmentError(f"{self.name} is no number of one attack; leave ({self.attack}) out")
            if self.attack is not None:
                check_known("attack", self.attack, attacks)
            if self.name in _OF_REPEATS and repeats == 1:
                raise AugmentError("is known from repeats alone; give `repeats` 3")

    def problem(self, known: Rate, *, point: bool) -> str | None:
        """Return in words why a value is not within the limit of the requirement; None if it is.

        Args:
            known: the value of the rate or metric, with its interval.
            point: True to judge the value itself; False to judge the end of its 95 % interval that is nearer to
                failing: the upper end for <=, the lower end for >=.
        """
        ends = known.ci95
        if known.value is None or (ends is None and not point):
            return "is not known"
        judged = known.value if point or ends is None else ends[1 if self.most else 0]
        if judged <= self.limit if self.most else judged >= self.limit:
            return None
        beyond = f"{'over' if self.most else 'under'} {self.limit:g}"
        if point or ends is None:
            return f"is {known.value:.2f}, {beyond}"
        end = f"{'upper' if self.most else 'lower'} end"
        return f"is {known.value:.2f}, 95 % {ends[0]:.2f}–{ends[1]:.2f}; the {end} is {beyond}"

    def of_model(self, model: ModelReport, metric: Callable[[str, str | None], Rate]) -> Iterator[tuple[str, Rate]]:
        """Yield the rates or metrics of a model that the requirement limits, each with its name.

        The requirement may limit several rates, such as the success rate of every attack.

        Args:
            model: the entry of the model in the report.
            metric: computes a metric by its name, on the rows of an attack, or on the originals if the attack is None.
        """
        if self.name in _OF_MODELS:
            yield self.name, getattr(model, self.name) or _UNKNOWN
        elif self.name not in _OF_ATTACKS:
            yield self.name if self.attack is None else f"{self.name}({self.attack})", metric(self.name, self.attack)
        else:
            for attack in [self.attack] if self.attack is not None else model.attacks:
                entry = model.attacks[attack]
                found = Rate(entry.rate.asr, entry.rate.ci95) if self.name == "asr" else getattr(entry, self.name)
                yield f"{self.name}({attack})", found or _UNKNOWN


def metric_of(
    metric: Metric, pairs: Pairs, episodes: Sequence[Sequence[Answer]], rows: Sequence[int], seed: int
) -> Rate:
    """Return a metric with its 95 % interval, in per cent.

    The interval is Wilson's if the metric is a share of right answers and each record gives one decision; otherwise it
    is that of a bootstrap over records.

    Args:
        metric: the metric.
        pairs: the original and perturbed rows.
        episodes: for each episode (set of demonstrations), the answer to each row.
        rows: the index of each row's original.
        seed: the seed of the bootstrap.
    """

    def value(chosen: Sequence[int]) -> float | None:
        answers = [[episode[at] for at in chosen] for episode in episodes]
        found = rates.scores({"": metric}, pairs, answers, [rows[at] for at in chosen])
        return found[""].value if found else None

    every = value(range(len(rows)))
    known = [at for at, original in enumerate(rows) if None not in pairs.golds[original]]
    scoring = pairs.task.scoring
    alone = len(scoring.decided) == len(episodes) == 1 and scoring.grouped_by is None
    if every is not None and metric.score in _SHARES and alone and len({rows[at] for at in known}) == len(known):
        return Rate(every, rates.percents(rates.wilson(every / 100 * len(known), len(known))))
    own, random = list(grouped((rows[at], at) for at in known).values()), np.random.default_rng([seed, 1])
    drawn = [
        np.nan if (one := value([at for record in picked for at in own[record]])) is None else one
        for picked in random.integers(len(own), size=(rates.RESAMPLES if own else 0, len(own))).tolist()
    ]
    return Rate(every, rates.percentile95(np.array(drawn, np.float64)))
