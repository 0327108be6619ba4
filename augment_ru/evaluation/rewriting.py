"""Score rewritten texts jointly by their style, meaning and fluency (task ruDetox of the benchmark MERA, section 4.2).

A classifier judges each of the three.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from augment_ru.draws import Floats
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import Kind, Metric
from augment_ru.evaluation.examples import ModelRequest, example_of, model_of
from augment_ru.evaluation.pairs import Pairs
from augment_ru.records.task import Task, generic
from augment_ru.resources import dictionary_path, rows

_METRICS: Mapping[str, tuple[str, int | str]] = {
    "style": ("sta", 0),
    "meaning": ("sim", "paraphrase"),
    "fluency": ("fl", 1),
}
"""Maps each judge to its metric, and to the index or the label of the output that means a good text."""
_SECOND = 1
"""The index of the output of `meaning` that is used if no output has the label."""


class Rewritten(tuple[str, ...]):  # noqa: SLOT001  (a tuple with an attribute has none)
    """The right answers of a row whose text is to be rewritten, as a tuple of texts.

    Attributes:
        source: the text that is to be rewritten.
    """

    source: str


@dataclass(frozen=True, slots=True)
class Judges:
    """The classifiers that judge rewritten texts (of a task such as detoxification), in place of people.

    Attributes:
        models: maps `style`, `meaning` and `fluency` to their classifiers; empty if the task is scored without them.
        task: the task of the rows.
    """

    models: Mapping[str, Any]
    task: Task
    _known: dict[tuple[str, str], Floats] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, folders: Mapping[str, str], request: ModelRequest, kind: Kind) -> "Judges":
        """Load the classifiers that judge rewritten texts.

        Args:
            folders: maps `style`, `meaning` and `fluency` to the folder of the classifier; empty for no classifiers.
            request: what the classifiers are made from: the task and the device.
            kind: the kind of the task's answers.

        Raises:
            AugmentError: the classifiers are not exactly style, meaning and fluency, one of them cannot be loaded, or
                the task has no written answers.
        """
        if folders and (folders.keys() != _METRICS.keys() or kind != "answers"):
            raise AugmentError(f"`judges`: needs a task with written answers, and models of {', '.join(_METRICS)}")
        found = {}
        for name, folder in folders.items():
            read = generic("source", "text") if name == "meaning" else generic("text")
            found[name] = model_of(f"hf-classifier:{folder}", replace(request, task=read, labels=None))
        return cls(found, request.task)

    @property
    def signature(self) -> str:
        """Return all that defines the scores: the signatures of the three classifiers."""
        return ",".join(str(self.models[name].signature) for name in _METRICS)

    def added(self, metrics: Mapping[str, Metric], pairs: Pairs) -> tuple[dict[str, Metric], Pairs]:
        """Add the metrics of the classifiers before the others; return all metrics, and the rows that they need.

        The metrics of the classifiers are the mean scores `sta` (style), `sim` (meaning) and `fl` (fluency), in [0, 1],
        and `j`, the mean product of the three. Without classifiers nothing is added.

        Args:
            metrics: the other metrics, by name.
            pairs: the original and perturbed rows.

        Returns:
            All metrics; and the rows. The classifiers also need the text that is to be rewritten, so the right answers
            of the rows now hold it (`Rewritten`).
        """
        if not self.models:
            return dict(metrics), pairs
        places = {"j": slice(None)} | {metric: slice(at, at + 1) for at, (metric, _) in enumerate(_METRICS.values())}
        found = {name: Metric("answers", partial(self._mean, at=at)) for name, at in places.items()}
        made: list[tuple[Any, ...]] = []
        for (gold,), original in zip(pairs.golds, pairs.originals, strict=True):
            own: Any = gold and Rewritten(gold)  # type: ignore[arg-type]
            if own:
                own.source = example_of(original.values, self.task).text
            made.append((own,))
        return found | dict(metrics), replace(pairs, golds=made)

    def _mean(self, golds: Sequence[Rewritten], answers: Sequence[str], at: slice) -> float:
        pairs = [(gold.source, text) for gold, text in zip(golds, answers, strict=True)]
        if new := [pair for pair in dict.fromkeys(pairs) if pair not in self._known]:
            curve = np.array(list(rows(dictionary_path("mera_calibration"), columns=2)), np.float64).T
            shares = np.array([self._shares(name, new) for name in _METRICS]).T
            self._known.update(zip(new, np.interp(shares, *curve), strict=True))
        return float(np.mean([self._known[pair][at].prod() for pair in pairs])) if pairs else 0.0

    def _shares(self, name: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability with which a judge calls each rewritten text good."""
        model, wanted, found = self.models[name], _METRICS[name][1], list[float]()
        for one in model.scored([example_of({"source": first, "text": text}, model.task) for first, text in pairs]):
            logits = one.scores[0]
            place = wanted if isinstance(wanted, int) else [*logits].index(wanted) if wanted in logits else _SECOND
            values = np.array([*logits.values()])
            found.append(float(1 / np.exp(values - values[place]).sum()))
        return found
