"""The constituents around a predicate: what may be moved as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from augment_ru.attacks.word_order.roles import Role, is_movable, joined_role, may_be_case, role_of
from augment_ru.editing.syntax import Syntax

_NOUN_TAIL = frozenset({Role.PLACE, Role.OBLIQUE, Role.AGENT, Role.REST})
"""Roles whose words may belong to the noun in front of them, whatever the tree says."""
_NOMINAL = frozenset({Role.SUBJECT, Role.OBJECT, Role.DATIVE, Role.INSTRUMENTAL, Role.TIME, *_NOUN_TAIL}) - {Role.REST}
_APART = frozenset({"conj", "parataxis", "ccomp", "advcl"})
"""Relations of what is a clause or predicate of its own."""


@dataclass(frozen=True, slots=True)
class Constituent:
    """Words of a clause that stay together.

    Attributes:
        first, last: the numbers of its first token and of the one behind its last.
        head: the number of its head.
        role: what it does in its clause.
    """

    first: int
    last: int
    head: int
    role: Role


def constituents_of(tree: Syntax, predicate: int, role: Role) -> list[Constituent] | None:
    """The constituents around a predicate that no punctuation parts, in their order; the leading ones come first.

    Returns:
        None if the tree looks wrong there.
    """
    found = sorted(
        [
            *(
                Constituent(tree.reach(one)[0], tree.reach(one)[1] + 1, one, Role.LEAD)
                for one in tree.dependents[predicate]
            ),
            Constituent(predicate, predicate + 1, predicate, role),
        ],
        key=lambda one: one.first,
    )
    if any(right.first < left.last for left, right in pairwise(found)):
        return None
    at = next(index for index, one in enumerate(found) if one.head == predicate)
    low, high = at, at
    while low and _follows(tree, found[low - 1], found[low], predicate):
        low -= 1
    while high + 1 < len(found) and _follows(tree, found[high], found[high + 1], predicate):
        high += 1
    if any(tree.tokens[one.head].text.lower() in ("не", "как") for one in found[low : at - 1]):
        return None
    named = _named(tree, found[low : high + 1], at - low)
    waits = any(tree.tokens[one.last - 1].pos in ("ADP", "CCONJ") and one.role != Role.LEAD for one in named)
    if waits or any(_may_belong(tree, *pair) for pair in pairwise(named)):
        return None
    return _with_tails(tree, named)


def _follows(tree: Syntax, left: Constituent, right: Constituent, predicate: int) -> bool:
    """Whether a constituent stands directly behind another, and neither has punctuation in it."""
    heads = [one.head for one in (left, right) if one.head != predicate]
    return left.last == right.first and all(
        tree.is_whole(head) and tree.tokens[head].relation not in _APART for head in heads
    )


def _named(tree: Syntax, window: Sequence[Constituent], at: int) -> list[Constituent]:
    """The constituents with their roles; the predicate, number `at`, with the small words that stay beside it."""
    core, low, high = window[at], at, at
    while low and (role := joined_role(tree, window[low - 1].head, core.role, before=True)):
        low -= 1
        core = replace(core, first=window[low].first, role=role)
    while high + 1 < len(window) and (role := joined_role(tree, window[high + 1].head, core.role, before=False)):
        high += 1
        core = replace(core, last=window[high].last, role=role)
    return [
        *(_with_role(tree, one) for one in window[:low]),
        core,
        *(_with_role(tree, one) for one in window[high + 1 :]),
    ]


def _with_role(tree: Syntax, one: Constituent) -> Constituent:
    role = role_of(tree, one.head, one.first, one.last)
    if role not in (Role.LEAD, Role.REST, Role.RELATIVE_SUBJECT) and not is_movable(tree, one.first, one.last):
        role = Role.REST
    return replace(one, role=role)


def _may_belong(tree: Syntax, left: Constituent, right: Constituent) -> bool:
    """Whether the last word of a constituent may be an attribute of the next one: «с востока Марьин парк»."""
    end, start = tree.tokens[left.last - 1], tree.tokens[right.first]
    return (
        right.role == Role.SUBJECT and start.pos == "NOUN" and end.pos in ("PROPN", "ADJ") and may_be_case(end, "Nom")
    )


def _with_tails(tree: Syntax, found: Sequence[Constituent]) -> list[Constituent] | None:
    """Constituents joined to the noun in front of them if they may belong to it, and times to times."""
    merged: list[Constituent] = []
    for one in found:
        before = merged[-1] if merged and merged[-1].role != Role.LEAD else None
        if before is None and one.role in (Role.LEAD, Role.REST):
            merged.append(replace(one, role=Role.LEAD))
        elif one.role == Role.LEAD:
            return None
        elif before is not None and (one.role == before.role == Role.TIME or _stays_behind(tree, before, one)):
            merged[-1] = replace(before, last=one.last)
        else:
            merged.append(one)
    return merged


def _stays_behind(tree: Syntax, noun: Constituent, one: Constituent) -> bool:
    """Whether a constituent may belong to the noun in front of it; an infinitive or an adverb does not."""
    bare = one.role == Role.REST and tree.tokens[one.head].pos in ("VERB", "AUX", "ADV", "PART", "PRON")
    tail = frozenset({Role.REST}) if noun.role == Role.TIME else _NOUN_TAIL  # «весной прошлого года»
    return one.role in tail and noun.role in _NOMINAL and not bare
