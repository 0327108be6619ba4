"""Compositions: attacks made of attacks, such as one after another, one of several, some of several.

A composition proposes edits that lead directly from the original to the last text. So protected spans, search and
offsets work as for any attack. Of `Chain`, `SomeOf` and `OneOf` each part has its own probability. A composed edit has
the lowest rank of the edits that it was composed of, so a level of the search can contain a part of a composition.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np

from augment_ru.draws import Floats, Streams
from augment_ru.engine.attack import Attack, Needs, attack_name, checked_attack, make, own_attack, proposals_of
from augment_ru.engine.composed import composed_proposals
from augment_ru.engine.legality import legal
from augment_ru.engine.overlaps import without_overlaps
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.side_by_side import side_by_side
from augment_ru.errors import AugmentError
from augment_ru.own_code import chain_names, is_own, refuse
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask


class Composition(Attack):
    """An attack made of attacks; its properties follow from those of its parts."""

    __slots__ = ()

    @property
    @abstractmethod
    def parts(self) -> tuple[Attack, ...]:
        """The attacks."""

    @property
    def layers(self) -> frozenset[str]:
        """The layers that its parts read."""
        return frozenset().union(*(attack.layers for attack in self.parts))

    @property
    def needs(self) -> Needs:
        """What its parts need; each part keeps to its own guards."""
        return Needs.of_all(attack.needs for attack in self.parts)

    @property
    def min_changes(self) -> int:
        """The largest number of its parts."""
        return max(attack.min_changes for attack in self.parts)

    @property
    def exchanges_options(self) -> bool:
        """Whether one of its parts exchanges options."""
        return any(attack.exchanges_options for attack in self.parts)

    @property
    def wants_corpus(self) -> bool:
        """Whether one of its parts wants a corpus."""
        return any(attack.wants_corpus for attack in self.parts)

    @property
    def corpus_digest(self) -> str:
        """The digests of its parts, each once, joined by `+`."""
        return "+".join(dict.fromkeys(digest for attack in self.parts if (digest := attack.corpus_digest)))


class Named(Composition):
    """A composition that is used like any attack, by its name; its parts follow from its own fields.

    All parts read the original text, and no two change the same place: of changes that overlap, that of the lowest
    rank is made. So the changes at a lower probability are among those at a higher one, and each keeps its note.

    To write one, inherit from this class in a frozen dataclass with a `name` and a `probability`, and define `parts`,
    none of which may want a corpus or run a network. The probabilities of the parts are not read: a change is active
    if its rank is below the probability of the composition (`rank_of`).
    """

    __slots__ = ()

    def rank_of(self, part: Attack, ranks: Floats) -> Floats:
        """The ranks that changes of a part have in the composition, in [0, 1); by default their own."""
        del part
        return ranks

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the changes of all parts that overlap no other of a lower rank."""
        proposed = [self._of_part(number, batch, streams) for number in range(len(self.parts))]
        return without_overlaps(batch, side_by_side(proposed))

    def _of_part(self, number: int, batch: Batch, streams: Streams) -> Proposals:
        """The legal changes of a part, with their ranks in the composition."""
        part = self.parts[number]
        seen = batch.seen_by(part)
        found = legal(seen, proposals_of(part, seen, Streams.of(streams.keys, number, part.name)))
        return replace(found, ranks=self.rank_of(part, found.ranks))


class NamedOneOf(Named):
    """A named composition that applies one of its parts to each text, drawn from those that can change the text."""

    __slots__ = ()

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the changes of the part that is drawn for each text."""
        proposed = [self._of_part(number, batch, streams) for number in range(len(self.parts))]
        rows = [batch.rows(found.starts[found.first_edits]) for found in proposed]
        possible = np.stack([np.bincount(found, minlength=len(batch)) > 0 for found in rows], axis=1)
        chosen = np.argmin(np.where(possible, _draws(len(batch), len(self.parts), streams), 1.0), axis=1)
        kept = [
            found.keep(chosen[row] == number) for number, (found, row) in enumerate(zip(proposed, rows, strict=True))
        ]
        return side_by_side(kept)


class _Listed(Composition):
    """A composition of attacks that its user lists."""

    __slots__ = ()
    attacks: Sequence[Attack | str]

    def __post_init__(self) -> None:
        if isinstance(self.attacks, str) or not self.attacks:
            raise AugmentError(f"{type(self).__name__}: needs a sequence of at least one attack")
        made = tuple(
            attack_of(part, may_import=True) if isinstance(part, str) else checked_attack(part) for part in self.attacks
        )
        object.__setattr__(self, "attacks", made)

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The attacks; where a name was given, the attack of this name."""
        return cast("tuple[Attack, ...]", self.attacks)

    @property
    def probability(self) -> float:
        """The largest probability of its parts."""
        return max(attack.probability for attack in self.parts)

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (as `Attack.with_corpus`)
        """The composition with a corpus for each part that wants one."""
        return self._with_parts(attack.with_corpus(corpus) for attack in self.parts)

    def with_probability(self, probability: float) -> Self:
        """The composition with another probability for each part."""
        return self._with_parts(attack.with_probability(probability) for attack in self.parts)

    def on_device(self, device: str) -> Self:
        """The composition with its networks on a device; the same object if no part runs a network."""
        parts = [attack.on_device(device) for attack in self.parts]
        same = all(new is part for new, part in zip(parts, self.parts, strict=True))
        return self if same else self._with_parts(parts)

    def _with_parts(self, parts: Iterable[Attack]) -> Self:
        return cast("Self", replace(cast("Any", self), attacks=tuple(parts)))


