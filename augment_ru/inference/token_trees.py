"""Represent token sequences with common prefixes as a tree, so that a shared token is computed only once.

The sequences of a question share its prompt, and the prompts of an episode share its demonstrations. Questions with a
long common prefix form a group, and the model computes the keys and values of the prefix once. The tokens after the
prefix form one tree for each question. The trees of many questions are packed into one row of tokens, in which a token
attends only to the prefix and to its ancestors.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Ints

Bools = npt.NDArray[np.bool_]
Tokens = npt.NDArray[np.int64]


class Request(NamedTuple):
    """A sequence to score.

    Attributes:
        tokens: the sequence.
        first: the index of the first token that is scored; at least 1, because a scored token needs one before it.
    """

    tokens: Tokens
    first: int


class Segment(NamedTuple):
    """Consecutive tokens of a tree without a branch between them.

    Attributes:
        start: the index of the first token in the tree's tokens.
        stop: the index after the last token.
        ancestors: the indices of the tree's tokens that come before the segment in its sequence.
    """

    start: int
    stop: int
    ancestors: Ints


@dataclass(frozen=True, slots=True)
class Tree:
    """The sequences of a question after their common prefix.

    Attributes:
        tokens: the tokens that the model is given, shape (inputs,). The last token of a sequence is left out, unless
            another sequence continues after it.
        depths: how many tokens come before each token in its sequence, the prefix included, shape (inputs,).
        segments: the same tokens, divided into segments. A token attends to the earlier tokens of its segment, and to
            the segment's ancestors.
        parents: for each scored token, the index in `tokens` of the token before it, or -1 if that is the last token of
            the prefix; shape (scored,).
        scored: the tokens that are scored, shape (scored,).
        paths: for each sequence, the indices of its scored tokens in `scored`.
    """

    tokens: Tokens
    depths: Ints
    segments: tuple[Segment, ...]
    parents: Ints
    scored: Tokens
    paths: tuple[Ints, ...]


@dataclass(frozen=True, slots=True)
class PrefixGroup:
    """Questions whose sequences all begin with the same tokens.

    Attributes:
        prefix: the common tokens; may be empty.
        members: the indices of the questions.
        first: the index of the first prefix token that is scored in some sequence; `prefix.size` if none is scored.
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
    """Group the questions by common prefixes, so that as few tokens as possible are computed.

    Args:
        questions: the sequences of each question; no sequence may be empty.
        least: the fewest tokens that a prefix must save to be worth a call of the model.
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


def _intervals(overlaps: Sequence[int], least: int) -> Iterator[tuple[int, int, int]]:
    """Divide the questions, which are sorted by their tokens, into intervals that share a prefix.

    Yield (start, stop, prefix length) for each interval; the length is 0 for questions without a shared prefix. An
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
    saved: dict[tuple[int, int], int] = {}
    kept: dict[tuple[int, int], bool] = {}
    for start, stop in reversed(order):
        divided = sum(saved[part] for part in parts[start, stop])
        size = min(overlaps[start : stop - 1], default=0)
        together = size * (stop - start - 1) - least
        kept[start, stop] = together > divided
        saved[start, stop] = max(together, divided, 0)
    stack = [whole]
    while stack:
        start, stop = interval = stack.pop()
        if kept[interval]:
            yield start, stop, min(overlaps[start : stop - 1])
        elif not saved[interval]:
            yield start, stop, 0
        else:
            stack += parts[interval]


class _Nodes(NamedTuple):
    """A tree with all its tokens, also the last ones of sequences; a node is the index of a token.

    `paths` maps the index of a sequence to its nodes.
    """

    tokens: Tokens
    depths: Ints
    parents: Ints
    segments: list[tuple[int, int, list[int]]]
    paths: dict[int, list[int]]


def tree_of(question: Sequence[Request], prefix: int) -> Tree:
    """Build the tree of a question's sequences after their first `prefix` tokens, which are the same in all."""
    order = sorted(range(len(question)), key=lambda index: question[index].tokens.astype(">u4").tobytes())
    tokens: list[int] = []
    depths: list[int] = []
    parents: list[int] = []
    segments: list[tuple[int, int, list[int]]] = []
    paths: dict[int, list[int]] = {}
    path: list[int] = []
    before = question[order[0]].tokens[:prefix]
    for index in order:
        sequence = question[index].tokens
        path = path[: common_length(before, sequence) - prefix]
        start, parent = len(tokens), path[-1] if path else -1
        known = prefix + len(path)
        for depth, token in enumerate(sequence[known:].tolist(), start=known):
            parents.append(parent)
            parent = len(tokens)
            tokens.append(token)
            depths.append(depth)
        if len(tokens) > start:
            segments.append((start, len(tokens), list(path)))
        path += range(start, len(tokens))
        paths[index] = list(path)
        before = sequence
    return _tree(question, prefix, _Nodes(np.array(tokens), np.array(depths), np.array(parents), segments, paths))


def _tree(question: Sequence[Request], prefix: int, nodes: _Nodes) -> Tree:
    """Build the tree of these nodes; nodes without a child are scored, but not given to the model."""
    is_input = np.zeros(nodes.tokens.size, dtype=np.bool_)
    is_input[nodes.parents[nodes.parents >= 0]] = True
    place = np.cumsum(is_input) - 1
    is_scored = np.zeros(nodes.tokens.size, dtype=np.bool_)
    for index, request in enumerate(question):
        is_scored[nodes.paths[index][max(request.first - prefix, 0) :]] = True
    is_scored &= nodes.depths > 0  # no token precedes the first one of a sequence
    number = np.cumsum(is_scored) - 1
    parents = nodes.parents[is_scored]
    segments = []
    for start, stop, ancestors in nodes.segments:
        last = stop if is_input[stop - 1] else stop - 1  # only the last token of a segment can have no child
        if last > start:
            segments.append(Segment(int(place[start]), int(place[last - 1]) + 1, place[ancestors]))
    paths = []
    for index, request in enumerate(question):
        path = np.array(nodes.paths[index][max(request.first - prefix, 0) :], dtype=np.int64)
        paths.append(number[path[is_scored[path]]])
    return Tree(
        tokens=nodes.tokens[is_input],
        depths=nodes.depths[is_input],
        segments=tuple(segments),
        parents=np.where(parents >= 0, place[parents], -1),
        scored=nodes.tokens[is_scored],
        paths=tuple(paths),
    )


def tree_mask(trees: Sequence[Tree], size: int, prefix: int) -> Bools:
    """Return which tokens each token of a row attends to, flags of shape (size, prefix + size).

    Args:
        trees: the trees of the row, one after the other. The padding after them attends to the prefix and itself.
        size: the length of the row.
        prefix: the length of the prefix.
    """
    mask = np.zeros((size, prefix + size), dtype=np.bool_)
    mask[:, :prefix] = True
    np.fill_diagonal(mask[:, prefix:], val=True)
    at = 0
    for tree in trees:
        for segment in tree.segments:
            rows = slice(at + segment.start, at + segment.stop)
            mask[rows, prefix + at + segment.ancestors] = True
            length = segment.stop - segment.start
            mask[rows, prefix + at + segment.start : prefix + at + segment.stop] = np.tri(length, dtype=np.bool_)
        at += tree.tokens.size
    return mask


def packed_rows(sizes: Sequence[int], row: int) -> list[list[int]]:
    """Pack trees into rows of at most `row` tokens; return the indices of the trees in each row.

    The largest tree is packed first, and each goes into the first row with enough room. A tree with more than `row`
    tokens gets a row of its own.

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
