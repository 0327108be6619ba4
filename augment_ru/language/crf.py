"""The best tags of a sequence under a linear-chain CRF, and how far the second-best tag of each place is behind."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]

_AT_ONCE = 128


def best_paths(
    emissions: Sequence[npt.NDArray[np.floating]], transitions: npt.NDArray[np.floating]
) -> Iterator[tuple[int, Ints, Floats]]:
    """The tags of each sequence that has a place, in any order.

    The score of a path is the sum of its emissions and transitions. The max-marginal of a tag at a place is the score
    of the best path with this tag there; the tag with the largest one is that of the best path. All sums are float64.

    Args:
        emissions: the score of each tag at each place of each sequence, shape (places, tags).
        transitions: the score of a tag behind another, shape (tags, tags).

    Yields:
        The number of the sequence; its tags, shape (places,); and by how much the best path is better than any path
        with another tag at a place, shape (places,).
    """
    order = sorted((at for at, row in enumerate(emissions) if len(row)), key=lambda at: len(emissions[at]))
    for first in range(0, len(order), _AT_ONCE):
        chunk = order[first : first + _AT_ONCE]
        sizes = np.array([len(emissions[at]) for at in chunk])
        scores = np.zeros((sizes.max(), len(chunk), len(transitions)))
        for column, at in enumerate(chunk):
            scores[: sizes[column], column] = emissions[at]
        best = _max_marginals(scores, transitions.astype(np.float64), sizes)
        tags = best.argmax(-1)
        ordered = np.partition(best, -2, axis=-1)
        ahead = ordered[..., -1] - ordered[..., -2]
        for column, (at, size) in enumerate(zip(chunk, sizes.tolist(), strict=True)):
            yield at, tags[:size, column], ahead[:size, column]


def _max_marginals(scores: Floats, transitions: Floats, sizes: Ints) -> Floats:
    """The max-marginals of sequences of these sizes, shape (places, sequences, tags), as that of the emissions."""
    places, columns = np.arange(len(scores))[:, None], np.arange(sizes.size)
    mirrored = (sizes - 1 - places) % len(scores)  # the place that is as far from the end as this one from the start
    both = np.stack([scores, scores[mirrored, columns]], axis=1)  # forwards and backwards
    steps = np.stack([transitions, transitions.T])[:, None]
    reached = np.empty((2, sizes.size, *transitions.shape))
    best = np.empty(both.shape[1:])
    for before, here in zip(both[..., None], both[1:], strict=False):
        np.add(before, steps, reached)
        np.add(here, np.maximum.reduce(reached, axis=2, out=best), out=here)
    found: Floats = both[:, 0] + both[mirrored, 1, columns] - scores
    return found
