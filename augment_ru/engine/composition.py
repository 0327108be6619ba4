"""Compositions: attacks made of attacks, applied one after another (`Chain`), or chosen (`OneOf`, `SomeOf`).

A composition proposes edits that lead directly from the original text to the final text. So protected spans, search and
offsets work as for any attack. In `Chain`, `SomeOf` and `OneOf` each part (attack) has its own probability. A composed
edit gets the lowest rank (random number that decides whether an edit is made) of the edits that it was composed of, so
the search can also make only some of the composed changes.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np

from augment_ru.draws import Floats, Streams, first_of_each
from augment_ru.edits import Change, Span
from augment_ru.engine.attack import Attack, Needs, attack_name, checked_attack, make, own_attack, proposals_of
from augment_ru.engine.edit_table import apply, one_by_one
from augment_ru.engine.legality import legal, without_overlaps
from augment_ru.engine.proposals import Proposals, side_by_side
from augment_ru.engine.search import cut
from augment_ru.errors import AugmentError
from augment_ru.records.groups import grouped
from augment_ru.registry import chain_names, is_own, refuse
from augment_ru.script import Script, compose
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, marked
from augment_ru.text.context import Context


class Composition(Attack):
    """An attack made of several attacks, which are called its parts.

    Its layers of annotation, guards (constraints that it keeps to) and so on are those of its parts.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def parts(self) -> tuple[Attack, ...]:
        """The attacks that the composition is made of."""

    @property
    def layers(self) -> frozenset[str]:
        """The layers of annotation, such as lemmas, that the attacks of the composition read."""
        return frozenset().union(*(attack.layers for attack in self.parts))

    @property
    def needs(self) -> Needs:
        """What all attacks of the composition need together: layers of annotation, guards (constraints) and so on.

        The guards of an attack apply only to its own changes.
        """
        return Needs.of_all(attack.needs for attack in self.parts)

    @property
    def min_changes(self) -> int:
        """The fewest changes that each record gets: the largest `min_changes` of the attacks of the composition."""
        return max(attack.min_changes for attack in self.parts)

    @property
    def exchanges(self) -> frozenset[str]:
        """The labels of the protected names, such as `PER`, that any attack of the composition may replace."""
        return frozenset().union(*(attack.exchanges for attack in self.parts))

    @property
    def exchanges_options(self) -> bool:
        """Whether any attack of the composition may replace the wrong options (offered answers) of a question."""
        return any(attack.exchanges_options for attack in self.parts)

    @property
    def wants_corpus(self) -> bool:
        """Whether an attack of the composition needs a corpus (texts from the run's input) and was not given it yet."""
        return any(attack.wants_corpus for attack in self.parts)

    @property
    def corpus_digest(self) -> str:
        """The different SHA-256 digests of the corpora that the attacks of the composition read, joined by `+`."""
        return "+".join(dict.fromkeys(digest for attack in self.parts if (digest := attack.corpus_digest)))


class Named(Composition):
    """A composition that is used by its name like any attack; it makes its parts (attacks) from its own fields.

    All parts read the original text. Of changes that overlap, only the change with the lowest rank (random number) is
    proposed. So a change that is made at some probability is also made at any higher probability.

    To write a named composition, inherit from this class in a frozen dataclass with a `name` and a `probability`, and
    define `parts`. No part may need a corpus (texts from the input of the run) or run a network. The probabilities of
    the parts are ignored. A change is made if its rank (see `rank_of`) is below the probability of the composition.
    """

    __slots__ = ()

    def rank_of(self, part: Attack, ranks: Floats) -> Floats:
        """Return the ranks of the changes of one attack in the composition, shape (changes,).

        A rank is the random number in [0, 1) of a change, which is made if it is below the probability of the
        composition. By default the ranks are those that the attack itself gave. Lower ranks make an attack more
        frequent.

        Args:
            part: the attack.
            ranks: the ranks that this attack gave its changes, shape (changes,).
        """
        del part
        return ranks

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the changes of all attacks of the composition, without those that overlap a change of a lower rank.

        Args:
            batch: the texts.
            streams: the random streams of the texts.
        """
        proposed = [self._of_part(number, batch, streams) for number in range(len(self.parts))]
        return without_overlaps(side_by_side(proposed))

    def _of_part(self, number: int, batch: Batch, streams: Streams) -> Proposals:
        """Return the legal changes that part `number` proposes, with their ranks in the composition."""
        part = self.parts[number]
        seen = batch.seen_by(part.view)
        found = legal(seen, proposals_of(part, seen, Streams.of(streams.keys, number, part.name)))
        return replace(found, ranks=self.rank_of(part, found.ranks))


class NamedOneOf(Named):
    """A named composition that applies only one of its attacks to each text.

    For each text, the attack is drawn at random from those that can change it.
    """

    __slots__ = ()

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose, for each text, the changes of the one attack that is drawn for it."""
        proposed = [self._of_part(number, batch, streams) for number in range(len(self.parts))]
        rows = [batch.rows(found.starts[found.first_edits]) for found in proposed]
        possible = np.stack([np.bincount(found, minlength=len(batch)) > 0 for found in rows], axis=1)
        chosen = np.argmin(np.where(possible, _draws(len(batch), len(self.parts), streams), 1.0), axis=1)
        kept = [
            found.keep(chosen[row] == number) for number, (found, row) in enumerate(zip(proposed, rows, strict=True))
        ]
        return side_by_side(kept)


