"""Другой порядок слов в предложении: «Вчера Маша купила билет» → «Маша купила билет вчера»."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, pairwise, permutations
from typing import ClassVar, NamedTuple

from augment_ru.attacks.word_order import clauses
from augment_ru.attacks.word_order.clauses import PREDICATES, Clause, Constituent, Role, feature_values, may_be_case
from augment_ru.draws import Streams, weighted
from augment_ru.editing.on_demand import places_of
from augment_ru.editing.syntax import CLOSING, Syntax, trees_of
from augment_ru.edits import Change, Edit
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.language.morphology import NAME_LABELS, is_known, morphology, readings
from augment_ru.resources import dictionary_path, name_heads, number_in, rows, same_word
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Token
from augment_ru.text.words import RUSSIAN

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
    """A new order of the constituents (phrases) of a clause, and its weight, from the dictionary `clause_orders`.

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
        known = set(letters) <= _ROLES and len(set(letters)) == len(letters)
        alike = sorted(source) == sorted(target) and source.endswith("*") == target.endswith("*")
        if not (known and alike) or source == target:
            raise AugmentError(f"{where}: needs an order and another one")
        pattern = re.compile(letters.replace(Role.PREDICATE, _PREDICATES) + (".*" if source.endswith("*") else ""))
        found.append(_Line(letters, target.removesuffix("*"), number_in(f"{where}: weight", weight), pattern))
    return tuple(found)


@lru_cache(maxsize=10_000)
def orders_of(pattern: str) -> tuple[Order, ...]:
    """Return the orders into which a clause may be put, as the dictionary `clause_orders` has them, each once.

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
    """Return the other orders of a clause's constituents (phrases) that keep who does what and what pronouns mean.

    If other words of the clause follow its last constituent, that constituent stays last.
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
    long = clause.constituents[end].role in PREDICATES and sizes[before] > _LONG
    first, *last = (clause.constituents[at].role for at in (places[0], before, end))
    late = first in _SETTINGS and last == [Role.SUBJECT, Role.APPEARING]  # «ежегодно сезон открывался»
    if (long or late) and end != len(places) - 1:
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
    kinds = frozenset[str]().union(*(clauses.kinds_of(word.lemma) for word in words))
    if "own" in kinds:
        return other.role in {*_SUBJECTS, Role.PRONOUN_OBJECT}
    if "third" not in kinds:
        return False
    alone = one.role in (Role.PRONOUN_SUBJECT, Role.PRONOUN_OBJECT)
    return any(
        tokens[number].pos in ("NOUN", "PROPN")
        and "time" not in clauses.kinds_of(tokens[number].lemma)
        and not (alone and number == other.head)
        for number in range(other.first, other.last)
    )


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
    if clauses.makes_statement(tree):
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
    if case not in clauses.CASES or not all(may_be_case(token, case) for token in tokens):
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
    fixed = any("pair" in clauses.kinds_of(f"{left}-{right}") for left, right in pairwise(lemmas))
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
    kinds = clauses.kinds_of(word.text).union(
        clauses.kinds_of(word.lemma), *(clauses.kinds_of(tokens[one].lemma) for one in own)
    )
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
    if last != "и" or set(commas) - {","} or before in clauses.QUOTES or "counting" in clauses.kinds_of(before):
        return False
    after = members[-1].stop
    if after == tree.last:
        return True
    if not tree.marks[after]:  # «сделал его опекуном и царём оставил …»: the last member may be of the next verb
        return tokens[after].pos not in ("VERB", "AUX") or tokens[members[0].stop - 1].head == after
    behind = tokens[after + 1 : after + 3]
    describes = any("relative" in clauses.kinds_of(one.lemma) or "VerbForm=Part" in one.features for one in behind)
    return tokens[after].text in CLOSING | {",", ";"} and not describes


Touches = Callable[[int, int], bool]
"""A function that tells whether a range of places in a text contains a protected character."""


def edits_of(text: str, clause: Clause, order: Order, touches: Touches) -> tuple[Edit, ...] | None:
    """Return the smallest edits that put the constituents (phrases) of a clause into another order.

    Constituents with protected characters stay where they are, and so does as much of the other text as possible. Edits
    replace only what is between the parts that stay. The capital of the sentence goes to its new first word.

    Args:
        text: the text.
        clause: the clause.
        order: the new order.
        touches: a function of two places; it tells whether the text between them has a protected character.

    Returns:
        The edits in order; None if the order would move something protected, if the first word may be a name, or if
        anything but a space stands between two constituents.
    """
    tokens, parts = clause.tree.tokens, clause.constituents
    spans = [(tokens[one.first].start, tokens[one.last - 1].stop) for one in parts]
    if any(text[left[1] : right[0]] != " " for left, right in pairwise(spans)):
        return None
    texts = [text[start:stop] for start, stop in spans]
    fixed = {at for at, (start, stop) in enumerate(spans) if touches(start, stop)}
    recased = _recased(text, tokens[parts[0].first], spans, order.places[0], touches) if clause.opens else {}
    kept = _kept(order.places, fixed, [stop - start for start, stop in spans])
    if recased is None or kept is None:
        return None
    found = list(_edits(text, spans, order.places, kept, [recased.get(at, new) for at, new in enumerate(texts)]))
    word = tokens[parts[kept[-1]].last - 1]
    if found[-1].start == found[-1].stop == word.stop and not touches(word.start, word.stop):
        found[-1] = _with_word(text, found[-1], word.start)
    return tuple(found)


