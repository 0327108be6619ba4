"""Words that a string may stand for: all ways to read its characters that the dictionary has, with their costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import category

from augment_ru.edits import Edit, Note
from augment_ru.normalizers._lexicon import begins, is_form, plain, weight

LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
RUSSIAN = frozenset(LETTERS + LETTERS.upper())
VOWELS = frozenset("аеиоуыэюяё")
_SOFTENED = frozenset("бвгдзклмнпрстфцчшщ")
NAMES = ("skeleton", "masks", "separators", "layout", "transliteration", "stretching", "spelling")
"""The normalizers of words; each has the bit of its place. The next bits mark a weak reading (`WEAK`) and one
that sounds as it is written (`HEARD`)."""
SKELETON, MASKS, SEPARATORS, LAYOUT, SPELT, REPEATED, SPELLING, WEAK, HEARD = (
    1 << place for place in range(len(NAMES) + 2)
)


def names_of_bits(bits: int) -> str:
    """Return the names of the normalizers with these bits, joined by `+`."""
    return "+".join(name for place, name in enumerate(NAMES) if bits >> place & 1) or NAMES[0]


def read_as(start: int, stop: int, text: str, bits: int) -> Edit:
    """Return the edit that writes a reading; its note names the normalizers with these bits."""
    return Edit(start, stop, text, Note(kind=names_of_bits(bits)))


BOTH = SKELETON | SPELT
"""The bits of two normalizers that are seldom needed for one word."""
_BESIDE, _BOTH = 1.2, 2.0
"""What it costs to read Latin letters by sound beside Russian letters, and some by sound and others by look."""
_BEAM = 300
"""How many beginnings of words are followed at a place."""


class Way(NamedTuple):
    """A way to read characters: the Russian letters, what this costs, and the bit of the normalizer that knows it."""

    letters: str
    cost: float
    bit: int


class WordReading(NamedTuple):
    """A word that a string may stand for.

    Attributes:
        score: the logarithm of how often the word is to be expected, less the costs.
        word: the word, in lower case.
        cost: the costs.
        bits: the bits of the normalizers whose ways were used.
    """

    score: float
    word: str
    cost: float
    bits: int


@dataclass(frozen=True, slots=True)
class Lattice:
    """How strings are read.

    Attributes:
        ways: the ways to read characters: single ones as they are written, several in lower case as well.
        wild: the signs that hide any letter, with the bit of their normalizer.
        skipped: the signs that may stand between letters and mean nothing, with the bit of their normalizer.
        repeats: the bit of the normalizer that leaves repeated letters out; 0 if none does.
        softens: the bit of the normalizer that reads a soft sign where none is written; 0 if none does.
    """

    ways: Mapping[str, Sequence[Way]]
    wild: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    repeats: int = 0
    softens: int = 0

    def words(self, written: str, *, most: float = 9.0) -> list[WordReading]:  # noqa: C901, PLR0912  (the inner loop)
        """Return the words that a string may stand for, the best first.

        Args:
            written: the string.
            most: the most that a reading may cost.
        """
        small = written.lower() if len(written.lower()) == len(written) else written
        states: list[dict[str, tuple[float, int]]] = [{} for _ in range(len(written) + 1)]
        states[0][""] = (0.0, 0)
        last = len(written) - 1
        for at, char in enumerate(written):
            here = states[at]
            if not here:
                continue
            followed = sorted(here.items(), key=lambda one: one[1])[:_BEAM] if len(here) > _BEAM else list(here.items())
            steps = self._steps(written, small, at)
            skip = self._skips(char) if 0 < at < last else 0
            repeated = self.repeats if at and small[at] == small[at - 1] and small[at].isalpha() else 0
            following = states[at + 1]
            for prefix, (cost, bits) in followed:
                for length, letters, more, bit in steps:
                    _reach(states[at + length], prefix, letters, cost + more, bits | bit, most)
                if skip or repeated:
                    _reach(following, prefix, "", cost + (0.3 if skip else 0.5), bits | skip | repeated, most)
                if self.softens and prefix and prefix[-1] in _SOFTENED and char.isascii() and char.isalpha():
                    for length, letters, more, bit in steps:
                        soft = f"ъ{letters}" if letters[0] in "еёюя" else f"ь{letters}"
                        _reach(states[at + length], prefix, soft, cost + more + 1.5, bits | bit | self.softens, most)
        ends = states[-1]
        if self.softens and written[-1:].isascii() and written[-1:].isalpha():
            for prefix, (cost, bits) in list(ends.items()):
                if prefix[-1:] in _SOFTENED:
                    _reach(ends, prefix, "ь", cost + 1.5, bits | self.softens, most)
        is_mixed = not RUSSIAN.isdisjoint(written)
        best: dict[str, WordReading] = {}
        for word, (cost, bits) in ends.items():
            if is_form(word):
                more = _BESIDE * bool(is_mixed and bits & SPELT) + _BOTH * (bits & BOTH == BOTH)
                one = WordReading(weight(word) - 2 * (cost + more), word, cost + more, bits)
                known = best.get(plain(word))
                if known is None or (one.score, one.word) > (known.score, known.word):
                    best[plain(word)] = one
        return sorted(best.values(), key=lambda one: (-one.score, one.word))

    def _skips(self, char: str) -> int:
        """Return the bit of the normalizer that leaves this sign out; 0 if none does."""
        bit = self.skipped.get(char, 0)
        if not bit and self.skipped and char not in self.ways and is_picture(char):
            return next(iter(self.skipped.values()))
        return bit

    def _steps(self, written: str, small: str, at: int) -> list[tuple[int, str, float, int]]:
        """Return how the string may be read on from a place: the length that is read, letters, cost and bit."""
        char = written[at]
        steps: list[tuple[int, str, float, int]] = []
        if char in RUSSIAN:
            letter = small[at]
            steps.append((1, letter, 0.0, 0))
            if letter in "её":
                steps.append((1, "ё" if letter == "е" else "е", 0.05, 0))
        elif char == "-":
            steps.append((1, "-", 0.0, 0))
        elif char in self.wild or (self.wild and is_picture(char)):
            bit = self.wild.get(char, self.wild.get("*", 0))
            more = 0.0 if char == "*" else 0.5
            steps += [(1, letter, more + (1.0 if letter in VOWELS else 2.0), bit) for letter in LETTERS]
        for length in range(1, min(_LONGEST, len(written) - at) + 1):
            for key in {written[at : at + length], small[at : at + length]}:
                exact = SKELETON if key != written[at : at + length] and key.isascii() else 0
                steps += [(length, *way) for way in self.ways.get(key, ()) if not exact or way.bit != exact]
        return steps


_LONGEST = 5
"""The most characters that stand for a letter."""


def is_picture(char: str) -> bool:
    """Tell whether a character is an emoji or another picture."""
    return char == "\ufe0f" or (char > "\u2190" and category(char) == "So")


def _reach(  # noqa: PLR0917  (the inner loop)
    states: dict[str, tuple[float, int]], prefix: str, letters: str, cost: float, bits: int, most: float
) -> None:
    """Follow a beginning by these letters, if a word begins so."""
    if cost <= most:
        longer = prefix + letters
        known = states.get(longer)
        if known is None:
            if begins(longer):
                states[longer] = (cost, bits)
        elif (cost, bits) < known:
            states[longer] = (cost, bits)
