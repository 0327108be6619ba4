"""Recognise the format of a file, choose what reads its rows, and cut it into parts; turn other layouts into rows.

Each part is read by itself, with the row numbers of the whole file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol, TypeVar

import msgspec

from augment_ru.errors import AugmentError, brief, saying_instead, saying_where, unknown
from augment_ru.formats.delimited import Table
from augment_ru.formats.files import PACKED, bare_name
from augment_ru.formats.json_array import ArrayRows, JsonArray, json_source
from augment_ru.formats.json_lines import Around, JsonLines, encoded_row
from augment_ru.formats.lines import BOM, MAX_LINE, Line, decoded, pass_over, read_lines
from augment_ru.formats.parquet import Parquet, ParquetRows, as_stream

FIELD = "text"
"""The name of the field that holds a line of a plain-text file."""


class TextLines:
    """A file of plain text with one text on each line, or a part of it, as a source of rows.

    Args:
        stream: the file or the part.
        first: the number that the first line of `stream` has in the file.
    """

    unit: ClassVar[str] = "line"

    def __init__(self, stream: BinaryIO, *, first: int = 1) -> None:
        self.stream, self._first = stream, first

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines, including empty ones."""
        return read_lines(self.stream, blank=True, first=self._first)

    def parsed(self, line: Line) -> tuple[None, dict[str, Any], Around]:
        """Parse a line; return None, the row that it makes, and the characters around its text.

        Other formats have the JSON of the row in place of None.

        Raises:
            AugmentError: the line is not UTF-8.
        """
        return None, {FIELD: decoded(line.data)}, Around.of(line)


def layout_of(kind: str, stream: BinaryIO) -> JsonLines | None:
    """Return the rows of a file in a format of other tools, such as CoNLL, as JSON lines; None for any other format.

    Args:
        kind: the format: `bio`, `conll`, `labelstudio`, or `beir` with the file of relevance judgements, as in
            `beir:qrels/test.tsv`.
        stream: the content of the file, in UTF-8.

    Raises:
        AugmentError: the content does not have this format.
    """
    name, _, argument = kind.partition(":")
    if name not in LAYOUTS:
        return None
    rows = LAYOUTS[name](stream, argument)
    return JsonLines(BytesIO(b"".join(f"{encoded_row(row)}\n".encode() for row in rows)), unit="row")


def _beir(stream: BinaryIO, qrels: str) -> Iterator[dict[str, Any]]:
    """Yield the queries that have judgements, each with the grades of its documents in `relevant`."""
    if not Path(qrels).is_file():
        raise AugmentError(f"{qrels or 'beir'}: no such file of judgements; give beir:FILE, as in beir:qrels/test.tsv")
    grades: dict[str, dict[str, float]] = {}
    with Path(qrels).open("rb") as judged:
        table = Table(judged, "\t") if qrels.endswith(".tsv") else JsonLines(judged)
        for row in _values(table):
            with saying_instead(f"{qrels}: {brief(row)} has no query-id, corpus-id and score", KeyError, ValueError):
                query, document, grade = (row[key] for key in ("query-id", "corpus-id", "score"))
                grades.setdefault(str(query), {})[str(document)] = float(grade)
    for row in _values(JsonLines(stream)):
        if (key := str(row.get("_id"))) in grades:
            yield {**row, "relevant": grades[key]}


