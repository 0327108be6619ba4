"""Recipes of commands: their options in a TOML file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from augment_ru.strict_tables import INTEGER, NUMBER, TEXT, TEXT_OR_TEXTS, TRUTH, Key, read_toml, table_values

PERTURB_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
"""The options of `perturb` that may be repeated, and the names of their values."""
PERTURB_KEYS = {
    **{key: Key(TEXT_OR_TEXTS) for key in PERTURB_LISTS},
    "task": Key(TEXT), "probability": Key(NUMBER), "similarity": Key(TEXT), "threshold": Key(NUMBER),
    "schedule": Key(TEXT), "candidates": Key(INTEGER), "min-changes": Key(INTEGER), "annotator": Key(TEXT),
    "no-constraints": Key(TRUTH),
    "seed": Key(INTEGER), "preset": Key(TEXT), "with-original": Key(TRUTH), "meta": Key(TEXT), "device": Key(TEXT),
    "on-error": Key(TEXT), "limit": Key(INTEGER), "output": Key(TEXT), "report": Key(TEXT),
}  # fmt: skip


EVALUATE_LISTS = {
    "model": "models", "text-field": "text_fields", "label-field": "label_fields", "metric": "metrics", "by": "by",
    "model-option": "options",
}  # fmt: skip
"""Those of `evaluate`."""
EVALUATE_KEYS = {
    **{key: Key(TEXT_OR_TEXTS) for key in EVALUATE_LISTS},
    "originals": Key(TEXT), "task": Key(TEXT), "train": Key(TEXT), "shots": Key(TEXT), "episodes": Key(INTEGER),
    "device": Key(TEXT), "seed": Key(INTEGER), "cache": Key(TEXT), "title": Key(TEXT), "format": Key(TEXT),
    "output": Key(TEXT), "html": Key(TEXT), "predictions": Key(TEXT),
    "verdicts": Key(TEXT),
}  # fmt: skip


def read_recipe(
    path: Path, keys: Mapping[str, Key] = PERTURB_KEYS, lists: Mapping[str, str] = PERTURB_LISTS
) -> Mapping[str, Any]:
    """The options of a recipe: its keys are the long options of a command; those that may be repeated are lists.

    Args:
        path: the file.
        keys: the options.
        lists: those that may be repeated, and the names of their values.

    Raises:
        AugmentError: the file cannot be read, a key is unknown, or a value has the wrong type.
    """
    content = read_toml(path, path.name)
    values = table_values(path.name, content, keys)
    options: dict[str, Any] = {}
    for key in content:
        value = values[key]
        if key in lists:
            options[lists[key]] = (value,) if isinstance(value, str) else tuple(value)
        else:
            options[key.replace("-", "_")] = value
    return options
