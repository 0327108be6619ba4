"""Reads one piece of a text (a part between white space) with the knowledge of several normalizers at once."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import starmap
from math import inf, log
from typing import ClassVar, NamedTuple

from augment_ru.language.morphology import has_reading, readings
from augment_ru.language.numerals import ANY_CASE, nouns_behind, ways_to_count
from augment_ru.normalizers import _bits as by
from augment_ru.normalizers import _lexicon as lexicon
from augment_ru.normalizers._lattice import RUSSIAN, Lattice, Way, WordReading, is_picture
from augment_ru.normalizers._normalization import Normalization
from augment_ru.normalizers._pieces import ORDINAL, core, fold, stays, swings
from augment_ru.resources import listed_in, word_lists

_MARGIN = 1.0
"""By how much the score of the best reading must exceed the next."""


class WordKnowledge(Normalization):
    """The base class of normalizers that restore words; a normalizer overrides the members that it needs."""

    __slots__ = ()
    wild: ClassVar[str] = ""
    """The signs that may stand for any letter: «каз*но»."""
    weakly_wild: ClassVar[str] = ""
    """The signs that may stand for any letter, but only in a word that people hide from filters."""
    skipped: ClassVar[str] = ""
    """The signs that may stand between the letters of a word and mean nothing."""
    repeats: ClassVar[bool] = False
    """Whether repeated letters may be left out: «кааазино»."""
    softens: ClassVar[bool] = False
    """Whether «ь» and «ъ» may be added where a word in Latin letters has none."""

    def ways(self) -> Iterable[tuple[str, str, float]]:
        """Return the ways to read characters as letters, each as (letters or signs written, letters meant, cost).

        A word read in a way of cost c is exp(2c) times less likely than one read without it.
        """
        return ((item, letters, cost) for letters, cost, item in lexicon.table_of(self.name))

    def whole(self, piece: str) -> Iterable[WordReading]:
        """Return the words that a piece may stand for if it was typed in the English keyboard layout.

        Punctuation marks are letters then: «,jyec» is «бонус». In these readings, `cost` is no cost: it is the index in
        the piece where the word ends. By default there are none.

        Args:
            piece: a part of a text between white space, with its punctuation.
        """
        del piece
        return ()

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Return the words that an unknown word (one that the dictionary lacks) may stand for.

        Args:
            word: a word of Russian letters, or one with characters outside ASCII.
        """
        del word
        return ()

    def is_near(self, word: str) -> bool:
        """Tell whether this normalizer replaces an unknown word even if the text hides no other words from a filter."""
        del word
        return False

    @property
    def is_eager(self) -> bool:
        """Whether unknown words are replaced in all texts, not only in those that hide words from a filter."""
        return False

    @property
    def bit(self) -> int:
        """The bit of this normalizer in numbers that state which normalizers a word needs: 1 << i for `NAMES[i]`."""
        return 1 << by.NAMES.index(self.name)


class Piece(NamedTuple):
    """The words that a piece of a text (a part between white space) may stand for.

    Attributes:
        kind: what the piece is. The kind decides whether one of the words in `found` replaces it:
            `sure`: clearly no ordinary word; always replaced, by the best word;
            `turned`: written upside down; always replaced, by the best word;
            `several`: replaced by the word that agrees with the words beside it;
            `spelt`: an unknown Russian word; the other words of the text decide whether it is replaced (`mended`);
            `part`: an unknown or rare Russian word; replaced only if it is a part of a divided word («ка зино»);
            `name`: an unknown or rare word with a capital; treated as `part` if it begins a sentence;
            `latin`: a word without Russian letters; the other words of the text decide whether it is replaced;
            `foreign`: a word with a letter of another Cyrillic alphabet, such as «і»; replaced if the text is Russian.
        start: where the word starts in the piece, after the signs before it.
        stop: where the word stops in the piece.
        written: the word, with plain letters instead of full-width or circled ones (`fold`).
        found: the words that the piece may stand for, the best first.
        keyed: the best word if the piece was typed in the wrong keyboard layout; None if there is none.
        is_english: whether the piece is an English word or a brand.
    """

    kind: str
    start: int
    stop: int
    written: str
    found: Sequence[WordReading] = ()
    keyed: WordReading | None = None
    is_english: bool = False


