"""Текст прочитан сканером: «Пюпитр, ломкий и старый» → «Пютитр. ломкии истарый»."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams, unit
from augment_ru.editing.error_classes import weighted_ranks
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError, check_known
from augment_ru.language.frequency import is_common
from augment_ru.resources import dictionary_path, number_in, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import WORD, Mask, counted, counts_before, marked

QUALITIES = ("good", "fair", "poor")
SPACE, NOTHING = "␣", "∅"
"""How the dictionary writes a space, and no sign at all."""
LONGEST = 3
"""The most signs that are misread together."""
KINDS = ("edge", "gap", "digit", "lone", "short", "vowel", "consonant", "capital", "other")
"""The kinds of signs beside a misread one: the ends of a line, white space, digits, letters, all others.

Letters: a word of one letter, a small letter of a word of at most `SHORT` letters, other small letters, capitals.
"""
SHORT = 3
_BITS = 9
"""How many bits of the key of a context hold one sign."""
_MEAN = 0.02
"""The share of signs that Tesseract misread at the quality `fair`."""
_READ = 3
"""A word is read as the original if fewer than one in this many of its letters is misread."""


@dataclass(frozen=True, slots=True)
class Ocr(Attack):
    """Misread a text as a scanner does: signs that look alike, lost and added spaces, specks taken for signs.

    How often a sign is misread depends on the signs beside it. The frequencies were counted in texts that Tesseract had
    read from images of sentences. How well a text was scanned is first drawn for each text. So some texts have many
    errors, and many texts have none (`min_changes` is 0: no change is forced).

    Args:
        probability: the share of the signs that are misread in an average text of the quality `fair`; in [0, 1].
        quality: how well the page was scanned: `good`, `fair` or `poor`.
        confusions: a dictionary, or the path of a `.tsv` file. Its columns are: sign before; signs that are misread;
            sign after; what is read instead; errors in 100,000 such places, at each quality. A line that begins with
            `level` gives a quality, a factor for all errors, and the share of the texts of this quality that have this
            factor. A line that begins with `sign` gives a sign and a quality: the errors of this sign do not depend on
            the factor.

    Raises:
        AugmentError: there is no such quality or dictionary, or one of its lines is malformed.
    """

    group: ClassVar[str] = "channels"
    min_changes: ClassVar[int] = 0
    probability: float = _MEAN
    quality: str = "fair"
    confusions: str = "ocr"

    def __post_init__(self) -> None:
        check_known("quality of ocr", self.quality, QUALITIES)
        _confusions(self.confusions, self.quality)  # so that a wrong dictionary is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a misreading at every place where Tesseract once misread the same signs with the same neighbours."""
        found = _confusions(self.confusions, self.quality)
        places, contexts = batch.once(_contexts, found)
        shares, factors = found.levels
        points = unit(batch.keys(streams, batch.starts[:-1]), np.zeros(len(batch), dtype=np.int64))
        factor = factors[np.minimum(np.searchsorted(shares, points, side="right"), factors.size - 1)]
        scales = np.repeat(np.maximum(factor[batch.rows(places)], _NEVER)[None], LONGEST + 1, axis=0)
        scales[1, found.steady[contexts[1]]] = 1.0
        rates = np.cumsum(found.rates[contexts] * scales, axis=0)
        points = batch.draw(streams, places, lane=1) * rates[-1]
        length = np.minimum((points >= rates).sum(axis=0), LONGEST)
        at = np.arange(places.size)
        context = contexts[length, at]
        points = (points - np.where(length > 0, rates[length - 1, at], 0.0)) / scales[length, at]
        points += found.before[context]
        outcome = np.searchsorted(found.sums, points, side="right")
        outcome = np.clip(outcome, found.firsts[context], found.firsts[context + 1] - 1)
        odds, stops = np.maximum(rates[-1], _NEVER), places + length
        ranks = weighted_ranks(batch.draw(streams, places), odds, _MEAN)
        kept = _apart(places, stops, ranks)
        kept[kept] = _keeps_words(batch, places[kept], stops[kept], found.lost[outcome[kept]])
        places, stops, ranks, outcome = places[kept], stops[kept], ranks[kept], outcome[kept]
        misread = marked(batch.codes.size, places[ranks < self.probability])
        return Proposals.of_edits(
            places,
            stops,
            ranks,
            lambda indices: found.read.take(outcome[indices]),
            notes=lambda indices: _notes(
                batch, places[indices], stops[indices], [found.texts[one] for one in outcome[indices].tolist()], misread
            ),
        )


_NEVER = 1e-9


def _apart(starts: Ints, stops: Ints, ranks: Floats) -> Mask:
    """Tell whether each edit is kept: it overlaps none of a lower rank. Edits replace at most `LONGEST` signs."""
    kept = np.ones(starts.size, dtype=np.bool_)
    for step in range(1, LONGEST + 1):
        near = np.flatnonzero(starts[step:] < stops[:-step])
        first = ranks[near] <= ranks[near + step]
        kept[near[~first]] = False
        kept[near[first] + step] = False
    return kept


