"""Attacks that replace single characters according to a table, such as typos and letter case.

Their proposals are made for all texts of a batch at once.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes


@dataclass(frozen=True, slots=True, eq=False)
class Substitutions:
    """Holds a table of characters, their substitutes and the probability of each substitute, in arrays.

    Attributes:
        row_of: for each code point, its row in the other arrays; -1 if it has no substitutes; shape (largest code point
            in the table + 2,).
        bounds: the cumulative probabilities of the substitutes in each row, the last of them 1; shape (rows, largest
            number of substitutes).
        substitutes: the code points of the substitutes, same shape.
    """

    row_of: npt.NDArray[np.int16]
    bounds: Floats
    substitutes: Codes

    @classmethod
    def of(cls, table: Mapping[str, Sequence[tuple[str, float]]]) -> "Substitutions":
        """Make the arrays from a table of characters and their substitutes.

        Args:
            table: maps a character to its substitutes, each with a weight over 0.

        Raises:
            AugmentError: a character has no substitute or is its own substitute, or a weight is not positive.
        """
        width = max(map(len, table.values()), default=1)
        row_of = np.full(max(map(ord, table), default=0) + 2, -1, dtype=np.int16)
        bounds = np.ones((len(table), width))
        substitutes = np.zeros((len(table), width), dtype=np.uint32)
        for row, (char, weighted) in enumerate(table.items()):
            if not weighted or any(other == char or weight <= 0 for other, weight in weighted):
                raise AugmentError(f"substitutes of '{char}': {weighted}; needs others, with positive weights")
            total = math.fsum(weight for _, weight in weighted)  # exact, so the same in every version of Python
            row_of[ord(char)] = row
            shares = list(accumulate(weight / total for _, weight in weighted))
            bounds[row, : len(shares) - 1] = shares[:-1]
            substitutes[row, : len(weighted)] = [ord(other) for other, _ in weighted]
        return cls(row_of, bounds, substitutes)


class CharacterAttack(Attack):
    """An attack that replaces single characters according to a table; each replacement is made or not by itself."""

    __slots__ = ()

    @property
    @abstractmethod
    def table(self) -> Substitutions:
        """The substitutes of each character, with their probabilities."""

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a substitute for every character of the texts that has one in `table`."""
        return substitute_characters(batch, self.table, streams)


def substitute_characters(batch: Batch, table: Substitutions, streams: Streams) -> Proposals:
    """Propose a substitute for every character that is in a table; each one is made, or not, by itself.

    Args:
        batch: the texts.
        table: the characters with their substitutes; if a character has several, one is drawn.
        streams: the random draws of each text.
    """
    starts, stops, rows = batch.once(_substituted, table)

    def texts(indices: Ints) -> Replacements:
        kinds, draws = rows[indices], batch.draw(streams, starts[indices], lane=1)
        chosen = (draws[:, None] >= table.bounds[kinds]).sum(axis=1)
        return Replacements(table.substitutes[kinds, chosen], np.arange(kinds.size + 1))

    return Proposals.of_edits(starts, stops, batch.draw(streams, starts), texts, clean=True)


def _substituted(batch: Batch, table: Substitutions) -> tuple[Ints, Ints, npt.NDArray[np.int16]]:
    """Find the characters that the table has: their global starts and stops, and the row of each in the table."""
    rows = table.row_of[np.minimum(batch.codes, table.row_of.size - 1)]
    places = (rows >= 0).nonzero()[0]
    return places, places + 1, rows[places]


@cache
def keyboards(layouts: tuple[str, ...]) -> Substitutions:
    """Return a table that maps each letter, in lower and in upper case, to the letters on the neighbouring keys.

    A neighbour is at most 1.5 key widths away, and its weight is 1 / distance². If a key has no neighbour that near (ё
    in the corner), this key and the one nearest to it count as neighbours of each other.

    Args:
        layouts: names of shipped keyboard layouts, such as `keyboard_ru`, or paths of `.tsv` files. Their columns are:
            letter of the key; its place from left to right, and from top to bottom, in key widths. If layouts share a
            key, the last one counts.

    Raises:
        AugmentError: there is no such layout, or `layouts` is empty.
    """
    if not layouts:
        raise AugmentError("layouts: none; name at least one, such as keyboard_ru")
    table: dict[str, list[tuple[str, float]]] = {}
    for layout in layouts:
        for key, near in neighbouring_keys(layout).items():
            table[key] = near
            if len(key.upper()) == 1 and key.upper() != key:
                table[key.upper()] = [(other.upper(), weight) for other, weight in near]
    return Substitutions.of(table)


@cache
def neighbouring_keys(layout: str) -> dict[str, list[tuple[str, float]]]:
    """Map each letter of a keyboard layout, in lower case, to the letters on neighbouring keys and their weights.

    A nearer key has a higher weight (see `keyboards`).

    Args:
        layout: the name of a shipped layout, such as `keyboard_ru`, or the path of a `.tsv` file.
    """
    return _neighbours({key: (float(x), float(y)) for key, x, y in rows(dictionary_path(layout), columns=3)})


_REACH = 1.5


def _neighbours(keys: Mapping[str, tuple[float, float]]) -> dict[str, list[tuple[str, float]]]:
    squares = {
        (one, other): (x - u) ** 2 + (y - v) ** 2
        for one, (x, y) in keys.items()
        for other, (u, v) in keys.items()
        if one != other
    }
    pairs = {pair for pair, square in squares.items() if square <= _REACH**2}
    for key in keys:
        if not any(one == key for one, _ in pairs):
            nearest = min((other for other in keys if other != key), key=lambda other: (squares[key, other], other))
            pairs |= {(key, nearest), (nearest, key)}
    near: dict[str, list[tuple[str, float]]] = {key: [] for key in keys}
    for one, other in sorted(pairs):
        near[one].append((other, 1 / squares[one, other]))
    return near


@cache
def letter_case() -> Substitutions:
    """Return a table that maps a lower-case letter to the upper-case one, and the reverse: «я» to «Я», «Я» to «я».

    Letters without such a partner («ß», whose upper case is «SS») are left out.
    """
    pairs: dict[str, list[tuple[str, float]]] = {}
    for code in (*range(0x3000), *range(0xA640, 0xAB80), *range(0xFF21, 0xFF5B)):
        char = chr(code)
        other = char.swapcase()
        if char.isalpha() and len(other) == 1 and other != char and other.swapcase() == char:
            pairs[char] = [(other, 1.0)]
    return Substitutions.of(pairs)
