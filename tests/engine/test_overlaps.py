"""Laws of changes that overlap, and of proposals of several attacks that are joined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Batch, Change, Edit, Note, Proposals
from augment_ru.engine.edit_table import one_by_one
from augment_ru.engine.legality import without_overlaps
from augment_ru.engine.proposals import side_by_side

TEXTS = ["абвгдежзик", "лмнопрстуф"]


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[int, int, int, float]]:
    """Text, start, stop and rank of some edits; none is an insertion."""
    some = st.tuples(
        st.integers(0, 1), st.integers(0, 8), st.integers(1, 6), st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5])
    )
    return [
        (text, start, min(start + length, 10), rank) for text, start, length, rank in draw(st.lists(some, max_size=14))
    ]


def proposed(batch: Batch, found: list[tuple[int, int, int, float]]) -> Proposals:
    """Changes of one edit each; the new text and the note say which it is."""
    rows: list[list[Change]] = [[] for _ in TEXTS]
    for text, start, stop, rank in found:
        rows[text].append(Change(rank, (Edit(start, stop, f"<{start}-{stop}>", Note(kind=f"{start}-{stop}")),)))
    return Proposals.of_changes(batch, rows)


@given(edits())
def test_of_changes_that_overlap_those_of_lower_ranks_stay(found: list[tuple[int, int, int, float]]) -> None:
    batch = Batch(TEXTS)
    changes = proposed(batch, found)
    taken: set[int] = set()
    expected = []
    for number in np.argsort(changes.ranks, kind="stable").tolist():
        places = set(range(int(changes.starts[number]), int(changes.stops[number])))
        if not places & taken:
            taken |= places
            expected.append(number)
    kept = without_overlaps(changes)
    wanted = sorted(expected)
    assert kept.starts.tolist() == changes.starts[wanted].tolist()
    assert kept.ranks.tolist() == changes.ranks[wanted].tolist()


def overlap(one: Edit, other: Edit) -> bool:
    """The definition: they share a character, one inserts inside the other, or both insert at one place."""
    same = (one.start, one.stop) == (other.start, other.stop)
    return same or (one.start < other.stop and other.start < one.stop)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), min_size=1, max_size=3)),
        max_size=12,
    )
)
def test_changes_of_several_edits_and_insertions_stay_if_they_overlap_nothing_of_a_lower_rank(
    found: list[tuple[int, list[tuple[int, int]]]],
) -> None:
    batch = Batch(TEXTS[:1])
    changes = [
        Change(rank / 5, tuple(Edit(start, start + length, f"<{number}>") for start, length in places))
        for number, (rank, places) in enumerate(found)
    ]
    taken: list[Edit] = []
    expected = []
    for number in sorted(range(len(changes)), key=lambda one: (changes[one].rank, one)):
        own = list(changes[number].edits)
        alone = not any(overlap(one, other) for at, one in enumerate(own) for other in own[:at])
        if alone and not any(overlap(one, other) for one in own for other in taken):
            taken += own
            expected.append(number)
    kept = without_overlaps(Proposals.of_changes(batch, [changes]))
    written = {edit.text for number in expected for edit in changes[number].edits}
    assert {edit.text for script in one_by_one(batch, kept) for edit in script.edits} == written


@given(st.lists(edits(), min_size=1, max_size=3))
def test_joined_proposals_keep_texts_ranks_and_notes(parts: list[list[tuple[int, int, int, float]]]) -> None:
    batch = Batch(TEXTS)
    together = side_by_side([proposed(batch, part) for part in parts])
    every = sorted((text * 11 + start, text * 11 + stop) for part in parts for text, start, stop, _ in part)
    assert [*zip(together.starts.tolist(), together.stops.tolist(), strict=True)] == every
    alone = one_by_one(batch, together)
    for number in range(together.ranks.size):
        (edit,) = alone[number].edits
        name = f"{edit.start}-{edit.stop}"
        assert (edit.text, edit.note) == (f"<{name}>", Note(kind=name))
    ranks = sorted(rank for part in parts for *_, rank in part)
    assert sorted(together.ranks.tolist()) == ranks
