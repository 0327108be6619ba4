"""The demonstrations that a model is shown: rows of a train file, drawn for each episode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import golds_of
from augment_ru.evaluation.examples import without_metadata
from augment_ru.evaluation.metrics import Kind
from augment_ru.evaluation.pairs import Pairs
from augment_ru.records.record import Record


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """The train rows that may be shown, and the seed of their orders."""

    rows: Sequence[Mapping[str, Any]]
    seed: int

    def sample(self, count: int, episode: int) -> tuple[Mapping[str, Any], ...]:
        """The first `count` rows in the order of the episode, so that more shots include the fewer.

        Raises:
            AugmentError: there are fewer rows.
        """
        if count > len(self.rows):
            raise AugmentError(
                f"--shots {count}: the train file has only {len(self.rows)} rows that can be shown, with a right "
                f"answer and not evaluated; take fewer shots"
            )
        keys = Streams.of(digests(["demonstrations"]), self.seed, episode).keys
        draws = Streams(keys).uniform(np.zeros(len(self.rows), np.int64), np.arange(len(self.rows)))
        return tuple(self.rows[at] for at in np.argsort(draws, kind="stable")[:count])


def demonstrations(train: Sequence[Mapping[str, Any]], pairs: Pairs, kind: Kind, seed: int) -> Demonstrations:
    """The rows of a train file that may be shown: those with a right answer whose texts are not evaluated.

    Raises:
        AugmentError: a row lacks a text.
    """
    evaluated = {tuple(Record(original.values, pairs.task).texts().values()) for original in pairs.originals}
    rows: list[Mapping[str, Any]] = []
    golds = golds_of(train, pairs.task, kind)
    for number, (values, gold) in enumerate(zip(train, golds, strict=True), start=1):
        row = without_metadata(values)
        try:
            texts = tuple(Record(row, pairs.task).texts().values())
        except AugmentError as error:
            raise AugmentError(f"train file: row {number}: {error}") from error
        if texts not in evaluated and None not in gold:
            rows.append(row)
    return Demonstrations(rows, seed)
