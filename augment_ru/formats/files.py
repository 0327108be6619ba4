"""Open input files and stdin, write output files completely or not at all, and check file names before work begins.

Files may be packed with gzip or Zstandard, which their names say, and be in other encodings than UTF-8.
"""

import codecs
import errno
import gzip
import io
import logging
import os
import re
import secrets
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from augment_ru.errors import AugmentError, escaped, first_line, optional, saying_instead

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
        with file_errors(self.place), io.BufferedReader(self._files.open(self._path, "rb")) as stream:
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


def file_errors(url: str) -> AbstractContextManager[None]:
    """Return a context manager that turns errors of a remote file system into errors with a message of one line.

    Args:
        url: the URL that is accessed, for the message.

    Raises:
        AugmentError: the file system raises an error in the block.
    """
    return saying_instead(
        lambda error: f"{url}: {type(error).__name__}: {error.strerror or first_line(error)}", OSError
    )


PACKED = (".gz", ".zst")
"""The endings of the names of packed files. `.zst` files are read and written with pyarrow."""


def bare_name(name: str) -> str:
    """Return the name of a file without the ending that says that it is packed (compressed): `.gz` or `.zst`."""
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix.lower() in PACKED else name


def is_packed(name: str) -> bool:
    """Tell whether a file with this name is packed (compressed): whether its ending is `.gz` or `.zst`."""
    return bare_name(name) != name


def check_packing(name: str) -> None:
    """Check that the installed packages can pack (compress) and unpack files with this name.

    Raises:
        AugmentError: a package that is needed for this is not installed.
    """
    if name.lower().endswith(".zst"):
        _arrow(name)


def _arrow(name: str) -> Any:  # noqa: ANN401  (a module)
    return optional("pyarrow", f"{name}: .zst files need pyarrow", "hf")


def unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """Return the content of a file, unpacked if its name says that it is packed (compressed).

    Args:
        stream: the file.
        name: its name; `.gz` or `.zst` at its end says how it is packed.

    Raises:
        AugmentError: a package that is needed to unpack the file is not installed; or, when the content is read, the
            file is cut off or not packed in the way that its name says.
    """
    if not is_packed(name):
        return stream
    reader: Any = _arrow(name).CompressedInputStream(stream, "zstd") if name.lower().endswith(".zst") else None
    reader = reader or gzip.GzipFile(fileobj=stream, mode="rb")

    def read(size: int) -> bytes:
        remedy = "pack it again, or give it plain"
        with saying_instead(lambda error: f"cannot be unpacked: {error}; {remedy}", OSError, EOFError, zlib.error):
            return bytes(reader.read(size))

    return buffered(read)