class Reader:
    """Finds the words that a piece of a text (between white space) may stand for, by several normalizers at once.

    Args:
        parts: the normalizers.
    """

    def __init__(self, parts: Sequence[WordKnowledge]) -> None:
        self.parts = parts
        self.names = {one.name for one in parts}
        self.joins = "separators" in self.names
        self.repeats = "stretching" in self.names
        self.eager = any(one.is_eager for one in parts)
        self.near = [one.is_near for one in parts if type(one).is_near is not WordKnowledge.is_near]
        self.kind, self.judge, self.mend = cache(self._kind), cache(self._judge), cache(self._mend)

    @cached_property
    def lattice(self) -> Lattice:
        """The rules of all the normalizers by which strings are read as words."""
        table: dict[str, dict[str, list[Way]]] = {}
        for part in self.parts:
            for written, letters, cost in part.ways():
                if not (len(written) == 1 and written in RUSSIAN):
                    for read, more in ((letters, 0.0), ("ё", _YO))[: 1 + (letters == "е")]:
                        table.setdefault(written, {}).setdefault(read, []).append(Way(read, cost + more, part.bit))
        ways = {written: tuple(starmap(_joint, several.items())) for written, several in table.items()}
        return Lattice(
            ways,
            {sign: one.bit for one in self.parts for sign in one.wild}
            | {sign: one.bit | by.WEAK for one in self.parts for sign in one.weakly_wild},
            {sign: one.bit for one in self.parts for sign in one.skipped},
            sum(one.bit for one in self.parts if one.repeats),
            sum(one.bit for one in self.parts if one.softens),
        )

    def _kind(self, piece: str, *, initial: bool = False) -> str:
        """Return the kind of a piece (see `Piece`); "" if it is never changed.

        Args:
            piece: a part of the text between white space.
            initial: whether it begins a sentence.
        """
        word = piece.strip(MARKS)
        small = word.lower()
        if word == small or word[1:] == small[1:] or word.isupper():
            if small in lexicon.common():
                return ""
            if len(word) >= _SHORTEST and RUSSIAN.issuperset(word) and "(" not in piece and ")" not in piece:
                kind = self._kind_at_once(word, small, initial=initial or self.eager)
                if kind is not None:
                    return kind
        judged = self.judge(piece, initial=initial)
        return judged.kind if judged else ""

    def _judge(self, piece: str, *, initial: bool = True) -> Piece | None:
        """Return the words that a piece of a text may stand for; None if the piece is never changed.

        A word in quotes, such as «превед», stays in most cases, because the author only mentions it.

        Args:
            piece: a part of the text between white space.
            initial: whether it begins a sentence. Elsewhere an unknown word with a capital stays, since it may be a
                name.
        """
        judged = self._piece(piece, initial=initial or self.eager) if len(piece) <= _MOST else None
        if judged and judged.found and not self.eager:
            best = judged.found[0]
            is_ours = judged.kind in {"sure", "spelt"} and not best.bits & by.SPELLING
            if is_ours and _CUT_OFF.fullmatch(piece, judged.start):
                return judged._replace(kind="part", found=())
            if _QUOTED.fullmatch(piece) and best.bits & ~by.BOTH and not any(map(lexicon.is_hidden, best.word.split())):
                return None
        return judged

    def _piece(self, piece: str, *, initial: bool) -> Piece | None:
        start, stop = core(piece)
        word = piece[start:stop]
        if RUSSIAN.issuperset(word):
            return self._russian(word, start, stop, initial=initial) if len(word) > 1 else None
        if self.joins and (found := _bracketed(piece)):
            return found
        if "masks" in self.names and (said := _said(word) or _named(word)):
            return Piece("sure", start, stop, word, said)
        if stays(piece):
            return None
        if _is_ornament(word[0]) or _is_ornament(word[-1]):
            return self._pictured(word, start, stop)
        return self._strange(piece, word, start, stop)

    def _pictured(self, word: str, start: int, stop: int) -> Piece | None:
        """Return what a word with an emoji at an end may be; the emoji stands beside the word, or for letters of it."""
        kept = [at for at, char in enumerate(word) if not _is_ornament(char)] or [-1]
        first, last = kept[0], kept[-1] + 1
        inner = word[first:last]
        if RUSSIAN.issuperset(inner) and (lexicon.count(inner.lower()) or lexicon.is_hidden(inner.lower())):
            return None
        judged = self.judge(inner)
        if judged and judged.kind == "sure":
            ends = judged.stop + (word[last : last + 1] == "\ufe0f")
            return judged._replace(start=start + first + judged.start, stop=start + first + ends)
        return self._strange(word, word, start, stop)

    def _strange(self, piece: str, word: str, start: int, stop: int) -> Piece | None:
        """Return what a word with characters other than Russian letters may be."""
        turned = self._unknown(word) if len(word) >= _SHORTEST and not word.isascii() else ()
        if turned and turned[0].score > _LEAST:
            return Piece("turned", start, stop, word, turned)
        folded = fold(word)
        russian = sum(char in RUSSIAN for char in folded)
        is_plain = piece.isascii() or folded.replace("'", "").replace("`", "").isalnum()
        if not russian and not _is_sister(folded) and is_plain:
            return self._latin(piece, folded, start, stop, is_fancy=folded != word)
        return self._mixed(piece, folded, start, stop, russian)

    def _unknown(self, word: str) -> list[WordReading]:
        """Return the readings of an unknown word by all normalizers; empty if none is clearly the best."""
        found = sorted((one for part in self.parts for one in part.unknown(word)), key=by_score)
        loses = found and found[0].bits == by.MASKS  # the forms of one word
        return found if found and (loses or _is_clear(found, forms=not self.eager)) else []

    def _russian(self, word: str, start: int, stop: int, *, initial: bool) -> Piece | None:
        """Return what a word of Russian letters may be; an unknown one is mended if it is near to one."""
        small = word.lower()
        if self.joins and _is_odd(word, small):
            return Piece("sure", start, stop, word, (_divided(small),))
        kind = self._kind_at_once(word, small, initial=initial)
        if kind is not None:
            return Piece(kind, start, stop, word) if kind else None
        is_seen = lexicon.count(small) > 0
        if not is_seen and _LONG_RUN.search(small) and (short := self._collapsed(word)):
            is_cry = not self.eager and not lexicon.is_hidden(short[0].word) and _CRY.search(small)
            return Piece("spelt" if is_cry else "sure", start, stop, word, short)
        if not initial and word.istitle():
            return Piece("name", start, stop, word)
        is_doubled = self.repeats and _RUNS.search(word)
        is_hidden = is_doubled and lexicon.sound(small) in lexicon.alike_words(lexicon.sound, hidden=True)
        found = self.mend(word) if is_hidden or any(near(word) for near in self.near) else ()
        found = [] if found and is_seen and not self.mends(small, found[0]) else found
        return Piece("spelt" if found else "part", start, stop, word, found)

    def _kind_at_once(self, word: str, small: str, *, initial: bool) -> str | None:
        """Return the kind of a Russian word that is listed or a name, "" if it stays; None if it must be read."""
        if lexicon.is_listed(small):
            is_rare = lexicon.count(small) < lexicon.COMMON
            is_part = is_rare or (len(small) < _SHORTEST and not lexicon.is_function(small))
            return "part" if self.joins and is_part else ""
        return "name" if not initial and word.istitle() and not _LONG_RUN.search(small) else None

    def _mend(self, word: str) -> Sequence[WordReading]:
        """Return the words that an unknown word of Russian letters may stand for, the best first.

        The result is empty if none is found, or if several are about equally likely.
        """
        return self._collapsed(word) or self._unknown(word)

    def forget(self, most: int) -> None:
        """Empty the caches if they hold more than `most` pieces, so that they do not fill the memory."""
        if self.kind.cache_info().currsize > most:
            self.lattice.known.clear()
            for known in (self.kind, self.judge, self.mend):
                known.cache_clear()

    @staticmethod
    def mends(small: str, found: WordReading) -> bool:
        """Tell whether a rare word may be an error, because another word is much likelier.

        Args:
            small: the rare word, in lower case.
            found: the other word, with its score.
        """
        return found.score - log(max(lexicon.count(small), 1)) > _ERROR

    def _collapsed(self, word: str) -> list[WordReading]:
        """Return readings of a word without its repeated letters; empty if it has none, or may be a name or a cry."""
        small = word.lower()
        runs = [len(run[0]) for run in _RUNS.finditer(small)]
        if not self.repeats or not runs or len(set(small)) < _LETTERS or (word.isupper() and len(word) < _LONG_ENOUGH):
            return []
        plain = max(runs) > 2 or len(runs) > 1 or word.islower()  # noqa: PLR2004
        least = _LEAST if max(runs) > 2 or len(runs) >= _MANY else _DOUBLED  # noqa: PLR2004
        found = [one for one in self.lattice.words(small) if one.score + one.cost * 2 > least]
        often = _GOAL if not self.eager and _CRY.search(small) else inf
        cries = ["INTJ"] if self.eager else ["INTJ", "PRCL", "NPRO"]  # «урааа»; «нууу»
        found = [one for one in found if not has_reading(one.word, *cries)]
        found = [one for one in found if not lexicon.is_hidden(one.word) or lexicon.count(one.word) < often]
        plain = plain or any(lexicon.is_hidden(one.word) and len(one.word) >= _LONG_ENOUGH for one in found[:1])
        return found if found and plain and _is_clear(found) else []

    def _latin(self, piece: str, folded: str, start: int, stop: int, *, is_fancy: bool) -> Piece | None:
        """Return what a word without Russian letters may be."""
        keyed = sorted((one for part in self.parts for one in part.whole(piece) if piece.isascii()), key=by_score)
        found: Sequence[WordReading] = ()
        known = [char for char in folded if char not in self.lattice.wild]  # «###-##»
        if any(map(str.isalpha, folded)) or (len(known) >= _LONG_ENOUGH and not folded.isdigit()):
            if piece[stop : stop + 1] in {"'", "`"} and piece[start - 1 : start] != piece[stop]:
                folded, stop = folded + piece[stop], stop + 1
            found = self.lattice.words(folded, within=_MARGIN)
        found = found or (self.lattice.words(piece[start:stop], within=_MARGIN) if is_fancy else ())
        small = folded.lower().rstrip("`")
        is_plain = small.isascii() and (folded.islower() or folded.isupper() or folded[1:].islower()) and not is_fancy
        is_english = is_plain and (lexicon.count(small) >= _BRAND or small in listed_in("english"))
        if not found and not keyed:
            return Piece("latin", start, stop, folded, is_english=is_english) if folded.isalpha() else None
        is_fancy = is_fancy and len(folded) >= _SHORTEST  # two may be a flag
        kind = "sure" if is_fancy and found and found[0].score > _LEAST and _is_clear(found) else "latin"
        return Piece(kind, start, stop, folded, found, keyed[0] if keyed else None, is_english)

    def _mixed(self, piece: str, folded: str, start: int, stop: int, russian: int) -> Piece | None:
        """Return what a word of several alphabets, digits and signs may be."""
        is_long = len(folded) > _SHORTEST and any(map(str.isalnum, folded))
        found = self._masked(folded) if russian or is_long else []
        tail = folded.partition(")")[2].lower() if piece[start - 1 : start] == "(" else ""
        is_joined = bool(tail) and lexicon.is_listed(tail)  # «(со)автор»
        start -= bool(tail)
        hides = bool(found) and lexicon.is_hidden(found[0].word)
        is_nick = _NICK.fullmatch(folded) and not hides
        is_short = _SHORT_FORM.fullmatch(piece) and not (hides and found[0].bits == by.SEPARATORS)  # but «л.о.х.»
        is_same = bool(found) and (found[0].word == folded.lower() or _is_marked(folded, found[0]))
        if is_joined or is_nick or is_short or is_same:
            return None
        if _LATIN_PART.search(folded):
            return self._hyphened(folded, start, stop)
        is_doubtful = (len(folded) < _SHORTEST and not folded.isalpha()) or not _is_clear(found)
        if found and is_doubtful and not _is_sister(folded) and self._may(found[0], folded):
            several = self._masked(folded, within=_AGREEMENT)
            close = tuple(one for one in several if several[0].score - one.score < _AGREEMENT)
            return Piece("several", start, stop, folded, close)
        low, high = start, stop
        while low and piece[low - 1] in folded and not piece[low - 1].isalnum():
            low -= 1
        while high < len(piece) and piece[high] in "_*~|)]}>" and piece[high] in folded:
            high += 1
        if found and self._may(found[0], folded):
            # «çил» is Chuvash; no language mixes Greek and Russian letters in a word
            is_alien = RUSSIAN.isdisjoint(folded) or any("\x80" <= one < "\u0250" and one.isalpha() for one in folded)
            kind = "foreign" if _is_sister(folded) or (is_alien and not lexicon.is_hidden(found[0].word)) else "sure"
            return Piece(kind, low, high, folded, found)
        found = (_filled(folded) if self.joins else []) or (_gapped(folded.lower()) if "masks" in self.names else [])
        if found and not _is_marked(folded, found[0]):
            return Piece("sure", low, high, folded, found)
        return self._hyphened(folded, start, stop) or self._alike(folded, start, stop, russian)

    def _masked(self, folded: str, within: float = _MARGIN) -> list[WordReading]:
        """Return the readings of a word, the best first; where «*» stands for letters, hidden words come first."""
        stars = any(not self.lattice.wild.get(char, by.WEAK) & by.WEAK for char in folded)
        found = self.lattice.words(folded, within=within + _STARRED * stars)
        if found and not found[0].bits & by.WEAK:
            found = [one for one in found if not one.bits & by.WEAK]  # «прода.м»: the sign divides
        if stars:
            both = by.MASKS | by.SEPARATORS if len(set(folded) - RUSSIAN) == 1 else 0  # one sign has one meaning
            found = [one for one in found if not both or one.bits & both != both]
            more = {one.word: _STARRED * lexicon.is_hidden(one.word) for one in found}
            found = sorted((one._replace(score=one.score + more[one.word]) for one in found), key=by_score)
            if found and more[found[0].word] and found[0].bits & by.MASKS:
                found = [one for one in found if one.bits & by.MASKS]  # «д*рак» is not «драк»
        return found

    def _may(self, found: WordReading, written: str) -> bool:
        """Tell whether there is enough evidence to read `written` as this word."""
        alien = {char for char in written if char.isalnum() and char not in RUSSIAN}
        if alien == {"ѣ"} or (not alien and found.bits & by.SPELT):  # «посѣтить», Belarusian «надвор'е»
            return lexicon.is_hidden(found.word)
        if not alien and not found.bits & ~(by.SEPARATORS | by.REPEATED):
            return self.joins and _is_apart(written, found)
        if not alien and "-" in written and found.bits & by.SEPARATORS and not lexicon.is_hidden(found.word):
            return False  # «под-снеж-ник-□»
        if found.bits & by.WEAK and (len(found.word) < _LONG_ENOUGH or not lexicon.is_hidden(found.word)):
            return False
        if len(found.word) < _SHORTEST and not written.isalnum():
            return False
        known = sum(char in RUSSIAN for char in written)
        least = 0.0 if found.cost < 0.3 and known > 2 else _NEEDED.get(len(found.word), _LONGER)  # noqa: PLR2004
        return found.score >= least

    def _hyphened(self, folded: str, start: int, stop: int) -> Piece | None:
        """Read each part of a word with hyphens or other signs inside; None if there is nothing to read."""
        halves = folded.lower().split("-")
        once = "".join(halves[::2])
        if self.joins and halves[::2] == halves[1::2] and len(set(halves)) > 1 and lexicon.is_listed(once):
            return Piece("sure", start, stop, folded, (_divided(once),))
        cut = _CUTS.split(folded)
        kinds, score, bits = frozenset[str](), 0.0, 0
        for at, part in enumerate(cut if len(cut) > 1 else ()):
            judged = None if at % 2 or len(part) < 2 or stays(part) else self.judge(part)  # noqa: PLR2004  («β-каротин»)
            if judged and judged.kind in {"sure", "foreign"}:
                best = judged.found[0]
                cut[at] = part[: judged.start] + best.word + part[judged.stop :]
                kinds, score, bits = kinds | {judged.kind}, min(score, best.score), bits | best.bits
        read = WordReading(score, "".join(cut), 0.0, bits)
        return Piece(min(kinds), start, stop, folded, (read,)) if kinds else None  # `foreign` before `sure`

    def _alike(self, folded: str, start: int, stop: int, russian: int) -> Piece | None:
        """Read an unknown word by the look of its foreign letters and signs; None if one looks like no letter."""
        letters, cost, bits = [], 0.0, 0
        for at, char in enumerate(folded):
            if char in RUSSIAN:
                letters.append(char.lower())
                continue
            if char in self.lattice.wild:
                return None  # any letter
            inside = char.isalpha() or (folded[at - 1 : at].islower() and folded[at + 1 : at + 2].islower())
            ways = self.lattice.ways.get(char, self.lattice.ways.get(char.lower(), ())) if inside else ()
            shown = [one for one in ways if one.bit != by.SPELT]
            best = min(shown, key=lambda one: (one.cost, one.letters), default=None)
            if best is None or best.cost > _UNLIKE:
                return None
            letters.append(best.letters)
            cost += best.cost
            bits |= best.bit
        is_apart = len(set(folded[1::2])) == 1 and not folded[1].isalpha()  # «г+о+л+д+у» is not «гтотл…»
        parts = re.split("[|+&]", folded.lower())  # «хлеб+соль»
        is_pair = len(parts) > 1 and any(len(part) > 2 and lexicon.is_listed(part) for part in parts)  # noqa: PLR2004
        is_alien = russian * 2 < len(letters) or russian < 2 or _is_sister(folded)  # noqa: PLR2004
        if is_apart or is_pair or is_alien or swings(folded) or cost > _UNLIKE * russian or _is_glued(folded.lower()):
            return None
        kind = "foreign" if cost and bits & by.SKELETON else "sure"
        word = "".join(letters)
        meant = [one for one in self.mend(word) if lexicon.is_hidden(one.word)]  # «кредeт»
        return Piece(kind, start, stop, folded, meant or (WordReading(0.0, word, cost, bits),))


