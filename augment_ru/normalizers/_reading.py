"""Reads texts word by word, with all the normalizers of words that stand beside one another in a chain.

A text is cut into pieces at white space. Each different piece is judged once, and remembered as plain or as odd (it may
stand for another word); most are plain. Only texts with an odd piece are read further.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from math import exp, inf
from operator import ne

from augment_ru.edits import Edit
from augment_ru.language.morphology import has_reading
from augment_ru.normalizers import _bits as by
from augment_ru.normalizers._apart import joined_pieces
from augment_ru.normalizers._context import PIECE, Pieces, is_imperative, is_initial, likeliest_reading, mended
from augment_ru.normalizers._latin import latin
from augment_ru.normalizers._lattice import RUSSIAN, WordReading
from augment_ru.normalizers._lexicon import count, is_hidden, is_word, joinable
from augment_ru.normalizers._normalization import Normalization, TextReading
from augment_ru.normalizers._pieces import cased, core, fold, stays
from augment_ru.normalizers._reader import MARKS, Reader, WordKnowledge
from augment_ru.script import Script


class WordNormalization(WordKnowledge):
    """The base class of normalizers that work word by word; several of them in a chain read each word together."""

    __slots__ = ()

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return, for each text, the script (the edits) that leads from it to what its author meant."""
        return _texts((self,)).scripts(texts)

    def readings(self, text: str, n: int) -> list[TextReading]:
        """Return up to `n` texts that the author may have meant, the likeliest first."""
        return _texts((self,)).readings(text, n)

    def with_next(self, following: Normalization) -> Normalization | None:
        """Return one normalizer that does, in one step, the work of this one and of the one that follows.

        The result is None if `following` is not one of those that work word by word.
        """
        return _texts((self,)).with_next(following)


def _joins(pieces: Sequence[str], small: Sequence[str], at: int) -> bool:
    """Tell whether a piece and one beside it could be parts of one word; `small` has them in small letters, then ""."""
    piece, last, following = pieces[at], small[at - 1], small[at + 1]
    here, before, after = small[at].strip(MARKS), "", ""
    if last[-1:].isalpha() and (piece[0].islower() or (piece[0].isalpha() and pieces[at - 1].isupper())):
        before = last.lstrip(MARKS)
    if following[:1].isalpha() and piece[-1].isalpha():
        after = following.rstrip(MARKS)
    words = joinable()
    is_begun = bool(before) and (before + here in words or (bool(after) and before + here + after in words))
    return is_begun or (bool(after) and here + after in words)


_SPACED = re.compile(
    r"(?<![^\s«\"(])\S[\ufe0f.,/|*_·•~-]?\s+[-–—.·•,|/*_~+:;]?\s*\S[\ufe0f.,/|*_·•~-]?\s+(?:[-–—.·•,|/*_~+:;]\s+)?\S(?!\w)"
)
"""What every text with letters apart («к а з») contains."""
_SHORT = re.compile(r"[\s.,/|*_·•~+:;–—-]\S[\ufe0f.,/|*_·•~-]?\s+(?:[-–—.·•,|/*_~+:;]\s+)?\S(?!\w)")
"""The end of what `_SPACED` finds, which is found faster."""
_MOST_READINGS = 20
_MOST_PIECES = 400_000


