"""Compute log-likelihoods of token sequences with a causal language model; common beginnings are computed only once.

The results equal those of scoring each sequence by itself (to 1e-4 in float32). A test at the start shows whether the
model computes a tree of tokens exactly as it computes the sequences; if not, it is given whole sequences.

The sequences of a question, one for each answer, share the prompt, and many prompts share their demonstrations. So all
sequences are sorted, and as many neighbours as fit into a row form a tree, in which a token attends to itself and to
the tokens before it in its sequences.
"""

import inspect
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints, Streams, digests
from augment_ru.inference.batches import TokensByDevice, each_batch, padded
from augment_ru.inference.pretrained import Pretrained, context_of

if TYPE_CHECKING:
    from torch import Tensor


Bools = npt.NDArray[np.bool_]
Tokens = npt.NDArray[np.int64]


class Request(NamedTuple):
    """A sequence of tokens of which a language model is to give the log-likelihood.

    Attributes:
        tokens: the sequence, shape (tokens,).
        first: the index of the first token that is scored: its log-probability and those of all tokens after it are
            summed. At least 1, because a scored token needs one before it.
    """

    tokens: Tokens
    first: int


class Tree(NamedTuple):
    """Sequences of tokens as a tree, in which what they have in common at their beginnings occurs only once.

    Attributes:
        tokens: the tokens that the model reads, shape (inputs,). The last token of a sequence is missing, since no
            probability depends on it, unless another sequence continues after it.
        depths: for each of `tokens`, how many tokens come before it in its sequences, shape (inputs,).
        mask: for each of `tokens` (rows), whether it attends to each of them (columns): to itself and to the tokens
            before it in its sequences; shape (inputs, inputs).
        scored: the tokens whose probability is asked for, shape (scored,).
        before: for each scored token, the index in `tokens` of the token before it, shape (scored,).
        paths: for each sequence, the indices of its tokens in `scored`.
    """

    tokens: Tokens
    depths: Ints
    mask: Bools
    scored: Tokens
    before: Ints
    paths: tuple[Ints, ...]


def common_length(one: Tokens, other: Tokens) -> int:
    """Return how many tokens two sequences have in common at their beginning.

    >>> common_length(np.array([1, 2, 3]), np.array([1, 2, 4, 5]))
    2
    """
    size = min(one.size, other.size)
    differ = np.flatnonzero(one[:size] != other[:size])
    return int(differ[0]) if differ.size else size


def rows_of_sequences(requests: Sequence[Request], most: int) -> list[list[int]]:
    """Divide sequences of tokens among the rows of a batch; return the indices of the sequences in each row.

    Sequences that begin alike are neighbours. A row holds one sequence, and of the following ones up to `most` tokens
    that they do not share with the one before them.

    Args:
        requests: the sequences.
        most: how many further tokens a row may have.

    >>> rows_of_sequences([Request(np.array(one), 1) for one in ([1, 2, 3], [5, 6], [1, 2, 4], [1, 2, 9])], 2)
    [[0, 2, 3], [1]]
    """
    order = sorted(range(len(requests)), key=lambda index: requests[index].tokens.astype(">u4").tobytes())
    rows, size = [order[:1]], 0
    for before, index in itertools.pairwise(order):
        tokens = requests[index].tokens
        size += tokens.size - common_length(requests[before].tokens, tokens)
        if size > most:
            rows.append([])
            size = 0
        rows[-1].append(index)
    return rows


def tree_of(requests: Sequence[Request]) -> Tree:
    """Build the tree of some sequences of tokens, which must be sorted by their tokens."""
    tokens: list[int] = []
    depths: list[int] = []
    above: list[int] = []  # the token before each, -1 for the first one of a sequence
    path: list[int] = []
    paths: list[Ints] = []
    before = np.empty(0, dtype=np.int64)
    for request in requests:
        path = path[: common_length(before, request.tokens)]
        for token in request.tokens[len(path) :].tolist():
            above.append(path[-1] if path else -1)
            depths.append(len(path))
            path.append(len(tokens))
            tokens.append(token)
        paths.append(np.array(path[request.first :], dtype=np.int64))
        before = request.tokens
    inputs, scored = sorted({*above} - {-1}), np.unique(np.concatenate(paths))
    place = {token: at for at, token in enumerate(inputs)}
    mask = np.eye(len(inputs), dtype=np.bool_)
    for at, token in enumerate(inputs):
        if above[token] >= 0:
            mask[at] |= mask[place[above[token]]]
    return Tree(
        tokens=np.array(tokens, dtype=np.int64)[inputs],
        depths=np.array(depths, dtype=np.int64)[inputs],
        mask=mask,
        scored=np.array(tokens, dtype=np.int64)[scored],
        before=np.array([place[above[token]] for token in scored.tolist()], dtype=np.int64),
        paths=tuple(np.searchsorted(scored, one) for one in paths),
    )


