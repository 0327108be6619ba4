"""Where a release is built: in a temporary folder, which becomes the folder of the release when it is complete."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.formats.files import check_folder, followed, replacing
from augment_ru.release.manifest import MANIFEST, read_manifest


@dataclass(frozen=True, slots=True)
class Staging:
    """The folders of a build.

    Attributes:
        target: the folder of the release.
        unfinished: the folder in which the release is built; it has the same parent.
    """

    target: Path
    unfinished: Path

    @classmethod
    def of(cls, target: Path) -> "Staging":
        """Return the two folders for a release at `target`.

        Raises:
            AugmentError: `target` is not a folder, is the working folder, or its parent does not exist.
        """
        resolved = followed(target)  # a link stays a link
        if resolved.exists() and not resolved.is_dir():
            raise AugmentError(f"{target}: is no folder; give a new one with -o")
        check_folder(str(target), resolved)
        if resolved == Path.cwd():
            raise AugmentError(f"{target}: is the working folder, which a release cannot replace; give another with -o")
        return cls(resolved, resolved.parent / f".{resolved.name}.unfinished")

    @property
    def release(self) -> Path:
        """The folder that becomes the release."""
        return self.unfinished / "release"

    def shard(self, task: int, first: int) -> Path:
        """Return the file of a shard, given the number of its task and the number of its first row, both from 0."""
        return self.unfinished / "shards" / f"{task:03d}-{first:09d}"

    def finished(self, facts: Mapping[str, Any], *, resume: bool) -> Mapping[str, Any] | None:
        """Return the manifest of the complete release at the target; None if the target is free.

        Args:
            facts: the first keys of the manifest of the release that is to be built.
            resume: whether a complete release with the same facts is accepted.

        Raises:
            AugmentError: the target is not empty and `resume` is not set, or the target holds something else than
                this release.
        """
        if not self.target.exists() or not any(self.target.iterdir()):
            return None
        if not resume:
            raise AugmentError(f"{self.target}: is not empty; give a new folder with -o")
        content = read_manifest(self.target / MANIFEST)
        if different := _first_difference(content, facts):
            raise AugmentError(f"{self.target}: holds a release of another {different}; give a new folder with -o")
        shutil.rmtree(self.unfinished, ignore_errors=True)
        return content

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of this build, so that no other run builds here. The lock of a run ends with its process.

        Raises:
            AugmentError: another run holds the lock.
        """
        self.unfinished.mkdir(exist_ok=True)
        path = self.unfinished / "lock"
        with path.open("w") as stream:
            try:
                import fcntl  # noqa: PLC0415  (not on every system)

                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass
            except OSError as error:
                raise AugmentError(
                    f"{self.target}: another run is building it; wait, or give another folder"
                ) from error
            yield

    def begin(self, facts: Mapping[str, Any], *, resume: bool) -> None:
        """Begin a build here, or continue one that was killed.

        Raises:
            AugmentError: there is an unfinished build, and its facts differ or `resume` is not set.
        """
        state = self.unfinished / "state.json"
        (self.unfinished / "shards").mkdir(exist_ok=True)
        try:
            before = json.loads(state.read_bytes())
        except (OSError, ValueError):  # killed before there was anything to go on from
            with replacing(state) as stream:
                stream.write(json.dumps(facts, ensure_ascii=False).encode())
            return
        if different := _first_difference(before, facts):
            raise AugmentError(
                f"{self.target}: the unfinished build was made from another {different}; "
                f"restore that, or delete the folder {self.unfinished}"
            )
        if not resume:
            raise AugmentError(
                f"{self.target}: an unfinished build stands beside it; continue it with `resume`, "
                f"or delete the folder {self.unfinished}"
            )

    @contextmanager
    def kept_if_begun(self) -> Iterator[None]:
        """Delete the folder of the build if the block ends with an `AugmentError` before any shard is finished.

        Raises:
            AugmentError: the error of the block; if a shard is finished, the error says how to go on.
        """
        try:
            yield
        except AugmentError as error:
            if any((self.unfinished / "shards").iterdir()):
                raise AugmentError(
                    f"{error}; finished shards are kept: continue with `resume`, "
                    f"or, after a change of recipe or rows, delete the folder {self.unfinished}"
                ) from error
            shutil.rmtree(self.unfinished, ignore_errors=True)
            raise

    def publish(self) -> None:
        """Move the complete release to its folder, in one rename."""
        for path in (*self.release.rglob("*"), self.release):
            _sync(path)
        if self.target.exists():
            self.target.rmdir()
        self.release.rename(self.target)
        _sync(self.target.parent)
        shutil.rmtree(self.unfinished)


def _sync(path: Path) -> None:
    """Write a file or a folder through to the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # a system that cannot open folders
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_NAMES = {
    "recipe": "recipe",
    "inputs": "input file",
    "data": "dictionary, rule, task or prompt file",
    "environment": "version",
    "models": "model",
}
"""Maps keys of a manifest to the words used for them in messages."""


def _first_difference(before: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    """Return the name of the first fact that differs; None if all are equal."""
    return next((_NAMES.get(key, key) for key, value in facts.items() if before.get(key) != value), None)
