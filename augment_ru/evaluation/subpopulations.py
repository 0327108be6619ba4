"""Subpopulations: the originals split by their properties."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.bins import BINS, binned
from augment_ru.evaluation.properties import MEASURED, field_property, properties_of
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task

_FEW = 8
"""A field of numbers with at most so many different values has a cell for each: a grade, a mark."""


@dataclass(frozen=True, slots=True)
class Subpopulation:
    """A property of the originals: the names of its cells in order, and the index of the cell of each original."""

    name: str
    cells: tuple[str, ...]
    of: Sequence[int]


def subpopulations(
    originals: Sequence[Mapping[str, Any]],
    task: Task,
    *,
    labels: bool,
    by: Sequence[str] = (),
) -> list[Subpopulation]:
    """The properties in which the originals differ: those of the task, and the fields of `by`.

    Args:
        originals: the rows.
        task: the task.
        labels: whether right answers are labels.
        by: further fields; they are reported also where all rows have the same value.

    Raises:
        AugmentError: no row has a field of `by`.
    """
    records = [Record(values, task) for values in originals]
    properties = properties_of(task, labels=labels)
    for name in by:
        if not any(field_paths.has_value(values, name) for values in originals):
            fields = ", ".join(dict.fromkeys(field for values in originals for field in values))
            raise AugmentError(f"--by {name}: no row has this field; the fields are {fields}")
        properties[name] = field_property(name)
    found: list[Subpopulation] = []
    for name, value_of in properties.items():
        bins = binned([value_of(record) for record in records], BINS if name in MEASURED else _FEW)
        if bins is not None and (len(bins[0]) > 1 or name in by):
            found.append(Subpopulation(name, *bins))
    return found
