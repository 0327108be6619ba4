"""Слово заменяется или добавляется по контексту: «кошка спит на окне» → «кошка лежит на окне»."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from augment_ru.draws import Ints, Keys, Streams
from augment_ru.editing.on_demand import MadeOnDemand, changes_in_rounds, texts_at
from augment_ru.editing.replacing import written_like
from augment_ru.edits import Edit
from augment_ru.engine.attack import LOSSES, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.inference.generate import CLOSE, Decoding, chosen_of
from augment_ru.inference.masked import GapWord, same_kind, with_gap, words_for
from augment_ru.inference.memo import Memo
from augment_ru.inference.pretrained import Pretrained, load
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask
from augment_ru.text.words import RUSSIAN

MODES = ("replace", "insert", "either")
_memo: Memo[tuple[GapWord, ...]] = Memo(most=20_000)


class _Gap(NamedTuple):
    """A word of text number `row` that is replaced, or after which a word is inserted."""

    row: int
    start: int
    stop: int
    old: str
    """The word that is replaced, or the word that a new one is inserted after."""
    is_insertion: bool


@dataclass(frozen=True, slots=True)
class Bae(MadeOnDemand):
    """Replace words, or insert words after them, by a masked language model (BAE; Garg and Ramakrishnan 2020).

    Args:
        probability: the share of the Russian words that are replaced or get a word after them, in [0, 1].
        model: the masked language model: a hub name in the local cache, or a folder.
        mode: `replace`, `insert` or `either` (drawn for each word).
        same_pos: whether a word is replaced only by one of the same part of speech.
        temperature: the temperature at which words are drawn, over 0.
        top_k: each word is drawn from this many likeliest ones, at least 1.
        device: the device of the model: auto, cpu or cuda[:N].
        dtype: the number format of the model's weights.
        guards: the constraints that protect what a sentence must not lose, such as its negations and numbers. This
            attack never changes their spans, whatever the task.

    Raises:
        AugmentError: a value is out of its range, or there is no such constraint.
    """

    group: ClassVar[str] = "rewording"
    probability: float = 0.3
    model: str = "ai-forever/ruBert-base"
    mode: str = "replace"
    same_pos: bool = True
    temperature: float = 1.0
    top_k: int = 50
    device: str = "auto"
    dtype: str = "auto"
    guards: tuple[str, ...] = LOSSES

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        if self.mode not in MODES:
            raise AugmentError(f"bae.mode={self.mode}; possible: {', '.join(MODES)}")
        self._decoding()  # so that a wrong value is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to replace Russian words, or to insert words after them.

        The masked language model is asked only about as many words as the run needs, in the order of their ranks (the
        random numbers that decide which changes are made).
        """
        known = texts_at(batch, *batch.words)
        russian = np.array([RUSSIAN.fullmatch(word) is not None for word in known], dtype=np.bool_)
        starts = batch.words[0][russian]
        words = [word for word in known if RUSSIAN.fullmatch(word)]
        rows = batch.rows(starts)
        columns = zip(rows.tolist(), (starts - batch.starts[rows]).tolist(), words, strict=True)
        points = batch.draw(streams, starts, lane=1).tolist()
        inserts = {"insert": 0.0, "either": 1 / 2}.get(self.mode, 1.0)
        gaps = [
            _Gap(row, start, start + len(word), word, is_insertion=point >= inserts)
            for (row, start, word), point in zip(columns, points, strict=True)
        ]
        keys = batch.keys(Streams.of(streams.keys, "word"), starts)

        def write(wanted: Ints) -> list[list[Edit]]:
            some = [gaps[at] for at in wanted.tolist()]
            new = self._drawn_words(batch, some, keys[wanted])
            return [[] if word is None else [_edit(gap, word)] for gap, word in zip(some, new, strict=True)]

        ranks = batch.draw(streams, starts)
        return changes_in_rounds(batch, starts, ranks, self.probability, write, least=self.least)

    def words(self, contexts: Sequence[str], *, remembered: bool = True) -> Sequence[tuple[GapWord, ...]]:
        """Return the words that the masked language model gives for a gap in each text, the likeliest first.

        Args:
            contexts: texts with one gap each.
            remembered: whether the result of an earlier call with the same text may be returned from a cache.
        """
        model = self._loaded()
        if not remembered:
            return words_for(model, contexts)
        return _memo((self.model, str(model.device), str(model.dtype)), contexts, lambda new: words_for(model, new))

    def _drawn_words(self, batch: Batch, gaps: Sequence[_Gap], keys: Keys) -> list[str | None]:
        """Draw a word for each gap; None if the model gives no fitting word."""
        if not gaps:
            return []
        contexts = [_context(batch.texts[gap.row], gap) for gap in gaps]
        found, close = self._drawn(gaps, self.words(contexts), keys)
        for at in np.flatnonzero(close).tolist():  # a close draw is repeated alone, so that its batch does not matter
            one = slice(at, at + 1)
            (found[at],), _ = self._drawn(gaps[one], self.words(contexts[one], remembered=False), keys[one])
        return found

    def _drawn(
        self, gaps: Sequence[_Gap], listed: Sequence[tuple[GapWord, ...]], keys: Keys
    ) -> tuple[list[str | None], Mask]:
        fitting = [self._fitting(gap, words) for gap, words in zip(gaps, listed, strict=True)]
        width = max(*map(len, fitting), 1)
        values = np.full((len(gaps), width), -np.inf)
        tokens = np.zeros((len(gaps), width), dtype=np.int64)
        for at, words in enumerate(fitting):
            values[at, : len(words)] = [word.logit for word in words]
            tokens[at, : len(words)] = [word.token for word in words]
        # the choices of half-precision weights are never repeated
        tolerance = CLOSE if str(self._loaded().dtype) == "torch.float32" else 0.0
        chosen, close = chosen_of(values, tokens, keys, 0, decoding=self._decoding(), tolerance=tolerance)
        pairs = zip(fitting, chosen.tolist(), strict=True)
        return [words[number].text if words else None for words, number in pairs], close

    def _fitting(self, gap: _Gap, words: Sequence[GapWord]) -> list[GapWord]:
        """Return the words that fit a gap, each spelling once.

        One word more than may be drawn is returned: the difference to it shows whether the choice is close.
        """
        found: dict[str, GapWord] = {}
        for word in words:
            low = word.text.lower()
            if low == gap.old.lower() or low in found:
                continue
            if gap.is_insertion or not self.same_pos or same_kind(low, gap.old):
                found[low] = word
            if len(found) > self.top_k:
                break
        return list(found.values())

    def _loaded(self) -> Pretrained:
        return load("AutoModelForMaskedLM", self.model, device=self.device, dtype=self.dtype)

    def _decoding(self) -> Decoding:
        return Decoding(temperature=self.temperature, top_k=self.top_k)


def _context(text: str, gap: _Gap) -> str:
    if gap.is_insertion:
        return with_gap(f"{text[: gap.stop]} {text[gap.stop :]}", gap.stop + 1, gap.stop + 1)
    return with_gap(text, gap.start, gap.stop)


def _edit(gap: _Gap, word: str) -> Edit:
    if gap.is_insertion:
        shouted = gap.old.isupper() and len(gap.old) > 1
        return Edit(gap.stop, gap.stop, f" {word.upper() if shouted else word.lower()}")
    return Edit(gap.start, gap.stop, written_like(word.lower(), gap.old))