MARKS = '.,!?;:…«»()"—-'
"""The signs that may stand around a common word."""
_MOST = 500
"""The most characters of a piece that is read: its cost grows with the square of its length."""
_CUT_OFF = re.compile(r"[а-яё]+(?:…|\.\.\.?|[-–—])\W*", re.IGNORECASE)
"""A word that is cut off: «прибли-»."""
_QUOTED = re.compile(r"\W?[«“„].*[»”“]\W*")
_LONG_ENOUGH = 5
"""The fewest letters of a word in which a sign of `weakly_wild` stands for a letter."""
_RUNS = re.compile(r"(\w)\1+")
_LATIN_PART = re.compile(r"(?:^|-)[A-Z]{2,}-[а-яё]{3}|[а-яё]{3}-[A-Z]{2,}$")
"""An abbreviation in Latin letters, joined with a word by a hyphen: «SIM-карта»."""
_LONG_RUN, _CRY = re.compile(r"(\w)\1\1"), re.compile(r"^(?!.*(\w)\1+(?!\1).*(\w)\2\2).*([аеёиоуыэюя])\3\3")
"""A letter that is repeated; one vowel, which people repeat to cry: «спасииите»."""
_NICK = re.compile("[DFGIJLQRSVWZ][а-яё]+")
"""A Latin capital that looks like no Russian one, and Russian letters: «Zлата»."""
_SHORT_FORM = re.compile(r"\W?(?:[а-яё]\.-?){2,3}\W*", re.IGNORECASE)
"""Two or three letters, each with its stop, which is an abbreviation: «д.м.н.», «с.-х.»."""
_GOAL = 50_000
"""The count of a hidden word that is so frequent that people cry it: «гооол»."""
_CUTS = re.compile(r"([-–—/,.:;!?()]+)")
_SHORTEST, _SWINGS, _LETTERS = 3, 2, 2
_LEAST, _DOUBLED, _MANY = 3.0, 7.0, 3
"""The least score of a reading, and of the reading of a word in which only one or two letters were doubled."""
_ERROR = 3.0
_UNLIKE = 0.7
_YO = 0.05
"""The cost of reading ё where a table has е."""
_BRAND = 300
"""A word in Latin letters is English, or a brand, if the news have it at least so often."""
_STARRED = 4.0
"""By how much the score of a hidden word is higher where «*» stands for letters."""
_AGREEMENT = 3.0
"""How far the score of a reading may be below the best one if it agrees with the words beside it."""
_NEEDED, _LONGER = {1: 99.0, 2: 9.0, 3: 7.0, 4: 4.0, 5: 2.0, 6: 0.0, 7: 0.0}, -3.0
"""The least score of a reading, by its length in letters, and of a longer reading."""


