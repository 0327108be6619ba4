"""Files in other encodings than UTF-8, read as UTF-8."""

import codecs
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from augment_ru.errors import AugmentError, escaped, not_utf8
from augment_ru.formats.files import twice
from augment_ru.formats.packed import buffered

UTF8 = "utf-8"
_BLOCK = 2**20
_log = logging.getLogger(__name__)


def check_encoding(name: str) -> None:
    """Raise an error if there is no such encoding of texts.

    Raises:
        AugmentError: Python knows none of this name.
    """
    try:
        "".encode(name)
    except LookupError as error:
        raise AugmentError(
            f"`encoding` {name}: no such encoding of texts; for Russian mostly utf-8, cp1251, koi8-r or utf-16"
        ) from error


def decoded(data: bytes) -> str:
    """The text of bytes in UTF-8.

    Raises:
        AugmentError: they are not in UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(error) from error


def is_utf8(encoding: str) -> bool:
    """Whether this is a name of UTF-8."""
    return codecs.lookup(encoding).name == UTF8


@contextmanager
def in_utf8(stream: BinaryIO, encoding: str, *, marked: bool = False) -> Iterator[BinaryIO]:
    """The content of a file in UTF-8; `encoding` is that of a file which is not in UTF-8.

    If `marked`, content that was in another encoding begins with a byte-order mark. A table that is written from it
    keeps the mark, without which Excel takes UTF-8 for cp1251.

    What augment-ru writes is in UTF-8, also where it was read in another encoding. So the files of one command may
    differ, and a file that is in UTF-8 is read as it is: hardly any text of another encoding is valid UTF-8 by chance.
    A warning is logged where the encoding would have given another text.

    Raises:
        AugmentError: while it is read, at the first byte that the encoding does not have.
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
    """What the content is in: "ascii", "utf-8" or neither; no text has a NUL, as most texts in UTF-16 have."""
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
    """The content of a file of another encoding, in UTF-8, behind a byte-order mark if there is one."""
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
