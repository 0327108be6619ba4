"""Compute log-likelihoods of token sequences with a causal language model; common prefixes are computed only once.

The results equal those of scoring each sequence by itself (to 1e-4 in float32). A test at the start shows whether the
model computes a tree of tokens exactly as it computes the sequences; if not, it is given whole sequences.

A question has a sequence for each of its answers; they share the prompt. Many prompts share their demonstrations.
Questions with a long common prefix form a group, and the model computes the keys and values of the prefix once. The
tokens after the prefix form one tree for each question. The trees of many questions are packed into one row of tokens,
in which a token attends only to the prefix and to its ancestors.
"""

import copy
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints, Streams, digests
from augment_ru.errors import AugmentError
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
    """The token sequences of a question (one for each answer) as a tree; their common beginnings occur in it only once.

    The tree does not contain the prefix: the tokens with which all sequences of several questions begin.

    Attributes:
        tokens: the tokens that the model reads, shape (inputs,), each followed by its branch: all tokens that come
            after it in any sequence. The last token of a sequence is missing, since no probability depends on it,
            unless another sequence continues after it.
        depths: for each of `tokens`, how many tokens come before it in its sequence, the prefix included; shape
            (inputs,).
        ends: for each of `tokens`, the index in `tokens` after the last token of its branch, shape (inputs,). All
            tokens of the branch attend to this token.
        scored: the tokens whose probability is asked for, shape (scored,).
        parents: for each scored token, the index in `tokens` of the token before it; -1 if the prefix comes before it;
            shape (scored,).
        paths: for each sequence, the indices of its tokens in `scored`.
    """

    tokens: Tokens
    depths: Ints
    ends: Ints
    parents: Ints
    scored: Tokens
    paths: tuple[Ints, ...]


class PrefixGroup(NamedTuple):
    """Questions whose token sequences all begin with the same tokens, the prefix; it is computed only once.

    Attributes:
        prefix: the common tokens; may be empty.
        members: the indices of the questions.
        first: the index in the prefix of the first token that is scored in any sequence; `prefix.size` if none is.
    """

    prefix: Tokens
    members: tuple[int, ...]
    first: int


def common_length(one: Tokens, other: Tokens) -> int:
    """Return how many tokens two sequences have in common at their beginning.

    >>> common_length(np.array([1, 2, 3]), np.array([1, 2, 4, 5]))
    2
    """
    size = min(one.size, other.size)
    differ = np.flatnonzero(one[:size] != other[:size])
    return int(differ[0]) if differ.size else size


def prefix_groups(questions: Sequence[Sequence[Request]], least: int) -> list[PrefixGroup]:
    """Group questions whose token sequences begin alike, so that a model computes as few tokens as possible.

    Args:
        questions: the sequences of each question; no sequence may be empty.
        least: the fewest tokens that a common prefix must save to be worth a call of the model.
    """
    prefixes = [_common_prefix(question) for question in questions]
    keys = [prefix.astype(">u4").tobytes() for prefix in prefixes]  # sorts as the tokens do, and fast
    order = sorted(range(len(questions)), key=keys.__getitem__)
    overlaps = [common_length(prefixes[one], prefixes[other]) for one, other in itertools.pairwise(order)]
    alone: list[int] = []
    found: list[PrefixGroup] = []
    for start, stop, size in _intervals(overlaps, least):
        members = tuple(sorted(order[start:stop]))
        if size == 0:
            alone += members
        else:
            first = min(request.first for member in members for request in questions[member])
            found.append(PrefixGroup(prefixes[members[0]][:size], members, min(max(first, 1), size)))
    if alone:
        found.append(PrefixGroup(np.empty(0, dtype=np.int64), tuple(sorted(alone)), 0))
    return found


def _common_prefix(question: Sequence[Request]) -> Tokens:
    """Return the longest common prefix of a question's sequences, but without the last token of any sequence.

    So at least one token of each sequence is left for the tree.
    """
    first = question[0].tokens
    size = min(request.tokens.size - 1 for request in question)
    for request in question[1:]:
        size = min(size, common_length(first, request.tokens))
    return first[:size]


