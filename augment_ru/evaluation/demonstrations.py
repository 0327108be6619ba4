"""The demonstrations that a model is shown: rows of a train file, in episodes that they state or that are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import golds_of, group_of
from augment_ru.evaluation.examples import EPISODE, PERTURBATION, without_metadata
from augment_ru.evaluation.metrics import Kind
from augment_ru.evaluation.pairs import Pairs
from augment_ru.records.record import Record
from augment_ru.records.task import Task

_FIRST = np.zeros(1, np.int64)


def drawn_rows(rows: int, shots: int, stream: Streams) -> list[int]:
    """The numbers of so many rows of a file, drawn with replacement (TAPE, section 4.1), ascending.

    Args:
        rows: the number of rows, at least 1.
        shots: how many are drawn.
        stream: the draws of the episode; draw i is of shot i.
    """
    return sorted(int(stream.uniform(_FIRST, _FIRST + shot)[0] * rows) for shot in range(shots))


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """The train rows that may be shown, and the episodes that show them.

    Attributes:
        rows: the rows, with their right answers.
        groups: the group of each row (`task.grouped_by`); a row is shown rows of its own group.
        task: their task.
        seed: the seed of the draws.
        stated: by number the episodes that the rows state, each with the numbers of its rows; empty if they are drawn.
    """

    rows: Sequence[Mapping[str, Any]]
    groups: Sequence[str | None]
    task: Task
    seed: int
    stated: Mapping[int, Sequence[int]]

    def episodes(self, shots: int, most: int) -> list[int]:
        """The numbers of the episodes with so many demonstrations: those that the rows state, else 0, 1, ….

        Raises:
            AugmentError: the rows state no such episode, or there are no rows.
        """
        if not self.rows:
            raise AugmentError(
                f"--shots {shots}: the train file has no row that can be shown, with a right answer and not evaluated"
            )
        if not self.stated:
            return list(range(most))
        by_shots: dict[int, list[int]] = {}
        for number, shown in sorted(self.stated.items()):
            by_shots.setdefault(self._shots(shown), []).append(number)
        if shots not in by_shots:
            known = ", ".join(map(str, sorted(by_shots)))
            raise AugmentError(f"--shots {shots}: the train rows state episodes of {known} demonstrations; take these")
        return by_shots[shots][:most]

    def _shots(self, shown: Sequence[int]) -> int:
        """The demonstrations of a stated episode: the most that it has of one group."""
        groups = [self.groups[at] for at in shown]
        return max(map(groups.count, groups))

    def sample(self, shots: int, episode: int, group: str | None = None) -> tuple[Mapping[str, Any], ...]:
        """The demonstrations of an episode for a row of this group, in the order of the train file.

        Raises:
            AugmentError: there is none of this group.
        """
        if self.stated:
            chosen = [at for at in self.stated[episode] if self.groups[at] == group]
        else:
            own = [at for at, other in enumerate(self.groups) if other == group]
            name = self.task.name if group is None else f"{self.task.name}:{group}"
            stream = Streams.of(digests([name]), self.seed, "demonstrations", shots, episode)
            chosen = [own[at] for at in drawn_rows(len(own), shots, stream)] if own else []
        if not chosen:
            field = self.task.scoring.grouped_by
            raise AugmentError(
                f"--shots {shots}: no train row has {group} in '{field}', as a row that is evaluated has"
            )
        return tuple(self.rows[at] for at in chosen)


def demonstrations(train: Sequence[Mapping[str, Any]], pairs: Pairs, kind: Kind, seed: int) -> Demonstrations:
    """The rows of a train file that may be shown, and their episodes.

    Rows that state their episodes are shown as they state it. Of others those are drawn that have a right answer and
    whose texts are not evaluated.

    Raises:
        AugmentError: a row lacks a text, or is stated in an episode and has no right answer.
    """
    evaluated = {tuple(Record(original.values, pairs.task).texts().values()) for original in pairs.originals}
    is_stated = any(_episodes(values) for values in train)
    rows: list[Mapping[str, Any]] = []
    stated: dict[int, list[int]] = {}
    golds = golds_of(train, pairs.task, kind)
    for number, (values, gold) in enumerate(zip(train, golds, strict=True), start=1):
        row, own = without_metadata(values), _episodes(values)
        try:
            texts = tuple(Record(row, pairs.task).texts().values())
        except AugmentError as error:
            raise AugmentError(f"train file: row {number}: {error}") from error
        if own and None in gold:
            raise AugmentError(f"train file: row {number}: is shown in an episode, and has no right answer")
        for episode in own:
            stated.setdefault(episode, []).append(len(rows))
        if own or not (is_stated or texts in evaluated or None in gold):
            rows.append(row)
    return Demonstrations(rows, [group_of(row, pairs.task) for row in rows], pairs.task, seed, stated)


def _episodes(values: Mapping[str, Any]) -> Sequence[int]:
    """The numbers of the episodes that show a train row; a number stands as often as the episode shows it."""
    held = values.get(EPISODE) if PERTURBATION in values else None
    return held if isinstance(held, list) and all(type(one) is int for one in held) else ()
