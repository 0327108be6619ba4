"""Stores the finished parts of a run: in a folder that only this user can write to, or at a URL.

The store lies beside the output: in the same folder, or under the same URL.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from augment_ru.errors import AugmentError, saying_instead
from augment_ru.formats.files import Remote, followed, is_url, locked, replacing

T = TypeVar("T")
_PRIVATE = 0o700
_OTHERS_WRITE = 0o022
_LOCK = "lock"


def store_of(output: str, digest: str) -> "PartStore":
    """Return the store for the results of the parts of a run.

    Args:
        output: the output of the run, a path or a URL.
        digest: a hash of all that the results depend on besides the input: 16 hexadecimal digits.
    """
    if is_url(output):
        folder, _, name = output.rpartition("/")
        return Remote(f"{folder}/.{name}.{digest}.parts")
    target = followed(Path(output))
    return FolderStore(target.with_name(f".{target.name}.{digest}.parts"))


def stores_beside(output: str) -> "list[PartStore]":
    """Return all stores beside the output of a run: the finished parts that `--resume` keeps until the run is complete.

    Stores of runs with other settings are among them.
    """
    if is_url(output):
        return [*Remote(output).beside(_names(output.rpartition("/")[2]))]
    if Path(output).exists() and not Path(output).is_file():
        return []
    target = followed(Path(output))
    names = _names(target.name)
    found = sorted(path.name for path in target.parent.iterdir() if names.fullmatch(path.name))
    return [FolderStore(target.with_name(name)) for name in found]


def sweep(output: str) -> None:
    """Delete the finished parts of earlier runs that are stored beside the output of a run.

    Stores of other users, and stores that a run is using, are not deleted.
    """
    for store in stores_beside(output):
        with suppress(AugmentError), store.held(output):
            store.delete()


def _names(name: str) -> re.Pattern[str]:
    return re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{16}}\.parts")


def sealed(value: object) -> bytes:
    """Encode the result of a part as MessagePack, after a digest by which `unsealed` notices a damaged file."""
    body = msgspec.msgpack.encode(value)
    return blake2b(body).digest() + body


def unsealed(data: bytes, kind: type[T]) -> T | None:
    """Decode what `sealed` encoded; return None if the digest does not match.

    Args:
        data: what `sealed` returned, perhaps damaged.
        kind: the type of the value.
    """
    digest, body = data[: blake2b.MAX_DIGEST_SIZE], data[blake2b.MAX_DIGEST_SIZE :]
    if blake2b(body).digest() != digest:
        return None
    return msgspec.msgpack.decode(body, type=kind, dec_hook=lambda kind, held: kind(held))  # makes a Counter


class FolderStore:
    """A store for the results of the parts of a run, in a folder that only this user can write to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def place(self) -> str:
        """The path of the folder, for messages."""
        return str(self._folder)

    def read(self, name: str) -> bytes | None:
        """Return the content of a file in the store; None if it does not exist or cannot be read."""
        with suppress(OSError):
            return (self._folder / name).read_bytes()
        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file into the store.

        Args:
            name: the name of the file.
            data: its content.

        Raises:
            AugmentError: the file cannot be written.
        """
        with replacing(self._folder / name, listed=False) as stream:
            stream.write(data)

    @contextmanager
    def held(self, output: str) -> Iterator[None]:
        """Create the store if it does not exist, and keep other runs out of it while the `with` block runs.

        Args:
            output: the output of the run, for messages.

        Raises:
            AugmentError: another run uses the store, the store cannot be created, or other users can write to it.
        """
        self._make()
        with locked(self._folder / _LOCK) as free:
            if not free:
                raise AugmentError(f"{output}: another run is writing it; wait, or write elsewhere")
            yield

    def _make(self) -> None:
        """Create the folder, or accept the existing one.

        Raises:
            AugmentError: the folder cannot be created, the path is not a folder, or other users can write to it.
        """
        folder = self._folder
        remedy = "choose another place with -o"
        with saying_instead(lambda error: f"{folder}: cannot be made: {error.strerror}; {remedy}", OSError):
            with suppress(FileExistsError):
                folder.mkdir(mode=_PRIVATE)
            status = folder.lstat()
            safe = folder.is_dir() and not folder.is_symlink()
            if safe and hasattr(os, "geteuid"):
                safe = status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
        if not safe:
            raise AugmentError(f"{folder}: others can write to it, so parts in it are not trusted; delete it")

    def delete(self) -> None:
        """Delete the store with all its files."""
        shutil.rmtree(self._folder, ignore_errors=True)


PartStore: TypeAlias = FolderStore | Remote
"""A store of files by name, for the results of the parts of a run. A file is stored completely or not at all."""
