"""The class `Augmenter`: perturbs texts, records, data frames (pandas, polars) and datasets with one attack."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from augment_ru.engine.attack import Attack
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Constraints, Preparation, Prepared
from augment_ru.engine.presets import preset_settings, recipe_settings
from augment_ru.engine.result import METAS, Result
from augment_ru.engine.similarity import ScoreFunction, Similarity
from augment_ru.errors import AugmentError, check_known, optional
from augment_ru.formats.row import KEY
from augment_ru.language.annotate import Annotator
from augment_ru.options import integer
from augment_ru.records.field_paths import path_of
from augment_ru.records.task import Task
from augment_ru.version import __version__

Data = TypeVar("Data")


class Augmenter:
    """Perturbs texts with one attack. Protected spans stay, and only texts that stay similar enough are returned.

    An augmenter consists of a `Preparation` (annotation and constraints) and a `Perturber` (attack, gate and search).
    For several attacks on the same records use these two directly, so that the records are prepared once.

    An augmenter is immutable and picklable; several threads and processes may use it at once. The result for a text
    depends only on the settings, the seed, and the text (or the record's id).

    Args:
        attack: an attack, its name, a file of yours (`my_attack.py`) or `python:MODULE:CLASS`, or names joined by `+`.
        constraints: what is protected: names of constraints, rule files, or `Constraint` objects. () for nothing. By
            default, each record has the constraints that its task names.
        similarity: `meaning`, `navec`, `none`, a `Similarity`, or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, in [0, 1]; by default the similarity's own.
        schedule: how the search goes: `paper` (halve the probability until the texts pass the gate) or `strongest` (as
            many changes as still pass).
        seed: the seed of all random draws, any integer.
        probability: the share of the possible changes that are made, in [0, 1]; by default the attack's own.
        candidates: how many random perturbations are tried for each record, 1 to 1000.
        min_changes: the fewest changes that each record gets at a positive probability. A record with fewer possible
            changes gets all of them. By default the attack's own number.
        floor: the lowest probability that the search tries, in (0, 1].
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.

    Raises:
        AugmentError: a name is unknown, or a value is out of range.

    >>> augmenter = Augmenter("case", constraints=(), similarity="none", seed=1)
    >>> augmenter("Кошка спит на окне.").text
    'Кошка Спит на окне.'
    """

    __slots__ = ("perturber", "preparation")

    def __init__(
        self,
        attack: str | Attack,
        *,
        constraints: Constraints = None,
        similarity: str | Similarity | ScoreFunction | None = "meaning",
        threshold: float | None = None,
        schedule: str = "paper",
        seed: int = 42,
        probability: float | None = None,
        candidates: int = 3,
        min_changes: int | None = None,
        floor: float = 0.01,
        annotator: str | Annotator = "natasha",
    ) -> None:
        if isinstance(attack, Sequence) and not isinstance(attack, str):
            raise AugmentError(
                "an Augmenter has one attack; for a list give Chain([...]) to apply them one after another, "
                "OneOf([...]) to choose one for each text, or make an Augmenter for each"
            )
        self.preparation = Preparation(constraints, annotator)
        self.perturber = Perturber(
            attack,
            similarity=similarity,
            threshold=threshold,
            schedule=schedule,
            seed=seed,
            probability=probability,
            candidates=candidates,
            min_changes=min_changes,
            floor=floor,
        )

    @property
    def attack(self) -> Attack:
        """The attack, with the probability at which this augmenter uses it."""
        return self.perturber.attack

    @classmethod
    def from_preset(cls, preset: str, attack: str | Attack, **settings: Any) -> Self:  # noqa: ANN401  (of `Augmenter`)
        """Make an augmenter with the defaults of a preset (default settings under one name).

        Args:
            preset: `offline` or `tape`.
            attack: an attack, its name, or names joined by `+`. The preset sets options only of attacks given by name.
            settings: arguments of `Augmenter`, which override the preset.

        Raises:
            AugmentError: there is no such preset, or an argument does not fit.
        """
        return cls(**preset_settings(preset, attack, settings))

    @classmethod
    def from_recipe(cls, path: str | Path, attack: str | None = None) -> Self:
        """Make an augmenter with the settings of a recipe: a TOML file with the options of the command `perturb`.

        Keys of the recipe about files and rows are ignored.

        Args:
            path: the TOML file.
            attack: the attack to use, as the recipe names it; needed if the recipe names several.

        Raises:
            AugmentError: the recipe is invalid, or it is not clear which of its attacks is meant.
        """
        return cls(**recipe_settings(Path(path), attack))

    def __repr__(self) -> str:
        return f"Augmenter{repr(self.perturber).removeprefix('Perturber')}"

    def __call__(self, text: str, *, draw: int = 0) -> Result:
        """Perturb one text. Another `draw`, a number of at least 0, gives other changes."""
        return self.texts([text], draw=draw)[0]

    def texts(self, texts: Iterable[str], *, n: int = 1, draw: int = 0) -> list[Result]:
        """Perturb texts. The results are in the order of the texts, and the n results of a text follow one another.

        The results for one text are drawn independently. They usually differ, but for a short text some may be equal.

        Args:
            texts: the texts.
            n: how many perturbations of each text are made.
            draw: the number of the random draw, from 0. Another one, such as that of the epoch, gives other changes.

        Raises:
            AugmentError: one of the texts is not a string, or contains a lone surrogate; `n` or `draw` is too small.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the augmenter itself")
        if isinstance(texts, Mapping) or not isinstance(texts, Iterable):
            raise AugmentError(f"texts() takes a list of texts, not {type(texts).__name__}; use records() for rows")
        refuse_frame(texts, "texts()")
        return list(self._results(self.preparation.texts(texts, needs=[self.perturber.needs]), n, draw))

    def _results(self, chunks: Iterable[Prepared], n: int, draw: int) -> Iterator[Result]:
        """Yield n results for each record. The random draws have the numbers n·draw to n·draw + n − 1.

        So calls with the same n and another `draw` use other random numbers.
        """
        n, draw = integer("n", n, least=1), integer("draw", draw, least=0)
        perturbers = [self.perturber.at_draw(n * draw + copy) for copy in range(n)]
        for chunk in chunks:
            for results in zip(*(one.perturb(chunk).results for one in perturbers), strict=True):
                yield from results

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
        n: int = 1,
        draw: int = 0,
    ) -> Iterator[Result]:
        """Perturb the rows of a dataset, and yield the results in the order of the rows.

        Args:
            records: rows as dictionaries; they are not modified.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            field: the fields to perturb instead of the task's, such as `text`, `inputs.text` or `qas[].query`.
            n: how many perturbations of each row are made.
            draw: the number of the random draw, from 0. Another one, such as that of the epoch, gives other changes.

        Raises:
            AugmentError: no task fits a row, or a row lacks a field of its task.
        """
        refuse_frame(records, "records()")
        prepared = self.preparation.records(records, task, field=field, needs=[self.perturber.needs])
        return self._results(prepared, n, draw)

    def frame(
        self,
        frame: Data,
        field: str | Sequence[str] | None = None,
        *,
        task: str | Task | None = None,
        meta: str = "full",
        n: int = 1,
        draw: int = 0,
    ) -> Data:
        """Perturb the rows of a pandas or polars frame; the result is a new frame of the same kind.

        Args:
            frame: a `pandas.DataFrame` or a `polars.DataFrame`; it is not modified.
            field: the columns to perturb instead of the task's.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            meta: full, brief or none: how much metadata the column `augment` holds, as JSON text.
            n: how many rows are made of each row; they follow one another, in pandas with the same index.
            draw: the number of the random draw, from 0. Another one, such as that of the epoch, gives other changes.

        Raises:
            AugmentError: `frame` is not a frame, a column is missing, or a row lacks a text.
        """
        return perturbed_frame(frame, field, meta, n, partial(self.records, task=task, field=field, n=n, draw=draw))

    def map_dataset(
        self,
        dataset: Data,
        *,
        field: str | Sequence[str] | None = None,
        task: str | Task | None = None,
        meta: str = "full",
        num_proc: int | None = None,
        batch_size: int = 1024,
    ) -> Data:
        """Perturb the rows of a Hugging Face dataset; the result is a new dataset with as many rows.

        Args:
            dataset: a `Dataset`, an `IterableDataset` (streaming), or a dictionary of either; it is not modified.
            field: the fields to perturb instead of the task's.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            meta: full, brief or none: how much metadata the column `augment` holds, as JSON text.
            num_proc: the number of processes; not possible for a streamed dataset.
            batch_size: how many rows are perturbed at once; the result does not depend on it.

        Raises:
            AugmentError: `datasets` is not installed, no task fits a row, or a row lacks a field of its task.
        """
        columns = PerturbsColumns(partial(self.records, task=task, field=field), meta)
        return map_dataset(dataset, columns, num_proc, batch_size)


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
        num_proc: the number of processes; None for one, as a streamed dataset needs.
        batch_size: how many rows are perturbed at once.

    Raises:
        AugmentError: `datasets` is not installed, `dataset` is none of these, or a row cannot be perturbed.
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

    Raises:
        AugmentError: `frame` is not a frame, a column is missing, or a row lacks a text.
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
