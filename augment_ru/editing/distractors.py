"""Distractors: a sentence put behind a text, or another text in place of a wrong option."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from augment_ru.draws import Ints, Keys, Streams, unit
from augment_ru.editing.corpus import Corpus, contains_phrase, is_option
from augment_ru.editing.on_demand import in_rounds
from augment_ru.edits import Change, Edit, Span
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch, Context
from augment_ru.text.characters import Mask
from augment_ru.text.words import count_russian_words

_MARKS = ".!?…"
_LINKS = ("EMAIL", "URL", "MENTION", "HASHTAG", "MARKUP")
_REACH = 1000
"""How many characters at the end of a text decide its topic."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for a distractor.

    Attributes:
        row: the text of the batch.
        place: the end of the text, where a sentence is put; or the wrong option that is replaced.
        before: the text in front of the distractor: the whole text, or the question without its options.
        text: the whole text.
        context: what the record says about it.
        closed: whether the text ends in a link or the like, behind which no full stop is put.
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
        """The option that is replaced; "" for a sentence."""
        return self.place.of(self.text)

    def fits(self, new: str) -> bool:
        """Whether a distractor may stand here: it has no right answer in it, and the record does not contain it yet."""
        if any(contains_phrase(new, answer) for answer in (*self.context.answers, *self.context.forbidden)):
            return False
        if not self.is_option:
            return not any(comparable(new) in comparable(text) for text in (self.text, *self.context.beside))
        others = [self.context.right, *self.context.wrong]
        taken = {comparable(span.of(self.text)) for span in others if span is not None}
        return (
            is_option(new)
            and comparable(new) not in taken
            and not any(contains_phrase(answer, new) for answer in self.context.answers)
        )


def comparable(text: str) -> str:
    """The form in which distractors are compared: lower case, е for ё, no marks at the ends, single spaces."""
    return " ".join(text.split()).strip(" .!?…«»\"'").casefold().replace("ё", "е")


class Generator(Protocol):
    """Writes distractors."""

    def __call__(self, gaps: Sequence[Gap], keys: Keys) -> Sequence[Sequence[str]]:
        """Distractors for each gap, as they are written into it: the one that was drawn, then its substitutes."""


def distract(batch: Batch, streams: Streams, probability: float, generate: Generator) -> Proposals:
    """Propose a sentence at the end of each text, or another text for each wrong option of a question.

    As with rewritten sentences, only distractors that may become active are generated: those with a rank below
    the probability, and in a text without any, those of the lowest ranks until a gap has a distractor.
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
        # in the order of ranks: changes that are active at lower probabilities choose first
        for at in np.argsort(ranks[wanted], kind="stable").tolist():
            gap = gaps[wanted[at]]
            text = next((text for text in new[at] if comparable(text) not in taken[gap.row]), None)
            if text is not None:
                taken[gap.row].add(comparable(text))
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
            if free and count_russian_words(wrong.of(text)):
                yield Gap(row, wrong, before, text, context)
    elif count_russian_words(text) and not context.judged:
        end = len(text.rstrip())
        closed = any(span.stop == end and span.label in _LINKS for span in batch.protected(row))
        yield Gap(row, Span(end, end), text[:end], text, context, closed)


def from_corpus(corpus: Corpus, nearest: int) -> Generator:
    """A generator that draws from a corpus: one of the `nearest` texts by topic, among those that fit the gap."""

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
    """The closing mark of a text, else "": an option that is a sentence is replaced by a sentence where possible."""
    return text[-1] if text[-1] in _MARKS else ""


def placed(gap: Gap, new: str) -> str:
    """A distractor as it is written into the gap: a sentence behind a full stop; an option with the old one's case."""
    if not gap.is_option:
        last = gap.before[-1]
        is_open = last.isalnum() or (last in '»)”"' and gap.before[-2:-1] not in tuple(_MARKS))
        return f"{'. ' if is_open and not gap.closed else ' '}{new}"
    if gap.old[0].islower() and not new[1:2].isupper():
        new = new[0].lower() + new[1:]
    elif gap.old[0].isupper():
        new = new[0].upper() + new[1:]
    return new.rstrip(_MARKS) + gap.old[len(gap.old.rstrip(_MARKS)) :]
