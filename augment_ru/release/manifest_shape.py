"""The shape of a manifest: what stands under each key. It comes from others, so it is checked before it is used.

The checks bound every number, and tie the lists of tasks and attacks to the recipe, so that what reads the manifest
later takes memory and time in proportion to the files of the release.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from augment_ru.adversary.case import STATUSES
from augment_ru.errors import AugmentError, unknown
from augment_ru.release.croissant import COLUMN_TYPES
from augment_ru.release.recipe import ReleaseRecipe
from augment_ru.strict_tables import LIST, TABLE, TEXT, TEXTS, TRUTH, Kind, checked

Check = Callable[[str, object], None]
"""Raises an error if a value has another shape; the first argument names its place."""

_MOST = 2**53
"""Integers up to this are the same in every reader of JSON."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST


def _is_integer(value: object) -> bool:
    return _is_number(value) and isinstance(value, int)


def _is_path(value: object) -> bool:
    """Whether it is the path of a file inside a folder, in the one form that it has."""
    if not isinstance(value, str) or "\0" in value or "\\" in value:
        return False
    path = PurePosixPath(value)
    return value == str(path) != "." and not path.is_absolute() and ".." not in path.parts


def _of(kind: Kind) -> Check:
    def check(where: str, value: object) -> None:
        checked(where, value, kind)

    return check


def _list(each: Check) -> Check:
    def check(where: str, value: object) -> None:
        for number, one in enumerate(checked(where, value, LIST), 1):
            each(f"{where} {number}", one)

    return check


def _table(each: Check) -> Check:
    def check(where: str, value: object) -> None:
        for key, one in checked(where, value, TABLE).items():
            each(f"{where}: '{key}'", one)

    return check


def _keys(known: Mapping[str, Check], *optional: str) -> Check:
    def check(where: str, value: object) -> None:
        table = checked(where, value, TABLE)
        for key in table:
            if key not in known:
                raise AugmentError(f"{where}: {unknown('key', key, known)}")
        for key, check_one in known.items():
            if key in table:
                check_one(f"{where}: '{key}'", table[key])
            elif key not in optional:
                raise AugmentError(f"{where}: no '{key}', so no build has written it")

    return check


def _or_none(check: Check) -> Check:
    return lambda where, value: None if value is None else check(where, value)


_TEXT, _TEXTS, _TRUTH = _of(TEXT), _of(TEXTS), _of(TRUTH)
_COUNT = _of(Kind("a whole number from 0 on", lambda value: _is_integer(value) and value >= 0))
_NUMBER = _of(Kind("a number", _is_number))
_LABEL = _of(Kind("a text or an integer", lambda value: isinstance(value, str | bool) or _is_integer(value)))
_COLUMN = _of(Kind(f"one of {', '.join(COLUMN_TYPES)}", lambda value: value in COLUMN_TYPES))
_DISTRIBUTION = _or_none(_keys(dict.fromkeys(("mean", "std", "min", "5%", "25%", "50%", "75%", "95%", "max"), _NUMBER)))
_FIGURES: Mapping[str, Check] = {
    "name": _TEXT, "rows": _COUNT, "perturbed": _COUNT, "unchanged": _COUNT, "rejected": _COUNT,
    "acceptance": _or_none(_NUMBER), "similarity": _DISTRIBUTION, "probability": _DISTRIBUTION,
    "edits_per_perturbed_row": _or_none(_NUMBER),
}  # fmt: skip
_SEARCH: Mapping[str, Check] = {
    "name": _TEXT, **dict.fromkeys(("rows", "right", *STATUSES, "queries", "minimal"), _COUNT),
    **dict.fromkeys(("asr", "queries_a_success", "changes"), _or_none(_NUMBER)),
}  # fmt: skip
_MODEL: Mapping[str, Check] = {"name": _TEXT, "model": _TEXT, "files": _table(_TEXT), "signatures": _table(_TEXT)}
_TASK: Mapping[str, Check] = {
    "name": _TEXT, "task": _TEXT, "fields": _TEXTS, "gold": _TEXTS, "columns": _table(_COLUMN),
    "labels": _list(_LABEL), "answered": _TRUTH, "metrics": _TEXTS, "constraints": _TEXTS, "licence": _TEXT,
    "description": _TEXT, "test": _COUNT, "train": _COUNT,
    "episodes": _list(_keys({"number": _COUNT, "shots": _COUNT})), "default_episode": _COUNT,
    "attacks": _list(_keys(_FIGURES)), "train_digests": _TEXTS, "searches": _list(_keys(_SEARCH)), "groups": _TEXTS,
    "train_groups": _list(_or_none(_TEXT)),
}  # fmt: skip
_DEMONSTRATION: Mapping[str, Check] = {
    "task": _TEXT, "episode": _COUNT, "file": _TEXT, "row": _COUNT, "texts": _TEXTS, "answers": _TEXTS,
}  # fmt: skip
_ENVIRONMENT: Mapping[str, Check] = {
    "augment_ru": _TEXT, "code": _TEXT, "python": _TEXT, "unicode": _TEXT, "packages": _table(_TEXT),
}  # fmt: skip
_check_shape = _keys(
    {
        "format": _TEXT,
        "name": _TEXT,
        "recipe": _of(TABLE),
        "environment": _keys(_ENVIRONMENT),
        "annotator": _TEXT,
        "scorer": _TEXT,
        "settings": _table(_keys({"probability": _NUMBER, "threshold": _or_none(_NUMBER), "candidates": _COUNT})),
        "data": _table(_TEXT),
        "inputs": _list(_keys({"task": _TEXT, "split": _TEXT, "file": _TEXT, "rows": _COUNT, "sha256": _TEXT})),
        "attacks": _list(_keys({**_FIGURES, "spec": _TEXT})),
        "tasks": _list(_keys(_TASK, "searches", "groups", "train_groups")),
        "searches": _list(_keys(_SEARCH)),
        "models": _list(_keys(_MODEL)),
        "files": _table(_keys({"sha256": _TEXT, "bytes": _COUNT, "lines": _COUNT})),
        "examples": _list(_keys(dict.fromkeys(("perturbation", "task", "field", "original", "perturbed"), _TEXT))),
        "demonstrations": _list(_keys(_DEMONSTRATION)),
    },
    "searches",
    "models",
)


