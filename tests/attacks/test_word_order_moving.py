"""CoveredPlaces that are asked about often."""

from hypothesis import given
from hypothesis import strategies as st

from augment_ru.attacks.word_order import CoveredPlaces
from augment_ru.edits import Span

SPANS = st.tuples(st.integers(0, 12), st.integers(0, 5)).map(lambda pair: Span(pair[0], sum(pair), "x"))


@given(st.lists(SPANS, max_size=8), st.integers(0, 15), st.integers(1, 6))
def test_places_meet_what_one_of_the_spans_meets(spans: list[Span], start: int, size: int) -> None:
    stop = start + size
    expected = any(span.start < stop and start < span.stop for span in spans)
    assert CoveredPlaces(spans).meet(start, stop) == expected
