"""Makes batches for training in PyTorch whose texts have different errors in every epoch."""

from collections.abc import Callable, Mapping, Sequence
from multiprocessing import Value
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.engine.augmenter import Augmenter
from augment_ru.errors import AugmentError, optional
from augment_ru.options import integer
from augment_ru.records.field_paths import has_value
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_for_row, task_or_file

Row = Mapping[str, Any]


class PerturbedBatches:
    """A collate function for `torch.utils.data.DataLoader`: perturbs the rows of a batch together, then collates them.

    How a row is perturbed depends only on the row, the seed and the epoch, not on its batch or worker.

    Args:
        augmenter: perturbs the rows; its constraints and its gate (the similarity that a new text must have) apply.
        collate: makes a batch of the rows, such as a function that tokenizes their texts; by default the batch is the
            list of rows.
        field: the fields to perturb, instead of the task's. Rows that have none of these fields stay unchanged, for
            example those of an evaluation set, which transformers' `Trainer` also passes to this function.
        task: a task, its name, or a TOML file that states it; None to recognise the task of each row.
        clean: the share of rows that stay unchanged, in [0, 1]; they are drawn anew for every epoch.

    Raises:
        AugmentError: `clean` is not in [0, 1], or there is no such task.

    >>> batches = PerturbedBatches(Augmenter("case", similarity="none", constraints=()))
    >>> for epoch in range(2):
    ...     batches.epoch = epoch  # before the loader is iterated
    ...     print(batches([{"text": "Кошка спит на окне.", "label": 1}]))
    [{'text': 'Кошка Спит на окне.', 'label': 1}]
    [{'text': 'КошкА спит на окне.', 'label': 1}]
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
        self._epoch = Value("q", 0, lock=False)  # a lock would tie it to one way to start processes

    @property
    def epoch(self) -> int:
        """The number of the epoch, at least 0; perturbations differ from epoch to epoch.

        Set it before the loader is iterated. Workers that run already, such as persistent ones, read the new number.
        """
        return int(self._epoch.value)

    @epoch.setter
    def epoch(self, number: int) -> None:
        self._epoch.value = integer("epoch", number, least=0)

    def __call__(self, rows: Sequence[Row]) -> Any:  # noqa: ANN401  (what `collate` returns)
        """Perturb rows, and return the batch that `collate` makes of them.

        Raises:
            AugmentError: a row is not a dictionary, or has no text in a field in which its task needs one.
        """
        new: list[Row] = list(rows)
        epoch = self.epoch
        dirty = self._perturbed(rows, epoch)
        results = self.augmenter.records([rows[at] for at in dirty], self._task, field=self._fields or None, draw=epoch)
        for at, result in zip(dirty, results, strict=True):
            new[at] = result.row("none")
        return self.collate(new)

    def _perturbed(self, rows: Sequence[Row], epoch: int) -> list[int]:
        """Return the indices of the rows that are perturbed in an epoch."""
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
        """Return a callback for transformers' `Trainer` that sets `epoch` at the beginning of each epoch.

        Raises:
            AugmentError: transformers is not installed.
        """
        transformers = optional("transformers", "transformers is not installed", "models")
        batches = self

        class SetsEpoch(transformers.TrainerCallback):  # type: ignore[misc, name-defined, unused-ignore]
            """A callback for transformers' `Trainer`: tells the batches which epoch begins; each has new errors."""

            def on_epoch_begin(self, args: object, state: Any, control: object, **_: object) -> None:  # noqa: ANN401
                """Set `PerturbedBatches.epoch` to the epoch that begins, also if training resumes from a checkpoint."""
                del args, control
                batches.epoch = round(state.epoch or 0)

        return SetsEpoch()