@dataclass(frozen=True, slots=True)
class Chain(_Listed):
    """Applies each attack to the text that the attack before it returned.

    Args:
        attacks: attacks or their names, in the order in which they are applied.

    Raises:
        AugmentError: there is no attack, or a name is unknown.
    """

    attacks: Sequence[Attack | str]

    @property
    def name(self) -> str:
        """`a+b`."""
        return "+".join(attack.name for attack in self.parts)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the composed edits of all parts."""
        every = np.ones((len(batch), len(self.attacks)), dtype=np.bool_)
        return composed_proposals(self.parts, self.probability, batch, streams, every)


@dataclass(frozen=True, slots=True)
class SomeOf(_Listed):
    """Applies some of the attacks, chosen at random for each text, in the given order.

    Args:
        attacks: attacks or their names.
        count: how many of them are applied, from 1 to their number.

    Raises:
        AugmentError: there is no attack, a name is unknown, or `count` is out of its range.
    """

    attacks: Sequence[Attack | str]
    count: int = 2

    def __post_init__(self) -> None:
        _Listed.__post_init__(self)
        if not 1 <= self.count <= len(self.attacks):
            raise AugmentError(f"SomeOf: count {self.count}; needs an integer from 1 to {len(self.attacks)}")

    @property
    def name(self) -> str:
        """`2of(a|b|c)`."""
        return f"{self.count}of({'|'.join(attack.name for attack in self.parts)})"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the composed edits of the parts that are chosen for each text."""
        chosen = _chosen(len(batch), len(self.attacks), self.count, streams)
        return composed_proposals(self.parts, self.probability, batch, streams, chosen)


@dataclass(frozen=True, slots=True)
class OneOf(_Listed):
    """Applies one of the attacks, chosen at random for each text.

    Args:
        attacks: attacks or their names.

    Raises:
        AugmentError: there is no attack, or a name is unknown.
    """

    attacks: Sequence[Attack | str]

    @property
    def name(self) -> str:
        """`1of(a|b)`."""
        return f"1of({'|'.join(attack.name for attack in self.parts)})"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the edits of the part that is chosen for each text."""
        chosen = _chosen(len(batch), len(self.attacks), 1, streams)
        return composed_proposals(self.parts, self.probability, batch, streams, chosen)


def _chosen(texts: int, attacks: int, count: int, streams: Streams) -> Mask:
    """Whether each attack is applied to each text, shape (texts, attacks): those with the lowest draws are."""
    chosen: Mask = np.argsort(np.argsort(_draws(texts, attacks, streams), axis=1), axis=1) < count
    return chosen


def _draws(texts: int, attacks: int, streams: Streams) -> Floats:
    """A draw from U[0, 1) for each text and attack, shape (texts, attacks)."""
    rows, stages = np.divmod(np.arange(texts * attacks), attacks)
    return Streams.of(streams.keys, "choice").uniform(rows, stages).reshape(texts, attacks)


def attack_of(
    spec: str,
    *,
    probability: float | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    may_import: bool = False,
) -> Attack:
    """The attack of a name; `NAME+NAME…` is a chain.

    Args:
        spec: the name or names.
        probability: of each attack whose options give none; by default the attack's own.
        options: options by the name of the attack.
        may_import: whether a name may be that of a user's own code (`own_code`).

    Raises:
        AugmentError: a name or an option is unknown, or a value does not fit.
    """
    made = []
    for name in chain_names(spec):
        if not may_import:
            refuse(name)
        values = dict((options or {}).get(attack_name(name), {}))
        if probability is not None:
            values.setdefault("probability", probability)
        made.append(own_attack(name, values) if is_own(name) else make(name, values))
    if len(made) > 1:
        return Chain(tuple(made))
    return made[0]
