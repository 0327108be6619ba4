"""BERTScore (Zhang et al. 2019), the gate of the paper: greedy matching of contextual embeddings.

In float32, scores equal those of the package `bert_score` 0.3.13 to within 1e-4. This implementation takes less time: a
reference is embedded once for all its candidates, texts of similar length share a batch, and a candidate with the same
tokens as its reference is not embedded at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from augment_ru.engine.similarity import Similarity
from augment_ru.errors import AugmentError
from augment_ru.inference import pretrained
from augment_ru.resources import SMALL, file_text
from augment_ru.similarities.bertscore.scorer import BertScorer, embedder, token_weights
from augment_ru.version import version_of

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
    """BERTScore F1 over a Hugging Face encoder; options and defaults are those of `bert_score`.

    Args:
        model: the Hugging Face name of a model in the local cache, or the folder of a model.
        layer: the layer whose hidden states are compared, from 0 (embeddings); by default the one that
            `bert_score` chose for this model. Only the layers up to it are loaded.
        idf: texts, or a file with one text in each line; tokens are then weighted by their inverse document frequency
            in these texts. By default all tokens have the same weight.
        rescale: whether scores are rescaled, so that unrelated texts score 0: (score - baseline) / (1 - baseline).
        baseline: a file in the layout of `bert_score` (LAYER,P,R,F), as `augment-ru calibrate` writes it; needed for
            `rescale`.
        threshold: the lowest score that passes by default.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: `auto` (float32 on a CPU, bfloat16 on a GPU), `float32`, `bfloat16` or `float16`.
        batch_tokens: the most tokens in a batch, padding included; 0 chooses a number for the device.
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
        """Return the options that `MODEL` or `MODEL@LAYER` stands for, as in `bertscore:MODEL@LAYER`.

        >>> BertScore.argument("ai-forever/ruBert-base@9")
        {'model': 'ai-forever/ruBert-base', 'layer': 9}

        Raises:
            AugmentError: the part behind the @ is not a whole number.
        """
        model, at, layer = text.rpartition("@")
        if not at or Path(text).is_dir():
            return {"model": text}
        if not layer.isdecimal():
            raise AugmentError(f"bertscore:{text}: '{layer}' is no layer; give a number, as in bertscore:{model}@9")
        return {"model": model, "layer": int(layer)}

    @property
    def signature(self) -> str:
        """The text that states all that defines a score."""
        return _signature(self)

    @property
    def can_be_rescaled(self) -> bool:
        """Always True: BERTScore can be rescaled by the scores of unrelated texts."""
        return True

    def baseline_lines(self, references: Sequence[str], candidates: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a baseline file of `bert_score`: the mean P, R and F1 of unrelated texts for each layer.

        Args:
            references: texts.
            candidates: for each reference, a text unrelated to it.

        Raises:
            AugmentError: the model is not in the local cache.
        """
        yield "LAYER,P,R,F"
        for layer in range(pretrained.config_of(self.model).num_hidden_layers + 1):
            plain = replace(self, layer=layer, rescale=False, baseline=None)
            scorer = plain.against(references)
            means = scorer.precision_recall_f1(np.arange(len(references)), candidates).mean(0)
            yield ",".join([str(layer), *(f"{value:.7f}" for value in means)])

    def against(self, references: Sequence[str]) -> BertScorer:
        """Return a scorer that embeds each reference once, for all its candidates."""
        encoder = embedder(self.model, _layer(self), self.device, self.dtype, self.batch_tokens)
        weights = token_weights(encoder, _idf_texts(self.idf))
        return BertScorer(encoder, weights, _baseline(self), references, reads_notes=self.as_read)


def _layer(score: BertScore) -> int:
    """Return the layer whose hidden states are compared.

    Raises:
        AugmentError: the model is not in the local cache, it has no such layer, or no layer is given and the model is
            not in `LAYERS`.
    """
    try:
        layers = int(pretrained.config_of(score.model).num_hidden_layers)
    except AugmentError as error:
        raise AugmentError(f"{error}; the default, `similarity` meaning, needs no model") from error
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
    try:
        lines = file_text(Path(score.baseline), f"bertscore: baseline {score.baseline}", most=SMALL).split()
        rows = {int(line.split(",")[0]): float(line.split(",")[3]) for line in lines[1:]}
    except (ValueError, IndexError) as error:
        raise AugmentError(f"bertscore: baseline {score.baseline}: cannot be read as LAYER,P,R,F ({error})") from error
    if layer not in rows or not rows[layer] < 1:
        raise AugmentError(f"bertscore: baseline {score.baseline}: no value under 1 for layer {layer}")
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
