"""The points for exercises of MERA's USE, and its metric grade norm: the points of an exam / the most possible."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from augment_ru.errors import AugmentError, brief
from augment_ru.records.answers import label_of

_NO_LETTERS = re.compile(r"[\d\W]+")
_WITH_PARTS = "16"
"""The number of the exercise that gives a point for each right choice; others need all right choices."""


class Exercise(NamedTuple):
    """The right answer to an exercise of USE (MERA's task from the Russian school exam), and how it is scored.

    Attributes:
        answer: words of which any one is right, or the numbers of all right choices; with commas between them.
        kind: `text` (an answer in words), `matching` (a number for each item), or one of the kinds of multiple choice.
        number: the number of the exercise in the exam.
        variant: the number of the exam.
        most: the most points that the exercise can give.
    """

    answer: str
    kind: str
    number: str
    variant: str
    most: float

    def points(self, given: str) -> int:
        """Return the points that an answer earns, by the rules of the benchmark's own code.

        Args:
            given: the answer of a model: a word, or numbers with commas between them.
        """
        wanted, found = self.answer.split(","), given.split(",")
        if self.kind == "text":
            return int(_NO_LETTERS.sub("", given).lower() in wanted)
        if self.kind == "matching":
            return sum(map(str.__eq__, wanted, found)) if len(wanted) == len(found) else 0
        if self.number == _WITH_PARTS:
            return max(0, len({*wanted} & {*found}) - max(len(found) - len(wanted), 0))
        return int({*wanted} == {*found})


def exercise_of(answer: object, meta: object) -> Exercise:
    """Return the exercise of a row of USE, MERA's task from the Russian school exam.

    Args:
        answer: the right answer that the row states.
        meta: the row's field `meta`. If it has no `score`, the exercise gives at most one point.

    Raises:
        AugmentError: `meta` is no object.
    """
    if not isinstance(meta, Mapping):
        raise AugmentError(f"field 'meta' is {brief(meta)}; it must be an object with type, id_task, variant and score")
    kind, number, variant = (label_of(meta.get(key)) for key in ("type", "id_task", "variant"))
    return Exercise(label_of(answer), kind, number, variant, float(meta.get("score") or 1))


def grade_norm(golds: Sequence[Exercise], predictions: Sequence[str]) -> float:
    """Return MERA's grade norm: the share of the possible points, averaged over variants of the exam, in [0, 1].

    The share of a variant is the points that its exercises earn, divided by the most points that they can give (MERA,
    section 4.2).

    Args:
        golds: the exercises, with their right answers.
        predictions: the answer of the model to each.
    """
    points, most = Counter[str](), Counter[str]()
    for gold, given in zip(golds, predictions, strict=True):
        points[gold.variant] += gold.points(given)
        most[gold.variant] += gold.most  # type: ignore[assignment]
    return sum(points[variant] / most[variant] for variant in most) / len(most) if most else 0.0
