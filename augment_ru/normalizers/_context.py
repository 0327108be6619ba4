"""Decides by the surrounding words which pieces of a text (parts between white space) are replaced, and by what."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from augment_ru.edits import Edit
from augment_ru.language.morphology import CASES, GENDERS, Reading, readings
from augment_ru.language.prepositions import cases_behind
from augment_ru.normalizers import _bits as by
from augment_ru.normalizers._lattice import RUSSIAN, WordReading
from augment_ru.normalizers._lexicon import count, is_hidden, is_listed, is_word, memes
from augment_ru.normalizers._pieces import ENDS, cased, core, swings
from augment_ru.normalizers._reader import Piece, Reader
from augment_ru.resources import word_lists

PIECE = re.compile(r"\S+")


class Pieces:
    """A text split at white space into pieces, with the words that each odd piece may stand for («пр1вет»: «привет»).

    Args:
        reader: finds the words that an odd piece may stand for.
        text: the text.

    Attributes:
        places: the start and the stop of each piece in the text.
        pieces: the pieces, as they are written.
        judged: for each piece, what the reader found for it; None for a piece that stays as it is.
    """

    def __init__(self, reader: Reader, text: str) -> None:
        self.reader, self.text = reader, text
        self.places = [match.span() for match in PIECE.finditer(text)]
        self.pieces = [text[start:stop] for start, stop in self.places]
        self.judged = [
            reader.judge(one, initial=kind == "name" and self.is_initial(at)) if kind else None
            for at, (one, kind) in enumerate(zip(self.pieces, map(reader.kind, self.pieces), strict=True))
        ]

    def is_initial(self, at: int) -> bool:
        """Tell whether a sentence begins with the piece of index `at`."""
        return is_initial(self.pieces, at)

    def written(self, at: int, one: Piece, word: str, bits: int) -> Edit:
        """Return the edit that replaces the word in a piece of the text, in the letter case of the replaced word.

        Args:
            at: the index of the piece.
            one: what the reader found for the piece; its `start` and `stop` are the range of the word in the piece.
            word: the new word, in lower case.
            bits: the normalizers that are needed to read this word: bit i is set for `NAMES[i]`.
        """
        start, piece = self.places[at][0], self.pieces[at]
        alike = not bits & by.SPELT
        written = piece[one.start : one.stop]
        if alike and len(written) < _SHOUT and RUSSIAN.isdisjoint(written) and not self.text.isupper():
            written = written[:1] + written[1:].lower()  # «BCE» among small letters is «все»
        initial = self.is_initial(at)
        is_odd = one.kind == "turned" or swings(written) or (one.written.isascii() and not written.isascii())
        if initial and self.text[-1] in ENDS and is_odd:
            written = written[:1].upper() + written[1:]
        elif not initial and (_ALIKE.match(written) or written.lower() == word):
            written = written.lower()
        is_cased = self.text != self.text.lower() or self.text[-1] in ENDS
        initial = initial and (is_cased or not written[0].isalpha())  # «0тзывы» is capitalised in any text
        new = cased(word, written, initial=initial, alike=alike)
        return by.read_as(start + one.start, start + one.stop, new, bits)

    def is_strayed(self, at: int) -> bool:
        """Tell whether a piece with letters of another alphabet is in a Russian text and not in quotation marks."""
        strange, plain, _ = self.languages
        before = self.text[: self.places[at][0]]
        is_quoted = before.count("«") > before.count("»") or not set('«»„“"').isdisjoint(self.pieces[at])
        return strange * _FOREIGN <= plain and not is_quoted

    def is_told(self, at: int) -> bool:
        """Tell whether the text mentions a piece as a nickname, a foreign word or an exercise, so that it stays.

        So it does in «по кличке Z0rro», «слово casino», «ко-ро-ва, мо-ло-ко», «в слове к_рова пропущена буква».
        """
        piece = self.pieces[at].strip(ENDS)
        if at and (piece.isascii() or not piece.isalpha()):
            before = self.pieces[at - 1].strip(ENDS)
            one = self.judged[at - 1] if self.pieces[at - 1][-1] == "," and swings(before) else None
            is_nick = one is not None and one.kind == "part"  # «ЁжикВТумане, 3axap»
            if is_nick or before.lower() in word_lists("reading_hints")["term" if piece.isalpha() else "nick"]:
                return True
        if "-" in piece and _SYLLABLES.fullmatch(piece):
            plain = (each for each, one in zip(self.pieces, self.judged, strict=True) if one is None)
            return "слог" in self.text or any(map(_SYLLABLES.match, plain))
        is_code = piece[1:].isdigit() and piece[0].isupper() and not self.is_initial(at)  # «корпус О5»
        return is_code or (self.spells and bool(re.search(r"_|(?:\w\W){2}\w(?!\w)", piece)))

    @cached_property
    def spells(self) -> bool:
        """Whether the text speaks of letters or of how they are set: «по буквам», «в разрядку», «две „о“»."""
        return self.speaks_of("letters") or _LETTER.search(self.text) is not None

    def speaks_of(self, kind: str) -> bool:
        """Tell whether the text has one of the words that `reading_hints.tsv` lists under this kind."""
        return not word_lists("reading_hints")[kind].isdisjoint(each.strip(_MARKS).lower() for each in self.pieces)

    @cached_property
    def languages(self) -> tuple[int, int, int]:
        """Three counts of words: Cyrillic but not Russian ones, Russian ones, and those that do not occur in the news.

        They tell whether the text is in Russian or in another language, such as Ukrainian. Words that certainly belong
        to another language count twice.
        """
        strange, plain, unseen, sisters = 0, 0, 0, word_lists("reading_hints")["sister"]
        for at, (piece, one) in enumerate(zip(self.pieces, self.judged, strict=True)):
            start, stop = core(piece)
            word = piece[start:stop].lower()
            if RUSSIAN.isdisjoint(word) and not any("\u0400" <= char <= "\u052f" for char in word):
                continue
            is_part = one is not None and one.kind in {"part", "name"}
            if word in sisters or word[-1] == "ъ" or not RUSSIAN.issuperset(word):
                strange += 2 if word in sisters or word[-1] == "ъ" else one is None or is_part
                continue
            is_unseen = is_part and not count(word) and (not piece[start].isupper() or self.is_initial(at))
            known = is_word(word) or not is_unseen
            strange, plain, unseen = strange + (not known), plain + known, unseen + is_unseen
        old = self.text.count("ѣ")
        return strange + (2 * old if old > 1 else 0), plain, unseen


def is_initial(pieces: Sequence[str], at: int) -> bool:
    """Tell whether a sentence begins with a certain piece of a text.

    Args:
        pieces: the text, split at white space.
        at: the index of the piece.
    """
    return at == 0 or pieces[at - 1][-1] in ".!?…" or (at == 1 and pieces[0] in {"—", "-", "–"})


_LETTER = re.compile(r"«[а-яё]»")
_MARKS = "«(" + ENDS
_ALIKE = re.compile(r"[A-Z][A-Z\d]+[^A-Z]*[а-яё]")
"""Latin capitals that stand for one small letter: «LLIина»."""
_SHOUT = 5
_FOREIGN, _UNKNOWN = 12, 4
"""How many Russian words a text must have for each word that is not Russian. The first number is for reading letters of
other Cyrillic alphabets («і») as Russian ones, the second for correcting unknown words."""


def mended(context: Pieces, taken: set[int], others: int) -> dict[int, WordReading]:
    """Choose which unknown words of a text are replaced, and by which words.

    A word is replaced if it was hidden from a filter on purpose. If the text hides other words, too, every unknown word
    in lower case is replaced, if a known word is found for it. A word with a capital inside a sentence stays, since it
    may be a name. A text with many unknown words is taken to be of another language, and stays as it is.

    Args:
        context: the text with its pieces (the parts between white space).
        taken: the indices of the pieces that have an edit already.
        others: how many other words that someone hid from a filter were found in the text.

    Returns:
        The new words, by the index of the piece that they replace.
    """
    reader = context.reader
    judged = ((at, one) for at, one in enumerate(context.judged) if one is not None and at not in taken)
    odd = ((at, one) for at, one in judged if one.kind in {"spelt", "part"})
    unread = [(at, one) for at, one in odd if one.found or not is_listed(one.written.lower())]
    if not unread:
        return {}
    strange, plain, unseen = context.languages
    others_of = strange if reader.eager else max(strange, unseen)
    is_russian = (others_of - 1) * _UNKNOWN <= plain or (reader.eager and _is_mendable(context.judged, strange))
    others += sum(one is not None and one.kind == "sure" for one in context.judged)
    if not is_russian or (not (others or reader.eager) and context.speaks_of("child")):
        return {}
    found: dict[int, WordReading] = {}
    left: dict[int, Piece] = {}
    for at, one in unread:
        is_name = one.written[0].isupper() and not one.written.isupper() and not swings(one.written)
        if is_name and not context.is_initial(at):
            continue
        words = one.found[0].word.split() if one.found else []
        loses, behind = bool(words) and one.found[0].bits == by.MASKS, "".join(context.pieces[at + 1 : at + 2])
        if loses and context.pieces[at][-1] == "." and behind and not behind[0].isupper():
            continue  # «крдт. до 5 млн» is an abbreviation
        is_game = len(words) == 1 and one.found[0].bits & (by.SKELETON | by.SEPARATORS | by.HEARD)
        is_offer = len(words) > 2 or any(map(is_hidden, words)) or (words[1:] and is_imperative(words[0]))  # noqa: PLR2004
        is_told = len(words) == 1 and not reader.eager and words[0] in context.text  # «карова» вместо «корова»
        if words and not is_told and (reader.eager or is_game or is_offer):
            found[at] = (loses and agreeing_reading(context, at, one.found)) or one.found[0]  # «кредит» or «кредиту»
        else:
            left[at] = one
    return found | _misspelt(context, left, others + len(found))


def _misspelt(context: Pieces, left: Mapping[int, Piece], others: int) -> dict[int, WordReading]:
    """Return the words that replace the unknown words `left` if the text hides others, or two of them are errors."""
    if not others and len(left) < 2:  # noqa: PLR2004
        return {}
    words = {at: one.found or context.reader.mend(one.written.lower()) for at, one in left.items()}
    best = {at: agreeing_reading(context, at, found) or found[0] for at, found in words.items() if found}
    sure = {at for at, one in best.items() if one.score > _SURE and one.bits & (by.SPELLING | by.MASKS)}
    if not others and sum(context.pieces[at].strip(ENDS).lower() not in memes() for at in sure) < 2:  # noqa: PLR2004
        return {}
    made = {}
    for at, one in best.items():
        written = left[at].written
        is_short = (written.isupper() or len(written) < _SHORT) and not others  # «ТТГ», «нед.»
        is_likely = not is_short and (at in sure or written[0].islower())
        if is_likely and (not is_word(written) or context.reader.mends(written, one)):
            made[at] = one
    return made


_SURE, _SHORT = 3.0, 4
"""The least score of the reading of a misspelt word that is evidence for others; the fewest letters of one."""
_SYLLABLES = re.compile(r"(?:[б-джзй-нп-тф-щьъ]*[аеиоуыэюяё][б-джзй-нп-тф-щьъ]*-){2,}[а-яё]+", re.IGNORECASE)


def is_imperative(word: str) -> bool:
    """Tell whether a word in lower case is most likely an imperative."""
    return "impr" in readings(word)[0].grammemes


def _is_mendable(judged: Sequence[Piece | None], strange: int) -> bool:
    """Tell whether at least half of the unknown words of a text can be mended, and they are its only strange words."""
    kinds = [one.kind for one in judged if one and (one.kind == "spelt" or not is_word(one.written.lower()))]
    return kinds.count("spelt") >= kinds.count("part") and strange <= len(kinds)


def agreeing_reading(context: Pieces, at: int, found: Sequence[WordReading]) -> WordReading | None:
    """Choose the word that fits the words before and after it clearly better than the others; None if none does.

    A word fits better if it is more frequent, and if it agrees with a neighbour, as an adjective with its noun.

    Args:
        context: the text.
        at: the index of the piece that the word would replace.
        found: the words to choose from.
    """
    pieces = context.pieces
    before = pieces[at - 1].lower() if at and pieces[at - 1][-1].isalpha() else ""
    ends = at + 1 == len(pieces) or pieces[at][-1] in ENDS
    after = "" if ends else pieces[at + 1].lower().strip(ENDS)
    scored = [(one.score + _GAIN * _agreement(before, one.word, after), one) for one in found]
    scored.sort(key=lambda one: (-one[0], one[1].word))
    other = scored[1][0] if len(scored) > 1 else found[0].score
    return scored[0][1] if scored[0][0] - other >= _GAIN / 2 else None


def likeliest_reading(context: Pieces, at: int, found: Sequence[WordReading]) -> WordReading | None:
    """Choose the word that agrees with its neighbours, or else the most frequent one if all are forms of a hidden word.

    Args:
        context: the text.
        at: the index of the piece that the word would replace.
        found: the words to choose from.
    """
    lemmas = [{each.lemma for each in readings(one.word)} for one in found]
    is_one = all(is_hidden(one.word) for one in found) and set.intersection(*lemmas)
    often = max(found, key=lambda one: (count(one.word), one.word in lemmas[0], one.word)) if is_one else None
    return agreeing_reading(context, at, found) or often


_GAIN = 2.0
"""What agreement with a neighbour adds to the score."""


def _agreement(before: str, word: str, after: str) -> int:
    """Return how many neighbours of a word agree with it; minus 1 if the preposition before it governs other cases."""
    kinds = [one for one in readings(word) if one.known]
    found = 0
    if cases := cases_behind(before):
        found += 1 if any(cases & one.grammemes for one in kinds) else -1
    if after and (cases := cases_behind(word)):
        found += any(cases & one.grammemes for one in readings(after))
    for other in (one for one in (before, after) if len(one) > 1):
        found += any(are_agreed(one, each) for one in kinds for each in readings(other) if each.known)
    return found


_VERBAL = frozenset({"VERB", "PRTS", "ADJS"})


def are_agreed(one: Reading, other: Reading) -> bool:
    """Tell whether two analysed word forms agree, as an adjective and its noun or a subject and its verb do."""
    shared = one.grammemes & other.grammemes
    if {one.pos, other.pos} & {"ADJF", "PRTF"} and "NOUN" in {one.pos, other.pos}:
        return bool(shared & CASES) and ("plur" in shared or ("sing" in shared and bool(shared & GENDERS)))
    verb, noun = (one, other) if one.pos in _VERBAL else (other, one)
    if verb.pos in _VERBAL and noun.pos in {"NOUN", "NPRO"} and "nomn" in noun.grammemes:
        return "plur" in shared or ("sing" in shared and (bool(shared & GENDERS) or not verb.grammemes & GENDERS))
    return False
