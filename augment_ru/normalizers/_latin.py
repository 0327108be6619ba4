"""Reads words without Russian letters: Russian words in Latin letters, in look-alikes or in the wrong layout."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from augment_ru.edits import Edit
from augment_ru.language.morphology import readings
from augment_ru.language.prepositions import cases_behind
from augment_ru.normalizers import _bits as by
from augment_ru.normalizers._context import Pieces
from augment_ru.normalizers._lattice import RUSSIAN, WordReading
from augment_ru.normalizers._lexicon import is_function, is_hidden, plain, table_of, weight
from augment_ru.normalizers._pieces import core, is_shout
from augment_ru.normalizers._reader import Piece, by_score
from augment_ru.resources import word_lists


class _Grade(NamedTuple):
    """How well a piece without Russian letters can be read in one way: as the wrong layout, or as Latin letters.

    Attributes:
        word: the reading; "" if there is none.
        is_sure: whether the reading is taken without other evidence.
        may: whether it is taken if other words of the text are read in the same way.
        bits: the bits of the normalizers that read it.
        stop: where the word ends in the piece; used for the wrong layout only.
    """

    word: str = ""
    is_sure: bool = False
    may: bool = False
    bits: int = 0
    stop: int = 0


_SHORT = 3
"""A word of fewer letters is no evidence."""
_STRANGE = 0.6
"""How many strange words a run may have for each word that can be read."""
_LONG_RUN = 4
"""In a run of so many words a capital does not mark a brand."""
_ASCII, _YO = re.compile("[A-Za-z]"), re.compile("[yj]o|[ëöё]", re.IGNORECASE)
_MONEY = re.compile(r"\b(?:RU[RB]|USD|EUR)\b")
"""What messages of banks have, which are in Latin letters for the sake of telephones."""
_SIGNS = {"?": ",", "/": ".", "&": "?", "^": ":", "$": ";", "@": '"'}
"""What the signs after a word mean in a message that is typed in the wrong layout."""


def latin(context: Pieces) -> dict[int, Edit]:
    """Return the edits that turn pieces without Russian letters into Russian words: «kazino», «rfpbyj».

    Words beside one another are all replaced or all left: «Game of Thrones» is one name. An uncertain word is replaced
    only if another word of the text is hidden in the same way, or if it fits the Russian words beside it («v доме»).

    Args:
        context: the text and its pieces (the parts between white space).

    Returns:
        The edits, each by the index of the piece that it changes.
    """
    words = {at: one for at, one in enumerate(context.judged) if one is not None and one.kind == "latin"}
    hidden = any(one.found and is_hidden(one.found[0].word) for one in words.values())
    if not words or (_MONEY.search(context.text) and not hidden):
        return {}
    return _Latin(context, words).chosen()


class _Latin:
    """The words of a text that have no Russian letters, and how well each can be read in two ways."""

    def __init__(self, context: Pieces, words: dict[int, Piece]) -> None:
        self.context, self.words = context, _in_one_manner(words)
        self.russian = any(char in RUSSIAN for piece in context.pieces for char in piece)
        kinds = [one for one in context.judged if one is not None and one.kind == "sure"]
        self.alike = sum(_ASCII.search(one.written) is not None for one in kinds)
        alone, initial = not self.russian, context.is_initial
        keyed = {at: _keyed(one) for at, one in self.words.items()}
        spelt = {at: _spelt(one, initial=initial(at), alone=alone) for at, one in self.words.items()}
        self.ways = {True: keyed, False: spelt}
        """The grades of the words, as typed in the wrong layout (True) and as spelt in Latin letters (False)."""
        self.sure = {way: {at for at, one in grades.items() if one.is_sure} for way, grades in self.ways.items()}

    def runs(self) -> list[list[int]]:
        """Return the indices of the words' pieces, in runs of neighbours: no other word is inside a run."""
        runs: list[list[int]] = []
        for at in self.words:
            between = self.context.pieces[runs[-1][-1] + 1 : at] if runs else ()
            if not runs or any(any(map(str.isalpha, piece)) for piece in between):
                runs.append([])
            runs[-1].append(at)
        return runs

    def chosen(self) -> dict[int, Edit]:
        """Return the edits that read the words, by the number of the piece."""
        found: dict[int, Edit] = {}
        for run in self.runs():
            keyed, spelt = ((len(sure & set(run)), len(sure)) for sure in self.sure.values())
            way = keyed > spelt
            grades, sure = self.ways[way], self.sure[way]
            many = not way and len(sure) > 1  # «Sam … uzhe prokommentiroval»: «Sam» is «сам»
            good = sum(at in sure or (grades[at].may and (many or not self.words[at].is_english)) for at in run)
            doubtful = [at for at in run if not (many and grades[at].may)]
            strange = sum(_is_strange(self.words[at], grades[at], keyed=way) for at in doubtful)
            is_alone = len(run) == 1 and run[0] not in sure and strange + 1 > good * _STRANGE
            if is_alone and (one := self._standing(run[0])):
                found[run[0]] = one
            elif strange <= good * _STRANGE:
                for at in run:
                    evidence = len(sure - {at}) + (0 if way else self.alike)
                    if made := self._read(at, grades[at], evidence, is_long=len(run) >= _LONG_RUN, keyed=way):
                        found[at] = made
        return found

    def _read(self, at: int, grade: _Grade, evidence: int, *, is_long: bool, keyed: bool) -> Edit | None:
        """Return the edit that reads a word in one way; None if there is too little evidence.

        Args:
            at: the number of the piece.
            grade: how well it can be read.
            evidence: how many other words of the text are surely hidden in the same way.
            is_long: whether the word is in a long run, where a capital does not mark a brand.
            keyed: whether the word is read as typed in the wrong layout.
        """
        one, start, piece = self.words[at], self.context.places[at][0], self.context.pieces[at]
        capital = one.written[0].isupper() and not self.context.is_initial(at) and self.russian and not is_long
        is_short = len(one.written) < _SHORT
        is_sign = is_short and one.written[1:].isupper() and self.russian
        is_nick = capital and not one.written.isalpha() and one.written[1:].islower()  # «K1ller»
        doubtful = is_sign or (capital and (one.is_english or is_short))
        counts = (evidence < 2 or one.written[1:].isupper()) and self._is_counted(at)  # noqa: PLR2004
        is_brand = is_nick or counts or (capital and keyed and len(one.written) < _LONG)
        if not is_brand and (grade.is_sure or (grade.may and evidence and not doubtful)):
            if not keyed:
                word = grade.word if self.russian or _YO.search(one.written) else plain(grade.word)
                return self.context.written(at, one, word, grade.bits)
            tail = piece[grade.stop :]
            tail = tail if self.russian else "".join(_SIGNS.get(sign, sign) for sign in tail)
            return by.read_as(start, start + len(piece), grade.word + tail, grade.bits)
        few = evidence < 2 and not _is_form(one)  # noqa: PLR2004
        can = "transliteration" in self.context.reader.names
        if few or keyed or is_brand or one.is_english or capital or len(one.written) < _SHORT or not can:
            return None
        word = _spelled(one.written)
        return by.read_as(start + one.start, start + one.stop, word, by.SPELT) if word else None

    def _is_counted(self, at: int) -> bool:
        """Tell whether a short word, or one in capitals, comes before a number: «OS −2,25», «PYATEROCHKA 5512»."""
        following, one = "".join(self.context.pieces[at + 1 : at + 2]), self.words[at]
        is_shop = self.russian and one.written.isupper() and not (one.found and is_hidden(one.found[0].word))
        return (len(one.written) <= _SHORT or is_shop) and any(map(str.isdigit, following))

    def _standing(self, at: int) -> Edit | None:
        """Return the edit that reads a short word if its reading fits the Russian words around it; None if not."""
        one = self.words[at]
        single = _SINGLE.get(one.written, _SINGLE.get(one.written.lower(), ()))
        words = [*single, *(self.ways[way][at].word.lower() for way in (False, True))]
        word = next((each for each in words if each and self._stands(at, each)), "")
        return self.context.written(at, one, word, by.SPELT) if word else None

    def _stands(self, at: int, word: str) -> bool:
        """Tell whether the reading `word` of a short piece fits the Russian words around it: «v доме», «He надо».

        A preposition must govern a case of the next word; other words must be frequent ones.
        """
        context, one, pieces = self.context, self.words[at], self.context.pieces
        following = pieces[at + 1] if at + 1 < len(pieces) else ""
        start, stop = core(following)
        after, before = following[start:stop], pieces[at - 1] if at else ""
        initial, cases = context.is_initial(at), cases_behind(word)
        others = ((self.words[each], grade) for each, grade in self.ways[False].items() if each != at)
        strange = (_is_strange(each, grade, keyed=False) for each, grade in others)
        if (
            sum(len(pieces[each]) == 1 for each in self.words) > 1
            or (len(word) > 1 and any(strange))  # «замени pick на squash»
            or not after
            or (len(after) == 1 < len(one.written) and not is_function(after))  # «sin х»
            or not RUSSIAN.issuperset(after)
            or not (initial or RUSSIAN.intersection(before[:2]))
            or (one.written[0].isupper() and not (initial and (after[0].islower() or cases)))
            or (len(one.written) > 1 and one.written.isupper())
            or pieces[at].strip('«"(') != one.written
            or not one.written.isascii()
        ):
            return False
        last = readings(before.lower())[0] if before[-1:].isalpha() else None
        if cases:  # a single letter may be a symbol behind a quantity or a kind: «скорость v», «класс a»
            names = word_lists("reading_hints")["quantity"]
            is_quantity = last is not None and (last.lemma in names or last.lemma.endswith(_QUANTITIES))
            return not (is_quantity and len(one.written) == 1) and any(
                cases & reading.grammemes for reading in readings(after)
            )
        if len(word) == 1:
            behind_noun = last is not None and last.pos == "NOUN"
            return (word == "и" and not behind_noun) or (word == "а" and (initial or before[-1:] == ","))
        return weight(word) >= _OFTEN and one.written.isalpha()


