"""Check a manifest before it is used, because it may come from other people: its keys, and the types of its values.

The checks limit every number, and compare the lists of tasks and attacks with the recipe. So a malicious manifest
cannot make the code that reads it take more time or memory than the files of the release need.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from types import GenericAlias
from typing import Annotated, Any, Literal

import msgspec

from augment_ru.adversary.case import STATUSES
from augment_ru.engine.figures import QUANTILES
from augment_ru.errors import AugmentError
from augment_ru.release.croissant import COLUMN_TYPES
from augment_ru.release.release_recipe import ReleaseRecipe
from augment_ru.strict_tables import typed

MOST = 2**53
"""The largest number allowed; all JSON readers represent integers up to this exactly."""
_Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
_Number = Annotated[float, msgspec.Meta(ge=-MOST, le=MOST)]
_Label = str | bool | Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]


def _object(texts: str, counts: str = "", figures: str = "", may_lack: str = "", /, **others: Any) -> Any:  # noqa: ANN401
    """Make a type for JSON objects with these keys; reading an object with other keys is an error.

    Args:
        texts: the keys that hold a text, separated by spaces.
        counts: the keys that hold a count.
        figures: the keys that hold a number or null.
        may_lack: the keys that may be absent. An absent list is read as an empty list, any other value as None.
        others: the types of the other keys.
    """
    named = ((texts, str), (counts, _Count), (figures, _Number | None))
    kinds = {key: kind for keys, kind in named for key in keys.split()}
    fields: list[Any] = []
    for key, kind in (kinds | others).items():
        absent: Any = [] if isinstance(kind, GenericAlias) else None
        default: Any = msgspec.field(name=key, default=absent) if key in may_lack.split() else msgspec.field(name=key)
        fields.append((f"key_{key.removesuffix('%')}", kind, default))
    return msgspec.defstruct("Object", fields, forbid_unknown_fields=True, kw_only=True)


def _list(kind: Any) -> GenericAlias:  # noqa: ANN401  (a type)
    return GenericAlias(list, (kind,))


def _table(kind: Any) -> GenericAlias:  # noqa: ANN401  (a type)
    return GenericAlias(dict, (str, kind))


_DISTRIBUTION = _object("", **dict.fromkeys(("mean", "std", *QUANTILES), _Number)) | None
_FIGURES = {"similarity": _DISTRIBUTION, "probability": _DISTRIBUTION}
_OFTEN = "edits_per_100_words"
_COUNTED = ("name", "rows perturbed unchanged rejected", f"acceptance edits_per_perturbed_row {_OFTEN}", _OFTEN)
_SEARCHES = _list(
    _object("name", f"rows right {' '.join(STATUSES)} queries minimal", "asr queries_a_success changes"),
)
_TRANSFER = _object("name", "right broken all_right all_broken", "asr all_asr")
_HARD = _object("", "rows", broken_by=list[_Count], labels=dict[str, _Count], transfer=_list(_TRANSFER)) | None
_TASK = _object(
    "name task language licence description",
    "test train default_episode",
    "",
    "searches groups train_groups hard",
    **dict.fromkeys(("fields", "gold", "metrics", "constraints", "train_digests", "groups"), list[str]),
    train_groups=list[str | None],
    columns=_table(Literal[COLUMN_TYPES]),
    labels=_list(_Label),
    answered=bool,
    episodes=_list(_object("", "number shots")),
    attacks=_list(_object(*_COUNTED, **_FIGURES)),
    searches=_SEARCHES,
    hard=_HARD,
)
_JUDGED = {"judged": _Count, "valid": _Count, "unclear": _Count, "share": _Number | None} | dict.fromkeys(
    ("low", "high"), _Number | None
)
_MANIFEST = _object(
    "format name annotator scorer",
    "",
    "",
    "searches models prompts judged",
    recipe=dict[str, Any],
    environment=_object("augment_ru code python unicode", packages=dict[str, str]),
    settings=_table(_object("", "candidates", "threshold", probability=_Number)),
    data=dict[str, str],
    inputs=_list(_object("task split file sha256", "rows")),
    attacks=_list(_object(*_COUNTED, **_FIGURES, spec=str)),
    searches=_SEARCHES,
    models=_list(_object("name model", files=dict[str, str], signatures=dict[str, str])),
    tasks=_list(_TASK),
    prompts=_list(_object("task prompt problem")),
    judged=_object("", "answers", "alpha", variations=_list(_object("task name", **_JUDGED)), **_JUDGED) | None,
    examples=_list(_object("perturbation task field original perturbed")),
    demonstrations=_list(_object("task file", "episode row", texts=list[str], answers=list[str])),
    files=_table(_object("sha256", "bytes lines")),
)


def _is_path(name: str) -> bool:
    """Tell whether a text is a relative path in normal form that does not lead out of its folder."""
    path = PurePosixPath(name)
    is_inside = name == str(path) != "." and not path.is_absolute() and ".." not in path.parts
    return is_inside and "\0" not in name and "\\" not in name


def check_shape(where: str, content: Mapping[str, Any]) -> None:
    """Check that a manifest has the right keys and types of values, and that no path in it leads outside the release.

    Args:
        where: the name of the manifest, for messages.
        content: the content of the manifest.

    Raises:
        AugmentError: a key is missing or unknown, a value has the wrong type, a list about the train rows has another
            length than these, the default episode of a task does not exist, or a path leads out of the release.
    """
    typed(where, content, _MANIFEST)
    for name in content["files"]:
        if not _is_path(name):
            raise AugmentError(f"{where}: 'files': {name!r} is no path of a file inside the release")
    for task in content["tasks"]:
        for key in ("train_digests", "train_groups"):
            if key in task and len(task[key]) != task["train"]:
                count = f"{key} of {len(task[key])}"
                raise AugmentError(f"{where}: '{task['name']}' has {task['train']} train rows, and {count}")
        if task["default_episode"] not in [one["number"] for one in task["episodes"]]:
            raise AugmentError(f"{where}: '{task['name']}' has no episode {task['default_episode']}")


def check_recipe(where: str, content: Mapping[str, Any], recipe: ReleaseRecipe) -> None:
    """Check that a manifest and its recipe fit together.

    The recipe must be in the form that a build writes. The tasks, attacks, searches and models that the manifest lists
    must be those of the recipe.

    Args:
        where: the name of the manifest, for messages.
        content: the content of the manifest.
        recipe: the recipe that was read from it.

    Raises:
        AugmentError: the recipe has another form, or the tasks, attacks, searches or models differ from the recipe's.
    """
    if recipe.content() != content["recipe"]:
        raise AugmentError(f"{where}: 'recipe' is not in the form in which a build writes it")
    names = [attack.name for attack in recipe.attacks]
    _check_same(f"{where}: 'attacks'", content["attacks"], names)
    _check_same(f"{where}: 'settings'", [{"name": name} for name in content["settings"]], names)
    for key in ("searches", "models"):
        _check_same(f"{where}: '{key}'", content.get(key, ()), recipe.searches)
    _check_same(f"{where}: 'tasks'", content["tasks"], [task.name for task in recipe.tasks])
    for task, known in zip(recipe.tasks, content["tasks"], strict=True):
        own = f"{where}: 'tasks': '{task.name}'"
        _check_same(f"{own}: 'attacks'", known["attacks"], [attack.name for attack in recipe.attacks_of(task)])
        _check_same(f"{own}: 'searches'", known.get("searches", ()), recipe.searches_of(task))


def _check_same(where: str, entries: Iterable[Mapping[str, Any]], names: Iterable[str]) -> None:
    found, wanted = [entry["name"] for entry in entries], list(names)
    if found != wanted:
        problem = f"{where}: {', '.join(found) or 'none'}; the recipe of the release has {', '.join(wanted) or 'none'}"
        raise AugmentError(problem)
