"""The report of an evaluation: one table of JSON values, the same bytes for the same predictions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from augment_ru.evaluation.answers import shown
from augment_ru.evaluation.comparisons import comparisons
from augment_ru.evaluation.intervals import RESAMPLES
from augment_ru.evaluation.metrics import Kind, Metric
from augment_ru.evaluation.outcomes import Golds, Outcomes, judged, scores
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import Sitting
from augment_ru.evaluation.rates import Judged, attack_entry, by_strength, by_subpopulation, mean_and_spread, resampled
from augment_ru.evaluation.subpopulations import Subpopulation
from augment_ru.version import __version__

FORMAT = "augment-ru evaluation"
VERSION = 1
"""Of the report's form; it changes when a key changes its meaning or goes."""

CORRECT = {
    "labels": "same label",
    "answers": "exact match after normalisation",
    "lists": "every option judged rightly",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was asked and answered, and all that follows from it.

    Attributes:
        pairs: the rows.
        golds: the right answers of the originals.
        kind: what answers are.
        metrics: how they are scored.
        judged: every sitting with its outcomes.
        cuts: the subpopulations of the originals.
        about: what defines the numbers beside the models: name to value, as the signature shows it.
        seed: of demonstrations and the bootstrap.
    """

    pairs: Pairs
    golds: Golds
    kind: Kind
    metrics: Mapping[str, Metric]
    judged: Sequence[Judged]
    cuts: Sequence[Subpopulation]
    about: Mapping[str, str]
    seed: int

    @property
    def signature(self) -> str:
        """All that defines the numbers, in one line."""
        parts = {
            "asr": "broken/right",
            "correct": CORRECT[self.kind].replace(" ", "-"),
            "task": self.pairs.task.name,
            "fields": ",".join(self.pairs.task.fields),
            "gold": ",".join(self.pairs.task.gold),
            "metrics": ",".join(self.metrics),
            **self.about,
            "seed": str(self.seed),
            "bootstrap": str(RESAMPLES),
            "augment-ru": __version__,
            "scikit-learn": _version("scikit-learn"),
        }
        return "|".join([f"{FORMAT}-v{VERSION}", *(f"{name}={value}" for name, value in parts.items())])

    def report(self) -> dict[str, Any]:
        """The report: see docs/evaluation.md for every key."""
        task = self.pairs.task
        return {
            "format": FORMAT,
            "version": VERSION,
            "signature": self.signature,
            "unit": "percent",
            "task": task.name,
            "fields": list(task.fields),
            "gold": list(task.gold),
            "metrics": list(self.metrics),
            "correct": CORRECT[self.kind],
            "originals": len(self.pairs.originals),
            "without_gold": sum(None in gold for gold in self.golds),
            "attacks": list(self.pairs.attacks),
            "models": [self._model(one) for one in self.judged],
            "comparisons": comparisons(self.judged, len(self.pairs.originals)),
        }

    def _model(self, one: Judged) -> dict[str, Any]:
        sitting = one.sitting
        found = scores(self.metrics, self.golds, sitting.originals)
        attacks = {
            attack: attack_entry(one, attack, self.pairs, self.golds, self.metrics)
            | {
                "subpopulations": by_subpopulation(outcomes, self.cuts),
                "strength": by_strength(outcomes, self.pairs.attacks[attack]),
            }
            for attack, outcomes in one.outcomes.items()
        }
        rates = [entry["asr"] for entry in attacks.values()]
        return {
            "model": sitting.model,
            "signature": sitting.signature,
            "shots": sitting.shots,
            "episodes": sitting.episodes,
            "metrics": {name: mean_and_spread(values) for name, values in found.items()},
            "asr_mean": None if None in rates else round(sum(rates) / len(rates), 4),
            "attacks": attacks,
        }

    def predictions(self) -> Iterator[dict[str, Any]]:
        """A row for each model, number of shots, episode, attack and record: enough to count everything again."""
        task = self.pairs.task
        for one in self.judged:
            sitting = one.sitting
            for episode in range(sitting.episodes):
                for attack, pairs in self.pairs.attacks.items():
                    outcomes = one.outcomes[attack]
                    for row, pair in enumerate(pairs):
                        yield {
                            "model": sitting.model,
                            "shots": sitting.shots,
                            "episode": episode,
                            "attack": attack,
                            "id": self.pairs.originals[pair.original].id,
                            "gold": shown(self.golds[pair.original], task),
                            "original_prediction": shown(sitting.originals[episode][pair.original], task),
                            "prediction": shown(sitting.attacks[attack][episode][row], task),
                            "status": pair.status,
                            "outcome": shown(outcomes.named(episode, row), task),
                        }


def judge(
    sittings: Sequence[Sitting],
    pairs: Pairs,
    golds: Golds,
    kind: Kind,
    seed: int,
) -> list[Judged]:
    """Every sitting with its outcomes and resamples."""
    outcomes: list[Mapping[str, Outcomes]] = [
        {attack: judged(sitting, pairs, attack, golds, kind) for attack in pairs.attacks} for sitting in sittings
    ]
    drawn = resampled(outcomes, len(pairs.originals), seed)
    return [Judged(*one) for one in zip(sittings, outcomes, drawn, strict=True)]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