def _joint(letters: str, ways: Sequence[Way]) -> Way:
    """Return one way for several to the same letters; what is both alike and spelt so has no bit."""
    bits = {one.bit for one in ways}
    return Way(letters, min(one.cost for one in ways), 0 if sum(bits) == by.BOTH else ways[0].bit)


def by_score(found: WordReading) -> tuple[float, str]:
    """Return a key for sorting the words that a string may stand for: the likeliest first, then by the alphabet."""
    return -found.score, found.word


def _is_clear(found: Sequence[WordReading], *, forms: bool = False) -> bool:
    """Tell whether the best reading is clearly ahead of the next; with `forms`, of the next that is not of its word."""
    others = [one for one in found if lexicon.plain(one.word) != lexicon.plain(found[0].word)]
    close = [one for one in others if found[0].score - one.score < _MARGIN]
    lemmas = {one.lemma for one in readings(found[0].word)} if forms and close else set()
    return all(any(each.lemma in lemmas for each in readings(one.word)) for one in close)


def _divided(word: str) -> WordReading:
    """Return the reading of a word that signs, capitals or brackets divide."""
    return WordReading(lexicon.weight(word), word, 0.0, by.SEPARATORS)


def _filled(folded: str) -> list[WordReading]:
    """Return the hidden word that a word is without alien signs inside it, all alike or all digits: «идXиXот»."""
    aliens = "".join(char for char in folded[1:-1] if char not in RUSSIAN)
    is_junk = len(aliens) > 1 or aliens.isalnum()
    inner = folded.lower()
    for alien in aliens if is_junk and (aliens.isdigit() or len(set(aliens)) == 1) else ():
        inner = inner.replace(alien.lower(), "")
    return [_divided(inner)] if lexicon.is_hidden(inner) else []