@contextmanager
def packed(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Context manager: yield a stream that packs (compresses) what is written to it, if the file's name asks for it.

    If it does not, the stream is the file itself. The packed bytes depend only on the content.

    Args:
        stream: the file to write.
        name: its name; `.gz` or `.zst` at its end says how it is packed.
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
    """A stream of what a function returns: bytes, none of them at the end, and None if it has to wait for some."""

    def __init__(self, read: Callable[[int], bytes | None], name: str = "input") -> None:
        self._read, self.name = read, name
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401  (a writable buffer)
        data = self._left or self._read(len(buffer))
        if data is None:
            return None
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


fcntl: Any
try:
    import fcntl
except ImportError:  # a system without locks of this kind: nothing is swept there
    fcntl = None

_PART = ".part"


class Piped(io.BufferedReader):
    """A pipe that can tell whether all data that came through it so far was read.

    If so, the program at its other end may be waiting for an answer.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._patient = True

        def read(size: int) -> bytes | None:
            is_ready = self._patient or select.select([stream], [], [], 0)[0]
            return os.read(stream.fileno(), size) if is_ready else None

        super().__init__(_Reader(read, "<stdin>"))

    def is_drained(self) -> bool:
        """Tell whether nothing more can be read without waiting."""
        self._patient = False
        try:
            return not self.peek(1)
        finally:
            self._patient = True


@contextmanager
def open_input(source: str) -> Iterator[BinaryIO]:
    """Context manager: open a file, a URL, or stdin for `-`; unpack the file if its name says that it is packed.

    Raises:
        AugmentError: stdin is closed, or a package that is needed to unpack the file is not installed.
    """
    if source == "-":
        if sys.stdin is None:
            raise AugmentError("stdin: is closed; give a file")
        is_pipe = os.name == "posix" and not sys.stdin.seekable()
        yield cast("BinaryIO", Piped(sys.stdin.buffer)) if is_pipe else sys.stdin.buffer
        return
    with Remote(source).opened() if is_url(source) else Path(source).open("rb") as stream:
        yield unpacked(stream, source)


@contextmanager
def twice(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Context manager: yield a stream that can be read twice.

    It is the stream itself if that can be rewound, otherwise a temporary copy.
    """
    if stream.seekable():
        yield stream
        return
    with TemporaryFile() as kept:
        copyfileobj(stream, kept)
        kept.seek(0)
        yield cast("BinaryIO", kept)


def replacing_file(name: str) -> AbstractContextManager[BinaryIO]:
    """Context manager: open a temporary file, which replaces the named file if the block ends without an error.

    After an error the temporary file is deleted. A device or a pipe, such as /dev/null, is written directly.

    Args:
        name: the file to write, a path or a URL.

    Raises:
        AugmentError: the file cannot be written.
    """
    return Remote(name).replacing() if is_url(name) else replacing(Path(name))


def removed(name: str) -> None:
    """Delete a file if it exists; its name may be a URL."""
    if is_url(name):
        Remote(name).delete()
    else:
        Path(name).unlink(missing_ok=True)


_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}


