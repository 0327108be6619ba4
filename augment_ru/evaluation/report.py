"""The report of an evaluation as JSON values; the same predictions give the same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from augment_ru.evaluation.answers import by_field
from augment_ru.evaluation.breakdowns import by_strength, by_subpopulation
from augment_ru.evaluation.comparisons import comparisons
from augment_ru.evaluation.intervals import RESAMPLES
from augment_ru.evaluation.metrics import Kind, Metric
from augment_ru.evaluation.outcomes import Golds, scores
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.rates import DIGITS, JudgedRun, attack_entry, mean_and_spread
from augment_ru.evaluation.subpopulations import Subpopulation
from augment_ru.version import __version__

FORMAT = "augment-ru evaluation"
VERSION = 1
"""The version of the report's form; it changes when a key changes its meaning or is removed."""

CORRECT = {
    "labels": "same label",
    "answers": "exact match after normalisation",
    "lists": "every option judged rightly",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The answers of all models, judged: what the report, the page and the predictions are made of.

    Attributes:
        pairs: the rows.
        golds: the right answers of the originals.
        kind: what answers are.
        metrics: the metrics, by name.
        judged: every model run with its outcomes.
        subpopulations: the subpopulations of the originals.
        settings: further parts of the signature: name to value.
        seed: the seed of the demonstrations and of the bootstrap.
    """

    pairs: Pairs
    golds: Golds
    kind: Kind
    metrics: Mapping[str, Metric]
    judged: Sequence[JudgedRun]
    subpopulations: Sequence[Subpopulation]
    settings: Mapping[str, str]
    seed: int

    def __repr__(self) -> str:
        models = ", ".join(dict.fromkeys(one.run.model for one in self.judged))
        attacks = ", ".join(self.pairs.attacks)
        return f"Evaluation(models: {models}; attacks: {attacks}; originals: {len(self.pairs.originals):,})"

    def _repr_html_(self) -> str:
        """The table of rates, for notebooks."""
        from augment_ru.evaluation.notebook import rates_html  # noqa: PLC0415  (only notebooks need it)

        return rates_html(self.report())

    @property
    def signature(self) -> str:
        """One line with all that defines the numbers."""
        parts = {
            "asr": "broken/right",
            "correct": CORRECT[self.kind].replace(" ", "-"),
            "task": self.pairs.task.name,
            "fields": ",".join(self.pairs.task.fields),
            "gold": ",".join(self.pairs.task.gold),
            "metrics": ",".join(self.metrics),
            **self.settings,
            "seed": str(self.seed),
            "bootstrap": str(RESAMPLES),
            "augment-ru": __version__,
            "scikit-learn": _version("scikit-learn"),
        }
        return "|".join([f"{FORMAT}-v{VERSION}", *(f"{name}={value}" for name, value in parts.items())])

    def report(self) -> dict[str, Any]:
        """The report; its keys are explained in docs/evaluation.md."""
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
            "originals_without_gold": sum(None in gold for gold in self.golds),
            "attacks": list(self.pairs.attacks),
            "models": [self._model(one) for one in self.judged],
            "comparisons": comparisons(self.judged, len(self.pairs.originals)),
        }

    def _model(self, judged: JudgedRun) -> dict[str, Any]:
        run = judged.run
        attacks = {
            attack: attack_entry(judged, attack, self.pairs, self.golds, self.metrics)
            | {
                "subpopulations": by_subpopulation(outcomes, self.subpopulations),
                "strength": by_strength(outcomes, self.pairs.attacks[attack]),
            }
            for attack, outcomes in judged.outcomes.items()
        }
        rates = [entry["asr"] for entry in attacks.values()]
        found = scores(self.metrics, self.golds, run.originals)
        return {
            "model": run.model,
            "signature": run.signature,
            "shots": run.shots,
            "episodes": run.episodes,
            "metrics": {name: mean_and_spread(values) for name, values in found.items()},
            "asr_mean": None if None in rates else round(sum(rates) / len(rates), DIGITS),
            "attacks": attacks,
        }

    def predictions(self) -> Iterator[dict[str, Any]]:
        """A row for each model, number of shots, episode, attack and record: enough to count the report again."""
        task = self.pairs.task
        for judged in self.judged:
            run = judged.run
            for episode in range(run.episodes):
                for attack, pairs in self.pairs.attacks.items():
                    outcomes = judged.outcomes[attack]
                    for row, pair in enumerate(pairs):
                        yield {
                            "model": run.model,
                            "shots": run.shots,
                            "episode": episode,
                            "attack": attack,
                            "id": self.pairs.originals[pair.original].id,
                            "gold": by_field(self.golds[pair.original], task),
                            "original_prediction": by_field(run.originals[episode][pair.original], task),
                            "prediction": by_field(run.attacks[attack][episode][row], task),
                            "status": pair.status,
                            "outcome": by_field(outcomes.names(episode, row), task),
                        }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
