"""Words read back, by all the normalizers of words that stand beside one another in a chain.

A text is cut at white space. Most pieces are plain words, and are known to be so from earlier texts; only the others are
looked at, each once, and only texts that hold one are looked at as wholes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import ClassVar, NamedTuple, cast

from augment_ru.edits import Edit, Note
from augment_ru.normalizers._lattice import RUSSIAN, Found, Lattice, Way
from augment_ru.normalizers._lexicon import count, english, is_hidden, is_known, weight
from augment_ru.normalizers._normalization import Normalization
from augment_ru.normalizers._pieces import core, fold, stays, swings
from augment_ru.resources import dictionary_path, rows
from augment_ru.script import Script

_BITS = ("skeleton", "masks", "separators", "layout", "transliteration", "stretching", "spelling")
"""The normalizers of words; each has the bit of its place."""


class WordNormalization(Normalization):
    """A normalizer of words. Those that stand beside one another in a chain read each word together, in one step.

    What a normalizer knows, it says by overriding these members. All have a default.
    """

    __slots__ = ()
    wild: ClassVar[str] = ""
    """The signs that hide any letter."""
    skipped: ClassVar[str] = ""
    """The signs that may stand between the letters of a word and mean nothing."""
    repeats: ClassVar[bool] = False
    """Whether repeated letters are left out."""
    softens: ClassVar[bool] = False
    """Whether soft signs are read where none are written."""

    def ways(self) -> Iterable[tuple[str, str, float]]:
        """Return what may be read as letters: what is written, the letters, the cost."""
        return ((item, letters, cost) for letters, cost, item in listed(self.name))

    def whole(self, piece: str) -> Iterable[Found]:
        """Return readings of a piece as a whole, with the signs around its word."""
        del piece
        return ()

    def unknown(self, word: str) -> Iterable[Found]:
        """Return readings of a word that is no Russian word, or has letters upside down."""
        del word
        return ()

    @property
    def bit(self) -> int:
        """The bit of this normalizer."""
        return 1 << _BITS.index(self.name)

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return the script of each text."""
        return reader((self,)).scripts(texts)

    def with_next(self, following: Normalization) -> Normalization | None:
        """Return what reads words with the knowledge of both."""
        return _Together((self,)).with_next(following)


