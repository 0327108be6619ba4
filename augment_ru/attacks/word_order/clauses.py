"""The clauses of a statement and their constituents, where syntax tree and morphology agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from augment_ru.attacks.word_order.roles import (
    Role,
    agrees_with_subject,
    is_movable,
    joined_role,
    kinds_of,
    may_be_case,
    predicate_role,
    role_of,
)
from augment_ru.editing.syntax import CLOSING, Syntax
from augment_ru.language.morphology import is_known
from augment_ru.resources import listed_in

QUOTES = frozenset("«„“\"'”»")
_LONGEST_SHORTENED = 4
_SUBJECTS = frozenset({Role.SUBJECT, Role.PRONOUN_SUBJECT, Role.RELATIVE_SUBJECT})
_NOUN_TAIL = frozenset({Role.PLACE, Role.OBLIQUE, Role.AGENT, Role.REST})
"""Roles of constituents that may belong to the noun in front of them, whatever the tree says."""
_NOMINAL = frozenset({Role.SUBJECT, Role.OBJECT, Role.DATIVE, Role.INSTRUMENTAL, Role.TIME, *_NOUN_TAIL}) - {Role.REST}
_APART = frozenset({"conj", "parataxis", "ccomp", "advcl"})
"""The relations of clauses and predicates that are not part of the clause above them."""


@dataclass(frozen=True, slots=True)
class Constituent:
    """Words of a clause that stay together when its order changes.

    Attributes:
        first, last: the range of its tokens, by their indices in the text; `last` is one past its last token.
        head: the index of the token that governs the others.
        role: its role in the clause, such as subject or expression of time.
    """

    first: int
    last: int
    head: int
    role: Role


def constituents_of(tree: Syntax, predicate: int, role: Role) -> list[Constituent] | None:
    """Find the constituents (phrases) around a predicate, up to the next punctuation on both sides, in their order.

    Constituents that must stay in front of all others come first and have the role `Role.LEAD`.

    Args:
        tree: the tree of the sentence.
        predicate: the index of the predicate's token, from 0.
        role: the role of the predicate.

    Returns:
        The constituents; None if the tree looks wrong there.
    """
    reaches = ((one, *tree.reach(one)) for one in tree.dependents[predicate])
    found = [Constituent(low, high + 1, one, Role.LEAD) for one, low, high in reaches]
    found.append(Constituent(predicate, predicate + 1, predicate, role))
    found.sort(key=lambda one: one.first)
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
    """Tell whether `right` comes directly after `left`, and neither has punctuation in it."""
    heads = [one.head for one in (left, right) if one.head != predicate]
    return left.last == right.first and all(
        tree.is_whole(head) and tree.tokens[head].relation not in _APART for head in heads
    )


def _named(tree: Syntax, window: Sequence[Constituent], at: int) -> list[Constituent]:
    """Give the constituents their roles, and join the predicate with the small words around it that belong to it.

    Args:
        tree: the tree of the sentence.
        window: the constituents.
        at: the index of the predicate among them.
    """
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
    """Tell whether the last word of `left` may be an attribute of `right`: «с востока Марьин парк»."""
    end, start = tree.tokens[left.last - 1], tree.tokens[right.first]
    before_noun = end.pos in ("PROPN", "ADJ") and start.pos == "NOUN" and right.role == Role.SUBJECT
    return before_noun and may_be_case(end, "Nom")


def _with_tails(tree: Syntax, found: Sequence[Constituent]) -> list[Constituent] | None:
    """Join constituents that stay together.

    A constituent is joined to the noun in front of it if it may belong to it, and to an expression of time in front of
    it if it is one, too.

    Returns:
        The constituents; None if one that must stand in front comes after one that may move.
    """
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
    """Tell whether a constituent may belong to the noun in front of it; an infinitive or an adverb does not."""
    bare = one.role == Role.REST and tree.tokens[one.head].pos in ("VERB", "AUX", "ADV", "PART", "PRON")
    tail = frozenset({Role.REST}) if noun.role == Role.TIME else _NOUN_TAIL  # «весной прошлого года»
    return one.role in tail and noun.role in _NOMINAL and not bare


@dataclass(frozen=True, slots=True)
class Clause:
    """The constituents (phrases) around a predicate, up to the next punctuation on both sides.

    Attributes:
        tree: the tree of the sentence.
        predicate: the index of the predicate's token, from 0.
        constituents: the constituents that may move, in their order.
        leads: whether conjunctions, and nothing else, must stay in front of the constituents.
        opens: whether the first constituent begins with the first word of the sentence.
        closed: whether the clause ends after the last constituent.
        subordinate: whether the clause is part of another clause.
        shared: whether another predicate has the same subject.
    """

    tree: Syntax
    predicate: int
    constituents: Sequence[Constituent]
    leads: bool
    opens: bool
    closed: bool
    subordinate: bool
    shared: bool

    @property
    def pattern(self) -> str:
        """The roles of the clause's constituents (subject, predicate, …) in order, one letter (`Role`) for each."""
        return "".join(one.role for one in self.constituents)


