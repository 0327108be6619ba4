"""Converts files in layouts of others (BEIR's queries, CoNLL, tags, Label Studio) to rows of JSON."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from augment_ru.errors import AugmentError, brief, saying_instead, saying_where
from augment_ru.formats.delimited import Table
from augment_ru.formats.json_array import json_source
from augment_ru.formats.json_lines import JsonLines, encoded_row
from augment_ru.formats.lines import read_lines


class ConvertedRows(JsonLines):
    """Rows of a file in another layout (such as CoNLL), converted to JSON lines and numbered from 1."""

    unit: ClassVar[str] = "row"


def layout_of(kind: str, stream: BinaryIO) -> ConvertedRows | None:
    """Return the rows of a file in a layout such as CoNLL; None if `kind` names none of the layouts.

    Args:
        kind: the layout: `bio`, `conll`, `labelstudio`, or `beir` with the file of relevance judgements, as in
            `beir:qrels/test.tsv`.
        stream: the content of the file, in UTF-8.

    Raises:
        AugmentError: the content does not have this layout.
    """
    name, _, argument = kind.partition(":")
    if name not in LAYOUTS:
        return None
    rows = LAYOUTS[name](stream, argument)
    return ConvertedRows(BytesIO(b"".join(f"{encoded_row(row)}\n".encode() for row in rows)))


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
            if line.problem:
                raise AugmentError(line.problem)
            yield source.parsed(line)[1]


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
    """Return the labelled spans that the tags of a text's tokens stand for; tags are such as `B-PER`, `I-PER` and `O`.

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