def _in_one_manner(words: dict[int, Piece]) -> dict[int, Piece]:
    """Return the words; readings by look score lower if the text spells words by sound, and the reverse.

    So «u» is «у» in «u menya» and «и» in «MbI u Bbl».
    """
    manners = [one.found[0].bits & by.BOTH for one in words.values() if one.found and len(one.written) >= _SHORT]
    usual = max((by.SPELT, by.SKELETON), key=manners.count)
    other = by.BOTH ^ usual
    if manners.count(usual) < 2 or manners.count(other):  # noqa: PLR2004
        return words

    def judged(found: Sequence[WordReading]) -> list[WordReading]:
        less = (one._replace(score=one.score - _OTHERWISE * bool(one.bits & other)) for one in found)
        return sorted(less, key=by_score)

    return {at: one._replace(found=judged(one.found)) for at, one in words.items()}


_OTHERWISE = 4.0
"""How much lower the score of a reading is if the other words of the text are not hidden in its manner."""


@cache
def _likeliest() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the likeliest Russian letters for Latin ones, and the pattern of all that has some, the longest first."""
    table = table_of("transliteration")
    ways = sorted(((cost, item, letters) for letters, cost, item in table if cost < 1), reverse=True)
    letters = {item: said for _, item, said in ways}
    return re.compile("|".join(map(re.escape, sorted(letters, key=len, reverse=True))) + "|."), letters


def _spelled(written: str) -> str:
    """Return an unknown word in Latin letters, each read in the likeliest way; "" if some cannot be read."""
    pattern, letters = _likeliest()
    parts = [letters.get(part, "") for part in pattern.findall(written.lower())]
    word = "".join(parts) if all(parts) else ""
    return word[:1].upper() + word[1:] if written[:1].isupper() else word


_QUANTITIES = ("ость", "ение", "ание", "ота", "ция", "тор")
_OFTEN = 10.5
"""The least weight of a word as which a short Latin word is read between Russian words."""
_BY_WORD = {"и": "bi", "в": "dv", "с": "cs", "к": "rk", "о": "oj", "у": "euyY", "а": "af", "я": "z", "ви": "B"}
_SINGLE = {letter: tuple(words) for words, letters in _BY_WORD.items() for letter in letters}
"""Maps a Latin letter to the words of one letter that it may be: by its look, by its sound, or in the wrong layout."""
_KEYED = {1: 99.0, 2: 14.0, 3: 7.0, 4: 6.0, 5: 3.0}
_SPELLED = {1: 99.0, 2: 99.0, 3: 9.5, 4: 8.0, 5: 6.0}
"""The least score of a sure reading, by its length in letters; 1 for longer ones."""
_MAY_BE_KEYED = {1: 13.0, 2: 9.0}
_MAY_BE_SPELLED = {1: 13.0, 2: 8.5, 3: 7.0}
"""The least score of a reading that needs other evidence, by its length; 3 and 1 for longer ones,
or -2 for more than five letters where the whole text is in Latin letters."""
_CLOSE, _UNUSUAL, _SEEN = 0.5, 1.5, 8.0
"""The least cost of a reading that is doubtful, and how much likelier a word of four letters must then be: «vidi»; the
least weight of a word with digits."""


def _is_strange(one: Piece, grade: _Grade, *, keyed: bool) -> bool:
    """Tell whether a piece is evidence against reading the words beside it as Russian."""
    if grade.is_sure or len(one.written) < _SHORT:
        return False
    if keyed:
        return not grade.word
    return one.is_english or not (grade.may or _is_form(one))


def _is_form(one: Piece) -> bool:
    """Tell whether an unknown word has an ending that only Russian words have."""
    endings = tuple(word_lists("reading_hints")["ending"])
    return len(one.written) > _LONG and one.written.islower() and one.written.endswith(endings)


def _keyed(one: Piece) -> _Grade:
    """Return how well a piece can be read as typed in the wrong layout."""
    best = one.keyed
    if best is None:
        return _Grade()
    size, english = len(best.word), one.is_english and len(best.word) == len(one.written)
    sure = not english and best.score >= _KEYED.get(size, 1.0) and (size > _SHORT or not best.word.isupper())
    return _Grade(best.word, sure, best.score >= _MAY_BE_KEYED.get(size, 3.0), best.bits, int(best.cost))


def _spelt(one: Piece, *, initial: bool, alone: bool) -> _Grade:
    """Return how well a piece can be read as Russian in Latin letters or in look-alikes."""
    if not one.found:
        return _Grade()
    best, size = one.found[0], len(one.written)
    bare = one.written.replace("'", "").replace("`", "")
    is_odd = size == _LONG - 1 and best.cost >= _CLOSE and not is_hidden(best.word)
    is_written = _is_hidden(one, bare) or _is_plain(one, bare, initial=initial)
    is_seen = bare.isalpha() or is_hidden(best.word) or weight(best.word) >= _SEEN  # «5opka»
    least = _SPELLED.get(size, 1.0) + _UNUSUAL * is_odd
    sure = best.score >= least and is_written and is_seen and not one.is_english
    may = best.score >= _MAY_BE_SPELLED.get(size, -2.0 if alone and size > _LONG else 1.0) and bare.isalnum()
    return _Grade(best.word, sure, may, best.bits or by.SPELT)


def _is_hidden(one: Piece, plain: str) -> bool:
    """Tell whether the best reading of a word is a hidden word, or one whose letters signs hide.

    Args:
        one: what the word may be.
        plain: the word as it is written, without apostrophes.
    """
    best, size = one.found[0], len(one.written)
    is_brand = one.written.isupper() and (size <= _SHORT or (plain.isalpha() and best.cost > _CLOSE))  # «KION»
    if is_brand or (not plain.isalnum() and size < _LONG):
        return False
    return is_hidden(best.word) or (bool(best.bits & by.MASKS) and size >= _LONG and best.score >= _OFTEN)


_LONG = 5


def _is_plain(one: Piece, plain: str, *, initial: bool) -> bool:
    """Tell whether a word is written like an ordinary one: not like a name, an abbreviation or a code.

    Args:
        one: what the word may be.
        plain: the word as it is written, without apostrophes.
        initial: whether it begins a sentence.
    """
    written, size, is_upper = one.written, len(one.written), is_shout(one.written)
    is_name = not initial and written[0].isupper() and not is_upper
    is_word = plain.isalpha() or "-" in plain or (plain.upper() != plain and size > _SHORT)
    is_short = is_upper and size <= (_LONG - 1 if initial else _LONG)  # «KION»
    return is_word and not is_name and not is_short and (plain.isalnum() or "-" in one.found[0].word)
