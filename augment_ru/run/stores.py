"""Where parts are kept that are done: a folder beside the output, of this user alone, or a place under a URL."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from augment_ru.errors import AugmentError
from augment_ru.formats.files import followed, locked, replacing
from augment_ru.formats.remote import Remote, is_url

_PRIVATE = 0o700
_OTHERS_WRITE = 0o022
_LOCK = "lock"


class PartStore(Protocol):
    """Files by their names, each of which is whole."""

    @property
    def place(self) -> str:
        """Where they are, for messages."""

    def read(self, name: str) -> bytes | None:
        """A file; None if there is none."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file.

        Raises:
            AugmentError: it cannot be written.
        """

    @contextmanager
    def held(self, output: str) -> Iterator[None]:
        """Make the place, and let no other run use it.

        Raises:
            AugmentError: another run does, it cannot be made, or others can write to it.
        """

    def delete(self) -> None:
        """Delete all files."""


def store_of(output: str, digest: str) -> PartStore:
    """The store beside an output for parts that were made so, as a hash of 16 hexadecimal digits says."""
    if is_url(output):
        folder, _, name = output.rpartition("/")
        return Remote(f"{folder}/.{name}.{digest}.parts")
    target = followed(Path(output))
    return _FolderStore(target.with_name(f".{target.name}.{digest}.parts"))


def stores_beside(output: str) -> list[PartStore]:
    """All stores beside an output."""
    if is_url(output):
        return [*Remote(output).beside(_names(output.rpartition("/")[2]))]
    if Path(output).exists() and not Path(output).is_file():
        return []
    target = followed(Path(output))
    names = _names(target.name)
    found = sorted(path.name for path in target.parent.iterdir() if names.fullmatch(path.name))
    return [_FolderStore(target.with_name(name)) for name in found]


def sweep(output: str) -> None:
    """Delete the stores beside an output that no run is at work in, and that are this user's own."""
    for store in stores_beside(output):
        with suppress(AugmentError), store.held(output):
            store.delete()


def _names(name: str) -> re.Pattern[str]:
    return re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{16}}\.parts")


class _FolderStore:
    """A folder that only this user may write to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def place(self) -> str:
        return str(self._folder)

    def read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def write(self, name: str, data: bytes) -> None:
        with replacing(self._folder / name, listed=False) as stream:
            stream.write(data)

    @contextmanager
    def held(self, output: str) -> Iterator[None]:
        self._make()
        with locked(self._folder / _LOCK) as free:
            if not free:
                raise AugmentError(f"{output}: another run is writing it; wait, or give another file")
            yield

    def _make(self) -> None:
        """Make the folder, or take the one that is there.

        Raises:
            AugmentError: it cannot be made, is none, or others can write to it.
        """
        folder = self._folder
        try:
            with suppress(FileExistsError):
                folder.mkdir(mode=_PRIVATE)
            status = folder.lstat()
            safe = folder.is_dir() and not folder.is_symlink()
            if safe and hasattr(os, "geteuid"):
                safe = status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
        except OSError as error:
            raise AugmentError(f"{folder}: cannot be made: {error.strerror}; choose another place with -o") from error
        if not safe:
            raise AugmentError(f"{folder}: others can write to it, so parts in it are not trusted; delete it")

    def delete(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
