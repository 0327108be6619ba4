"""Log-likelihoods of token sequences under a causal language model; common prefixes are computed once.

The numbers equal those of a loop over single sequences (to 1e-4 in float32). A probe finds out whether the architecture
computes a tree of tokens exactly as it computes the sequences; if it does not, it is given whole sequences.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, digests
from augment_ru.inference.batches import TokensByDevice, each_batch, padded
from augment_ru.inference.pretrained import Pretrained, context_of
from augment_ru.inference.token_trees import Request
from augment_ru.inference.tree_likelihood import by_trees, log_probabilities

_BATCH_TOKENS = TokensByDevice(cpu=512, gpu=8192)
"""Tokens of a batch; each takes a float32 for every token of the vocabulary."""


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """The log-likelihoods of sequences under one model.

    Attributes:
        pretrained: a causal language model.
        budget: tokens of a batch, padding included.
        trees: whether the model computes trees exactly as it computes their sequences.
    """

    pretrained: Pretrained
    budget: int
    trees: bool

    @classmethod
    def of(cls, pretrained: Pretrained, batch_tokens: int | None = None) -> "Likelihoods":
        """The log-likelihoods under a model, after the probe of how it computes trees.

        Args:
            pretrained: a causal language model.
            batch_tokens: tokens of a batch, padding included; None for the default of the device.
        """
        budget = batch_tokens or _BATCH_TOKENS.on(pretrained.device)
        return cls(pretrained, budget, _computes_trees(pretrained, budget))

    def __call__(self, questions: Sequence[Sequence[Request]]) -> list[Floats]:
        """The sum of log p(x_i | x_<i) over the scored tokens of each sequence, in nats.

        Args:
            questions: the sequences of each question; none may have more tokens than the model's context and one.

        Returns:
            For each question an array of shape (sequences,).
        """
        longest = max((request.tokens.size for question in questions for request in question), default=0)
        if self.trees and longest <= _window(self.pretrained):
            return by_trees(self.pretrained, questions, self.budget)
        return _one_by_one(self.pretrained, questions, self.budget)


def _computes_trees(pretrained: Pretrained, budget: int) -> bool:
    """Whether two small questions with a common stem get the same numbers as trees and as sequences."""
    size = min(pretrained.model.config.get_text_config().vocab_size, len(pretrained.tokenizer))
    draws = Streams.of(digests(["trees"])).uniform(np.zeros(40, dtype=np.int64), np.arange(40))
    ids = (draws * size).astype(np.int64)
    questions = [
        [Request(np.concatenate([ids[:12], ids[at : at + 3], ids[end : end + 3]]), 1) for end in (at + 3, at + 6)]
        for at in (12, 24)
    ]
    if any(request.tokens.size > min(_window(pretrained), context_of(pretrained)) for request in questions[0]):
        return False
    try:
        trees = by_trees(pretrained, questions, budget, worth=0)
    except (
        TypeError,
        ValueError,
        RuntimeError,
        IndexError,
        AttributeError,
    ):  # the model takes no mask of this form, or no positions
        return False
    plain = _one_by_one(pretrained, questions, budget)
    worst = max(float(np.abs(one - other).max()) for one, other in zip(trees, plain, strict=True))
    return worst < (1e-3 if pretrained.dtype.itemsize == 4 else 0.5)  # noqa: PLR2004  (bytes; nats over 17 tokens)


def _window(pretrained: Pretrained) -> int:
    """The longest sequence in which every token attends to all before it, and positions are encoded the same way."""
    config = pretrained.model.config.get_text_config()
    scaling = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    kinds = {str(one.get("rope_type")) for one in (scaling, *scaling.values()) if isinstance(one, dict)}
    if kinds & {"dynamic", "longrope"}:  # the angles depend on the longest sequence of a batch
        return 0
    sliding = getattr(config, "sliding_window", None)
    if sliding is None or getattr(config, "use_sliding_window", True) is False:
        return 10**9
    return int(sliding)


def _one_by_one(pretrained: Pretrained, questions: Sequence[Sequence[Request]], budget: int) -> list[Floats]:
    """The log-likelihoods, by batches of whole sequences with padding at their ends."""
    import torch  # noqa: PLC0415

    requests = [request for question in questions for request in question]
    found = np.zeros(len(requests))

    def score(batch: Ints) -> None:
        ids, mask = padded([requests[index].tokens[:-1] for index in batch], pretrained.device)
        with torch.inference_mode():
            logits = pretrained.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
            for row, index in enumerate(batch):
                first, tokens = requests[index].first, requests[index].tokens
                nexts = torch.from_numpy(tokens[first:]).to(pretrained.device)
                found[index] = log_probabilities(logits[row, first - 1 : tokens.size - 1].float(), nexts).sum()

    lengths = np.array([max(request.tokens.size - 1, 1) for request in requests], dtype=np.int64)
    wanted = np.flatnonzero(np.array([request.tokens.size > request.first for request in requests], dtype=np.bool_))
    each_batch(lengths[wanted], budget, lambda batch: score(wanted[batch]))
    ends = np.cumsum([len(question) for question in questions])
    return [found[end - len(question) : end] for end, question in zip(ends, questions, strict=True)]
