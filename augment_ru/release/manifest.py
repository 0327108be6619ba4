"""Write, read and check the manifest of a release: its recipe, inputs, versions, figures, and digests of its files.

Two builds with the same versions have the same manifest: it holds no times, machine names or absolute paths.

A manifest is checked before it is used, because it may come from other people: its keys, and the types of its values.
The checks limit every number, and compare the lists of tasks and attacks with the recipe. So a malicious manifest
cannot make the code that reads it take more time or memory than the files of the release need.
"""

import hashlib
import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from types import GenericAlias
from typing import Annotated, Any, Literal

import msgspec

from augment_ru.adversary.case import STATUSES
from augment_ru.constraints.rule_file import constraint_path
from augment_ru.engine.figures import QUANTILES
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.release.croissant import COLUMN_TYPES
from augment_ru.release.release_recipe import ReleaseRecipe
from augment_ru.resources import PACKAGE, folder
from augment_ru.strict_tables import typed
from augment_ru.version import __version__

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


_LIST: Any = list  # mypy knows no types that are made here
_TABLE: Any = dict
_DISTRIBUTION = _object("", **dict.fromkeys(("mean", "std", *QUANTILES), _Number)) | None
_FIGURES = {"similarity": _DISTRIBUTION, "probability": _DISTRIBUTION}
_OFTEN = "edits_per_100_words"
_COUNTED = ("name", "rows perturbed unchanged rejected", f"acceptance edits_per_perturbed_row {_OFTEN}", _OFTEN)
_SEARCHES = _LIST[_object("name", f"rows right {' '.join(STATUSES)} queries minimal", "asr queries_a_success changes")]
_TRANSFER = _object("name", "right broken all_right all_broken", "asr all_asr")
_HARD = _object("", "rows", broken_by=list[_Count], labels=dict[str, _Count], transfer=_LIST[_TRANSFER]) | None
_TASK = _object(
    "name task language licence description",
    "test train default_episode",
    "",
    "searches groups train_groups hard",
    **dict.fromkeys(("fields", "gold", "metrics", "constraints", "train_digests", "groups"), list[str]),
    train_groups=list[str | None],
    columns=_TABLE[str, Literal[COLUMN_TYPES]],
    labels=_LIST[_Label],
    answered=bool,
    episodes=_LIST[_object("", "number shots")],
    attacks=_LIST[_object(*_COUNTED, **_FIGURES)],
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
    settings=_TABLE[str, _object("", "candidates", "threshold", probability=_Number)],
    data=dict[str, str],
    inputs=_LIST[_object("task split file sha256", "rows")],
    attacks=_LIST[_object(*_COUNTED, **_FIGURES, spec=str)],
    searches=_SEARCHES,
    models=_LIST[_object("name model", files=dict[str, str], signatures=dict[str, str])],
    tasks=_LIST[_TASK],
    prompts=_LIST[_object("task prompt problem")],
    judged=_object("", "answers", "alpha", variations=_LIST[_object("task name", **_JUDGED)], **_JUDGED) | None,
    examples=_LIST[_object("perturbation task field original perturbed")],
    demonstrations=_LIST[_object("task file", "episode row", texts=list[str], answers=list[str])],
    files=_TABLE[str, _object("sha256", "bytes lines")],
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
        AugmentError: a key is missing or unknown, a value has the wrong type, a list that has an entry for each train
            row has another length, the default episode of a task does not exist, or a path leads out of the release.
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


FORMAT = "augment-ru release 1"
MANIFEST = "manifest.json"
OWN = "own"
"""The folder of a release for the user's own dictionaries, rule files, task files and prompt files."""
VERDICTS = "verdicts.jsonl"
"""The file of human verdicts, in a release that people have judged."""
_PACKAGES = (
    "natasha", "slovnet", "navec", "razdel", "pymorphy3", "pymorphy3-dicts-ru", "numpy", "spacy", "emoji", "regex",
    "torch", "transformers",
)  # fmt: skip
_MODELS = ("torch", "transformers")
_SELF = "sha256"
_MOST_BYTES = 2**26
"""The maximum size of a manifest in bytes; a manifest with a thousand tasks needs a tenth of it."""


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digests_in(path: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder, by its path in the folder; of a file, its own, by the path "."."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    return {file.relative_to(path).as_posix(): file_digest(file) for file in files}


@cache
def environment(models: bool) -> Mapping[str, Any]:  # noqa: FBT001  (cached by it)
    """Return the versions that rows may depend on: of Python, Unicode, augment-ru and other packages.

    Args:
        models: whether rows depend on models; the versions of torch and transformers are then included.
    """
    packages = {}
    for name in _PACKAGES:
        if models or name not in _MODELS:
            with suppress(PackageNotFoundError):
                packages[name] = version(name)
    return {
        "augment_ru": __version__,
        "code": _code(),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "unicode": unicodedata.unidata_version,
        "packages": packages,
    }


def other_code(content: Mapping[str, Any]) -> str:
    """Return words for a message if other code than the installed one built a release; otherwise "".

    The words are like "other code built (augment-ru 1.0)".

    Args:
        content: the manifest of the release.
    """
    built = content["environment"]
    is_own = built["code"] == environment(models=False)["code"]
    return "" if is_own else f"other code built (augment-ru {built['augment_ru']})"


def _code() -> str:
    """Return a digest of this package's source: its modules and its templates."""
    total = sha256()
    files = [path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".jinja", ".json"}]
    for path in sorted(files, key=lambda path: path.relative_to(PACKAGE).as_posix()):
        total.update(f"{path.relative_to(PACKAGE).as_posix()}\0{file_digest(path)}\n".encode())
    return total.hexdigest()


def data_files(recipe: ReleaseRecipe, constraints: Iterable[str], place: Callable[[str], Path]) -> dict[str, str]:
    """Return the SHA-256 of each file, except files of rows, that the rows of a release depend on, by name.

    These files are the dictionaries and rule files of this package, named like "dictionaries/….tsv", and the user's own
    files, named by their paths in the recipe.

    Args:
        recipe: the recipe.
        constraints: the names of the constraints of its tasks.
        place: returns the location of one of the user's own files, given its path in the recipe.

    Raises:
        AugmentError: a file cannot be read, or there is no constraint of this name.
    """
    found = {f"dictionaries/{path.name}": path for path in folder("dictionaries").glob("*.tsv")}
    own = recipe.own_files
    ours = sorted({name.partition(":")[0] for name in constraints if name not in own})
    found |= {f"constraints/{name}.toml": constraint_path(name) for name in ours}
    found |= {name: place(name) for name in own}
    with saying_instead(lambda error: f"{error.filename}: cannot be read ({error.strerror})", OSError):
        return {name: file_digest(found[name]) for name in sorted(found)}


def variations_in(task: Mapping[str, Any]) -> list[str]:
    """Return the names of the attacks and searches that made rows of a task, in the order of its test file.

    Args:
        task: what the manifest says about the task.
    """
    return [one["name"] for key in ("attacks", "searches") for one in task.get(key, ())]


def encoded_manifest(content: Mapping[str, Any]) -> bytes:
    """Return a manifest as bytes. At its end is its own digest, which covers all bytes before it.

    Args:
        content: the manifest without this digest.
    """
    body = json.dumps(dict(content), ensure_ascii=False, indent=1, allow_nan=False)
    start = body.removesuffix("\n}").encode()
    return start + f',\n "{_SELF}": "{sha256(start).hexdigest()}"\n}}\n'.encode()


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the content of a manifest, without the digest at its end.

    Raises:
        AugmentError: the file does not exist, was changed, has another format, or has malformed content.
    """
    if path.exists() and (not path.is_file() or path.stat().st_size > _MOST_BYTES):  # a device may have no end
        raise AugmentError(f"{path}: is no plain file of at most {_MOST_BYTES:,} bytes; is this folder a release?")
    with saying_instead(lambda error: f"{path}: cannot be read ({error.strerror}); is this folder a release?", OSError):
        data = path.read_bytes()
    start = data.rpartition(f',\n "{_SELF}"'.encode())[0]
    if not start:
        raise AugmentError(f"{path.name}: was changed: it does not end with its own digest")
    with saying_instead(lambda error: f"{path.name}: was changed: {error}", ValueError, RecursionError):
        content = json.loads(start.decode() + "\n}")
        is_whole = isinstance(content, dict) and encoded_manifest(content) == data
    if not is_whole:
        raise AugmentError(f"{path.name}: was changed: its digest does not match")
    if content.get("format") != FORMAT:
        raise AugmentError(f"{path.name}: format {content.get('format')!r}; this version reads {FORMAT!r}")
    check_shape(path.name, content)
    return dict(content)


def own_digest(path: Path) -> str:
    """Return the digest at the end of a manifest, as 64 hexadecimal digits (SHA-256).

    This digest covers the digests of all files, and so the whole release.
    """
    return path.read_bytes().rpartition(b'"')[0].rpartition(b'"')[2].decode("utf-8", "replace")


def file_entries(release: Path, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what the manifest says about files: {path: {"sha256": …, "bytes": …, "lines": …}}.

    Args:
        release: the folder of the release.
        names: the paths of the files in it.
    """
    found = {}
    for name in names:
        data = (release / name).read_bytes()
        found[name] = {"sha256": sha256(data).hexdigest(), "bytes": len(data), "lines": data.count(b"\n")}
    return found
