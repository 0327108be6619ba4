"""The constituents of a clause: what stands around its predicate and may be moved as one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from augment_ru.editing.constituent_roles import (
    LEAD,
    PREDICATES,
    REST,
    agree,
    is_movable,
    joins_predicate,
    may_be_case,
    predicate_role,
    role_of,
)
from augment_ru.editing.syntax_trees import CLOSING, Tree
from augment_ru.language.morphology import is_known

_NOMINAL = frozenset("SODLYAIT")
_NOUN_TAIL = frozenset("LYAR")
"""Roles whose words may belong to the noun in front of them, whatever the tree says."""


RELATIVE = frozenset({"который", "где", "куда", "откуда", "чей", "какой", "когда"})


_ABBREVIATIONS = frozenset("гг вв др пр тыс млн млрд руб им см кг км стр изд ред ул пл обл".split())
_LONGEST_ABBREVIATION = 4


@dataclass(frozen=True, slots=True)
class Constituent:
    """Words of a clause that stay together.

    Attributes:
        first, last: the numbers of its first token and of the one behind its last.
        head: the number of its head.
        role: the letter of `dictionaries/clause_orders.tsv`; `LEAD` for what stays in front of the others.
    """

    first: int
    last: int
    head: int
    role: str


@dataclass(frozen=True, slots=True)
class Clause:
    """The constituents around a predicate that no punctuation parts.

    Attributes:
        tree: the tree of the sentence.
        predicate: the number of the predicate's token.
        constituents: in their order, without the leading ones.
        leads: whether conjunctions, and no other words that stay, stand in front of them.
        opens: whether the first constituent is the first word of its sentence.
        closed: whether the clause ends behind the last one, with its sentence.
        subordinate: whether it is part of another clause.
        shared: whether another predicate has the same subject.
    """

    tree: Tree
    predicate: int
    constituents: Sequence[Constituent]
    leads: bool
    opens: bool
    closed: bool
    subordinate: bool
    shared: bool

    @property
    def pattern(self) -> str:
        """The roles of the constituents, a letter each."""
        return "".join(one.role for one in self.constituents)


def clauses_of(tree: Tree) -> Iterator[Clause]:
    """The clauses of a statement whose tree holds against morphology; none of a question."""
    tokens = tree.tokens
    if any("?" in tokens[number].text for number in range(tree.first, tree.last) if tree.is_mark(number)):
        return
    if _is_cut(tree):
        return
    if tree.last < len(tokens) and not (tree.is_mark(tree.last - 1) and tokens[tree.last - 1].text in CLOSING):
        return
    for number in range(tree.first, tree.last):
        role = predicate_role(tree, number)
        if role:
            clause = _clause(tree, number, role)
            if clause is not None:
                yield clause


def _is_cut(tree: Tree) -> bool:
    """Whether a sentence may end in an abbreviation, whose full stop belongs to it («в 1990 г.»)."""
    tokens = tree.tokens
    if tree.last < len(tokens) and tokens[tree.last].text[0].islower():
        return True
    if tree.last - tree.first < 2 or tokens[tree.last - 1].text != ".":  # noqa: PLR2004  (a word and its mark)
        return False
    word = tokens[tree.last - 2].text.lower()
    return len(word) <= _LONGEST_ABBREVIATION and (word in _ABBREVIATIONS or len(word) == 1 or not is_known(word))


def _clause(tree: Tree, predicate: int, role: str) -> Clause | None:
    """The clause of a predicate; None if its tree looks wrong."""
    tokens = tree.tokens
    dependents = tree.of(predicate)
    subjects = [one for one in dependents if tokens[one].relation.startswith("nsubj")]
    if len(subjects) > 1 or any(tokens[one].relation.startswith("csubj") for one in dependents):
        return None
    found = sorted(
        [
            *(Constituent(tree.reach(one)[0], tree.reach(one)[1] + 1, one, "") for one in dependents),
            Constituent(predicate, predicate + 1, predicate, role),
        ],
        key=lambda one: one.first,
    )
    if any(right.first < left.last for left, right in zip(found, found[1:], strict=False)):
        return None
    at = next(index for index, one in enumerate(found) if one.head == predicate)
    low, high = at, at
    while low and _follows(tree, found[low - 1], found[low], predicate):
        low -= 1
    while high + 1 < len(found) and _follows(tree, found[high], found[high + 1], predicate):
        high += 1
    window = found[low : high + 1]
    if any(tokens[one.head].text.lower() in ("не", "как") for one in window if one.last <= predicate - 1):
        return None
    conjoined = [one for one in dependents if tokens[one].relation == "conj"]
    if subjects:
        if not agree(tree, subjects[0], predicate):
            return None
    elif tokens[predicate].relation == "conj" or not _says_who(tree, predicate, role):
        return None
    merged = _merged(tree, window, predicate)
    if merged is None:
        return None
    if subjects and not any(one.role in ("S", "s", "W") for one in merged):
        return None
    leads = sum(one.role == LEAD for one in merged)
    if any(_may_be_argument(tree, one) for one in (merged[:leads] if subjects else merged) if one.role in (LEAD, REST)):
        return None
    if role == "F" and leads:
        return None
    if not _is_bounded(tree, window[0].first, window[-1].last, predicate):
        return None
    first, last = merged[leads].first if leads < len(merged) else 0, window[-1].last
    return Clause(
        tree,
        predicate,
        merged[leads:],
        leads=leads > 0 and all(tokens[one.head].relation in ("cc", "mark") for one in merged[:leads]),
        opens=leads == 0 and all(tree.is_mark(number) for number in range(tree.first, first)),
        closed=_ends(tree, last, predicate, conjoined),
        subordinate=any(tokens[one.head].relation == "mark" for one in merged[:leads])
        or tokens[predicate].relation in ("acl:relcl", "advcl", "ccomp"),
        shared=any(not _has_subject(tree, one) for one in conjoined),
    )


def _says_who(tree: Tree, predicate: int, role: str) -> bool:
    """Whether a predicate without a subject needs none: an infinitive, a plural, a first or second person."""
    features = tree.tokens[predicate].features
    return role == "F" or "Number=Plur" in features or "Person=1" in features or "Person=2" in features


def _may_be_argument(tree: Tree, one: Constituent) -> bool:
    """Whether a noun without a preposition stands where nobody knows what it does."""
    token = tree.tokens[one.head]
    bare = token.pos in ("NOUN", "PROPN", "ADJ") and tree.tokens[one.first].pos != "ADP"
    return bare and (may_be_case(token, "Nom") or may_be_case(token, "Acc"))


def _is_bounded(tree: Tree, first: int, last: int, predicate: int) -> bool:
    """Whether punctuation, the sentence's edge or words of the same clause stand on both sides of a stretch.

    If not, the tree parts what belongs together. A conjunction, too, may stand in front, and another predicate behind.
    """
    low, high = tree.reach(predicate)
    before, after = first - 1, last
    is_infinitive = "VerbForm=Inf" in tree.tokens[predicate].features
    inside = before < tree.first or tree.is_mark(before) or before >= low or is_infinitive
    if not inside and tree.tokens[first].pos != "CCONJ":
        return False
    return after >= tree.last or tree.is_mark(after) or after <= high or tree.tokens[after].pos == "CCONJ"


def _ends(tree: Tree, last: int, predicate: int, conjoined: Sequence[int]) -> bool:
    """Whether a clause ends in front of token `last`: at a mark, or before a clause with a subject of its own.

    What follows may not describe its last word («дом, который …»), whatever the tree says.
    """
    tokens = tree.tokens
    if last == tree.last or (tree.is_mark(last) and tokens[last].text in CLOSING | {";"}):
        return True
    bound = tokens[predicate].relation != "root" and tokens[predicate].relation not in ("conj", "parataxis")
    if bound and tree.is_mark(last) and tokens[last].text == "," and tree.reach(predicate)[1] < last and last + 1 < tree.last:
        behind = tokens[last + 1 : last + 3]
        return not any(one.lemma in RELATIVE or "VerbForm=Part" in one.features for one in behind)
    following = next((one for one in conjoined if tree.reach(one)[0] >= last), None)
    return (
        following is not None
        and tree.is_mark(last)
        and tokens[last].text == ","
        and tree.reach(following)[0] == last + 1
        and tokens[last + 1].pos == "CCONJ"
        and _has_subject(tree, following)
    )


def _has_subject(tree: Tree, number: int) -> bool:
    return any(tree.tokens[one].relation.startswith("nsubj") for one in tree.of(number))


def _follows(tree: Tree, left: Constituent, right: Constituent, predicate: int) -> bool:
    """Whether a constituent stands directly behind another, and neither has punctuation in it."""
    heads = [one.head for one in (left, right) if one.head != predicate]
    return left.last == right.first and all(
        tree.is_whole(head) and tree.tokens[head].relation not in ("conj", "parataxis", "ccomp", "advcl")
        for head in heads
    )


def _merged(tree: Tree, window: Sequence[Constituent], predicate: int) -> list[Constituent] | None:
    """The constituents with their roles, those joined that stay together; None if one looks wrong."""
    with_roles: list[Constituent] = []
    at = next(index for index, one in enumerate(window) if one.head == predicate)
    core = window[at]
    low, high = at, at
    while low and (joined := joins_predicate(tree, window[low - 1].head, before=True)):
        low -= 1
        core = replace(core, first=window[low].first, role=_bound(core.role, joined))
    while high + 1 < len(window) and (joined := joins_predicate(tree, window[high + 1].head, before=False)):
        high += 1
        core = replace(core, last=window[high].last, role=_bound(core.role, joined))
    for index, one in enumerate(window):
        if low <= index <= high:
            if index == at:
                with_roles.append(core)
            continue
        role = role_of(tree, one.head, one.first, one.last)
        if role not in (LEAD, REST, "W") and not is_movable(tree, one.first, one.last):
            role = REST
        with_roles.append(replace(one, role=role))
    if any(tree.tokens[one.last - 1].pos in ("ADP", "CCONJ") and one.role != LEAD for one in with_roles):
        return None
    return _joined(tree, with_roles)


def _bound(role: str, joined: str) -> str:
    """The role of a predicate with a word that joins it: `joined` is N for «не», Q for another word of scope."""
    if joined == "N" and role in ("P", "E", "N"):
        return "N"
    return role if joined == "+" else "Q"


def _joined(tree: Tree, found: Sequence[Constituent]) -> list[Constituent] | None:
    """Constituents joined to the noun in front of them if they may belong to it, and times to times."""
    merged: list[Constituent] = []
    for one in found:
        if one.role in (LEAD, REST) and all(before.role == LEAD for before in merged):
            merged.append(replace(one, role=LEAD))
            continue
        if one.role == LEAD:
            return None
        before = merged[-1] if merged else None
        if before is not None and before.role != LEAD:
            if one.role in _NOUN_TAIL and before.role in _NOMINAL and not (one.role == REST and _is_bare(tree, one)):
                merged[-1] = replace(before, last=one.last)
                continue
            if one.role == before.role == "T":
                merged[-1] = replace(before, last=one.last)
                continue
        merged.append(one)
    return merged


def _is_bare(tree: Tree, one: Constituent) -> bool:
    """Whether a constituent is an infinitive, an adverb or the like, which belongs to no noun."""
    return tree.tokens[one.head].pos in ("VERB", "AUX", "ADV", "PART", "PRON")
