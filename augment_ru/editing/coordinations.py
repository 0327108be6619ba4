"""Words joined by «и» that may stand in another order: «хлеб и молоко»."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from augment_ru.editing.constituent_roles import features_of, kinds_of, may_be_case
from augment_ru.editing.constituents import RELATIVE
from augment_ru.editing.syntax_trees import Tree
from augment_ru.resources import name_heads, same_word

_KINDS = {"NOUN": "NOUN", "PROPN": "NOUN", "ADJ": "ADJ"}
_LONGEST = 4
"""Members of a list whose orders are tried."""


@dataclass(frozen=True, slots=True)
class Coordination:
    """Members of a list, of equal form.

    Attributes:
        tree: the tree of the sentence.
        members: the first token of each member and the one behind its last, in order.
        opens: whether the first member is the first word of its sentence.
    """

    tree: Tree
    members: Sequence[tuple[int, int]]
    opens: bool

    @property
    def orders(self) -> Iterator[tuple[int, ...]]:
        """The other orders of the members."""
        return (order for order in permutations(range(len(self.members))) if order != tuple(range(len(self.members))))


def coordinations_of(tree: Tree) -> Iterator[Coordination]:
    """The lists of a sentence whose order says nothing."""
    for number in range(tree.first, tree.last):
        conjoined = [one for one in tree.of(number) if tree.tokens[one].relation == "conj"]
        if conjoined:
            found = _coordination(tree, [number, *conjoined])
            if found is not None:
                yield found


def _coordination(tree: Tree, heads: Sequence[int]) -> Coordination | None:
    tokens = tree.tokens
    kind = _KINDS.get(tokens[heads[0]].pos)
    if kind is None or len(heads) > _LONGEST or any(_KINDS.get(tokens[one].pos) != kind for one in heads):
        return None
    members = []
    for one in heads:
        member = _member(tree, one, kind)
        if member is None:
            return None
        members.append(member)
    shapes = {(tokens[first].pos == "ADP", tokens[last - 2].pos in ("ADJ", "DET") and last - first > 1) for first, last in members}
    if len(shapes) > 1 or not _is_list(tree, members) or not _is_free(tree, heads, members[-1][1]):
        return None
    first = members[0][0]
    return Coordination(tree, members, opens=all(tree.is_mark(number) for number in range(tree.first, first)))


def _member(tree: Tree, head: int, kind: str) -> tuple[int, int] | None:
    """The tokens of a member: its head, an adjective in front of it, and its own preposition; None if it has more."""
    tokens = tree.tokens
    own = [one for one in tree.of(head) if tokens[one].relation not in ("conj", "cc", "case")]
    if own and (kind == "ADJ" or own != [head - 1] or tokens[head - 1].relation not in ("amod", "det") or tree.of(own[0])):
        return None
    first = head - len(own)
    word = tokens[head]
    if word.entity or tree.is_mark(head) or not word.text[0].islower() and head != tree.first:
        return None
    if {"scope", "time", "light"} & (kinds_of(word.text) | kinds_of(word.lemma)):
        return None
    if any("scope" in kinds_of(tokens[one].lemma) for one in own):
        return None
    before = [one for one in tree.of(head) if tokens[one].relation == "case"]
    if tokens[head].relation == "conj" and before:
        if before != [first - 1]:
            return None
        first -= 1
    return first, head + 1


def _is_list(tree: Tree, members: Sequence[tuple[int, int]]) -> bool:
    """Whether commas part the members, and one «и» the last two."""
    tokens = tree.tokens
    between = [(left[1], right[0]) for left, right in zip(members, members[1:], strict=False)]
    if any(stop - start != 1 for start, stop in between):
        return False
    *commas, last = (tokens[start].text.lower() for start, _ in between)
    before = tokens[members[0][0] - 1].text.lower() if members[0][0] > tree.first else ""
    return last == "и" and all(comma == "," for comma in commas) and before not in ("и", "между", "не", "как", "сам", "оба", "обе")


def _is_free(tree: Tree, heads: Sequence[int], after: int) -> bool:
    """Whether the members agree, nothing agrees with one of them alone, and their order is not fixed."""
    tokens = tree.tokens
    head = tokens[heads[0]]
    forms = [features_of(tokens[one].features) for one in heads]
    case = forms[0].get("Case", "")
    if not case or any(form.get("Case") != case for form in forms) or any(not may_be_case(tokens[one], case) for one in heads):
        return False
    if head.pos == "ADJ" and (len({form.get("Gender") for form in forms}) > 1 or head.relation != "amod" or not heads[-1] < head.head):
        return False
    above = tokens[head.head]
    if head.relation.startswith("nsubj") and "Number=Plur" not in above.features:
        return False
    if same_word(above.lemma) in name_heads() or above.entity:
        return False
    lemmas = [same_word(tokens[one].lemma) for one in heads]
    if len(set(lemmas)) < len(lemmas) or any("pair" in kinds_of(f"{a}-{b}") for a, b in zip(lemmas, lemmas[1:], strict=False)):
        return False
    behind = tokens[after + 1 : after + 3] if after + 1 < tree.last and tree.is_mark(after) else tokens[after : after + 1]
    if tree.is_mark(after) if after < tree.last else False:
        return not any(one.lemma in RELATIVE or "VerbForm=Part" in one.features for one in behind) and tokens[after].text in (",", ".", ";", "!", "…", "...")
    return True
