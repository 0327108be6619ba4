"""Files at a URL, such as s3://bucket/rows.jsonl, in any file system that fsspec supports."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from typing import BinaryIO

from augment_ru.errors import first_line, optional, saying_instead

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(name: str) -> bool:
    """Tell whether a name is a URL.

    >>> is_url("s3://bucket/rows.jsonl"), is_url("rows.jsonl")
    (True, False)
    """
    return _URL.match(name) is not None


class Remote:
    """A file or folder at a URL, accessed through fsspec.

    Args:
        url: the URL of a file or folder.

    Raises:
        AugmentError: fsspec is not installed, or the package that it needs for this kind of URL is not.
    """

    def __init__(self, url: str) -> None:
        self.place = url
        fsspec = optional("fsspec", f"{url}: URLs need fsspec", "ray")
        with saying_instead(lambda error: f"{url}: {first_line(error)}", ImportError, ValueError, OSError):
            self._files, self._path = fsspec.core.url_to_fs(url)

    def exists(self) -> bool:
        """Tell whether there is a file at the URL.

        Raises:
            AugmentError: the URL cannot be reached.
        """
        with file_errors(self.place):
            return bool(self._files.isfile(self._path))

    @contextmanager
    def held(self, output: str) -> Iterator[None]:
        """Context manager that does nothing, since a folder at a URL has no lock.

        So two runs that write the same output may do the same work twice.

        Args:
            output: the output of the run; not used.
        """
        del output
        yield

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Context manager: open the file for reading.

        Raises:
            AugmentError: the file does not exist, or cannot be read.
        """
        # fsspec's own files read no line of limited length
        with file_errors(self.place), BufferedReader(self._files.open(self._path, "rb")) as stream:
            yield stream

    @contextmanager
    def replacing(self) -> Iterator[BinaryIO]:
        """Context manager: open a temporary file, which replaces the file at the URL if the block succeeds.

        Raises:
            AugmentError: the file cannot be written.
        """
        folder, _, name = self._path.rpartition("/")
        part = f"{folder}/.{name}.{secrets.token_hex(8)}.part"
        try:
            with file_errors(self.place):
                stream = self._files.open(part, "wb")
            try:
                yield stream
            except BaseException:
                with suppress(Exception):  # that of the block is reported
                    stream.close()
                raise
            with file_errors(self.place):
                stream.close()  # where what is written to an object store leaves this machine
                self._files.mv(part, self._path)
        except BaseException:
            with suppress(Exception):  # it may not be there
                self._files.rm(part)
            raise

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file in this folder; None if it does not exist or cannot be read."""
        with suppress(OSError, ValueError):
            return bytes(self._files.cat_file(f"{self._path}/{name}"))
        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file in this folder. In an object store it appears only when it is complete.

        Args:
            name: the name of the file.
            data: its content.

        Raises:
            AugmentError: the file cannot be written.
        """
        with file_errors(self.place):
            self._files.makedirs(self._path, exist_ok=True)
            self._files.pipe_file(f"{self._path}/{name}", data)

    def beside(self, pattern: re.Pattern[str]) -> list["Remote"]:
        """Return the folders beside this one whose names match the pattern; empty if they cannot be listed."""
        folder = self._path.rpartition("/")[0]
        start = self.place[: len(self.place) - len(self.place.rpartition("/")[2])]
        try:
            found = self._files.ls(folder, detail=False)
        except (OSError, ValueError):
            return []
        names = {str(one).rstrip("/").rpartition("/")[2] for one in found}
        return [Remote(start + name) for name in sorted(names) if pattern.fullmatch(name)]

    def delete(self) -> None:
        """Delete the file, or the folder and all that it holds; errors are ignored."""
        with suppress(OSError, ValueError):
            self._files.rm(self._path, recursive=True)


@contextmanager
def file_errors(url: str) -> Iterator[None]:
    """Context manager: turn errors of a remote file system in its block into errors with a message of one line.

    Args:
        url: the URL that is accessed, for the message.

    Raises:
        AugmentError: the file system raises an error in the block.
    """
    with saying_instead(lambda error: f"{url}: {type(error).__name__}: {error.strerror or first_line(error)}", OSError):
        yield