def _bracketed(piece: str) -> Piece | None:
    """Return the word that brackets hide, «к(руж)ку»; None if they mean something, as in «(со)автор» or «[В]от»."""
    cut = _BRACKETS.fullmatch(piece)
    if not cut:
        return None
    begun, inner, rest = cut["begun"].lower(), cut["inner"], cut["rest"].lower()
    word, outer, start = begun + inner.lower() + rest, begun + rest, cut.start("word")
    is_round = cut["sign"] in "([" and piece.count(cut["sign"]) == 1
    is_told = is_round or cut["sign"] in "«‹"  # «при(ш)ёл», «пере»стройка: an exercise, a play on words
    if not (begun or rest) or not lexicon.is_listed(word) or (is_told and not lexicon.is_hidden(word)):
        return None
    if is_round and cut["sign"] == "(" and (_is_whole(outer) or not rest):
        return None
    return Piece("sure", start, cut.end("word"), cut["word"], (_divided(word),))


_BRACKETS = re.compile(
    r"[«\"„]?(?P<word>(?P<begun>[а-яё]*)(?P<sign>[(\[{<【«‹⟨《〔「『])[(\[{<]*(?P<inner>[а-яё]+)[)\]}>】»›⟩》〕」』]+(?P<rest>[а-яё]*))"
    r"[\"»,.!?;:…]*",
    re.IGNORECASE,
)
"""A word with a part in brackets."""