@contextmanager
def replacing(target: Path, *, listed: bool = True) -> Iterator[BinaryIO]:
    """Context manager: open a temporary file, which replaces the target if the block ends without an error.

    After an error the temporary file is deleted. A device or a pipe, such as /dev/null, is written directly. So are
    /dev/stdout and /dev/stderr, even if they are files, because other programs write to these files, too.

    Args:
        target: the file to write.
        listed: whether `written_files` includes the file.

    Raises:
        AugmentError: the file cannot be written, or the disk is full.
    """

    def writing(remedy: str) -> AbstractContextManager[None]:
        return saying_instead(lambda error: f"{target}: cannot be written: {error.strerror}; {remedy}", OSError)

    descriptor = _DESCRIPTORS.get(str(target))
    if descriptor is not None or (target.exists() and not target.is_file()):  # or a device or a pipe, such as /dev/null
        with (
            writing("choose another place"),
            target.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb") as stream,
        ):
            yield stream
        return
    target = followed(target)  # a link stays a link
    with writing("choose another place"):
        _sweep(target)
        part, content = _part_of(target)
    try:
        with writing("nothing was written to it"):
            with content:
                yield content
                content.flush()
                os.fsync(content.fileno())
                identity = _identity(os.fstat(content.fileno()))
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            if listed:
                _renamed.append((target, identity))
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _part_of(target: Path) -> tuple[Path, BinaryIO]:
    """Create a file in the folder of the target, with a name that nobody can guess. It is locked while it is open."""
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}{_PART}")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        stream = os.fdopen(descriptor, "wb")
        if fcntl is None:
            return part, stream
        fcntl.flock(stream, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:  # else another run swept it away before it was locked
            return part, stream
        stream.close()


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Context manager: lock a file, and yield True; yield False if another process has locked it.

    When a process is killed, its lock becomes free.
    """
    with path.open("ab") as stream:
        try:
            if fcntl is not None:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def _sweep(target: Path) -> None:
    """Delete the temporary files for the target that killed runs left: those that no process has locked."""
    if fcntl is None:
        return
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}{re.escape(_PART)}")
    for path in [path for path in target.parent.iterdir() if ours.fullmatch(path.name)]:
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)


_renamed: list[tuple[Path, tuple[int, int]]] = []
"""The output files that were completed, each with the device and inode that identify it."""


def written_files() -> list[Path]:
    """Return the files that this process has written completely and that have not been replaced since."""
    return [path for path, identity in _renamed if path.exists() and _identity(path.stat()) == identity]


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def check_input(source: str, option: str = "") -> None:
    """Check that a file to read exists.

    Args:
        source: the file, a URL, or `-` for stdin.
        option: the option that names the file, for messages.

    Raises:
        AugmentError: the file does not exist or cannot be reached, or it is a folder.
    """
    if is_url(source):
        if not Remote(source).exists():
            raise AugmentError(f"{option} {source}: no such file, or it cannot be reached".lstrip())
        return
    if source != "-" and (not Path(source).exists() or Path(source).is_dir()):
        problem = "is a folder; give a file" if Path(source).is_dir() else "no such file"
        raise AugmentError(f"{option} {source}: {problem}".lstrip())


_MODULE = re.compile(r"\bpython:([\w.]+)")
_SEPARATOR = re.compile(r"[:=@#,]")
"""The characters that may surround a file name in the value of an option, as in `NAME.OPTION=FILE`, `FILE@LAYER`."""


def named_files(values: Iterable[str]) -> list[str]:
    """Return the files and folders that exist and are named in the values of options.

    A value may be a path itself, or hold one between separators such as `=` and `:`. `python:MODULE` names the file of
    a module in this folder.
    """
    found: list[str] = []
    for value in values:
        modules = (f"{module.replace('.', '/')}.py" for module in _MODULE.findall(value))
        found += [str(Path(module).resolve()) for module in modules if Path(module).is_file()]
        marks = [*_SEPARATOR.finditer(value)]
        stops = [mark.start() for mark in marks] + [len(value)]
        for start, stop in zip([0, *(mark.end() for mark in marks)], stops, strict=True):
            parts = {value[start:], value[start : max(stop, stops[-2] if marks else 0)], value[start:stop]}
            found += sorted(part for part in parts if part and _exists(part))
    return list(dict.fromkeys(found))


def _exists(name: str) -> bool:
    with suppress(OSError, ValueError):  # longer than a name may be, or with a character that none may have
        return Path(name).exists()
    return False


def check_outputs(outputs: Iterable[tuple[str, str | None]], inputs: Iterable[str | None]) -> None:
    """Check that the files to write can be written, and that none of them replaces another file of the run.

    Args:
        outputs: pairs of an option and its file; pairs with the file None are skipped.
        inputs: the files that the run reads, and folders of such files; `-` is stdin, None is skipped. A cache counts
            as read.

    Raises:
        AugmentError: a file is a folder, stdout or an empty name, is in a folder that does not exist, is read by the
            run, or is named by two options.
    """
    sources = [source for source in inputs if source is not None]
    taken: dict[str, str] = {}
    for option, file in outputs:
        if file is None:
            continue
        path, place = Path(file), file
        if is_url(file):
            Remote(file)  # so that a missing package is an error before any work
        elif file in ("", "-") or path.is_dir():
            raise AugmentError(f"{option} {file}: is no file; give a file to write to")
        else:
            check_folder(f"{option} {file}", path)
            place = str(followed(path, option))
        if any(file == source if is_url(file) else _is_read(path, source) for source in sources):
            raise AugmentError(f"{option} {file}: is read by this run; give another file, or its content would be lost")
        if (other := taken.setdefault(place, option)) != option:
            raise AugmentError(f"{option} {file}: is the file of {other}, too; give each a file of its own")


def followed(path: Path, option: str = "") -> Path:
    """Return a path with all its symbolic links followed.

    Args:
        path: the path.
        option: the option that names it, for the message.

    Raises:
        AugmentError: the links lead in a circle.
    """
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise AugmentError(f"{option} {path}: is a link that leads in a circle; remove it".lstrip()) from error
    return Path(os.path.realpath(path))


def check_folder(what: str, path: Path) -> None:
    """Check that the parent folder of a file or folder to be made exists.

    Args:
        what: the option and the file, for messages.
        path: the file or folder to be made.

    Raises:
        AugmentError: the parent folder does not exist.
    """
    if not path.absolute().parent.is_dir():
        raise AugmentError(f"{what}: its folder does not exist; make it first")


def _is_read(path: Path, source: str) -> bool:
    """Tell whether a file is the input `source`, or lies in it if `source` is a folder.

    An input that does not exist yet is a cache that the run will make.
    """
    if is_url(source):
        return False
    if not path.exists():
        return source != "-" and not Path(source).exists() and os.path.realpath(path) == os.path.realpath(source)
    if not path.is_file():  # a terminal may be read and written
        return False
    if source != "-":
        if Path(source).is_dir():
            return Path(source).resolve() in path.resolve().parents
        return Path(source).exists() and path.samefile(source)
    return sys.stdin is not None and os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))


UTF8 = "utf-8"
_BLOCK = 2**20
_log = logging.getLogger(__name__)


def check_encoding(name: str) -> None:
    """Check that Python knows an encoding of texts with this name.

    Raises:
        AugmentError: Python does not know the name, or it does not encode texts.
    """
    known = "for Russian mostly utf-8, cp1251, koi8-r or utf-16"
    with saying_instead(f"`encoding` {name}: no such encoding of texts; {known}", LookupError):
        "".encode(name)


def is_utf8(encoding: str) -> bool:
    """Tell whether `encoding` is one of the names of UTF-8."""
    return codecs.lookup(encoding).name == UTF8


@contextmanager
def in_utf8(stream: BinaryIO, encoding: str, *, marked: bool = False) -> Iterator[BinaryIO]:
    """Context manager: yield the content of a file in UTF-8, whatever encoding it has.

    A file that is valid UTF-8 is read as UTF-8, even if `encoding` names another encoding: hardly any text of another
    encoding is valid UTF-8 by chance. A warning is logged if `encoding` would have given another text.

    Args:
        stream: the file.
        encoding: the encoding of the file, used if the file is not valid UTF-8.
        marked: whether converted content gets a byte-order mark at its start. A table that is written from it keeps the
            mark; without it Excel takes UTF-8 for cp1251.

    Raises:
        AugmentError: the content has bytes that are not valid in the encoding; raised when it is read.
    """
    if is_utf8(encoding):
        yield stream
        return
    with twice(stream) as content:
        form = _form(content)
        content.seek(0)
        if form == UTF8 and codecs.lookup(encoding).name != "utf-8-sig":
            name = escaped(str(getattr(stream, "name", "input"))).replace("<stdin>", "stdin")
            _log.warning(
                "%s: is in UTF-8, and read as UTF-8; `encoding` %s is for files that are not in UTF-8", name, encoding
            )
        yield content if form else _decoded(content, encoding, "\ufeff" if marked else "")


def _form(stream: BinaryIO) -> str | None:
    """Return "ascii" or "utf-8" if the content is valid in it, otherwise None.

    Content with a NUL byte gives None: texts have none, but most texts in UTF-16 have some.
    """
    decoder = codecs.getincrementaldecoder(UTF8)()
    form = "ascii"
    try:
        while block := stream.read(_BLOCK):
            decoder.decode(block)
            if b"\0" in block:
                return None
            form = form if block.isascii() else UTF8
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return form


def _decoded(stream: BinaryIO, encoding: str, mark: str) -> BinaryIO:
    """Convert a file from another encoding to UTF-8, and put `mark` before its text."""
    text = io.TextIOWrapper(stream, encoding, newline="")

    def read(size: int) -> bytes:
        nonlocal mark
        try:
            found = text.read(size)
        except UnicodeDecodeError as error:
            where = f" at byte {stream.tell() - len(error.object) + error.start}" if stream.seekable() else ""
            raise AugmentError(f"not {encoding}{where}; name its encoding with `encoding`") from error
        if found:
            found, mark = mark + found.removeprefix(mark), ""
        return found.encode("utf-8", "surrogatepass")

    return buffered(read)
