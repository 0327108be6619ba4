"""Текст становится таким, каким его запишет распознаватель речи: «Компания, 5 мая» → «кампания пятого мая»."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, chain
from math import fsum
from typing import ClassVar, Self

import numpy as np

from augment_ru.attacks.numbers import compound
from augment_ru.attacks.speech.said import amounts, case_of_noun, said_numbers, said_roman
from augment_ru.draws import Floats, Ints, Streams, unit
from augment_ru.edits import Edit, Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.language.frequency import word_counts
from augment_ru.language.morphology import has_form, shares_lemma
from augment_ru.language.numerals import cardinal, counted_phrase
from augment_ru.language.sound import transcription
from augment_ru.records.groups import grouped
from augment_ru.resources import dictionary_path, number_in, rows, same_word
from augment_ru.similarities.meaning.quantities import amounts_of
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, counted, counts_before, marked
from augment_ru.text.words import LETTERS_AND_DIGITS

_ABBREVIATION = re.compile("[БВГДЖЗКЛМНПРСТФХЦЧШЩ]{2,4}|[A-Z][BCDFGHJKLMNPQRSTVWXZ]{0,3}|[A-Z]{2}")
_JOINED = frozenset({"в", "за", "из", "к", "на", "от", "по", "под", "при", "с"})
_JOINED_BY_LETTER = {letter: sorted(one for one in _JOINED if one[0] == letter) for letter in "взикнопс"}
_CAPITALS_AND_SIGNS = re.compile(r"[A-ZА-ЯЁ]+|(?!(?<=\d)/\d)[^\w\s]")
"""The slash of «3/4» stays: without it there are two numbers."""
_LEAST_COUNT, _SHORTEST, _LONGEST = 300, 3, 24
_BASE = 1e-6
"""Changes that are no errors (small letters, numbers in words) have ranks below this, so that they are always made."""
_SHARES = {"same": 3.0, "near": 0.2, "ending": 1.2, "lost": 0.25, "join": 1.5, "split": 0.6}
"""How much likelier errors of one kind are than those of another, where a word allows both; the author's estimates."""
_MOST, _HIGHEST = 0.5, 0.9


