"""Rewrites sentences with a model, for the attacks `back_translation` and `paraphrase`.

Each sentence is one change with its own rank (a random number in [0, 1)). The model is given only the sentences whose
changes may be made, of all texts of a batch at once. It first rewrites the whole sentence. If its output does not have
every protected span letter for letter, it rewrites the ranges between the protected spans instead.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from augment_ru.draws import Ints, Keys, Streams
from augment_ru.editing.on_demand import MadeOnDemand, changes_in_rounds, places_of
from augment_ru.edits import Edit, Span, shared_start
from augment_ru.engine.proposals import Proposals
from augment_ru.inference.generate import Decoding
from augment_ru.inference.memo import Memo
from augment_ru.inference.pretrained import Pretrained, load
from augment_ru.text.batch import Batch
from augment_ru.text.words import count_russian_words

LONGEST = 400
"""The longest range that a model is given, in characters, since models read at most 512 tokens.

A longer range is cut at a mark or between words.
"""
_LINE = re.compile(r"[\n\r\u2028\u2029\x0b\x0c\x85]+")
_EDGE = re.compile(r"\w")
_LEFT = re.compile(r"[^\w«\"“„'’(\[—–-]+")
_RIGHT = re.compile(r"[^\w»\"”’')\].!?…,:;%]+\Z")
_CUT = re.compile(r"[,;:—–)»]\s|\s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text; all places count from the start of the text.

    Attributes:
        start, stop: the range of the sentence, without the white space and emoji around it.
        protected: the protected spans in it, in order; spans that overlap or touch are merged.
        stretches: what a model may rewrite: the ranges between protected spans, in order. They have no white space at
            their edges and no punctuation beside a protected span.
    """

    start: int
    stop: int
    protected: tuple[Span, ...]
    stretches: tuple[tuple[int, int], ...]


def sentences(batch: Batch, row: int) -> Iterator[Sentence]:
    """Split a text into its sentences, in order.

    A line break or a border between options ends a sentence, too. Nothing inside a protected span ends one.

    Args:
        batch: the texts.
        row: the index of the text in the batch, from 0.
    """
    text = batch.texts[row]
    spans = _merged(batch.protected(row))
    borders = batch.borders[row] if row < len(batch.borders) else ()
    for start, stop in _bounds(text, spans, borders):
        inside = tuple(span for span in spans if span.start < stop and span.stop > start)
        yield Sentence(start, stop, inside, tuple(_stretches(text, start, stop, inside)))


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in spans:
        if merged and span.start <= merged[-1].stop:
            merged[-1] = Span(merged[-1].start, max(merged[-1].stop, span.stop))
        else:
            merged.append(Span(span.start, span.stop))
    return merged


def _bounds(text: str, spans: Sequence[Span], borders: Sequence[int]) -> Iterator[tuple[int, int]]:
    from razdel import sentenize  # noqa: PLC0415  (only attacks on sentences need it)

    hard = {0, len(text), *borders, *(place for match in _LINE.finditer(text) for place in match.span())}
    hard -= {place for span in spans for place in range(span.start + 1, span.stop)}
    for first, last in pairwise(sorted(hard)):
        start = first
        for sentence in sentenize(text[first:last]):
            stop = first + sentence.stop
            if stop < last and any(span.start < stop < span.stop for span in spans):
                continue  # a full stop inside a protected span ends no sentence
            left, right = _LEFT.match(text, start, stop), _RIGHT.search(text, start, stop)
            begin, end = left.end() if left else start, right.start() if right else stop
            if begin < end:
                yield begin, end
            start = stop