class _Listed(Composition):
    """A composition of attacks that the user lists."""

    __slots__ = ()
    attacks: Sequence[Attack | str]

    def __post_init__(self) -> None:
        if isinstance(self.attacks, str) or not self.attacks:
            raise AugmentError(f"{type(self).__name__}: needs a sequence of at least one attack")
        made = tuple(
            attack_of(part, may_import=True) if isinstance(part, str) else checked_attack(part) for part in self.attacks
        )
        if alone := next((attack.name for attack in made if attack.permutes_options), None):
            raise AugmentError(f"{alone}: permutes options, and joins no other attack; give it by itself")
        object.__setattr__(self, "attacks", made)

    @property
    def needs(self) -> Needs:
        """What the attacks need to know about texts: about any text, since one reads what another has written."""
        return super().needs._replace(wants=(), layered=())

    @property
    def parts(self) -> tuple[Attack, ...]:
        """The listed attacks; names were replaced by the attacks with these names."""
        return cast("tuple[Attack, ...]", self.attacks)

    @property
    def probability(self) -> float:
        """The largest probability of its parts."""
        return max(attack.probability for attack in self.parts)

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (as `Attack.with_corpus`)
        """Return the composition with this corpus in each part that wants one."""
        return self._with_parts(attack.with_corpus(corpus) for attack in self.parts)

    def with_probability(self, probability: float) -> Self:
        """Return the composition with this probability for each part."""
        return self._with_parts(attack.with_probability(probability) for attack in self.parts)

    def on_device(self, device: str) -> Self:
        """Return the composition with the networks of its parts on a device; the same object if it has no networks."""
        parts = [attack.on_device(device) for attack in self.parts]
        same = all(new is part for new, part in zip(parts, self.parts, strict=True))
        return self if same else self._with_parts(parts)

    def _with_parts(self, parts: Iterable[Attack]) -> Self:
        return cast("Self", replace(cast("Any", self), attacks=tuple(parts)))


@dataclass(frozen=True, slots=True)
class Chain(_Listed):
    """Applies attacks one after another, each to the text that the one before it returned.

    Args:
        attacks: attacks or their names, in the order in which they are applied.

    Raises:
        AugmentError: there is no attack, or a name is unknown.
    """

    attacks: Sequence[Attack | str]

    @property
    def name(self) -> str:
        """The names of the attacks joined by `+`, such as `a+b`."""
        return "+".join(attack.name for attack in self.parts)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the changes that lead from each original text to the text that the last attack returns."""
        every = np.ones((len(batch), len(self.attacks)), dtype=np.bool_)
        return composed_proposals(self.parts, self.probability, batch, streams, every)


@dataclass(frozen=True, slots=True)
class SomeOf(_Listed):
    """Applies some of the attacks, chosen at random for each text, one after another in the given order.

    Args:
        attacks: attacks or their names.
        count: how many of the attacks are applied to each text, from 1 to their number.

    Raises:
        AugmentError: there is no attack, a name is unknown, or `count` is out of range.
    """

    attacks: Sequence[Attack | str]
    count: int = 2

    def __post_init__(self) -> None:
        _Listed.__post_init__(self)
        if not 1 <= self.count <= len(self.attacks):
            raise AugmentError(f"SomeOf: count {self.count}; needs an integer from 1 to {len(self.attacks)}")

    @property
    def name(self) -> str:
        """The name: how many attacks are chosen, and the names of all, such as `2of(a|b|c)`."""
        return f"{self.count}of({'|'.join(attack.name for attack in self.parts)})"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the changes that the attacks drawn for a text make in it, applied one after another."""
        draws = _draws(len(batch), len(self.attacks), streams)
        chosen = np.argsort(np.argsort(draws, axis=1), axis=1) < self.count
        return composed_proposals(self.parts, self.probability, batch, streams, chosen)