def _intervals(overlaps: Sequence[int], least: int) -> Sequence[tuple[int, int, int]]:
    """Divide the questions, which are sorted by their tokens, into intervals that share a prefix.

    Return (start, stop, prefix length) of each interval; the length is 0 for questions without a shared prefix. An
    interval is divided between the neighbours that share the fewest tokens. It stays whole if its own prefix saves more
    tokens than the prefixes of its parts together.

    Args:
        overlaps: how many tokens at its beginning each question shares with the next one.
        least: the fewest tokens that a prefix must save to be used.
    """
    whole = (0, len(overlaps) + 1)
    parts: dict[tuple[int, int], list[tuple[int, int]]] = {}
    order: list[tuple[int, int]] = []
    stack = [whole]
    while stack:  # a loop, because a recursion could be as deep as there are questions
        start, stop = interval = stack.pop()
        order.append(interval)
        inner = overlaps[start : stop - 1]
        smallest = min(inner, default=0)
        divisions = [start + 1 + at for at, size in enumerate(inner) if size == smallest]
        bounds = zip([start, *divisions], [*divisions, stop], strict=True)
        parts[interval] = list(bounds) if divisions else []
        stack += parts[interval]
    best: dict[tuple[int, int], tuple[int, list[tuple[int, int, int]]]] = {}  # the saved tokens, and the intervals
    for start, stop in reversed(order):
        inside = [best.pop(part) for part in parts[start, stop]]
        divided = sum(saved for saved, _ in inside)
        size = min(overlaps[start : stop - 1], default=0)
        together = size * (stop - start - 1) - least
        best[start, stop] = divided, [one for _, own in inside for one in own]
        if together > divided or not divided:
            best[start, stop] = max(together, 0), [(start, stop, size if together > 0 else 0)]
    return best[whole][1]


def tree_of(question: Sequence[Request], prefix: int) -> Tree:
    """Build a tree of a question's token sequences, in which their common beginnings occur only once.

    Args:
        question: the sequences.
        prefix: the number of tokens at the beginning that are left out; they must be the same in all sequences.
    """
    order = sorted(range(len(question)), key=lambda index: question[index].tokens.astype(">u4").tobytes())
    tokens: list[int] = []
    depths: list[int] = []
    parents: list[int] = []
    paths: dict[int, Ints] = {}
    path: list[int] = []
    before = question[order[0]].tokens[:prefix]
    for index in order:
        sequence = question[index].tokens
        path = path[: common_length(before, sequence) - prefix]
        for depth, token in enumerate(sequence[prefix + len(path) :].tolist(), start=prefix + len(path)):
            parents.append(path[-1] if path else -1)
            path.append(len(tokens))
            tokens.append(token)
            depths.append(depth)
        paths[index] = np.array(path[max(question[index].first - prefix, 0) :], dtype=np.int64)
        before = sequence
    return _tree(np.array([tokens, depths, parents]), [paths[index] for index in range(len(question))])


def _tree(nodes: Ints, paths: Sequence[Ints]) -> Tree:
    """Build the tree of all its tokens; those without a child are scored, but not given to the model.

    Args:
        nodes: the tokens, their depths and the indices of their parents (-1 for none), shape (3, tokens). The tokens
            that come after one in its sequences follow it.
        paths: for each sequence, the indices of the tokens that are scored in it.
    """
    tokens, depths, above = nodes
    is_input = np.zeros(tokens.size, dtype=np.bool_)
    is_input[above[above >= 0]] = True
    is_scored = np.zeros(tokens.size, dtype=np.bool_)
    is_scored[np.concatenate(paths)] = True
    is_scored &= depths > 0  # no token precedes the first one of a sequence
    place, number = np.cumsum(is_input) - 1, np.cumsum(is_scored) - 1
    parents = np.where(above >= 0, place[above], -1)
    above_inputs = parents[is_input].tolist()
    ends = list(range(1, len(above_inputs) + 1))
    for at in reversed(range(len(ends))):
        if above_inputs[at] >= 0:
            ends[above_inputs[at]] = max(ends[above_inputs[at]], ends[at])
    return Tree(
        tokens=tokens[is_input],
        depths=depths[is_input],
        ends=np.array(ends, dtype=np.int64),
        parents=parents[is_scored],
        scored=tokens[is_scored],
        paths=tuple(number[path[is_scored[path]]] for path in paths),
    )


