"""Recipes of commands: their options in a TOML file."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from augment_ru.errors import AugmentError, unknown
from augment_ru.registry import chain_names, refuse
from augment_ru.strict_tables import Number, read_toml, typed


def _keys(lists: Collection[str], **kinds: str) -> type[msgspec.Struct]:
    """Return the table of a recipe: keys that hold a text or several, and by kind the names of the others."""
    types = {"texts": str, "integers": int, "numbers": Number, "truths": bool}
    known = dict.fromkeys(lists, str | tuple[str, ...]) | {
        key: types[kind] for kind, keys in kinds.items() for key in keys.split()
    }
    fields = [(key.replace("-", "_"), kind, msgspec.field(name=key, default=None)) for key, kind in known.items()]
    return msgspec.defstruct("Recipe", fields, forbid_unknown_fields=True)


PERTURB_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
"""The options of `perturb` that may be repeated, and the names of their values."""
PERTURB_KEYS = _keys(
    PERTURB_LISTS,
    texts="task similarity schedule annotator preset meta device on-error output input-format encoding report",
    integers="candidates min-changes seed limit copies",
    numbers="probability threshold",
    truths="no-constraints with-original csv-safe",
)

_NAMES = ("attack", "similarity", "model", "constraint")
"""The keys whose values could name code of the user, which a file may not."""


EVALUATE_LISTS = {
    "model": "models", "field": "fields", "label-field": "label_fields", "metric": "metrics", "by": "by",
    "model-option": "model_options", "table": "tables",
}  # fmt: skip
"""Those of `evaluate`."""
EVALUATE_KEYS = _keys(
    EVALUATE_LISTS,
    texts="originals task train shots device cache title format output html predictions verdicts date flipping "
    "input-format encoding worst-case",
    integers="episodes seed",
)


def read_recipe(
    path: Path, keys: type[msgspec.Struct] = PERTURB_KEYS, lists: Mapping[str, str] = PERTURB_LISTS
) -> Mapping[str, Any]:
    """Return the options of a recipe: its keys are the long options of a command; those that may be repeated are lists.

    Args:
        path: the file.
        keys: the options.
        lists: those that may be repeated, and the names of their values.

    Raises:
        AugmentError: the file cannot be read, a key is unknown, or a value has the wrong type.
    """
    content = read_toml(path, path.name)
    typed(path.name, content, keys)
    options: dict[str, Any] = {}
    for key, value in content.items():
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
    """Return the values of `NAME.OPTION=VALUE` pairs, by name and option.

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