@dataclass(frozen=True, slots=True)
class Speech(Attack):
    """Write a text as a speech recogniser would, after hearing it read aloud.

    The result has no capitals and no punctuation; numbers, signs, abbreviations and Latin words are written as they are
    spoken. Then some words are misheard: they become words that sound the same or nearly so, lose their endings, are
    joined or split; short words are lost. «Не» stays.

    Args:
        probability: the share of the drawn errors that are made, in [0, 1]. At 0 nothing changes.
        wer: the expected word error rate, in [0, 0.5]: wrong, lost and added words / words of the text. Both texts are
            compared in lower case without punctuation; numbers and signs that are written in words count, too.
        refused: the share of the drawn errors that the gate (the similarity check of the engine) refuses, in [0, 1). To
            make up for them, 1 / (1 - refused) times as many errors are drawn. The default was measured with the
            default gate on 600 sentences. A run without a gate takes 0, whatever is given.
        words: the dictionary of how signs and letters are spoken, and of what is misheard.

    Raises:
        AugmentError: there is no such dictionary, or `wer` or `refused` is out of range.
    """

    group: ClassVar[str] = "channels"
    probability: float = 1.0
    wer: float = 0.1
    refused: float = 0.165
    words: str = "speech"

    def __post_init__(self) -> None:
        if not 0.0 <= self.wer <= _MOST:
            raise AugmentError(f"{self.name}.wer: {self.wer!r}; needs a number from 0 to 0.5")
        if not 0.0 <= self.refused < 1.0:
            raise AugmentError(f"{self.name}.refused: {self.refused!r}; needs a number from 0, below 1")
        _table(self.words)

    def without_gate(self) -> Self:
        """Return a copy for a run without a gate (a similarity check): it draws no more errors than `wer` says."""
        return replace(self, refused=0.0)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the edits that give a text its spoken form (small letters, numbers in words), and errors of hearing.

        Each edit is one change. A change is made if its rank, a random number, is below the probability. Edits for the
        spoken form have ranks near 0, so that they are made at every positive probability.
        """
        table, text = _table(self.words), "\n".join([*batch.texts, ""])
        words, spoken, taken = batch.once(_spoken_edits, self.words)
        taken = taken.copy()
        rows = np.array([row for row, _ in spoken], dtype=np.int64)
        sizes = np.diff(np.searchsorted(words.starts, batch.starts))
        costs = [_cost(text, edit) for _, edit in spoken]
        wrong = self.wer * sizes - np.bincount(rows, weights=costs, minlength=len(batch))
        used = np.zeros(len(batch), dtype=np.int64)
        ranks = [_drawn(streams, rows, used) * _BASE]
        made: list[_Row] = [_padded(text, edit) for _, edit in spoken]
        starts, heard = _places(batch, words, taken, table)
        rows = batch.rows(starts)
        shares = _shares(rows, heard, np.maximum(wrong, 0.0) / (1.0 - self.refused))
        errors = list(_errors(starts, heard, shares, _drawn(streams, rows, used)))
        for start, (width, new, _, kind, _) in errors:
            stop = start + width
            made.append((start, stop, new, Note(text[start:stop] if new else None, kind)))
        rows = batch.rows(np.array([start for start, _ in errors], dtype=np.int64))
        ranks.append(np.maximum(_drawn(streams, rows, used), _BASE))
        for start, stop, *_ in made:
            taken[start:stop] = True
        starts, stops, lowered = _lowered(batch, words, ~taken & np.repeat(sizes > 0, batch.lengths + 1))
        ranks.append(_drawn(streams, batch.rows(starts), used) * _BASE)
        begins, ends, texts, notes = zip(*made, strict=True) if made else ((),) * 4
        return Proposals.of_edits(
            np.append(np.array(begins, dtype=np.int64), starts),
            np.append(np.array(ends, dtype=np.int64), stops),
            np.concatenate(ranks),
            [*texts, *lowered],
            notes=lambda edits: [notes[at] if at < len(notes) else None for at in edits.tolist()],
        )


def _drawn(streams: Streams, rows: Ints, used: Ints) -> Floats:
    """Return a random number for each of some ascending rows; `used` counts the draws of each text."""
    numbers = used[rows] + np.arange(rows.size) - np.searchsorted(rows, rows)
    used += np.bincount(rows, minlength=used.size)
    return unit(streams.keys[rows], numbers >> 1, numbers & 1)


class _Table:
    """The contents of the dictionary, by kind.

    Attributes:
        spoken: finds signs and abbreviations; `said` maps each to what is said for it.
        hints: finds what signs begin with; `rare` are the longest words of abbreviations. Most texts have neither.
        latin: pairs of Latin letters and what is said for them, the longest first; at the end of a word, and anywhere.
        letters: the names of letters.
        amounts: what finds numbers with their units.
        lost: the weight of each word that may be lost.
        near: the groups of letters that may be misheard, each with what is heard and a weight, by the first letter.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        kinds: defaultdict[str, list[tuple[str, str, float]]] = defaultdict(list)
        for kind, old, new, share in rows(dictionary_path(name), columns=4):
            weight = number_in(f"{name}: {kind} {old}", share, most=1.0)
            kinds[kind].append((old, new.replace("-", ""), weight))
        units = {old: new for old, new, _ in kinds["unit"]}
        self.said = said = {
            old: new
            for old, new, _ in (*kinds["unit"], *kinds["spoken"])
            if old not in units or _UNIT_ALONE.fullmatch(old)
        }
        longest = sorted(said, key=len, reverse=True)
        signs, shorts = (
            "|".join(
                _CLOSE.get(one) or re.escape(one) + r"(?!\w)" * one[-1].isalpha()
                for one in longest
                if one[0].isalpha() == is_short
            )
            for is_short in (False, True)
        )
        self.spoken = re.compile(rf"(?<!\w)(?<!\w\.)(?:{shorts or '(?!)'})|{signs or '(?!)'}", re.IGNORECASE)
        self.hints = re.compile("|".join(re.escape(one[0]) for one in said if not one[0].isalpha()) or "(?!)")
        self.rare = frozenset(max(LETTERS_AND_DIGITS.findall(one), key=len) for one in said if one[0].isalpha())
        pairs = ([(old, new) for old, new, _ in kinds[kind]] for kind in ("latin_end", "latin"))
        self.latin = [sorted(own, key=lambda one: -len(one[0])) for own in pairs]
        self.letters = {old: new for old, new, _ in kinds["letter"]}
        self.amounts = amounts(units, {old: new for old, new, _ in kinds["numbered"]})
        self.lost = {old: weight for old, _, weight in kinds["lost"]}
        self.near = grouped((one[0][0], one) for one in kinds["near"])