def clauses_of(tree: Syntax) -> Iterator[Clause]:
    """Yield the clauses of a sentence whose tree looks right; a question or an unfinished sentence gives none."""
    if makes_statement(tree):
        for number in range(tree.first, tree.last):
            role = predicate_role(tree, number)
            clause = _clause(tree, number, role) if role else None
            if clause is not None:
                yield clause


def makes_statement(tree: Syntax) -> bool:
    """Tell whether a sentence is a statement: it asks nothing, and its end is certain.

    The end is certain if the sentence has a closing mark that does not belong to an abbreviation, or if the text ends
    there.
    """
    tokens = tree.tokens
    if any("?" in tokens[number].text for number in range(tree.first, tree.last) if tree.marks[number]):
        return False
    behind = tokens[tree.last].text[0] if tree.last < len(tokens) else ""
    if behind and (tokens[tree.last - 1].text not in CLOSING or behind.islower() or behind.isdigit()):
        return False
    if tree.last - tree.first == 1 or tokens[tree.last - 1].text != ".":
        return True
    word = tokens[tree.last - 2].text.lower()  # a full stop may belong to it («в 1990 г.»)
    long = len(word) > _LONGEST_SHORTENED or (len(word) > 1 and is_known(word))
    return long and word not in listed_in("shortened_words")


def _clause(tree: Syntax, predicate: int, role: Role) -> Clause | None:
    """Return the clause of a predicate; None if its tree looks wrong."""
    tokens = tree.tokens
    subjects = [one for one in tree.dependents[predicate] if "subj" in tokens[one].relation]
    if not _has_right_subject(tree, predicate, subjects, role):
        return None
    found = constituents_of(tree, predicate, role)
    if not found or (subjects and _SUBJECTS.isdisjoint(one.role for one in found)):
        return None
    leads = [one for one in found if one.role == Role.LEAD]
    doubtful = leads if subjects else [*leads, *(one for one in found if one.role == Role.REST)]
    if (role == Role.INFINITIVE and leads) or any(_may_be_argument(tree, one) for one in doubtful):
        return None
    first, last = found[0].first, found[-1].last
    if not _is_bounded(tree, first, last, predicate):
        return None
    conjoined = [one for one in tree.dependents[predicate] if tokens[one].relation == "conj"]
    relations = [tokens[one.head].relation for one in leads]
    return Clause(
        tree,
        predicate,
        found[len(leads) :],
        leads=bool(leads) and all(relation in ("cc", "mark") for relation in relations),
        opens=not leads and all(tree.marks[number] for number in range(tree.first, first)),
        closed=_ends(tree, last, predicate, conjoined),
        subordinate="mark" in relations or tokens[predicate].relation in ("acl:relcl", "advcl", "ccomp"),
        shared=not all(_has_subject(tree, one) for one in conjoined),
    )


def _has_right_subject(tree: Syntax, predicate: int, subjects: Sequence[int], role: Role) -> bool:
    """Tell whether a predicate has one subject that agrees with it, or needs no subject.

    An infinitive, a verb in the plural and a verb in the first or second person need none.
    """
    token = tree.tokens[predicate]
    if subjects:
        nominal = len(subjects) == 1 and tree.tokens[subjects[0]].relation[0] == "n"
        return nominal and agrees_with_subject(tree, subjects[0], predicate)
    says_who = any(sign in token.features for sign in ("Number=Plur", "Person=1", "Person=2"))
    return token.relation != "conj" and (role == Role.INFINITIVE or says_who)


