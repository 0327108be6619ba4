"""Write a row: the JSON line or the dictionary that was read, with the new values and the metadata."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import encoded, encoded_row
from augment_ru.formats.json_places import all_located
from augment_ru.records import field_paths
from augment_ru.records.field_paths import Path
from augment_ru.records.record import AlikeRecords, Record

KEY = "augment"
"""The name of the field that holds the metadata of a row: how it was made, such as attack, status and edits."""


class Changed(NamedTuple):
    """The changes of a row: its new values, and the metadata about them.

    Attributes:
        values: the new values, by their paths in the row.
        metadata: the metadata to add, as JSON text; None for none.
        key: the key under which the metadata is added.
    """

    values: Mapping[Path, Any]
    metadata: str | None = None
    key: str = KEY


def refuse_twice(values: Mapping[str, Any], key: str = KEY) -> None:
    """Check that a row has no field yet with the name under which metadata is to be added.

    Args:
        values: the row.
        key: the name.

    Raises:
        AugmentError: the row has a field named `key`.
    """
    if key in values:
        remedy = "rename it, or make the row with `meta` none; A+B does one attack or normalizer after another"
        raise AugmentError(f"the row has a field '{key}' already (an output of this command?); {remedy}")


def written(record: Record, changed: Changed) -> str:
    """Return the new row as JSON: the line that was read, with new values in place of old ones, and the metadata last.

    Args:
        record: the original record.
        changed: the new values and the metadata.

    Raises:
        AugmentError: the row already has a field with the name of the metadata, or JSON cannot hold it.
    """
    if changed.metadata is not None:
        refuse_twice(record.values, changed.key)
    line = record.line if record.line is not None else encoded_row(record.values)
    new = changed.values
    pieces: list[str] = []
    at = 0
    for path, (start, stop) in sorted(all_located(line, new).items(), key=itemgetter(1)) if new else ():
        pieces += (line[at:start], encoded(new[path], like=line[start:stop]))
        at = stop
    if changed.metadata is not None:
        end = len(line[: line.rindex("}")].rstrip())
        pieces += (line[at:end], ", " if record.values else "", encoded(changed.key), ": ", changed.metadata)
        at = end
    return "".join([*pieces, line[at:]])


def lines_with(
    records: AlikeRecords, new: Sequence[str], metadata: Iterable[bytes] | None, alone: Callable[[int], str]
) -> Iterator[bytes]:
    """Yield the JSON line of each record with its new text and its metadata, ended by a line feed.

    The rest of the line stays as it was read.

    Args:
        records: the records, read from JSON lines.
        new: the new text of each record.
        metadata: the metadata of each record, as JSON; None adds no metadata.
        alone: a function that takes the index of a record and returns its new line without a line feed. It is called if
            it is not certain where the text stands in the line.
    """
    key = b"" if metadata is None else f", {encoded(KEY)}: ".encode()
    texts = map(orjson.dumps, records.texts), map(orjson.dumps, new)
    columns = zip(records.lines or (), *texts, repeat(b"") if metadata is None else metadata, strict=False)
    for number, (line, old, text, held) in enumerate(columns):
        at = line.find(old)
        is_plain = line[-1] == _BRACE and line[-2] > _SPACE and b"\\u" not in line and b"\\/" not in line
        if is_plain and at >= 0 and line.find(old, at + 1) < 0:
            yield b"".join((line[:at], text, line[at + len(old) : -1], key, held, b"}\n"))
        else:
            yield f"{alone(number)}\n".encode()


_BRACE, _SPACE = b"} "


def new_row(values: Mapping[str, Any], changed: Changed) -> dict[str, Any]:
    """Return the new row as a dictionary; values that do not change are shared with the original row, not copied.

    Args:
        values: the original row.
        changed: the new values and the metadata.

    Raises:
        AugmentError: the row already has a field with the name of the metadata.
    """
    if changed.metadata is not None:
        refuse_twice(values, changed.key)
    row = dict(values)
    for path, value in changed.values.items():
        row = field_paths.with_value(row, path, value)
    if changed.metadata is not None:
        row[changed.key] = json.loads(changed.metadata)
    return row