_table = cache(_Table)


_UNIT_ALONE = re.compile(r"[^\w\"].*|[а-яё]{2}.*[^\w ].*|[^\Wаеёиоуыэюя]{2,}")
"""Units that are said without a number, too, since they cannot be other words."""


_Error = tuple[int, str, float, str, int]
"""An error at a word: how many characters are misheard; what is heard ("" if the word is lost); how likely the error
is, relative to others; its kind, a key of `_SHARES`; how many words are wrong by it.

Many are kept; the collector of garbage passes over plain tuples, but not over named ones.
"""


_Row = tuple[int, int, str, Note]
"""An edit: its start, its stop, its new text and its note. Here and below places are global."""


_Heard = tuple[float, float, Sequence[_Error]]
"""The sum of the weights of errors, the same times wrong words, and the errors: what may be heard at a word."""


@lru_cache(maxsize=200_000)
def _word(word: str, name: str) -> tuple[str, str | None, bool]:
    """Return a word in lower case with е for ё; what is said for it, if it is no plain word; whether it may be short.

    What is said is that of a number, a Latin word or an abbreviation. What is short may belong to an abbreviation of
    the dictionary.
    """
    low, table = same_word(word), _table(name)
    if low.isalpha():
        return low, _spoken(word, table) if word.isupper() or word.isascii() else None, low in table.rare
    return low, _spoken(word, table), not table.rare.isdisjoint(_DIGITS_AND_LETTERS.findall(low))


class _Words:
    """The words of all texts: where each starts and stops, which of the different words it is, and what `_word` says.

    Attributes:
        text: the texts.
        starts, stops: where each word starts and stops.
        which: which of the different words each is.
        lows, spoken, short: what `_word` says of each of the different words.
    """

    def __init__(self, text: str, name: str) -> None:
        pieces = _BETWEEN_WORDS.split(text)  # what is between words, word, what is between words, …
        stops = np.cumsum([*map(len, pieces)])
        numbers = {word: number for number, word in enumerate(dict.fromkeys(pieces[1::2]))}
        self.text, self.starts, self.stops = text, stops[:-1:2], stops[1::2]
        self.which = np.array([*map(numbers.__getitem__, pieces[1::2])], dtype=np.int64)
        self.lows: Sequence[str]
        self.spoken: Sequence[str | None]
        self.short: Sequence[bool]
        said = (_word(word, name) for word in numbers)
        self.lows, self.spoken, self.short = zip(*said, strict=True) if numbers else ((),) * 3

    def such(self, holds: Sequence[bool]) -> Mask:
        """Tell for each word what is told for the different words, shape (words,)."""
        return np.array(holds, dtype=np.bool_)[self.which]


_BETWEEN_WORDS = re.compile(f"({LETTERS_AND_DIGITS.pattern})")


def _spoken_edits(batch: Batch, dictionary: str) -> tuple[_Words, Sequence[tuple[int, Edit]], Mask]:
    """Return the words; the edits that write numbers, signs and words as they are spoken, by texts; what they take."""
    table, text, made = _table(dictionary), "\n".join([*batch.texts, ""]), list[tuple[int, Edit]]()
    words, taken = _Words(text, table.name), np.zeros(len(text), dtype=np.bool_)
    for row, start, stop, new in chain(
        _spoken_numbers(batch, table), _spoken_signs(batch, words, table), _spoken_words(batch, words, taken)
    ):
        if not taken[start:stop].any():
            made.append((row, Edit(start, stop, new)))
            taken[start:stop] = True
    return words, sorted(made, key=lambda one: one[1].start), taken


_Spoken = tuple[int, int, int, str]
"""What is spoken: the row of its text, its start, its stop, and the new text."""


def _spoken_numbers(batch: Batch, table: _Table) -> Iterator[_Spoken]:
    starts, figures = batch.starts.tolist(), np.flatnonzero(np.isin(batch.codes, [*map(ord, "0123456789½⅓⅔¼¾⅛")]))
    for row in np.unique(batch.rows(figures)).tolist():
        for start, stop, said in said_numbers(batch.texts[row], table.amounts):
            yield row, starts[row] + start, starts[row] + stop, said


