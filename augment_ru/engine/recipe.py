"""Recipes of commands: their options in a TOML file."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, unknown
from augment_ru.own_code import chain_names, refuse
from augment_ru.strict_tables import INTEGER, NUMBER, TEXT, TEXT_OR_TEXTS, TRUTH, Key, read_toml, table_values

PERTURB_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
"""The options of `perturb` that may be repeated, and the names of their values."""
PERTURB_KEYS = {
    **{key: Key(TEXT_OR_TEXTS) for key in PERTURB_LISTS},
    "task": Key(TEXT), "probability": Key(NUMBER), "similarity": Key(TEXT), "threshold": Key(NUMBER),
    "schedule": Key(TEXT), "candidates": Key(INTEGER), "min-changes": Key(INTEGER), "annotator": Key(TEXT),
    "no-constraints": Key(TRUTH),
    "seed": Key(INTEGER), "preset": Key(TEXT), "with-original": Key(TRUTH), "meta": Key(TEXT), "device": Key(TEXT),
    "on-error": Key(TEXT), "limit": Key(INTEGER), "copies": Key(INTEGER), "csv-safe": Key(TRUTH), "output": Key(TEXT),
    "input-format": Key(TEXT), "encoding": Key(TEXT), "report": Key(TEXT),
}  # fmt: skip

_NAMES = ("attack", "similarity", "model", "constraint")
"""The keys whose values could name code of the user, which a file may not."""


EVALUATE_LISTS = {
    "model": "models", "field": "fields", "label-field": "label_fields", "metric": "metrics", "by": "by",
    "model-option": "model_options", "table": "tables",
}  # fmt: skip
"""Those of `evaluate`."""
EVALUATE_KEYS = {
    **{key: Key(TEXT_OR_TEXTS) for key in EVALUATE_LISTS},
    "originals": Key(TEXT), "task": Key(TEXT), "train": Key(TEXT), "shots": Key(TEXT), "episodes": Key(INTEGER),
    "device": Key(TEXT), "seed": Key(INTEGER), "cache": Key(TEXT), "title": Key(TEXT), "format": Key(TEXT),
    "output": Key(TEXT), "html": Key(TEXT), "predictions": Key(TEXT),
    "verdicts": Key(TEXT), "date": Key(TEXT), "flipping": Key(TEXT), "input-format": Key(TEXT), "encoding": Key(TEXT),
    "worst-case": Key(TEXT),
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
        if key in _NAMES:
            for spec in [value] if isinstance(value, str) else value:
                for part in chain_names(spec):
                    refuse(part)
        if key in lists:
            options[lists[key]] = (value,) if isinstance(value, str) else tuple(value)
        else:
            options[key.replace("-", "_")] = value
    return options


def option_values(pairs: Sequence[str], names: Collection[str]) -> dict[str, dict[str, Any]]:
    """The values of `NAME.OPTION=VALUE` pairs, by name and option.

    Args:
        pairs: the values of `--set`.
        names: the attacks and the similarity of the run.

    Raises:
        AugmentError: a pair has another form, or its name is not in the run.
    """
    found: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        left, equals, value = pair.partition("=")
        name, dot, option = left.partition(".")
        if not (equals and dot):
            raise AugmentError(f"`set` {pair}: must be NAME.OPTION=VALUE, such as butterfingers.probability=0.2")
        if name not in names:
            raise AugmentError(f"`set` {pair}: {unknown('attack or similarity of this run', name, names)}")
        found.setdefault(name, {})[option] = value
    return found