class _Together(Normalization):
    """Several normalizers of words, which read each word together."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[WordNormalization, ...]) -> None:
        self.parts = parts

    @property
    def name(self) -> str:
        return "+".join(one.name for one in self.parts)

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        return reader(self.parts).scripts(texts)

    def with_next(self, following: Normalization) -> Normalization | None:
        return _Together((*self.parts, following)) if isinstance(following, WordNormalization) else None


@cache
def listed(name: str) -> list[tuple[str, float, str]]:
    """Return what may be read as letters, by one table of `readings.tsv`: letters, cost, what is written."""
    table = rows(dictionary_path("readings"), columns=4)
    return [
        (letters, float(cost), item)
        for kind, letters, cost, written in table
        if kind == name
        for item in written.split(" ")
        if item
    ]


class Piece(NamedTuple):
    """What a piece of a text between white space may be.

    Attributes:
        kind: `sure` (to be read), `latin` (if other words agree), `part` (of a split word, perhaps), `foreign` (a letter of
            a sister alphabet: to be read unless the sentence is of that language).
        start, stop: where the word starts and stops in the piece.
        written: the word with plain letters.
        found: the readings, the best first.
        keyed: the readings as typed in the wrong layout, with the place where each ends in the piece.
        is_english: whether it is an English word or a brand.
    """

    kind: str
    start: int
    stop: int
    written: str
    found: Sequence[Found] = ()
    keyed: Found | None = None
    is_english: bool = False


@cache
def reader(parts: tuple[WordNormalization, ...]) -> "Reader":
    """Return the reader of these normalizers; it keeps what it has learnt of pieces."""
    return Reader(parts)


_SPACED = re.compile(r"(?<!\S)\S\ufe0f?(?: +\S\ufe0f?(?:-\S)?){2,}(?!\S)")
_MOST_PIECES = 400_000


class Reader:
    """Reads words with the knowledge of several normalizers at once."""

    def __init__(self, parts: Sequence[WordNormalization]) -> None:
        self.parts = parts
        self.names = {one.name for one in parts}
        self.joins = "separators" in self.names
        self._plain: set[str] = set()
        self._odd: dict[str, Piece] = {}

    @cached_property
    def lattice(self) -> Lattice:
        """How words are read."""
        table: dict[str, dict[str, list[Way]]] = {}
        for part in self.parts:
            for written, letters, cost in part.ways():
                if not (len(written) == 1 and written in RUSSIAN):
                    table.setdefault(written, {}).setdefault(letters, []).append(Way(letters, cost, part.bit))
        both = sum(one.bit for one in self.parts if one.name in {"skeleton", "transliteration"})
        return Lattice(
            {
                written: tuple(
                    Way(letters, min(one.cost for one in ways), 0 if sum({one.bit for one in ways}) == both else ways[0].bit)
                    for letters, ways in several.items()
                )
                for written, several in table.items()
            },
            {sign: one.bit for one in self.parts for sign in one.wild},
            {sign: one.bit for one in self.parts for sign in one.skipped},
            sum(one.bit for one in self.parts if one.repeats),
            sum(one.bit for one in self.parts if one.softens),
            both if both.bit_count() == 2 else 0,  # noqa: PLR2004
        )

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return the script of each text."""
        plain, odd = self._plain, self._odd
        if len(plain) + len(odd) > _MOST_PIECES:
            plain.clear()
            odd.clear()
        found = []
        for text in texts:
            pieces = text.split()
            if not plain.issuperset(pieces):
                for piece in pieces:
                    if piece not in plain and piece not in odd:
                        judged = self.judge(piece)
                        if judged is None:
                            plain.add(piece)
                        else:
                            odd[piece] = judged
                if not plain.issuperset(pieces) or (self.joins and _SPACED.search(text)):
                    found.append(self._read(text))
                    continue
            elif self.joins and _SPACED.search(text):
                found.append(self._read(text))
                continue
            found.append(Script.of(text, ()))
        return found

    def _read(self, text: str) -> Script:
        from augment_ru.normalizers._contexts import edits_of  # noqa: PLC0415

        made = list(edits_of(self, text, self._odd))
        return Script(text, made) if made else Script.of(text, ())

    # what a piece is

    def judge(self, piece: str) -> Piece | None:
        """Return what a piece may be; None if it stays, whatever stands around it."""
        if stays(piece):
            return None
        start, stop = core(piece)
        word = piece[start:stop]
        if RUSSIAN.issuperset(word):
            return self._russian(word, start, stop) if len(word) > 1 else None
        folded = fold(word)
        if piece.isascii() and not any(map(str.isalpha, piece)) and len(folded) < _SHORTEST:
            return None
        russian = sum(char in RUSSIAN for char in folded)
        if not word.isascii():
            turned = sorted((one for part in self.parts for one in part.unknown(word)), key=lambda one: (-one.score, one.word))
            if turned and turned[0].score > _LEAST:
                return Piece("sure", start, stop, folded, turned)
        if not russian and folded.replace("'", "").replace("`", "").isalnum() or piece.isascii():
            return self._latin(piece, folded, start, stop, is_fancy=folded != word)
        return self._mixed(piece, folded, start, stop, russian)

    def _russian(self, word: str, start: int, stop: int) -> Piece | None:
        """Return what a word of Russian letters may be."""
        small = word.lower()
        if is_known(small):
            if swings(word) >= _SWINGS and "separators" in self.names:
                return Piece("sure", start, stop, word, (Found(weight(small), small, 0.0, 4),))
            return Piece("part", start, stop, word) if self.joins and weight(small) < _RARE else None
        found = self._collapsed(small) or [one for part in self.parts for one in part.unknown(word)]
        found.sort(key=lambda one: (-one.score, one.word))
        if found and _is_clear(found):
            return Piece("sure", start, stop, word, found)
        return Piece("part", start, stop, word) if self.joins else None

    def _collapsed(self, small: str) -> list[Found]:
        """Return what a word is without its repeated letters, if it has some."""
        if "stretching" not in self.names or not any(map(str.__eq__, small, small[1:])) or len(set(small)) < _LETTERS:
            return []
        return [one for one in self.lattice.words(small) if one.score > _LEAST and not _is_cry(one.word)]

    def _latin(self, piece: str, folded: str, start: int, stop: int, *, is_fancy: bool) -> Piece | None:
        """Return what a word without Russian letters may be."""
        keyed = [one for part in self.parts for one in part.whole(piece)] if piece.isascii() else []
        keyed.sort(key=lambda one: (-one.score, one.word))
        letters = [char for char in folded if char.isalpha()]
        found: Sequence[Found] = ()
        if len(letters) >= 2 or folded.isalpha():
            word = folded if piece[stop : stop + 1] not in ("'", "`") else folded + piece[stop]
            if word != folded:
                stop += 1
            found = self.lattice.words(word)
        small = folded.lower()
        is_english = small.isascii() and (count(small) >= _BRAND or small in english()) and not is_fancy
        if not found and not keyed:
            return Piece("latin", start, stop, folded, is_english=is_english) if folded.isalpha() else None
        kind = "sure" if is_fancy and found and found[0].score > _LEAST else "latin"
        return Piece(kind, start, stop, folded, found, keyed[0] if keyed else None, is_english)

    def _mixed(self, piece: str, folded: str, start: int, stop: int, russian: int) -> Piece | None:
        """Return what a word of several alphabets, digits and signs may be."""
        del piece
        found = self.lattice.words(folded) if russian or len(folded) >= _SHORTEST else []
        if found and _is_clear(found) and self._may(found[0], folded, russian):
            kind = "foreign" if _is_sister(folded) else "sure"
            return Piece(kind, start, stop, folded, found)
        return self._hyphened(folded, start, stop) or self._alike(folded, start, stop, russian)

    def _may(self, found: Found, written: str, russian: int) -> bool:
        """Tell whether there is evidence enough to read what was written as this word."""
        del russian
        signs = [char for char in written if not char.isalnum()]
        if signs and all(char in RUSSIAN or not char.isalnum() for char in written) and found.bits & ~(4 | 32) == 0:
            return self.joins and _is_apart(written, found)
        size = sum(map(str.isalnum, written)) + found.word.count("")
        del size
        return found.score >= _NEEDED.get(len(found.word), 0.0)

    def _hyphened(self, folded: str, start: int, stop: int) -> Piece | None:
        """Return a reading of a word with hyphens or other signs, part by part."""
        cut = re.split(r"([-–—/,.:;!?()]+)", folded)
        if len(cut) < 3:  # noqa: PLR2004
            return None
        words, score, bits, changed = [], 0.0, 0, False
        for at, part in enumerate(cut):
            judged = None if at % 2 or not part else self.judge(part)
            if judged is None or judged.kind in {"part", "latin"} or not judged.found:
                words.append(part)
            else:
                best = judged.found[0]
                words.append(part[: judged.start] + best.word + part[judged.stop :])
                score, bits, changed = min(score, best.score), bits | best.bits, True
        return Piece("sure", start, stop, folded, (Found(score, "".join(words), 0.0, bits),)) if changed else None

    def _alike(self, folded: str, start: int, stop: int, russian: int) -> Piece | None:
        """Return the reading of an unknown word whose alien letters look like Russian ones."""
        if "skeleton" not in self.names or not folded.isalpha() or not russian or _is_sister(folded):
            return None
        letters, cost = [], 0.0
        for char in folded:
            if char in RUSSIAN:
                letters.append(char.lower())
                continue
            ways = [one for key in (char, char.lower()) for one in self.lattice.ways.get(key, ()) if one.bit in {0, 1}]
            if not ways:
                return None
            best = min(ways, key=lambda one: (one.cost, key_order(one)))
            letters.append(best.letters)
            cost += best.cost
        if cost > 0.7 * russian:
            return None
        return Piece("sure", start, stop, folded, (Found(0.0, "".join(letters), cost, 1),))