def _keeps_words(batch: Batch, starts: Ints, stops: Ints, lost: Mask) -> Mask:
    """Tell whether each edit is kept, so that no word is lost whole and nothing is lost beside a protected span.

    Args:
        batch: the texts.
        starts: the places where the edits start, ascending.
        stops: the places where they stop.
        lost: whether each edit only deletes.
    """
    is_word, before = (batch.flags & WORD) != 0, batch.untouchable_before
    whole = ~is_word[starts - 1] & ~is_word[stops] & is_word[starts]
    goes_on = np.append(False, lost[:-1] & (starts[1:] == stops[:-1]))[: lost.size]
    rows = batch.rows(starts)
    first, last = batch.starts[rows], batch.starts[rows + 1] - 1
    beside = before[np.minimum(stops + 2, last)] > before[np.maximum(starts - 2, first)]
    kept: Mask = ~(lost & (whole | goes_on | beside))
    return kept


_FARTHEST = 100
"""The most signs on each side of an edit that its note looks at: a long row of digits takes no quadratic time."""


def _notes(batch: Batch, starts: Ints, stops: Ints, new: Sequence[str], misread: Mask) -> list[Note]:
    """Return the notes of misreadings; each has the original as its reading, if a reader still recognises it.

    There is no reading in a number, for a misreading that makes another word, and in a word with many misreadings.
    """
    rows, errors, made = batch.rows(starts), counts_before(misread), []
    for row, start, stop, text in zip(rows.tolist(), starts.tolist(), stops.tolist(), new, strict=True):
        first, whole = int(batch.starts[row]), batch.texts[row]
        left, right = start - first, stop - first
        old = whole[left:right]
        least, most = max(left - _FARTHEST, 0), min(right + _FARTHEST, len(whole))
        while left > least and whole[left - 1].isalnum():
            left -= 1
        while right < most and whole[right].isalnum():
            right += 1
        was = whole[left:right].lower()
        word = f"{whole[left : start - first]}{text}{whole[stop - first : right]}".lower()
        misread_signs = errors[first + right] - errors[first + left] + max(len(old) - 1, 0)
        ruined = misread_signs * _READ > max(min(map(len, was.split()), default=0), _READ)
        lost = any(map(str.isdigit, was + text)) or (was != word and is_common(word)) or ruined
        kind = "space" if " " in old + text else "speck" if not old else "misread"
        made.append(Note(None if lost else old, kind))
    return made


@dataclass(frozen=True, slots=True, eq=False)
class _Confusions:
    """What Tesseract misread at one quality, in columns; hashed by identity.

    A context is a string of 0 to `LONGEST` signs with what stands on either side; an outcome is what is read instead.

    Attributes:
        numbers: the number of each code point in the keys of contexts by the letters of its word (all words longer
            than `SHORT` as one), shape (`SHORT` + 2, largest code point + 2).
        keys, rows: for each length of the string, the keys of its contexts, ascending, and the numbers of the contexts.
        rates: how often an error is made in each context, shape (contexts + 1,); the last one, for none, is 0.
        firsts: the first outcome of each context, shape (contexts + 2,).
        before: the sum of the rates of all contexts before each one, shape (contexts + 1,).
        sums: the cumulative rates of the outcomes, shape (outcomes,).
        texts, read: the text of each outcome, as strings and in columns.
        lost: whether each outcome only deletes.
        levels: the cumulative shares of the texts, and the factors of their errors.
        steady: whether the errors in each context do not depend on the text, shape (contexts + 1,).
    """

    numbers: Ints
    keys: Sequence[Ints]
    rows: Sequence[Ints]
    rates: Floats
    firsts: Ints
    before: Floats
    sums: Floats
    texts: Sequence[str]
    read: Replacements
    lost: Mask
    levels: tuple[Floats, Floats]
    steady: Mask


def _contexts(batch: Batch, found: _Confusions) -> tuple[Ints, Ints]:
    """Find the places where signs may be misread, or added.

    Returns:
        The places, shape (places,), and the context of 0 to `LONGEST` signs at each, shape (LONGEST + 1, places).
    """
    size, none = batch.codes.size, found.rates.size - 1
    codes = np.concatenate([batch.codes, np.full(LONGEST + 1, ord("\n"), dtype=np.uint32)])
    is_word = (batch.flags & WORD) != 0
    letters = np.zeros(codes.size, dtype=np.int64)
    lengths = np.diff(np.flatnonzero(np.diff(is_word, prepend=False, append=False)))[::2]
    letters[:size][is_word] = np.repeat(lengths, lengths)
    signs = found.numbers[np.minimum(letters, SHORT + 1), np.minimum(codes, _TOLD_APART)]
    kinds, signs = signs >> _BITS, signs & (1 << _BITS) - 1
    left = [np.roll(one, 1)[:size] for one in (signs, kinds)]
    contexts, inner = [], np.zeros(size, dtype=np.int64)
    for length in range(LONGEST + 1):
        if length:
            inner = inner << _BITS | signs[length - 1 : length - 1 + size]
        right = [one[length : length + size] for one in (signs, kinds)]
        context = np.full(size, none)
        keys = found.keys[length]
        for one, other in ((1, 1), (1, 0), (0, 1), (0, 0)) if keys.size else ():  # signs count more than kinds
            key = (inner << _BITS | left[one]) << _BITS | right[other]
            at = np.minimum(np.searchsorted(keys, key), keys.size - 1)
            context = np.where(keys[at] == key, found.rows[length][at], context)
        contexts.append(context)
    every = np.stack(contexts)
    has_words = np.append(counted(is_word, batch.starts[:-1], batch.starts[1:]) > 0, False)
    places = np.flatnonzero((every != none).any(axis=0) & has_words[batch.rows(np.arange(size))])
    return places, every[:, places]


