"""How a row is written: its own line or dictionary, with the new values and the metadata."""

import copy
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import encoded, encoded_row, spells_plainly
from augment_ru.formats.json_places import all_located, only_place
from augment_ru.records import field_paths
from augment_ru.records.field_paths import Path
from augment_ru.records.record import Record

KEY = "augment"
"""The field that the metadata is written under."""


class Changed(NamedTuple):
    """The new values of a row by their paths, and the metadata that is added, if any."""

    values: Mapping[Path, Any]
    metadata: Mapping[str, Any] | None = None
    key: str = KEY


def refuse_twice(values: Mapping[str, Any], key: str = KEY) -> None:
    """Raise an error if the row has a field of the metadata's name already.

    Raises:
        AugmentError: it has.
    """
    if key in values:
        raise AugmentError(
            f"the row has a field '{key}' already (an output of perturb?); rename it; perturb has `meta` none, and "
            f"`attacks` A+B to do one attack after another"
        )


def written(record: Record, changed: Changed) -> str:
    """The row as a JSON line: the line it was read from, with only the new values replaced.

    Raises:
        AugmentError: the row has a field of the metadata's name already.
    """
    if changed.metadata is not None:
        refuse_twice(record.values, changed.key)
    line = record.line if record.line is not None else encoded_row(record.values)
    placed = _placed(line, record.values, changed.values)
    if len(placed) > 1:
        placed.sort()
    pieces: list[str] = []
    at = 0
    for (start, stop), value in placed:
        pieces += (line[at:start], encoded(value, like=line[start:stop]))
        at = stop
    if changed.metadata is None:
        pieces.append(line[at:])
    else:
        end = len(line) - 1 if line[-1] == "}" else line.rindex("}")
        if line[end - 1] in _SPACES:
            end = len(line[:end].rstrip())
        comma = ", " if record.values else ""
        pieces += (line[at:end], comma, _key(changed.key), ": ", encoded(changed.metadata), line[end:])
    return "".join(pieces)


_SPACES = " \t\r\n"


@lru_cache(maxsize=256)
def _key(name: str) -> str:
    return encoded(name)


def _placed(line: str, values: Mapping[str, Any], new: Mapping[Path, Any]) -> list[tuple[tuple[int, int], Any]]:
    """The start and the stop of each value that is replaced, in the line of its row, and the new value."""
    placed: list[tuple[tuple[int, int], Any]] = []
    if spells_plainly(line):
        for path, value in new.items():
            old = values.get(str(path[0])) if len(path) == 1 else None
            place = only_place(line, old) if type(old) is str else None
            if place is None:
                break
            placed.append((place, value))
        else:
            return placed
    found = all_located(line, new)
    return [(found[path], value) for path, value in new.items()]


def replaced(record: Record, changed: Changed) -> dict[str, Any]:
    """The row as a dictionary with the new values; it shares nothing with the record.

    Raises:
        AugmentError: the row has a field of the metadata's name already.
    """
    return new_row(copy.deepcopy(dict(record.values)), changed)


def new_row(values: Mapping[str, Any], changed: Changed) -> dict[str, Any]:
    """The row of these values as a dictionary with the new ones; it shares the others.

    Raises:
        AugmentError: the row has a field of the metadata's name already.
    """
    if changed.metadata is not None:
        refuse_twice(values, changed.key)
    row = dict(values)
    for path, value in changed.values.items():
        row = field_paths.with_value(row, path, value)
    if changed.metadata is not None:
        row[changed.key] = changed.metadata
    return row