def swapped(text: str, found: Coordination, order: Sequence[int], touches: Touches) -> tuple[Edit, ...] | None:
    """Return the edits that put the members of a list into another order: «хлеб и молоко» → «молоко и хлеб».

    Args:
        text: the text.
        found: the list.
        order: for each position, the index of the member that moves there, from 0.
        touches: a function of two places; it tells whether the text between them has a protected character.

    Returns:
        The edits; None if the order would move something protected, or if the first word of the sentence may be a name.
    """
    tokens = found.tree.tokens
    spans = [(tokens[first].start, tokens[last - 1].stop) for first, last in found.members]
    moved = [at for at, old in enumerate(order) if at != old]
    if any(touches(*spans[at]) for at in moved):
        return None
    recased = _recased(text, tokens[found.members[0][0]], spans, order[0], touches) if found.opens else {}
    if recased is None:
        return None
    return tuple(Edit(*spans[at], recased.get(order[at], text[slice(*spans[order[at]])])) for at in moved)


def _with_word(text: str, edit: Edit, start: int) -> Edit:
    """Merge an insertion after the last word of a text with that word; return other insertions as they are.

    The similarity `meaning` takes text that is inserted after all words for an addition, not for a part of the text.

    Args:
        text: the text.
        edit: the insertion.
        start: where the word in front of it starts.
    """
    if any(char.isalnum() for char in text[edit.stop :]):
        return edit
    return Edit(start, edit.stop, text[start : edit.stop] + edit.text)


def _recased(
    text: str, token: Token, spans: Sequence[tuple[int, int]], new: int, touches: Touches
) -> dict[int, str] | None:
    """Find the new texts of the constituents whose letter case changes when another one comes first.

    Args:
        text: the text.
        token: the first word of the sentence.
        spans: the start and stop of each constituent.
        new: the index of the constituent that comes first.
        touches: tells whether a range is protected.

    Returns:
        New texts by the index of the constituent; None if it is not certain whether the first word is a name, or if a
        letter that changes is protected.
    """
    if new == 0 or not text[spans[0][0]].isupper():
        return {}
    lowered = _lowered(token, text[slice(*spans[0])])
    if lowered is None:
        return None
    first = text[slice(*spans[new])]
    found = {0: lowered, new: first[0].upper() + first[1:]}
    changed = {at: one for at, one in found.items() if one != text[slice(*spans[at])]}
    if any(touches(spans[at][0], spans[at][0] + 1) for at in changed):
        return None
    return changed


def _kept(places: Sequence[int], fixed: set[int], sizes: Sequence[int]) -> tuple[int, ...] | None:
    """Choose the constituents that stay: the longest sequence, in characters, that keeps its order and all fixed parts.

    Of equally long sequences, one with the most members is chosen; of these, the first in the order of `combinations`.

    Args:
        places: the old index of each constituent, in the new order.
        fixed: the indices of the constituents that must stay.
        sizes: the length of each constituent in characters.

    Returns:
        The old indices, ascending; None if there is no such sequence.
    """
    rows = (row for count in range(len(places), 0, -1) for row in combinations(places, count))
    may = (row for row in rows if fixed <= set(row) and all(left < right for left, right in pairwise(row)))
    return max(may, key=lambda row: sum(sizes[at] for at in row), default=None)


def _edits(
    text: str, spans: Sequence[tuple[int, int]], places: Sequence[int], kept: Sequence[int], texts: Sequence[str]
) -> Iterator[Edit]:
    """Yield the edits between the constituents that stay.

    If the letter case of a constituent that stays changes, the edit in front of it also replaces its first letter.

    Args:
        text: the text.
        spans: the start and stop of each constituent.
        places: the old index of each constituent, in the new order.
        kept: the indices of the constituents that stay.
        texts: the new text of each constituent.
    """
    at, space = spans[0][0], ""
    waiting: list[str] = []
    for place in places:
        if place not in kept:
            waiting.append(texts[place])
            continue
        start, stop = spans[place]
        letter = "" if texts[place] == text[start:stop] else texts[place][0]
        new = space + "".join(f"{one} " for one in waiting) + letter
        yield from _smallest(text, at, start + len(letter), new)
        at, space, waiting = stop, " ", []
    yield from _smallest(text, at, spans[-1][1], "".join(f" {one}" for one in waiting))


