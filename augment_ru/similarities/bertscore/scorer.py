"""Scores of candidates by BERTScore against references that are embedded once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.search import DIGITS
from augment_ru.engine.similarity import Scorer, as_read
from augment_ru.similarities.bertscore.encoder import TokenEmbedder
from augment_ru.similarities.bertscore.store import ReferenceStore
from augment_ru.text.characters import Mask

if TYPE_CHECKING:
    from torch import Tensor


class BertScorer(Scorer):
    """Scores candidates against fixed references, whose embeddings stay on the device.

    Args:
        encoder: embeds texts.
        weights: the weight of each token id, shape (vocabulary,).
        baseline: the F1 of unrelated texts, for rescaling; None: scores are not rescaled.
        references: the original texts.
        reads_notes: whether candidates are compared as they are read.
    """

    runs_network = True

    def __init__(
        self,
        encoder: TokenEmbedder,
        weights: "Tensor",
        baseline: float | None,
        references: Sequence[str],
        *,
        reads_notes: bool = False,
    ) -> None:
        self._encoder, self._baseline, self._reads_notes = encoder, baseline, reads_notes
        self._references = references
        self._numbers: dict[int, int] = {}  # of the references that are embedded, in the store
        self._store = ReferenceStore(weights)
        self._cut: dict[int, int] = {}  # tokens of the longest text that was too long, by reference
        self.passes = 0
        """How many texts went through the model."""
        self.noise = NOISE
        """How far the other texts of a batch may move a score in float32."""

    @property
    def warnings(self) -> dict[int, tuple[str, ...]]:
        """References that were compared with a text longer than the model reads, and a sentence that says so."""
        limit = self._encoder.limit
        return {
            index: (f"bertscore: compared by the first {limit} of {count} tokens, which is all the model takes",)
            for index, count in self._cut.items()
        }

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """F1 of the candidates against the references of these indices, shape (candidates,), at most 1.

        Equal texts score 1 and an empty text 0 (before rescaling), without the model. The last bits of a score depend
        on the batch it was computed in; in float32, a score so near to a rounding border that they could decide is
        computed again, for the pair alone.
        """
        candidates = list(as_read(candidates) if self._reads_notes else candidates)
        scores = self._rescaled(self.precision_recall_f1(indices, candidates)[:, 2])
        if self._encoder.is_exact:
            for place in np.flatnonzero(_is_near_border(scores, self.noise)).tolist():
                alone = BertScorer(self._encoder, self._store.weights, None, [self._references[indices[place]]])
                ((_, _, f1),) = alone.precision_recall_f1(np.zeros(1, dtype=np.int64), [candidates[place]])
                scores[place] = self._rescaled(f1)
                self.passes += alone.passes
        return scores

    def _rescaled(self, scores: Floats) -> Floats:
        return scores if self._baseline is None else (scores - self._baseline) / (1 - self._baseline)

    def precision_recall_f1(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Precision, recall and F1 without rescaling, shape (candidates, 3)."""
        tokens = self._tokens(indices.tolist(), candidates)
        self._embed(sorted({int(index) for index in indices}))
        scores = np.empty((len(candidates), 3))
        sent: dict[tuple[int, bytes], list[int]] = {}
        for place, (index, ids) in enumerate(zip(indices.tolist(), tokens, strict=True)):
            reference = self._store.tokens[self._numbers[index]]
            if min(ids.size, reference.size) <= self._encoder.specials:
                scores[place] = 0.0
            elif np.array_equal(ids, reference):
                scores[place] = 1.0
            else:
                sent.setdefault((self._numbers[index], ids.tobytes()), []).append(place)
        if sent:
            places = list(sent.values())
            lengths = np.array([tokens[first].size for first, *_ in places])
            owners = np.array([row for row, _ in sent])
            found: list[tuple[Ints, Tensor]] = []

            def compare(batch: Ints) -> None:
                embedded, mask, ids = self._encoder.embed([tokens[places[at][0]] for at in batch.tolist()])
                found.append((batch, self._store.compare(owners[batch], embedded, mask, ids)))

            self._encoder.each_batch(lengths, compare)
            self.passes += len(places)
            for batch, values in found:  # read at the end, so that a GPU need not wait after each batch
                for at, value in zip(batch.tolist(), values.tolist(), strict=True):
                    scores[places[at]] = value
        return scores

    def _tokens(self, indices: Sequence[int], texts: Sequence[str]) -> list[Ints]:
        """The token ids of texts, as many as the model reads; `indices`: the reference of each text."""
        rows = self._encoder.tokens(texts)
        for index, ids in zip(indices, rows, strict=True):
            if ids.size > self._encoder.limit:
                self._cut[index] = max(ids.size, self._cut.get(index, 0))
        return [self._encoder.shortened(ids) for ids in rows]

    def _embed(self, indices: Sequence[int]) -> None:
        """Embed the references of these indices that are not in the store yet; those of equal tokens once."""
        new = [index for index in indices if index not in self._numbers]
        if not new:
            return
        tokens = self._tokens(new, [self._references[index] for index in new])
        distinct: dict[bytes, list[int]] = {}
        for at, ids in enumerate(tokens):
            distinct.setdefault(ids.tobytes(), []).append(at)
        firsts = [tokens[where[0]] for where in distinct.values()]

        def keep(batch: Ints) -> None:
            embedded, mask, _ = self._encoder.embed([firsts[at] for at in batch.tolist()])
            rows = self._store.add([firsts[at] for at in batch.tolist()], embedded, mask)
            for at, row in zip(batch.tolist(), rows, strict=True):
                for twin in distinct[firsts[at].tobytes()]:
                    self._numbers[new[twin]] = row

        self._encoder.each_batch(np.array([ids.size for ids in firsts]), keep)
        self.passes += len(firsts)


NOISE = 1e-6
"""Five times the largest difference that was seen between the scores of a pair alone and in a batch, in float32."""


def _is_near_border(scores: Floats, noise: float) -> Mask:
    """Whether each score is so near to a rounding border that its last bits decide how it is rounded."""
    scaled = scores * 10**DIGITS
    near: Mask = np.abs(scaled - np.floor(scaled) - 0.5) < noise * 10**DIGITS
    return near
