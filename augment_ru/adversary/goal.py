"""What a search is after: a wrong answer, or one label; and how far the model still is from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Floats
from augment_ru.evaluation.answers import Gold, Kind, answer_of, golds_of, is_right, metrics_of
from augment_ru.evaluation.examples import LabelScores, Scored
from augment_ru.records.record import Record
from augment_ru.records.task import Task

DIGITS = 3
"""Margins are rounded to this number of digits, so that the last bits of a network's scores do not steer a search."""
_UNITS = 10.0**DIGITS

_MOST_RIVALS = 8
"""How many labels a search watches at most: those that come nearest in the original."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What counts as broken for a record.

    Attributes:
        task: the task of the record.
        kind: what answers are.
        golds: the right answer of each field of `task.gold`; None where the record has none.
        target: the label that the model is to give; None for any wrong answer.
    """

    task: Task
    kind: Kind
    golds: Sequence[Gold | None]
    target: str | None = None

    @classmethod
    def of(cls, record: Record, target: str | None = None) -> "Goal":
        """Return the goal for a record."""
        task = record.task
        kind = next(iter(metrics_of(task.scoring.metrics).values())).kind
        (golds,) = golds_of([record.values], task, kind)
        return cls(task, kind, golds, target)

    @property
    def is_known(self) -> bool:
        """Whether the record has a right answer."""
        return any(gold is not None for gold in self.golds)

    @property
    def is_right_already(self) -> bool:
        """Whether the label that is aimed at is the right one, so that there is nothing to break."""
        return self.target is not None and self.golds[0] == self.target

    def answer(self, scored: Scored) -> tuple[Any, ...]:
        """Return the prediction as metrics compare it.

        Raises:
            AugmentError: the prediction has not the form that the task needs.
        """
        return answer_of(scored.prediction, self.task, self.kind)

    def is_right(self, answer: Sequence[Any]) -> bool:
        """Tell whether the answer is right in every field that has a right answer."""
        pairs = zip(self.golds, answer, strict=True)
        return all(gold is None or is_right(self.kind, gold, given) for gold, given in pairs)

    def is_broken(self, answer: Sequence[Any]) -> bool:
        """Tell whether the answer is what the search is after."""
        return not self.is_right(answer) if self.target is None else bool(answer[0] == self.target)

    def rivals(self, scored: Scored) -> list[tuple[int, str]] | None:
        """Return the labels whose scores are compared with that of the right one, each with the number of its field.

        Those that come nearest are first. None where scores say nothing: there are none, or the right label has none.
        """
        if self.kind != "labels" or len(scored.scores) != len(self.golds):
            return None
        if self.target is not None:
            return [(0, self.target)] if self.target in scored.scores[0] and len(scored.scores[0]) > 1 else None
        found: list[tuple[float, int, str]] = []
        for field, (gold, scores) in enumerate(zip(self.golds, scored.scores, strict=True)):
            if gold is None:
                continue
            if gold not in scores:
                return None
            found += ((_score(scores, gold) - value, field, label) for label, value in scores.items() if label != gold)
        return [(field, label) for _, field, label in sorted(found)[:_MOST_RIVALS]] or None

    def margins(self, scored: Scored, rivals: Sequence[tuple[int, str]]) -> Floats:
        """How far each rival is from winning, in nats, shape (rivals,); at 0 it is level with the right label.

        With a target it is how far the target is behind the best of the others.
        """
        if self.target is not None:
            scores = scored.scores[0]
            others = max(value for label, value in scores.items() if label != self.target)
            return _rounded([others - scores[self.target]])
        found = [
            _score(scored.scores[field], self.golds[field]) - scored.scores[field][label] for field, label in rivals
        ]
        return _rounded(found)


def _rounded(margins: Sequence[float]) -> Floats:
    """Return the margins, rounded as `np.round` does it, in a third of its time."""
    found = np.array(margins) * _UNITS
    np.rint(found, out=found)
    found /= _UNITS
    return found


def _score(scores: LabelScores, gold: Any) -> float:  # noqa: ANN401  (a label)
    return scores[gold]
