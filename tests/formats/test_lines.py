"""Lines are the same one by one and in blocks, and a byte-order mark changes nothing but the first."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.formats import lines as lines_module
from augment_ru.formats.lines import BOM, Line, read_block, read_lines

LONGEST = 20


def in_blocks(data: bytes, count: int) -> Iterator[Line]:
    stream, first = BytesIO(data), 1
    while (block := read_block(stream, first, count)).raw:
        assert len(block.raw) <= count
        yield from block.lines()
        first += len(block.raw)


@given(
    lengths=st.lists(st.integers(0, 3) | st.integers(LONGEST - 4, LONGEST + 6) | st.integers(0, 70)),
    end=st.sampled_from([b"\n", b"\r\n"]),
    last=st.booleans(),
    count=st.integers(1, 4),
    limit=st.integers(1, 50),
)
def test_blocks_hold_the_lines_of_the_file(
    lengths: list[int], end: bytes, *, last: bool, count: int, limit: int
) -> None:
    data = end.join(b"a" * length for length in lengths) + end * last
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "MAX_LINE", LONGEST)
        patch.setattr(lines_module, "BLOCK_BYTES", limit)
        plain = list(read_lines(BytesIO(data)))
        marked = list(read_lines(BytesIO(BOM + data)))
        assert list(in_blocks(data, count)) == plain
        assert list(in_blocks(BOM + data, count)) == marked
    assert [line._replace(place=None) for line in marked] == [line._replace(place=None) for line in plain]
