"""Lists of words joined by «и», such as «хлеб и молоко», whose order may change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from augment_ru.attacks.word_order.clauses import QUOTES, makes_statement
from augment_ru.attacks.word_order.roles import CASES, feature_values, kinds_of, may_be_case
from augment_ru.editing.syntax import CLOSING, Syntax
from augment_ru.language.morphology import is_known
from augment_ru.resources import name_heads, same_word

_KINDS = {"NOUN": "NOUN", "PROPN": "NOUN", "ADJ": "ADJ"}
_LONGEST = 4
"""The most members of a list whose other orders are tried."""


@dataclass(frozen=True, slots=True)
class Coordination:
    """A list in a sentence («хлеб, сыр и молоко») whose members have the same form.

    Attributes:
        tree: the tree of the sentence.
        members: for each member, the index of its first token in the text, and the index of the token after its last
            one.
        opens: whether the first member begins with the first word of the sentence.
    """

    tree: Syntax
    members: Sequence[tuple[int, int]]
    opens: bool

    @property
    def orders(self) -> Iterator[tuple[int, ...]]:
        """All other orders of the list: for each position, the index of the member that moves there, from 0."""
        return (order for order in permutations(range(len(self.members))) if order != tuple(range(len(self.members))))


def coordinations_of(tree: Syntax) -> Iterator[Coordination]:
    """Yield the lists in a sentence («хлеб и молоко») whose order has no meaning; a question gives no lists."""
    if makes_statement(tree):
        for number in range(tree.first, tree.last):
            conjoined = [one for one in tree.dependents[number] if tree.tokens[one].relation == "conj"]
            found = _coordination(tree, [number, *conjoined]) if conjoined else None
            if found is not None:
                yield found


def _coordination(tree: Syntax, heads: Sequence[int]) -> Coordination | None:
    if len(heads) > _LONGEST or not _are_alike(tree, heads) or not _is_free(tree, heads):
        return None
    members = [_member(tree, one) for one in heads]
    if not all(members) or len({_shape(tree, member) for member in members}) > 1 or not _is_list(tree, members):
        return None
    before = range(tree.first, members[0].start)
    spans = [(member.start, member.stop) for member in members]
    return Coordination(tree, spans, opens=all(tree.marks[number] for number in before))


def _are_alike(tree: Syntax, heads: Sequence[int]) -> bool:
    """Tell whether the heads are all nouns of one case, or all adjectives in front of the same noun."""
    tokens = [tree.tokens[one] for one in heads]
    forms = [feature_values(token.features) for token in tokens]
    case = forms[0].get("Case", "")
    if len({_KINDS.get(token.pos, "") for token in tokens}) > 1 or tokens[0].pos not in _KINDS or not case:
        return False
    if case not in CASES or not all(may_be_case(token, case) for token in tokens):
        return False
    same = len({form.get("Gender") for form in forms}) == 1
    return tokens[0].pos != "ADJ" or (same and tokens[0].relation == "amod" and heads[-1] < tokens[0].head)


def _is_free(tree: Syntax, heads: Sequence[int]) -> bool:
    """Tell whether the order of a list may change.

    It may not if a predicate agrees with one member alone, if the list is part of a name, or if its order is fixed by
    use.
    """
    head = tree.tokens[heads[0]]
    above = tree.tokens[head.head]
    if head.relation.startswith("nsubj") and "Number=Plur" not in above.features:
        return False
    if same_word(above.lemma) in name_heads() or above.entity:
        return False
    lemmas = [same_word(tree.tokens[one].lemma) for one in heads]
    fixed = any("pair" in kinds_of(f"{left}-{right}") for left, right in pairwise(lemmas))
    return len(set(lemmas)) == len(lemmas) and not fixed


def _member(tree: Syntax, head: int) -> range:
    """Return the tokens of a member: its head, an adjective in front of it and its own preposition.

    The range is empty if the member has other words, or is a word that must not move.
    """
    tokens = tree.tokens
    word, nothing = tokens[head], range(head, head)
    own = [one for one in tree.dependents[head] if tokens[one].relation not in ("conj", "cc", "case")]
    described = own == [head - 1] and tokens[head - 1].relation in ("amod", "det") and not tree.dependents[head - 1]
    if own and (word.pos == "ADJ" or not described):
        return nothing
    if word.entity or not is_known(word.text.lower()) or (not word.text[0].islower() and head != tree.first):
        return nothing
    kinds = kinds_of(word.text).union(kinds_of(word.lemma), *(kinds_of(tokens[one].lemma) for one in own))
    if kinds & {"scope", "time", "light"}:
        return nothing
    first = head - len(own)
    prepositions = [one for one in tree.dependents[head] if tokens[one].relation == "case"]
    if word.relation != "conj" or not prepositions:
        return range(first, head + 1)
    return range(first - 1, head + 1) if prepositions == [first - 1] else nothing


def _shape(tree: Syntax, member: range) -> tuple[bool, bool]:
    """Tell whether a member has a preposition of its own, and whether it has an adjective."""
    prepositions = tree.tokens[member.start].pos == "ADP"
    return prepositions, len(member) - prepositions > 1


def _is_list(tree: Syntax, members: Sequence[range]) -> bool:
    """Tell whether commas and a last «и» separate the members, and no word around the list counts or describes them."""
    tokens = tree.tokens
    if any(right.start - left.stop != 1 for left, right in pairwise(members)):
        return False
    *commas, last = (tokens[left.stop].text.lower() for left, _ in pairwise(members))
    before = tokens[members[0].start - 1].text.lower() if members[0].start > tree.first else ""
    if last != "и" or set(commas) - {","} or before in QUOTES or "counting" in kinds_of(before):
        return False
    after = members[-1].stop
    if after == tree.last:
        return True
    if not tree.marks[after]:  # «сделал его опекуном и царём оставил …»: the last member may be of the next verb
        return tokens[after].pos not in ("VERB", "AUX") or tokens[members[0].stop - 1].head == after
    behind = tokens[after + 1 : after + 3]
    describes = any("relative" in kinds_of(one.lemma) or "VerbForm=Part" in one.features for one in behind)
    return tokens[after].text in CLOSING | {",", ";"} and not describes
