"""Files in other encodings than UTF-8, read as UTF-8."""

import codecs
from typing import BinaryIO

from augment_ru.errors import AugmentError
from augment_ru.formats.packed import buffered


def check_encoding(name: str) -> None:
    """Raise an error if there is no such encoding of texts.

    Raises:
        AugmentError: Python knows none of this name.
    """
    try:
        "".encode(name)
    except LookupError as error:
        raise AugmentError(
            f"--encoding {name}: no such encoding of texts; for Russian mostly utf-8, cp1251, koi8-r or utf-16"
        ) from error


def as_utf8(stream: BinaryIO, encoding: str) -> BinaryIO:
    """The content of a file of another encoding, in UTF-8.

    Raises:
        AugmentError: while it is read, at the first byte that the encoding does not have.
    """
    if codecs.lookup(encoding).name == "utf-8":
        return stream
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0

    def read(size: int) -> bytes:
        nonlocal done
        while True:
            data = stream.read(size)
            held = len(decoder.getstate()[0])
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                place = done - held + error.start
                raise AugmentError(f"not {encoding} at byte {place}; name its encoding with --encoding") from error
            done += len(data)
            if text or not data:
                return text.encode("utf-8", "surrogatepass")

    return buffered(read)
