"""Compositions: attacks made of attacks, such as one after another, one of several, some of several.

A composition proposes edits that lead directly from the original to the last text. So protected spans, search and
offsets work as for any attack. Each part has its own probability. A composed edit has the lowest rank of the edits
that it was composed of, so a level of the search can contain a part of a composition.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np

from augment_ru.draws import Streams
from augment_ru.edits import Change, Edit, Script, Span, compose
from augment_ru.engine.attack import Attack, checked, make
from augment_ru.engine.legality import legal
from augment_ru.engine.proposals import Proposals, apply
from augment_ru.engine.search import cut
from augment_ru.errors import AugmentError
from augment_ru.text.batch import Batch, Context
from augment_ru.text.characters import Mask


class Composition(Attack):
    """An attack made of attacks; its properties follow from those of its parts."""

    __slots__ = ()
    attacks: Sequence[Attack | str]

    def __post_init__(self) -> None:
        if isinstance(self.attacks, str) or not self.attacks:
            raise AugmentError(f"{type(self).__name__}: needs a sequence of at least one attack")
        made = tuple(attack_of(part) if isinstance(part, str) else checked(part) for part in self.attacks)
        object.__setattr__(self, "attacks", made)

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The attacks; where a name was given, the attack of this name."""
        return cast("tuple[Attack, ...]", self.attacks)

    @property
    def probability(self) -> float:
        """The largest probability of its parts."""
        return max(attack.probability for attack in self.parts)

    @property
    def layers(self) -> frozenset[str]:
        """The layers that its parts read."""
        return frozenset().union(*(attack.layers for attack in self.parts))

    @property
    def exchanges_options(self) -> bool:
        """Whether one of its parts exchanges options."""
        return any(attack.exchanges_options for attack in self.parts)

    @property
    def wants_corpus(self) -> bool:
        """Whether one of its parts wants a corpus."""
        return any(attack.wants_corpus for attack in self.parts)

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
class Chain(Composition):
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
        return _composed(self.parts, self.probability, batch, streams, every)


