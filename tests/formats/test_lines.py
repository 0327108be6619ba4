"""Lines are what stands between line feeds, and a byte-order mark changes nothing but the first."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.formats import lines as lines_module
from augment_ru.formats.lines import BOM, LONG_LINE_SHOWN, read_lines

LONGEST = 20


@given(
    lengths=st.lists(st.integers(0, 3) | st.integers(LONGEST - 4, LONGEST + 6) | st.integers(0, 70), min_size=1),
    end=st.sampled_from([b"\n", b"\r\n"]),
    last=st.booleans(),
    blank=st.booleans(),
)
def test_lines_stand_between_line_feeds(lengths: list[int], end: bytes, *, last: bool, blank: bool) -> None:
    data = end.join(b"a" * length for length in lengths) + end * last
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "MAX_LINE", LONGEST)
        plain = list(read_lines(BytesIO(data), blank=blank))
        marked = list(read_lines(BytesIO(BOM + data), blank=blank))
    known = dict(enumerate(lengths, start=1))
    for line in plain:
        if line.problem is None:
            assert line.data == b"a" * known[line.number]
        else:
            assert (b"a" * known[line.number]).startswith(line.data[:LONG_LINE_SHOWN].rstrip(b"\r\n"))
            assert known[line.number] + len(end) > LONGEST
    kept = {line.number for line in plain}
    for number, length in known.items():
        is_last = number == len(lengths) and not (last or length)  # an empty rest of the file is no line
        assert (number in kept) == (bool(length) or (blank and not is_last))
    assert {number: line for number, line in ((line.number, line.data) for line in marked) if line} == {
        line.number: line.data for line in plain if line.data
    }
    assert [line._replace(place=None) for line in marked if line.data] == [
        line._replace(place=None) for line in plain if line.data
    ]