def tree_mask(trees: Sequence[Tree], size: int, prefix: int) -> Bools:
    """Return the attention mask of several trees in one row: which tokens each token attends to.

    A tree is made of token sequences that begin alike. The prefix is the tokens before all trees. A token attends to
    the prefix, to itself, and to the tokens before it in its sequences; padding attends to the prefix and itself.

    Args:
        trees: the trees, one after another; padding follows the last one.
        size: the number of tokens of the trees and the padding.
        prefix: the number of tokens of the prefix.

    Returns:
        Flags of shape (size, prefix + size): a row for each token that attends, a column for each token attended to.
    """
    mask = np.zeros((size, prefix + size), dtype=np.bool_)
    mask[:, :prefix] = True
    np.fill_diagonal(mask[:, prefix:], val=True)
    at = 0
    for tree in trees:
        size, stop = tree.tokens.size, at + tree.tokens.size
        own = mask[at:stop, prefix + at : prefix + stop]
        np.less(np.arange(size, dtype=np.int32)[:, None], tree.ends.astype(np.int32), out=own)
        own &= np.tri(size, dtype=np.bool_)
        at = stop
    return mask


def packed_rows(sizes: Sequence[int], row: int) -> list[list[int]]:
    """Pack trees of tokens into rows of at most `row` tokens; return the indices of the trees in each row.

    The largest tree is packed first, and each goes into the first row with enough room. A tree with more than `row`
    tokens gets a row of its own.

    Args:
        sizes: the number of tokens of each tree.
        row: the most tokens in a row.

    >>> packed_rows([3, 5, 2, 9], 8)
    [[3], [1, 0], [2]]
    """
    rows: list[list[int]] = []
    room: list[int] = []
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        at = next((at for at, left in enumerate(room) if left >= sizes[index]), None)
        if at is None:
            rows.append([])
            room.append(max(row, sizes[index]))
            at = -1
        rows[at].append(index)
        room[at] -= sizes[index]
    return rows


_WORTH = TokensByDevice(cpu=64, gpu=2048)
"""How many tokens a prefix must save to be worth a call: computing them takes about as long as a call's overhead."""
_ROW = TokensByDevice(cpu=512, gpu=1024)
"""The tokens in a row of trees: longer rows cost more attention, shorter ones more padding and more calls."""
_SMALLEST = 32
"""If pieces of a prefix with this many tokens do not fit into memory, no smaller ones are tried."""


def by_trees(
    pretrained: Pretrained, questions: Sequence[Sequence[Request]], budget: int, worth: int | None = None
) -> list[Floats]:
    """Return the log-likelihood of each sequence of tokens, in nats; common beginnings are computed only once.

    The sequences of a question are joined to a tree; its branches are the tokens in which they differ. The prefix, with
    which all sequences of several questions begin, is computed first.

    Args:
        pretrained: a causal language model that gives sequences in a tree the same values as single ones (to rounding).
        questions: for each question, its sequences, with the index of the first token that is scored.
        budget: the most tokens in a batch.
        worth: the fewest tokens that a prefix must save to be computed by itself; None for the default of the device.

    Returns:
        For each question, the log-likelihoods of its sequences, shape (sequences,).

    Raises:
        AugmentError: a prefix or a tree does not fit into memory.
    """
    row = min(_ROW.on(pretrained.device), budget)
    found: list[Floats] = [np.zeros(0)] * len(questions)
    for group in prefix_groups(questions, _WORTH.on(pretrained.device) if worth is None else worth):
        prefix = _Prefix.of(pretrained, group, budget)
        trees = [tree_of(questions[member], group.prefix.size) for member in group.members]
        scores = _scores(pretrained, prefix, trees, row, budget)
        for member, tree, score_of in zip(group.members, trees, scores, strict=True):
            sums = (float(prefix.sums[min(request.first, prefix.size)]) for request in questions[member])
            own = (float(score_of[path].sum()) for path in tree.paths)
            found[member] = np.array([before + after for before, after in zip(sums, own, strict=True)])
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


