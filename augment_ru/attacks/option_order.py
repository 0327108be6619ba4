"""Варианты ответа в другом порядке: «(A) Луна (B) Солнце» → «(A) Солнце (B) Луна», верный ответ следует за ними."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.edits import Change
from augment_ru.engine.attack import Attack
from augment_ru.records.options import ordered_options
from augment_ru.records.record import Record
from augment_ru.text.doc import Doc

_TRIES = 200
"""How many arrangements are drawn without a new one before another place of the right answer is tried."""


@dataclass(frozen=True, slots=True)
class OptionOrder(Attack):
    """Put the options of a question into another order; the right answer moves with its text.

    Every question with options is reordered, whatever the probability, and no similarity is computed. The new place of
    the right answer is drawn; all places are equally likely, the old one included. So a model that always gives the
    same letter is right in 1 of k rows, if there are k options. A question of two options stays as it is in about half
    of the rows; with more options the order always changes. If the right answer is unknown, the place of the first
    option is drawn instead.

    If a row is perturbed several times, the copies have different orders, as long as there are any; the right answer
    comes to each place in turn.
    """

    group: ClassVar[str] = "other"
    probability: float = 1.0

    @property
    def permutes_options(self) -> bool:
        """True: this attack gives an order of options (`order_of`), instead of changes."""
        return True

    def propose(self, doc: Doc, rng: Rng) -> Iterable[Change]:
        """Propose no change: this attack gives a new order of options instead (`order_of`)."""
        del doc, rng
        return ()

    def order_of(self, record: Record, rng: Rng, draw: int) -> tuple[int, ...] | None:
        """Return the new order of a record's options; None if there is nothing to reorder.

        The order has, for each position, the index of the option that moves there, from 0.

        Args:
            record: the record.
            rng: the random draws of the record, the same for all its orders.
            draw: which of the orders of the record is wanted, from 0.
        """
        question = ordered_options(record)
        groups = question.groups if question else []
        if question is None or not groups:
            return None
        group = next((group for group in groups if question.right in group), max(groups, key=len))
        pivot = question.right if question.right in group else group[0]
        places, unchanged = _shuffled(group, rng), tuple(range(len(question.options)))
        found: list[tuple[int, ...]] = []
        step = misses = 0
        while len(found) <= draw and misses < _TRIES * len(places):
            order = list(unchanged)
            for one in groups:
                own = _shuffled(one, rng)
                if one is group:
                    own.remove(pivot)
                    own.insert(one.index(places[step % len(places)]), pivot)
                for place, option in zip(one, own, strict=True):
                    order[place] = option
            if (new := tuple(order)) in found or (new == unchanged and len(group) > 2):  # noqa: PLR2004
                misses += 1
                step += misses % _TRIES == 0  # no other arrangement has the option at this place
            else:
                found.append(new)
                step, misses = step + 1, 0
        return found[draw % len(found)]


def _shuffled(items: list[int], rng: Rng) -> list[int]:
    return sorted(items, key=lambda _: rng.uniform())
