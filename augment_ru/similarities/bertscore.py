"""BERTScore (Zhang et al. 2019), the gate of the paper: greedy matching of contextual embeddings.

The numbers are those of the `bert_score` package, 0.3.13, to 1e-4 in float32; the time is not, because a
reference is embedded once for all its candidates and rounds, texts of like length share a batch, and a
candidate that the tokenizer cannot tell from its reference is not embedded at all.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.search import DIGITS
from augment_ru.errors import AugmentError
from augment_ru.inference import pretrained
from augment_ru.inference.batches import each_batch
from augment_ru.text.characters import Mask

if TYPE_CHECKING:
    from torch import Tensor

DEFAULT_MODEL = "bert-base-multilingual-cased"
LAYERS = {
    "bert-base-multilingual-cased": 9, "distilbert-base-multilingual-cased": 5,
    "xlm-roberta-base": 9, "xlm-roberta-large": 17, "xlm-mlm-100-1280": 10, "roberta-base": 10, "roberta-large": 17,
    "bert-base-uncased": 9, "bert-large-uncased": 18, "bert-base-cased-finetuned-mrpc": 9, "distilbert-base-uncased": 5,
    "albert-base-v2": 9, "deberta-xlarge-mnli": 40, "mdeberta-v3-base": 10, "mt5-base": 11,
}  # fmt: skip
"""The layers that `bert_score` 0.3.13 chose on WMT16 (its utils.model2layers), of the encoders asked for most."""

_CPU_TOKENS, _GPU_TOKENS = 512, 65536
"""Padded tokens in a batch: past some 300 a CPU is not faster, and small batches pad less; the second fills a GPU."""


@dataclass(frozen=True, slots=True)
class BertScore:
    """BERTScore F1 over a Hugging Face encoder; options and defaults are those of `bert_score`.

    Args:
        model: a hub name in the local cache, or a folder.
        layer: whose hidden states are compared, from 0 (embeddings); by default the one that `bert_score`
            chose for this model. Only the layers up to it are loaded.
        idf: a file of texts, one a line, or the texts; word pieces then weigh by their inverse document frequency
            in them. By default all weigh alike.
        rescale: whether 0 stands for the score of unrelated texts: (score - baseline) / (1 - baseline).
        baseline: a file in the layout of `bert_score` (LAYER,P,R,F), as `augment-ru calibrate` writes it.
        threshold: the score from which on a candidate passes by default.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: `auto` (float32 on a CPU, bfloat16 on a GPU), `float32`, `bfloat16` or `float16`.
        batch_tokens: padded tokens in a batch; 0 chooses by the device.
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

    @staticmethod
    def argument(text: str) -> dict[str, Any]:
        """The options that `MODEL` or `MODEL@LAYER` stands for, as in `bertscore:MODEL@LAYER`.

        >>> BertScore.argument("ai-forever/ruBert-base@9")
        {'model': 'ai-forever/ruBert-base', 'layer': 9}

        Raises:
            AugmentError: what stands behind the @ is no number.
        """
        model, at, layer = text.rpartition("@")
        if not at or Path(text).is_dir():
            return {"model": text}
        if not layer.isdecimal():
            raise AugmentError(f"bertscore:{text}: '{layer}' is no layer; give a number, as in bertscore:{model}@9")
        return {"model": model, "layer": int(layer)}

    @property
    def signature(self) -> str:
        """All that defines the number."""
        return _signature(self)

    def __call__(self, references: Sequence[str], candidates: Sequence[str]) -> Floats:
        """Scores of candidates against the references beside them, shape (texts,)."""
        return self.against(references).score(np.arange(len(references)), candidates)

    def baseline_lines(self, ones: Sequence[str], others: Sequence[str]) -> Iterator[str]:
        """A baseline in the layout of `bert_score`: the mean P, R and F of unrelated pairs at every layer.

        Raises:
            AugmentError: the model is not at hand.
        """
        yield "LAYER,P,R,F"
        for layer in range(pretrained.config_of(self.model).num_hidden_layers + 1):
            plain = replace(self, layer=layer, rescale=False, baseline=None)
            means = plain.against(ones).precision_recall_f1(np.arange(len(ones)), others).mean(0)
            yield ",".join([str(layer), *(f"{value:.7f}" for value in means)])

    def against(self, references: Sequence[str]) -> "BertScorer":
        """A scorer that embeds each reference once, however many candidates come."""
        encoder = _encoder(self.model, _layer(self), self.device, self.dtype, self.batch_tokens)
        return BertScorer(encoder, _weights(self), _baseline(self), references)