def _scores(pretrained: Pretrained, prefix: "_Prefix", trees: Sequence[Tree], row: int, budget: int) -> list[Floats]:
    """Return for each tree the log-probabilities of its scored tokens.

    Trees are packed into rows of `row` tokens; a tree with more tokens gets a row of its own.
    """
    found: list[Floats] = [np.zeros(0)] * len(trees)

    def score(batch: Ints) -> None:
        rows = packed_rows([trees[index].tokens.size for index in batch], row)
        _score_rows(pretrained, prefix, trees, [[batch[at] for at in each] for each in rows], found)

    each_batch(np.array([max(tree.tokens.size, 1) for tree in trees]), budget, score)
    return found


class _Prefix(NamedTuple):
    """What the model computed for a prefix.

    Attributes:
        size: the number of tokens of the prefix.
        past: its keys and values; None for an empty prefix.
        following: the log-probability with which each token of the vocabulary follows the prefix, shape (vocabulary,);
            None for an empty prefix.
        sums: at index i, the log-likelihood of the prefix from its token i to its end, shape (size + 1,). Tokens that
            no sequence scores count 0.
    """

    size: int
    past: Any
    following: "Tensor | None"
    sums: Floats

    @classmethod
    def of(cls, pretrained: Pretrained, group: PrefixGroup, piece: int) -> "_Prefix":
        """Compute the prefix of a group in pieces of `piece` tokens, or in smaller ones that fit into memory.

        Raises:
            AugmentError: the prefix does not fit into memory.
        """
        import torch  # noqa: PLC0415

        while True:
            try:
                return cls._read(pretrained, group, piece)
            except torch.OutOfMemoryError as error:
                if piece <= _SMALLEST:
                    raise AugmentError(
                        f"out of memory at demonstrations of {group.prefix.size} tokens; "
                        f"use fewer, a smaller model, dtype bfloat16, or `device` cpu"
                    ) from error
            piece //= 2

    @classmethod
    def _read(cls, pretrained: Pretrained, group: PrefixGroup, piece: int) -> "_Prefix":
        import torch  # noqa: PLC0415

        size = group.prefix.size
        scores = np.zeros(size + 1)
        past, following, kept = None, None, _name_of_cache(pretrained)
        tokens = torch.from_numpy(group.prefix).to(pretrained.device)
        with torch.inference_mode():
            for start in range(0, size, piece):
                stop = min(start + piece, size)
                wanted = max(group.first - 1, start)  # the logits at i are those of the token at i + 1
                places = list(range(min(wanted, stop - 1) - start, stop - start))
                options = _only_logits(pretrained, places, stop - start)
                out = pretrained.model(
                    input_ids=tokens[None, start:stop],
                    position_ids=torch.arange(start, stop, device=pretrained.device)[None],
                    use_cache=True,
                    **{kept: past},
                    **options,
                )
                past = getattr(out, kept)
                logits = out.logits[0].float()
                following = logits[-1].log_softmax(-1)
                end = min(stop, size - 1)
                if wanted < end:
                    known = logits[-(stop - wanted) :][: end - wanted]
                    scores[wanted + 1 : end + 1] = log_probabilities(known, tokens[wanted + 1 : end + 1])
        return cls(size, past, following, np.cumsum(scores[::-1])[::-1])

    def copies(self, rows: int) -> Any:  # noqa: ANN401  (transformers' cache)
        """Return the keys and values, repeated for `rows` rows; they are copied, because the model appends to them."""
        if self.past is None:
            return None
        past = copy.deepcopy(self.past)
        if rows > 1:
            past.batch_repeat_interleave(rows)
        return past


