"""Два слова меняются местами: «кошка тихо спит» → «спит тихо кошка»."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, paired
from augment_ru.editing.clauses import Unit, units
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import unknown
from augment_ru.text.batch import Batch

SCOPES = ("clause", "anywhere")


@dataclass(frozen=True, slots=True)
class EdaSwap(Attack):
    """Exchange random words of a sentence (Wei and Zou 2019; TAPE, Table 1: 0.3); punctuation stays.

    The words are paired at random. A pair is exchanged if either of its words is drawn. So at probability p up to 2p
    of the words move, as after p·n swaps among n words.

    Two words are paired only within a clause, and not if they do the same in it or both may be arguments of a
    predicate: «кошка видит собаку» keeps who sees whom, «большой дом и старое дерево» what is big. A preposition moves
    with its phrase, and «не» with its word. With `scope=anywhere` any two words of a sentence are paired, as in the
    paper.

    Args:
        scope: `clause` or `anywhere`.
        guards: the constraints whose spans stay where they are, whatever the task; only with `scope=clause`.
        joins: the constraints whose spans move as one word; only with `scope=clause`.

    Raises:
        AugmentError: there is no such scope or constraint.
    """

    name: ClassVar[str] = "eda_swap"
    group: ClassVar[str] = "tape"
    probability: float = 0.3
    scope: str = "clause"
    guards: tuple[str, ...] = ("numbers", "restrictors")
    joins: tuple[str, ...] = ("negated",)

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise unknown("eda_swap.scope", self.scope, SCOPES)
        check_guards(self.name, self.guards)
        check_guards(self.name, self.joins, "joins")
        if self.scope == "anywhere":
            object.__setattr__(self, "guards", ())
            object.__setattr__(self, "joins", ())

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to exchange every pair."""
        if self.scope == "clause":
            found = batch.once(units)
            starts = np.array([unit.start for unit in found], dtype=np.int64)
            stops = np.array([unit.stop for unit in found], dtype=np.int64)
            one, other = _paired(found, batch.draw(streams, starts, lane=1))
        else:
            starts, stops = batch.words
            one, other = paired(batch.sentences(starts), batch.draw(streams, starts, lane=1))
        draws = batch.draw(streams, starts)
        ranks = np.minimum(draws[one], draws[other])
        return Proposals.of_swaps(batch, (starts[one], stops[one]), (starts[other], stops[other]), ranks)


def _paired(found: Sequence[Unit], draws: Floats) -> tuple[Ints, Ints]:
    """Pair units of the same clause in a random order, each with the first one that does something else in it."""
    pairs: list[tuple[int, int]] = []
    for _, members in groupby(range(len(found)), key=lambda at: found[at].clause):
        waiting: list[int] = []
        for at in sorted(members, key=lambda at: draws[at]):
            match = next((one for one in waiting if found[one].may_exchange(found[at])), None)
            if match is None:
                waiting.append(at)
            else:
                waiting.remove(match)
                pairs.append((min(match, at), max(match, at)))
    pairs.sort()
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return one, other
