"""Sentences rewritten by a model: what the attacks back_translation and paraphrase share.

Each sentence is one change with a rank of its own. The model is given the sentences that the probability may make
active, those of all texts of a batch at once. It is given the whole sentence first; if a protected span is not
in its output letter for letter, it is given the stretches between the protected spans.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Ints, Keys, Streams
from augment_ru.editing.on_demand import in_rounds
from augment_ru.editing.sentences import LONGEST, Sentence, aligned, formatted_like, sentences
from augment_ru.edits import Change, Edit
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask
from augment_ru.text.words import count_russian_words

Rewrite = Callable[[Sequence[str], Keys], Sequence[str | None]]
"""A model: from texts and the keys of their random draws to rewritten texts; None for a text it cannot rewrite."""


class PlacedSentence(NamedTuple):
    """A sentence, and the number of its text in the batch."""

    row: int
    sentence: Sentence


def rewrite_sentences(
    batch: Batch, streams: Streams, probability: float, rewrite: Rewrite, *, min_words: int, least: int = 1
) -> Proposals:
    """Propose the rewritten form of each sentence that may become active.

    These are the sentences whose rank is below the probability. In a text without such a sentence, those of the
    lowest ranks are tried one after another until one has a new form.

    Args:
        batch: the texts.
        streams: their random draws.
        probability: the attack's.
        rewrite: the model.
        min_words: a stretch beside a protected span that has fewer Russian words stays as it is.
        least: as in `in_rounds`.
    """
    places = [
        PlacedSentence(row, sentence)
        for row in range(len(batch))
        for sentence in sentences(batch, row)
        if any(_enough(batch.texts[row], stretch, sentence, min_words) for stretch in sentence.stretches)
    ]
    rows = np.array([place.row for place in places], dtype=np.int64)
    starts = batch.starts[rows] + np.array([place.sentence.start for place in places], dtype=np.int64)
    ranks = batch.draw(streams, starts)
    keys = batch.keys(Streams.of(streams.keys, "rewrite"), starts)
    changes: list[list[Change]] = [[] for _ in range(len(batch))]

    def work(wanted: Ints) -> Mask:
        chosen = [places[at] for at in wanted.tolist()]
        found = _edits(batch, chosen, keys[wanted], rewrite, min_words)
        for place, rank, edits in zip(chosen, ranks[wanted].tolist(), found, strict=True):
            if edits:
                changes[place.row].append(Change(rank, tuple(edits)))
        return np.array([bool(edits) for edits in found], dtype=np.bool_)

    in_rounds(rows, ranks, probability, work, least=least)
    return Proposals.of_changes(batch, changes)


def _enough(text: str, stretch: tuple[int, int], sentence: Sentence, min_words: int) -> bool:
    """Whether a stretch has enough words; in a sentence without protected spans one word is enough."""
    return count_russian_words(text[slice(*stretch)]) >= (min_words if sentence.protected else 1)


def _edits(
    batch: Batch, places: Sequence[PlacedSentence], keys: Keys, rewrite: Rewrite, min_words: int
) -> list[list[Edit]]:
    """The edits of each sentence; none where the model changes nothing."""
    found: list[list[Edit] | None] = [None] * len(places)
    whole = [at for at, (_, sentence) in enumerate(places) if sentence.stop - sentence.start <= LONGEST]
    sources = [batch.texts[places[at].row][places[at].sentence.start : places[at].sentence.stop] for at in whole]
    for at, source, output in zip(whole, sources, _rewritten(rewrite, sources, keys[whole]), strict=True):
        row, sentence = places[at]
        new = None if output is None else formatted_like(source, output)
        if not sentence.protected:
            found[at] = [] if new is None else _narrowed(sentence.start, source, new)
        elif new is not None:
            found[at] = aligned(batch.texts[row], sentence, new)

    pieces = [
        (at, stretch)
        for at, (row, sentence) in enumerate(places)
        if found[at] is None
        for stretch in sentence.stretches
        if _enough(batch.texts[row], stretch, sentence, min_words)
    ]
    sources = [batch.texts[places[at].row][slice(*stretch)] for at, stretch in pieces]
    owners = np.array([at for at, _ in pieces], dtype=np.int64)
    starts = np.array([start for _, (start, _) in pieces], dtype=np.int64)
    edits: list[list[Edit]] = [known or [] for known in found]
    outputs = _rewritten(rewrite, sources, Streams(keys).inner(owners, starts))
    for (at, (start, _)), source, output in zip(pieces, sources, outputs, strict=True):
        new = None if output is None else formatted_like(source, output)
        if new is not None:
            edits[at] += _narrowed(start, source, new)
    return edits


def _rewritten(rewrite: Rewrite, sources: Sequence[str], keys: Keys) -> Sequence[str | None]:
    return rewrite(sources, keys) if sources else []


def _narrowed(start: int, old: str, new: str) -> list[Edit]:
    """The edit from `old` to `new` without the words that are equal at either end; none if nothing changes."""
    if old == new:
        return []
    left = old.rfind(" ", 0, _shared(old, new)) + 1
    rest, other = old[left:][::-1], new[left:][::-1]
    right = rest.rfind(" ", 0, _shared(rest, other)) + 1
    return [Edit(start + left, start + len(old) - right, new[left : len(new) - right])]


def _shared(one: str, other: str) -> int:
    """The length of the common prefix of two texts, in characters."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
