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
from augment_ru.normalizers._context import FOREIGN, PIECE, Pieces, agreeing_reading, is_imperative, is_initial, mended
from augment_ru.normalizers._latin import latin
from augment_ru.normalizers._lattice import RUSSIAN, WordReading
from augment_ru.normalizers._lexicon import common, count, is_hidden, is_joined, is_word
from augment_ru.normalizers._normalization import Normalization, TextReading
from augment_ru.normalizers._pieces import cased, core, fold, stays
from augment_ru.normalizers._reader import Piece, Reader, WordKnowledge
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


_MARKS = '.,!?;:…«»()"—-'


def _joins(pieces: Sequence[str], at: int) -> bool:
    """Tell whether a piece and one beside it could be parts of one word."""
    piece, before, after = pieces[at], "", ""
    if at and piece[0].isalpha() and (piece[0].islower() or pieces[at - 1].isupper()) and pieces[at - 1][-1].isalpha():
        before = pieces[at - 1].lower().lstrip(_MARKS)
    if at + 1 < len(pieces) and piece[-1].isalpha() and pieces[at + 1][0].isalpha():
        after = pieces[at + 1].lower().rstrip(_MARKS)
    here = piece.strip(_MARKS).lower() if before or after else ""
    if (before and is_joined(before + here)) or (after and is_joined(here + after)):
        return True
    return bool(before and after) and is_joined(before + here + after)


_SPACED = re.compile(
    r"(?<![^\s«\"(])\S[\ufe0f.,/|*_·•~-]?\s+[-–—.·•,|/*_~+:;]?\s*\S[\ufe0f.,/|*_·•~-]?\s+(?:[-–—.·•,|/*_~+:;]\s+)?\S(?!\w)"
)
"""What every text with letters apart («к а з») contains."""
_SHORT = re.compile(r"[\s.,/|*_·•~+:;–—-]\S[\ufe0f.,/|*_·•~-]?\s+(?:[-–—.·•,|/*_~+:;]\s+)?\S(?!\w)")
"""The end of what `_SPACED` finds, which is found faster."""
_QUOTES = '«»„“"'
"""Quotation marks; a word of another language that is quoted stays."""
_MOST_READINGS = 20
_MOST_PIECES = 400_000


class _Texts(Normalization):
    """Several normalizers of words, which read each word together; remembers which pieces are plain and which odd."""

    def __init__(self, parts: tuple[WordKnowledge, ...]) -> None:
        self.parts, self.reader = parts, Reader(parts)
        self._plain: set[str] = set()
        self._odd: dict[str, Piece] = {}

    @property
    def name(self) -> str:
        return "+".join(one.name for one in self.parts)

    def with_next(self, following: Normalization) -> Normalization | None:
        return _texts((*self.parts, following)) if isinstance(following, WordKnowledge) else None

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return the script of each text."""
        return [Script.of(text, ()) if self.leaves(text) else self._read(text) for text in texts]

    def leaves(self, text: str) -> bool:
        """Tell whether all pieces of a text are plain, and could not be parts of other words."""
        pieces = text.split()
        if not self._plain.issuperset(pieces) and self._learn(pieces):
            return False
        return not (self.reader.joins and _SHORT.search(text) and _SPACED.search(text))

    def _learn(self, pieces: Sequence[str]) -> bool:
        """Judge the pieces of a text that are new; tell whether the text must be read."""
        plain, odd, known = self._plain, self._odd, common()
        if len(plain) + len(odd) > _MOST_PIECES:
            plain.clear()
            odd.clear()
            self.reader.forget()
        strange = False
        for at, piece in enumerate(pieces):
            if piece in plain:
                continue
            judged = odd.get(piece)
            if judged is not None and judged.kind == "name" and is_initial(pieces, at):
                judged = odd[piece] = self.reader.judge(piece, initial=True) or judged._replace(kind="part")
            if judged is None:
                word = piece.strip(_MARKS)
                small = word.lower()
                if small in known and (word == small or word[1:] == small[1:] or word.isupper()):
                    plain.add(piece)
                    continue
                judged = self.reader.judge(piece, initial=is_initial(pieces, at))
                if judged is None:
                    plain.add(piece)
                    continue
                odd[piece] = judged
            if judged.kind not in {"part", "name"} or _joins(pieces, at):
                strange = True
        return strange

    def _read(self, text: str) -> Script:
        made = list(_edits_of(Pieces(self.reader, text, self._odd)))
        return Script(text, made) if made else Script.of(text, ())

    def readings(self, text: str, n: int) -> list[TextReading]:
        """Return up to `n` readings of a text, the likeliest first."""
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
    strange, plain, _ = context.languages
    for at, one in enumerate(context.judged):
        if one is None or at in taken:
            continue
        best = unknown.get(at)
        is_alien = one.kind == "foreign" and strange * FOREIGN <= plain and set(_QUOTES).isdisjoint(context.pieces[at])
        if is_alien or one.kind in {"sure", "turned"}:
            best = one.found[0]
        elif one.kind == "several":
            best = agreeing_reading(context, at, one.found)
        if (best is not None or at in found) and context.is_told(at):
            continue
        if best is not None:
            chosen[at] = context.written(at, one, best.word, best.bits)
        elif at in found:
            chosen[at] = found[at]
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
    is_loud = raw.isupper() or _ENDED.search(before) or edit.text.lower() in text.lower()
    is_set = is_loud and kind == by.names_of_bits(by.SEPARATORS) and _SET.fullmatch(raw)
    return bool(is_spaced or is_misspelt or is_set) and not hides and not is_offer


_ENDED = re.compile(r"(?:^|\n|[.!?…]\s+)$")
_SET = re.compile(r"\w(?:([- ])\w)(?:\1\w)+")
_OFTEN = 50_000, 20_000
"""A hidden word of at least this count in the news is more often misspelt or glued by mistake than hidden; the second
is for words that differ in more than two letters, and there is none for those that differ in one."""
