"""Другой порядок слов в предложении: «Вчера Маша купила билет» → «Маша купила билет вчера»."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import ClassVar

import numpy as np

from augment_ru.attacks.word_order.clauses import Clause, clauses_of
from augment_ru.attacks.word_order.coordinations import Coordination, coordinations_of
from augment_ru.attacks.word_order.orders import Order, orders
from augment_ru.draws import Streams, weighted
from augment_ru.editing.openings import NAME, opening
from augment_ru.editing.syntax import Syntax
from augment_ru.edits import Change, Edit
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.language.morphology import NAME_LABELS, morphology
from augment_ru.resources import name_heads
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc, Token
from augment_ru.text.words import RUSSIAN

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
        The edits in order; None if the order would move something protected, or if the first word may be a name.
    """
    tokens, parts = clause.tree.tokens, clause.constituents
    spans = [(tokens[one.first].start, tokens[one.last - 1].stop) for one in parts]
    if any(text[left[1] : right[0]] != " " for left, right in pairwise(spans)):
        return None
    texts = [text[start:stop] for start, stop in spans]
    fixed = {at for at, (start, stop) in enumerate(spans) if touches(start, stop)}
    recased = _recased(text, tokens[parts[0].first], spans, order.places[0], touches) if clause.opens else {}
    if recased is None:
        return None
    kept = _kept(order.places, fixed, [stop - start for start, stop in spans])
    if kept is None:
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
    best: tuple[int, tuple[int, ...]] | None = None
    for count in range(len(places), 0, -1):
        for row in combinations(places, count):
            if fixed <= set(row) and all(left < right for left, right in pairwise(row)):
                size = sum(sizes[at] for at in row)
                if best is None or size > best[0]:
                    best = size, row
    return best[1] if best else None


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
        if texts[place] == text[start:stop]:
            yield from _smallest(text, at, start, space + "".join(f"{one} " for one in waiting))
        else:
            new = space + "".join(f"{one} " for one in waiting) + texts[place][0]
            yield from _smallest(text, at, start + 1, new)
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
    if opening(word.lower()) & NAME:
        return text if token.entity or token.pos == "PROPN" else None
    analyses = morphology().parse(word.lower())
    names = [bool(NAME_LABELS.keys() & one.tag.grammemes) for one in analyses]
    if names[0] and token.entity:
        return text
    if any(names) or (token.pos == "PROPN" and not any(one.normal_form in name_heads() for one in analyses)):
        return None
    return text[0].lower() + text[1:]


@dataclass(frozen=True, slots=True)
class WordOrder(Attack):
    """Put the constituents of a clause, or the members of a list, into another order that a native would use.

    Args:
        probability: the share, in [0, 1], of clauses and lists that are reordered, among those that have another
            possible order.
        guards: the constraints whose spans this attack never touches, for any task.

    Raises:
        AugmentError: there is no such constraint.
    """

    name: ClassVar[str] = "word_order"
    group: ClassVar[str] = "rewording"
    layers: ClassVar[frozenset[str]] = frozenset({"syntax", "lemmas", "entities"})
    probability: float = 0.5
    guards: tuple[str, ...] = ("restrictors",)

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose one other order for each clause and each list («хлеб и молоко») that can be reordered."""
        before = batch.untouchable_before.tolist()

        def touches_at(first: int) -> Touches:
            return lambda start, stop: before[first + start] < before[first + stop]

        firsts = batch.starts.tolist()
        found = [list(_reordered(doc, touches_at(first))) for doc, first in zip(batch.docs, firsts, strict=False)]
        places = np.array(
            [start + place for start, row in zip(firsts, found, strict=False) for place, _ in row],
            dtype=np.int64,
        )
        ranks = iter(batch.draw(streams, places).tolist())
        choices = iter(batch.draw(streams, places, lane=1).tolist())
        return Proposals.of_changes(
            batch, [[Change(next(ranks), _chosen(options, next(choices))) for _, options in row] for row in found]
        )


_Options = Sequence[tuple[float, tuple[Edit, ...]]]


def _reordered(doc: Doc, touches: Touches) -> Iterator[tuple[int, _Options]]:
    """Yield each clause or list that has other orders: its place, and the weight and the edits of each order.

    The place is where the clause's predicate or the first member of the list starts.
    """
    for tree in Syntax(doc).sentences():
        for clause in clauses_of(tree):
            options = []
            for order in orders(clause):
                edits = edits_of(doc.text, clause, order, touches)
                if edits:
                    options.append((order.weight, edits))
            if options:
                yield doc.tokens[clause.predicate].start, options
        for found in coordinations_of(tree):
            swaps = [(1.0, edits) for order in found.orders if (edits := swapped(doc.text, found, order, touches))]
            if swaps:
                yield doc.tokens[found.members[0][0]].start, swaps


def _chosen(options: _Options, draw: float) -> tuple[Edit, ...]:
    """Return the edits of one order; each order is as likely as its weight says.

    Args:
        options: the weight and the edits of each order.
        draw: a draw from U[0, 1).
    """
    return options[weighted([weight for weight, _ in options], draw)][1]
