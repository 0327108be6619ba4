"""Lines of JSON that are read and written at once, where that is certain to come to what it does line by line.

`augment_ru.formats.json_lines.parsed` and `augment_ru.formats.row.written` say what a line is; whatever is not certain
here is left to them.
"""

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any

import orjson

from augment_ru.formats.json_lines import DEEPEST, EXACT, FLAT, colons_of, encoded
from augment_ru.formats.lines import BOM

_FLAT_OR_FLOAT = FLAT | {float}
_NOWHERE = b"\n\n"
"""Stands in no line."""
_BRACE, _SPACE = b"} "


def values_of(raw: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects that lines of JSON spell; None where it is not certain that `parsed` would read each of them so.

    Twin keys are counted as `parsed` counts them, over all lines at once: each member and each colon in a text has a
    colon in its own line. So no line has fewer colons than its value needs, and if the sums are equal, all are.

    Args:
        raw: the lines with their ends, at least one.
    """
    data = b"".join(raw)
    if not raw[-1].endswith(b"\n") or b"\r" in data or b"\\u003" in data or data.startswith(BOM):
        return None
    try:
        values = list(map(orjson.loads, raw))
        if set(map(type, values)) != {dict}:
            return None
        return values if _colons(values) == data.count(b":") else None
    except ValueError:
        return None


def _colons(values: Sequence[dict[str, Any]]) -> int:
    """How many colons the JSON of all objects has.

    Raises:
        ValueError: one is nested too deeply, or holds a number that orjson may have rounded.
    """
    held = list(chain.from_iterable(map(dict.values, values)))
    if not _FLAT_OR_FLOAT.issuperset(map(type, held)):
        return sum(colons_of(one, DEEPEST) for one in values)
    numbers = [one for one in held if type(one) is float]
    if numbers and not -EXACT < min(numbers) <= max(numbers) < EXACT:
        raise ValueError
    texts = "".join([one for one in held if type(one) is str])
    keys = "".join(chain.from_iterable(values))
    return len(held) + texts.count(":") + keys.count(":")


def lines_with(
    raw: Sequence[bytes],
    old: Sequence[bytes],
    new: Sequence[bytes],
    *,
    metadata: Sequence[bytes] | None,
    name: str,
    alone: Callable[[int], str],
) -> list[bytes]:
    """Lines with another text in the place of one, and with metadata: what `written` makes of each, with its end.

    Args:
        raw: the lines with their ends, as `values_of` reads them.
        old: the text of each that is replaced, as JSON.
        new: the new one of each, as JSON.
        metadata: those of each, as JSON; None for none.
        name: the key of the metadata.
        alone: makes a line by itself, given its number; called where the old text stands twice in a line, or is
            written with escapes, or the line ends in spaces.
    """
    data = b"".join(raw)
    if b"\\u" in data or b"\\/" in data:
        old = [_NOWHERE if b"\\u" in line or b"\\/" in line else text for line, text in zip(raw, old, strict=True)]
    key = b"" if metadata is None else f", {encoded(name)}: ".encode()
    made: list[bytes] = []
    columns = zip(raw, old, new, repeat(b"") if metadata is None else metadata, strict=False)
    for line, before, after, held in columns:
        at = line.find(before)
        if at >= 0 and line.find(before, at + 1) < 0 and line[-2] == _BRACE and line[-3] > _SPACE:
            made.append(b"".join((line[:at], after, line[at + len(before) : -2], key, held, b"}\n")))
        else:
            made.append(alone(len(made)).encode() + b"\n")
    return made
