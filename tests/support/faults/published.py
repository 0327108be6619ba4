"""Releases of others, changed at random: manifests with a right digest, and bytes of any file."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from augment_ru import AugmentError
from augment_ru.release.manifest import encoded_manifest, read_manifest
from augment_ru.release.verify import verify_release
from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer
from releases import built, recipe


class Manifests(Fuzzer):
    """Manifests with other values and a right digest: verify names every change, in little time and memory."""

    name: ClassVar[str] = "manifests"
    unit: ClassVar[str] = "manifests"
    goal: ClassVar[int] = 10_000
    share: ClassVar[float] = 3.0
    free: ClassVar[Sequence[tuple[str, ...]]] = (
        ("environment",),
        ("annotator",),
        ("scorer",),
        ("data",),
        ("inputs", "*", "sha256"),
    )
    """What no file of a release proves: where it was built, and from which bytes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._release = folder / "release"
        built(recipe(folder / "made"), self._release)
        self._content = read_manifest(self._release / "manifest.json")

    def draw(self, random: Random) -> Case:
        """Changes of values."""
        return Case([hostile.change(random, self._content) for _ in range(random.choice([1, 1, 1, 2, 4]))])

    def check(self, case: Case) -> int:
        """Verify the release with the changed manifest."""
        content = hostile.changed(self._content, case.pieces)
        path = self._release / "manifest.json"
        try:
            data = encoded_manifest(content)
        except (ValueError, RecursionError, AttributeError):
            self.note("no manifest")
            return 1
        path.write_bytes(data)
        try:
            problems = list(verify_release(self._release))
        except AugmentError as error:
            problems = [str(error)]
        if any("\n" in line for line in problems):
            raise Fault(f"a problem of several lines: {problems}")
        self.note("named" if problems else "free")
        if not problems and content["environment"]["code"] != self._content["environment"]["code"]:
            return 1  # other code makes other files, so nothing here says what follows from the recipe
        if not problems and _without_free(content, self.free) != _without_free(self._content, self.free):
            raise Fault("a change that is not named")
        return 1


def _without_free(content: Any, free: Sequence[Sequence[str]]) -> Any:  # noqa: ANN401  (JSON values)
    """A manifest without what no file proves."""
    content = json.loads(json.dumps(content))
    for path in free:
        for holder in content[path[0]] if len(path) > 1 else [content]:
            holder.pop(path[-1], None)
    return content


class Tampering(Fuzzer):
    """Releases with changed bytes in any file: verify names the file."""

    name: ClassVar[str] = "tampering"
    unit: ClassVar[str] = "files"
    goal: ClassVar[int] = 3_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._release = folder / "release"
        built(recipe(folder / "made"), self._release)
        self._names = sorted(
            path.relative_to(self._release).as_posix() for path in self._release.rglob("*") if path.is_file()
        )

    def draw(self, random: Random) -> Case:
        """Changes of the bytes of a file."""
        name = random.choice(self._names)
        size = (self._release / name).stat().st_size
        return Case([hostile.byte_change(random, size) for _ in range(random.choice([1, 2]))], {"name": name})

    def check(self, case: Case) -> int:
        """Verify the release, then mend it."""
        path = self._release / case.settings["name"]
        before = path.read_bytes()
        after = hostile.with_bytes(before, case.pieces)
        try:
            path.write_bytes(after)
            problems = list(verify_release(self._release))
        except AugmentError as error:
            problems = [str(error)]
        finally:
            path.write_bytes(before)
        if (after != before) != any(line.startswith(f"{case.settings['name']}:") for line in problems):
            raise Fault(f"a change that is not named: {problems}")
        if any("\n" in line for line in problems):
            raise Fault(f"a problem of several lines: {problems}")
        self.note("named" if problems else "unchanged")
        return 1
