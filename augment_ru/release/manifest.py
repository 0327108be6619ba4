"""The manifest of a release: its recipe, inputs, versions, figures, and the digests of its files.

Two builds with the same versions have the same manifest: it holds no times, machine names or absolute paths.
"""

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from augment_ru.constraints.rule_file import constraint_path
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.release.manifest_shape import check_shape
from augment_ru.release.release_recipe import ReleaseRecipe
from augment_ru.resources import PACKAGE, folder
from augment_ru.version import __version__

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
    return sha256(path.read_bytes()).hexdigest()


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
    """Return "" if the installed code built a release; otherwise words such as "other code built (augment-ru 1.0)".

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
    """Return the SHA-256 of each file that the rows of a release depend on, by name; files of rows are left out.

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
    """Return the names of the perturbed variations of a task, in the order of its test file.

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
    """Return the digest at the end of a manifest.

    It covers the digests of all files, and so the whole release.
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
