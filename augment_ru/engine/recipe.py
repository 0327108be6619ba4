"""Recipes of commands: TOML files that hold the options of a command."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from augment_ru.errors import AugmentError, unknown
from augment_ru.options import by_name
from augment_ru.registry import chain_names, refuse
from augment_ru.strict_tables import Number, read_toml, typed


def _keys(lists: Collection[str], **kinds: str) -> type[msgspec.Struct]:
    """Make the type of a recipe's table.

    Args:
        lists: the keys that hold a text or several texts.
        kinds: the other keys; `texts`, `integers`, `numbers` and `truths` each name the keys with such values,
            separated by spaces.
    """
    types = {"texts": str, "integers": int, "numbers": Number, "truths": bool}
    known = dict.fromkeys(lists, str | tuple[str, ...]) | {
        key: types[kind] for kind, keys in kinds.items() for key in keys.split()
    }
    fields = [(key.replace("-", "_"), kind, msgspec.field(name=key, default=None)) for key, kind in known.items()]
    return msgspec.defstruct("Recipe", fields, forbid_unknown_fields=True)


PERTURB_LISTS = {"attack": "attacks", "field": "fields", "constraint": "constraints", "set": "options"}
"""The options of `perturb` that may be repeated, and the name of the parameter that gets the values of each."""
PERTURB_KEYS = _keys(
    PERTURB_LISTS,
    texts="task similarity schedule annotator preset meta device on-error output input-format encoding report spans",
    integers="candidates min-changes seed limit copies",
    numbers="probability threshold",
    truths="no-constraints with-original csv-safe",
)

_NAMES = ("attack", "similarity", "model", "constraint", "defence")
"""The keys whose values could name the user's own code, which a file must not do."""


EVALUATE_LISTS = {
    "model": "models", "field": "fields", "label-field": "label_fields", "metric": "metrics", "by": "by",
    "model-option": "model_options", "table": "tables", "require": "require",
    "defence": "defences",
}  # fmt: skip
"""The options of `evaluate` that may be repeated, and the name of the parameter that gets the values of each."""
EVALUATE_KEYS = _keys(
    EVALUATE_LISTS,
    texts="originals fresh task train shots device cache catch title format output html predictions verdicts date "
    "flipping input-format encoding worst-case",
    integers="episodes repeats seed",
    truths="require-point",
)


def read_recipe(
    path: Path, keys: type[msgspec.Struct] = PERTURB_KEYS, lists: Mapping[str, str] = PERTURB_LISTS
) -> Mapping[str, Any]:
    """Read the recipe of a command, and return the values of the command's options.

    The keys of a recipe are the long options of the command.

    Args:
        path: the TOML file.
        keys: a type that states the keys of the recipe and the types of their values.
        lists: for each option that may be repeated, the name of its parameter. The value becomes a tuple.

    Returns:
        The values, by the name of the parameter.

    Raises:
        AugmentError: the file cannot be read, a key is unknown, a value has the wrong type, or it names the user's own
            code.
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


def option_values(pairs: Sequence[str], names: Collection[str]) -> dict[str, dict[str, str]]:
    """Split option settings `NAME.OPTION=VALUE`, and return the values by name and option.

    Args:
        pairs: the settings, as given with `--set`.
        names: the names that may be used: those of the attacks and of the similarity of the run.

    Raises:
        AugmentError: a setting has another form, or its name is not in the run.
    """
    found = by_name("set", pairs, "NAME.OPTION=VALUE, such as butterfingers.probability=0.2")
    for pair in pairs:
        if (name := pair.partition(".")[0]) not in names:
            raise AugmentError(f"`set` {pair}: {unknown('attack or similarity of this run', name, names)}")
    return found
