"""Похожие буквы других алфавитов становятся русскими: «kaзинo» с латинскими k, a, o → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain

from augment_ru.normalizers._lattice import RUSSIAN, Lattice, Way, WordReading
from augment_ru.normalizers._lexicon import confusables, count, is_hidden, is_listed, table_of, weight
from augment_ru.normalizers._reading import WordNormalization


@dataclass(frozen=True, slots=True)
class SkeletonNormalization(WordNormalization):
    """Replace look-alikes of Russian letters (Unicode's confusables); read words written upside down or backwards."""

    def ways(self) -> Iterable[tuple[str, str, float]]:
        """Return the characters that look like letters, each as (characters, the letters that they look like, cost).

        A cost of c makes a word that is read so exp(2c) times less likely.
        """
        alike = ((char, letter, 0.0) for letter, char in confusables())
        return chain(super(SkeletonNormalization, self).ways(), alike)

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Yield the words that a word may stand for if it is written upside down or backwards."""
        upside, marks = _upside_down(self.bit)
        small = word.lower()
        if RUSSIAN.issuperset(word) and self.is_near(small):
            yield WordReading(weight(small[::-1]) - _BACKWARDS, small[::-1], _BACKWARDS / 2, self.bit)
        if marks.isdisjoint(word):
            return
        yield from upside.words(small[::-1])
        yield from upside.words(small)

    def is_near(self, word: str) -> bool:
        """Tell whether a word, read backwards, is frequent or one that people hide from filters."""
        back, is_long = word[::-1].lower(), len(word) > _LEAST + 1
        if is_hidden(back):
            return is_long or (len(word) >= _LEAST and count(back) > 0)
        return is_long and weight(back) > _OFTEN and is_listed(back)


_LEAST, _OFTEN, _BACKWARDS = 4, 7.0, 3.0
"""The fewest letters of a hidden word that is read backwards; the least weight of another one, which has two letters
more; and how much lower the score of such a reading is."""


@cache
def _upside_down(bit: int) -> tuple[Lattice, frozenset[str]]:
    """Return the lattice that reads letters upside down, and the characters that are used only as such letters."""
    ways: dict[str, list[Way]] = {}
    for letters, cost, written in table_of("turned"):
        ways.setdefault(written[::-1], []).append(Way(letters, cost, bit))
    own = {written for written in ways if len(written) == 1 and not written.isascii() and not "Ѐ" <= written <= "ԯ"}
    return Lattice(ways), frozenset(own)