def _stretches(text: str, start: int, stop: int, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    edges = [start, *(place for span in spans for place in (span.start, span.stop)), stop]
    for number in range(0, len(edges), 2):
        first, last = edges[number], edges[number + 1]
        after, before = number > 0, number + 2 < len(edges)
        if first < last:
            yield from _pieces(text, *_trimmed(text, first, last, after=after, before=before))


def _trimmed(text: str, start: int, stop: int, *, after: bool, before: bool) -> tuple[int, int]:
    """Trim a range: cut white space at its edges, and beside a protected span everything up to the next word.

    Letters that touch the span are cut too, because they may be its ending («iPhone’ом»).

    Args:
        text: the text.
        start: the first character of the range.
        stop: the character after its last one.
        after: whether the range comes directly after a protected span.
        before: whether the range comes directly before a protected span.

    Returns:
        The start and stop of the trimmed range, which may be empty.
    """
    piece = text[start:stop]
    left, right = 0, len(piece)
    if after:
        word = re.match(r"\w+", piece)
        if word and start > 0 and _EDGE.match(text[start - 1]):
            left = word.end()
        match = _EDGE.search(piece, left)
        left = match.start() if match else right
    if before:
        tail = re.search(r"\w+$", piece)
        if tail and stop < len(text) and _EDGE.match(text[stop]):
            right = max(tail.start(), left)
        while right > left and not _EDGE.match(piece[right - 1]):
            right -= 1
    begin = start + right - len(piece[left:right].lstrip())
    return begin, begin + len(piece[left:right].strip())


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the range, or, if it is longer than `LONGEST` characters, the pieces that it is cut into.

    If there is no white space to cut at, the rest of the range is left out.
    """
    while stop - start > LONGEST:
        cuts = [start + match.end() for match in _CUT.finditer(text[start : start + LONGEST])]
        marks = [cut for cut in cuts if text[cut - 2 : cut - 1] in tuple(",;:—–)»") and cut - start > LONGEST // 4]
        if not cuts:
            return  # without white space it is no sentence
        cut = (marks or cuts)[-1]
        yield start, start + len(text[start:cut].rstrip())
        start = cut
        while start < stop and text[start].isspace():
            start += 1
    if start < stop:
        yield start, stop


_MARKS = ".!?…"


def formatted_like(source: str, output: str) -> str | None:
    """Give a model's output the letter case and the closing marks of its source; return None if the output is unusable.

    An output is unusable if it has no Russian word or if it contains the sign of an unknown token.

    >>> formatted_like("а кошка спала", "And the cat was asleep."), formatted_like("Он пришёл.", "он приехал")
    (None, 'Он приехал.')
    >>> formatted_like("Он пришёл?", "Он приехал.")
    'Он приехал?'
    >>> formatted_like("а кошка спала", "А кошка уснула."), formatted_like("кто там", "⁇")
    ('а кошка уснула', None)
    """
    text = " ".join(output.split())
    if not count_russian_words(text) or "\ufffd" in text or "⁇" in text or "<unk>" in text:
        return None
    text = text.rstrip(_MARKS).rstrip() + source[len(source.rstrip(_MARKS)) :]  # a question stays a question
    first = source[0]
    if source.isupper() and count_russian_words(source) > 1:
        return text.upper()
    if first.islower() and text[0].isupper() and not text[1:2].isupper():
        return text[0].lower() + text[1:]
    if first.isupper() and text[0].islower():
        return text[0].upper() + text[1:]
    return text


def aligned(text: str, sentence: Sentence, output: str) -> list[Edit] | None:
    """Return the edits that turn a sentence into a model's output; none of them touches a protected span.

    The result is None if the output lacks a protected span or has the spans in another order. The output must have each
    span letter for letter, as whole words.

    >>> text = "Вчера Анна приехала в Москву."
    >>> sentence = Sentence(0, 29, (Span(6, 10), Span(22, 28)), ())
    >>> [edit.text for edit in aligned(text, sentence, "Накануне Анна прибыла в Москву.") or []]
    ['Накануне ', ' прибыла в ']
    >>> aligned(text, sentence, "Накануне Анна была в Москве.") is None
    True

    Args:
        text: the text that the sentence is in.
        sentence: the sentence.
        output: what the model wrote instead of the sentence.
    """
    edits: list[Edit] = []
    at, place = sentence.start, 0
    for span in sentence.protected:
        kept = text[max(span.start, sentence.start) : min(span.stop, sentence.stop)]
        left = r"(?<!\w)" if kept[:1].isalnum() else ""
        right = r"(?!\w)" if kept[-1:].isalnum() else ""
        match = re.compile(left + re.escape(kept) + right).search(output, place)
        if match is None:
            return None
        edits.append(Edit(at, max(span.start, at), output[place : match.start()]))
        at, place = span.stop, match.end()
    edits.append(Edit(at, max(sentence.stop, at), output[place:]))
    return [edit for edit in edits if edit.text != text[edit.start : edit.stop]]


Rewrite = Callable[[Sequence[str], Keys], Sequence[str | None]]
"""A model: a function from texts and the keys of their random draws to new texts; None for a text it cannot rewrite."""


def rewrite_sentences(
    batch: Batch, streams: Streams, probability: float, rewrite: Rewrite, *, min_words: int, least: int = 1
) -> Proposals:
    """Propose to replace sentences by what a model writes instead; each sentence is one change.

    The model rewrites the sentences whose rank (a random number in [0, 1)) is below the probability. If a text then has
    fewer than `least` changes, sentences with the next lowest ranks are tried.

    Args:
        batch: the texts.
        streams: the random draws of each text.
        probability: the share of the sentences that are rewritten, in [0, 1].
        rewrite: the model: a function from texts and the keys of their random draws to new texts.
        min_words: if the rewritten form lacks a protected span of the sentence, only the pieces between such spans are
            rewritten; a piece with fewer Russian words than this stays as it is.
        least: how many sentences of each text are rewritten if possible, at least 1.
    """
    places = [
        (row, sentence)
        for row in range(len(batch))
        for sentence in sentences(batch, row)
        if any(_enough(batch.texts[row], stretch, sentence, min_words) for stretch in sentence.stretches)
    ]
    starts = places_of(batch, ((row, sentence.start) for row, sentence in places))
    keys = batch.keys(Streams.of(streams.keys, "rewrite"), starts)

    def write(wanted: Ints) -> list[list[Edit]]:
        return _edits(batch, [places[at] for at in wanted.tolist()], keys[wanted], rewrite, min_words)

    return changes_in_rounds(batch, starts, batch.draw(streams, starts), probability, write, least=least)


def _enough(text: str, stretch: tuple[int, int], sentence: Sentence, min_words: int) -> bool:
    """Tell whether a range has enough Russian words: `min_words`, or one if its sentence has no protected span."""
    return count_russian_words(text[slice(*stretch)]) >= (min_words if sentence.protected else 1)


def _edits(
    batch: Batch, places: Sequence[tuple[int, Sentence]], keys: Keys, rewrite: Rewrite, min_words: int
) -> list[list[Edit]]:
    """Rewrite sentences; return the edits of each one, or an empty list if the model changes nothing in it."""
    found: list[list[Edit] | None] = [None] * len(places)
    whole = [at for at, (_, sentence) in enumerate(places) if sentence.stop - sentence.start <= LONGEST]
    sources = [batch.texts[row][one.start : one.stop] for row, one in (places[at] for at in whole)]
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
    sources = [batch.texts[places[at][0]][slice(*stretch)] for at, stretch in pieces]
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
    """Return the edit from `old` to `new`, without the words at either end that are equal; [] if the texts are equal.

    Args:
        start: the place in the text where `old` starts.
        old: the old text.
        new: the new text.
    """
    if old == new:
        return []
    left = old.rfind(" ", 0, shared_start(old, new)) + 1
    rest, other = old[left:][::-1], new[left:][::-1]
    right = rest.rfind(" ", 0, shared_start(rest, other)) + 1
    return [Edit(start + left, start + len(old) - right, new[left : len(new) - right])]


_memo: Memo[str | None] = Memo()


@dataclass(frozen=True, slots=True)
class SentenceRewriting(MadeOnDemand):
    """An attack that rewrites sentences by neural networks; each sentence is one change.

    Args:
        probability: the share of the sentences that are rewritten, in [0, 1].
        beams: the width of the beam search, at least 1.
        temperature: if it is set (over 0), tokens are drawn at random at this temperature; None uses beam search.
        top_k: with a temperature, each token is drawn from this many likeliest ones, at least 1.
        min_words: if the rewritten form lacks a protected span of the sentence, only the pieces between such spans are
            rewritten; a piece with fewer Russian words than this stays as it is.
        device: the device of the networks: auto, cpu or cuda[:N].
        dtype: the number format of their weights.

    Raises:
        AugmentError: a value is out of its range.
    """

    probability: float = 0.5
    beams: int = 4
    temperature: float | None = None
    top_k: int = 50
    min_words: int = 4
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        _ = self.decoding  # so that a wrong value is an error before the run starts

    @property
    def decoding(self) -> Decoding:
        """The settings with which the networks generate texts: beams, temperature, top-k."""
        return Decoding(beams=self.beams, temperature=self.temperature, top_k=self.top_k)

    def network(self, name: str) -> Pretrained:
        """Load an encoder-decoder model on the attack's device.

        Args:
            name: a hub name in the local cache, or a folder.
        """
        return load("AutoModelForSeq2SeqLM", name, device=self.device, dtype=self.dtype)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to replace sentences by what the networks write instead.

        They rewrite the sentences whose rank (a random number in [0, 1)) is below the probability. If a text then has
        fewer than `least` changes, they rewrite those with the next lowest ranks.
        """
        return rewrite_sentences(
            batch, streams, self.probability, self.rewrite, min_words=self.min_words, least=self.least
        )

    def rewrite(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """Return a new form of each text; None for a text for which no usable output was generated.

        Args:
            texts: sentences or parts of sentences.
            keys: the key (seed) of each text's random draws, shape (texts,).
        """
        if self.decoding.drawn or not texts:
            return self.generate(texts, keys) if texts else []
        same = replace(self, probability=0.0)
        return _memo(same, texts, lambda new: self.generate(new, keys[:1].repeat(len(new))) if new else [])

    @abstractmethod
    def generate(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """Return a new form of each text; None for a text for which no usable output was generated.

        `rewrite` calls this with at least one text. If no random draws are made, `rewrite` caches the result.

        Args:
            texts: sentences or parts of sentences.
            keys: the key (seed) of each text's random draws, shape (texts,).
        """
