"""The clauses of a statement, with their constituents, where the tree holds against morphology."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from augment_ru.attacks.word_order.constituents import Constituent, constituents_of
from augment_ru.attacks.word_order.roles import Role, agrees_with_subject, kinds_of, may_be_case, predicate_role
from augment_ru.editing.syntax import CLOSING, Syntax
from augment_ru.language.morphology import is_known

QUOTES = frozenset("«„“\"'”»")
_LONGEST_SHORTENED = 4
_SUBJECTS = frozenset({Role.SUBJECT, Role.PRONOUN_SUBJECT, Role.RELATIVE_SUBJECT})


@dataclass(frozen=True, slots=True)
class Clause:
    """The constituents around a predicate that no punctuation parts.

    Attributes:
        tree: the tree of the sentence.
        predicate: the number of the predicate's token.
        constituents: in their order, without the leading ones.
        leads: whether conjunctions, and no other words that stay, stand in front of them.
        opens: whether the first constituent is the first word of its sentence.
        closed: whether the clause ends behind the last one.
        subordinate: whether it is part of another clause.
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
        """The roles of the constituents, a letter each."""
        return "".join(one.role for one in self.constituents)


def clauses_of(tree: Syntax) -> Iterator[Clause]:
    """The clauses of a statement whose tree looks right; none of a question or of a sentence that is cut short."""
    if makes_statement(tree):
        for number in range(tree.first, tree.last):
            role = predicate_role(tree, number)
            clause = _clause(tree, number, role) if role else None
            if clause is not None:
                yield clause


def makes_statement(tree: Syntax) -> bool:
    """Whether a sentence ends with a mark of its own or with the text, and asks nothing."""
    tokens = tree.tokens
    if any("?" in tokens[number].text for number in range(tree.first, tree.last) if tree.marks[number]):
        return False
    if tree.last < len(tokens) and (tokens[tree.last - 1].text not in CLOSING or tokens[tree.last].text[0].islower()):
        return False
    if tree.last - tree.first == 1 or tokens[tree.last - 1].text != ".":
        return True
    word = tokens[tree.last - 2].text.lower()  # a full stop may belong to it («в 1990 г.»)
    return len(word) > _LONGEST_SHORTENED or (len(word) > 1 and "shortened" not in kinds_of(word) and is_known(word))


def _clause(tree: Syntax, predicate: int, role: Role) -> Clause | None:
    """The clause of a predicate; None if its tree looks wrong."""
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
    """Whether a predicate has one subject that agrees, or needs none: an infinitive, a plural, a first person."""
    token = tree.tokens[predicate]
    if subjects:
        return (
            len(subjects) == 1
            and tree.tokens[subjects[0]].relation[0] == "n"
            and agrees_with_subject(tree, subjects[0], predicate)
        )
    says_who = any(sign in token.features for sign in ("Number=Plur", "Person=1", "Person=2"))
    return token.relation != "conj" and (role == Role.INFINITIVE or says_who)


def _may_be_argument(tree: Syntax, one: Constituent) -> bool:
    """Whether a noun without a preposition stands where nobody knows what it does."""
    token = tree.tokens[one.head]
    bare = token.pos in ("NOUN", "PROPN", "ADJ") and tree.tokens[one.first].pos != "ADP"
    return bare and (may_be_case(token, "Nom") or may_be_case(token, "Acc"))


def _is_bounded(tree: Syntax, first: int, last: int, predicate: int) -> bool:
    """Whether punctuation, the sentence's edge or words of the same clause stand on both sides of a stretch.

    If not, the tree parts what belongs together. A conjunction, too, may stand in front, and another predicate behind.
    """
    low, high = tree.reach(predicate)
    before = first - 1
    if before >= tree.first and tree.tokens[before].text in QUOTES:
        return False  # a title: «Москва слезам не верит»
    if before > low and tree.tokens[before].text == "," and _depends(tree, before - 1, predicate) in _ARGUMENTS:
        return False  # «В городе, у реки, стоит дом»: what follows the comma repeats what stands in front of it
    if before >= tree.first and not tree.marks[before] and before < low:
        is_infinitive = "VerbForm=Inf" in tree.tokens[predicate].features
        if not is_infinitive and tree.tokens[first].pos != "CCONJ":
            return False
    return last >= tree.last or tree.marks[last] or last <= high or tree.tokens[last].pos == "CCONJ"


def _depends(tree: Syntax, number: int, predicate: int) -> str:
    """The relation of a token, or of the word that it belongs to, to a predicate; "" if it does not belong to it."""
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
    """Whether a clause ends in front of token `last`: at a mark, or before a clause with a subject of its own.

    What follows may not describe its last word («дом, который …»), whatever the tree says.
    """
    tokens = tree.tokens
    if last == tree.last or (tree.marks[last] and tokens[last].text in CLOSING | {";"}):
        return True
    if tokens[last].text != "," or last + 1 == tree.last:
        return False
    if tokens[predicate].relation not in ("root", "conj", "parataxis") and tree.reach(predicate)[1] < last:
        behind = tokens[last + 1 : last + 3]
        return not any("relative" in kinds_of(one.lemma) or "VerbForm=Part" in one.features for one in behind)
    following = next((one for one in conjoined if tree.reach(one)[0] == last + 1), None)
    starts = tokens[last + 1].pos == "CCONJ" and following is not None and _has_subject(tree, following)
    return starts or "starter" in kinds_of(tokens[last + 1].text)


def _has_subject(tree: Syntax, number: int) -> bool:
    return any(tree.tokens[one].relation.startswith("nsubj") for one in tree.dependents[number])