def kind_of_sign(sign: str, letters: int) -> str:
    """Return the kind (one of `KINDS`) of a character.

    Args:
        sign: the character.
        letters: how many letters its word has.
    """
    if sign == "\n":
        return "edge"
    if sign.isspace():
        return "gap"
    if not sign.isalpha():
        return "digit" if sign.isdigit() else "other"
    if letters == 1:
        return "lone"
    small = "short" if letters <= SHORT else "vowel" if sign in "аеёиоуыэюя" else "consonant"
    return "capital" if sign.isupper() else small


@cache
def _confusions(name: str, quality: str) -> _Confusions:
    """Read what a dictionary of confusions has for one quality.

    Raises:
        AugmentError: there is no such dictionary, a line has too many signs or a wrong number, or a quality no level.
    """
    path = dictionary_path(name)
    outcomes: dict[tuple[str, str, str], dict[str, float]] = {}
    steady: set[str] = set()
    levels: dict[str, list[tuple[float, float]]] = {quality: [] for quality in QUALITIES}
    for *cells, good, fair, poor in rows(path, columns=7):
        where = f"{path.name}: {' '.join(cells)}:"
        left, old, right, new = (cell.replace(SPACE, " ").replace(NOTHING, "") for cell in cells)
        if left in {"level", "sign"}:
            check_known("quality of ocr", old, QUALITIES)
            if left == "sign" and len(right) != 1:
                raise AugmentError(f"{where} needs one sign")
            if left == "level":
                levels[old].append((number_in(where, new), number_in(where, right, least=-1.0)))
            elif old == quality:
                steady.add(right)
            continue
        if len(old) > LONGEST or any(len(one) > 1 and one not in KINDS for one in (left, right)):
            raise AugmentError(f"{where} needs at most {LONGEST} signs, between signs or {', '.join(KINDS)}")
        rates = [number_in(where, one, most=_PLACES) for one in (good, fair, poor)]
        outcomes.setdefault((left, old, right), {})[new] = rates[QUALITIES.index(quality)] / _PLACES
    if not all(levels.values()):
        raise AugmentError(f"{path.name}: needs a line 'level' for each of {', '.join(QUALITIES)}")
    return _in_columns(outcomes, levels[quality], steady)


_PLACES = 100_000
"""In how many places the dictionary counts errors."""


def _in_columns(
    outcomes: dict[tuple[str, str, str], dict[str, float]],
    levels: list[tuple[float, float]],
    steady: set[str],
) -> _Confusions:
    signs = sorted({one for left, old, right in outcomes for one in (*old, left, right)}.union(KINDS))
    number_of = {sign: number for number, sign in enumerate(signs)}
    told = [*map(chr, range(_TOLD_APART + 1))]
    kinds = np.array([[number_of[kind_of_sign(sign, letters)] for sign in told] for letters in range(SHORT + 2)])
    own = np.array([number_of.get(sign, -1) for sign in told])
    sums = np.cumsum([rate for one in outcomes.values() for rate in one.values()])
    firsts = np.concatenate([[0], np.cumsum([len(one) for one in outcomes.values()])])
    keyed: list[list[tuple[int, int]]] = [[] for _ in range(LONGEST + 1)]
    for row, (left, old, right) in enumerate(outcomes):
        key = sum(number_of[sign] << _BITS * at for at, sign in enumerate((right, left, *reversed(old))))
        keyed[len(old)].append((key, row))
    columns = [np.array(sorted(one), dtype=np.int64).reshape(-1, 2).T for one in keyed]
    texts = [text for one in outcomes.values() for text in one]
    return _Confusions(
        kinds << _BITS | np.where(own < 0, kinds, own),
        [one[0] for one in columns],
        [one[1] for one in columns],
        np.append([fsum(one.values()) for one in outcomes.values()], 0.0),
        np.append(firsts, firsts[-1]),
        np.concatenate([[0.0], sums])[firsts],
        sums,
        texts,
        Replacements.of(texts),
        np.array([not text for text in texts], dtype=np.bool_),
        (np.cumsum([share for share, _ in levels]), np.array([factor for _, factor in levels])),
        np.array([*(old in steady for _, old, _ in outcomes), False]),
    )


_TOLD_APART = 0x2200
"""Signs with a code point from here on count as this one, which is «other»."""
