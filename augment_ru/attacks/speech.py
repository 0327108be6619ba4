"""Текст становится таким, каким его запишет распознаватель речи: «Компания, 5 мая» → «кампания пятого мая»."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain
from math import fsum
from typing import ClassVar, NamedTuple

import numpy as np

from augment_ru.attacks.numbers import Numbers
from augment_ru.draws import Rng, Streams
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.language.frequency import word_counts
from augment_ru.language.morphology import has_form, shares_lemma
from augment_ru.language.numerals import LARGEST, cardinal
from augment_ru.language.sound import transcription
from augment_ru.resources import dictionary_path, number_in, rows, same_word
from augment_ru.text.batch import Batch
from augment_ru.text.words import LETTERS_AND_DIGITS

_ABBREVIATION = re.compile("[БВГДЖЗКЛМНПРСТФХЦЧШЩ]{2,4}")
_JOINED = frozenset({"в", "за", "из", "к", "на", "от", "по", "под", "при", "с"})
_CAPITALS_AND_SIGNS = re.compile(r"[A-ZА-ЯЁ]+|[^\w\s]")
_LEAST_COUNT, _SHORTEST, _LONGEST = 300, 3, 24
_BASE = 1e-6
"""Changes that are no errors (small letters, numbers in words) have ranks below this, so that they are always made."""
_SHARES = {"same": 3.0, "near": 0.2, "ending": 1.2, "lost": 0.25, "join": 1.5, "split": 0.6}
"""How much likelier errors of one kind are than those of another, where a word allows both; the author's estimates."""
_MOST, _HIGHEST = 0.5, 0.9
_REFUSED = 0.165
"""The share of the drawn errors that cannot be made, or that the gate `meaning` refuses: counted in 600 sentences."""


