"""Finds the words that a string may stand for: all ways to read its characters as a word of the dictionary.

Each way (a reading) has bits, which say what normalizers it needs (see `NAMES`), and a cost: a cost of c makes a word
exp(2c) times less likely than the same word in its usual spelling.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple
from unicodedata import category

from augment_ru.normalizers import _bits as by
from augment_ru.normalizers._lexicon import BEGUN, LETTERS, LOW, beginnings, heights, is_form, plain, weight

RUSSIAN = frozenset(LETTERS + LETTERS.upper())
VOWELS = frozenset("аеиоуыэюяё")
_SOFTENED = frozenset("бвгдзклмнпрстфцчшщ")
_BESIDE, _BOTH = 1.2, 2.0
"""The cost of a word in which Latin letters are read by sound beside Russian letters, and of one in which some Latin
letters are read by sound and others by look."""
_BEAM = 300
"""The width of the beam: how many beginnings of words are followed at each character."""
_SLACK = 1e-6
"""By how much lower than asked a score may be, since floats are summed in another order."""
_SOFT, _DEAR = 1.5, 0.9
"""The cost of «ь» or «ъ» that is not written; and one above which most steps let a sign stand for any letter."""


class Way(NamedTuple):
    """A way to read some characters as Russian letters.

    Attributes:
        letters: the Russian letters.
        cost: how unlikely this is: a cost of c makes a word exp(2c) times less likely.
        bit: the normalizer that knows this way, as a bit: 1 << i for `NAMES[i]`.
    """

    letters: str
    cost: float
    bit: int


_Step = tuple[int, str, float, int]
"""A way to read on: how many characters are read, the letters, the cost and the bit."""
_Steps = tuple[list[_Step], list[_Step], list[_Step], list[_Step]]
"""The ways to read on from a character that cost less than `_DEAR`, less than `_SOFT`, all, and all with «ь» or «ъ»."""


class WordReading(NamedTuple):
    """A word that a string may stand for.

    Attributes:
        score: how likely this is, in nats: the logarithm of the word's frequency, minus twice the cost.
        word: the word, in lower case.
        cost: how unlikely it is that the word is written like this; a cost of c makes it exp(2c) times less likely. In
            what `WordKnowledge.whole` returns: the index in the piece where the word ends.
        bits: the normalizers that are needed to read the word: bit i is set for `NAMES[i]`.
    """

    score: float
    word: str
    cost: float
    bits: int


@dataclass(frozen=True, slots=True)
class Lattice:
    """The rules by which normalizers read strings as Russian words.

    A normalizer is stated by its bit: 1 << i for `NAMES[i]`.

    Attributes:
        ways: maps strings of one to five characters to the ways to read them; strings are looked up as written and in
            lower case.
        wild: the signs that may stand for any letter, each with its normalizer.
        skipped: the signs that may stand between letters and mean nothing, each with its normalizer.
        repeats: the normalizer that leaves repeated letters out; 0 if none does.
        softens: the normalizer that adds «ь» and «ъ» where a text in Latin letters has none; 0 if none does.
    """

    ways: Mapping[str, Sequence[Way]]
    wild: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    repeats: int = 0
    softens: int = 0
    longest: Mapping[str, int] = field(init=False)
    """Maps a character to the length of the longest string in `ways` that begins with it."""
    known: dict[tuple[str, str], _Steps] = field(init=False, default_factory=dict, compare=False, repr=False)
    """A cache of the ways to read on from a character, by the next characters as written and in small letters."""

    def __post_init__(self) -> None:
        longest: dict[str, int] = {}
        for written in self.ways:
            longest[written[0]] = max(len(written), longest.get(written[0], 0))
        object.__setattr__(self, "longest", longest)

    def words(self, written: str, *, most: float = 9.0, within: float = inf) -> list[WordReading]:
        """Return the words that a string may stand for, the best first.

        Args:
            written: the string.
            most: the highest cost of a word; a cost of c makes it exp(2c) times less likely.
            within: words whose score is lower than the best one by more than this, in nats, may be left out.
        """
        # a reading by cheap ways tells which dear ways need not be taken: «п.о.т.о.м», whose signs may be any letters
        steps, least = self._steps(written), -inf
        if within < inf and not self.wild.keys().isdisjoint(written):
            small = written.lower()
            if RUSSIAN.issuperset(small.replace("-", "")) and is_form(small):  # «кто-то», as it is written
                return self._words(written, steps, most, weight(small) - within - _SLACK)
            tiers = ([(one, one, one, one) for one in tier] for tier in list(zip(*steps, strict=True))[:2])
            cheap = (self._words(written, tier, most, least) for tier in tiers)
            least = next((found[0].score - within - _SLACK for found in cheap if found), -inf)
        return self._words(written, steps, most, least)

    def _words(  # noqa: C901  (the inner loop)
        self, written: str, steps: Sequence[_Steps], most: float, least: float
    ) -> list[WordReading]:
        """Return the words that a string may stand for, the best first; lower scores than `least` may be missing."""
        (among, further), height_of = beginnings(), heights()
        states: list[dict[str, tuple[float, int]]] = [{} for _ in range(len(written) + 1)]
        states[0][""] = (0.0, 0)
        for at, (cheap, dearer, every, soft) in enumerate(steps):
            here = states[at]
            followed = sorted(here.items(), key=lambda one: one[1])[:_BEAM] if len(here) > _BEAM else list(here.items())
            for prefix, (cost, bits) in followed:
                ways = soft if prefix[-1:] in _SOFTENED else every
                if least > -inf:
                    left = (height_of.get(plain(prefix[:BEGUN]), LOW) - least) / 2 - cost
                    if left < 0:
                        continue
                    if left < _SOFT:
                        ways = dearer if left >= _DEAR else cheap
                for length, letters, more, bit in ways:
                    if cost + more <= most:
                        longer, reached = prefix + letters, states[at + length]
                        if longer in reached:
                            reached[longer] = min(reached[longer], (cost + more, bits | bit))
                        elif among(longer) or longer in further:
                            reached[longer] = (cost + more, bits | bit)
        is_mixed = not RUSSIAN.isdisjoint(written)
        best: dict[str, WordReading] = {}
        for word, (cost, bits) in states[-1].items():
            if is_form(word):
                more = _BESIDE * bool(is_mixed and bits & by.SPELT) + _BOTH * (bits & by.BOTH == by.BOTH)
                one = WordReading(weight(word) - 2 * (cost + more), word, cost + more, bits)
                other = best.get(plain(word), one)
                best[plain(word)] = max(one, other, key=lambda each: (each.score, each.word))
        return sorted(best.values(), key=lambda one: (-one.score, one.word))

    def _skips(self, char: str) -> int:
        """Return the bit of the normalizer that leaves this sign out; 0 if none does."""
        return self.skipped.get(char, 0) or (next(iter(self.skipped.values()), 0) if is_picture(char) else 0)

    def _steps(self, written: str) -> list[_Steps]:
        """Return the ways to read on from each character of a string."""
        small = written.lower() if len(written.lower()) == len(written) else written
        found = []
        for at, char in enumerate(written):
            longest = max(self.longest.get(char, 1), self.longest.get(small[at], 1))
            key = written[at : at + longest], small[at : at + longest]
            steps = self.known.get(key)
            if steps is None:
                steps = self.known[key] = self._ways(*key)
            skip = self._skips(char) if 0 < at < len(written) - 1 else 0
            repeated = self.repeats if at and small[at] == small[at - 1] and small[at].isalpha() else 0
            if skip or repeated:
                cheap, dearer, every, soft = steps
                means = char in self.wild or (char in self.ways and char not in self.skipped)
                once = skip and means and written.count(char) == 1  # «с*ка» is not «ска»
                out = [(1, "", 1.3 if once else 0.3 if skip else 0.5, skip | repeated)]
                steps = cheap + out, dearer + out, every + out, soft + out
            found.append(steps)
        ends = self.softens and written[-1:].isascii() and written[-1:].isalpha()
        return [*found, ([], [], [], [(0, "ь", _SOFT, self.softens)] if ends else [])]

    def _ways(self, written: str, small: str) -> _Steps:
        """Return the ways to read on from the first of some characters."""
        char = written[0]
        steps: list[_Step] = []
        if char in RUSSIAN:
            letter = small[0]
            steps.append((1, letter, 0.0, 0))
            if letter in "её":
                steps.append((1, "ё" if letter == "е" else "е", 0.05, 0))
        elif char == "-":
            steps.append((1, "-", 0.0, 0))
        elif char in self.wild or (self.wild and is_picture(char)):
            bit = self.wild.get(char, self.wild.get("*", 0))
            more = 0.0 if char == "*" else 0.5
            steps += [(1, letter, more + (1.0 if letter in VOWELS else 2.0), bit) for letter in LETTERS]
        for length in range(1, len(written) + 1):
            for key in {written[:length], small[:length]}:
                exact = by.SKELETON if key != written[:length] and key.isascii() else 0
                steps += [(length, *way) for way in self.ways.get(key, ()) if not exact or way.bit != exact]
        alike = {one[:3] for one in steps if one[3] == by.SKELETON} & {one[:3] for one in steps if one[3] == by.SPELT}
        steps = [(*one[:3], 0) if one[:3] in alike else one for one in steps]
        soft = []
        if self.softens and char.isascii() and char.isalpha():
            soft = [
                (length, sign + letters, more + _SOFT, bit | self.softens)
                for length, letters, more, bit in steps
                for sign in ("ъь" if letters[0] in "еёюя" else "ь")
            ]
        cheap, dearer = ([one for one in steps if one[2] < limit] for limit in (_DEAR, _SOFT))
        return cheap, dearer, steps, steps + soft


def is_picture(char: str) -> bool:
    """Tell whether a character is an emoji or another picture."""
    return char == "\ufe0f" or (char > "\u2190" and category(char) == "So")
