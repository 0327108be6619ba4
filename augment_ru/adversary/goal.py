"""The goal of a search, a wrong answer or a given label, and how far a model's scores are from it.

A rival is a label that may replace the right one. Its margin is how far its score is behind that of the right label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Floats
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import Kind, answer_of, carried, golds_of, is_right, metrics_of
from augment_ru.evaluation.examples import Scored
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.script import Script

DIGITS = 3
"""Margins are rounded to this many decimal places, so that the last bits of a score do not steer a search."""

_MOST_RIVALS = 8
"""The most rivals that a search watches: those with the smallest margins in the original."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of the search for a record: which answers of the model it looks for (they are called broken).

    A gold field is a field of the row that holds a right answer.

    Attributes:
        task: the task of the record.
        kind: the kind of the task's answers: `labels`, `spans`, `rankings` or another.
        golds: the right answer in each gold field of the task; None for a field without an answer.
        target: the label that the model is to give; None for any wrong answer.
    """

    task: Task
    kind: Kind
    golds: Sequence[Any]
    target: str | None = None

    @classmethod
    def of(cls, record: Record, target: str | None = None) -> "Goal":
        """Make the goal of the search for a record.

        Args:
            record: the record, with its right answer.
            target: the label that the model is to give; None for any wrong answer.
        """
        task = record.task
        kind = next(iter(metrics_of(task.scoring.metrics).values())).kind
        (golds,) = golds_of([record.values], task, kind)
        return cls(task, kind, golds, target)

    def check_known(self) -> None:
        """Check that the record has a right answer.

        Raises:
            AugmentError: the record has no right answer in the fields that its task states for it.
        """
        if all(gold is None for gold in self.golds):
            fields = ", ".join(f"'{name}'" for name in self.task.scoring.gold)
            raise AugmentError(f"no right answer in {fields or 'any field'}; name its field with `label_fields`")

    def answer(self, scored: Scored) -> tuple[Any, ...]:
        """Return a prediction in the form in which answers are compared: an entry for each field with a right answer.

        Raises:
            AugmentError: the prediction does not have the form that the task needs.
        """
        return answer_of(scored.prediction, self.task, self.kind)

    def is_right(self, answer: Sequence[Any]) -> bool:
        """Tell whether an answer is right in every gold field (a field of the row that holds a right answer).

        Fields for which the record has no right answer do not count.
        """
        pairs = zip(self.golds, answer, strict=True)
        return all(
            gold is None or is_right(self.kind, gold, given, self.task.scoring.normal_form) for gold, given in pairs
        )

    def is_broken(self, answer: Sequence[Any], script: Script | None = None) -> bool:
        """Tell whether an answer is what the search wants: the label `target` or, without a target, any wrong answer.

        If answers are labelled spans, an answer is wrong if it misses a right span. If the text has no right span, any
        span in the answer is wrong.

        Args:
            answer: the answer, with an entry for each gold field (a field of the row that holds a right answer).
            script: the edits that lead from the original to the text that was asked about; they move the right spans to
                their places in it. None if the text was not edited, or if answers are not spans.
        """
        if self.kind == "spans" and self.golds[0]:
            return not set(carried(self.golds[0], script) if script else self.golds[0]) <= set(answer[0])
        return not self.is_right(answer) if self.target is None else bool(answer[0] == self.target)

    def rivals(self, scored: Scored) -> list[tuple[int, str]] | None:
        """Return the rivals of the right labels, each as (index of the field that holds the right label, label).

        A rival is a label that may replace the right one. The rivals nearest to the right label in score come first; at
        most eight are returned. If there is a target label, it is the only rival. If answers are rankings of documents,
        the result is [(0, "")], which stands for the documents that are not relevant.

        Args:
            scored: the answer to the original, with scores.

        Returns:
            The rivals. None if the scores cannot be used: there are none, the right label or the target has no score,
            or no other label has one.
        """
        if self.kind == "rankings":
            return [(0, "")] if scored.scores and len(scored.scores[0]) > self.golds[0].first else None
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
            found += ((scores[gold] - value, field, label) for label, value in scores.items() if label != gold)
        return [(field, label) for _, field, label in sorted(found)[:_MOST_RIVALS]] or None

    def margins(self, scored: Scored, rivals: Sequence[tuple[int, str]]) -> Floats:
        """Return the margin of each rival: how far its score is behind that of the right label, in nats.

        A rival is a label that may replace the right one. If there is a target label, the only margin is how far its
        score is behind the best score of another label.

        Args:
            scored: an answer with scores.
            rivals: the rivals, each as (index of the field that holds the right label, label).

        Returns:
            The margins, shape (rivals,). A margin below 0 means that the rival is ahead.
        """
        if self.kind == "rankings":
            found = [self.golds[0].margin(scored.scores[0])]
        elif self.target is not None:
            others = max(value for label, value in scored.scores[0].items() if label != self.target)
            found = [others - scored.scores[0][self.target]]
        else:
            found = [scored.scores[at][self.golds[at]] - scored.scores[at][label] for at, label in rivals]
        return np.array(found).round(DIGITS)
