"""Laws of reading and writing lines of JSON: the quick ways agree with the strict ones."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import parsed
from augment_ru.formats.json_places import located
from augment_ru.formats.row import Changed, written
from augment_ru.records.record import Record
from augment_ru.records.task import generic

_TEXTS = st.text(st.sampled_from('аб:"\\/ \n\tё😀\u2028u003aA{}[],'), max_size=8)
_NUMBERS = st.one_of(st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False))
_VALUES: Any = st.recursive(
    st.one_of(_TEXTS, _NUMBERS, st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)),
    max_leaves=6,
)
_ROWS = st.dictionaries(_TEXTS, _VALUES, max_size=4)


def _strictly(data: bytes) -> dict[str, Any] | None:
    """The object that the standard library reads; None for what is no object of JSON, or has a key twice."""

    def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        value = json.loads(data.decode(), object_pairs_hook=without_twins)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _read(data: bytes) -> dict[str, Any] | None:
    try:
        return parsed(data)[1]
    except AugmentError:
        return None


@given(row=_ROWS, ascii_only=st.booleans())
def test_rows_are_read_as_the_standard_library_reads_them(row: dict[str, Any], *, ascii_only: bool) -> None:
    data = json.dumps(row, ensure_ascii=ascii_only).encode()
    assert repr(_read(data)) == repr(_strictly(data)) == repr(row)


@given(data=st.lists(st.sampled_from(['"a"', ":", ",", "{", "}", "[", "]", "1", "1e400", "-0", '"\\u003a"', "9" * 25])))
def test_lines_of_any_pieces_are_read_or_refused_as_the_standard_library_does(data: list[str]) -> None:
    line = "".join(data).encode()
    assert repr(_read(line)) == repr(_strictly(line))


@pytest.mark.parametrize(
    "line",
    [
        '{"а": 1, "а": 1}',
        '{"а": 1, "а": 1, "б": "\\u003a"}',
        '{"а": 1, "а": 1, "б": "\\u003A"}',
        '{"а": {"б": 1, "б": 2}}',
        '{"а": [{"б": ":", "б": "::"}]}',
        '{"а": ":", "а": 1}',
    ],
)
def test_twin_keys_are_refused_wherever_they_stand(line: str) -> None:
    with pytest.raises(AugmentError, match="stands twice"):
        parsed(line.encode())


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 10**40, 2**53 + 1])
def test_integers_of_any_size_keep_their_digits(number: int) -> None:
    _, values = parsed(f'{{"id": {number}, "x": [{number}]}}'.encode())
    assert values == {"id": number, "x": [number]}


@given(row=_ROWS, text=_TEXTS, new=_TEXTS, ascii_only=st.booleans())
def test_a_text_is_replaced_at_its_place_and_nothing_else_changes(
    row: dict[str, Any], text: str, new: str, *, ascii_only: bool
) -> None:
    row = {**row, "text": text}
    line = json.dumps(row, ensure_ascii=ascii_only)
    start, stop = located(line, ("text",))
    out = written(Record(row, generic(), line), Changed({("text",): new}))
    assert json.loads(out) == {**row, "text": new}
    assert out.startswith(line[:start])
    assert out.endswith(line[stop:])