@dataclass(frozen=True, slots=True)
class Speech(Attack):
    """Write a text as a speech recogniser does that hears it read aloud.

    There are no capitals and no punctuation; numbers, signs, abbreviations and Latin words are written as they are
    spoken. Then some words are misheard: they become words that sound the same or nearly so, lose their endings, are
    joined or split; short words are lost. «Не» stays.

    Args:
        wer: the expected word error rate, in [0, 0.5]: wrong, lost and added words / words of the text. Both texts are
            compared in lower case without punctuation; numbers and signs that are written in words count, too.
        words: the dictionary of how signs and letters are spoken, and of what is misheard.

    Raises:
        AugmentError: there is no such dictionary, or `wer` is out of range.
    """

    name: ClassVar[str] = "speech"
    group: ClassVar[str] = "channels"
    probability: float = 1.0
    wer: float = 0.1
    words: str = "speech"

    def __post_init__(self) -> None:
        if not 0.0 <= self.wer <= _MOST:
            raise AugmentError(f"{self.name}.wer: {self.wer!r}; needs a number from 0 to 0.5")
        _table(self.words)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the text as it is spoken (small letters, numbers in words), and errors; each edit is one change.

        Changes to what is spoken have ranks near 0, so that they are made at every positive probability.
        """
        numbers = Numbers(probability=1.0, classes=("words",)).changes(batch, streams)
        rows = zip(batch.texts, batch.starts.tolist(), streams.keys.tolist(), numbers, strict=False)
        before, table = batch.untouchable_before.tolist(), _table(self.words)
        found = [
            (rank, first + start, first + stop, new, note)
            for text, first, key, spoken in rows
            for rank, start, stop, new, note in _transcribed(
                text, spoken, self.wer, table, (Rng(key), before[first : first + len(text) + 1])
            )
        ]
        ranks, *places, texts, notes = zip(*found, strict=True) if found else ((),) * 5
        starts, stops = np.array(places, dtype=np.int64)
        return Proposals.of_edits(
            starts, stops, np.array(ranks), texts, notes=lambda edits: [notes[at] for at in edits.tolist()]
        )


class _Table(NamedTuple):
    """The contents of the dictionary, by kind.

    Attributes:
        spoken: finds signs and abbreviations; `said` maps each to what is said for it.
        latin: pairs of Latin letters and what is said for them, the longest first; at the end of a word, and anywhere.
        letters: the names of letters.
        lost: the weight of each word that may be lost.
        near: maps a first letter to the groups of letters that may be misheard, each with what is heard and a weight.
    """

    name: str
    spoken: re.Pattern[str]
    said: dict[str, str]
    latin: Sequence[Sequence[tuple[str, str]]]
    letters: dict[str, str]
    lost: dict[str, float]
    near: Sequence[tuple[str, str, float]]


@cache
def _table(name: str) -> _Table:
    kinds: dict[str, list[tuple[str, str, float]]] = {}
    for kind, old, new, share in rows(dictionary_path(name), columns=4):
        weight = number_in(f"{name}: {kind} {old}", share, most=1.0)
        kinds.setdefault(kind, []).append((old, new.replace("-", ""), weight))
    said = {old: new for old, new, _ in kinds.get("spoken", [])}
    longest = sorted(said, key=len, reverse=True)
    signs, shorts = (
        "|".join(re.escape(one) + r"(?!\w)" * one[-1].isalpha() for one in longest if one[0].isalpha() == is_short)
        for is_short in (False, True)
    )
    latin = [
        sorted(((old, new) for old, new, _ in kinds.get(kind, [])), key=lambda one: -len(one[0]))
        for kind in ("latin_end", "latin")
    ]
    return _Table(
        name,
        re.compile(rf"(?<!\w)(?:{shorts or '(?!)'})|{signs or '(?!)'}", re.IGNORECASE),
        said,
        latin,
        {old: new for old, new, _ in kinds.get("letter", [])},
        {old: weight for old, _, weight in kinds.get("lost", [])},
        kinds.get("near", ()),
    )


class _Error(NamedTuple):
    """An error at a word.

    Attributes:
        width: how many characters of the text are misheard.
        text: what is heard instead; "" if the word is lost.
        weight: how likely the error is, relative to others.
        kind: its kind, a key of `_SHARES`.
        cost: how many words are wrong by it.
    """

    width: int
    text: str
    weight: float
    kind: str
    cost: int


_Row = tuple[float, int, int, str, Note | None]
"""A change of one edit: its rank, start, stop, new text and note."""


_Heard = tuple[float, float, Sequence[_Error]]
"""The sum of the weights of errors, the same times wrong words, and the errors: what may be heard at a word."""


def _transcribed(
    text: str, spoken: Iterable[Change], wer: float, table: _Table, drawn: tuple[Rng, Sequence[int]]
) -> Iterator[_Row]:
    """Yield the changes of one text.

    Args:
        text: the text.
        spoken: the changes that write its numbers in words.
        wer: the expected word error rate.
        table: the dictionary.
        drawn: the random draws of the text, and the number of protected characters before each of its places.
    """
    rng, closed = drawn
    words = list(LETTERS_AND_DIGITS.finditer(text))
    if not words:
        return
    base: list[Edit] = []
    taken = bytearray(len(text))
    signs = (Edit(*match.span(), table.said[match[0].lower()]) for match in table.spoken.finditer(text))
    for edit in chain(*(change.edits for change in spoken), signs):
        _add(base, taken, edit)
    plain = []
    for word in words:
        start, stop = word.span()
        if (new := _spoken(word[0], table)) is not None:
            _add(base, taken, Edit(start, stop, new))
        elif closed[start] == closed[stop] and taken.find(1, start, stop) < 0:
            plain.append((start, stop, same_word(word[0])))
    costs = [max(len(one.text.split()), len(LETTERS_AND_DIGITS.findall(text[one.start : one.stop]))) for one in base]
    for edit in base:
        yield (rng.uniform() * _BASE, *_padded(text, edit))
    budget = max(wer * len(words) - sum(costs), 0.0) / (1.0 - _REFUSED)
    for start, error in _drawn(list(_places(text, plain, closed, table)), budget, rng):
        stop, kind = start + error.width, error.kind
        taken[start:stop] = bytes([1]) * error.width
        note = Note(text[start:stop] if error.text else None, kind)
        yield max(rng.uniform(), _BASE), start, stop, error.text, note
    yield from _lowered(text, taken, rng)


def _drawn(words: Sequence[tuple[int, _Heard]], budget: float, rng: Rng) -> Iterator[tuple[int, _Error]]:
    """Draw at most one error of each word, so that as many words as `budget` are expected to be wrong; none overlap."""
    scale, left, rare = 0.0, budget, [(weight, cost) for _, (weight, cost, _) in words]
    while rare:
        scale = left / fsum([cost for _, cost in rare])
        if max(rare)[0] * scale <= _HIGHEST:
            break
        left -= fsum(_HIGHEST * cost / weight for weight, cost in rare if weight * scale > _HIGHEST)
        rare = [one for one in rare if one[0] * scale <= _HIGHEST]
    done = 0
    for start, (weight, _, errors) in words:
        share = min(weight * scale, _HIGHEST)
        point = rng.uniform()
        if point < share and start >= done:
            bounds = accumulate(one.weight for one in errors)
            pairs = zip(errors, bounds, strict=True)
            error = next((one for one, bound in pairs if point * weight < bound * share), errors[-1])
            done = start + error.width
            yield start, error


def _add(base: list[Edit], taken: bytearray, edit: Edit) -> None:
    """Add an edit and mark its range as taken, unless an earlier edit has taken a part of it."""
    if taken.find(1, edit.start, edit.stop) < 0:
        base.append(edit)
        taken[edit.start : edit.stop] = bytes([1]) * (edit.stop - edit.start)


def _padded(text: str, edit: Edit) -> tuple[int, int, str, Note]:
    """Return an edit in parts, in lower case, spaced where words would stick together: «5%» is «пять процентов»."""
    before = " " if edit.start and text[edit.start - 1].isalnum() else ""
    after = " " if text[edit.stop : edit.stop + 1].isalnum() else ""
    note = Note(text[edit.start : edit.stop], "spoken")
    return edit.start, edit.stop, f"{before}{edit.text}{after}".lower(), note


def _spoken(word: str, table: _Table) -> str | None:
    """Return a number, a Latin word or an abbreviation as it is spoken; None for other words."""
    if word.isdecimal() and len(word) <= len(str(LARGEST)) and int(word) <= LARGEST:
        return cardinal(int(word), "nomn")
    if word.isascii() and word.isalpha():
        return _latin(word.lower(), table.name)
    if word.isupper() and _ABBREVIATION.fullmatch(word):
        return "".join(table.letters.get(letter.lower(), letter) for letter in word)
    return None


@lru_cache(maxsize=20_000)
def _latin(word: str, name: str) -> str:
    ends, letters = _table(name).latin
    end = next(((old, new) for old, new in ends if word.endswith(old) and len(word) > len(old) + 1), ("", ""))
    said, rest = "", word.removesuffix(end[0])
    while rest:
        old, new = next((one for one in letters if rest.startswith(one[0])), (rest[0], rest[0]))
        said, rest = said + new, rest[len(old) :]
    return said + end[1]


def _places(
    text: str, plain: Sequence[tuple[int, int, str]], closed: Sequence[int], table: _Table
) -> Iterator[tuple[int, _Heard]]:
    """Yield the start of each word that may be misheard, lost or joined with the next one, with these errors."""
    for at, (start, stop, low) in enumerate(plain):
        heard = _heard(low, table.name)
        if low in table.lost or low in _JOINED:
            little: list[_Error] = []
            if low in table.lost:
                width = stop - start + (text[stop : stop + 1] == " ")
                little.append(_Error(width, "", table.lost[low] * _SHARES["lost"], "lost", 1))
            if low in _JOINED and at + 1 < len(plain) and text[stop : plain[at + 1][0]] == " ":
                joint = low + plain[at + 1][2]
                if _is_common(joint):
                    little.append(_Error(plain[at + 1][1] - start, joint, _SHARES["join"], "join", 2))
            heard = _weighed((*(one for one in little if closed[start] == closed[start + one.width]), *heard[2]))
        if heard[2]:
            yield start, heard


def _weighed(errors: Sequence[_Error]) -> _Heard:
    return fsum([one.weight for one in errors]), fsum([one.weight * one.cost for one in errors]), errors


@cache
def _frequent_words() -> frozenset[str]:
    return frozenset(word for word, count in word_counts()[0].items() if count >= _LEAST_COUNT)


def _is_common(word: str) -> bool:
    """Tell whether a word is one that a recogniser knows: a frequent word of the dictionary."""
    return word in _frequent_words() and has_form(word)


@cache
def _near(letters: str, name: str) -> Sequence[tuple[str, str, float]]:
    """Return what may be heard where a word has these letters; only two are compared."""
    return [one for one in _table(name).near if letters.startswith(one[0][:2])]


@lru_cache(maxsize=200_000)
def _heard(word: str, name: str) -> _Heard:
    """Return what may be heard instead of a word: at most the three likeliest errors."""
    if not (_SHORTEST <= len(word) <= _LONGEST) or not word.isalpha():
        return 0.0, 0.0, ()
    frequent, found = _frequent_words(), dict[str, tuple[float, str]]()
    likely = [
        (other, weight, start, old)
        for start in range(len(word))
        for old, new, weight in _near(word[start : start + 2], name)
        if (start or new) and (other := word[:start] + new + word[start + len(old) :]) in frequent
    ]
    for other, weight, start, old in likely:
        if other not in found and word.startswith(old, start) and has_form(other):
            same = transcription(other) == transcription(word)
            ends = not same and start + len(old) == len(word) and shares_lemma(word, other)
            kind = "same" if same else "ending" if ends else "near"
            found[other] = (weight * _SHARES[kind], kind)
    for width in (1, 2, 3):
        first, rest = word[:width], word[width:]
        if first in _JOINED and len(rest) >= _SHORTEST and _is_common(rest):
            found.setdefault(f"{first} {rest}", (_SHARES["split"] * 0.3, "split"))
    best = sorted(found.items(), key=lambda one: (-one[1][0], one[0]))[:3]
    errors = tuple(_Error(len(word), new, weight, kind, 1 + new.count(" ")) for new, (weight, kind) in best)
    return _weighed(errors) if errors else (0.0, 0.0, ())


def _lowered(text: str, taken: bytearray, rng: Rng) -> Iterator[_Row]:
    """Yield the changes that lower capitals and drop punctuation, where no other edit has taken the range."""
    for match in _CAPITALS_AND_SIGNS.finditer(text):
        start, stop = match.span()
        if taken.find(1, start, stop) >= 0:
            continue
        joins = text[stop : stop + 1].isalnum() and text[start - 1 : start].isalnum()
        if match[0][0].isalpha():
            yield rng.uniform() * _BASE, start, stop, match[0].lower(), None
        elif not (joins and match[0] in "-‑'’"):
            apart = text[start - 1 : start] == text[stop : stop + 1] == " "
            yield rng.uniform() * _BASE, start, stop + apart, " " if joins else "", None
