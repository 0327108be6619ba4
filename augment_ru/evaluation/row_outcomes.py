"""The outcome of every row as the report states it, so that reports can be compared row by row."""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from augment_ru.evaluation.outcomes import AttackOutcomes, Golds
from augment_ru.evaluation.pairs import Pairs
from augment_ru.records.record import Record
from augment_ru.records.task import Task

_LETTERS = np.array(["w", "f", "b", "k"])
"""The letters of wrong, fixed, broken and kept: their number is 2 · right before + right after."""
_UNKNOWN = "-"
"""The letter of a row without a right answer."""
_BYTES = 6


def row_keys(pairs: Pairs, golds: Golds) -> dict[str, list[str]]:
    """By attack a key for each row: `original-perturbed`, two digests of 12 hexadecimal digits.

    Rows have the same key if their texts, those of their originals and the right answers are the same.
    """
    originals = original_keys(pairs, golds)
    return {
        attack: [f"{originals[pair.original]}-{_digest(_texts(pair.values, pairs.task))}" for pair in rows]
        for attack, rows in pairs.attacks.items()
    }


def original_keys(pairs: Pairs, golds: Golds) -> list[str]:
    """A key for each original: the first half of those of its perturbed rows."""
    return [
        _digest([_texts(original.values, pairs.task), gold])
        for original, gold in zip(pairs.originals, golds, strict=True)
    ]


def _texts(values: Mapping[str, Any], task: Task) -> dict[str, str]:
    return Record(values, task).read()


def _digest(value: object) -> str:
    return blake2b(json.dumps(value, default=str).encode(), digest_size=_BYTES).hexdigest()


def written_outcomes(outcomes: AttackOutcomes) -> list[list[str]]:
    """For each label and episode the outcomes of the rows, a letter each: k, b, f, w; `-` without a right answer."""
    letters = _LETTERS[2 * outcomes.before.astype(int) + outcomes.after]
    letters = np.where(outcomes.known[:, None, :], letters, _UNKNOWN)
    return [["".join(episode) for episode in label] for label in letters.tolist()]


def read_outcomes(written: Sequence[Sequence[str]]) -> dict[str, npt.NDArray[np.bool_]]:
    """The flags `known`, `before` and `after` of written outcomes, each of shape (labels, episodes, rows).

    >>> {name: flags.astype(int).tolist() for name, flags in read_outcomes([["kb-"]]).items()}
    {'known': [[[1, 1, 0]]], 'before': [[[1, 1, 0]]], 'after': [[[1, 0, 0]]]}
    """
    letters = np.array([[list(episode) for episode in label] for label in written], dtype="U1")
    return {
        "known": letters != _UNKNOWN,
        "before": np.isin(letters, ["k", "b"]),
        "after": np.isin(letters, ["k", "f"]),
    }
