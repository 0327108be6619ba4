"""Sequences that begin alike as one tree: every token that several of them share is computed once.

The sequences of a question share its prompt, and the prompts of an episode share its demonstrations. Questions whose
sequences begin alike stand on one stem, whose keys and values the model keeps; what follows the stem branches, and the
branches of many questions are packed into one row of tokens in which each sees only those on its way from the root.
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
    """A sequence, and from which of its tokens on it is scored; at least from the second, which has one before it."""

    tokens: Tokens
    first: int


class Run(NamedTuple):
    """Tokens that follow one another in a row without a branch, and the places of those that stand before them."""

    start: int
    stop: int
    before: Ints


@dataclass(frozen=True, slots=True)
class Tree:
    """The sequences of a question after their stem.

    Attributes:
        tokens: the tokens that are given to the model, shape (fed,): each is followed by another.
        depths: how many tokens stand before each, those of the stem included, shape (fed,).
        runs: the same tokens as runs; all that a token sees of the tree is before it in its run, or `before` the run.
        parents: for each token that is scored, which of the fed stands before it; -1 for the end of the stem.
        scored: the tokens that are scored, shape (scored,).
        paths: for each sequence, its scored tokens as numbers in `scored`.
    """

    tokens: Tokens
    depths: Ints
    runs: tuple[Run, ...]
    parents: Ints
    scored: Tokens
    paths: tuple[Ints, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Questions that share a stem.

    Attributes:
        stem: the tokens with which all their sequences begin; may be empty.
        members: the numbers of the questions.
        first: the first token of the stem that any sequence scores; its length if none does.
    """

    stem: Tokens
    members: tuple[int, ...]
    first: int


def shared(one: Tokens, other: Tokens) -> int:
    """How many tokens two sequences have in common at their beginning.

    >>> shared(np.array([1, 2, 3]), np.array([1, 2, 4, 5]))
    2
    """
    size = min(one.size, other.size)
    differ = np.flatnonzero(one[:size] != other[:size])
    return int(differ[0]) if differ.size else size


def families(questions: Sequence[Sequence[Request]], least: int) -> list[Family]:
    """The questions in families, such that the fewest tokens are computed.

    Args:
        questions: the sequences of each question, none of them empty.
        least: how many tokens a stem must save to be worth a call of the model.
    """
    commons = [_common(question) for question in questions]
    keys = [common.astype(">u4").tobytes() for common in commons]  # sorts as the tokens do, and fast
    order = sorted(range(len(questions)), key=keys.__getitem__)
    overlaps = [shared(commons[one], commons[other]) for one, other in itertools.pairwise(order)]
    alone: list[int] = []
    found: list[Family] = []
    for start, stop, size in _stems(overlaps, least):
        members = tuple(sorted(order[start:stop]))
        if size == 0:
            alone += members
        else:
            first = min(request.first for member in members for request in questions[member])
            found.append(Family(commons[members[0]][:size], members, min(max(first, 1), size)))
    if alone:
        found.append(Family(np.empty(0, dtype=np.int64), tuple(sorted(alone)), 0))
    return found


def _common(question: Sequence[Request]) -> Tokens:
    """What all sequences of a question begin with; at least one token of each is left for its tree."""
    first = question[0].tokens
    size = min(request.tokens.size - 1 for request in question)
    for request in question[1:]:
        size = min(size, shared(first, request.tokens))
    return first[:size]


def _stems(overlaps: Sequence[int], least: int) -> Iterator[tuple[int, int, int]]:
    """The sorted questions as intervals with the length of their stems.

    An interval is kept whole if its stem saves more than the stems of its parts, into which it falls where its
    neighbours share the least.
    """
    whole = (0, len(overlaps) + 1)
    parts: dict[tuple[int, int], list[tuple[int, int]]] = {}
    order: list[tuple[int, int]] = []
    stack = [whole]
    while stack:  # a loop, because a recursion could be as deep as there are questions
        start, stop = interval = stack.pop()
        order.append(interval)
        inner = overlaps[start : stop - 1]
        least_shared = min(inner, default=0)
        cuts = [start + 1 + at for at, size in enumerate(inner) if size == least_shared]
        parts[interval] = list(zip([start, *cuts], [*cuts, stop], strict=True)) if cuts else []
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


