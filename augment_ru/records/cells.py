"""Texts of JSON in a row: the cells in which a table holds objects and lists."""

import json
from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any


def holds_json(value: object) -> bool:
    """Tell whether a value is a string with the JSON of an object or a list, such as `'{"start": 3}'`."""
    return isinstance(value, str) and _inside(value) is not value


def with_cells_read(row: Mapping[str, Any], kept: Container[str] = ()) -> Mapping[str, Any]:
    """Parse the strings of a row that hold a JSON object or list, as in cells of a table; return the new row.

    >>> with_cells_read({"text": "[1]", "answers": '{"answer_start": [3]}', "n": "3"}, {"text"})
    {'text': '[1]', 'answers': {'answer_start': [3]}, 'n': '3'}

    Args:
        row: the row.
        kept: the keys whose strings are left as they are.
    """
    found = {key: _inside(held) for key, held in row.items() if isinstance(held, str) and key not in kept}
    return {**row, **found}


def _inside(text: str) -> Any:  # noqa: ANN401  (JSON values)
    """Return the object or the list that a text of JSON stands for; of any other text, the text itself."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text