@dataclass(frozen=True, slots=True)
class SomeOf(Composition):
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
        Composition.__post_init__(self)
        if not 1 <= self.count <= len(self.attacks):
            raise AugmentError(f"SomeOf: count {self.count}; needs an integer from 1 to {len(self.attacks)}")

    @property
    def name(self) -> str:
        """`2of(a|b|c)`."""
        return f"{self.count}of({'|'.join(attack.name for attack in self.parts)})"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the composed edits of the parts that are chosen for each text."""
        chosen = _chosen(len(batch), len(self.attacks), self.count, streams)
        return _composed(self.parts, self.probability, batch, streams, chosen)


@dataclass(frozen=True, slots=True)
class OneOf(Composition):
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
        return _composed(self.parts, self.probability, batch, streams, chosen)


def _chosen(texts: int, attacks: int, count: int, streams: Streams) -> Mask:
    """Whether each attack is applied to each text, shape (texts, attacks): those with the lowest draws are."""
    rows, stages = np.divmod(np.arange(texts * attacks), attacks)
    draws = Streams.of(streams.keys, "choice").uniform(rows, stages).reshape(texts, attacks)
    chosen: Mask = np.argsort(np.argsort(draws, axis=1), axis=1) < count
    return chosen


@dataclass(slots=True)
class _Steps:
    """The script of a text after some of the attacks, and the change that each of its edits is part of."""

    script: Script
    ranks: dict[int, float] = field(default_factory=dict)  # of changes
    changes: list[int] = field(default_factory=list)  # of the script's edits

    def then(self, script: Script, changes: Sequence[int], ranks: Mapping[int, float]) -> "_Steps":
        """These steps followed by another script.

        Args:
            script: edits of this script's text.
            changes: the change of each of these edits.
            ranks: the rank of each of these changes.
        """
        if not self.script.edits:
            return _Steps(script, dict(ranks), list(changes))
        parent = {change: change for change in (*self.ranks, *ranks)}

        def root(change: int) -> int:
            while parent[change] != change:
                change = parent[change]
            return change

        parts = compose(self.script, script)
        owners = [[self.changes[index] for index in part.first] + [changes[i] for i in part.second] for part in parts]
        for joined in owners:
            for change in joined[1:]:
                parent[root(change)] = root(joined[0])
        lowest: dict[int, float] = {}
        for change, rank in (*self.ranks.items(), *ranks.items()):
            lowest[root(change)] = min(rank, lowest.get(root(change), 1.0))
        return _Steps(
            Script(self.script.source, (part.edit for part in parts)),
            lowest,
            [root(joined[0]) for joined in owners],
        )

    def proposed(self, scale: float) -> list[Change]:
        """The changes of the original text, with their ranks multiplied by `scale`."""
        edits: dict[int, list[Edit]] = {}
        for edit, change in zip(self.script.edits, self.changes, strict=True):
            edits.setdefault(change, []).append(edit)
        return [Change(self.ranks[change] * scale, tuple(found)) for change, found in edits.items()]


_BELOW_ONE = 1.0 - 2.0**-40


def _composed(attacks: Sequence[Attack], probability: float, batch: Batch, streams: Streams, chosen: Mask) -> Proposals:
    """The composed changes of the attacks that are chosen for each text.

    Args:
        attacks: the parts, in the order in which they are applied.
        probability: of the composition.
        batch: the original texts.
        streams: their random draws.
        chosen: whether each attack is applied to each text, shape (texts, attacks).
    """
    texts = [_Steps(Script(text)) for text in batch.texts]
    current = batch
    number = 0
    for stage, attack in enumerate(attacks):
        if attack.probability <= 0:
            continue
        seen = current.seen_by(exchanges_options=attack.exchanges_options)
        found = legal(seen, attack.propose_batch(seen, Streams.of(streams.keys, stage, attack.name)))
        rows = current.rows(found.starts[found.first_edits]) if found.ranks.size else found.first_edits
        active = cut(found, rows, attack.probability, min_changes=1) & chosen[rows, stage]
        found = found.keep(active)
        applied = apply(current, found, np.ones(found.ranks.size, dtype=np.bool_))
        order = np.lexsort((found.stops, found.starts))
        changes = (found.changes[order] + number).tolist()
        ranks = np.minimum(found.ranks / attack.probability, _BELOW_ONE).tolist()
        bounds = applied.first_edits.tolist()
        for row in applied.changed.tolist():
            own = changes[bounds[row] : bounds[row + 1]]
            script = Script(current.texts[row], applied.edits(row, int(current.starts[row])))
            texts[row] = texts[row].then(script, own, {change: ranks[change - number] for change in own})
        number += found.ranks.size
        if stage + 1 < len(attacks):
            current = _rewritten(batch, [text.script for text in texts], attacks[stage + 1].layers)
    return Proposals.of_changes(batch, [text.proposed(probability) for text in texts])


def _rewritten(batch: Batch, scripts: Sequence[Script], layers: frozenset[str]) -> Batch:
    """The batch of the texts after the scripts, with mapped protected spans and the layers of the next attack."""
    batch = batch.seen_by(exchanges_options=False)
    texts = [script.text for script in scripts]
    if layers and batch.annotate is None:
        raise AugmentError(f"a chain needs an annotator for {', '.join(sorted(layers))}; give the batch one")
    docs = batch.annotate(texts, layers) if layers and batch.annotate else None
    protected = [
        [script.map(span) or _around(script, span) for span in batch.protected(row)]
        for row, script in enumerate(scripts)
    ]
    borders = [
        [_place(script, border) for border in row]
        for row, script in zip(batch.borders or [[]] * len(scripts), scripts, strict=True)
    ]

    def contexts() -> list[Context]:
        return [
            replace(
                context,
                options=None if context.options is None else _place(script, context.options),
                right=context.right and _around(script, context.right),
                wrong=tuple(_around(script, span) for span in context.wrong),
            )
            for context, script in zip(batch.contexts, scripts, strict=True)
        ]

    return Batch(texts, docs, protected, borders, batch.annotate, contexts=contexts)


def _place(script: Script, place: int) -> int:
    return cast("Span", script.map(Span(place, place))).start


def _around(script: Script, span: Span) -> Span:
    """The place of a span whose characters may have been replaced (a wrong option): its mapped start and stop."""
    return Span(_place(script, span.start), _place(script, span.stop), span.label)


def attack_of(
    spec: str, *, probability: float | None = None, options: Mapping[str, Mapping[str, Any]] | None = None
) -> Attack:
    """The attack of a name; `NAME+NAME…` is a chain.

    Args:
        spec: the name or names.
        probability: of each attack whose options give none; by default the attack's own.
        options: options by the name of the attack.

    Raises:
        AugmentError: a name or an option is unknown, or a value does not fit.
    """
    made = []
    for name in spec.split("+"):
        values = dict((options or {}).get(name, {}))
        if probability is not None:
            values.setdefault("probability", probability)
        made.append(make(name.strip(), values))
    if len(made) > 1:
        return Chain(tuple(made))
    return made[0]