def _spoken_signs(batch: Batch, words: _Words, table: _Table) -> Iterator[_Spoken]:
    starts = batch.starts.tolist()
    signs = np.array([match.start() for match in table.hints.finditer(words.text)], dtype=np.int64)
    hints = np.append(words.starts[words.such(words.short)], signs)
    for row in np.unique(batch.rows(hints)).tolist():
        for match in table.spoken.finditer(words.text, starts[row], starts[row + 1]):
            said = table.said[short := match[0].lower()]
            if short in _NOUNS:  # «на ул. Садовой»
                said = counted_phrase(1, said, case_of_noun(words.text[starts[row] : match.start()]))
            if short in table.amounts.units:  # «за кв. м», «сколько кг»
                by = _BY_EACH.search(words.text, starts[row], match.start())
                said = counted_phrase(1, said, "accs") if by else counted_phrase(5, said, "nomn")
            yield row, *match.span(), said


_NOUNS = frozenset({"проф.", "стр.", "тел.", "ул."})
_BY_EACH = re.compile(r"\b(?:за|в)\s+\Z", re.IGNORECASE)


def _spoken_words(batch: Batch, words: _Words, taken: Mask) -> Iterator[_Spoken]:
    starts = batch.starts.tolist()
    told = np.flatnonzero(words.such([said is not None for said in words.spoken]))
    for row, at in zip(batch.rows(words.starts[told]).tolist(), told.tolist(), strict=True):
        start, stop = int(words.starts[at]), int(words.stops[at])
        said, word = words.spoken[words.which[at]] or "", words.text[start:stop].replace("Х", "X")
        if _ROMAN.fullmatch(words.text, start, stop) or word == "XX":
            number = 10 if word == "X" else int(amounts_of(word.lower())[0].value)  # «x» alone is no amount
            roman, more = said_roman(words.text[starts[row] : start], word, number, words.text[stop : starts[row + 1]])
            said, stop = roman or said, stop + more
        if said:
            yield row, start, stop, said
        taken[start:stop] = True


_GAP = r"[^\S\n]"  # a line feed stands between two texts of a chunk
_MARK = r"(?<=\s[2-5])-(?=[,.;!?)\n])"  # «по физике 4-»
_CLOSE = {
    "°": rf"(?:(?<=\d)|(?<=\d{_GAP}))°",
    "-": rf"(?:(?<!\S)(?<!\d{_GAP})|(?<=…)|(?<=\.\.))-(?=\d)|{_MARK}",
} | {one: rf"(?<=\w){one}(?=\w)|(?<=\w{_GAP}){one}(?={_GAP}?[\w-])" for one in "<>"}
"""Where signs that mean other things, too, are spoken: before a number, between two words."""
_COMPOUND = re.compile(r"([1-9]\d{0,2})-([а-яё]{4,})")
_COUNT = re.compile(r"(?!0)\d{1,12}")
_DIGITS_AND_LETTERS = re.compile(r"\d+|[^\W\d_]+")
_ROMAN = re.compile(r"(?=..|(?<=[А-Яа-яё][^\S\n]).|(?<![^\n]).)X{0,3}(?:IX|IV|V?I{0,3})")


def _cost(text: str, edit: Edit) -> int:
    """Return how many words are wrong by an edit that writes a number or the like in words."""
    return max(len(edit.text.split()), len(LETTERS_AND_DIGITS.findall(text[edit.start : edit.stop])))


def _shares(rows: Ints, heard: Sequence[_Heard], budgets: Floats) -> Floats:
    """Return how likely an error is at each word, so that as many words of each text are wrong as expected.

    Args:
        rows: the text of each word that may be misheard.
        heard: what may be heard there.
        budgets: how many words of each text are expected to be wrong, shape (texts,).
    """
    weights, costs = (np.array([one[part] for one in heard], dtype=np.float64) for part in (0, 1))
    full = np.zeros(rows.size, dtype=np.bool_)
    while True:
        taken = np.bincount(rows[full], _HIGHEST * costs[full] / weights[full], budgets.size)
        rest = np.bincount(rows[~full], costs[~full], budgets.size)
        scales = np.divide(budgets - taken, rest, out=np.zeros(budgets.size), where=rest > 0)
        shares = np.where(full, _HIGHEST, weights * scales[rows])
        if not (shares > _HIGHEST).any():
            return shares
        full |= shares > _HIGHEST


