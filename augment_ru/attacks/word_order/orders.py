"""Other orders of the constituents of a clause that keep its meaning."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from augment_ru.attacks.word_order.clauses import Clause, Constituent
from augment_ru.attacks.word_order.roles import PREDICATES, Role, feature_values, kinds_of, may_be_case
from augment_ru.errors import AugmentError
from augment_ru.resources import dictionary_path, number_in, rows
from augment_ru.text.doc import Token

_ROLES = frozenset(role.value for role in Role if role != Role.SCOPED)
_VOWELS = frozenset("аеёиоуыэюя")
_SUBJECTS = frozenset({Role.SUBJECT, Role.PRONOUN_SUBJECT})
_ADVERBIAL = frozenset({Role.TIME, Role.PLACE, Role.TRANSITION})
_PREDICATES = f"[{Role.PREDICATE}{Role.APPEARING}]"
"""The roles that a predicate in a line of the dictionary stands for, as a regular expression."""
_SETTINGS = frozenset({Role.TIME, Role.OBLIQUE, Role.PLACE})
_LONG = 3
"""A constituent of more words than this keeps its next neighbour; no shorter constituent is put between the two."""


class Order(NamedTuple):
    """A new order of the constituents (phrases) of a clause, and its weight.

    The order has, for each position, the index of the constituent that moves there. One of the orders of a clause is
    drawn: the higher the weight of an order, the likelier it is.
    """

    places: tuple[int, ...]
    weight: float


class _Line(NamedTuple):
    source: str
    target: str
    weight: float
    matches: re.Pattern[str]


@cache
def _lines() -> tuple[_Line, ...]:
    """Read the dictionary of orders.

    Raises:
        AugmentError: a line does not give two orders of the same constituents, or its weight is not a positive number.
    """
    path = dictionary_path("clause_orders")
    found = []
    for source, target, weight, _ in rows(path, columns=4):
        letters, where = source.removesuffix("*"), f"{path.name}: {source} {target}"
        if (
            sorted(source) != sorted(target)
            or source == target
            or source.endswith("*") != target.endswith("*")
            or not set(letters) <= _ROLES
            or len(set(letters)) < len(letters)
        ):
            raise AugmentError(f"{where}: needs an order and another one")
        pattern = re.compile(letters.replace(Role.PREDICATE, _PREDICATES) + (".*" if source.endswith("*") else ""))
        found.append(_Line(letters, target.removesuffix("*"), number_in(f"{where}: weight", weight), pattern))
    return tuple(found)


@lru_cache(maxsize=10_000)
def orders_of(pattern: str) -> tuple[Order, ...]:
    """Return the other orders that the dictionary `clause_orders` has for a clause, each once.

    Args:
        pattern: the roles of the clause's constituents (subject, predicate, …) in order, one letter (`Role`) for each.
    """
    found: dict[tuple[int, ...], float] = {}
    for line in _lines():
        if line.matches.fullmatch(pattern):
            rest = tuple(range(len(line.source), len(pattern)))
            places = (*(line.source.index(role) for role in line.target), *rest)
            found[places] = max(found.get(places, 0.0), line.weight)
    return tuple(Order(places, weight) for places, weight in found.items())


def orders(clause: Clause) -> list[Order]:
    """Return the other orders of a clause that keep who does what and what pronouns mean.

    If the clause goes on after its last constituent (phrase), that constituent stays last.
    """
    return [order for order in orders_of(clause.pattern) if _keeps_meaning(clause, order.places)]


def _keeps_meaning(clause: Clause, places: Sequence[int]) -> bool:
    parts = clause.constituents
    may_invert = clause.opens or clause.leads
    roles = [one.role for one in parts]
    if (
        (not clause.closed and places[-1] != len(parts) - 1)
        or (roles[places[0]] != Role.INFINITIVE and Role.INFINITIVE in roles and _follows_noun(clause))
        or (places[0] != 0 and roles[0] in PREDICATES - {Role.INFINITIVE} and not (may_invert or clause.subordinate))
        or _is_heavy(clause, places)
    ):
        return False
    keeps_subject = clause.shared or clause.subordinate or not may_invert
    turned = [(parts[one], parts[other]) for one, other in combinations(places, 2) if one > other]
    return not any(
        (keeps_subject and other.role in _SUBJECTS and one.role not in _ADVERBIAL) or _confuses(clause, one, other)
        for one, other in turned  # `one` comes before `other` now, and came after it
    )


def _confuses(clause: Clause, one: Constituent, other: Constituent) -> bool:
    """Tell whether the old order of two constituents is needed to tell subject from object, or what a pronoun means."""
    pair = {one.role, other.role}
    if pair == {Role.SUBJECT, Role.OBJECT} and _are_ambiguous(clause, one, other):
        return True
    return _binds(clause, one, other) or _binds(clause, other, one)


def _follows_noun(clause: Clause) -> bool:
    """Tell whether a noun or pronoun is directly before the clause: «просил капитана …»."""
    before = clause.constituents[0].first - 1
    return before >= clause.tree.first and clause.tree.tokens[before].pos in ("NOUN", "PROPN", "PRON", "NUM", "DET")


def _is_heavy(clause: Clause, places: Sequence[int]) -> bool:
    """Tell whether an order puts a long constituent in front of a final predicate or of a shorter constituent.

    An order is also heavy if it begins with a time or place and ends in a subject and a verb of appearing («ежегодно
    сезон открывался»).

    Args:
        clause: the clause.
        places: the old index of each constituent, in the new order.
    """
    sizes = [one.last - one.first for one in clause.constituents]
    before, end = places[-2], places[-1]
    if clause.constituents[end].role in PREDICATES and end != len(places) - 1 and sizes[before] > _LONG:
        return True
    first, *last = (clause.constituents[at].role for at in (places[0], before, end))
    late = first in _SETTINGS and last == [Role.SUBJECT, Role.APPEARING]  # «ежегодно сезон открывался»
    if late and end != len(places) - 1:
        return True
    after = clause.constituents[places[0]].role in PREDICATES
    for left, right in pairwise(places):
        if after and right != left + 1 and sizes[left] > max(_LONG, sizes[right]):
            return True
        after = after or clause.constituents[right].role in PREDICATES
    return False


def _are_ambiguous(clause: Clause, one: Constituent, other: Constituent) -> bool:
    """Tell whether a reader could take the object for the subject: «мать любит дочь»."""
    tokens = clause.tree.tokens
    subject, thing = (one, other) if one.role == Role.SUBJECT else (other, one)
    verb = feature_values(tokens[clause.predicate].features)
    noun = tokens[thing.head]
    features = feature_values(noun.features)
    agrees = verb.get("Number") == features.get("Number") and (
        "Gender" not in verb or verb.get("Number") == "Plur" or verb.get("Gender") == features.get("Gender")
    )
    return may_be_case(noun, "Nom") and agrees and not _is_person(tokens[subject.head])


def _is_person(token: Token) -> bool:
    """Tell whether the nominative of a noun cannot be taken for an accusative.

    This holds for a form without an accusative reading, and for a masculine animate singular that ends in a consonant.
    """
    features = feature_values(token.features)
    if not may_be_case(token, "Acc"):
        return True
    masculine = features.get("Gender") == "Masc" and features.get("Number") == "Sing"
    return masculine and features.get("Animacy") == "Anim" and token.text[-1].lower() not in _VOWELS


def _binds(clause: Clause, one: Constituent, other: Constituent) -> bool:
    """Tell whether a pronoun in `one` may mean a noun in `other`.

    A pronoun that is a whole constituent never means the head of another constituent. It may mean a noun that depends
    on that head: «в доме Ивана он …».
    """
    tokens = clause.tree.tokens
    words = [tokens[number] for number in range(one.first, one.last) if tokens[number].pos in ("PRON", "DET")]
    kinds = frozenset[str]().union(*(kinds_of(word.lemma) for word in words))
    if "own" in kinds:
        return other.role in {*_SUBJECTS, Role.PRONOUN_OBJECT}
    if "third" not in kinds:
        return False
    alone = one.role in (Role.PRONOUN_SUBJECT, Role.PRONOUN_OBJECT)
    return any(
        tokens[number].pos in ("NOUN", "PROPN")
        and "time" not in kinds_of(tokens[number].lemma)
        and not (alone and number == other.head)
        for number in range(other.first, other.last)
    )