@dataclass(frozen=True, slots=True)
class OneOf(SomeOf):
    """Applies one of the attacks, chosen at random for each text.

    Args:
        attacks: attacks or their names.

    Raises:
        AugmentError: there is no attack, or a name is unknown.
    """

    count: int = field(default=1, init=False, repr=False)


def _draws(texts: int, attacks: int, streams: Streams) -> Floats:
    """Draw from U[0, 1) for each text and attack, shape (texts, attacks)."""
    rows, stages = np.divmod(np.arange(texts * attacks), attacks)
    return Streams.of(streams.keys, "choice").uniform(rows, stages).reshape(texts, attacks)


def attack_of(spec: str, *, options: Mapping[str, Mapping[str, Any]] | None = None, may_import: bool = False) -> Attack:
    """Make an attack from its name, or a chain of attacks from names joined by `+`.

    Args:
        spec: the name or names.
        options: maps the name of an attack to the values of its options.
        may_import: whether a name may be that of the user's own code, such as `my_attack.py`.

    Raises:
        AugmentError: a name or an option is unknown, or a value does not fit.
    """
    made = []
    for name in chain_names(spec):
        if not may_import:
            refuse(name)
        values = (options or {}).get(attack_name(name), {})
        made.append(own_attack(name, values) if is_own(name) else make(name, values))
    return Chain(tuple(made)) if len(made) > 1 else made[0]