class _Texts(Normalization):
    """Several normalizers of words, which read each word together; remembers which pieces are plain and which odd."""

    def __init__(self, parts: tuple[WordKnowledge, ...]) -> None:
        self.parts, self.reader = parts, Reader(parts)

    @property
    def name(self) -> str:
        return "+".join(one.name for one in self.parts)

    def with_next(self, following: Normalization) -> Normalization | None:
        return _texts((*self.parts, following)) if isinstance(following, WordKnowledge) else None

    def _script(self, text: str) -> Script:
        return Script(text, _edits_of(Pieces(self.reader, text)))

    def changing(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the indices of the texts with a piece that may stand for another word, or be a part of one."""
        self.reader.forget(_MOST_PIECES)
        kind_of, joins, found = self.reader.kind, self.reader.joins, []
        for index, text in enumerate(texts):
            pieces = text.split()
            odd = [at for at, piece in enumerate(pieces) if kind_of(piece)]
            if (odd and self._is_odd(text, pieces, odd)) or (joins and _SHORT.search(text) and _SPACED.search(text)):
                found.append(index)
        return found

    def _is_odd(self, text: str, pieces: Sequence[str], odd: Sequence[int]) -> bool:
        """Tell whether one of the odd pieces of a text is a reason to read it."""
        small = [*text.lower().replace("ё", "е").split(), ""]
        for at in odd:
            kind = self.reader.kind(pieces[at])
            if kind == "name" and is_initial(pieces, at):
                kind = self.reader.kind(pieces[at], initial=True)
            if kind and (kind not in {"part", "name"} or _joins(pieces, small, at)):
                return True
        return False

    def readings(self, text: str, n: int) -> list[TextReading]:
        """Return up to `n` texts that the author of a text may have meant, the likeliest first."""
        (script,) = self.scripts([text])
        beam: list[tuple[float, tuple[Edit, ...]]] = [(1.0, ())]
        done = 0
        for place in PIECE.finditer(text):
            sure = [one for one in script.edits if one.start < place.end() and one.stop > place.start()]
            if place.start() < done:
                continue
            start, stop = (place.start() + each for each in core(place[0]))
            word = text[start:stop]
            is_one = not sure or (sure[0].start, sure[-1].stop) == (start, stop)
            found = self._all(place[0], word) if is_one else []
            chances = [exp(one.score - found[0].score) for one in found]
            news = (cased(one.word, word, initial=place.start() == 0) for one in found[:n])
            made = [by.read_as(start, stop, new, one.bits) for one, new in zip(found, news, strict=False)]
            ways = [(chance / sum(chances), [edit]) for chance, edit in zip(chances, made, strict=False)]
            beam = [(one * other, (*old, *more)) for one, old in beam for other, more in ways or [(1.0, sure)]]
            beam = sorted(beam, key=lambda one: -one[0])[:n]
            done = max([done, *(one.stop for one in sure)])
        return [TextReading(Script(text, edits), round(score, 6)) for score, edits in beam]

    def _all(self, piece: str, word: str) -> Sequence[WordReading]:
        """Return all readings of a piece's word, the best first; none for a plain, English or doubtful Latin word."""
        if stays(piece) or RUSSIAN.issuperset(word):
            return [] if is_word(word.lower()) or stays(piece) else self.reader.mend(word)
        if word.isascii() and (judged := self.reader.judge(piece)) and (judged.is_english or judged.kind == "latin"):
            return []
        return [one for one in self.reader.lattice.words(fold(word)) if one.word != word.lower()][:_MOST_READINGS]


_texts = cache(_Texts)


def _edits_of(context: Pieces) -> Iterator[Edit]:
    """Return the edits that lead from a text to what was meant."""
    chosen, taken = joined_pieces(context) if context.reader.joins else ({}, set())
    found = latin(context)
    unknown = mended(context, taken, len(chosen) + len(found))
    for at, one in enumerate(context.judged):
        if one is None or at in taken:
            continue
        best = unknown.get(at)
        if one.kind in {"sure", "turned"} or (one.kind == "foreign" and context.is_strayed(at)):
            best = one.found[0]
        elif one.kind == "several":
            best = likeliest_reading(context, at, one.found)
        if (best is not None or at in found) and not context.is_told(at):
            chosen[at] = found[at] if best is None else context.written(at, one, best.word, best.bits)
    made = [edit for _, edit in sorted(chosen.items()) if context.text[edit.start : edit.stop] != edit.text]
    if len(made) > 1 or context.reader.eager or not any(_is_slip(context.text, edit) for edit in made):
        yield from made


def _is_slip(text: str, edit: Edit) -> bool:
    """Tell whether a word may be written so by mistake: it has a space too many or too few, or is misspelt.

    People also hide words in these ways, but then a word that is not frequent in the news, or more than one.
    """
    written, words = text[edit.start : edit.stop].lower().split(), edit.text.lower().split()
    is_spaced = len("".join(written)) == len("".join(words)) and {len(written), len(words)} == {1, 2}
    kind = edit.note.kind if edit.note is not None else ""
    is_shuffled = kind == by.names_of_bits(by.MASKS) and sorted(written[0]) == sorted(words[0])
    is_misspelt = is_shuffled or kind == by.names_of_bits(by.SPELLING)
    differ = sum(map(ne, written[0], words[0]))
    often = inf if len(written) > 1 or (is_misspelt and differ == 1) else _OFTEN[is_misspelt and differ > 2]  # noqa: PLR2004
    hides = any(is_hidden(word) and count(word) < often for word in words)
    is_offer = len(words) > 1 and (is_imperative(words[0]) or (is_hidden(words[0]) and has_reading(words[0], "1per")))
    raw, before = text[edit.start : edit.stop], text[: edit.start]
    is_loud = raw.isupper() or (raw[0].isupper() and _ENDED.search(before)) or edit.text.lower() in text.lower()
    is_set = is_loud and kind == by.names_of_bits(by.SEPARATORS) and _SET.fullmatch(raw)
    return bool(is_spaced or is_misspelt or is_set) and not hides and not is_offer


_ENDED = re.compile(r"(?:^|\n|[.!?…]\s+)$")
_SET = re.compile(r"\w(?:([- ])\w)(?:\1\w)+")
_OFTEN = 50_000, 20_000
"""A hidden word of at least this count in the news is more often misspelt or glued by mistake than hidden; the second
is for words that differ in more than two letters, and there is none for those that differ in one."""
