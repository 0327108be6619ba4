"""Read and write files packed with gzip or Zstandard, recognised by their names."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, cast

from augment_ru.errors import AugmentError, optional

PACKED = (".gz", ".zst")
"""The endings of the names of packed files. `.zst` files are read and written with pyarrow."""


def bare_name(name: str) -> str:
    """Return the name of a file without the ending of packed files, such as `.gz`."""
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix.lower() in PACKED else name


def is_packed(name: str) -> bool:
    """Tell whether a file with this name is packed, as its ending (such as `.gz`) says."""
    return bare_name(name) != name


def check_packing(name: str) -> None:
    """Check that files with this name can be packed and unpacked here.

    Raises:
        AugmentError: a package that is needed for this is not installed.
    """
    if name.lower().endswith(".zst") and find_spec("pyarrow") is None:
        _arrow(name)


def _arrow(name: str) -> Any:  # noqa: ANN401  (a module)
    return optional("pyarrow", f"{name}: .zst files need pyarrow", "hf")


def unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """Return the content of a file, unpacked if its name says that it is packed.

    Args:
        stream: the file.
        name: its name; its ending, such as `.gz`, says how it is packed.

    Raises:
        AugmentError: a package that is needed to unpack the file is not installed; or, when the content is read, the
            file is cut off or not packed in the way that its name says.
    """
    if not is_packed(name):
        return stream
    reader: Any = _arrow(name).CompressedInputStream(stream, "zstd") if name.lower().endswith(".zst") else None
    reader = reader or gzip.GzipFile(fileobj=stream, mode="rb")

    def read(size: int) -> bytes:
        try:
            return bytes(reader.read(size))
        except (OSError, EOFError, zlib.error) as error:
            raise AugmentError(f"cannot be unpacked: {error}; pack it again, or give it plain") from error

    return buffered(read)


@contextmanager
def packed(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Context manager: yield a stream that packs what is written to it.

    If the name does not say that the file is packed, the stream is the file itself. The packed bytes depend only on the
    content.

    Args:
        stream: the file to write.
        name: its name; its ending, such as `.gz`, says how it is packed.
    """
    if not is_packed(name):
        yield stream
        return
    if name.lower().endswith(".zst"):
        writer: Any = _arrow(name).CompressedOutputStream(_KeptOpen(stream), "zstd")
    else:
        writer = gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0)
    with writer:
        yield cast("BinaryIO", writer)


def buffered(read: Callable[[int], bytes]) -> BinaryIO:
    """Return a stream of the bytes that a function returns piece by piece.

    Args:
        read: a function that takes how many bytes are wanted and returns the next ones; b"" at the end. If it returns
            more, the rest is kept for later.
    """
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
    """A file that stays open when the packer that writes to it is closed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401  (bytes, or what has their buffer)
        return self._stream.write(data)