_ROW = TokensByDevice(cpu=512, gpu=1024)
"""How many tokens a row has beyond its first sequence: longer rows cost more attention, shorter ones share less."""


def by_trees(pretrained: Pretrained, requests: Sequence[Request], budget: int) -> Floats:
    """Return the log-likelihood of each sequence, in nats; what the sequences of a row share is computed only once.

    Args:
        pretrained: a causal language model that gives sequences in a tree the same values as single ones (to rounding).
        requests: the sequences, with the index of the first token that is scored.
        budget: the most tokens in a batch.

    Returns:
        The log-likelihoods, shape (sequences,).

    Raises:
        AugmentError: a tree does not fit into memory.
    """
    rows = rows_of_sequences(requests, min(_ROW.on(pretrained.device), budget))
    trees = [tree_of([requests[index] for index in row]) for row in rows]
    found = np.zeros(len(requests))

    def score(batch: Ints) -> None:
        for at, scores in zip(batch, _scores(pretrained, [trees[at] for at in batch]), strict=True):
            found[rows[at]] = [scores[path].sum() for path in trees[at].paths]

    each_batch(np.array([max(tree.tokens.size, 1) for tree in trees]), budget, score)
    return found


def log_probabilities(logits: "Tensor", tokens: "Tensor") -> Floats:
    """Return the log-probability of each token, float64, shape (tokens,).

    Args:
        logits: for each token, the logits of the whole vocabulary at its position, shape (tokens, vocabulary).
        tokens: the tokens, shape (tokens,).
    """
    picked = logits.gather(-1, tokens[:, None])[:, 0] - logits.logsumexp(-1)
    found: Floats = picked.double().cpu().numpy()
    return found


def _scores(pretrained: Pretrained, trees: Sequence[Tree]) -> list[Floats]:
    """Return for each tree the log-probabilities of its scored tokens; each tree is a row of one batch."""
    import torch  # noqa: PLC0415

    wanted = sorted({place for tree in trees for place in tree.before.tolist()})
    if not wanted:
        return [np.zeros(0) for _ in trees]
    tokens, _ = padded([tree.tokens for tree in trees], pretrained.device)
    depths, _ = padded([tree.depths for tree in trees], pretrained.device)
    length = tokens.shape[1]
    mask = np.tile(np.eye(length, dtype=np.bool_), (len(trees), 1, 1))
    for own, tree in zip(mask, trees, strict=True):
        own[: tree.tokens.size, : tree.tokens.size] = tree.mask
    columns, options = np.arange(length), dict[str, Any]()
    if "logits_to_keep" in inspect.signature(pretrained.model.forward).parameters:
        options = {"logits_to_keep": torch.tensor(wanted, device=pretrained.device)}
        columns[wanted] = np.arange(len(wanted))
    with torch.inference_mode():
        masked = _additive(mask, pretrained)
        out = pretrained.model(input_ids=tokens, position_ids=depths, attention_mask=masked, use_cache=False, **options)
        logits, found = out.logits.float(), []
        for own, tree in zip(logits, trees, strict=True):
            column, target = (torch.from_numpy(one).to(own.device) for one in (columns[tree.before], tree.scored))
            found.append(log_probabilities(own[column], target))
    return found


def _additive(mask: Bools, pretrained: Pretrained) -> "Tensor":
    """Return the mask as numbers to add to attention scores, shape (rows, 1, tokens, tokens).

    Every implementation of attention accepts a mask of this form.
    """
    import torch  # noqa: PLC0415

    lowest = torch.finfo(pretrained.dtype).min
    allowed = torch.from_numpy(mask).to(pretrained.device)[:, None]
    return torch.zeros(allowed.shape, dtype=pretrained.dtype, device=pretrained.device).masked_fill_(~allowed, lowest)


