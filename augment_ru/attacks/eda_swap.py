"""Два слова меняются местами: «кошка тихо спит» → «спит тихо кошка»."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, paired
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import unknown
from augment_ru.language.morphology import word_kind
from augment_ru.text.batch import Batch
from augment_ru.text.characters import decode
from augment_ru.text.words import word_bounds

_MARKS = frozenset(',;:—–()[]{}«»"“”„…/|')
_FIXED = frozenset({"conjunction", "particle", "interjection", ""})
"""The roles of words that stay, because they connect or modify the words that follow."""
_BEFORE_NOUN = frozenset({"adjective", "participle", "number"})
_NOMINAL = frozenset({"noun", "pronoun", "number"})
_FOREIGN = "foreign"
"""The role of words in a text in which no word has a known role."""
_LONGEST_PHRASE = 4
"""How many words behind a preposition are searched for its noun."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, or a preposition with its phrase, that may be moved.

    Attributes:
        start, stop: the global places where it starts and stops.
        clause: the number of its clause.
        role: "argument" for a noun, a pronoun, a number or a preposition with its phrase; "adjective" also for a
            participle; for any other word its `WordKind.role`; "" in a text of another language.
    """

    start: int
    stop: int
    clause: int
    role: str

    def may_exchange(self, other: "Unit") -> bool:
        """Tell whether the two units may exchange places: their roles differ, or this one's role is not known."""
        return not self.role or self.role != other.role


def units(batch: Batch) -> list[Unit]:
    """Find the units of all texts that may be moved, in their order.

    A clause ends at a mark inside the sentence, at a conjunction, and with the sentence. A preposition moves with the
    words up to its noun; if one of them may not be edited, all of them stay. Conjunctions, particles and words of no
    known kind stay.
    """
    starts, stops = batch.words
    free = set(starts.tolist())
    ends = dict(zip(starts.tolist(), stops.tolist(), strict=True))
    every, every_stop = word_bounds(batch.codes, batch.flags)
    inner = _inner(every, starts, stops)
    every, every_stop = every[~inner], every_stop[~inner]
    text = decode(batch.codes)
    words = [
        text[start : ends.get(start, stop)].lower()
        for start, stop in zip(every.tolist(), every_stop.tolist(), strict=True)
    ]
    roles = ["" if not word else word_kind(word.split()[-1]).role for word in words]
    russian = np.zeros(len(batch), dtype=np.bool_)
    rows = batch.rows(every)
    russian[rows[np.array([bool(role) for role in roles], dtype=np.bool_)]] = True
    unknown = ["noun" if is_russian else _FOREIGN for is_russian in russian[rows].tolist()]
    roles = [role or (other if word.isalpha() else "") for role, other, word in zip(roles, unknown, words, strict=True)]
    return list(
        _found(
            every.tolist(),
            [ends.get(*pair) for pair in zip(every.tolist(), every_stop.tolist(), strict=True)],
            free,
            roles,
            _clauses(batch, every, roles),
        )
    )


def _inner(every: Ints, starts: Ints, stops: Ints) -> np.ndarray:
    """Tell for each word whether it lies inside a unit of several words, behind the unit's first word.

    Args:
        every: the global places where all words start.
        starts: the global places where the units start.
        stops: the global places where the units stop.
    """
    at = np.searchsorted(starts, every, side="right") - 1
    inner: np.ndarray = (at >= 0) & (every > starts[at]) & (every < stops[at]) if starts.size else every < 0
    return inner


def _clauses(batch: Batch, starts: Ints, roles: Sequence[str]) -> list[int]:
    """Return the number of the clause of each word, ascending over all texts."""
    marks = np.isin(batch.codes, np.array([ord(mark) for mark in _MARKS], dtype=np.uint32))
    joints = np.cumsum([role == "conjunction" for role in roles]) if roles else np.zeros(0, dtype=np.int64)
    numbers: list[int] = (batch.sentences(starts) + np.cumsum(marks)[starts] + joints).tolist()
    return numbers


def _found(
    starts: Sequence[int],
    stops: Sequence[int],
    free: set[int],
    roles: Sequence[str],
    clauses: Sequence[int],
) -> Iterator[Unit]:
    at = 0
    while at < len(starts):
        last = at
        if roles[at] == "preposition":
            last = _noun(at, roles, clauses)
        movable = all(starts[place] in free for place in range(at, last + 1))
        if movable and roles[last] not in _FIXED and roles[last] != "preposition":
            role = "argument" if roles[last] in _NOMINAL or last > at else roles[last]
            role = {"participle": "adjective", _FOREIGN: ""}.get(role, role)
            yield Unit(starts[at], stops[last], clauses[at], role)
        at = last + 1


def _noun(at: int, roles: Sequence[str], clauses: Sequence[int]) -> int:
    """Return the number of the noun that belongs to the preposition `at`; `at` itself if the preposition has none."""
    for place in range(at + 1, min(at + 1 + _LONGEST_PHRASE, len(roles))):
        if clauses[place] != clauses[at]:
            break
        if roles[place] in _NOMINAL and not (roles[place] == "number" and _goes_on(place, roles, clauses)):
            return place
        if roles[place] not in _BEFORE_NOUN:
            break
    return at


def _goes_on(place: int, roles: Sequence[str], clauses: Sequence[int]) -> bool:
    following = place + 1
    return following < len(roles) and clauses[following] == clauses[place] and roles[following] in {"noun", "adjective"}


SCOPES = ("clause", "anywhere")


@dataclass(frozen=True, slots=True)
class EdaSwap(Attack):
    """Exchange random words of a sentence (Wei and Zou 2019; TAPE, Table 1: 0.3); punctuation stays.

    The words are paired at random. A pair is exchanged if either of its words is drawn. So at probability p up to 2p
    of the words move, as after p·n swaps among n words.

    Two words are paired only within a clause, and only if they have different roles in it: «кошка видит собаку» keeps
    who sees whom, «большой дом и старое дерево» keeps what is big. A preposition moves with its phrase, and «не» with
    its word. With `scope=anywhere` any two words of a sentence are paired, as in the paper.

    Args:
        scope: `clause` or `anywhere`.
        guards: the constraints whose spans stay where they are, whatever the task; only with `scope=clause`.
        joins: the constraints whose spans are moved as one word; only with `scope=clause`.

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
        """Propose to exchange the words of every pair."""
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
    """Pair units of the same clause: in a random order, each with the first waiting unit that has another role.

    Args:
        found: the units.
        draws: a draw from U[0, 1) for each unit, which sets the order.

    Returns:
        The indices of the first and of the second unit of each pair.
    """
    pairs: list[tuple[int, int]] = []
    for _, members in groupby(range(len(found)), key=lambda at: found[at].clause):
        waiting: deque[int] = deque()  # all have the same role, so only the first is compared
        for at in sorted(members, key=lambda at: draws[at]):
            if waiting and found[waiting[0]].may_exchange(found[at]):
                match = waiting.popleft()
                pairs.append((min(match, at), max(match, at)))
            else:
                waiting.append(at)
    pairs.sort()
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return one, other
