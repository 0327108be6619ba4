"""Frames of pandas and polars: their rows perturbed in a new frame. Neither package is imported here."""

import json
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from augment_ru.engine.datasets import Perturbs
from augment_ru.engine.outcome import METAS
from augment_ru.errors import AugmentError, unknown
from augment_ru.formats.row import KEY
from augment_ru.records.field_paths import path_of
from augment_ru.records.task import Task

Data = TypeVar("Data")


def _package(value: object) -> str:
    """Pandas or polars, if the value is a frame of one; else an empty text."""
    package = type(value).__module__.partition(".")[0]
    return package if package in ("pandas", "polars") and type(value).__name__ in ("DataFrame", "LazyFrame") else ""


def refuse_frame(value: object, method: str, instead: str = 'frame(df, "COLUMN"), which returns a frame') -> None:
    """Raise an error if a frame is given where its rows or texts are meant; `instead` is what takes it.

    Raises:
        AugmentError: it is a frame.
    """
    if package := _package(value):
        raise AugmentError(f"{method} takes no {package} frame; use {instead}")


def perturbed_frame(
    augmenter: Perturbs,
    frame: Data,
    field: str | Sequence[str] | None,
    *,
    task: str | Task | None,
    meta: str,
    n: int,
    draw: int,
) -> Data:
    """See `Augmenter.frame`."""
    _check(frame, meta)
    given: Any = frame
    for name in (field,) if isinstance(field, str) or not isinstance(field, Sequence) else field:
        if name is not None:
            _check_field(given, name)
    in_pandas = _package(frame) == "pandas"
    rows = given.to_dict("records") if in_pandas else given.to_dicts()
    results = list(augmenter.records(rows, task, field=field, n=n, draw=draw))
    changes = [result.changed(meta) for result in results]
    columns: dict[str, list[Any]] = {str(path[0]): [] for change in changes for path in change.values}
    for result in results if columns else ():
        row = result.row("none")
        for name, held in columns.items():
            held.append(row[name])
    if meta != "none":
        columns[KEY] = [json.dumps(result.metadata(meta), ensure_ascii=False) for result in results]
    places = [place for place in range(len(rows)) for _ in range(n)]
    made: Data = (_with_pandas if in_pandas else _with_polars)(given, places, columns)
    return made


def _check(frame: object, meta: str) -> None:
    if type(frame).__name__ == "LazyFrame":
        raise AugmentError("a LazyFrame has no rows yet; give frame.collect()")
    if not _package(frame):
        raise AugmentError(
            f"{type(frame).__name__} is no frame of pandas or polars; use records() for rows, texts() for texts"
        )
    if meta not in METAS:
        raise unknown("metadata", meta, METAS)
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
    """The rows at these places with these columns; a column keeps its type, categories are made anew."""
    series: Any = sys.modules["pandas"].Series
    made = frame.iloc[list(places)].copy()
    for name, values in columns.items():
        dtype = frame[name].dtype if name in frame.columns else "str"
        dtype = "category" if str(dtype) == "category" else dtype
        made[name] = series(values, index=made.index, dtype=dtype)
    return made


def _with_polars(frame: Any, places: Sequence[int], columns: dict[str, list[Any]]) -> Any:  # noqa: ANN401  (a frame)
    """The rows at these places with these columns; a column keeps its type, but an Enum becomes a String."""
    polars: Any = sys.modules["polars"]
    new = polars.DataFrame(columns)
    types = {name: frame.schema.get(name, polars.String) for name in columns}
    kept = [new[name].cast(polars.String if dtype == polars.Enum else dtype) for name, dtype in types.items()]
    return frame[list(places)].with_columns(kept)
