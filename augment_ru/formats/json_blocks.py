"""Lines of JSON that are read and written at once, where that is certain to come to what it does line by line.

`augment_ru.formats.json_lines.parsed` and `augment_ru.formats.row.written` say what a line is; whatever is not certain
here is left to them.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import orjson

from augment_ru.formats.json_lines import DEEPEST, EXACT, FLAT, colons_of, encoded
from augment_ru.formats.lines import BOM
from augment_ru.records.alike import AlikeRecords

_FLAT_OR_FLOAT = FLAT | {float}
_COLON, _ESCAPE = re.compile(rb"\\u003"), re.compile(rb"\\[u/]")
"""Escapes: of characters from 0 to ?, among which is the colon; of any letter, or a slash. Faster than `in`."""
_BRACE, _SPACE, _BACKSLASH = b"} \\"


def objects_of(raw: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects that lines of JSON spell; None where it is not certain that `parsed` would read each of them so.

    Twin keys are counted as `parsed` counts them, over all lines at once: each member and each colon in a text has a
    colon in its own line. So no line has fewer colons than its value needs, and if the sums are equal, all are.

    Args:
        raw: the lines with their ends, at least one.
    """
    data = b"".join(raw)
    if not raw[-1].endswith(b"\n") or b"\r" in data or _COLON.search(data) or data.startswith(BOM):
        return None
    try:
        values = list(map(orjson.loads, raw))
        if set(map(type, values)) != {dict}:
            return None
        return values if _has_colons(values, data.count(b":")) else None
    except ValueError:
        return None


def _has_colons(values: Sequence[dict[str, Any]], count: int) -> bool:
    """Whether the JSON of all objects has so many colons.

    Raises:
        ValueError: one is nested too deeply, or holds a number that orjson may have rounded.
    """
    held = list(chain.from_iterable(map(dict.values, values)))
    kinds = set(map(type, held))
    if not kinds <= _FLAT_OR_FLOAT:
        return count == sum(colons_of(one, DEEPEST) for one in values)
    if float in kinds and not all(-EXACT < one < EXACT for one in held if type(one) is float):
        return False
    found = len(held) + "".join([one for one in held if type(one) is str]).count(":")
    return count == found or count == found + "".join(chain.from_iterable(values)).count(":")


class TextPlaces(NamedTuple):
    """Where a text stands as JSON in each of several lines.

    Attributes:
        starts: where it starts; -1 where that is not certain.
        spelt: how it is spelt.
        escaped: the numbers of the lines with escapes of letters or slashes.
    """

    starts: Sequence[int]
    spelt: Sequence[bytes]
    escaped: Sequence[int]


def places_of(records: AlikeRecords, texts: Sequence[bytes]) -> TextPlaces:
    """Where the text of each record stands in its line, as `written` would find it.

    A text is found at its only place. In a line with escapes, where it might be spelt in several ways, it is found
    behind its key: a quotation mark that no backslash precedes begins or ends a text, and it ends none if a letter
    follows. So it begins a key, if a name and a colon follow, and a row without objects in it has each key once.

    Args:
        records: the records, from lines that `objects_of` read.
        texts: their texts as JSON.
    """
    raw, spelt = records.lines, [*texts]
    escaped: list[int] = []
    if _ESCAPE.search(b"".join(raw)):
        escaped = [at for at, line in enumerate(raw) if _ESCAPE.search(line)]
        for at in escaped:
            spelt[at] = encoded(records.texts[at], like=raw[at].decode()).encode()
    starts: list[int] = []
    for line, text in zip(raw, spelt, strict=True):
        at = line.find(text)
        known = at >= 0 and line.find(text, at + 1) < 0 and line[-2] == _BRACE and line[-3] > _SPACE
        starts.append(at if known else -1)
    key = orjson.dumps(records.field)
    for at in escaped:
        is_flat = records.field.isidentifier() and _FLAT_OR_FLOAT.issuperset(map(type, records.values[at].values()))
        starts[at] = _behind_key(raw[at], key, spelt[at]) if is_flat else -1
    return TextPlaces(starts, spelt, escaped)


def _behind_key(line: bytes, key: bytes, text: bytes) -> int:
    """Where a text starts behind its key in a line that spells a row without objects and lists; -1 if not found."""
    if line[-2] != _BRACE or line[-3] <= _SPACE:
        return -1
    for lead in (key + b": ", key + b":"):
        at = line.find(lead + text)
        if at > 0 and line[at - 1] != _BACKSLASH:
            return at + len(lead)
    return -1


def lines_with(
    raw: Sequence[bytes],
    places: TextPlaces,
    new: Sequence[str],
    *,
    metadata: Sequence[bytes] | None,
    name: str,
    alone: Callable[[int], str],
) -> list[bytes]:
    """Lines with another text in the place of one, and with metadata: what `written` makes of each, with its end.

    Args:
        raw: the lines with their ends.
        places: the texts that are replaced.
        new: the new text of each.
        metadata: those of each, as JSON; None for none.
        name: the key of the metadata.
        alone: makes a line by itself, given its number; called where the place of the text is not certain.
    """
    key = b"" if metadata is None else f", {encoded(name)}: ".encode()
    after = list(map(orjson.dumps, new))
    for number in places.escaped:
        after[number] = encoded(new[number], like=places.spelt[number].decode()).encode()
    made: list[bytes] = []
    columns = zip(raw, places.starts, places.spelt, after, metadata or repeat(b""), strict=False)
    for line, at, old, text, held in columns:
        if at >= 0:
            made.append(b"".join((line[:at], text, line[at + len(old) : -2], key, held, b"}\n")))
        else:
            made.append(alone(len(made)).encode() + b"\n")
    return made
