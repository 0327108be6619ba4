"""The outcomes of attacks on a model: which right predictions were kept and which were broken; the metrics' scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.answers import Answer, group_of
from augment_ru.evaluation.intervals import Cells
from augment_ru.evaluation.metrics import Gold, Kind, Metric, is_right
from augment_ru.evaluation.pairs import ORIGINAL, Pair, Pairs
from augment_ru.evaluation.protocol import ModelRun

Flags = npt.NDArray[np.bool_]
Golds = Sequence[Sequence[Gold | None]]
"""For each original, the right answer of each of `task.decided`; None where it has none."""


@dataclass(frozen=True, slots=True)
class AttackOutcomes:
    """The outcomes of the rows of an attack, as arrays of shape (fields of the right answer, episodes, rows).

    Attributes:
        original: the index of each row's original, shape (rows,).
        known: whether the row has a right answer, shape (fields, rows).
        before: whether the prediction for the original is right.
        after: whether the prediction for the perturbed row is right.
        flipped: whether the two predictions differ.
        perturbed: whether the attack changed the row, shape (rows,).
        judged: whether people judged the row, shape (rows,).
        valid: whether they found it valid, shape (rows,).
        status: the number of rows of each status.
    """

    original: npt.NDArray[np.int64]
    known: Flags
    before: Flags
    after: Flags
    flipped: Flags
    perturbed: Flags
    judged: Flags
    valid: Flags
    status: Mapping[str, int]

    @property
    def right(self) -> Flags:
        """Right on the original: the predictions that an attack can break."""
        return self.before & self.known[:, None, :]

    @property
    def broken(self) -> Flags:
        """Right on the original, wrong on the perturbed row."""
        return self.right & ~self.after

    @property
    def fixed(self) -> Flags:
        """Wrong on the original, right on the perturbed row."""
        return ~self.before & self.after & self.known[:, None, :]

    def cells(self, hits: Flags, trials: Flags, records: int, rows: Flags | None = None) -> Cells:
        """Hits and trials added up by original, for rates and their intervals.

        Args:
            hits: the hits, shape (fields, episodes, rows).
            trials: the trials, of the same shape.
            records: the number of originals.
            rows: the rows that count, shape (rows,); None for all.
        """
        return Cells(*(self._by_record(flags, records, rows) for flags in (hits, trials)))

    def _by_record(self, flags: Flags, records: int, rows: Flags | None) -> npt.NDArray[np.float64]:
        if rows is not None:
            flags = flags & rows
        fields, episodes, _ = flags.shape
        counts = np.zeros((fields, episodes, records))
        np.add.at(counts.transpose(2, 0, 1), self.original, flags.transpose(2, 0, 1))
        return counts

    def names(self, episode: int, row: int) -> list[str | None]:
        """The outcome of a row for each field of the right answer; None where the field has none.

        `kept`: right before and after; `broken`: right before, wrong after; `fixed`: wrong before, right after;
        `wrong`: wrong before and after.
        """
        names: list[str | None] = []
        for field in range(self.known.shape[0]):
            before, after = self.before[field, episode, row], self.after[field, episode, row]
            name = ("kept" if after else "broken") if before else ("fixed" if after else "wrong")
            names.append(name if self.known[field, row] else None)
        return names


def outcomes_of(run: ModelRun, pairs: Pairs, attack: str, golds: Golds, kind: Kind) -> AttackOutcomes:
    """The outcomes of an attack in a model run."""
    rows: Sequence[Pair] = pairs.attacks[attack]
    fields = len(pairs.task.decided)
    original = np.array([pair.original for pair in rows], np.int64)
    shape = (fields, run.episodes, len(rows))
    before, after, flipped = (np.zeros(shape, np.bool_) for _ in range(3))
    known = np.array([[golds[at][field] is not None for at in original] for field in range(fields)], np.bool_)
    for episode, (first, second) in enumerate(zip(run.originals, run.attacks[attack], strict=True)):
        for row, at in enumerate(original):
            for field in range(fields):
                gold, was, now = golds[at][field], first[at][field], second[row][field]
                flipped[field, episode, row] = not is_right(kind, (was,) if kind == "answers" else was, now)
                if gold is not None:
                    before[field, episode, row] = is_right(kind, gold, was)
                    after[field, episode, row] = is_right(kind, gold, now)
    perturbed = np.array([pair.status == "perturbed" for pair in rows], np.bool_)
    status = {name: sum(pair.status == name for pair in rows) for name in ("perturbed", "unchanged", "rejected")}
    judged = np.array([pair.verdict is not None for pair in rows], np.bool_)
    valid = np.array([pair.verdict == "valid" for pair in rows], np.bool_)
    return AttackOutcomes(original, known, before, after, flipped, perturbed, judged, valid, status)


def outcomes_of_originals(run: ModelRun, pairs: Pairs, golds: Golds, kind: Kind) -> AttackOutcomes:
    """The outcomes of the originals themselves, as if an attack had left all of them as they are."""
    same = [Pair(at, ORIGINAL, "unchanged", original.values) for at, original in enumerate(pairs.originals)]
    alone = replace(pairs, attacks={ORIGINAL: same})
    return outcomes_of(replace(run, attacks={ORIGINAL: run.originals}), alone, ORIGINAL, golds, kind)


@dataclass(frozen=True, slots=True)
class Score:
    """A metric in percent: its values by episode, also of its parts, by group of rows and number of the label."""

    values: list[float]
    parts: Mapping[tuple[str | None, int], list[float]]


def groups_of(pairs: Pairs) -> list[str | None]:
    """For each original the value of `task.grouped_by`, as a text; None if it has none."""
    return [group_of(original.values, pairs.task) for original in pairs.originals]


def scores(
    metrics: Mapping[str, Metric],
    golds: Golds,
    episodes: Sequence[Sequence[Answer]],
    groups: Sequence[str | None],
) -> dict[str, Score]:
    """The scores of each metric over the rows that have a right answer.

    Of several labels it is the mean, and of several groups of rows the mean over the groups. A metric is left out if no
    row has a right answer.
    """
    rows_of: dict[str | None, list[int]] = {}
    for at, group in enumerate(groups):
        rows_of.setdefault(group, []).append(at)
    parts = [
        (group, field, known)
        for group in sorted(rows_of, key=lambda name: (name is None, name))
        for field in range(len(golds[0]))
        if (known := [at for at in rows_of[group] if golds[at][field] is not None])
    ]
    found: dict[str, Score] = {}
    for name, metric in metrics.items() if parts else ():
        values: dict[tuple[str | None, int], list[float]] = {}
        for group, field, known in parts:
            wanted: list[Any] = [golds[at][field] for at in known]
            values[group, field] = [
                100 * metric.score(wanted, [answers[at][field] for at in known]) for answers in episodes
            ]
        found[name] = Score([_mean_of_groups(values, episode) for episode in range(len(episodes))], values)
    return found


def _mean_of_groups(parts: Mapping[tuple[str | None, int], Sequence[float]], episode: int) -> float:
    """The mean over the groups of the mean over their labels."""
    of_group: dict[str | None, list[float]] = {}
    for (group, _), values in parts.items():
        of_group.setdefault(group, []).append(values[episode])
    return mean(mean(values) for values in of_group.values())
