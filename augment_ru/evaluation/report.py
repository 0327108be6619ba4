"""The report of an evaluation as JSON values; the same predictions give the same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation import tables
from augment_ru.evaluation.answers import Answer, by_field, most_frequent, prediction_json
from augment_ru.evaluation.breakdowns import by_strength, by_subpopulation
from augment_ru.evaluation.comparisons import comparisons
from augment_ru.evaluation.flipping import Flipping
from augment_ru.evaluation.intervals import RESAMPLES
from augment_ru.evaluation.metrics import Kind, Metric
from augment_ru.evaluation.outcomes import Golds, groups_of, outcomes_of_originals, scores
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.rates import DIGITS, JudgedRun, attack_entry, mean_asr, metric_entries, together_entries
from augment_ru.evaluation.row_outcomes import original_keys, row_keys, written_outcomes
from augment_ru.evaluation.searches import searches
from augment_ru.evaluation.subpopulations import Subpopulation
from augment_ru.evaluation.table_text import as_text
from augment_ru.evaluation.worst_case import chosen_from
from augment_ru.version import __version__

FORMAT = "augment-ru evaluation"
VERSION = 2
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
        title: the title of the report; None for none.
        data: the name of the file of rows, without its folder; None for rows made in Python.
        date: the date that the report states; None for none.
        flipping: by the number of a judged run, the attack and the number of the row: which edits flip the answer, by
            field; for rows whose edits were asked one by one.
        specs: the attacks behind the names of the variations of a release.
    """

    pairs: Pairs
    golds: Golds
    kind: Kind
    metrics: Mapping[str, Metric]
    judged: Sequence[JudgedRun]
    subpopulations: Sequence[Subpopulation]
    settings: Mapping[str, str]
    seed: int
    title: str | None = None
    data: str | None = None
    date: str | None = None
    flipping: Flipping = field(default_factory=dict)
    specs: Mapping[str, str] = field(default_factory=dict)

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
            **({} if self.title is None else {"title": self.title}),
            **({} if self.date is None else {"date": self.date}),
            "data": {"name": self.data, "digest": self.settings.get("data")},
            "task": task.name,
            "fields": list(task.fields),
            "gold": list(task.gold),
            "metrics": list(self.metrics),
            "correct": CORRECT[self.kind],
            "originals": len(self.pairs.originals),
            "originals_without_gold": sum(None in gold for gold in self.golds),
            "attacks": list(self.pairs.attacks),
            **({"specs": dict(self.specs)} if self.specs else {}),
            "majority": self._majority(),
            "models": [self._model(one) for one in self.judged],
            "comparisons": comparisons(self.judged, len(self.pairs.originals)),
            **searches(self.pairs),
            **chosen_from(self.pairs),
            "rows": row_keys(self.pairs, self.golds),
            **({} if self.pairs.attacks else {"original_rows": original_keys(self.pairs, self.golds)}),
        }

    def _majority(self) -> dict[str, float]:
        """The score of each metric if every row got the most frequent right answer; empty where answers are lists."""
        if self.kind == "lists":
            return {}
        columns = list(zip(*self.golds, strict=True))
        constant = tuple(most_frequent(column) for column in columns)
        answers: list[Answer] = [constant] * len(self.golds)
        found = scores(self.metrics, self.golds, [answers], groups_of(self.pairs))
        return {name: round(score.values[0], DIGITS) for name, score in found.items()}

    def _model(self, judged: JudgedRun) -> dict[str, Any]:
        run = judged.run
        attacks = {
            attack: attack_entry(judged, attack, self.pairs, self.golds, self.metrics)
            | {
                "subpopulations": by_subpopulation(outcomes, self.subpopulations),
                "strength": by_strength(outcomes, self.pairs.attacks[attack]),
                "outcomes": written_outcomes(outcomes),
            }
            for attack, outcomes in judged.outcomes.items()
        }
        return {
            "model": run.model,
            "signature": run.signature,
            "shots": run.shots,
            "episodes": run.episodes,
            "metrics": metric_entries(judged, self.pairs, self.golds, self.metrics),
            **together_entries(judged),
            "asr_mean": mean_asr(attacks),
            "attacks": attacks,
            **({} if attacks else {"outcomes": self._outcomes_of_originals(run)}),
        }

    def _outcomes_of_originals(self, run: ModelRun) -> list[list[str]]:
        """The outcomes of an evaluation without attacks: k for right, w for wrong."""
        return written_outcomes(outcomes_of_originals(run, self.pairs, self.golds, self.kind))

    def to_frame(self) -> Any:  # noqa: ANN401  (pandas is no dependency)
        """The numbers of the report as a pandas DataFrame: a row for each model and attack.

        Raises:
            AugmentError: pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: PLC0415  (a package of the user's)
        except ImportError as error:
            raise AugmentError("to_frame needs pandas; pip install pandas") from error
        return pd.DataFrame(tables.numbers(self.report()))

    def to_markdown(self) -> str:
        """The tables of the report in markdown."""
        parts = [f"{table.title}\n\n{as_text(table, 'markdown')}" for table in tables.tables_of(self.report())]
        return "\n".join(parts)

    def _clean_predictions(self, run: ModelRun, episode: int) -> Iterator[dict[str, Any]]:
        """A row for each original, of an evaluation without attacks."""
        task = self.pairs.task
        for original, gold, answer in zip(self.pairs.originals, self.golds, run.originals[episode], strict=True):
            yield {
                "model": run.model,
                "shots": run.shots,
                "episode": episode,
                "attack": None,
                "id": original.id,
                "gold": by_field(gold, task),
                "original_prediction": prediction_json(answer, task),
                **dict.fromkeys(("prediction", "status", "outcome")),
            }

    def predictions(self) -> Iterator[dict[str, Any]]:
        """A row for each model, number of shots, episode, attack and record: enough to count the report again."""
        task = self.pairs.task
        for judged in self.judged:
            run = judged.run
            for episode in range(run.episodes):
                if not self.pairs.attacks:
                    yield from self._clean_predictions(run, episode)
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
                            "original_prediction": prediction_json(run.originals[episode][pair.original], task),
                            "prediction": prediction_json(run.attacks[attack][episode][row], task),
                            "status": pair.status,
                            "outcome": by_field(outcomes.names(episode, row), task),
                        }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
