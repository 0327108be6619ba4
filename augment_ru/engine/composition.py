"""Attacks made of attacks: one after another, one of several, some of several.

A composition proposes the edits that lead from the original straight to the last text, so that protection,
search and offsets work on it as on any attack. Its parts spend their own probabilities; a composed edit has
the lowest rank of what went into it, so that it, too, can be spent in part.
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
    """An attack made of attacks: what every composition states, by its parts."""

    __slots__ = ()
    attacks: Sequence[Attack | str]

    def __post_init__(self) -> None:
        if isinstance(self.attacks, str) or not self.attacks:
            raise AugmentError(f"{type(self).__name__}: needs a sequence of at least one attack")
        made = tuple(attack_of(part) if isinstance(part, str) else checked(part) for part in self.attacks)
        object.__setattr__(self, "attacks", made)

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The attacks, made where a name was given."""
        return cast("tuple[Attack, ...]", self.attacks)

    @property
    def probability(self) -> float:
        """The largest of its parts'."""
        return max(attack.probability for attack in self.parts)

    @property
    def layers(self) -> frozenset[str]:
        """What its parts read."""
        return frozenset().union(*(attack.layers for attack in self.parts))

    @property
    def exchanges_options(self) -> bool:
        """Whether one of its parts does."""
        return any(attack.exchanges_options for attack in self.parts)

    @property
    def wants_corpus(self) -> bool:
        """Whether one of its parts does."""
        return any(attack.wants_corpus for attack in self.parts)

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (as `Attack.with_corpus`)
        """Each part with the corpus, if it wants it."""
        return self._with_parts(attack.with_corpus(corpus) for attack in self.parts)

    def with_probability(self, probability: float) -> Self:
        """Each part with another probability."""
        return self._with_parts(attack.with_probability(probability) for attack in self.parts)

    def on_device(self, device: str) -> Self:
        """Each part with its networks on a device; the composition itself if none runs a network."""
        parts = [attack.on_device(device) for attack in self.parts]
        same = all(new is part for new, part in zip(parts, self.parts, strict=True))
        return self if same else self._with_parts(parts)

    def _with_parts(self, parts: Iterable[Attack]) -> Self:
        return cast("Self", replace(cast("Any", self), attacks=tuple(parts)))


@dataclass(frozen=True, slots=True)
class Chain(Composition):
    """Each attack (or its name) on the outcome of the one before.

    Raises:
        AugmentError: there is no attack, or none of such a name.
    """

    attacks: Sequence[Attack | str]

    @property
    def name(self) -> str:
        """`a+b`."""
        return "+".join(attack.name for attack in self.parts)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The edits of all its parts, composed."""
        every = np.ones((len(batch), len(self.attacks)), dtype=np.bool_)
        return _composed(self.parts, self.probability, batch, streams, every)


@dataclass(frozen=True, slots=True)
class SomeOf(Composition):
    """Several of the attacks (or their names), chosen at random for each text, in the order given.

    Raises:
        AugmentError: there is no attack, none of such a name, or `count` is not 1 to their number.
    """

    attacks: Sequence[Attack | str]
    count: int = 2

    def __post_init__(self) -> None:
        Composition.__post_init__(self)
        if not 1 <= self.count <= len(self.attacks):
            raise AugmentError(f"SomeOf: {self.count} of {len(self.attacks)} attacks; count must be 1 to that")

    @property
    def name(self) -> str:
        """`2of(a|b|c)`."""
        return f"{self.count}of({'|'.join(attack.name for attack in self.parts)})"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The edits of the chosen parts, composed."""
        chosen = _chosen(len(batch), len(self.attacks), self.count, streams)
        return _composed(self.parts, self.probability, batch, streams, chosen)


@dataclass(frozen=True, slots=True)
class OneOf(Composition):
    """One of the attacks (or their names), chosen at random for each text.

    Raises:
        AugmentError: there is no attack, or none of such a name.
    """

    attacks: Sequence[Attack | str]

    @property
    def name(self) -> str:
        """`1of(a|b)`."""
        return f"1of({'|'.join(attack.name for attack in self.parts)})"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The edits of the chosen part."""
        chosen = _chosen(len(batch), len(self.attacks), 1, streams)
        return _composed(self.parts, self.probability, batch, streams, chosen)


def _chosen(texts: int, attacks: int, count: int, streams: Streams) -> Mask:
    """Which attacks each text gets, shape (texts, attacks): those of the lowest draws."""
    rows, stages = np.divmod(np.arange(texts * attacks), attacks)
    draws = Streams.of(streams.keys, "choice").uniform(rows, stages).reshape(texts, attacks)
    chosen: Mask = np.argsort(np.argsort(draws, axis=1), axis=1) < count
    return chosen


@dataclass(slots=True)
class _Steps:
    """A text on its way through the attacks: the script so far, and the change that each edit is part of."""

    script: Script
    ranks: dict[int, float] = field(default_factory=dict)  # of changes
    changes: list[int] = field(default_factory=list)  # of the script's edits

    def then(self, script: Script, changes: Sequence[int], ranks: Mapping[int, float]) -> "_Steps":
        """The composition with another script after it, its edits' changes and their ranks."""
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
        """Its changes, with ranks below `scale`."""
        edits: dict[int, list[Edit]] = {}
        for edit, change in zip(self.script.edits, self.changes, strict=True):
            edits.setdefault(change, []).append(edit)
        return [Change(self.ranks[change] * scale, tuple(found)) for change, found in edits.items()]


_BELOW_ONE = 1.0 - 2.0**-40


def _composed(attacks: Sequence[Attack], probability: float, batch: Batch, streams: Streams, chosen: Mask) -> Proposals:
    """What the chosen attacks (shape (texts, attacks)) make of each text, as changes of the original."""
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
    """The batch after scripts, annotated as the next attack needs; what is protected stays protected."""
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
    """Where a span stands that was perhaps rewritten inside (a wrong option): the places of its edges."""
    return Span(_place(script, span.start), _place(script, span.stop), span.label)


def attack_of(
    spec: str, *, probability: float | None = None, options: Mapping[str, Mapping[str, Any]] | None = None
) -> Attack:
    """The attack that a text names: `NAME`, or `NAME+NAME…` for a chain.

    Args:
        spec: the names.
        probability: for each attack, in place of its default.
        options: options of attacks, by attack.

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