def key_order(way: Way) -> str:
    """Return what orders ways of the same cost."""
    return way.letters


_SHORTEST, _SWINGS, _LETTERS = 3, 2, 2
_RARE = 6.2
_LEAST = 3.0
_BRAND = 300
_MARGIN = 1.0
_NEEDED = {1: 99.0, 2: 12.0, 3: 7.0, 4: 4.0, 5: 2.0}
"""The least score of a reading, by its length."""


def _is_clear(found: Sequence[Found]) -> bool:
    """Tell whether the best reading is clearly ahead of the next."""
    return len(found) == 1 or found[0].score - found[1].score >= _MARGIN


def _is_cry(word: str) -> bool:
    """Tell whether a word is a cry or a particle, which people stretch on purpose: «урааа», «нууу»."""
    from augment_ru.language.morphology import readings  # noqa: PLC0415

    return any(one.pos in {"INTJ", "PRCL"} for one in readings(word))


def _is_sister(word: str) -> bool:
    """Tell whether a word has Cyrillic letters that Russian lacks."""
    return any("\u0400" <= char <= "\u052f" and char not in RUSSIAN for char in word)


def _is_apart(written: str, found: Found) -> bool:
    """Tell whether the parts of a word that signs divide are no words by themselves."""
    parts = [part for part in re.split(r"[^а-яёА-ЯЁ]+", written) if part]
    size = sum(map(len, parts))
    if size < _SHORTEST or (size == _SHORTEST and found.score < 7):  # noqa: PLR2004
        return False
    if len(parts) >= 3 and sum(len(part) == 1 for part in parts) >= 2 and found.word != parts[-1].lower():  # noqa: PLR2004
        return not (found.bits & 32)
    whole = [is_known(part.lower()) and (len(part) > 3 or weight(part.lower()) > 9) for part in parts if len(part) > 1]  # noqa: PLR2004
    if found.bits & 32 or not whole:
        return False
    soft = set(written) & set("-/")
    return not all(whole) if soft and len(parts) < 3 else not all(whole) or len(parts) >= 3  # noqa: PLR2004
