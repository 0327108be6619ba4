"""The shape of a manifest: what stands under each key. It comes from others, so it is checked before it is used.

The checks bound every number, and tie the lists of tasks and attacks to the recipe, so that what reads the manifest
later takes memory and time in proportion to the files of the release.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

import msgspec

from augment_ru.errors import AugmentError
from augment_ru.release.release_recipe import ReleaseRecipe
from augment_ru.strict_tables import typed

MOST = 2**53
"""Integers up to this are the same in every reader of JSON."""
_Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
_Figure = Annotated[float, msgspec.Meta(ge=-MOST, le=MOST)]
_Label = str | bool | Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """An object in a manifest, read strictly; its attributes are the keys, which docs/release.md explains."""


class _Environment(_Part):
    augment_ru: str
    code: str
    python: str
    unicode: str
    packages: dict[str, str]


class _Settings(_Part):
    probability: _Figure
    threshold: _Figure | None
    candidates: _Count


class _Input(_Part):
    task: str
    split: str
    file: str
    rows: _Count
    sha256: str


class _Distribution(_Part):
    mean: _Figure
    std: _Figure
    min: _Figure
    p5: _Figure = msgspec.field(name="5%")
    p25: _Figure = msgspec.field(name="25%")
    p50: _Figure = msgspec.field(name="50%")
    p75: _Figure = msgspec.field(name="75%")
    p95: _Figure = msgspec.field(name="95%")
    max: _Figure


class _AttackOfTask(_Part):
    name: str
    rows: _Count
    perturbed: _Count
    unchanged: _Count
    rejected: _Count
    acceptance: _Figure | None
    similarity: _Distribution | None
    probability: _Distribution | None
    edits_per_perturbed_row: _Figure | None


class _Attack(_AttackOfTask):
    spec: str


class _Search(_Part):
    name: str
    rows: _Count
    right: _Count
    broken: _Count
    withstood: _Count
    rejected: _Count
    wrong_before: _Count
    unchanged: _Count
    asr: _Figure | None
    queries: _Count
    queries_a_success: _Figure | None
    changes: _Figure | None
    minimal: _Count


class _Episode(_Part):
    number: _Count
    shots: _Count


class _Task(_Part):
    name: str
    task: str
    fields: list[str]
    gold: list[str]
    columns: dict[str, Literal["text", "integer", "number", "truth value", "other"]]
    labels: list[_Label]
    answered: bool
    metrics: list[str]
    constraints: list[str]
    licence: str
    description: str
    test: _Count
    train: _Count
    episodes: list[_Episode]
    default_episode: _Count
    attacks: list[_AttackOfTask]
    train_digests: list[str]
    searches: list[_Search] = []
    groups: list[str] = []
    train_groups: list[str | None] = []


class _Model(_Part):
    name: str
    model: str
    files: dict[str, str]
    signatures: dict[str, str]


class _Example(_Part):
    perturbation: str
    task: str
    field: str
    original: str
    perturbed: str


class _Demonstration(_Part):
    task: str
    episode: _Count
    file: str
    row: _Count
    texts: list[str]
    answers: list[str]


class _File(_Part):
    sha256: str
    bytes: _Count
    lines: _Count


class _Manifest(_Part):
    format: str
    name: str
    recipe: dict[str, Any]
    environment: _Environment
    annotator: str
    scorer: str
    settings: dict[str, _Settings]
    data: dict[str, str]
    inputs: list[_Input]
    attacks: list[_Attack]
    tasks: list[_Task]
    examples: list[_Example]
    demonstrations: list[_Demonstration]
    files: dict[str, _File]
    searches: list[_Search] = []
    models: list[_Model] = []


def _is_path(name: str) -> bool:
    """Whether a text is the path of a file inside a folder, in the one form that it has."""
    path = PurePosixPath(name)
    is_inside = name == str(path) != "." and not path.is_absolute() and ".." not in path.parts
    return is_inside and "\0" not in name and "\\" not in name


def check_shape(where: str, content: Mapping[str, Any]) -> None:
    """Refuse a manifest in which a key is missing or unknown, a value is of another kind, or a path leads outside.

    Args:
        where: the name of the manifest, for messages.
        content: what it holds.

    Raises:
        AugmentError: the key, what it holds, and what it must hold.
    """
    typed(where, content, _Manifest)
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