def _may_be_argument(tree: Syntax, one: Constituent) -> bool:
    """Tell whether a constituent is a noun without a preposition that may be a subject or an object."""
    token = tree.tokens[one.head]
    bare = token.pos in ("NOUN", "PROPN", "ADJ") and tree.tokens[one.first].pos != "ADP"
    return bare and (may_be_case(token, "Nom") or may_be_case(token, "Acc"))


def _is_bounded(tree: Syntax, first: int, last: int, predicate: int) -> bool:
    """Tell whether a range of tokens ends on both sides where a clause may end.

    These are punctuation, the edge of the sentence, and words of the same clause; also a conjunction before it, and
    another predicate after it. If the range ends elsewhere, the tree separates words that belong together.

    Args:
        tree: the tree of the sentence.
        first: the number of the first token of the range.
        last: the number of the token after its last one.
        predicate: the predicate of the clause.
    """
    low, high = tree.reach(predicate)
    before = first - 1
    if before >= tree.first and tree.tokens[before].text in QUOTES | {"."}:
        return False  # a title: «Москва слезам не верит»; «доп. соглашение»
    if before > low and tree.tokens[before].text == "," and _depends(tree, before - 1, predicate) in _ARGUMENTS:
        return False  # «В городе, у реки, стоит дом»: what follows the comma repeats what stands in front of it
    if before >= tree.first and not tree.marks[before] and before < low:
        is_infinitive = "VerbForm=Inf" in tree.tokens[predicate].features
        if not is_infinitive and tree.tokens[first].pos != "CCONJ":
            return False
    return last >= tree.last or tree.marks[last] or last <= high or tree.tokens[last].pos == "CCONJ"


def _depends(tree: Syntax, number: int, predicate: int) -> str:
    """Go up the tree from a token to a word that depends on the predicate; return the relation of that word.

    Return "" if there is no such word above the token.
    """
    for _ in range(tree.first, tree.last):
        token = tree.tokens[number]
        if token.head == predicate:
            return token.relation
        if not tree.first <= token.head < tree.last or token.head == number:
            break
        number = token.head
    return ""


_ARGUMENTS = frozenset({"obl", "obj", "iobj", "nsubj"})


def _ends(tree: Syntax, last: int, predicate: int, conjoined: Sequence[int]) -> bool:
    """Tell whether a clause ends in front of token `last`: at a mark, or before a clause with a subject of its own.

    It does not end there if the next words may describe its last word («дом, который …»), whatever the tree says.

    Args:
        tree: the tree of the sentence.
        last: the number of the token after the last constituent.
        predicate: the predicate of the clause.
        conjoined: the predicates that are conjoined with it.
    """
    tokens = tree.tokens
    if last == tree.last or (tree.marks[last] and tokens[last].text in CLOSING | {";"}):
        return last >= tree.last - 1 or tokens[last].text != "."  # else that of an abbreviation: «2 экз. книги»
    if tokens[last].text != "," or last + 1 == tree.last:
        return False
    if tokens[predicate].relation not in ("root", "conj", "parataxis") and tree.reach(predicate)[1] < last:
        behind = tokens[last + 1 : last + 3]
        return not any("relative" in kinds_of(one.lemma) or "VerbForm=Part" in one.features for one in behind)
    following = next((one for one in conjoined if tree.reach(one)[0] == last + 1), None)
    starts = tokens[last + 1].pos == "CCONJ" and following is not None and _has_subject(tree, following)
    # «сказал, что», «ушёл, забыв»
    apart = tokens[last + 1].pos == "SCONJ" or "VerbForm=Conv" in tokens[last + 1].features
    return starts or apart or "starter" in kinds_of(tokens[last + 1].text)


def _has_subject(tree: Syntax, number: int) -> bool:
    return any(tree.tokens[one].relation.startswith("nsubj") for one in tree.dependents[number])