def _gapped(small: str) -> list[WordReading]:
    """Return the hidden words that fit a word with a run of signs, «прид***к»; lengths differ by two at most."""
    cut = _GAP.fullmatch(small)
    if not cut or len(cut[1]) + len(cut[3]) < 2:  # noqa: PLR2004
        return []
    size = len(small) if cut[2] != "…" else len(small) + 2
    fits = (word for word in lexicon.hidden_forms() if word.startswith(cut[1]) and word.endswith(cut[3]))
    sizes = ((word, abs(len(word) - size)) for word in fits)
    likely = (WordReading(lexicon.weight(word) - 2.0 * far, word, 0.0, by.MASKS) for word, far in sizes if far < 3)  # noqa: PLR2004
    found = sorted(likely, key=by_score)
    return found if found and _is_clear(found) else []


_GAP = re.compile(r"([а-яё]+)([*#@%_.•●█-]{2,}|…)([а-яё]+)")


def _named(word: str) -> list[WordReading]:
    """Return the word whose letters are named: «эм-а-эс-эс-а-жэ»; empty if it is an abbreviation, as «ка-гэ-бэ» is."""
    if word.count("-") < _SHORTEST - 1:
        return []
    names = {name: letter for letter, _, name in lexicon.table_of("named")}
    letters = [names.get(part, "") for part in word.lower().split("-")]
    meant = "".join(letters) if all(letters) else ""
    is_word = len(meant) * 2 < len(word) and (len(meant) > _SHORTEST or lexicon.is_hidden(meant))
    return [WordReading(lexicon.weight(meant), meant, 0.0, by.MASKS)] if is_word and lexicon.is_listed(meant) else []


