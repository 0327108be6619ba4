"""The edits of several attacks, one after another, as changes of the original text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from augment_ru.draws import Streams, first_of_each
from augment_ru.edits import Change, Edit, Span
from augment_ru.engine.attack import Attack, proposals_of
from augment_ru.engine.edit_table import apply, one_by_one
from augment_ru.engine.legality import legal
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.search import cut
from augment_ru.errors import AugmentError
from augment_ru.script import Script, compose
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask
from augment_ru.text.context import Context


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


def composed_proposals(
    attacks: Sequence[Attack], probability: float, batch: Batch, streams: Streams, chosen: Mask
) -> Proposals:
    """The composed changes of the attacks that are chosen for each text.

    All are active at the probability of the composition. Of a text that all attacks leave clean, the change of the
    lowest rank is proposed, which is not active.

    Args:
        attacks: the parts, in the order in which they are applied.
        probability: of the composition.
        batch: the original texts.
        streams: their random draws.
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
        seen = current.seen_by(attack)
        found = legal(seen, proposals_of(attack, seen, Streams.of(streams.keys, stage, attack.name)))
        rows = current.rows(found.starts[found.first_edits]) if found.ranks.size else found.first_edits
        active = cut(found, rows, attack.probability, attack.min_changes)
        if attack.min_changes == 0:
            _note_spare(spare, current, found.keep(~active & chosen[rows, stage]), attack.probability)
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
    """Keep the change of the lowest rank of each text in `spare`; ranks are divided by the part's probability."""
    firsts = batch.rows(found.starts[found.first_edits]) if found.ranks.size else found.first_edits
    order = np.lexsort((found.ranks, firsts))
    lowest = order[first_of_each(firsts[order])]
    chosen = np.zeros(found.ranks.size, dtype=np.bool_)
    chosen[lowest] = True
    found = found.keep(chosen)
    alone = one_by_one(batch, found)
    for number, row in enumerate(firsts[chosen].tolist()):
        rank = float(found.ranks[number]) / probability
        if row not in spare or rank < spare[row].rank:
            spare[row] = Change(rank, alone[number].edits)


def _rewritten(batch: Batch, scripts: Sequence[Script], layers: frozenset[str]) -> Batch:
    """The batch of the texts after the scripts, with mapped protected spans and the layers of the next attack."""
    batch = batch.prepared
    texts = [script.text for script in scripts]
    if layers and batch.annotate is None:
        raise AugmentError(f"a chain needs an annotator for {', '.join(sorted(layers))}; give the batch one")
    docs = batch.annotate(texts, layers) if layers and batch.annotate else None
    protected = [
        [script.map(span) or _around(script, span) for span in batch.protected(row)]
        for row, script in enumerate(scripts)
    ]
    guarded = {
        name: [
            [script.map(span) or _around(script, span) for span in spans]
            for script, spans in zip(scripts, found, strict=True)
        ]
        for name, found in batch.guarded.items()
    }
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

    return Batch(texts, docs, protected, borders, batch.annotate, contexts=contexts, guarded=guarded)


def _place(script: Script, place: int, *, stop: bool = False) -> int:
    """Where a place stands after a script; one inside an edit goes to the start of what the edit wrote, or its stop."""
    mapped = script.map(Span(place, place))
    if mapped is not None:
        return mapped.start
    edit = next(edit for edit in script.edits if edit.start < place < edit.stop)
    end = _place(script, edit.stop)
    return end if stop else end - len(edit.text)


def _around(script: Script, span: Span) -> Span:
    """The place of a span whose characters may have been replaced: a wrong option, or what a later part may not touch.

    A span that begins or ends inside an edit is widened to all that the edit wrote.
    """
    return Span(_place(script, span.start), _place(script, span.stop, stop=True), span.label)
