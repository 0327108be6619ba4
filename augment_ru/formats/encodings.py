"""Read files that are not in UTF-8, and convert them to UTF-8."""

import codecs
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from augment_ru.errors import AugmentError, escaped, not_utf8, saying_instead
from augment_ru.formats.files import twice
from augment_ru.formats.packed import buffered

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


def decoded(data: bytes) -> str:
    """Decode bytes in UTF-8.

    Raises:
        AugmentError: the bytes are not valid UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(error) from error


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
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0

    def read(size: int) -> bytes:
        nonlocal done, mark
        while True:
            data = stream.read(size)
            held = len(decoder.getstate()[0])
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                place = done - held + error.start
                raise AugmentError(f"not {encoding} at byte {place}; name its encoding with `encoding`") from error
            done += len(data)
            if text or not data:
                if text:
                    text, mark = mark + text.removeprefix(mark), ""
                return text.encode("utf-8", "surrogatepass")

    return buffered(read)
