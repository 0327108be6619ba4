"""The features of moved words: counted as if each pair of words were looked at by itself."""

from collections import Counter
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from augment_ru.similarities.meaning.claims import BINDING
from augment_ru.similarities.meaning.features import of_moved
from augment_ru.similarities.meaning.words import NOMINAL, Fates, Source

TEXT = "Мать не видела дочь в саду, а отец купил сестре билет и письмо без марки, читал газету и пил чай"
SOURCE = Source(TEXT)
COUNT = len(SOURCE.forms)


@st.composite
def orders(draw: st.DrawFn) -> list[int]:
    """The words that are left, some of them exchanged."""
    found = [number for number in range(COUNT) if draw(st.integers(0, 9))]
    for _ in range(draw(st.integers(0, 6))):
        at, to = (draw(st.integers(0, len(found) - 1)) for _ in range(2)) if found else (0, 0)
        if found:
            found[at], found[to] = found[to], found[at]
    return found


@given(orders().filter(bool), st.sets(st.integers(0, COUNT - 1)))
def test_pairs_that_are_exchanged(order: list[int], extra: set[int]) -> None:
    left = sorted(order)
    moved = {number for at, number in enumerate(order) if left[at] != number} | (extra & set(order))
    place = {number: at for at, number in enumerate(order)}
    expected = Counter[str]()
    for one, other in combinations(sorted(moved), 2):
        kind, second = SOURCE.kind(one), SOURCE.kind(other)
        if place[one] > place[other]:
            nominal = {kind.role, second.role} <= NOMINAL
            expected["exchanged_nominals"] += nominal
            expected["exchanged_same_case"] += nominal and bool(kind.cases & second.cases)
            expected["exchanged_verbs"] += kind.role == second.role == "verb"
    found = Counter[str]()
    for name, value in of_moved(Fates(SOURCE, moved=sorted(moved), order=order)):
        found[name] += value  # type: ignore[assignment]
    assert {name: found[name] for name in expected} == expected
    assert found["moved_far"] == sum(abs(place[number] - left.index(number)) for number in moved) / len(order)
    beside = set(pairwise(order))
    parted = sum(
        (at, at + 1) not in beside
        for at in range(COUNT - 1)
        if at in place
        and at + 1 in place
        and SOURCE.forms[at] in BINDING
        and SOURCE.clauses[at] == SOURCE.clauses[at + 1]
    )
    assert found["turned_negation"] + found["parted_negation"] == parted