def _said(word: str) -> list[WordReading]:
    """Return the word in which a number is written for its sound, «о5», «100лица»; empty if it counts or ranks."""
    cut = _NUMBERED.fullmatch(word.lower())
    if not cut or word.isdigit():
        return []
    before, number, after = cut.groups()
    is_whole, found = not before or _is_whole(before), []
    ranks = ORDINAL.fullmatch(number + after) or ways_to_count(int(number), nouns_behind(f" {after}"), ANY_CASE)
    if len(after) == 1 > len(before) or (is_whole and after and ranks):
        return []
    is_doubtful = len(after) < _SHORTEST and (is_whole or len(before) == 1)  # «в7», «100ка», «р1»
    for letters, cost, item in lexicon.table_of("said"):
        said = before + letters + after
        one = WordReading(lexicon.weight(said) - 2 * cost, said, cost, by.MASKS)
        if item == number and lexicon.is_form(said) and one.score >= (_FREQUENT if is_doubtful else _NEEDED[4]):
            found += [one] if not (is_doubtful and before and cost) and not has_reading(said, "NUMR", "Anum") else []
    return sorted(found, key=by_score)


_NUMBERED, _FREQUENT = re.compile(r"([а-яё]*)([1-9]\d{0,2})([а-яё]*)"), 9.5
"""A word with a number in it; the least score of its reading if it may also be a number beside a word."""


def _is_odd(word: str, small: str) -> bool:
    """Tell whether the capitals of a word hide it: «КаЗиНо», not «звонИт» (a stress) or «ГОСТами» (an ending)."""
    if word in {small, word.upper()} or word[1:] == small[1:] or not lexicon.is_listed(small):
        return False
    hidden = lexicon.is_hidden(small)
    is_name = bool(_NAME.fullmatch(word)) or (len(small) <= _LONG_ENOUGH and lexicon.weight(small) < _LONE)
    if not hidden and (is_name or any("Abbr" in one.grammemes or not one.known for one in readings(small))):
        return False  # «КоАП», «АлАТ», «АвтоВАЗ»
    begun = hidden and ((len(small) >= _LONG_ENOUGH and _BEGUN.match(word)) or _AMID.search(word))
    return swings(word) >= _SWINGS or bool(begun or _INSIDE.search(word))


