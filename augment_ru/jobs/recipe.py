"""Recipes: the options of `perturb` in a TOML file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.strict_tables import INTEGER, MAYBE, NUMBER, Key, is_text, is_texts, values_of

_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
"""Options that may be given several times, with the names of their parameters."""
_TEXTS = Key(lambda value: is_text(value) or is_texts(value), "a text or a list of texts")
_FLAG = Key(lambda value: isinstance(value, bool), "true or false")
_KEYS = {
    **dict.fromkeys(_LISTS, _TEXTS),
    **dict.fromkeys(("no-constraints", "with-original"), _FLAG),
    **dict.fromkeys(("probability", "threshold"), NUMBER),
    **dict.fromkeys(("candidates", "seed", "limit"), INTEGER),
    **dict.fromkeys(("task", "similarity", "schedule", "annotator", "preset", "meta"), MAYBE),
    **dict.fromkeys(("device", "on-error", "output", "report"), MAYBE),
}


def read_recipe(path: Path) -> Mapping[str, Any]:
    """The options of a recipe: the parameters of `perturb` with their values; those that may be repeated as tuples.

    Raises:
        AugmentError: the file cannot be read, a key is unknown, or a value has the wrong type.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AugmentError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AugmentError(f"{path.name}: not TOML: {error}") from error
    values_of(path.name, content, _KEYS)
    lists = {
        _LISTS[key]: (value,) if is_text(value) else tuple(value) for key, value in content.items() if key in _LISTS
    }
    return lists | {key.replace("-", "_"): value for key, value in content.items() if key not in _LISTS}
