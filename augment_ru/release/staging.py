"""Where a release is built: a folder beside its place, which says what it is, and a rename at the end."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.formats.files import check_folder, replacing
from augment_ru.release.manifest import MANIFEST, read_manifest


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a release, and the one beside it where it is built."""

    target: Path
    unfinished: Path

    @classmethod
    def of(cls, target: Path) -> "Place":
        """The place of a release.

        Raises:
            AugmentError: something that is no folder stands there, or its parent does not exist.
        """
        resolved = target.resolve()  # a link stays a link
        if resolved.exists() and not resolved.is_dir():
            raise AugmentError(f"{target}: is no folder; give a new one with -o")
        check_folder(str(target), resolved)
        if resolved == Path.cwd():
            raise AugmentError(f"{target}: is the working folder, which a release cannot replace; give another with -o")
        return cls(resolved, resolved.parent / f".{resolved.name}.unfinished")

    @property
    def whole(self) -> Path:
        """The folder that becomes the release."""
        return self.unfinished / "release"

    def part(self, task: int, first: int) -> Path:
        """The file of a part: the number of its task, and of its first row."""
        return self.unfinished / "parts" / f"{task:03d}-{first:09d}"

    def taken(self, facts: Mapping[str, Any], *, resume: bool) -> Mapping[str, Any] | None:
        """The manifest of the release that stands here already, if it is to be resumed and is the same; None: free.

        Raises:
            AugmentError: the folder holds something else.
        """
        if not self.target.exists() or not any(self.target.iterdir()):
            return None
        if not resume:
            raise AugmentError(f"{self.target}: is not empty; give a new folder with -o")
        content = read_manifest(self.target / MANIFEST)
        if differing := _differing(content, facts):
            raise AugmentError(f"{self.target}: holds a release of another {differing}; give a new folder with -o")
        shutil.rmtree(self.unfinished, ignore_errors=True)
        return content

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else builds here; a lock of a run that was killed is none.

        Raises:
            AugmentError: somebody does.
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
        """Start here, or go on where a run was killed.

        Raises:
            AugmentError: there is such a run and it is not to be resumed, or it was made from something else.
        """
        state = self.unfinished / "state.json"
        (self.unfinished / "parts").mkdir(exist_ok=True)
        try:
            before = json.loads(state.read_bytes())
        except (OSError, ValueError):  # killed before there was anything to go on from
            with replacing(state) as stream:
                stream.write(json.dumps(facts, ensure_ascii=False).encode())
            return
        if not resume:
            raise AugmentError(
                f"{self.target}: an unfinished build stands beside it; --resume goes on with it, "
                f"or delete the folder {self.unfinished}"
            )
        if differing := _differing(before, facts):
            raise AugmentError(
                f"{self.target}: the unfinished build was made from another {differing}; "
                f"restore that, or delete the folder {self.unfinished}"
            )

    def publish(self) -> None:
        """Move the whole release to its place, in one step."""
        for path in (*self.whole.rglob("*"), self.whole):
            _sync(path)
        if self.target.exists():
            self.target.rmdir()
        self.whole.rename(self.target)
        _sync(self.target.parent)
        shutil.rmtree(self.unfinished)


def _sync(path: Path) -> None:
    """Have a file or a folder on the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # a folder on a system that opens none
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_CALLED = {"recipe": "recipe", "inputs": "input file", "data": "dictionary or rule file", "environment": "version"}


def _differing(before: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    """The first fact that is another now, in words."""
    return next((_CALLED.get(key, key) for key, value in facts.items() if before.get(key) != value), None)