def check_shape(where: str, content: Mapping[str, Any]) -> None:
    """Refuse a manifest in which a key is missing or unknown, a value is of another kind, or a path leads outside.

    Args:
        where: the name of the manifest, for messages.
        content: what it holds.

    Raises:
        AugmentError: the key, what it holds, and what it must hold.
    """
    _check_shape(where, content)
    for name in content["files"]:
        if not _is_path(name):
            raise AugmentError(f"{where}: 'files': {name!r} is no path of a file inside the release")
    for task in content["tasks"]:
        if len(task["train_digests"]) != task["train"]:
            count = len(task["train_digests"])
            raise AugmentError(f"{where}: '{task['name']}' has {task['train']} train rows, and digests of {count}")
        if task["default_episode"] not in [one["number"] for one in task["episodes"]]:
            raise AugmentError(f"{where}: '{task['name']}' has no episode {task['default_episode']}")
        if len(task.get("train_groups", task["train_digests"])) != task["train"]:
            count = len(task["train_groups"])
            raise AugmentError(f"{where}: '{task['name']}' has {task['train']} train rows, and groups of {count}")


def check_recipe(where: str, content: Mapping[str, Any], recipe: ReleaseRecipe) -> None:
    """Refuse a manifest whose recipe no build has written, or whose tasks and attacks are not those of its recipe.

    Args:
        where: the name of the manifest, for messages.
        content: what it holds.
        recipe: the recipe that was read from it.

    Raises:
        AugmentError: what it has, and what the recipe has.
    """
    if recipe.content() != content["recipe"]:
        raise AugmentError(f"{where}: 'recipe' is not in the form in which a build writes it")
    names = [attack.name for attack in recipe.attacks]
    _check_same(f"{where}: 'attacks'", [entry["name"] for entry in content["attacks"]], names)
    _check_same(f"{where}: 'settings'", list(content["settings"]), names)
    for key in ("searches", "models"):
        _check_same(f"{where}: '{key}'", [entry["name"] for entry in content.get(key, ())], list(recipe.searches))
    tasks = [task.name for task in recipe.tasks]
    _check_same(f"{where}: 'tasks'", [entry["name"] for entry in content["tasks"]], tasks)
    for task, known in zip(recipe.tasks, content["tasks"], strict=True):
        names = [attack.name for attack in recipe.attacks_of(task)]
        found = [entry["name"] for entry in known["attacks"]]
        _check_same(f"{where}: 'tasks': '{task.name}': 'attacks'", found, names)
        found = [entry["name"] for entry in known.get("searches", ())]
        _check_same(f"{where}: 'tasks': '{task.name}': 'searches'", found, list(recipe.searches_of(task)))


def _check_same(where: str, found: Sequence[str], names: Sequence[str]) -> None:
    if list(found) != list(names):
        raise AugmentError(
            f"{where}: {', '.join(found) or 'none'}; the recipe of the release has {', '.join(names) or 'none'}"
        )