def _errors(starts: Ints, heard: Sequence[_Heard], shares: Floats, points: Floats) -> Iterator[tuple[int, _Error]]:
    """Yield the errors of words whose random number is below the share of errors, with their starts; none overlap."""
    done = 0
    for at in np.flatnonzero(points < shares).tolist():
        start, (weight, _, errors), aim = int(starts[at]), heard[at], float(points[at] / shares[at])
        if start >= done:
            bounds = zip(errors, accumulate(one[2] for one in errors), strict=True)
            error = next((one for one, bound in bounds if aim * weight < bound), errors[-1])
            done = start + error[0]
            yield start, error


def _padded(text: str, edit: Edit) -> tuple[int, int, str, Note]:
    """Return an edit in parts, in lower case, spaced where words would stick together: «5%» is «пять процентов»."""
    before = " " if edit.start and text[edit.start - 1].isalnum() else ""
    after = " " if text[edit.stop : edit.stop + 1].isalnum() else ""
    note = Note(text[edit.start : edit.stop], "spoken")
    return edit.start, edit.stop, f"{before}{edit.text}{after}".lower(), note


def _spoken(word: str, table: _Table) -> str | None:
    """Return a number, a Latin word or an abbreviation as it is spoken; None for other words."""
    if not word.isalpha():
        if (match := _COMPOUND.fullmatch(word)) and (said := compound(int(match[1]), match[2])):
            return said
        parts = _DIGITS_AND_LETTERS.findall(word)
        if any(map(str.isalpha, parts)) and any(map(str.isdecimal, parts)):  # «МТЗ-80»
            return " ".join(
                cardinal(int(one), "nomn") if _COUNT.fullmatch(one) else _spoken(one, table) or one for one in parts
            )
        return None
    if word.isupper() and _ABBREVIATION.fullmatch(word):
        return "".join(table.letters.get(letter.lower(), letter) for letter in word)
    return _latin(word.lower(), table.name) if word.isascii() else None


@lru_cache(maxsize=20_000)
def _latin(word: str, name: str) -> str:
    ends, letters = _table(name).latin
    end = next(((old, new) for old, new in ends if word.endswith(old) and len(word) > len(old) + 1), ("", ""))
    said, rest = "", word.removesuffix(end[0])
    while rest:
        old, new = next((one for one in letters if rest.startswith(one[0])), (rest[0], rest[0]))
        said, rest = said + new, rest[len(old) :]
    return said + end[1]


def _places(batch: Batch, words: _Words, taken: Mask, table: _Table) -> tuple[Ints, Sequence[_Heard]]:
    """Return the start of each word that may be misheard, lost or joined with the next one, and these errors."""
    before, frequent = batch.untouchable_before, _frequent_words()
    plain = words.such([said is None for said in words.spoken]) & (before[words.starts] == before[words.stops])
    plain &= counted(taken, words.starts, words.stops) == 0
    starts, stops, which = words.starts[plain], words.stops[plain], words.which[plain]
    lows, heard = words.lows, [_misheard(low, table.name) for low in words.lows]
    little = np.array([low in table.lost or low in _JOINED for low in lows], dtype=np.bool_)[which]
    places = np.flatnonzero(np.array([bool(one[2]) for one in heard], dtype=np.bool_)[which] | little)
    found, closed = [heard[number] for number in which[places].tolist()], before.tolist()
    for number in np.flatnonzero(little[places]).tolist():
        at = int(places[number])
        start, stop, low = int(starts[at]), int(stops[at]), lows[which[at]]
        spaced = words.text[stop] == " "
        lost = stop - start + spaced if closed[start] == closed[stop + spaced] else 0
        follows = spaced and at + 1 < starts.size and starts[at + 1] == stop + 1
        joint = low + lows[which[at + 1]] if follows and closed[start] == closed[stops[at + 1]] else ""
        width = int(stops[at + 1]) - start if joint in frequent else 0
        found[number] = _little(low, lost, joint if width else "", width, table.name)
    return starts[places], found


_NOTHING: _Heard = (0.0, 0.0, ())


