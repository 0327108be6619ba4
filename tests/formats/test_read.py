"""Rows one by one: the same as all at once, in little memory; labels are found on the way."""

import io
import json
import tracemalloc
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError
from augment_ru.evaluation.answers import different_golds, golds_of, labels_among, labels_of_different
from augment_ru.formats.read import RowsRead, rows_of
from augment_ru.records.task import generic

_LABELS = st.sampled_from(["да", "нет", "-1", 0, 1, -1, None, ""])


def lines(rows: Iterator[Mapping[str, Any]]) -> io.BytesIO:
    return io.BytesIO(b"".join(f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in rows))


@given(st.lists(_LABELS))
def test_rows_of_a_file_one_by_one_are_those_made_in_python(labels: list[Any]) -> None:
    rows = [{"text": "Кот спит.", "label": label} for label in labels]
    whole = rows_of(rows)
    reading = RowsRead(lines(iter(rows)), "jsonl", "rows")
    assert [row.values for row in reading] == whole.values
    assert (reading.count, reading.digest) == (len(labels), whole.digest)


@given(st.lists(_LABELS))
def test_labels_are_those_of_all_right_answers(labels: list[Any]) -> None:
    """-1 is a label, unless no row has another one."""
    rows = [{"text": "Кот спит.", "label": label} for label in labels]
    found = labels_of_different(different_golds(iter(rows), generic()), generic())
    assert found == labels_among(golds_of(rows, generic(), "labels"), "labels")


def test_labels_are_found_in_little_memory() -> None:
    content = lines({"text": "Кот спит. " * 100, "label": at % 2} for at in range(5000))
    size = len(content.getbuffer())
    tracemalloc.start()
    golds = different_golds((row.values for row in RowsRead(content, "jsonl", "rows")), generic())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert golds == {("0",), ("1",)}
    assert peak < size / 10


def test_an_error_names_its_line() -> None:
    reading = RowsRead(io.BytesIO(b'{"text": "\xd0\x94\xd0\xb0."}\n{\n'), "jsonl", "rows.jsonl")
    with pytest.raises(AugmentError, match=r"^rows\.jsonl: line 2: not JSON"):
        list(reading)
    assert reading.count == 1
