"""Frames of pandas and polars: their rows perturbed in a new frame. Neither package is imported here."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from augment_ru.engine.datasets import Perturbs
from augment_ru.errors import AugmentError
from augment_ru.formats.row import KEY
from augment_ru.records.task import Task

Data = TypeVar("Data")


def _package(value: object) -> str:
    """Pandas or polars, if the value is a frame of one; else an empty text."""
    package = type(value).__module__.partition(".")[0]
    return package if package in ("pandas", "polars") and type(value).__name__ == "DataFrame" else ""


def refuse_frame(value: object, method: str) -> None:
    """Raise an error if a frame is given where its rows or texts are meant.

    Raises:
        AugmentError: it is a frame.
    """
    if package := _package(value):
        raise AugmentError(f'{method} takes no {package} frame; use frame(df, "COLUMN"), which returns a frame')


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
    package = _package(frame)
    if not package:
        raise AugmentError(f"{type(frame).__name__} is no frame of pandas or polars; use records() for rows")
    given: Any = frame
    names = list(given.columns)
    if KEY in names and meta != "none":
        raise AugmentError(f"the frame has a column '{KEY}' already; rename it, or use meta=\"none\"")
    for name in (field,) if isinstance(field, str) else field or ():
        if name.partition(".")[0].partition("[")[0] not in names:
            raise AugmentError(f"no column '{name}'; the frame has {', '.join(map(str, names))}")
    rows = given.to_dict("records") if package == "pandas" else given.to_dicts()
    results = list(augmenter.records(rows, task, field=field, n=n, draw=draw))
    changes = [result.changed(meta) for result in results]
    touched = dict.fromkeys(str(path[0]) for change in changes for path in change.values)
    columns: dict[str, list[Any]] = {name: [] for name in touched}
    for result in results if touched else ():
        row = result.row("none")
        for name, held in columns.items():
            held.append(row[name])
    if meta != "none":
        columns[KEY] = [json.dumps(change.metadata, ensure_ascii=False) for change in changes]
    places = [place for place in range(len(rows)) for _ in range(n)]
    made: Any = given.iloc[places].copy() if package == "pandas" else given[places]
    if package == "pandas":
        for name, values in columns.items():
            made[name] = values
    else:
        new = type(given)(columns)
        kept = [new[name].cast(given.schema[name]) if name in names else new[name] for name in columns]
        made = made.with_columns(kept)
    result_frame: Data = made
    return result_frame
