"""Perturbs Hugging Face datasets, row by row, with any number of processes or streaming."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from augment_ru.engine.result import Result
from augment_ru.errors import AugmentError, missing
from augment_ru.formats.row import KEY
from augment_ru.records.task import Task
from augment_ru.version import __version__

Data = TypeVar("Data")


class Perturbs(Protocol):
    """Perturbs rows, as `Augmenter` does."""

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None,
        *,
        field: str | Sequence[str] | None,
        n: int = 1,
        draw: int = 0,
    ) -> Iterator[Result]:
        """The results of each row, in order."""


@dataclass(frozen=True)
class PerturbsColumns:
    """Perturbs a batch of rows in columns.

    `datasets` caches what this object returns, by the object's fields. The version is one of them, so that another
    version of the data files does not use the old cache.
    """

    augmenter: Perturbs
    task: str | Task | None
    field: str | Sequence[str] | None
    meta: str
    version: str = __version__

    def __call__(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """The columns that change, and that of the metadata.

        Raises:
            AugmentError: a row cannot be perturbed, or there is a column of the metadata's name.
        """
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if rows and KEY in rows[0] and self.meta != "none":
            raise AugmentError(f"the dataset has a column '{KEY}' already; rename it, or use meta=\"none\"")
        results = list(self.augmenter.records(rows, self.task, field=self.field))
        changes = [result.changed(self.meta) for result in results]
        touched = {str(path[0]) for change in changes for path in change.values}
        new = [
            result.row("none") if change.values else row
            for result, change, row in zip(results, changes, rows, strict=True)
        ]
        made: dict[str, list[Any]] = {name: [row[name] for row in new] for name in columns if name in touched}
        if self.meta != "none":
            made[KEY] = [json.dumps(result.metadata(self.meta), ensure_ascii=False) for result in results]
        return made


def map_dataset(
    augmenter: Perturbs,
    dataset: Data,
    *,
    field: str | Sequence[str] | None = None,
    task: str | Task | None = None,
    meta: str = "full",
    num_proc: int | None = None,
    batch_size: int = 1024,
) -> Data:
    """See `Augmenter.map_dataset`."""
    try:
        import datasets  # noqa: PLC0415  (an extra; the import takes seconds)
    except ImportError as error:
        raise missing("datasets is not installed", "hf") from error

    if isinstance(dataset, datasets.DatasetDict | datasets.IterableDatasetDict):
        splits: Any = {
            name: map_dataset(
                augmenter, split, field=field, task=task, meta=meta, num_proc=num_proc, batch_size=batch_size
            )
            for name, split in dataset.items()
        }
        return cast("Data", type(dataset)(splits))
    if not isinstance(dataset, datasets.Dataset | datasets.IterableDataset):
        raise AugmentError(
            f"{type(dataset).__name__} is not a dataset; give a datasets.Dataset, or use records() for rows"
        )
    features = None
    if dataset.features is not None:
        features = dataset.features.copy()
        if meta != "none":
            features[KEY] = datasets.Value("string")
    options: dict[str, Any] = {"batched": True, "batch_size": batch_size, "features": features}
    if isinstance(dataset, datasets.Dataset):
        options["num_proc"] = num_proc
    elif num_proc is not None:
        raise AugmentError("num_proc: a streamed dataset cannot use several processes; leave it out")
    if (
        isinstance(dataset, datasets.Dataset) and features is not None and not len(dataset)
    ):  # `map` would not add the new column
        empty = datasets.Dataset.from_dict({name: [] for name in features}, features=features, split=dataset.split)
        return cast("Data", empty)
    return cast("Data", dataset.with_format(None).map(PerturbsColumns(augmenter, task, field, meta), **options))
