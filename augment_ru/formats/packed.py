"""Files packed by gzip or Zstandard, recognised by the end of their names."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast

from augment_ru.errors import AugmentError, missing

PACKED = (".gz", ".zst")
"""How the names of packed files end. pyarrow reads and writes the second kind."""


def bare_name(name: str) -> str:
    """The name that a file has when it is unpacked."""
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix.lower() in PACKED else name


def is_packed(name: str) -> bool:
    """Whether a file of this name is packed."""
    return bare_name(name) != name


def check_packing(name: str) -> None:
    """Raise an error if a file of this name can neither be packed nor unpacked here.

    Raises:
        AugmentError: what packs it is not installed.
    """
    if name.lower().endswith(".zst") and find_spec("pyarrow") is None:
        raise missing(f"{name}: .zst files need pyarrow", "hf")


def unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """The content of a file, unpacked if its name says that it is packed.

    Raises:
        AugmentError: while it is read, if it is not packed so, or is cut off.
    """
    if not is_packed(name):
        return stream
    check_packing(name)
    reader: Any = _zstandard().CompressedInputStream(stream, "zstd") if name.lower().endswith(".zst") else None
    reader = reader or gzip.GzipFile(fileobj=stream, mode="rb")

    def read(size: int) -> bytes:
        try:
            return bytes(reader.read(size))
        except (OSError, EOFError, zlib.error) as error:
            raise AugmentError(f"cannot be unpacked: {error}; pack it again, or give it plain") from error

    return buffered(read)


@contextmanager
def packed(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """A stream that packs what is written to it, if the name says so; the bytes depend on the content alone."""
    if not is_packed(name):
        yield stream
        return
    check_packing(name)
    if name.lower().endswith(".zst"):
        writer: Any = _zstandard().CompressedOutputStream(_KeptOpen(stream), "zstd")
    else:
        writer = gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0)
    with writer:
        yield cast("BinaryIO", writer)


def buffered(read: Callable[[int], bytes]) -> BinaryIO:
    """A stream of what a function returns, which is called with a number of bytes and returns nothing at the end."""
    return cast("BinaryIO", io.BufferedReader(_Reader(read), 2**16))


class _Reader(io.RawIOBase):
    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  (a writable buffer)
        data = self._left or self._read(len(buffer))
        size = min(len(data), len(buffer))
        buffer[:size] = data[:size]
        self._left = data[size:]
        return size


class _KeptOpen(io.RawIOBase):
    """A file that stays open when what packs into it is closed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401  (bytes, or what has their buffer)
        return self._stream.write(data)


def _zstandard() -> Any:  # noqa: ANN401  (a module)
    import pyarrow as pa  # noqa: PLC0415  (an extra, and slow to import)

    return pa
