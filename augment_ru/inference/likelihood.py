"""Log-likelihoods of token sequences under a causal language model, with what they share computed once.

The numbers are those of a plain loop that gives the model one sequence after another (to 1e-4 in float32); where an
architecture does not compute a tree of tokens as it computes its sequences, which a probe shows, it gets sequences.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, digests
from augment_ru.inference.pretrained import Pretrained, each_batch
from augment_ru.inference.token_trees import Request
from augment_ru.inference.tree_likelihood import by_trees, chosen

_BUDGET = {"cpu": 512, "cuda": 8192}
"""Tokens in a batch of rows; each takes a float32 for every word of the vocabulary."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Log-likelihoods under one model.

    Attributes:
        pretrained: the model.
        budget: tokens in a batch, with padding.
        shares: whether the model computes trees as it computes their sequences.
    """

    pretrained: Pretrained
    budget: int
    shares: bool

    def __call__(self, questions: Sequence[Sequence[Request]]) -> list[Floats]:
        """The sum of log p(x_i | x_<i) over the scored tokens of each sequence, natural logarithms.

        Args:
            questions: the sequences of each question; `tokens.size - 1` of none may exceed the model's context.
        """
        longest = max((request.tokens.size for question in questions for request in question), default=0)
        if self.shares and longest <= _window(self.pretrained):
            return by_trees(self.pretrained, questions, self.budget)
        return _one_by_one(self.pretrained, questions, self.budget)


def scorer(pretrained: Pretrained, budget: int | None = None) -> Scorer:
    """The scorer of a model, after a probe of how it computes trees.

    Args:
        pretrained: a causal language model.
        budget: tokens in a batch; by default what suits the device.
    """
    budget = budget or _BUDGET.get(pretrained.device.type, 4096)
    return Scorer(pretrained, budget, _computes_trees(pretrained, budget))


def context_of(pretrained: Pretrained) -> int:
    """How many tokens the model can look at."""
    config = pretrained.model.config.get_text_config()
    found = [
        size
        for size in (getattr(config, "max_position_embeddings", None), pretrained.tokenizer.model_max_length)
        if isinstance(size, int) and 0 < size < 10**9  # tokenizers without a limit say 10^30
    ]
    return min(found, default=2048)


def _computes_trees(pretrained: Pretrained, budget: int) -> bool:
    """Whether two small questions on one stem get the same numbers as trees and as sequences."""
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
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):  # it takes no such mask, or no positions
        return False
    plain = _one_by_one(pretrained, questions, budget)
    worst = max(float(np.abs(one - other).max()) for one, other in zip(trees, plain, strict=True))
    return worst < (1e-3 if pretrained.dtype.itemsize == 4 else 0.5)  # noqa: PLR2004  (bytes; nats over 17 tokens)


def _window(pretrained: Pretrained) -> int:
    """How long a sequence may be for every token to see all before it, and for positions to mean the same."""
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
    """The same by sequences, which are padded at their ends."""
    import torch  # noqa: PLC0415

    requests = [request for question in questions for request in question]
    found = np.zeros(len(requests))

    def score(batch: Ints) -> None:
        length = max(requests[index].tokens.size - 1 for index in batch)
        ids = np.zeros((batch.size, length), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, index in enumerate(batch):
            tokens = requests[index].tokens[:-1]
            ids[row, : tokens.size], mask[row, : tokens.size] = tokens, 1
        with torch.inference_mode():
            logits = pretrained.model(
                input_ids=torch.from_numpy(ids).to(pretrained.device),
                attention_mask=torch.from_numpy(mask).to(pretrained.device),
                use_cache=False,
            ).logits
            for row, index in enumerate(batch):
                first, tokens = requests[index].first, requests[index].tokens
                nexts = torch.from_numpy(tokens[first:]).to(pretrained.device)
                found[index] = chosen(logits[row, first - 1 : tokens.size - 1].float(), nexts).sum()

    lengths = np.array([max(request.tokens.size - 1, 1) for request in requests], dtype=np.int64)
    wanted = np.flatnonzero(np.array([request.tokens.size > request.first for request in requests], dtype=np.bool_))
    each_batch(lengths[wanted], budget, lambda batch: score(wanted[batch]))
    ends = np.cumsum([len(question) for question in questions])
    return [found[end - len(question) : end] for end, question in zip(ends, questions, strict=True)]
