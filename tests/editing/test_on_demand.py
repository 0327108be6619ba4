"""Changes that are made on demand: a search cannot tell them from all changes, at any probability that it may take."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter
from augment_ru.draws import Ints
from augment_ru.editing.on_demand import in_rounds
from augment_ru.engine.attack import make
from augment_ru.text.characters import Mask


def active(changes: list[tuple[int, float]], probability: float, least: int) -> set[tuple[int, float]]:
    """The changes that are active at a probability, as the engine cuts them."""
    found: set[tuple[int, float]] = set()
    for row in {row for row, _ in changes}:
        own = sorted(one for one in changes if one[0] == row)
        below = [one for one in own if one[1] < probability]
        found.update(own[:least] if len(below) < least else below)
    return found


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 999), st.booleans()), unique_by=lambda one: one[:2]),
    st.sampled_from([0.001, 0.2, 1.0]),
    st.integers(1, 3),
)
def test_they_are_all_that_a_search_reads(
    possible: list[tuple[int, int, bool]], probability: float, least: int
) -> None:
    possible.sort()
    rows = np.array([row for row, _, _ in possible], dtype=np.int64)
    ranks = np.array([rank / 1000 for _, rank, _ in possible])
    made: list[tuple[int, float]] = []
    tried: list[int] = []

    def work(wanted: Ints) -> Mask:
        tried.extend(wanted.tolist())
        done = np.array([possible[at][2] for at in wanted.tolist()], dtype=np.bool_)
        made.extend((int(rows[at]), float(ranks[at])) for at in wanted[done].tolist())
        return done

    in_rounds(rows, ranks, probability, work, least=least)
    every = [(row, rank / 1000) for row, rank, works in possible if works]
    assert len(set(tried)) == len(tried)
    for lower in (probability, probability / 2, probability / 100):
        assert active(made, lower, least) == active(every, lower, least)


def test_as_many_changes_are_forced_as_are_asked_for() -> None:
    text = "Она пришла домой без новой сумки и купила пять столов."
    counts = []
    for wanted in (0, 1, 2, 3, 100):
        free = Augmenter("agreement", constraints=(), similarity="none", probability=1e-9, min_changes=wanted)
        counts.append(len(free(text).script.edits))
    every = Augmenter("agreement", constraints=(), similarity="none", probability=1.0)(text).script.edits
    assert counts == [0, 1, 2, 3, len(every)]


def test_the_number_of_forced_changes_is_no_option() -> None:
    assert make("agreement") == make("agreement").with_min_changes(3)
    assert "least" not in repr(make("bae").with_min_changes(3))
