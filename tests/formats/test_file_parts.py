"""Parts of a file hold the rows of the file, with their numbers, whatever the size of the parts."""

import json
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from augment_ru.errors import AugmentError
from augment_ru.formats import delimited, json_array
from augment_ru.formats import lines as lines_module
from augment_ru.formats import sources as parts_module
from augment_ru.formats.lines import BOM
from augment_ru.formats.sources import FilePart, file_parts, source_of

LINES = st.lists(st.sampled_from(["", " ", "кот", '{"text": "кот"}', "\u2028", '"', '"a', "a,б", '"a\nb",c', "a;b\tc"]))
ENDS = st.sampled_from(["\n", "\r\n"])
SIZES = st.integers(1, 200)


def rows(kind: str, data: bytes, size: int | None) -> list[Any]:
    """What a file says of its rows: read whole, or in parts of a size."""
    whole = source_of(kind, BytesIO(data))
    sources = [whole] if size is None else [part.source() for part in file_parts(whole, size)]
    found: list[Any] = []
    for source in sources:
        for line in source:
            try:
                read: Any = None if line.problem else source.parsed(line)[1]
            except AugmentError as error:
                read = str(error)
            place = line.place if kind in {"JSON lines", "text", "JSON"} else None
            found.append((line.number, line.data, line.problem, line.end, place, read))
    return found


@pytest.mark.parametrize("kind", ["JSON lines", "text", "CSV", "TSV", "JSON"])
@given(lines=LINES, end=ENDS, last=st.booleans(), mark=st.booleans(), size=SIZES)
def test_lines(kind: str, lines: list[str], end: str, *, last: bool, mark: bool, size: int) -> None:
    data = BOM * mark + (end.join(lines) + end * last).encode()
    try:
        expected = rows(kind, data, None)
    except AugmentError:  # no line of names
        return
    assert rows(kind, data, size) == expected


@pytest.mark.parametrize("kind", ["JSON lines", "text", "CSV", "TSV"])
@given(
    lengths=st.lists(st.tuples(st.integers(0, 60), st.booleans())), last=st.booleans(), mark=st.booleans(), size=SIZES
)
@example(lengths=[(20, False)], last=True, mark=True, size=1)
@example(lengths=[(20, False)], last=False, mark=True, size=1)
def test_lines_that_are_too_long(
    kind: str, lengths: list[tuple[int, bool]], *, last: bool, mark: bool, size: int
) -> None:
    names = b"" if kind in {"JSON lines", "text"} else b"text\n"
    data = names + b"\n".join(b'"' * quoted + b"a" * length for length, quoted in lengths) + b"\n" * last
    data = BOM * mark + data
    with pytest.MonkeyPatch.context() as patch:
        kept = parts_module._LONGEST - lines_module.MAX_LINE  # noqa: SLF001  (as much smaller as the others)
        patch.setattr(parts_module, "_LONGEST", kept + 20)
        for module in (lines_module, json_array, delimited):
            patch.setattr(module, "MAX_LINE", 20)
        assert rows(kind, data, size) == rows(kind, data, None)


@given(
    arrays=st.lists(st.lists(st.dictionaries(st.text(max_size=3), st.text() | st.integers(), max_size=2))),
    size=SIZES,
    indent=st.sampled_from([None, 1]),
)
def test_arrays(arrays: list[list[dict[str, object]]], size: int, indent: int | None) -> None:
    held = {"data": {str(number): array for number, array in enumerate(arrays)}}
    data = json.dumps(held, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass")
    assert rows("JSON", data, size) == rows("JSON", data, None)


@settings(deadline=None)  # the first call imports pyarrow
@given(texts=st.lists(st.none() | st.text(st.characters(codec="utf-8")), max_size=20), size=SIZES)
def test_batches(texts: list[str | None], size: int) -> None:
    stream = BytesIO()
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), stream, row_group_size=3)
    assert rows("Parquet", stream.getvalue(), size) == rows("Parquet", stream.getvalue(), None)


def test_a_part_ends_with_the_row_that_reaches_its_size() -> None:
    source = source_of("JSON lines", BytesIO(b"{}\n" * 10))
    found = [(part.first, part.data) for part in file_parts(source, 10)]
    assert found == [(1, b"{}\n" * 4), (5, b"{}\n" * 4), (9, b"{}\n" * 2)]


def test_a_digest_stands_for_the_whole_part() -> None:
    """Whatever a part is made of is in its digest: the numbers of its rows are in messages."""
    base = FilePart("JSON lines", 1, b"{}\n")
    others = [
        FilePart("JSON", 1, b"{}\n"),
        FilePart("JSON lines", 2, b"{}\n"),
        FilePart("JSON lines", 1, b"\n", b"{}"),
        FilePart("JSON lines", 1, rows=(b"{}\n",)),
        FilePart("JSON lines", 1, rows=(b"{}", b"\n")),
    ]
    assert len({part.digest for part in [base, *others]}) == len(others) + 1
