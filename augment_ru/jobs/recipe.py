"""Recipes: the options of `perturb` in a TOML file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, unknown

_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
_VALUES: dict[str, type | tuple[type, ...]] = {
    "task": str, "probability": (int, float), "similarity": str, "threshold": (int, float), "schedule": str,
    "candidates": int, "annotator": str, "no-constraints": bool, "seed": int, "preset": str, "with-original": bool,
    "meta": str,
    "device": str, "on-error": str, "limit": int, "output": str, "report": str,
}  # fmt: skip


def read_recipe(path: Path) -> Mapping[str, Any]:
    """The options of a recipe: the long options of `perturb` as keys; repeatable ones as lists.

    Raises:
        AugmentError: the file cannot be read, a key is unknown, or a value has the wrong type.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AugmentError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AugmentError(f"{path.name}: not TOML: {error}") from error
    options: dict[str, Any] = {}
    for key, value in content.items():
        if key in _LISTS:
            values = value if isinstance(value, list) else [value]
            if not all(isinstance(one, str) for one in values):
                raise AugmentError(f"{path.name}: '{key}' must be a text or a list of texts")
            options[_LISTS[key]] = tuple(values)
        elif key in _VALUES:
            wrong_bool = isinstance(value, bool) and _VALUES[key] is not bool
            if wrong_bool or not isinstance(value, _VALUES[key]):
                raise AugmentError(f"{path.name}: '{key}' is {value!r}; it has the wrong type")
            options[key.replace("-", "_")] = value
        else:
            raise AugmentError(f"{path.name}: {unknown('option', key, [*_LISTS, *_VALUES])}")
    return options
