"""Batches for training in PyTorch, whose texts have other errors in every epoch."""

from collections.abc import Callable, Mapping, Sequence
from multiprocessing import Value
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.engine.augmenter import Augmenter
from augment_ru.errors import AugmentError, missing
from augment_ru.options import integer
from augment_ru.records.field_paths import has_value
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_for_row, task_or_file

Row = Mapping[str, Any]


class PerturbedBatches:
    """A collate function for `torch.utils.data.DataLoader`: perturbs the rows of a batch at once, then collates them.

    What a row becomes depends on the row, the seed and the epoch alone, not on its batch or worker. The epoch is shared
    with the workers, so that they may be persistent.

    Args:
        augmenter: what perturbs the rows; its gate and constraints hold.
        collate: what makes a batch of the rows, such as a function that tokenizes their texts; by default the batch is
            the list of rows.
        field: the fields to perturb, in place of the task's. Rows that have none of them stay as they are, such as
            those of an evaluation set that is tokenized already: the `Trainer` has one collate function for both.
        task: a task, its name, or a TOML file that states it; by default that of each row is recognised.
        clean: the share of rows that stay as they are in an epoch, in [0, 1]; others in every epoch.

    Raises:
        AugmentError: `clean` is not in [0, 1], or there is no such task.

    >>> batches = PerturbedBatches(Augmenter("case", similarity="none", constraints=()))
    >>> for epoch in range(2):
    ...     batches.epoch = epoch  # before the loader is iterated
    ...     print(batches([{"text": "Кошка спит на окне.", "label": 1}]))
    [{'text': 'Кошка Спит на окНе.', 'label': 1}]
    [{'text': 'Кошка сПит на окне.', 'label': 1}]
    """

    def __init__(
        self,
        augmenter: Augmenter,
        collate: Callable[[list[Row]], Any] = list,
        *,
        field: str | Sequence[str] | None = None,
        task: str | Task | None = None,
        clean: float = 0.0,
    ) -> None:
        if not 0 <= clean <= 1:
            raise AugmentError(f"`clean` {clean}: needs a share from 0 to 1")
        self.augmenter, self.collate, self.clean = augmenter, collate, clean
        self._task = task_or_file(task) if isinstance(task, str) else task
        self._fields = (field,) if isinstance(field, str) else tuple(field or ())
        self._epoch = Value("q", 0)

    @property
    def epoch(self) -> int:
        """The number of the epoch, 0 or more; it is set before the loader is iterated, and workers see it."""
        return int(self._epoch.value)

    @epoch.setter
    def epoch(self, number: int) -> None:
        self._epoch.value = integer("epoch", number, least=0)

    def __call__(self, rows: Sequence[Row]) -> Any:  # noqa: ANN401  (what `collate` returns)
        """The batch of some rows.

        Raises:
            AugmentError: a row has no text where its task has one, or is not an object.
        """
        new: list[Row] = list(rows)
        epoch = self.epoch
        dirty = self._perturbed(rows, epoch)
        results = self.augmenter.records([rows[at] for at in dirty], self._task, field=self._fields or None, draw=epoch)
        for at, result in zip(dirty, results, strict=True):
            new[at] = result.row("none")
        return self.collate(new)

    def _perturbed(self, rows: Sequence[Row], epoch: int) -> list[int]:
        """The numbers of the rows that are perturbed in an epoch."""
        for row in rows:
            if not isinstance(row, Mapping):
                raise AugmentError(
                    f"{str(row)[:80]!r}: no row; the dataset must give dictionaries, such as {{'text': …}}"
                )
        known = [
            at for at, row in enumerate(rows) if not self._fields or any(has_value(row, name) for name in self._fields)
        ]
        if not self.clean or not known:
            return known
        keys = [Record(dict(rows[at]), task_for_row(rows[at], self._task, self._fields)).key for at in known]
        streams = Streams.of(digests(keys), self.augmenter.perturber.seed, "clean", epoch)
        draws = streams.uniform(np.arange(len(known)), np.zeros(len(known), dtype=np.int64))
        return [at for at, draw in zip(known, draws.tolist(), strict=True) if draw >= self.clean]

    def callback(self) -> Any:  # noqa: ANN401  (a class of an extra)
        """A `transformers.TrainerCallback` that sets the epoch when one begins.

        Raises:
            AugmentError: transformers is not installed.
        """
        try:
            from transformers import TrainerCallback  # noqa: PLC0415  (an extra; the import takes seconds)
        except ImportError as error:
            raise missing("transformers is not installed", "models") from error
        batches = self

        class SetsEpoch(TrainerCallback):  # type: ignore[misc, unused-ignore]
            """Sets the epoch of the batches."""

            def on_epoch_begin(self, args: object, state: Any, control: object, **_: object) -> None:  # noqa: ANN401
                """Set the number of the epoch that begins; after a checkpoint it goes on from there."""
                del args, control
                batches.epoch = round(state.epoch or 0)

        return SetsEpoch()
