"""Другой порядок слов в предложении: «Вчера Маша купила билет» → «Маша купила билет вчера»."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar

import numpy as np

from augment_ru.attacks.word_order.clauses import clauses_of
from augment_ru.attacks.word_order.coordinations import coordinations_of
from augment_ru.attacks.word_order.moving import CoveredPlaces, edits_of, swapped
from augment_ru.attacks.word_order.orders import orders
from augment_ru.attacks.word_order.trees import trees_of
from augment_ru.draws import Streams
from augment_ru.edits import Change, Edit
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc


@dataclass(frozen=True, slots=True)
class WordOrder(Attack):
    """The constituents of a clause take another order that a native would say.

    Args:
        probability: the share of clauses with another order that take it, in [0, 1].
        guards: the constraints whose spans no edit may touch, whatever the task.

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
        """Propose one other order of each clause that has any."""
        found = [list(_reordered(doc, CoveredPlaces(batch.protected(row)))) for row, doc in enumerate(batch.docs)]
        places = np.array(
            [start + place for start, row in zip(batch.starts.tolist(), found, strict=False) for place, _ in row],
            dtype=np.int64,
        )
        ranks = iter(batch.draw(streams, places).tolist())
        choices = iter(batch.draw(streams, places, lane=1).tolist())
        return Proposals.of_changes(
            batch, [[Change(next(ranks), _chosen(options, next(choices))) for _, options in row] for row in found]
        )


_Options = Sequence[tuple[float, tuple[Edit, ...]]]


def _reordered(doc: Doc, protected: CoveredPlaces) -> Iterator[tuple[int, _Options]]:
    """The place of the predicate of each clause that has other orders, and their weights and edits."""
    for tree in trees_of(doc):
        for clause in clauses_of(tree):
            options = []
            for order in orders(clause):
                edits = edits_of(doc.text, clause, order, protected)
                if edits:
                    options.append((order.weight, edits))
            if options:
                yield doc.tokens[clause.predicate].start, options
        for found in coordinations_of(tree):
            swaps = [(1.0, edits) for order in found.orders if (edits := swapped(doc.text, found, order, protected))]
            if swaps:
                yield doc.tokens[found.members[0][0]].start, swaps


def _chosen(options: _Options, draw: float) -> tuple[Edit, ...]:
    """The edits of one of the orders, each as likely as its weight says."""
    point = draw * fsum(weight for weight, _ in options)
    for weight, edits in options:
        point -= weight
        if point < 0:
            return edits
    return options[-1][1]