def _values(source: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  (a `RowSource`)
    for line in source:
        with saying_where(f"{source.unit} {line.number}"):
            yield source.parsed(line.usable())[1]


def _conll(stream: BinaryIO, _: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each sentence. Each line holds a token and its tag; blank lines separate sentences."""
    lines = (line.data.decode("utf-8", "replace").split() for line in read_lines(stream, blank=True))
    for is_border, group in groupby(lines, lambda parts: not parts or parts[0] == "-DOCSTART-"):
        tokens = [parts for parts in group if not is_border and len(parts) > 1 and parts[0] != "#"]
        if tokens:
            yield _of_tags([parts[0] for parts in tokens], [parts[-1] for parts in tokens])


_TOKENS, _TAGS = ("tokens", "words"), ("tags", "ner_tags", "labels")


def _bio(stream: BinaryIO, _: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of JSON lines that each hold a list of tokens and a list of their tags, as `datasets` has them."""
    for row in _values(JsonLines(stream)):
        tokens, tags = (next((row[key] for key in keys if key in row), ()) for keys in (_TOKENS, _TAGS))
        if len(tokens) != len(tags) or not tokens or not all(isinstance(one, str) for one in (*tokens, *tags)):
            raise AugmentError(f"{brief(row)}: needs as many tags in {' or '.join(_TAGS)}, with names such as B-PER, "
                               f"as {' or '.join(_TOKENS)}")  # fmt: skip
        yield {**{key: row[key] for key in row if key not in {*_TOKENS, *_TAGS}}, **_of_tags(tokens, tags)}


_CLOSING, _OPENING = frozenset(",.!?:;…)»]%"), frozenset("(«[№")


def _of_tags(tokens: Sequence[str], tags: Sequence[str]) -> dict[str, Any]:
    """Return the row of a sentence: its spans, and its tokens as a text, without spaces before closing marks."""
    text, places = "", []
    for token in tokens:
        text += " " if text and text[-1] not in _OPENING and token not in _CLOSING else ""
        places.append((len(text), len(text) + len(token)))
        text += token
    return {"text": text, "spans": spans_of_tags(places, tags)}


def spans_of_tags(places: Iterable[tuple[int, int]], tags: Iterable[str]) -> list[dict[str, Any]]:
    """Return the labelled spans of a text that the tags of its tokens state, such as `B-PER`, `I-PER` and `O`.

    `B-` begins a span and `I-` continues it; `E-` or `L-` ends it; `S-` or `U-` is a span of one token. An `I-` whose
    label differs from that of the tag before it begins a new span, as in seqeval.

    >>> spans_of_tags([(0, 3), (4, 9), (10, 16)], ["B-PER", "I-PER", "I-LOC"])
    [{'start': 0, 'end': 9, 'label': 'PER'}, {'start': 10, 'end': 16, 'label': 'LOC'}]

    Args:
        places: the start and the stop of each token.
        tags: the tag of each token.
    """
    found: list[dict[str, Any]] = []
    open_ = ""
    for (start, stop), tag in zip(places, tags, strict=True):
        mark, _, label = tag.partition("-")
        if not label:
            open_ = ""
            continue
        if open_ != label or mark in "BSU":
            found.append({"start": start, "end": stop, "label": label})
        found[-1]["end"] = stop
        open_ = "" if mark in "ELSU" else label
    return found


def _label_studio(stream: BinaryIO, _: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each task of a Label Studio export (JSON or JSON-MIN).

    Its spans are those of the first annotation that was not cancelled.
    """
    for row in _values(json_source(stream)):
        held = row.get("data", row)
        done = [one for one in row.get("annotations", ()) if not one.get("was_cancelled")]
        values = [one.get("value", {}) for one in done[0]["result"]] if done else row.get("label", ())
        text = held.get("text") if isinstance(held, Mapping) else None
        if not isinstance(text, str):
            raise AugmentError(f"{brief(row)}: has no text; export the project as JSON or JSON-MIN")
        spans = [_placed(text, one) for one in values if isinstance(one, Mapping) and "labels" in one]
        yield {**({"id": row["id"]} if "id" in row else {}), "text": text, "spans": spans}


def _placed(text: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a span with its places in code points; a browser counts a code point beyond U+FFFF as two characters.

    Raises:
        AugmentError: the text of the span does not stand at its places.
    """
    start, stop = value["start"], value["end"]
    if text[start:stop] != value.get("text", text[start:stop]):
        units = text.encode("utf-16-le")
        start, stop = (len(units[: 2 * place].decode("utf-16-le", "replace")) for place in (start, stop))
        if text[start:stop] != value["text"]:
            raise AugmentError(f"{brief(value)}: does not stand there in its text")
    return {"start": start, "end": stop, "label": value["labels"][0]}


LAYOUTS: Mapping[str, Callable[[BinaryIO, str], Iterator[dict[str, Any]]]] = {
    "beir": _beir,
    "bio": _bio,
    "conll": _conll,
    "labelstudio": _label_studio,
}
"""The function that reads each layout; it takes the content of a file, and what follows the colon after the name."""


JSON_LINES = "JSON lines"
PARQUET = "Parquet"

KINDS = {
    ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".json": "JSON", ".csv": "CSV", ".tsv": "TSV", ".parquet": PARQUET,
    ".txt": "text",
}  # fmt: skip
"""The format of a file for each ending of a file name."""
TABLES = ("CSV", "TSV")


class RowSource(Protocol):
    """A source of rows in one format, such as a file or a part of it."""

    @property
    def unit(self) -> str:
        """The word that messages use for a row: line or row."""

    def __iter__(self) -> Iterator[Line]:
        """Yield the rows, not yet parsed."""

    def parsed(self, line: Line) -> tuple[str | None, dict[str, Any], Any]:
        """Parse a row.

        Args:
            line: the row as bytes, with its number.

        Returns:
            Three values: the JSON text of the row (None if the format is not JSON); the values of the row; and what
            else is needed to write the row in the same format.

        Raises:
            AugmentError: the line is not a valid row.
        """


def kind_of(name: str | None, ending: str | None = None) -> str:
    """Return the format of a file, such as "JSON lines", from `ending` if it is given, otherwise from its name.

    Standard input and output hold JSON lines, and so does a file whose name has no ending.

    Args:
        name: the name of the file; `.gz` or `.zst` at its end (the file is packed) is passed over. `-` or None for
            standard input or output.
        ending: the format, as the ending of a file name without the dot; or a format that no ending shows: `bio`,
            `conll`, `labelstudio` or `beir`.

    Raises:
        AugmentError: the format is unknown, or the name is that of a Parquet file that was packed again.
    """
    if ending is not None:
        if ending.partition(":")[0] not in LAYOUTS and f".{ending}" not in KINDS:
            raise unknown("format", ending, [*(one[1:] for one in KINDS), *LAYOUTS])
        return KINDS.get(f".{ending}", ending)
    if not name or name == "-":
        return JSON_LINES
    bare = bare_name(name)
    suffix = Path(bare).suffix.lower()
    if suffix and suffix not in KINDS:
        sheet = "save the sheet as CSV; " if suffix in (".xlsx", ".xls", ".ods") else ""
        remedy = f"{sheet}possible: {', '.join(KINDS)}, and all but Parquet packed ({', '.join(PACKED)})"
        raise AugmentError(f"{name}: no format ends in {suffix}; {remedy}")
    kind = KINDS.get(suffix, JSON_LINES)
    if kind == PARQUET and bare != name:
        raise AugmentError(f"{name}: Parquet files are packed inside; leave out {Path(name).suffix}")
    return kind


def source_of(kind: str, stream: BinaryIO, *, first: int | None = None) -> RowSource:
    """Return a reader of the rows of a file, or of a part of one, in this format.

    Args:
        kind: the format, as `kind_of` names it, such as "JSON lines".
        stream: the content of the file, in UTF-8; or a part of it: lines, or rows of a table below its header line.
        first: the number that the first line or row of a part has in the file, from 1; None for a whole file.

    Raises:
        AugmentError: the file is not of this format, or a package that is needed to read it is not installed.
    """
    if kind == "JSON":
        return json_source(stream) if first is None else JsonLines(stream, called_json=True, first=first)
    if kind in TABLES:
        return Table(stream, "\t" if kind == "TSV" else None, begin=first)
    if kind == PARQUET:
        return Parquet(stream)
    if kind == "text":
        return TextLines(stream, first=first or 1)
    return layout_of(kind, stream) or JsonLines(stream, first=first or 1)


T = TypeVar("T")

PART_BYTES = 2**17
"""The size of a part in bytes: a part ends with the row that reaches the size. It has about as many rows as a chunk
(the records that are perturbed at once)."""

_LONGEST = len(BOM) + MAX_LINE + 2
"""The most bytes that a part keeps of a line; readers look at no more than that."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file: consecutive rows, which one worker processes.

    Attributes:
        kind: the format of the file, such as "JSON lines".
        first: the number that the first line or row of the part has in the file, from 1.
        data: the bytes of the part: lines, rows, or an Arrow stream.
        header: for a table, the bytes of its header line, which every part needs; otherwise empty.
        rows: for a JSON file with arrays of rows, the JSON text of each row; otherwise empty.
        array: for such a file, the index of the array, from 0.
    """

    kind: str
    first: int
    data: bytes = b""
    header: bytes = b""
    rows: tuple[bytes, ...] = ()
    array: int = 0

    @property
    def digest(self) -> str:
        """A hash of all attributes of the part, in hexadecimal digits."""
        return blake2b(msgspec.msgpack.encode(self), digest_size=16).hexdigest()

    def source(self) -> RowSource:
        """Return a reader of the rows of the part; they are numbered as in the whole file."""
        if self.rows:
            return ArrayRows(self.rows, self.first, self.array)
        if self.kind == PARQUET:
            return ParquetRows(self.data, self.first)
        is_start = self.kind in TABLES and not self.header  # of a table with a blank line in place of its names
        return source_of(self.kind, BytesIO(self.header + self.data), first=None if is_start else self.first)


def file_parts(source: RowSource, size: int = PART_BYTES) -> Iterator[FilePart]:
    """Cut a file into parts, in order. The parts depend only on the file and on the size.

    Args:
        source: the rows of the file; no row may have been read yet.
        size: bytes of a part, at least 1. A part has at least one row, and ends with the row that reaches the size.

    Raises:
        AugmentError: the file is damaged; raised after the parts before the damage were yielded.
    """
    if isinstance(source, JsonArray):
        return _of_arrays(source, size)
    if isinstance(source, Parquet):
        return _of_batches(source, size)
    if isinstance(source, Table):
        return _of_table(source, size)
    if isinstance(source, TextLines):
        return _of_lines("text", source.stream, size)
    if isinstance(source, JsonLines):
        return _of_lines("JSON" if source.called_json else JSON_LINES, source.stream, size)
    raise TypeError(f"{type(source).__name__} has no parts")


def _of_lines(kind: str, stream: BinaryIO, size: int, header: bytes = b"") -> Iterator[FilePart]:
    first = 1 + header.count(b"\n")
    while data := stream.read(size):
        if not data.endswith(b"\n"):
            data += stream.readline(_LONGEST)
        start = data.rfind(b"\n", 0, -1) + 1  # of the last line
        if len(data) - start >= _LONGEST and not data.endswith(b"\n"):
            pass_over(stream, data, first + data.count(b"\n"))
            data = data[: start + _LONGEST] + b"\n"
        yield FilePart(kind, first, data, header)
        first += data.count(b"\n")


def _of_table(table: Table, size: int) -> Iterator[FilePart]:
    kind = "TSV" if table.called_tsv else "CSV"
    if table.layout.is_tsv and table.names:  # a row is a line
        yield from _of_lines(kind, table.stream, size, table.header)
        return
    for rows in _grouped(table.raw_rows(), size, lambda row: len(row[1])):
        first = rows[0][0]
        header = table.header if first > 1 else b""  # else the row stands in place of the names
        yield FilePart(kind, first, b"".join(data for _, data in rows), header)


def _of_arrays(source: JsonArray, size: int) -> Iterator[FilePart]:
    first = 1
    for array, texts in enumerate(source.arrays):
        for rows in _grouped(map(str.encode, texts), size, len):
            yield FilePart("JSON", first, rows=tuple(rows), array=array)
            first += len(rows)


def _of_batches(source: Parquet, size: int) -> Iterator[FilePart]:
    first = 1
    small = (batch for whole in source.batches() for batch in _small(whole, size))
    for batches in _grouped(small, size, lambda batch: int(batch.nbytes)):
        yield FilePart(PARQUET, first, as_stream(source.arrow, source.schema, batches))
        first += sum(batch.num_rows for batch in batches)


def _grouped(items: Iterable[T], size: int, size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield lists of consecutive items: each ends with the item that brings it to `size`, or with the last item."""
    held: list[T] = []
    length = 0
    for one in items:
        held.append(one)
        length += size_of(one)
        if length >= size:
            yield held
            held, length = [], 0
    if held:
        yield held


def _small(batch: Any, size: int) -> Iterator[Any]:  # noqa: ANN401
    """Yield a batch whole or in pieces: a batch of over `size` bytes is halved, and its halves again if necessary."""
    if batch.nbytes <= size or batch.num_rows == 1:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _small(batch.slice(0, middle), size)
    yield from _small(batch.slice(middle), size)
