"""Checking a release: its files, its rows and their edits, and, on request, rows made anew.

The manifest vouches for every file, each line of `edits.jsonl` for itself and for its row; edits are replayed
on the original rows, whatever the digests say. So a changed byte is named with its file and, where it has
one, its row; and a change that took all digests with it still has to be one that an attack may make.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.release.assemble import derived
from augment_ru.release.manifest import MANIFEST, environment, own_digest, read_manifest
from augment_ru.release.recipe import blueprint, read
from augment_ru.release.verify_manifest import expected_files, head_problems
from augment_ru.release.verify_rebuild import rebuilt
from augment_ru.release.verify_rows import Files, task_problems

_MOST = 20
"""Complaints of a file that are told one by one."""


def problems(folder: Path, *, rebuild: int = 0, expect: str | None = None) -> Iterator[str]:
    """What is wrong with a release, a line for each complaint: file, row, what.

    Args:
        folder: the release.
        rebuild: how many rows of each task are made anew from the manifest and compared.
        expect: the digest of the manifest that the release was published with.

    Raises:
        AugmentError: it is no release, or none of this format.
    """
    if not folder.is_dir():
        raise AugmentError(f"{folder}: no such folder")
    if not (folder / MANIFEST).exists():
        raise AugmentError(f"{folder}: has no {MANIFEST}, so it is no release, or not a whole one")
    try:
        content = read_manifest(folder / MANIFEST)
    except AugmentError as error:
        yield f"{error}; nothing else was checked"
        return
    if expect is not None and (digest := own_digest(folder / MANIFEST)) != expect.lower():
        yield f"{MANIFEST}: its digest is {digest}, not the expected {expect}"
    yield from _strangers(folder, content)
    files = Files(folder, content)
    wanted = expected_files(files)
    yield from (f"{MANIFEST}: names no {name}" for name in sorted(wanted - content["files"].keys()))
    missing = {name for name in wanted | content["files"].keys() if not (folder / name).is_file()}
    yield from (f"{name}: is missing" for name in sorted(missing))
    changed = {
        name for name, known in content["files"].items() if name not in missing and not _same(folder / name, known)
    }
    told = _tasks(files, changed, missing)
    yield from told
    yield from _others(folder, content, changed, missing)
    if content["environment"].get("code") == environment(models=False)["code"]:  # another version makes others
        yield from _derived(files, wanted, changed | missing)
        if not (told or changed or missing):
            yield from head_problems(files)
    if rebuild and changed | missing:
        yield "nothing was rebuilt: mend the files first"
    elif rebuild:
        yield from _told(rebuilt(folder, content, rebuild))


def _tasks(files: Files, changed: set[str], missing: set[str]) -> list[str]:
    """The complaints about the tasks' rows, and about those of their files that were changed unseen."""
    found: list[str] = []
    for number, task in enumerate(files.content["tasks"]):
        own = f"{task['name']}/"
        told = [] if any(name.startswith(own) for name in missing) else _told(task_problems(files, number))
        found += told
        for name in sorted(name for name in changed if name.startswith(own)):
            if not any(line.startswith(f"{name}:") for line in told):
                found.append(f"{name}: was changed")
    return found


def _same(path: Path, known: Mapping[str, Any]) -> bool:
    return sha256(path.read_bytes()).hexdigest() == str(known["sha256"])


def _strangers(folder: Path, content: Mapping[str, Any]) -> Iterator[str]:
    """Files that are not of the release; what starts with a dot belongs to other tools (git, the Hub's client)."""
    known = {MANIFEST, *content["files"]}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        name = "/".join(parts)
        if path.is_file() and name not in known and not parts[0].startswith(".") and "__pycache__" not in parts:
            yield f"{name}: is no file of the release"


def _others(folder: Path, content: Mapping[str, Any], changed: set[str], missing: set[str]) -> Iterator[str]:
    """Card, recipe, and tasks for lm-evaluation-harness: the line that was changed, where it can be told."""
    tasks = {task["name"] for task in content["tasks"]}
    others = sorted(name for name in changed if name.partition("/")[0] not in tasks)
    made = derived({key: value for key, value in content.items() if key != "files"}) if others else {}
    for name in others:
        known, path = content["files"][name], folder / name
        if name in made and sha256(made[name].encode()).hexdigest() == known["sha256"]:
            yield f"{name}: line {_first_other(made[name].encode(), path.read_bytes())}: was changed"
        else:
            yield f"{name}: was changed"
    if "recipe.toml" not in changed | missing:
        try:
            same = read(folder / "recipe.toml").content() == content["recipe"]
        except AugmentError as error:
            yield f"recipe.toml: {error}"
        else:
            if not same:
                yield f"recipe.toml: is not the recipe that {MANIFEST} holds"
    try:
        blueprint(content["recipe"], MANIFEST)
    except AugmentError as error:
        yield str(error)


def _derived(files: Files, wanted: set[str], known: set[str]) -> Iterator[str]:
    """Files that the manifest vouches for, but that do not follow from it."""
    made = derived({key: value for key, value in files.content.items() if key != "files"})
    for name in sorted(files.content["files"].keys() - wanted - made.keys()):
        yield f"{name}: is no file of the release"
    for name in sorted(made.keys() - files.content["files"].keys() - wanted):
        yield f"{MANIFEST}: names no {name}"
    for name in sorted(made.keys() & files.content["files"].keys() - known):
        data = (files.folder / name).read_bytes()
        if data != made[name].encode():
            yield f"{name}: line {_first_other(made[name].encode(), data)}: is not what {MANIFEST} makes of it"


def _first_other(ours: bytes, theirs: bytes) -> int:
    """The number of the first line that differs, from 1."""
    left, right = ours.split(b"\n"), theirs.split(b"\n")
    pairs = zip(left, right, strict=False)
    return next((number for number, (a, b) in enumerate(pairs, 1) if a != b), min(len(left), len(right)) + 1)


def _told(complaints: Iterator[str]) -> list[str]:
    """The first complaints of each file, and how many more there are."""
    told: list[str] = []
    counts: dict[str, int] = {}
    for line in complaints:
        name = line.partition(":")[0]
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= _MOST:
            told.append(line)
    return [*told, *(f"{name}: and {count - _MOST} more" for name, count in counts.items() if count > _MOST)]
