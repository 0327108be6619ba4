"""Perturbs the rows of pandas and polars frames and of Hugging Face datasets; imports no package that is not used."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from augment_ru.engine.result import METAS, Result
from augment_ru.errors import AugmentError, check_known, optional
from augment_ru.formats.row import KEY
from augment_ru.records.field_paths import path_of
from augment_ru.version import __version__

Data = TypeVar("Data")


Perturb = Callable[[Sequence[Mapping[str, Any]]], Iterable[Result]]
"""A function that perturbs rows, and returns the results in the order of the rows."""


@dataclass(frozen=True)
class PerturbsColumns:
    """A function for `map` of the package `datasets`: it perturbs rows that are given as columns.

    `datasets` caches the results of a function by the values of its fields. So the version of this package is one of
    the fields: results of other versions are not reused.

    Attributes:
        perturb: a function that perturbs rows.
        meta: how much metadata the column `augment` holds: `full`, `brief` or `none`.
        version: the version of this package.
    """

    perturb: Perturb
    meta: str
    version: str = __version__

    def __call__(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """Return the changed columns and, unless `meta` is none, the column of metadata.

        Raises:
            AugmentError: a row cannot be perturbed, or there is already a column with the name of the metadata column.
        """
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if rows and KEY in rows[0] and self.meta != "none":
            raise AugmentError(f"the dataset has a column '{KEY}' already; rename it, or use meta=\"none\"")
        return changed_columns(list(self.perturb(rows)), self.meta)


def changed_columns(results: Sequence[Result], meta: str) -> dict[str, list[Any]]:
    """Return the columns that changed, and the column of metadata as JSON texts, with a value for each result.

    Args:
        results: the results of all rows.
        meta: how much metadata is written: `full`, `brief`, or `none`, which leaves the column out.
    """
    changes = [result.changed(meta) for result in results]
    names = dict.fromkeys(str(path[0]) for change in changes for path in change.values)
    rows = [result.row("none") for result in results] if names else []
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in names}
    if meta != "none":
        columns[KEY] = [json.dumps(result.metadata(meta), ensure_ascii=False) for result in results]
    return columns


def map_dataset(dataset: Data, columns: PerturbsColumns, num_proc: int | None, batch_size: int) -> Data:
    """Perturb the rows of a Hugging Face dataset, and return a new dataset of the same kind.

    Args:
        dataset: a `Dataset`, an `IterableDataset` (streaming), or a dictionary of either; it is not modified.
        columns: the function that perturbs a batch of rows given as columns.
        num_proc: the number of processes; None for one.
        batch_size: how many rows are perturbed at once.
    """
    datasets = optional("datasets", "datasets is not installed", "hf")

    if isinstance(dataset, datasets.DatasetDict | datasets.IterableDatasetDict):
        splits: Any = {name: map_dataset(split, columns, num_proc, batch_size) for name, split in dataset.items()}
        return cast("Data", type(dataset)(splits))
    if not isinstance(dataset, datasets.Dataset | datasets.IterableDataset):
        kind = type(dataset).__name__
        raise AugmentError(f"{kind} is not a dataset; give a datasets.Dataset, or use records() for rows")
    features = None
    if dataset.features is not None:
        features = dataset.features.copy()
        if columns.meta != "none":
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
    return cast("Data", dataset.with_format(None).map(columns, **options))


def _package(value: object) -> str:
    """Return "pandas" or "polars" if a value is a frame of that package; otherwise ""."""
    package = type(value).__module__.partition(".")[0]
    return package if package in ("pandas", "polars") and type(value).__name__ in ("DataFrame", "LazyFrame") else ""


def refuse_frame(value: object, method: str, instead: str = 'frame(df, "COLUMN"), which returns a frame') -> None:
    """Raise an error if a frame (a table) is passed to a method which takes rows or texts.

    Args:
        value: the argument.
        method: the name of the method, for the message.
        instead: what to use for a frame, for the message.

    Raises:
        AugmentError: `value` is a frame.
    """
    if package := _package(value):
        raise AugmentError(f"{method} takes no {package} frame; use {instead}")


def perturbed_frame(frame: Data, field: str | Sequence[str] | None, meta: str, n: int, perturb: Perturb) -> Data:
    """Perturb the rows of a pandas or polars frame, and return a new frame of the same kind.

    Args:
        frame: a `pandas.DataFrame` or a `polars.DataFrame`; it is not modified.
        field: the columns to perturb; None for those of the task.
        meta: how much metadata the column `augment` holds: `full`, `brief` or `none`.
        n: how many rows are made of each row; they follow one another.
        perturb: a function that takes the rows and returns the n results of each.
    """
    _check(frame, meta)
    given: Any = frame
    for name in (field,) if isinstance(field, str) or not isinstance(field, Sequence) else field:
        if name is not None:
            _check_field(given, name)
    in_pandas = _package(frame) == "pandas"
    rows = given.to_dict("records") if in_pandas else given.to_dicts()
    columns = changed_columns(list(perturb(rows)), meta)
    places = [place for place in range(len(rows)) for _ in range(n)]
    made: Data = (_with_pandas if in_pandas else _with_polars)(given, places, columns)
    return made


def _check(frame: object, meta: str) -> None:
    kind = type(frame).__name__
    if kind == "LazyFrame":
        raise AugmentError("a LazyFrame has no rows yet; give frame.collect()")
    if not _package(frame):
        raise AugmentError(f"{kind} is no frame of pandas or polars; use records() for rows, texts() for texts")
    check_known("metadata", meta, METAS)
    given: Any = frame
    names = list(given.columns)
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise AugmentError(f"the frame has several columns '{twice[0]}'; give each a name of its own")
    if KEY in names and meta != "none":
        raise AugmentError(f"the frame has a column '{KEY}' already; rename it, or use meta=\"none\"")


def _check_field(frame: Any, name: object) -> None:  # noqa: ANN401  (a frame)
    names = list(frame.columns)
    if not isinstance(name, str):
        raise AugmentError(f"field {name!r}: is no text; name columns by texts, as in frame.rename(columns=str)")
    first = path_of(dict.fromkeys(names), name)[0]
    if first not in names:
        raise AugmentError(f"no column '{name}'; the frame has {', '.join(map(str, names))}")
    column = frame[first]
    missing = (column.isna() if _package(frame) == "pandas" else column.is_null()).to_numpy()
    if missing.any():
        raise AugmentError(
            f"column '{first}': row {int(missing.argmax())} (from 0) has no value; leave such rows out, or fill them "
            f'with ""'
        )


def _with_pandas(frame: Any, places: Sequence[int], columns: dict[str, list[Any]]) -> Any:  # noqa: ANN401  (a frame)
    """Make a pandas frame of some rows with some columns replaced or added.

    A replaced column keeps its type; the categories of a categorical column are computed from the new values.

    Args:
        frame: the frame.
        places: the positions of the rows to take; a row may be taken several times.
        columns: the values of the new columns, by name.
    """
    series: Any = sys.modules["pandas"].Series
    made = frame.iloc[list(places)].copy()
    for name, values in columns.items():
        dtype = frame[name].dtype if name in frame.columns else "str"
        dtype = "category" if str(dtype) == "category" else dtype
        made[name] = series(values, index=made.index, dtype=dtype)
    return made


def _with_polars(frame: Any, places: Sequence[int], columns: dict[str, list[Any]]) -> Any:  # noqa: ANN401  (a frame)
    """Make a polars frame of some rows with some columns replaced or added; the arguments are those of `_with_pandas`.

    A replaced column keeps its type, except that an Enum becomes a String.
    """
    polars: Any = sys.modules["polars"]
    new = polars.DataFrame(columns)
    types = {name: frame.schema.get(name, polars.String) for name in columns}
    kept = [new[name].cast(polars.String if dtype == polars.Enum else dtype) for name, dtype in types.items()]
    return frame[list(places)].with_columns(kept)
