"""The features of words that stand at another place."""

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

from augment_ru.language.morphology import lemmas_of, word_kind
from augment_ru.similarities._meaning_lost import NOMINAL
from augment_ru.similarities._meaning_marks import BINDING
from augment_ru.similarities._meaning_words import Fates, Source

_PASSIVE = frozenset({"participle"})
_GOVERNED = NOMINAL | {"adjective"}
"""What stands behind a preposition."""


def of_moved(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that stand at another place, while no other words came in."""
    if fates.order is None or (fates.is_guess and fates.replaced):
        return
    source, moved = fates.source, set(fates.moved)
    place = {number: at for at, number in enumerate(fates.order)}
    was = {number: at for at, number in enumerate(sorted(place))}
    yield "moved_far", sum(abs(place[number] - was[number]) for number in moved) / len(place)
    yield from _parted(source, place)
    yield from _joined(fates, moved)
    yield from _exchanged(source, moved, place)


def _parted(source: Source, place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Neighbours that belong together, and no longer stand together."""
    for left, right in pairwise(range(len(source.forms))):
        at, to = place.get(left), place.get(right)
        if at is None or to is None or to == at + 1 or not source.are_beside(left, right):
            continue
        role, following = source.kind(left).role, source.kind(right)
        if source.forms[left] in BINDING:
            yield "turned_negation" if to < at else "parted_negation", 1.0
        elif role == "preposition" and to < at:
            yield "turned_preposition", 1.0
        elif role == "noun" and following.role in {"noun", "adjective"} and "gent" in following.cases:
            yield "parted_genitive", 1.0


def _joined(fates: Fates, moved: set[int]) -> Iterator[tuple[str, float]]:
    """Words that now stand together, though they did not."""
    source = fates.source
    for before, after in pairwise(fates.order or ()):
        if after == before + 1:
            continue
        if source.kind(before).role == "preposition":
            fits = source.kind(after).role in _GOVERNED
            yield "other_after_preposition" if fits else "wrong_after_preposition", 1.0
        if source.forms[before] in BINDING:
            yield "other_negated", 1.0
        if source.clauses[before] != source.clauses[after] and (before in moved or after in moved):
            yield "clause_edge", 1.0


def _exchanged(source: Source, moved: set[int], place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Pairs of words of one role whose order is reversed."""
    for one, other in combinations(sorted(moved), 2):
        if place[one] < place[other]:
            continue
        kind, second = source.kind(one), source.kind(other)
        if kind.role in NOMINAL and second.role in NOMINAL:
            yield "exchanged_nominals", 1.0
            yield "exchanged_same_case", float(bool(kind.cases & second.cases))
        elif kind.role == second.role == "verb":
            yield "exchanged_verbs", 1.0


def of_reshaped(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that stand in another form: who does what to whom.

    If a noun came into the nominative, and another one left it, or may be either («мать») and stood before it, they
    exchanged roles; unless a passive exchanged them back.
    """
    source = fates.source
    nouns = [
        (number, source.forms[number], form) for number, form in fates.reshaped if source.kind(number).role in NOMINAL
    ]
    came = [number for number, old, new in nouns if not _is_lemma(old) and _is_lemma(new)]
    left = any(_is_lemma(old) and not _is_lemma(new) for _, old, new in nouns)
    forms = [form for _, form in fates.reshaped]
    forms += [word for _, found in fates.replaced for word in found]
    forms += [word for _, word in fates.inserted]
    passive = any(word_kind(form).role in _PASSIVE or form.endswith("ся") for form in forms)
    exchanged = came and (left or any(_overtook(fates, number) for number in came))
    yield "exchanged_roles", float(bool(exchanged and not passive))


def _overtook(fates: Fates, number: int) -> bool:
    """Whether a word now stands before a noun that stood before it and may be subject or object."""
    order = fates.order or ()
    before = order[: order.index(number)] if number in order else order
    return any(
        other < number and other not in before and {"nomn", "accs"} <= word_kind(form).cases
        for other, form in enumerate(fates.source.forms)
        if word_kind(form).role in NOMINAL and other in order
    )


def _is_lemma(word: str) -> bool:
    return lemmas_of(word)[0] == word
