"""Represent token sequences with common prefixes as a tree, so that a shared token is computed only once.

The sequences of a question share its prompt, and the prompts of an episode share its demonstrations. Questions with a
long common prefix form a group, and the model computes the keys and values of the prefix once. The tokens after the
prefix form one tree for each question. The trees of many questions are packed into one row of tokens, in which a token
attends only to the prefix and to its ancestors.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Ints

Bools = npt.NDArray[np.bool_]
Tokens = npt.NDArray[np.int64]


class Request(NamedTuple):
    """A sequence of tokens of which a language model is to give the log-likelihood.

    Attributes:
        tokens: the sequence.
        first: the index of the first token that is scored; at least 1, because a scored token needs one before it.
    """

    tokens: Tokens
    first: int


class Tree(NamedTuple):
    """The token sequences of a question as a tree, in which their common beginnings occur only once.

    The tree does not contain the prefix: the tokens with which all sequences of several questions begin.

    Attributes:
        tokens: the tokens that the model reads, shape (inputs,). The last token of a sequence is not read, unless
            another sequence continues after it.
        depths: for each of `tokens`, how many tokens come before it in its sequence, the prefix included; shape
            (inputs,).
        ends: for each of `tokens`, the index in `tokens` before which its branch of the tree ends, shape (inputs,). All
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
