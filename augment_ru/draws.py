"""Random draws that are functions of a key and a position, without global state.

A stream is a sequence of draws of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
generators"). Its draws are addressed by position: draw i of key k is mix(k + (i + 1) * γ). So a draw does not depend
on earlier draws, and a whole batch is drawn in one NumPy expression.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import fsum
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from augment_ru.edits import Change, Edit

T = TypeVar("T")
Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# arrays without dimensions, with which NumPy computes faster than with its scalars
_GAMMA, _MIX_1, _MIX_2, _S30, _S27, _S31, _S11, _TWO = (
    np.array(number, dtype=np.uint64)
    for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 30, 27, 31, 11, 2)
)
_UNIT = 2.0**-53
_MASK = 2**64 - 1
_INTS = int(_GAMMA), int(_MIX_1), int(_MIX_2)


def mix(values: Keys) -> Keys:
    """Scramble 64-bit numbers in place, and return the array.

    This is the last step of SplitMix64. Different numbers give different results.
    """
    values ^= values >> _S30
    values *= _MIX_1
    values ^= values >> _S27
    values *= _MIX_2
    values ^= values >> _S31
    return values


def digests(data: Iterable[str]) -> Keys:
    """Return a 64-bit digest of each string, shape (strings,).

    It is BLAKE2b of the string in UTF-8; the string may hold lone surrogates.
    """
    joined = b"".join([blake2b(one.encode("utf-8", "surrogatepass"), digest_size=8).digest() for one in data])
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64)


@lru_cache(maxsize=1024)
def _salt(kind: str, part: str | int) -> np.uint64:
    """Return the number that is mixed into keys for one part of a path (`Streams.of`).

    `kind` is the name of the part's type, so that the parts 1 and "1" give different numbers.
    """
    return np.uint64(digests([f"{kind}:{part}"])[0])


class Streams:
    """Holds one stream of random draws for each row of a batch. A draw is addressed by its position in the stream.

    Args:
        keys: a 64-bit key for each row, shape (rows,). With several streams for each row (`spread`): a key for each
            stream, shape (streams of a row, rows).
    """

    __slots__ = ("keys",)

    def __init__(self, keys: Keys) -> None:
        self.keys = keys

    @classmethod
    def of(cls, keys: Keys, *path: str | int) -> "Streams":
        """Make streams whose keys depend on the keys of rows and on a path.

        Args:
            keys: the key of each row, shape (rows,).
            path: what else the draws depend on, such as the seed, the name of an attack, the index of a candidate
                (random perturbation).
        """
        for part in path:
            states = keys ^ _salt(type(part).__name__, part)
            states += _GAMMA
            keys = mix(states)
        return cls(keys)

    def spread(self, numbers: Sequence[int]) -> "Streams":
        """Make several independent streams for each row.

        The keys of the result have shape (numbers, rows).

        Args:
            numbers: a number for each stream of a row, such as the index of a candidate.
        """
        states = self.keys ^ np.array([_salt("int", number) for number in numbers])[:, None]
        states += _GAMMA
        return Streams(mix(states))

    def uniform(self, rows: Ints, positions: Ints, lane: int = 0) -> Floats:
        """Draw a number from U[0, 1) for each pair of a row and a position, shape (pairs,).

        Args:
            rows: the index of the row of each pair.
            positions: the position in the stream of that row, from 0.
            lane: 0 or 1. The draws of the two lanes at one position are independent of each other.
        """
        return unit(self.keys[rows], positions, lane)

    def inner(self, rows: Ints, positions: Ints) -> Keys:
        """Return the key of an independent stream for each pair of a row and a position, shape (pairs,).

        Args:
            rows: the index of the row of each pair.
            positions: the position in the stream of that row, from 0.
        """
        return mix((self.keys[rows] ^ _GAMMA) + (positions.astype(np.uint64) + np.uint64(1)) * _MIX_1)


def weighted(weights: Sequence[float], draw: float) -> int:
    """Draw an index: each is as likely as its share of the weights.

    Args:
        weights: the weight of each index.
        draw: a draw from U[0, 1), which decides.
    """
    point = draw * fsum(weights)
    for at, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return at
    return len(weights) - 1


def unit(keys: Keys, positions: Ints | Keys, lane: int | Ints = 0) -> Floats:
    """Draw numbers from U[0, 1), one for each pair of a stream and a position in it.

    Args:
        keys: the keys of the streams.
        positions: the positions, from 0. Keys and positions are broadcast against each other, as NumPy does.
        lane: 0 or 1. The draws of the two lanes at one position are independent of each other.

    Returns:
        The draws, in the broadcast shape.
    """
    steps = positions.astype(np.uint64)
    steps *= _TWO
    steps += np.uint64(lane + 1)
    steps *= _GAMMA
    states = mix(steps + keys)
    states >>= _S11
    return states.astype(np.float64) * _UNIT


def first_of_each(groups: Ints) -> npt.NDArray[np.bool_]:
    """Return whether each entry of an array is the first of its group, shape (entries,).

    Args:
        groups: the group of each entry, as a number. Entries of one group must stand next to each other.
    """
    found = np.ones(groups.size, dtype=np.bool_)
    np.not_equal(groups[1:], groups[:-1], out=found[1:])
    return found


def paired(groups: Ints, draws: Floats) -> tuple[Ints, Ints]:
    """Pair the members of each group at random; in a group of odd size one member is left over.

    Args:
        groups: the group of each member, ascending, shape (members,).
        draws: a draw from U[0, 1) for each member, shape (members,). Each group is sorted by its draws; then the first
            member is paired with the second, the third with the fourth, and so on.

    Returns:
        The indices of the first and of the second member of each pair, both of shape (pairs,).
    """
    shuffled = np.argsort(groups + draws, kind="stable")
    place = np.arange(groups.size)
    begins = first_of_each(groups)
    first = np.maximum.accumulate(np.where(begins, place, 0))
    leading = np.flatnonzero(((place - first) % 2 == 0)[:-1] & ~begins[1:])
    return shuffled[leading], shuffled[leading + 1]


class Rng:
    """Makes the random draws of one text, one after another, for an attack that reads one text at a time."""

    __slots__ = ("_state",)

    def __init__(self, key: int) -> None:
        self._state = key

    def uniform(self) -> float:
        """Draw from U[0, 1)."""
        gamma, first, second = _INTS
        self._state = z = (self._state + gamma) & _MASK
        z = ((z ^ (z >> 30)) * first) & _MASK
        z = ((z ^ (z >> 27)) * second) & _MASK
        return ((z ^ (z >> 31)) >> 11) * _UNIT

    def change(self, *edits: Edit) -> Change:
        """Return a change with a rank: a random number in [0, 1) that decides whether it is made.

        Args:
            edits: the edits of the change.
        """
        return Change(self.uniform(), edits)

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items; all are equally likely.

        Raises:
            IndexError: there are no items.
        """
        return items[int(self.uniform() * len(items))]

    def choice_best_first(self, items: Sequence[T]) -> T:
        """Draw one of the items; each is twice as likely as the item after it.

        Raises:
            IndexError: there are no items.
        """
        point = int(self.uniform() * (2 ** len(items) - 1)) + 1  # 1 … 2^n - 1
        return items[len(items) - point.bit_length()]
