"""What attacks did to the predictions of a model: kept, broken, fixed; and the rates that follow from the counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.answers import Answer
from augment_ru.evaluation.intervals import Cells
from augment_ru.evaluation.metrics import Gold, Kind, Metric, right
from augment_ru.evaluation.pairs import Pair, Pairs
from augment_ru.evaluation.protocol import Sitting

Flags = npt.NDArray[np.bool_]
Golds = Sequence[Sequence[Gold | None]]

OUTCOMES = ("kept", "broken", "fixed", "wrong")
"""Right before and after; right before alone; right after alone; wrong before and after."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The rows of an attack, judged, as arrays of shape (fields of the right answer, episodes, rows).

    Attributes:
        original: the index of each row's original, shape (rows,).
        known: whether the row has a right answer, shape (fields, rows).
        before, after: whether the prediction on the original and on the row is right.
        flipped: whether the two predictions differ.
        perturbed: whether the attack changed the row, shape (rows,).
    """

    original: npt.NDArray[np.int64]
    known: Flags
    before: Flags
    after: Flags
    flipped: Flags
    perturbed: Flags
    status: Mapping[str, int]

    @property
    def right(self) -> Flags:
        """Right on the original: what an attack can break."""
        return self.before & self.known[:, None, :]

    @property
    def broken(self) -> Flags:
        """Right on the original, and not on the row."""
        return self.right & ~self.after

    @property
    def fixed(self) -> Flags:
        """Wrong on the original, and right on the row."""
        return ~self.before & self.after & self.known[:, None, :]

    def cells(self, hits: Flags, trials: Flags, records: int, rows: Flags | None = None) -> Cells:
        """Hits and trials added up by original, for rates and their intervals.

        Args:
            hits: what is counted, shape (fields, episodes, rows).
            trials: among what, of the same shape.
            records: the number of originals.
            rows: which rows count, shape (rows,); None for all.
        """
        return Cells(*(self._by_record(flags, records, rows) for flags in (hits, trials)))

    def _by_record(self, flags: Flags, records: int, rows: Flags | None) -> npt.NDArray[np.float64]:
        if rows is not None:
            flags = flags & rows
        fields, episodes, _ = flags.shape
        found = np.zeros((fields, episodes, records))
        np.add.at(found.transpose(2, 0, 1), self.original, flags.transpose(2, 0, 1))
        return found

    def named(self, episode: int, row: int) -> list[str | None]:
        """The outcome of a row for each field of the right answer; None where there is none."""
        found: list[str | None] = []
        for at in range(self.known.shape[0]):
            before, after = self.before[at, episode, row], self.after[at, episode, row]
            name = ("kept" if after else "broken") if before else ("fixed" if after else "wrong")
            found.append(name if self.known[at, row] else None)
        return found


def judged(sitting: Sitting, pairs: Pairs, attack: str, golds: Golds, kind: Kind) -> Outcomes:
    """The rows of an attack, judged."""
    rows: Sequence[Pair] = pairs.attacks[attack]
    fields = len(pairs.task.gold)
    original = np.array([pair.original for pair in rows], np.int64)
    shape = (fields, sitting.episodes, len(rows))
    before, after, flipped = (np.zeros(shape, np.bool_) for _ in range(3))
    known = np.array([[golds[at][which] is not None for at in original] for which in range(fields)], np.bool_)
    for episode, (first, then) in enumerate(zip(sitting.originals, sitting.attacks[attack], strict=True)):
        for row, at in enumerate(original):
            for which in range(fields):
                gold, was, now = golds[at][which], first[at][which], then[row][which]
                flipped[which, episode, row] = not right(kind, (was,) if kind == "answers" else was, now)
                if gold is not None:
                    before[which, episode, row] = right(kind, gold, was)
                    after[which, episode, row] = right(kind, gold, now)
    perturbed = np.array([pair.status == "perturbed" for pair in rows], np.bool_)
    status = {name: sum(pair.status == name for pair in rows) for name in ("perturbed", "unchanged", "rejected")}
    return Outcomes(original, known, before, after, flipped, perturbed, status)


def scores(
    metrics: Mapping[str, Metric],
    golds: Golds,
    episodes: Sequence[Sequence[Answer]],
) -> dict[str, list[float]]:
    """Each metric in each episode, in percent; of several fields the mean; of the rows that have a right answer.

    Metrics without any such row are left out.
    """
    found: dict[str, list[float]] = {}
    fields = range(len(golds[0]) if golds else 0)
    for name, metric in metrics.items():
        for answers in episodes:
            values: list[float] = []
            for which in fields:
                chosen: list[tuple[Any, Any]] = [
                    (gold[which], said[which])
                    for gold, said in zip(golds, answers, strict=True)
                    if gold[which] is not None
                ]
                if chosen:
                    wanted, given = zip(*chosen, strict=True)
                    values.append(metric.score(list(wanted), list(given)))
            if values:
                found.setdefault(name, []).append(100 * sum(values) / len(values))
    return found
