"""The similarity `bertscore` (Zhang et al. 2019) of the benchmark TAPE: greedy matching of contextual embeddings.

In float32, scores equal those of the package `bert_score` 0.3.13 to within 1e-4. This implementation takes less time: a
reference is embedded once for all its candidates, texts of similar length share a batch, and a candidate with the same
tokens as its reference is not embedded at all.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.search import DIGITS
from augment_ru.engine.similarity import Scorer, Similarity, as_read
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.inference import pretrained
from augment_ru.inference.batches import TokensByDevice, each_batch, padded
from augment_ru.records.groups import grouped
from augment_ru.resources import SMALL, file_text
from augment_ru.text.characters import Mask
from augment_ru.version import version_of

if TYPE_CHECKING:
    from torch import Tensor

DEFAULT_MODEL = "bert-base-multilingual-cased"
LAYERS = {
    "bert-base-multilingual-cased": 9, "distilbert-base-multilingual-cased": 5,
    "xlm-roberta-base": 9, "xlm-roberta-large": 17, "xlm-mlm-100-1280": 10, "roberta-base": 10, "roberta-large": 17,
    "bert-base-uncased": 9, "bert-large-uncased": 18, "bert-base-cased-finetuned-mrpc": 9, "distilbert-base-uncased": 5,
    "albert-base-v2": 9, "deberta-xlarge-mnli": 40, "mdeberta-v3-base": 10, "mt5-base": 11,
}  # fmt: skip
"""The default layer of common encoders: the one that `bert_score` 0.3.13 chose on WMT16 (its utils.model2layers)."""


@dataclass(frozen=True, slots=True)
class BertScore(Similarity):
    """Computes BERTScore F1 with an encoder from Hugging Face; the defaults are those of `bert_score`.

    Args:
        model: the Hugging Face name of a model in the local cache, or the folder of a model.
        layer: the layer whose hidden states are compared, from 0 (embeddings); by default the one that `bert_score`
            chose for this model. Only the layers up to it are loaded.
        idf: a list of texts, or a file with one text in each line. Tokens are then weighted by their inverse document
            frequency in these texts. By default all tokens have the same weight.
        rescale: whether scores are rescaled, so that unrelated texts score 0: (score - baseline) / (1 - baseline).
        baseline: a file in the format of `bert_score` (its columns are LAYER,P,R,F: a layer, and the mean precision,
            recall and F1 of unrelated texts), as `augment-ru calibrate` writes it; needed for `rescale`.
        threshold: the lowest score that passes by default.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: `auto` (float32 on a CPU, bfloat16 on a GPU), `float32`, `bfloat16` or `float16`.
        batch_tokens: the most tokens in one forward call, padding included; 0 chooses a number for the device.
        as_read: whether candidates are compared as they are read («кошка» for 🐱); by default as they are written.
    """

    name: ClassVar[str] = "bertscore"
    model: str = DEFAULT_MODEL
    layer: int | None = None
    idf: str | tuple[str, ...] | None = None
    rescale: bool = False
    baseline: str | None = None
    threshold: float = 0.8
    device: str = "auto"
    dtype: str = "auto"
    batch_tokens: int = 0
    as_read: bool = False

    @classmethod
    def argument(cls, text: str) -> dict[str, Any]:
        """Return the options that the text after the colon of `bertscore:MODEL` or `bertscore:MODEL@LAYER` sets.

        >>> BertScore.argument("ai-forever/ruBert-base@9")
        {'model': 'ai-forever/ruBert-base', 'layer': 9}

        Raises:
            AugmentError: the part after the @ is not a whole number.
        """
        model, at, layer = text.rpartition("@")
        if not at or Path(text).is_dir():
            return {"model": text}
        if not layer.isdecimal():
            raise AugmentError(f"bertscore:{text}: '{layer}' is no layer; give a number, as in bertscore:{model}@9")
        return {"model": model, "layer": int(layer)}

    @property
    def signature(self) -> str:
        """States everything that a score depends on: model, layer, options, versions."""
        return _signature(self)

    @property
    def can_be_rescaled(self) -> bool:
        """Always True: BERTScore can be rescaled by the scores of unrelated texts."""
        return True

    def baseline_lines(self, references: Sequence[str], candidates: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a baseline file of `bert_score`: for each layer, the mean P, R and F1 of unrelated texts.

        Args:
            references: the first text of each pair.
            candidates: the second text of each pair, which has nothing to do with the first.

        Raises:
            AugmentError: the model is not in the local cache.
        """
        yield "LAYER,P,R,F"
        for layer in range(pretrained.config_of(self.model).num_hidden_layers + 1):
            plain = replace(self, layer=layer, rescale=False, baseline=None)
            scorer = plain.against(references)
            means = scorer.precision_recall_f1(np.arange(len(references)), candidates).mean(0)
            yield ",".join([str(layer), *(f"{value:.7f}" for value in means)])

    def against(self, references: Sequence[str]) -> "BertScorer":
        """Return a scorer for these original texts, which are embedded only once for all perturbed texts."""
        encoder = embedder(self.model, _layer(self), self.device, self.dtype, self.batch_tokens)
        weights = encoder.weights(_idf_texts(self.idf))
        return BertScorer(encoder, weights, _baseline(self), references, reads_notes=self.as_read)