def _smallest(text: str, start: int, stop: int, new: str) -> Iterator[Edit]:
    """Yield one edit from the old to the new text, without spaces that stay; no edit if nothing changes."""
    old = text[start:stop]
    if old[:1] == new[:1] == " ":
        start, old, new = start + 1, old[1:], new[1:]
    if old[-1:] == new[-1:] == " ":
        stop, old, new = stop - 1, old[:-1], new[:-1]
    if old != new:
        yield Edit(start, stop, new)


def _lowered(token: Token, text: str) -> str | None:
    """Return a first constituent without the capital of its sentence; a certain name keeps its capital.

    Args:
        token: the first word of the constituent.
        text: the constituent.

    Returns:
        The new text; None if it is not certain whether the word is a name.
    """
    word = token.text
    if (len(word) > 1 and word.isupper()) or not word[0].isalpha():
        return text
    if not RUSSIAN.fullmatch(word) or word[1:] != word[1:].lower():
        return None
    if _opens_as_name(word.lower()):
        return text if token.entity or token.pos == "PROPN" else None
    analyses = morphology().parse(word.lower())
    names = [bool(NAME_LABELS.keys() & one.tag.grammemes) for one in analyses]
    if names[0] and token.entity:
        return text
    if any(names) or (token.pos == "PROPN" and not any(one.normal_form in name_heads() for one in analyses)):
        return None
    return text[0].lower() + text[1:]


_SURELY = 0.85
"""The least share of a word's readings that are names, for a name: it is .9 for «Петров» and «Коля», .8 for «Мороз»."""


@lru_cache(maxsize=100_000)
def _opens_as_name(word: str) -> bool:
    """Tell whether the first word of a sentence is certainly a name, or is not in the dictionary.

    >>> _opens_as_name("вчера"), _opens_as_name("анна"), _opens_as_name("мороз")
    (False, True, False)

    Args:
        word: the word in lower case.
    """
    found = readings(word)
    names = sum(one.score for one in found if one.name)
    return not is_known(word) or names >= _SURELY * sum(one.score for one in found)


@dataclass(frozen=True, slots=True)
class WordOrder(Attack):
    """Put the constituents of a clause, or the members of a list, into another order that a native speaker would use.

    Args:
        probability: the share, in [0, 1], of clauses and lists that are reordered, among those that have another
            possible order.
        guards: the constraints whose spans this attack never touches, whatever the task.

    Raises:
        AugmentError: there is no such constraint.
    """

    group: ClassVar[str] = "rewording"
    layers: ClassVar[frozenset[str]] = frozenset({"syntax", "lemmas", "entities"})
    probability: float = 0.5
    guards: tuple[str, ...] = ("restrictors",)

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose one other order for each clause and each list («хлеб и молоко») that can be reordered."""
        found = batch.once(_reordered_of_all)
        places = places_of(batch, ((row, place) for row, own in enumerate(found) for place, _ in own))
        ranks = iter(batch.draw(streams, places).tolist())
        choices = iter(batch.draw(streams, places, lane=1).tolist())
        return Proposals.of_changes(
            batch, [[Change(next(ranks), _chosen(options, next(choices))) for _, options in row] for row in found]
        )


_Options = Sequence[tuple[float, tuple[Edit, ...]]]


def _reordered_of_all(batch: Batch) -> list[list[tuple[int, _Options]]]:
    """Return, for each text, what `_reordered` yields."""
    before = batch.untouchable_before.tolist()

    def touches_at(first: int) -> Touches:
        return lambda start, stop: before[first + start] < before[first + stop]

    trees = zip(batch.once(trees_of), batch.starts.tolist(), strict=False)
    return [list(_reordered(one, touches_at(first))) for one, first in trees]


def _reordered(text: Syntax, touches: Touches) -> Iterator[tuple[int, _Options]]:
    """Yield each clause or list that has other orders: its place, and the weight and the edits of each order.

    The place is where the clause's predicate or the first member of the list starts.
    """
    doc = text.doc
    for tree in text.sentences():
        for clause in clauses.clauses_of(tree):
            every = ((order.weight, edits_of(doc.text, clause, order, touches)) for order in orders(clause))
            if options := [(weight, edits) for weight, edits in every if edits]:
                yield doc.tokens[clause.predicate].start, options
        for found in coordinations_of(tree):
            every = ((1.0, swapped(doc.text, found, order, touches)) for order in found.orders)
            if options := [(weight, edits) for weight, edits in every if edits]:
                yield doc.tokens[found.members[0][0]].start, options


def _chosen(options: _Options, draw: float) -> tuple[Edit, ...]:
    """Return the edits of one order; each order is as likely as its weight says.

    Args:
        options: the weight and the edits of each order.
        draw: a draw from U[0, 1).
    """
    return options[weighted([weight for weight, _ in options], draw)][1]