_BATCH_TOKENS = TokensByDevice(cpu=512, gpu=8192)
"""The tokens of a batch; each needs a float32 for every token of the vocabulary."""


class Likelihoods(NamedTuple):
    """A function that computes log-likelihoods of token sequences with one model.

    Attributes:
        pretrained: a causal language model.
        budget: the most tokens in a batch, padding included.
        trees: whether a beginning that several sequences share is computed only once. `of` sets it if the values of
            the model stay the same by that.
    """

    pretrained: Pretrained
    budget: int
    trees: bool

    @classmethod
    def of(cls, pretrained: Pretrained, batch_tokens: int | None = None) -> "Likelihoods":
        """Return a function that computes log-likelihoods of token sequences with a model.

        It tests first whether the model gives the same values if common beginnings are computed only once.

        Args:
            pretrained: a causal language model.
            batch_tokens: the most tokens in a batch, padding included; None for the default of the device.
        """
        budget = batch_tokens or _BATCH_TOKENS.on(pretrained.device)
        return cls(pretrained, budget, _computes_trees(pretrained, budget))

    def __call__(self, questions: Sequence[Sequence[Request]]) -> list[Floats]:
        """Return the sum of log p(x_i | x_<i) over the scored tokens of each sequence, in nats.

        Args:
            questions: the sequences of each question; a sequence may have one token more than the model's context
                window, as its last token is not read.

        Returns:
            For each question an array of shape (sequences,).
        """
        requests = [request for question in questions for request in question]
        longest = max((request.tokens.size for request in requests), default=0)
        score = by_trees if self.trees and 0 < longest <= _window(self.pretrained) else _one_by_one
        ends = np.cumsum([0, *map(len, questions)]).tolist()
        found = score(self.pretrained, requests, self.budget)
        return [found[start:end] for start, end in itertools.pairwise(ends)]


def _computes_trees(pretrained: Pretrained, budget: int) -> bool:
    """Tell whether the model computes the same numbers for trees as for whole sequences.

    This is tested with four short sequences, of which two each begin alike.
    """
    size = min(pretrained.model.config.get_text_config().vocab_size, len(pretrained.tokenizer))
    draws = Streams.of(digests(["trees"])).uniform(np.zeros(40, dtype=np.int64), np.arange(40))
    ids = (draws * size).astype(np.int64)
    requests = [
        Request(np.concatenate([ids[:12], ids[at : at + 3], ids[end : end + 3]]), 1)
        for at in (12, 24)
        for end in (at + 3, at + 6)
    ]
    if requests[0].tokens.size > min(_window(pretrained), context_of(pretrained)):
        return False
    try:
        trees = by_trees(pretrained, requests, budget)
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
        return False  # the model takes no mask of this form, or no positions
    worst = float(np.abs(trees - _one_by_one(pretrained, requests, budget)).max())
    return worst < (1e-3 if pretrained.dtype.itemsize == 4 else 0.5)  # noqa: PLR2004  (bytes; nats over 17 tokens)


def _window(pretrained: Pretrained) -> int:
    """Return the greatest length of sequences that the model can compute as trees.

    Up to it, every token attends to all tokens before it, and the encoding of a position does not depend on the length.
    It is 0 if there is no such length.
    """
    config = pretrained.model.config.get_text_config()
    scaling = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    kinds = {str(one.get("rope_type")) for one in (scaling, *scaling.values()) if isinstance(one, dict)}
    if kinds & {"dynamic", "longrope"}:  # the angles depend on the longest sequence of a batch
        return 0
    sliding = getattr(config, "sliding_window", None)
    if sliding is None or getattr(config, "use_sliding_window", True) is False:
        return 10**9
    return int(sliding)


def _one_by_one(pretrained: Pretrained, requests: Sequence[Request], budget: int) -> Floats:
    """Return the log-likelihoods, computed in batches of whole sequences with padding at their ends."""
    import torch  # noqa: PLC0415

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
    return found
