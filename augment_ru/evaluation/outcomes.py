"""The outcomes of attacks on a model: which right predictions were kept, which were broken; all attacks together.

A report states the outcomes of all rows as letters, beside a key for each row, so that reports can be compared row by
row.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.answer_scores import normalised
from augment_ru.evaluation.answers import Answer, Golds
from augment_ru.evaluation.intervals import Cells
from augment_ru.evaluation.metrics import Kind, is_right
from augment_ru.evaluation.pairs import ORIGINAL, Pair, Pairs
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.report import Letters
from augment_ru.records.record import Record

Flags: TypeAlias = npt.NDArray[np.bool_]

WORST, WORST_ASR, CONSISTENCY = "worst_case", "worst_case_asr", "consistency"

_LETTERS = np.array(["w", "f", "b", "k"])
"""The letters of wrong, fixed, broken and kept: their number is 2 · right before + right after."""
_UNKNOWN = "-"
"""The letter of a row without a right answer."""
_DIGEST_BYTES = 6


@dataclass(frozen=True, slots=True)
class AttackOutcomes:
    """The outcomes of the rows of an attack, as flags of shape (labels of the right answer, episodes, rows).

    Attributes:
        original: the index of each row's original, shape (rows,).
        known: whether the row has a right answer.
        before: whether the prediction for the original is right.
        after: whether the prediction for the perturbed row is right.
        flipped: whether the two predictions differ.
    """

    original: npt.NDArray[np.int64]
    known: Flags
    before: Flags
    after: Flags
    flipped: Flags

    @property
    def right(self) -> Flags:
        """Right on the original: the predictions that an attack can break."""
        return self.before & self.known

    @property
    def broken(self) -> Flags:
        """Right on the original, wrong on the perturbed row."""
        return self.right & ~self.after

    @property
    def fixed(self) -> Flags:
        """Wrong on the original, right on the perturbed row."""
        return ~self.before & self.after & self.known

    def cells(self, hits: Flags, trials: Flags, records: int) -> Cells:
        """Hits and trials added up by original, for rates and their intervals.

        Args:
            hits: the hits.
            trials: the trials.
            records: the number of originals.
        """
        counts = np.zeros((records, 2, *hits.shape[:2]))
        np.add.at(counts, self.original, np.moveaxis(np.stack([hits, trials]), -1, 0))
        return Cells(*np.ascontiguousarray(np.moveaxis(counts, 0, -1)))

    def names(self, episode: int, row: int) -> list[str | None]:
        """The outcome of a row for each label of the right answer; None where it has no right answer.

        `kept`: right before and after; `broken`: right before, wrong after; `fixed`: wrong before, right after;
        `wrong`: wrong before and after.
        """
        flags = (one[:, episode, row].tolist() for one in (self.known, self.before, self.after))
        return [
            None if not known else ("kept" if after else "broken") if before else "fixed" if after else "wrong"
            for known, before, after in zip(*flags, strict=True)
        ]

    @property
    def letters(self) -> Letters:
        """The outcomes as letters."""
        letters = np.where(self.known, _LETTERS[2 * self.before + self.after], _UNKNOWN)
        return [["".join(episode) for episode in label] for label in letters.tolist()]

    @classmethod
    def of_letters(cls, letters: Letters, rows: Sequence[int], originals: Sequence[int]) -> "AttackOutcomes":
        """The outcomes of some rows of a report.

        Args:
            letters: the outcomes of all its rows.
            rows: the numbers of the rows.
            originals: the index of the original of each.

        >>> found = AttackOutcomes.of_letters([["kb-"]], [0, 2], [0, 1])
        >>> [flags.tolist() for flags in (found.known, found.before, found.after)]
        [[[[True, False]]], [[[True, False]]], [[[True, False]]]]
        """
        read = np.array([[list(episode) for episode in label] for label in letters], "U1")[..., list(rows)]
        before, after = np.isin(read, ["k", "b"]), np.isin(read, ["k", "f"])
        return cls(np.array(originals, np.int64), read != _UNKNOWN, before, after, before != after)


def outcomes_of(run: ModelRun, pairs: Pairs, attack: str, golds: Golds, kind: Kind) -> AttackOutcomes:
    """The outcomes of an attack in a model run."""
    rows: Sequence[Pair] = pairs.attacks[attack]
    shape = (len(pairs.task.scoring.decided), run.episodes, len(rows))
    known, before, after, flipped = (np.zeros(shape, np.bool_) for _ in range(4))
    for episode, (first, second) in enumerate(zip(run.originals, run.attacks[attack], strict=True)):
        for row, (pair, later) in enumerate(zip(rows, second, strict=True)):
            for label, (gold, was, now) in enumerate(
                zip(golds[pair.original], first[pair.original], later, strict=True)
            ):
                at = label, episode, row
                flipped[at] = not is_right(kind, (was,) if kind == "answers" else was, now)
                if gold is not None:
                    known[at], before[at], after[at] = True, is_right(kind, gold, was), is_right(kind, gold, now)
    return AttackOutcomes(np.array([pair.original for pair in rows], np.int64), known, before, after, flipped)


def outcomes_of_originals(run: ModelRun, pairs: Pairs, golds: Golds, kind: Kind) -> AttackOutcomes:
    """The outcomes of the originals themselves, as if an attack had left all of them as they are."""
    same = [Pair(at, ORIGINAL, "unchanged", original.values) for at, original in enumerate(pairs.originals)]
    alone = replace(pairs, attacks={ORIGINAL: same})
    return outcomes_of(replace(run, attacks={ORIGINAL: run.originals}), alone, ORIGINAL, golds, kind)


def row_keys(pairs: Pairs, golds: Golds) -> dict[str, list[str]]:
    """By attack a key for each row: `original-perturbed`, two digests of 12 hexadecimal digits.

    Rows have the same key if their texts, those of their originals and the right answers are the same.
    """
    originals = original_keys(pairs, golds)
    return {
        attack: [f"{originals[pair.original]}-{_digest(Record(pair.values, pairs.task).read())}" for pair in rows]
        for attack, rows in pairs.attacks.items()
    }


def original_keys(pairs: Pairs, golds: Golds) -> list[str]:
    """A key for each original: the first half of those of its perturbed rows."""
    return [
        _digest([Record(original.values, pairs.task).read(), gold])
        for original, gold in zip(pairs.originals, golds, strict=True)
    ]


def _digest(value: object) -> str:
    return blake2b(json.dumps(value, default=str).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def worst_cells(outcomes: Mapping[str, AttackOutcomes], records: int) -> dict[str, Cells]:
    """The hits and trials of the worst case over all attacks and candidates of a record, for so many originals.

    - `worst_case`: decisions right on the original and on every perturbed row, of all decisions: the minimum over the
      versions of a record (Liang et al. 2023, HELM, section 4.3).
    - `worst_case_asr`: decisions that some perturbed row breaks, of those right on the original.
    """
    shape = next(iter(outcomes.values())).before.shape[:2]
    flags = np.zeros((records, 3, *shape), np.bool_)
    for one in outcomes.values():
        np.logical_or.at(flags, one.original, np.moveaxis(np.stack([one.known, one.right, one.broken]), -1, 0))
    known, right, broken = np.moveaxis(flags.astype(np.float64), 0, -1)
    return {WORST: Cells(right * (1 - broken), known), WORST_ASR: Cells(broken, right)}


def consistency_cells(run: ModelRun, pairs: Pairs, kind: Kind) -> Cells:
    """The share of pairs of versions of a record, the original among them, with the same prediction.

    The rate is the mean over records that have two versions (Nalbandyan et al. 2025, SCORE, section 3).
    """
    shares, counted = np.zeros((2, len(pairs.task.scoring.decided), run.episodes, len(pairs.originals)))
    for episode, originals in enumerate(run.originals):
        versions: list[list[Answer]] = [[answer] for answer in originals]
        for attack, rows in pairs.attacks.items():
            for pair, answer in zip(rows, run.attacks[attack][episode], strict=True):
                versions[pair.original].append(answer)
        for at, given in enumerate(versions):
            if len(given) > 1:
                counted[:, episode, at] = 1
                shares[:, episode, at] = [
                    agreeing_pairs([normalised(one) if kind == "answers" else one for one in label])
                    for label in zip(*given, strict=True)
                ]
    return Cells(shares, counted)


def agreeing_pairs(values: Sequence[Any]) -> float:
    """The share of pairs of equal values, of at least two values.

    >>> agreeing_pairs(["a", "a", "b"])
    0.3333333333333333
    """
    pairs = sum(count * (count - 1) for count in Counter(values).values())
    return pairs / (len(values) * (len(values) - 1))
