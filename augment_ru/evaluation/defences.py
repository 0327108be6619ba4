"""Put normalizers in front of models (defences); count the right answers that they cost, and recover under attacks."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from augment_ru.errors import AugmentError
from augment_ru.evaluation import rates
from augment_ru.evaluation.answers import Kind, in_source, spans_of
from augment_ru.evaluation.examples import Example, NamedModel, Prediction
from augment_ru.evaluation.paired import Difference, RunsInPairs
from augment_ru.evaluation.pairs import ORIGINAL, Original, Pair, Pairs, inverse_script
from augment_ru.evaluation.report import DefenceReport, DefendedAttack, ModelDifference, Rate
from augment_ru.formats.row import new_row
from augment_ru.normalizers._normalization import Normalization
from augment_ru.normalizers._normalizer import Normalized, Normalizer
from augment_ru.records.record import Record
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class Defence:
    """Puts a normalizer in front of a model: the model is asked about the normalized text.

    Attributes:
        normalizer: the normalizer.
    """

    normalizer: Normalizer
    _last: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, spec: str | Normalization) -> "Defence":
        """Make the defence (a normalizer in front of a model) that a specification names.

        Args:
            spec: the name of a normalizer, or several joined by `+`; or the normalization itself.

        Raises:
            AugmentError: a name is unknown.
        """
        return cls(Normalizer(spec))

    @property
    def name(self) -> str:
        """The name of the normalizer."""
        return self.normalizer.name

    def protect(self, model: NamedModel, kind: Kind = "labels") -> NamedModel:
        """Return a new model that normalizes each question and then asks `model`.

        If the answers are spans, the spans that `model` finds in the normalized text are moved to their places in the
        text before normalization.

        Args:
            model: the bare model (without a defence).
            kind: the kind of its answers.
        """
        found = replace(model, name=f"{self.name} + {model.name}", defence=self.name, reads=self.read)
        if kind != "spans":
            return found

        def predict(examples: Sequence[Example]) -> list[Prediction]:
            given = dict(pair for own in model.answers(self.read(examples)) for pair in own)
            return [_brought_back(given[at], *pair) for at, pair in enumerate(zip(*self._last[1:], strict=True))]

        return replace(found, reads=None, predict=predict, stream=None, signature=found.stated, defence="")

    def read(self, examples: Sequence[Example]) -> Sequence[Example]:
        """Return the questions with normalized texts; the offsets that a row states as numbers move with its texts."""
        if not self._last or self._last[0] is not examples:  # several models are asked the same questions
            normalized = self.normalizer.chunk([Record(example.record, example.task) for example in examples])
            found = []
            for one, values in zip(examples, map(_values, normalized), strict=True):
                text = "\n".join(Record(values, one.task).read().values())
                found.append(Example(values, one.task, text, one.shots))
            self._last[:] = examples, found, normalized
        read: Sequence[Example] = self._last[1]
        return read

    def readings(self, rows: Iterable[Mapping[str, object]], task: Task) -> list[dict[str, str]]:
        """Return, for each row, the texts that the normalizer changes: the normalized texts by field.

        Args:
            rows: the rows.
            task: the task of the rows.
        """
        found = self.normalizer.chunk([Record(values, task) for values in rows])
        return [
            {name: script.text for name, script in one.scripts.items() if script.text != script.source} for one in found
        ]

    def changed(self, pairs: Pairs) -> dict[str, Rate]:
        """Return the percentage of rows that the normalizer changes, by attack and, under "", for the originals."""
        every: Mapping[str, Sequence[Original | Pair]] = {"": pairs.originals, **pairs.attacks}
        read = {name: self.readings((one.values for one in rows), pairs.task) for name, rows in every.items()}
        return {name: rates.wilson_rate(sum(map(bool, own)), len(own)) for name, own in read.items()}


def _values(one: Normalized) -> Mapping[str, object]:
    """Return the values of a row with normalized texts; unchanged values if an edit crosses an offset of the row."""
    if one.status == "normalized":
        with suppress(AugmentError):
            return new_row(one.record.values, one.changed("none"))
    return one.record.values


def _brought_back(prediction: Prediction, asked: Example, normalized: Normalized) -> Prediction:
    """Move the spans that a model found in a normalized text to their places in the text before normalization.

    If the model was asked about the text before normalization, the prediction is returned unchanged.
    """
    name = asked.task.layout.labelled or ""
    script = normalized.scripts[name]
    if Record(asked.record, asked.task).text(name) != script.text:
        return prediction
    found = in_source(spans_of(prediction), inverse_script(script), {})
    return [{"start": one.start, "end": one.stop, "label": one.label} for one in found]


def defence_report(
    name: str, bare: rates.JudgedRun, own: rates.JudgedRun, pairs: Pairs, *, changed: Mapping[str, Rate], seed: int
) -> DefenceReport:
    """Return how many right answers a defence costs on the originals, and how many it recovers under each attack.

    Args:
        name: the name of the defence.
        bare: the run (the answers) of the model without the defence, with its outcomes.
        own: the run of the model behind the defence.
        pairs: the original and perturbed rows.
        changed: the share of rows that the normalizer changes, by attack, and under "" for the originals.
        seed: the seed of the bootstrap.
    """
    clean = [replace(one, outcomes={ORIGINAL: rates.outcomes_of(one.run, pairs)}) for one in (bare, own)]
    records = len(pairs.originals)
    if not pairs.attacks:
        nothing = rates.Cells(np.zeros((1, 1, records)), np.ones((1, 1, records)))
        clean = [replace(one, cells={("", rates.RIGHT): nothing}) for one in clean]
    (cost,) = [one for one in RunsInPairs(clean, seed).comparisons() if isinstance(one, ModelDifference)]
    attacks = {}
    for attack in pairs.attacks:
        before, after = bare.outcomes[attack], own.outcomes[attack]
        flags = (before.right, before.after & before.known, after.after & after.known)
        cells = [before.cells(one, before.known, records) for one in flags]
        attacks[attack] = _recovered(cells, rates.bootstrap(cells, seed), changed[attack])
    worst = None
    if attacks:
        names = (bare, ("", rates.RIGHT)), (bare, ("", rates.WORST)), (own, ("", rates.WORST))
        worst = _recovered([one.cells[key] for one, key in names], [one.resamples[key] for one, key in names])
    return DefenceReport(
        name=name, of=bare.run.model, changed=changed[""], cost=cost, attacks=attacks, worst_case=worst
    )


def _recovered(
    cells: Sequence[rates.Cells], drawn: Sequence[np.ndarray] | np.ndarray, changed: Rate | None = None
) -> DefendedAttack:
    """Return how many right answers an attack costs, and which share of this cost a defence recovers.

    The recovered share is (defended - attacked) / (clean - attacked). It is None unless the interval of the cost,
    clean - attacked, lies above 0.

    Args:
        cells: the right answers and decisions behind three rates: clean (bare model, originals), attacked (bare model,
            perturbed rows) and defended (model behind the defence, perturbed rows).
        drawn: the resamples of the three rates, from the same bootstrap.
        changed: the share of attacked rows that the defence changes.
    """
    clean, attacked, defended = (one.rate() or 0.0 for one in cells)
    cost = Difference.of(cells[:2], drawn[:2])
    ends = cost.interval()
    share = None
    if ends is not None and ends[0] > 0:
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = (drawn[2] - drawn[1]) / (drawn[0] - drawn[1])
        interval = rates.percentile95(np.where(np.isfinite(shares), shares, np.nan))
        share = Rate(rates.percent((defended - attacked) / (clean - attacked)), rates.percents(interval), "bootstrap")
    return DefendedAttack(
        clean=rates.percent(clean),
        attacked=rates.percent(attacked),
        defended=rates.percent(defended),
        cost=Rate(rates.percent(cost.value), rates.percents(ends), "bootstrap"),
        recovered=share,
        changed=changed,
    )