_LONE = 7.0
"""The weight of a word that is so frequent that it is no abbreviation."""
_NAME = re.compile("[А-ЯЁ][а-яё]+[А-ЯЁ]+")
_INSIDE, _BEGUN, _AMID = re.compile("[а-яё][А-ЯЁ]{2}"), re.compile("[А-ЯЁ]{2}"), re.compile("[а-яё][Б-ДЖЗЙ-НП-ТФ-Щ]")
"""Capitals inside a word; at the beginning of one that people hide; a consonant, which bears no stress, inside one."""


def _is_ornament(char: str) -> bool:
    """Tell whether a character is a picture that shows no letter."""
    return is_picture(char) and not fold(char).isalnum()


def _is_sister(word: str) -> bool:
    """Tell whether a word has a Cyrillic letter that Russian lacks, such as «і», or a Latin i typed for it."""
    is_typed = {"i"} < set(word) and RUSSIAN.issuperset(word.replace("i", ""))  # «привiт»
    return is_typed or any("\u0400" <= char <= "\u052f" and char not in RUSSIAN for char in word)


@cache
def _units() -> frozenset[str]:
    """Return the short names of units, which signs may join: «Па·с»."""
    return word_lists("reading_hints")["unit"].union(unit.strip(".").lower() for unit in listed_in("units"))


def _is_marked(written: str, found: WordReading) -> bool:
    """Tell whether signs or digits stand at the ends of a word or between two, not for letters: «слово*», «да…и»."""
    hides = lexicon.is_hidden(found.word)
    if count := _COUNT.fullmatch(written.lower()):  # «по3дня», not «по3дно»
        counts = bool(ways_to_count(int(count[2]), nouns_behind(f" {count[3]}"), ANY_CASE))
        return counts and not hides and _is_whole(count[1])
    if two := _BETWEEN.fullmatch(written.lower()):
        return all(map(_is_whole, two.groups())) and not (hides and found.bits == by.SEPARATORS)
    bare = written.lower().strip(_MARKS)
    return not hides and RUSSIAN.issuperset(bare) and _is_whole(bare)


def _is_glued(small: str) -> bool:
    """Tell whether a number in a string that is no word lacks the space beside it: «Купи3слона», «от5кг»."""
    *_, last = parts = [part for part in re.split(r"[1-9]\d*", small) if part]
    is_counted = len(last) >= _SHORTEST and lexicon.is_listed(last)
    return len(parts) > 1 and (is_counted or all(len(one) == 1 or one in _units() or _is_whole(one) for one in parts))


def _is_whole(word: str) -> bool:
    """Tell whether a word may stand alone; short ones must be function words."""
    return lexicon.is_listed(word) if len(word) >= _SHORTEST else lexicon.is_function(word)


_COUNT = re.compile(r"([а-яё]+)([1-9]\d{0,2})([а-яё]+)")
_BETWEEN, _MARKS = re.compile(r"([а-яё]+)[.,…/|+&_]+([а-яё]+)"), "*_~1["
"""Two words with a sign between them; signs of footnotes and markup."""
_ACRONYM, _JOINING = 6, frozenset("-–—'’`./,:;…+&|()_* ")


def _is_apart(written: str, found: WordReading) -> bool:
    """Tell whether signs hide a word («к.а.з.и.н.о»): its parts are no words, units, syllables or stutter."""
    parts = [part.lower() for part in re.split(r"[^а-яёА-ЯЁ]+", written) if part]
    size = sum(map(len, parts))
    hidden = lexicon.is_hidden(found.word)
    is_capital = written.isupper() and "." in written and size < _ACRONYM  # «К.О.Т.»
    is_pair = len(parts) == 3 and "(" in written  # «С(о)лгал»  # noqa: PLR2004
    if hidden and size > _SHORTEST and not set(written) - RUSSIAN <= _JOINING and not found.bits & by.REPEATED:
        return True  # «су[]ка»
    if not hidden and (is_capital or is_pair or len(set(found.word)) < _SHORTEST):
        return False
    are_units = set(parts) <= _units() and len(parts) <= _SHORTEST
    is_short = size < _SHORTEST or (size == _SHORTEST and found.score < _NEEDED[_SHORTEST])
    if are_units or is_short or found.bits & by.REPEATED:
        return False
    if len(parts) > 2 and sum(len(part) == 1 for part in parts) > 1 and found.word != parts[-1]:  # noqa: PLR2004
        return True
    is_odd = any(map(swings, re.split("[^а-яёА-ЯЁ]+", written)))  # not «Жан-Жак»
    if set(written) & set("-'’`") and not is_odd and not hidden:
        return False
    whole = [lexicon.is_listed(part) and (len(part) > 3 or lexicon.weight(part) > 9) for part in parts if len(part) > 1]  # noqa: PLR2004
    return bool(whole) and (not all(whole) or len(parts) > 2 or is_odd)  # noqa: PLR2004