@lru_cache(maxsize=200_000)
def _little(word: str, lost: int, joint: str, width: int, name: str) -> _Heard:
    """Return what may be heard instead of a word that may be lost or joined with the next one.

    Args:
        word: the word.
        lost: how many characters are lost with it; 0 if it cannot be lost.
        joint: the word with the next one; "" if the two cannot be joined.
        width: how many characters the two have.
        name: the dictionary.
    """
    errors: list[_Error] = []
    if lost and (weight := _table(name).lost.get(word)):
        errors.append((lost, "", weight * _SHARES["lost"], "lost", 1))
    if word in _JOINED and _is_common(joint):
        errors.append((width, joint, _SHARES["join"], "join", 2))
    return _weighed((*errors, *_misheard(word, name)[2]))


def _weighed(errors: Sequence[_Error]) -> _Heard:
    return fsum([one[2] for one in errors]), fsum([one[2] * one[4] for one in errors]), errors


@cache
def _frequent_words() -> frozenset[str]:
    return frozenset(word for word, count in word_counts().items() if count >= _LEAST_COUNT)


def _is_common(word: str) -> bool:
    """Tell whether a word is one that a recogniser knows: a frequent word of the dictionary."""
    return word in _frequent_words() and has_form(word)


@lru_cache(maxsize=200_000)
def _misheard(word: str, name: str) -> _Heard:
    """Return what may be heard instead of a word: at most the three likeliest errors; `name` is the dictionary's."""
    if not (_SHORTEST <= len(word) <= _LONGEST and word.isalpha()):
        return _NOTHING
    found: dict[str, tuple[float, str]] = {}
    frequent, near, sound = _frequent_words(), _table(name).near, ""
    for start, letter in enumerate(word):
        for old, new, weight in near.get(letter, ()):
            if not word.startswith(old, start) or not (new or start):
                continue
            other = word[:start] + new + word[start + len(old) :]
            if other in frequent and other not in found and has_form(other):
                sound = sound or transcription(word)
                same = transcription(other) == sound
                ends = not same and start + len(old) == len(word) and shares_lemma(word, other)
                kind = "same" if same else "ending" if ends else "near"
                found[other] = (weight * _SHARES[kind], kind)
    for first in _JOINED_BY_LETTER.get(word[0], ()):
        rest = word.removeprefix(first)
        if _SHORTEST <= len(rest) < len(word) and rest in frequent and has_form(rest):
            found.setdefault(f"{first} {rest}", (_SHARES["split"] * 0.3, "split"))
    if not found:
        return _NOTHING
    best = sorted(found.items(), key=lambda one: (-one[1][0], one[0]))[:3]
    return _weighed(tuple([(len(word), new, weight, kind, 1 + new.count(" ")) for new, (weight, kind) in best]))


def _lowered(batch: Batch, words: _Words, free: Mask) -> tuple[Ints, Ints, Sequence[str]]:
    """Return the edits that lower capitals and drop punctuation: where each starts and stops, and the new text.

    Args:
        batch: the texts.
        words: their words.
        free: which characters may change, shape (codes,).
    """
    found = list(_CAPITALS_AND_SIGNS.finditer(words.text))
    starts, stops = (np.array([one.span()[side] for one in found], dtype=np.int64) for side in (0, 1))
    inside = counts_before(marked(free.size, words.starts)) > counts_before(marked(free.size, words.stops))
    is_sign = ~np.array([match[0].isalpha() for match in found], dtype=np.bool_)
    kept = (counted(free, starts, stops) == stops - starts) & ~(is_sign & inside[starts + 1])  # «кто-то» stays
    starts, stops, is_sign = starts[kept], stops[kept], is_sign[kept]
    inside[1:] |= ~free & (batch.codes != ord("\n"))  # «+5…+7»
    opens = np.flatnonzero(np.append(True, (starts[1:] != stops[:-1]) | ~is_sign[1:] | ~is_sign[:-1])[: starts.size])
    joins, space = np.zeros(starts.size, dtype=np.bool_), batch.codes == ord(" ")
    joins[opens] = (
        inside[starts[opens]] & inside[stops[np.append(opens[1:], starts.size)[: opens.size] - 1] + 1]
    )  # «слово"(другое»
    opens_line = np.isin(starts, batch.starts) | (batch.codes[starts - 1] == ord("\n"))
    stops = stops + (is_sign & (space[starts - 1] | opens_line) & space[stops])
    edits = zip(starts.tolist(), stops.tolist(), is_sign.tolist(), joins.tolist(), strict=True)
    texts = [" " * joint if drops else words.text[start:stop].lower() for start, stop, drops, joint in edits]
    return starts, stops, texts
