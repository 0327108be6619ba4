"""The features of words that stand at another place."""

from bisect import bisect, bisect_left, insort
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import ne

from augment_ru.language.morphology import lemmas_of, word_kind
from augment_ru.similarities.meaning.marks import BINDING
from augment_ru.similarities.meaning.words import NOMINAL, Fates, Source

_PASSIVE = frozenset({"participle"})
_GOVERNED = NOMINAL | {"adjective"}
"""What stands behind a preposition."""


def of_moved(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that stand at another place, while no other words came in."""
    if fates.order is None or (fates.is_guess and fates.replaced):
        return
    source, moved, order = fates.source, set(fates.moved), fates.order
    left = sorted(order)
    first, end = _exchanged_stretch(order, left)
    place = {number: at for at, number in enumerate(order[first:end], first)}
    far = sum(abs(place[number] - bisect_left(left, number)) for number in moved if number in place)
    yield "moved_far", far / len(order)
    yield from _parted(source, place)
    yield from _joined(fates, moved)
    yield from _exchanged(source, sorted(moved & place.keys()), place)


def _exchanged_stretch(order: Sequence[int], left: Sequence[int]) -> tuple[int, int]:
    """Where words stand at another place than among those that are left, with a neighbour on either side."""
    others = list(map(ne, order, left))
    if True not in others:
        return 0, 0
    return max(others.index(True) - 1, 0), len(others) - others[::-1].index(True) + 1


def _parted(source: Source, place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Neighbours that belong together, and no longer stand together."""
    for left, at in sorted(place.items()):
        right = left + 1
        to = place.get(right)
        if to is None or to == at + 1 or not source.are_beside(left, right):
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


def _exchanged(source: Source, moved: Sequence[int], place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Pairs of words of one role whose order is reversed; a long text may have billions of pairs."""
    nominals = alike = verbs = 0
    places: dict[frozenset[str] | None, list[int]] = {}  # where the words so far stand, by their cases; None is verbs
    for number in moved:
        kind, at = source.kind(number), place[number]
        if kind.role in NOMINAL:
            for cases, found in places.items():
                if cases is not None:
                    reversed_ = len(found) - bisect(found, at)
                    nominals += reversed_
                    alike += reversed_ if kind.cases & cases else 0
            insort(places.setdefault(kind.cases, []), at)
        elif kind.role == "verb":
            found = places.setdefault(None, [])
            verbs += len(found) - bisect(found, at)
            insort(found, at)
    yield from (("exchanged_nominals", float(nominals)), ("exchanged_same_case", float(alike))) if nominals else ()
    yield from (("exchanged_verbs", float(verbs)),) if verbs else ()


def of_reshaped(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of words that stand in another form: who does what to whom.

    If a noun came into the nominative, and another one left it, or may be either («мать») and stood before it, they
    exchanged roles; unless a passive exchanged them back.
    """
    source = fates.source
    nouns = [
        (number, source.forms[number], form) for number, form in fates.reshaped if source.kind(number).role in NOMINAL
    ]
    came = {number for number, old, new in nouns if not _is_lemma(old) and _is_lemma(new)}
    left = any(_is_lemma(old) and not _is_lemma(new) for _, old, new in nouns)
    forms = [form for _, form in fates.reshaped]
    forms += [word for _, found in fates.replaced for word in found]
    forms += [word for _, word in fates.inserted]
    passive = any(word_kind(form).role in _PASSIVE or form.endswith("ся") for form in forms)
    exchanged = came and (left or _is_overtaken(fates, came))
    yield "exchanged_roles", float(bool(exchanged and not passive))


def _is_overtaken(fates: Fates, came: Container[int]) -> bool:
    """Whether one of these words now stands before a noun that stood before it and may be subject or object."""
    place = {number: at for at, number in enumerate(fates.order or ())}
    last = -1
    for number, form in enumerate(fates.source.forms if place else ()):
        at = place.get(number)
        if at is None:
            continue
        if at < last and number in came:
            return True
        kind = word_kind(form)
        if kind.role in NOMINAL and {"nomn", "accs"} <= kind.cases:
            last = max(last, at)
    return False


def _is_lemma(word: str) -> bool:
    return lemmas_of(word)[0] == word