class BertScorer:
    """Scores candidates against fixed references; their embeddings stay on the device."""

    def __init__(
        self, encoder: "Encoder", weights: "Tensor", baseline: float | None, references: Sequence[str]
    ) -> None:
        self._encoder, self._baseline = encoder, baseline
        self._references = references
        self._known: dict[int, int] = {}
        self._store = _Store(weights)
        self.cut: dict[int, int] = {}
        """The references of which a text was longer than the model takes, with its tokens."""
        self.passes = 0
        """Sequences that went through the model."""

    @property
    def warnings(self) -> dict[int, str]:
        """What the reader of a score must know, by reference."""
        limit = self._encoder.limit
        return {
            index: f"{BertScore.name}: compared by the first {limit} of {count} tokens, which is all the model takes"
            for index, count in self.cut.items()
        }

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """F1 of the candidates against the references of these indices, at most 1.

        Equal texts score 1 and an empty text 0 (before rescaling), without the model. In float32 a score that
        the company of a batch could round another way is taken again, of the pair alone.
        """
        scores = self._rescaled(self.precision_recall_f1(indices, candidates)[:, 2])
        if self._encoder.exact:
            for place in np.flatnonzero(_between_digits(scores)).tolist():
                alone = BertScorer(self._encoder, self._store.weights, None, [self._references[indices[place]]])
                ((_, _, f1),) = alone.precision_recall_f1(np.zeros(1, dtype=np.int64), [candidates[place]])
                scores[place] = self._rescaled(f1)
                self.passes += alone.passes
        return scores

    def _rescaled(self, scores: Floats) -> Floats:
        return scores if self._baseline is None else (scores - self._baseline) / (1 - self._baseline)

    def precision_recall_f1(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Precision, recall and F1 without rescaling, shape (candidates, 3)."""
        tokens = self._encoder.tokens(candidates, self.cut, indices.tolist())
        self._embed(sorted({int(index) for index in indices}))
        scores = np.empty((len(candidates), 3))
        sent: dict[tuple[int, bytes], list[int]] = {}
        for place, (index, ids) in enumerate(zip(indices.tolist(), tokens, strict=True)):
            reference = self._store.tokens[self._known[index]]
            if min(ids.size, reference.size) <= self._encoder.specials:
                scores[place] = 0.0
            elif np.array_equal(ids, reference):
                scores[place] = 1.0
            else:
                sent.setdefault((self._known[index], ids.tobytes()), []).append(place)
        if sent:
            places = list(sent.values())
            lengths = np.array([tokens[first].size for first, *_ in places])
            owners = np.array([row for row, _ in sent])
            found: list[tuple[Ints, Tensor]] = []

            def compare(batch: Ints) -> None:
                embedded, mask, ids = self._encoder.embed([tokens[places[at][0]] for at in batch.tolist()])
                found.append((batch, self._store.compare(owners[batch], embedded, mask, ids)))

            self._encoder.each(lengths, compare)
            self.passes += len(places)
            for batch, values in found:  # read only now, so that a GPU does not wait for each batch
                for at, value in zip(batch.tolist(), values.tolist(), strict=True):
                    scores[places[at]] = value
        return scores

    def _embed(self, indices: Sequence[int]) -> None:
        """Embed the references of these indices that were not embedded yet; equal ones once."""
        new = [index for index in indices if index not in self._known]
        if not new:
            return
        tokens = self._encoder.tokens([self._references[index] for index in new], self.cut, new)
        distinct: dict[bytes, list[int]] = {}
        for at, ids in enumerate(tokens):
            distinct.setdefault(ids.tobytes(), []).append(at)
        firsts = [tokens[where[0]] for where in distinct.values()]

        def keep(batch: Ints) -> None:
            embedded, mask, _ = self._encoder.embed([firsts[at] for at in batch.tolist()])
            rows = self._store.add([firsts[at] for at in batch.tolist()], embedded, mask)
            for at, row in zip(batch.tolist(), rows, strict=True):
                for twin in distinct[firsts[at].tobytes()]:
                    self._known[new[twin]] = row

        self._encoder.each(np.array([ids.size for ids in firsts]), keep)
        self.passes += len(firsts)


_NOISE = 1e-6
"""Five times the largest difference seen between a text's scores alone and in a batch, in float32."""


def _between_digits(scores: Floats) -> Mask:
    """Which scores lie where noise decides how their last digit is rounded."""
    scaled = scores * 10**DIGITS
    near: Mask = np.abs(scaled - np.floor(scaled) - 0.5) < _NOISE * 10**DIGITS
    return near


class Encoder:
    """A Hugging Face encoder cut off at a layer, with its tokenizer."""

    def __init__(self, loaded: pretrained.Pretrained, limit: int, batch_tokens: int) -> None:
        self._loaded, self.limit = loaded, limit
        gpu = loaded.device.type == "cuda"
        self._budget = batch_tokens or (_GPU_TOKENS if gpu else _CPU_TOKENS)
        model = loaded.model
        self._model = model.get_encoder() if model.config.is_encoder_decoder else model
        self._tokenizer = loaded.tokenizer
        # the warning of a text that is too long stands in its row
        self._tokenizer.deprecation_warnings["sequence-length-is-longer-than-the-specified-maximum"] = True
        self.special_ids = [
            number for number in (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id) if number is not None
        ]

    @property
    def exact(self) -> bool:
        """Whether the numbers are float32, whose noise is far under the last digit of a score."""
        return str(self._loaded.dtype) == "torch.float32"

    @cached_property
    def specials(self) -> int:
        """Tokens that an empty text has."""
        return int(self._tokenizer.num_special_tokens_to_add(pair=False))

    def tokens(self, texts: Sequence[str], cut: dict[int, int] | None = None, names: Sequence[int] = ()) -> list[Ints]:
        """The ids of each text, without what the model cannot take; `cut` is told of those, by their names."""
        spaced = type(self._tokenizer).__name__.startswith(("GPT2", "Roberta"))  # as bert_score does for them
        stripped = [f" {text.strip()}" if spaced and text.strip() else text.strip() for text in texts]
        found = self._tokenizer(stripped, add_special_tokens=True, truncation=False)["input_ids"] if texts else []
        rows = [np.asarray(ids, dtype=np.int64) for ids in found]
        for at, ids in enumerate(rows):
            if ids.size > self.limit:
                if cut is not None:
                    cut[names[at]] = max(int(ids.size), cut.get(names[at], 0))
                rows[at] = self._shortened(ids)
        return rows

    def _shortened(self, ids: Ints) -> Ints:
        """The first ids, with the special ones that end a text."""
        ending = np.asarray(self._tokenizer("")["input_ids"], dtype=np.int64)
        leading = 0
        while leading < ending.size and ids[leading] == ending[leading]:
            leading += 1
        tail = ending[leading:]
        return np.concatenate([ids[: self.limit - tail.size], tail])

    def each(self, lengths: Ints, call: Any) -> None:  # noqa: ANN401  (a function of indices)
        """Call with the indices of each batch."""
        each_batch(lengths, self._budget, call)

    def embed(self, rows: Sequence[Ints]) -> "tuple[Tensor, Tensor, Tensor]":
        """Unit vectors of each token, shape (texts, tokens, width), float32; the mask and ids, (texts, tokens)."""
        import torch  # noqa: PLC0415  (an extra)

        device = self._loaded.device
        longest = max(ids.size for ids in rows)
        padded = np.full((len(rows), longest), self._tokenizer.pad_token_id or 0)
        mask = np.zeros((len(rows), longest), dtype=np.bool_)
        for row, ids in enumerate(rows):
            padded[row, : ids.size] = ids
            mask[row, : ids.size] = True
        ids_of, mask_of = self._sent(torch.from_numpy(padded), device), self._sent(torch.from_numpy(mask), device)
        with torch.inference_mode():
            attention = None if bool(mask.all()) else mask_of.to(torch.int64)
            hidden = self._model(input_ids=ids_of, attention_mask=attention).last_hidden_state
            return torch.nn.functional.normalize(hidden.float(), dim=-1), mask_of, ids_of

    @staticmethod
    def _sent(tensor: "Tensor", device: Any) -> "Tensor":  # noqa: ANN401  (torch.device)
        return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor


class _Store:
    """Embeddings of references, one after another without padding."""

    def __init__(self, weights: "Tensor") -> None:
        self.weights = weights
        self.tokens: list[Ints] = []
        self._parts: list[Tensor] = []
        self._starts: list[int] = []
        self._size = 0

    def add(self, rows: Sequence[Ints], embedded: "Tensor", mask: "Tensor") -> list[int]:
        """Keep these references; their numbers."""
        first = len(self.tokens)
        for ids in rows:
            self._starts.append(self._size)
            self._size += ids.size
            self.tokens.append(ids)
        self._parts.append(embedded[mask])
        return list(range(first, len(self.tokens)))

    def compare(self, owners: Ints, candidates: "Tensor", mask: "Tensor", ids: "Tensor") -> "Tensor":
        """Precision, recall and F1 of the candidates, (texts, 3), against the references of these numbers.

        Zhang et al. 2019, section 3: a token's match is the highest cosine with a token of the other text,
        special ones included; they have no weight of their own.
        """
        import torch  # noqa: PLC0415  (an extra)

        if len(self._parts) > 1:
            self._parts = [torch.cat(self._parts)]
        device = candidates.device
        lengths = np.array([self.tokens[row].size for row in owners.tolist()])
        places = np.array([self._starts[row] for row in owners.tolist()])[:, None] + np.arange(lengths.max())
        known = np.arange(lengths.max()) < lengths[:, None]
        places[~known] = 0
        reference_ids = np.zeros_like(places)
        for row, owner in enumerate(owners.tolist()):
            reference_ids[row, : lengths[row]] = self.tokens[owner]
        with torch.inference_mode():
            present = torch.from_numpy(known).to(device)
            references = self._parts[0][torch.from_numpy(places).to(device)]
            cosines = torch.bmm(candidates, references.transpose(1, 2))
            cosines.masked_fill_(~(mask[:, :, None] & present[:, None, :]), -1.0)
            precision = _weighted(cosines.amax(2), self.weights[ids] * mask)
            recall = _weighted(cosines.amax(1), self.weights[torch.from_numpy(reference_ids).to(device)] * present)
            total = precision + recall
            scores = torch.where(total == 0, torch.zeros_like(total), 2 * precision * recall / total)
            return torch.nan_to_num(torch.stack([precision, recall, scores], dim=1))


def _weighted(values: "Tensor", weights: "Tensor") -> "Tensor":
    return (values * weights).sum(1) / weights.sum(1)


@lru_cache(maxsize=4)
def _encoder(model: str, layer: int, device: str, dtype: str, batch_tokens: int) -> Encoder:
    loaded = pretrained.load("AutoModel", model, device=device, dtype=dtype, num_hidden_layers=layer)
    config, tokenizer = loaded.model.config, loaded.tokenizer
    limit = int(tokenizer.model_max_length)
    places = getattr(config, "max_position_embeddings", 0) or limit
    if hasattr(loaded.model, "embeddings") and "roberta" in config.model_type:
        places -= config.pad_token_id + 1  # its positions start behind the padding's
    return Encoder(loaded, min(limit, places), batch_tokens)


def _layer(score: BertScore) -> int:
    """The layer whose hidden states are compared.

    Raises:
        AugmentError: the model has no such layer, or none was chosen for it.
    """
    try:
        layers = int(pretrained.config_of(score.model).num_hidden_layers)
    except AugmentError as error:
        raise AugmentError(f"{error}; the default, --similarity navec, needs no model") from error
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
def _idf_texts(idf: str | tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(idf, str):
        return idf
    try:
        return tuple(Path(idf).read_text(encoding="utf-8-sig").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise AugmentError(
            f"bertscore: idf {idf}: cannot be read ({error}); give a file of texts, one a line"
        ) from error


@lru_cache(maxsize=4)
def _weights(score: BertScore) -> "Tensor":
    """The weight of each word piece, shape (vocabulary,): 1, or its inverse document frequency; of special ones 0."""
    import torch  # noqa: PLC0415  (an extra)

    loaded = pretrained.load(
        "AutoModel", score.model, device=score.device, dtype=score.dtype, num_hidden_layers=_layer(score)
    )
    encoder = _encoder(score.model, _layer(score), score.device, score.dtype, score.batch_tokens)
    size = max(len(loaded.tokenizer), loaded.model.config.vocab_size)
    if score.idf is None:
        weights = torch.ones(size)
        weights[encoder.special_ids] = 0.0
        return weights.to(loaded.device)
    rows = encoder.tokens(_idf_texts(score.idf))
    counts = Counter(number for ids in rows for number in set(ids.tolist()))
    weights = torch.full((size,), float(np.log(len(rows) + 1)))
    for number, count in counts.items():
        weights[number] = float(np.log((len(rows) + 1) / (count + 1)))
    return weights.to(loaded.device)


@lru_cache(maxsize=4)
def _baseline(score: BertScore) -> float | None:
    """The F1 of unrelated texts at the layer, from a file LAYER,P,R,F; None without rescaling.

    Raises:
        AugmentError: there is no such file, or it does not have the layer.
    """
    if not score.rescale:
        return None
    if score.baseline is None:
        raise AugmentError(
            "bertscore: rescale needs bertscore.baseline, a file LAYER,P,R,F; none is published for Russian, "
            "so measure one: augment-ru calibrate IN.jsonl --similarity bertscore --write-baseline FILE"
        )
    layer = _layer(score)
    try:
        lines = Path(score.baseline).read_text(encoding="utf-8").split()
        rows = {int(line.split(",")[0]): float(line.split(",")[3]) for line in lines[1:]}
    except (OSError, ValueError, IndexError) as error:
        raise AugmentError(f"bertscore: baseline {score.baseline}: cannot be read as LAYER,P,R,F ({error})") from error
    if layer not in rows or not rows[layer] < 1:
        raise AugmentError(f"bertscore: baseline {score.baseline}: no value under 1 for layer {layer}")
    return rows[layer]


@lru_cache(maxsize=16)
def _signature(score: BertScore) -> str:
    layer = _layer(score)
    device = pretrained.device_of(score.device)
    dtype = str(pretrained.dtype_of(score.dtype, device)).removeprefix("torch.")
    idf = "no" if score.idf is None else pretrained.short_digest("\n".join(_idf_texts(score.idf)).encode())
    baseline = _baseline(score)
    return (
        f"bertscore:{pretrained.fingerprint(score.model)}@{layer}|F1|idf={idf}"
        f"|rescale={'no' if baseline is None else baseline}|{dtype}|transformers-{version('transformers')}|v1"
    )