def tree(question: Sequence[Request], stem: int) -> Tree:
    """The tree of a question's sequences after the first `stem` tokens, which they share."""
    order = sorted(range(len(question)), key=lambda index: question[index].tokens.astype(">u4").tobytes())
    tokens: list[int] = []
    depths: list[int] = []
    parents: list[int] = []
    runs: list[tuple[int, int, list[int]]] = []
    ways: dict[int, list[int]] = {}
    way: list[int] = []
    before = question[order[0]].tokens[:stem]
    for index in order:
        sequence = question[index].tokens
        way = way[: shared(before, sequence) - stem]
        start, parent = len(tokens), way[-1] if way else -1
        for depth, token in enumerate(sequence[stem + len(way) :].tolist(), start=stem + len(way)):
            parents.append(parent)
            parent = len(tokens)
            tokens.append(token)
            depths.append(depth)
        if len(tokens) > start:
            runs.append((start, len(tokens), list(way)))
        way += range(start, len(tokens))
        ways[index] = list(way)
        before = sequence
    return _fed(question, stem, _Nodes(np.array(tokens), np.array(depths), np.array(parents), runs, ways))


class _Nodes(NamedTuple):
    tokens: Tokens
    depths: Ints
    parents: Ints
    runs: list[tuple[int, int, list[int]]]
    ways: dict[int, list[int]]


def _fed(question: Sequence[Request], stem: int, nodes: _Nodes) -> Tree:
    """The tree with the tokens that nothing follows left out of what the model is given."""
    fed = np.zeros(nodes.tokens.size, dtype=np.bool_)
    fed[nodes.parents[nodes.parents >= 0]] = True
    place = np.cumsum(fed) - 1
    scored = np.zeros(nodes.tokens.size, dtype=np.bool_)
    for index, request in enumerate(question):
        scored[nodes.ways[index][max(request.first - stem, 0) :]] = True
    scored &= nodes.depths > 0  # nothing stands before the very first token
    number = np.cumsum(scored) - 1
    parents = nodes.parents[scored]
    runs = []
    for start, stop, way in nodes.runs:
        last = stop if fed[stop - 1] else stop - 1  # only the end of a run can have nothing after it
        if last > start:
            runs.append(Run(int(place[start]), int(place[last - 1]) + 1, place[way]))
    paths = []
    for index, request in enumerate(question):
        path = np.array(nodes.ways[index][max(request.first - stem, 0) :], dtype=np.int64)
        paths.append(number[path[scored[path]]])
    return Tree(
        tokens=nodes.tokens[fed],
        depths=nodes.depths[fed],
        runs=tuple(runs),
        parents=np.where(parents >= 0, place[parents], -1),
        scored=nodes.tokens[scored],
        paths=tuple(paths),
    )


def seen(trees: Sequence[Tree], size: int, stem: int) -> Bools:
    """Which tokens each token of a row sees: those of the stem, and those on its way, shape (size, stem + size).

    Args:
        trees: whose tokens the row holds, one tree after the other; places that are left over see only themselves.
        size: the length of the row.
        stem: the length of the stem.
    """
    mask = np.zeros((size, stem + size), dtype=np.bool_)
    mask[:, :stem] = True
    np.fill_diagonal(mask[:, stem:], val=True)
    at = 0
    for one in trees:
        for run in one.runs:
            rows = slice(at + run.start, at + run.stop)
            mask[rows, stem + at + run.before] = True
            mask[rows, stem + at + run.start : stem + at + run.stop] = np.tri(run.stop - run.start, dtype=np.bool_)
        at += one.tokens.size
    return mask


def packed(sizes: Sequence[int], row: int) -> list[list[int]]:
    """Numbers of trees in rows of at most `row` tokens: the largest first, each into the first row with room.

    >>> packed([3, 5, 2, 9], 8)
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