def _layer(score: BertScore) -> int:
    """Return the layer whose hidden states are compared.

    Raises:
        AugmentError: the model is not in the local cache, it has no such layer, or no layer is given and the model is
            not in `LAYERS`.
    """
    with saying_instead(lambda error: f"{error}; the default, `similarity` meaning, needs no model", AugmentError):
        layers = int(pretrained.config_of(score.model).num_hidden_layers)
    layer = score.layer
    if layer is None:
        base = score.model.rstrip("/").rsplit("/", 1)[-1]
        layer = LAYERS.get(base)
        if layer is None:
            raise AugmentError(
                f"bertscore: no layer is known for {score.model}; give one from 0 to {layers}, "
                f"as in bertscore:{score.model}@{max(layers * 3 // 4, 1)}"
            )
    if not 0 <= layer <= layers:
        raise AugmentError(f"bertscore: layer {layer} of {score.model}; it has layers 0 to {layers}")
    return layer


@lru_cache(maxsize=4)
def _idf_texts(idf: str | tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the texts in which document frequencies are counted; None if tokens are not weighted.

    Raises:
        AugmentError: the file cannot be read.
    """
    if not isinstance(idf, str):
        return idf
    return tuple(file_text(Path(idf), f"bertscore: idf {idf}", what="a file of texts, one a line").splitlines())


@lru_cache(maxsize=4)
def _baseline(score: BertScore) -> float | None:
    """Return the F1 of unrelated texts at the layer, read from the baseline file; None if scores are not rescaled.

    Raises:
        AugmentError: no file is given, it cannot be read, or it has no value below 1 for the layer.
    """
    if not score.rescale:
        return None
    if score.baseline is None:
        raise AugmentError(
            "bertscore: rescale needs bertscore.baseline, a file LAYER,P,R,F; none is published for Russian, "
            "so measure one: augment-ru calibrate IN.jsonl --similarity bertscore --write-baseline FILE"
        )
    layer = _layer(score)
    where = f"bertscore: baseline {score.baseline}"
    with saying_instead(lambda error: f"{where}: cannot be read as LAYER,P,R,F ({error})", ValueError, IndexError):
        lines = file_text(Path(score.baseline), where, most=SMALL).split()
        rows = {int(line.split(",")[0]): float(line.split(",")[3]) for line in lines[1:]}
    if layer not in rows or not rows[layer] < 1:
        raise AugmentError(f"{where}: no value under 1 for layer {layer}")
    return rows[layer]


@lru_cache(maxsize=16)
def _signature(score: BertScore) -> str:
    layer = _layer(score)
    device = pretrained.device_of(score.device)
    dtype = str(pretrained.dtype_of(score.dtype, device)).removeprefix("torch.")
    texts = _idf_texts(score.idf)
    idf = "no" if texts is None else pretrained.short_digest("\n".join(texts).encode())
    baseline = _baseline(score)
    return (
        f"bertscore:{pretrained.fingerprint(score.model)}@{layer}|F1|idf={idf}"
        f"|rescale={'no' if baseline is None else baseline}{'|as-read' if score.as_read else ''}"
        f"|{dtype}|transformers-{version_of('transformers')}|v1"
    )


_BATCH_TOKENS = TokensByDevice(cpu=512, gpu=65_536)
"""The most tokens in a batch, padding included. A CPU is not faster with more than about 300, and small batches need
less padding; a GPU needs its larger number to be busy."""


class TokenEmbedder:
    """Embeds the tokens of texts with the lower layers of an encoder from Hugging Face and its tokenizer.

    Args:
        loaded: the model and its tokenizer.
        limit: how many tokens of a text the model reads at most.
        batch_tokens: the most tokens in one forward call, padding included; 0 chooses a number for the device.
    """

    def __init__(self, loaded: pretrained.Pretrained, limit: int, batch_tokens: int) -> None:
        self._loaded, self.limit = loaded, limit
        self.budget = batch_tokens or _BATCH_TOKENS.on(loaded.device)
        self._model = loaded.model.get_encoder() if loaded.model.config.is_encoder_decoder else loaded.model
        self._tokenizer = loaded.tokenizer
        self.specials = int(loaded.tokenizer.num_special_tokens_to_add(pair=False))
        """The number of special tokens that the tokenizer adds to a text."""
        self.is_exact = str(loaded.dtype) == "torch.float32"
        """Whether the model computes in float32, whose rounding errors are far below the last digit of a score."""
        # a text that is too long has a warning in its row instead of one on the screen
        self._tokenizer.deprecation_warnings["sequence-length-is-longer-than-the-specified-maximum"] = True

    def tokens(self, texts: Sequence[str]) -> list[Ints]:
        """Return the token ids of each text, with special tokens; texts that are too long for the model are not cut."""
        spaced = type(self._tokenizer).__name__.startswith(("GPT2", "Roberta"))  # bert_score does so for these
        stripped = [f" {text.strip()}" if spaced and text.strip() else text.strip() for text in texts]
        found = self._tokenizer(stripped, add_special_tokens=True, truncation=False)["input_ids"] if texts else []
        return [np.asarray(ids, dtype=np.int64) for ids in found]

    def shortened(self, ids: Ints) -> Ints:
        """Cut the token ids of a text to the length that the model reads; the special tokens that end a text stay."""
        if ids.size <= self.limit:
            return ids
        empty = np.asarray(self._tokenizer("")["input_ids"], dtype=np.int64)
        leading = 0
        while leading < empty.size and ids[leading] == empty[leading]:
            leading += 1
        ending = empty[leading:]
        return np.concatenate([ids[: self.limit - ending.size], ending])

    def embed(self, rows: Sequence[Ints]) -> "tuple[Tensor, Tensor, Tensor]":
        """Embed texts, given as token ids, in one forward call.

        Returns:
            A unit vector for each token, shape (texts, tokens, width), float32; a mask of the tokens that are not
            padding, shape (texts, tokens); and the token ids, shape (texts, tokens).
        """
        import torch  # noqa: PLC0415  (an extra)

        ids, mask = padded(rows, self._loaded.device, pad=self._tokenizer.pad_token_id or 0)
        needs_mask = len({row.size for row in rows}) > 1
        with torch.inference_mode():
            hidden = self._model(input_ids=ids, attention_mask=mask if needs_mask else None).last_hidden_state
            return torch.nn.functional.normalize(hidden.float(), dim=-1), mask.bool(), ids

    @lru_cache(maxsize=4)  # noqa: B019  (the last four encoders are kept anyway)
    def weights(self, texts: tuple[str, ...] | None) -> "Tensor":
        """Return the weight of each token id in a score, shape (vocabulary,); it is computed once for the same texts.

        The weight is the inverse document frequency in `texts`, or 1 if `texts` is None. Special tokens weigh 0.
        """
        import torch  # noqa: PLC0415  (an extra)

        size = max(len(self._tokenizer), self._loaded.model.config.vocab_size)
        if texts is None:
            weights = torch.ones(size)
            specials = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id)
            weights[[number for number in specials if number is not None]] = 0.0
            return weights.to(self._loaded.device)
        # every text has the special tokens, so their weight is 0 here, too
        rows = [self.shortened(ids) for ids in self.tokens(texts)]
        counts = Counter(number for ids in rows for number in set(ids.tolist()))
        weights = torch.full((size,), float(np.log(len(rows) + 1)))
        for number, count in counts.items():
            weights[number] = float(np.log((len(rows) + 1) / (count + 1)))
        return weights.to(self._loaded.device)


@lru_cache(maxsize=4)
def embedder(model: str, layer: int, device: str, dtype: str, batch_tokens: int) -> TokenEmbedder:
    """Load the encoder of a model, up to one layer; the last four encoders are cached.

    Args:
        model: the Hugging Face name of a model in the local cache, or the folder of a model.
        layer: the last layer that is loaded, from 0 (embeddings).
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: `auto` (float32 on a CPU, bfloat16 on a GPU), `float32`, `bfloat16` or `float16`.
        batch_tokens: the most tokens in one forward call, padding included; 0 chooses a number for the device.

    Raises:
        AugmentError: there is no such model, device or format, or the model has no tokenizer.
    """
    loaded = pretrained.load("AutoModel", model, device=device, dtype=dtype, layers=layer)
    config: Any = loaded.model.config
    limit = int(loaded.tokenizer.model_max_length)
    positions = getattr(config, "max_position_embeddings", 0) or limit
    if hasattr(loaded.model, "embeddings") and "roberta" in config.model_type:
        positions -= config.pad_token_id + 1  # RoBERTa numbers its positions from there
    return TokenEmbedder(loaded, min(limit, positions), batch_tokens)


def _weighted(values: "Tensor", weights: "Tensor") -> "Tensor":
    return (values * weights).sum(1) / weights.sum(1)


class BertScorer(Scorer):
    """Gives perturbed texts their BERTScore F1 against fixed original texts, whose embeddings stay on the device.

    Args:
        encoder: embeds texts.
        weights: the weight of each token id, shape (vocabulary,).
        baseline: the F1 of unrelated texts, which is rescaled to 0; None if scores are not rescaled.
        references: the original texts.
        reads_notes: whether perturbed texts are compared as they are read («кошка» for 🐱), not as they are written.
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
        self._encoder, self._weights, self._baseline, self._reads_notes = encoder, weights, baseline, reads_notes
        self._references = references
        self._numbers: dict[int, int] = {}  # of the references that are embedded, in the next two
        self._stored: list[Ints] = []
        self._vectors: list[Tensor] = []
        self._cut: dict[int, int] = {}  # tokens of the longest text that was too long, by reference
        self.passes = 0
        """How many texts the model has embedded so far."""
        self.noise = NOISE
        """How much the other texts of a batch may change a score in float32."""

    @property
    def warnings(self) -> dict[int, tuple[str, ...]]:
        """Maps the index of an original to the warnings that it or its perturbed texts are too long for the model."""
        limit = self._encoder.limit
        return {
            index: (f"bertscore: compared by the first {limit} of {count} tokens, which is all the model takes",)
            for index, count in self._cut.items()
        }

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Return the F1 of each perturbed text against its original, shape (candidates,), at most 1.

        Before rescaling, equal texts score 1 and an empty text scores 0. In float32, a rounded score does not depend on
        the other texts.

        Args:
            indices: for each perturbed text, the index of its original among the references, shape (candidates,).
            candidates: the perturbed texts.
        """
        candidates = list(as_read(candidates) if self._reads_notes else candidates)
        scores = self._rescaled(self.precision_recall_f1(indices, candidates)[:, 2])
        if self._encoder.is_exact:
            # the last bits of a score depend on the texts that share its forward call; where they would decide how it
            # is rounded, it is computed again, alone
            for place in np.flatnonzero(_is_near_border(scores, self.noise)).tolist():
                alone = BertScorer(self._encoder, self._weights, None, [self._references[indices[place]]])
                ((_, _, f1),) = alone.precision_recall_f1(np.zeros(1, dtype=np.int64), [candidates[place]])
                scores[place] = self._rescaled(f1)
                self.passes += alone.passes
        return scores

    def _rescaled(self, scores: Floats) -> Floats:
        return scores if self._baseline is None else (scores - self._baseline) / (1 - self._baseline)

    def precision_recall_f1(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Return precision, recall and F1 of each perturbed text against its original, shape (candidates, 3).

        The values are not rescaled.

        Args:
            indices: for each perturbed text, the index of its original among the references, shape (candidates,).
            candidates: the perturbed texts.
        """
        tokens = self._tokens(indices.tolist(), candidates)
        self._embed(sorted({int(index) for index in indices}))
        scores = np.empty((len(candidates), 3))
        sent: dict[tuple[int, bytes], list[int]] = {}
        for place, (index, ids) in enumerate(zip(indices.tolist(), tokens, strict=True)):
            reference = self._stored[self._numbers[index]]
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
                found.append((batch, self._compare(owners[batch], embedded, mask, ids)))

            each_batch(lengths, self._encoder.budget, compare)
            self.passes += len(places)
            for batch, values in found:  # read at the end, so that a GPU need not wait after each batch
                for at, value in zip(batch.tolist(), values.tolist(), strict=True):
                    scores[places[at]] = value
        return scores

    def _compare(self, owners: Ints, candidates: "Tensor", mask: "Tensor", ids: "Tensor") -> "Tensor":
        """Compute precision, recall and F1 of candidates against embedded references, shape (candidates, 3).

        Each token is matched with the token of the other text that has the highest cosine (Zhang et al. 2019, section
        3). A token may be matched with a special token, but the matches of special tokens themselves do not count.

        Args:
            owners: the number of the reference of each candidate among those that are embedded, shape (candidates,).
            candidates: a unit vector for each token, shape (candidates, tokens, width).
            mask: which tokens are not padding, shape (candidates, tokens).
            ids: the token ids, shape (candidates, tokens).
        """
        import torch  # noqa: PLC0415  (an extra)

        numbers = owners.tolist()
        with torch.inference_mode():
            ids_of_references, present = padded([self._stored[number] for number in numbers], candidates.device)
            present = present.bool()
            own = [self._vectors[number] for number in numbers]
            references = torch.nn.utils.rnn.pad_sequence(own, batch_first=True)
            cosines = torch.bmm(candidates, references.transpose(1, 2))
            cosines.masked_fill_(~(mask[:, :, None] & present[:, None, :]), -1.0)
            precision = _weighted(cosines.amax(2), self._weights[ids] * mask)
            recall = _weighted(cosines.amax(1), self._weights[ids_of_references] * present)
            total = precision + recall
            scores = torch.where(total == 0, torch.zeros_like(total), 2 * precision * recall / total)
            return torch.nan_to_num(torch.stack([precision, recall, scores], dim=1))

    def _tokens(self, indices: Sequence[int], texts: Sequence[str]) -> list[Ints]:
        """Return the token ids of texts, cut to what the model reads, and note for `warnings` which were cut.

        Args:
            indices: for each text, the index of the reference that it is, or whose candidate it is.
            texts: the texts.
        """
        rows = self._encoder.tokens(texts)
        for index, ids in zip(indices, rows, strict=True):
            if ids.size > self._encoder.limit:
                self._cut[index] = max(ids.size, self._cut.get(index, 0))
        return [self._encoder.shortened(ids) for ids in rows]

    def _embed(self, indices: Sequence[int]) -> None:
        """Embed and store the references with these indices, except those that are stored already.

        References with equal tokens share one embedding.
        """
        new = [index for index in indices if index not in self._numbers]
        if not new:
            return
        import torch  # noqa: PLC0415  (an extra)

        tokens = self._tokens(new, [self._references[index] for index in new])
        distinct = grouped((ids.tobytes(), at) for at, ids in enumerate(tokens))
        firsts = [tokens[where[0]] for where in distinct.values()]

        def keep(batch: Ints) -> None:
            rows = [firsts[at] for at in batch.tolist()]
            embedded, mask, _ = self._encoder.embed(rows)
            stored = torch.split(embedded[mask], [row.size for row in rows])
            for row, vectors in zip(rows, stored, strict=True):
                self._numbers.update((new[twin], len(self._stored)) for twin in distinct[row.tobytes()])
                self._stored.append(row)
                self._vectors.append(vectors)

        each_batch(np.array([ids.size for ids in firsts]), self._encoder.budget, keep)
        self.passes += len(firsts)


NOISE = 1e-6
"""Five times the largest difference measured in float32 between the score of a pair alone and in a batch."""


def _is_near_border(scores: Floats, noise: float) -> Mask:
    """Return whether each score is nearer than `noise` to a border between two rounded values, shape (scores,)."""
    scaled = scores * 10**DIGITS
    near: Mask = np.abs(scaled - np.floor(scaled) - 0.5) < noise * 10**DIGITS
    return near