@dataclass(slots=True)
class _Steps:
    """The edits that the parts of a composition applied so far have made in one text.

    Attributes:
        script: leads from the original text to the current one.
        ranks: the rank of each change, by its number.
        changes: the number of the change that each edit of the script belongs to.
    """

    script: Script
    ranks: dict[int, float] = field(default_factory=dict)  # of changes
    changes: list[int] = field(default_factory=list)  # of the script's edits

    def then(self, script: Script, changes: Sequence[int], ranks: Mapping[int, float]) -> "_Steps":
        """Return these steps followed by another script.

        Changes whose edits are composed into one edit become one change, with the lowest of their ranks.

        Args:
            script: edits of the current text.
            changes: the number of the change that each of these edits belongs to.
            ranks: the rank of each of these changes, by its number.
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
        """Return the changes of the original text, with their ranks multiplied by `scale`."""
        edits = grouped(zip(self.changes, self.script.edits, strict=True))
        return [Change(self.ranks[change] * scale, tuple(found)) for change, found in edits.items()]


_BELOW_ONE = 1.0 - 2.0**-40


def composed_proposals(
    attacks: Sequence[Attack], probability: float, batch: Batch, streams: Streams, chosen: Mask
) -> Proposals:
    """Apply attacks one after another to each text, and return the changes from the original to the last text.

    All these changes get ranks (random numbers) below the probability of the composition, so all are made. If no attack
    changes a text, one possible change is proposed with a higher rank: the engine makes it only if each record must get
    a change.

    Args:
        attacks: the attacks of the composition, in the order in which they are applied.
        probability: the probability of the composition.
        batch: the original texts.
        streams: the random streams of the texts.
        chosen: whether each attack is applied to each text, shape (texts, attacks).
    """
    texts = [_Steps(Script(text)) for text in batch.texts]
    spare: dict[int, Change] = {}
    current = batch
    number = 0
    stages = [(stage, attack) for stage, attack in enumerate(attacks) if attack.probability > 0]
    for place, (stage, attack) in enumerate(stages):
        if place:
            current = _rewritten(batch, [text.script for text in texts], attack.layers)
        seen = current.seen_by(attack.view)
        found = legal(seen, proposals_of(attack, seen, Streams.of(streams.keys, stage, attack.name)))
        rows = current.rows(found.starts[found.first_edits]) if found.ranks.size else found.first_edits
        active = cut(found, rows, attack.probability, attack.min_changes)
        if attack.min_changes == 0:  # of texts as they were: a later part may undo what an earlier one has changed
            untouched = np.array([not text.script.edits for text in texts], dtype=np.bool_)
            unused = found.keep(~active & chosen[rows, stage] & untouched[rows])
            _note_spare(spare, current, unused, attack.probability)
        found = found.keep(active & chosen[rows, stage])
        applied = apply(current, found, np.ones(found.ranks.size, dtype=np.bool_))
        order = np.lexsort((found.stops, found.starts))
        changes = (found.changes[order] + number).tolist()
        ranks = np.minimum(found.ranks / attack.probability, _BELOW_ONE).tolist()
        bounds = applied.firsts.tolist()
        for row in applied.changed.tolist():
            own = changes[bounds[row] : bounds[row + 1]]
            texts[row] = texts[row].then(applied[row], own, {change: ranks[change - number] for change in own})
        number += found.ranks.size
    proposed = [text.proposed(probability) for text in texts]
    for row, change in spare.items():
        proposed[row] = proposed[row] or [replace(change, rank=min(change.rank * probability, _BELOW_ONE))]
    return Proposals.of_changes(batch, proposed)


def _note_spare(spare: dict[int, Change], batch: Batch, found: Proposals, probability: float) -> None:
    """Put the change of the lowest rank in each text into `spare`, unless it holds one with a lower rank already.

    Args:
        spare: the inactive change that is held for each text, by the number of the text; it is modified.
        batch: the texts.
        found: inactive changes of one part.
        probability: the probability of the part, by which the ranks of `found` are divided.
    """
    firsts = batch.rows(found.starts[found.first_edits]) if found.ranks.size else found.first_edits
    order = np.lexsort((found.ranks, firsts))
    lowest = order[first_of_each(firsts[order])]
    chosen = marked(found.ranks.size, lowest)
    found = found.keep(chosen)
    alone = one_by_one(batch, found)
    for number, row in enumerate(firsts[chosen].tolist()):
        rank = float(found.ranks[number]) / probability
        if row not in spare or rank < spare[row].rank:
            spare[row] = Change(rank, alone[number].edits)


def _rewritten(batch: Batch, scripts: Sequence[Script], layers: frozenset[str]) -> Batch:
    """Make the batch of the texts that some parts have made; protected spans and borders are mapped to these texts.

    Args:
        batch: the original texts.
        scripts: the script of each text so far.
        layers: the layers of annotation that the next attack reads.

    Raises:
        AugmentError: layers are needed and the batch has no annotator.
    """
    batch = batch.prepared
    texts = [script.text for script in scripts]
    if layers and batch.annotate is None:
        raise AugmentError(f"a chain needs an annotator for {', '.join(sorted(layers))}; give the batch one")
    docs = batch.annotate(texts, layers) if layers and batch.annotate else None

    def moved(rows: Sequence[Sequence[Span]]) -> list[list[Span]]:
        pairs = zip(scripts, rows, strict=True)
        return [[script.map(span) or _around(script, span) for span in spans] for script, spans in pairs]

    protected = moved([batch.protected(row) for row in range(len(batch))])
    guarded = {name: moved(found) for name, found in batch.guarded.items()}
    rows = zip(batch.borders or [[]] * len(scripts), scripts, strict=True)
    borders = [[_place(script, border) for border in row] for row, script in rows]

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

    return Batch(texts, docs, protected, borders, batch.annotate, contexts=contexts, guarded=guarded)


def _place(script: Script, place: int, *, stop: bool = False) -> int:
    """Map a place of the source to the new text. A place inside an edit goes to the start of the edit's new text.

    With `stop` it goes to the end of the edit's new text instead.
    """
    mapped = script.map(Span(place, place))
    if mapped is not None:
        return mapped.start
    edit = next(edit for edit in script.edits if edit.start < place < edit.stop)
    end = _place(script, edit.stop)
    return end if stop else end - len(edit.text)


def _around(script: Script, span: Span) -> Span:
    """Map a span to the new text, even if its characters were edited, such as those of a wrong option.

    If it begins or ends inside an edit, it is widened to include the edit's whole new text.
    """
    return Span(_place(script, span.start), _place(script, span.stop, stop=True), span.label)
