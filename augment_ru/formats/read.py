"""Read the rows of a file, all at once or one by one, with their positions for messages and a hash of them all."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any, BinaryIO, NamedTuple

from augment_ru.errors import AugmentError, saying_instead, saying_where
from augment_ru.formats.files import UTF8, check_input, in_utf8, open_input
from augment_ru.formats.json_lines import encoded_row
from augment_ru.formats.row import KEY
from augment_ru.formats.sources import PARQUET, kind_of, source_of
from augment_ru.records.places import places_in


class Row(NamedTuple):
    """A row of a file.

    Attributes:
        where: its position for messages, such as `rows.jsonl: line 3`.
        values: its values by key.
    """

    where: str
    values: Mapping[str, Any]


class Rows(NamedTuple):
    """The rows of a file.

    Attributes:
        rows: the rows, each with its position in the file.
        digest: the BLAKE2b hash of the rows in order, as 16 hexadecimal digits; equal rows have equal hashes.
    """

    rows: list[Row]
    digest: str

    @property
    def values(self) -> list[Mapping[str, Any]]:
        """The values of each row by key, without the positions in the file."""
        return [row.values for row in self.rows]


def read_rows(source: str, input_format: str | None = None, encoding: str = UTF8) -> Rows:
    """Read the rows of a file, in any format that the command `perturb` reads.

    Args:
        source: the file, or `-` for stdin.
        input_format: the format, as the ending of a file name without the dot. None takes it from the name; stdin is
            then read as JSON lines.
        encoding: the encoding of the file, if it is not UTF-8.

    Raises:
        AugmentError: the file does not exist, or does not hold rows.
    """
    check_input(source)
    kind = kind_of(source, input_format)
    with (
        open_input(source) as stream,
        in_utf8(stream, UTF8 if kind == PARQUET else encoding) as content,  # a Parquet file has no other
    ):
        reading = RowsRead(content, kind, "stdin" if source == "-" else source)
        return Rows(list(reading), reading.digest)


class RowsRead:
    """The rows of a file, read one by one; they can be iterated once.

    Args:
        stream: the content of the file, in UTF-8.
        kind: the format, as `kind_of` names it, such as "JSON lines".
        where: the name of the file in messages.

    Attributes:
        count: how many rows were read so far.
    """

    def __init__(self, stream: BinaryIO, kind: str, where: str) -> None:
        self._stream, self._kind, self._where = stream, kind, where
        self._hash = blake2b(digest_size=8)
        self.count = 0

    @property
    def digest(self) -> str:
        """The BLAKE2b hash of the rows that were read so far, as 16 hexadecimal digits."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows.

        Raises:
            AugmentError: the content does not hold rows.
        """
        where = self._where
        try:
            held = source_of(self._kind, self._stream)
            for line in held:
                place = f"{where}: {held.unit} {line.number}"
                with saying_where(place):
                    row = Row(place, with_metadata(held.parsed(line.usable())[1]))
                self._hash.update(_bytes_of(row.values) + b"\n")
                self.count += 1
                yield row
        except AugmentError as error:
            raise error if str(error).startswith(where) else AugmentError(f"{where}: {error}") from error


def _bytes_of(values: Mapping[str, Any]) -> bytes:
    """Encode a row for the hash; it may have values that JSON cannot hold, in fields that do not matter."""
    with suppress(AugmentError):
        return encoded_row(values).encode("utf-8", "surrogatepass")
    return json.dumps(dict(values), default=str).encode()


def with_metadata(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with its metadata (the value of the key `augment`) as an object, parsed if it is a string of JSON.

    Raises:
        AugmentError: the metadata is not valid JSON.
    """
    held = values.get(KEY)
    if not isinstance(held, str) or not held.startswith("{"):
        return values
    with saying_instead(lambda error: f"'{KEY}' is no JSON: {error}", ValueError):
        return {**values, KEY: json.loads(held)}


def rows_of(given: Iterable[Mapping[str, Any]], name: str = "row") -> Rows:
    """Make `Rows` from dictionaries; in messages they are numbered from 1.

    Args:
        given: the dictionaries.
        name: what a row is called in messages.

    Raises:
        AugmentError: JSON cannot hold a row.
    """
    rows = [Row(f"{name} {number}", values) for number, values in enumerate(given, start=1)]
    digest = blake2b(digest_size=8)
    for row in rows:
        with saying_where(row.where):
            list(places_in(row.values, {}))  # refuses keys that are no texts
        digest.update(encoded_row(row.values).encode() + b"\n")
    return Rows(rows, digest.hexdigest())
