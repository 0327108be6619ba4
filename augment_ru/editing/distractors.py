"""Distractors: a sentence put behind a text, or another text in the place of a wrong option."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from augment_ru.draws import Ints, Keys, Streams, unit
from augment_ru.editing.corpus import Corpus, is_option, mentions
from augment_ru.editing.on_demand import in_rounds
from augment_ru.editing.sentences import words
from augment_ru.edits import Change, Edit, Span
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch, Context
from augment_ru.text.characters import Mask

_MARKS = ".!?…"
_LINKS = ("EMAIL", "URL", "MENTION", "HASHTAG", "MARKUP")
_REACH = 1000
"""Characters of a text, from its end, that say what it is about."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for a distractor.

    Attributes:
        row: the text of the batch.
        place: the end of the text, where a sentence is put; or the wrong option that is replaced.
        before: what the distractor follows: the text, or the question without its options.
        text: the whole text.
        context: what the record says about it.
        closed: the text ends in a link or the like, beside which no full stop is put.
    """

    row: int
    place: Span
    before: str
    text: str
    context: Context
    closed: bool = False

    @property
    def is_option(self) -> bool:
        """Whether an option is replaced."""
        return self.place.start < self.place.stop

    @property
    def old(self) -> str:
        """The option that is replaced; nothing for a sentence."""
        return self.place.of(self.text)

    def fits(self, new: str) -> bool:
        """Whether a distractor may stand here: it gives no answer away, and nothing like it stands here already."""
        if any(mentions(new, answer) for answer in (*self.context.answers, *self.context.unsaid)):
            return False
        if not self.is_option:
            return not any(plain(new) in plain(text) for text in (self.text, *self.context.beside))
        others = [self.context.right, *self.context.wrong]
        taken = {plain(span.of(self.text)) for span in others if span is not None}
        return (
            is_option(new)
            and plain(new) not in taken
            and not any(mentions(answer, new) for answer in self.context.answers)
        )


def plain(text: str) -> str:
    """A text without what does not tell two distractors apart: case, marks at its ends, ё."""
    return " ".join(text.split()).strip(" .!?…«»\"'").casefold().replace("ё", "е")


class Generator(Protocol):
    """Writes distractors."""

    def __call__(self, gaps: Sequence[Gap], keys: Keys) -> Sequence[Sequence[str]]:
        """What may stand in each gap, as it is written there: the one that was drawn, and others in its stead."""


def distract(batch: Batch, streams: Streams, probability: float, generate: Generator) -> Proposals:
    """A sentence at the end of each text, or another text for each wrong option of a question.

    As with rewritten sentences, only what may become active is written: what has a rank below the
    probability, and of a text with none, the lowest ranks until one has a distractor.
    """
    gaps = [gap for row in range(len(batch)) for gap in _gaps(batch, row)]
    rows = np.array([gap.row for gap in gaps], dtype=np.int64)
    places = batch.starts[rows] + np.array([gap.place.start for gap in gaps], dtype=np.int64)
    ranks = batch.draw(streams, places)
    keys = batch.keys(Streams.of(streams.keys, "distract"), places)
    changes: list[list[Change]] = [[] for _ in range(len(batch))]
    taken: list[set[str]] = [set() for _ in range(len(batch))]

    def work(wanted: Ints) -> Mask:
        new = generate([gaps[at] for at in wanted.tolist()], keys[wanted])
        done = np.zeros(wanted.size, dtype=np.bool_)
        # in the order of ranks, so that what a lower probability spends has the first choice
        for at in np.argsort(ranks[wanted], kind="stable").tolist():
            gap = gaps[wanted[at]]
            text = next((text for text in new[at] if plain(text) not in taken[gap.row]), None)
            if text is not None:
                taken[gap.row].add(plain(text))
                changes[gap.row].append(
                    Change(float(ranks[wanted[at]]), (Edit(gap.place.start, gap.place.stop, text),))
                )
                done[at] = True
        return done

    in_rounds(rows, ranks, probability, work)
    return Proposals.of_changes(batch, changes)


def _gaps(batch: Batch, row: int) -> Iterator[Gap]:
    text, context = batch.texts[row], batch.contexts[row]
    if context.options is not None:
        spans = batch.protected(row)
        before = text[: context.options].strip()
        for wrong in context.wrong:
            free = not any(one.start < wrong.stop and one.stop > wrong.start for one in spans)
            if free and words(wrong.of(text)):
                yield Gap(row, wrong, before, text, context)
    elif words(text) and not context.judged:
        end = len(text.rstrip())
        closed = any(span.stop == end and span.label in _LINKS for span in batch.protected(row))
        yield Gap(row, Span(end, end), text[:end], text, context, closed)


def from_corpus(corpus: Corpus, nearest: int) -> Generator:
    """Draws one of the `nearest` texts of a corpus, by topic, of those that fit."""

    def generate(gaps: Sequence[Gap], keys: Keys) -> list[list[str]]:
        points = unit(keys, np.zeros(keys.size, dtype=np.int64)).tolist()
        return [_drawn(corpus, gap, nearest, point) for gap, point in zip(gaps, points, strict=True)]

    return generate


def _drawn(corpus: Corpus, gap: Gap, nearest: int, point: float) -> list[str]:
    if gap.is_option:
        known, order = corpus.options, corpus.near_option(gap.old, gap.before)
    else:
        known, order = corpus.sentences, corpus.near(gap.before[-_REACH:])
    shaped = sorted(order, key=lambda at: gap.is_option and _mark(known[at]) != _mark(gap.old))
    fitting = list(islice((known[at] for at in shaped if gap.fits(known[at])), nearest))
    first = int(point * len(fitting))
    return [placed(gap, text) for text in fitting[first:] + fitting[:first]]


def _mark(text: str) -> str:
    """The mark at its end: an option that is a sentence gives way to a sentence, if there is one."""
    return text[-1] if text[-1] in _MARKS else ""


def placed(gap: Gap, new: str) -> str:
    """A distractor as it is written in its place: a sentence behind a full stop, an option like the old one."""
    if not gap.is_option:
        last = gap.before[-1]
        is_open = last.isalnum() or (last in '»)”"' and gap.before[-2:-1] not in tuple(_MARKS))
        return f"{'. ' if is_open and not gap.closed else ' '}{new}"
    if gap.old[0].islower() and not new[1:2].isupper():
        new = new[0].lower() + new[1:]
    elif gap.old[0].isupper():
        new = new[0].upper() + new[1:]
    return new.rstrip(_MARKS) + gap.old[len(gap.old.rstrip(_MARKS)) :]
