"""The encoder of BERTScore: token ids, their embeddings at one layer, and the weight of each token id."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Ints
from augment_ru.inference import pretrained
from augment_ru.inference.batches import TokensByDevice, each_batch, padded

if TYPE_CHECKING:
    from torch import Tensor

_BATCH_TOKENS = TokensByDevice(cpu=512, gpu=65_536)
"""Tokens in a batch with their padding. A CPU is not faster with more than some 300, and small batches pad less; the
second number fills a GPU."""


class TokenEmbedder:
    """A Hugging Face encoder up to one layer, with its tokenizer.

    Args:
        loaded: the model and its tokenizer.
        limit: the most tokens that the model reads of a text.
        batch_tokens: tokens in a batch with their padding; 0 chooses by the device.
    """

    def __init__(self, loaded: pretrained.Pretrained, limit: int, batch_tokens: int) -> None:
        self._loaded, self.limit = loaded, limit
        self._budget = batch_tokens or _BATCH_TOKENS.on(loaded.device)
        self._model = loaded.model.get_encoder() if loaded.model.config.is_encoder_decoder else loaded.model
        self._tokenizer = loaded.tokenizer
        # a text that is too long has a warning in its row instead of one on the screen
        self._tokenizer.deprecation_warnings["sequence-length-is-longer-than-the-specified-maximum"] = True

    @property
    def is_exact(self) -> bool:
        """Whether embeddings are float32, whose rounding errors are far below the last digit of a score."""
        return str(self._loaded.dtype) == "torch.float32"

    @cached_property
    def specials(self) -> int:
        """How many special tokens an empty text has."""
        return int(self._tokenizer.num_special_tokens_to_add(pair=False))

    def tokens(self, texts: Sequence[str]) -> list[Ints]:
        """The token ids of each text, special ones included, also of those longer than the limit."""
        spaced = type(self._tokenizer).__name__.startswith(("GPT2", "Roberta"))  # bert_score does so for these
        stripped = [f" {text.strip()}" if spaced and text.strip() else text.strip() for text in texts]
        found = self._tokenizer(stripped, add_special_tokens=True, truncation=False)["input_ids"] if texts else []
        return [np.asarray(ids, dtype=np.int64) for ids in found]

    def shortened(self, ids: Ints) -> Ints:
        """As many of the first ids as the model reads, with the special ones that end a text."""
        if ids.size <= self.limit:
            return ids
        empty = np.asarray(self._tokenizer("")["input_ids"], dtype=np.int64)
        leading = 0
        while leading < empty.size and ids[leading] == empty[leading]:
            leading += 1
        ending = empty[leading:]
        return np.concatenate([ids[: self.limit - ending.size], ending])

    def each_batch(self, lengths: Ints, call: Callable[[Ints], None]) -> None:
        """Call with the indices of each batch of token sequences of these lengths."""
        each_batch(lengths, self._budget, call)

    def embed(self, rows: Sequence[Ints]) -> "tuple[Tensor, Tensor, Tensor]":
        """Embed token sequences as one batch.

        Returns:
            A unit vector for each token, shape (texts, tokens, width), float32; which tokens are no padding; and the
            ids, both of shape (texts, tokens).
        """
        import torch  # noqa: PLC0415  (an extra)

        ids, mask = padded(rows, self._loaded.device, pad=self._tokenizer.pad_token_id or 0)
        needs_mask = len({row.size for row in rows}) > 1
        with torch.inference_mode():
            hidden = self._model(input_ids=ids, attention_mask=mask if needs_mask else None).last_hidden_state
            return torch.nn.functional.normalize(hidden.float(), dim=-1), mask.bool(), ids

    def weights(self, texts: Sequence[str] | None) -> "Tensor":
        """The weight of each token id, shape (vocabulary,): 1, or its inverse document frequency in the texts.

        Special tokens have the weight 0: with texts, because each of them has all special tokens.
        """
        import torch  # noqa: PLC0415  (an extra)

        size = max(len(self._tokenizer), self._loaded.model.config.vocab_size)
        if texts is None:
            weights = torch.ones(size)
            specials = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id)
            weights[[number for number in specials if number is not None]] = 0.0
            return weights.to(self._loaded.device)
        rows = [self.shortened(ids) for ids in self.tokens(texts)]
        counts = Counter(number for ids in rows for number in set(ids.tolist()))
        weights = torch.full((size,), float(np.log(len(rows) + 1)))
        for number, count in counts.items():
            weights[number] = float(np.log((len(rows) + 1) / (count + 1)))
        return weights.to(self._loaded.device)


@lru_cache(maxsize=4)
def embedder(model: str, layer: int, device: str, dtype: str, batch_tokens: int) -> TokenEmbedder:
    """The encoder of a model up to a layer.

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


@lru_cache(maxsize=4)
def token_weights(encoder: TokenEmbedder, texts: tuple[str, ...] | None) -> "Tensor":
    """See `TokenEmbedder.weights`; computed once for the same texts."""
    return encoder.weights(texts)