def _score_rows(
    pretrained: Pretrained, prefix: _Prefix, trees: Sequence[Tree], rows: Sequence[Sequence[int]], scores: list[Floats]
) -> None:
    """Compute the log-probabilities of the scored tokens of every tree in the rows, and write them into `scores`.

    Args:
        pretrained: the model.
        prefix: the prefix of the trees.
        trees: the trees.
        rows: for each row, the indices of its trees in `trees`.
        scores: the result, one array for each tree; the arrays of the trees in `rows` are replaced.
    """
    import torch  # noqa: PLC0415

    starts: list[tuple[int, int, int]] = []  # row, first token, tree
    for number, row in enumerate(rows):
        sizes = [trees[index].tokens.size for index in row]
        starts += zip([number] * len(row), np.cumsum([0, *sizes[:-1]]).tolist(), row, strict=True)
    tokens, _ = padded([np.concatenate([trees[index].tokens for index in row]) for row in rows], pretrained.device)
    depths, _ = padded([np.concatenate([trees[index].depths for index in row]) for row in rows], pretrained.device)
    length = tokens.shape[1]
    with torch.inference_mode():
        logits, columns, sums = None, np.zeros(length, dtype=np.int64), None
        if length:
            wanted = sorted({at + parent for _, at, index in starts for parent in trees[index].parents if parent >= 0})
            options = _only_logits(pretrained, wanted, length)
            columns[wanted] = np.arange(len(wanted)) if options else wanted
            mask = np.stack([tree_mask([trees[index] for index in row], length, prefix.size) for row in rows])
            logits = pretrained.model(
                input_ids=tokens,
                position_ids=depths,
                attention_mask=_additive(mask, pretrained),
                use_cache=prefix.size > 0,
                **{_name_of_cache(pretrained): prefix.copies(len(rows))},
                **options,
            ).logits.float()
            sums = logits.logsumexp(-1)
        for number, at, index in starts:
            tree = trees[index]
            found = np.zeros(tree.scored.size)
            targets = torch.from_numpy(tree.scored).to(pretrained.device)
            inner = np.flatnonzero(tree.parents >= 0)
            if logits is not None and sums is not None and inner.size:
                column = torch.from_numpy(columns[at + tree.parents[inner]]).to(pretrained.device)
                picked = logits[number, column, targets[inner]] - sums[number, column]
                found[inner] = picked.double().cpu().numpy()
            outer = np.flatnonzero(tree.parents < 0)
            if outer.size and prefix.following is not None:
                found[outer] = prefix.following[targets[outer]].double().cpu().numpy()
            scores[index] = found


def _additive(mask: Bools, pretrained: Pretrained) -> "Tensor":
    """Return the mask as numbers to add to attention scores, shape (rows, 1, tokens, prefix + tokens).

    Every implementation of attention accepts a mask of this form.
    """
    import torch  # noqa: PLC0415

    lowest = torch.finfo(pretrained.dtype).min
    allowed = torch.from_numpy(mask).to(pretrained.device)[:, None]
    return torch.zeros(allowed.shape, dtype=pretrained.dtype, device=pretrained.device).masked_fill_(~allowed, lowest)


def _only_logits(pretrained: Pretrained, wanted: Sequence[int], length: int) -> dict[str, Any]:
    """Return the keyword argument that makes the model compute logits only at the token indices `wanted`.

    It is empty if none or all are wanted, or if the model has no such argument.
    """
    import torch  # noqa: PLC0415

    if len(wanted) == length or not wanted or not _has_option(pretrained.model.forward, "logits_to_keep"):
        return {}
    return {"logits_to_keep": torch.tensor(wanted, device=pretrained.device)}


def _has_option(forward: Callable[..., Any], name: str) -> bool:
    return name in inspect.signature(forward).parameters


def _name_of_cache(pretrained: Pretrained) -> str:
    """Return the argument that takes the keys and values computed before; transformers 5.24 renamed it."""
    return "cache" if _has_option(type(pretrained.model).forward, "cache") else "past_key_values"


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
        longest = max((request.tokens.size for question in questions for request in question), default=0)
        if self.trees and longest <= _window(self.pretrained):
            return by_trees(self.pretrained, questions, self.budget)
        return _one_by_one(self.pretrained, questions, self.budget)


def _computes_trees(pretrained: Pretrained, budget: int) -> bool:
    """Tell whether the model computes the same numbers for trees as for whole sequences.

    This is tested with two small questions that have a common prefix.
    """
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
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
        return False  # the model takes no mask of this form, or no positions
    plain = _one_by_one(pretrained, questions, budget)
    worst = max(float(np.abs(one - other).max()) for one, other in zip(trees, plain, strict=True))
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


def _one_by_one(pretrained: Pretrained, questions: Sequence[Sequence[Request]], budget: int) -> list[Floats]:
    """Return the log-likelihoods, computed in batches of whole sequences with padding at their ends."""
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
