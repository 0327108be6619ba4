"""Текст становится таким, каким его запишет распознаватель речи: «Компания, 5 мая» → «кампания пятого мая»."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
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
from augment_ru.language.morphology import has_form, lemmas_of
from augment_ru.language.numerals import LARGEST, cardinal
from augment_ru.language.sound import transcription
from augment_ru.resources import dictionary_path, number_in, rows, same_word
from augment_ru.text.batch import Batch
from augment_ru.text.characters import decode
from augment_ru.text.words import LETTERS_AND_DIGITS

_DIGITS = re.compile(r"\d+")
_ABBREVIATION = re.compile("[БВГДЖЗКЛМНПРСТФХЦЧШЩ]{2,4}")
_JOINED = frozenset({"в", "за", "из", "к", "на", "от", "по", "под", "при", "с"})
_LEAST_COUNT, _SHORTEST, _LONGEST = 300, 3, 24
_BASE = 1e-6
"""What is written otherwise without an error has ranks below this, so that it is done at every probability."""
_SHARES = {"same": 3.0, "near": 0.2, "ending": 1.2, "lost": 0.25, "join": 1.5, "split": 0.6}
"""How much likelier errors of one kind are than those of another, where a word allows both; the author's estimates."""
_MOST, _HIGHEST = 0.5, 0.9
_REFUSED = 0.165
"""The share of the errors that no text can make, or that the gate `meaning` refuses: counted in 600 sentences."""


@dataclass(frozen=True, slots=True)
class Speech(Attack):
    """Write a text as a recogniser of speech does that hears it read aloud.

    There are no capitals and no punctuation; numbers, signs, abbreviations and Latin words are written as they are
    spoken. Then some words are misheard: they become words that sound the same or nearly so, lose their endings, are
    joined or parted; short words are lost. «Не» stays.

    Args:
        wer: the expected word error rate, in [0, 0.5]: wrong, lost and added words / words of the text. Both texts are
            compared in lower case without punctuation; what is only spoken otherwise counts, too.
        words: the dictionary of what is heard.

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
        """Propose what is spoken otherwise, with ranks near 0, and errors, each as a change of its own."""
        numbers = Numbers(probability=1.0, classes=("words",)).propose_batch(batch, streams)
        starts, stops, texts = numbers.starts, numbers.stops, numbers.all_texts
        spoken: list[list[Edit]] = [[] for _ in range(len(batch))]
        for at, row in enumerate(batch.rows(starts).tolist()):
            first = int(batch.starts[row])
            new = decode(texts.take(np.array([at])).codes)
            spoken[row].append(Edit(int(starts[at]) - first, int(stops[at]) - first, new))
        keys, before, firsts = streams.keys.tolist(), batch.untouchable_before.tolist(), batch.starts.tolist()

        def free_in(row: int) -> Callable[[int, int], bool]:
            first = firsts[row]
            return lambda start, stop: before[first + start] == before[first + stop]

        return Proposals.of_changes(
            batch,
            [
                _transcribed(text, spoken[row], self.wer, _table(self.words), (Rng(keys[row]), free_in(row)))
                for row, text in enumerate(batch.texts)
            ],
        )


class _Table(NamedTuple):
    """What the dictionary says, by kind.

    Attributes:
        spoken: finds signs and abbreviations; `said` has what is said for them.
        latin: pairs of Latin letters and what is said for them, the longest first; at the end of a word, and anywhere.
        letters: the names of letters.
        lost: the weight of each word that may be lost.
        heard: finds at each place the longest letters that may be heard otherwise.
        near: for these, how many of them are heard as which letters, each with its weight.
    """

    name: str
    spoken: re.Pattern[str]
    said: dict[str, str]
    latin: Sequence[Sequence[tuple[str, str]]]
    letters: dict[str, str]
    lost: dict[str, float]
    heard: re.Pattern[str]
    near: dict[str, list[tuple[int, str, float]]]


@cache
def _table(name: str) -> _Table:
    kinds: dict[str, list[tuple[str, str, float]]] = {}
    for kind, old, new, share in rows(dictionary_path(name), columns=4):
        weight = number_in(f"{name}: {kind} {old}", share, most=1.0)
        kinds.setdefault(kind, []).append((old, new.replace("-", ""), weight))
    said = {old: new for old, new, _ in kinds.get("spoken", [])}
    marks = "|".join(
        (rf"(?<!\w){re.escape(one)}" if one[0].isalpha() else re.escape(one))
        + ("" if not one[-1].isalpha() else r"(?!\w)")
        for one in sorted(said, key=len, reverse=True)
    )
    latin = [
        sorted(((old, new) for old, new, _ in kinds.get(kind, [])), key=lambda one: -len(one[0]))
        for kind in ("latin_end", "latin")
    ]
    near = kinds.get("near", [])
    olds = sorted({old for old, _, _ in near}, key=len, reverse=True)
    return _Table(
        name,
        re.compile(marks or "(?!)", re.IGNORECASE),
        said,
        latin,
        {old: new for old, new, _ in kinds.get("letter", [])},
        {old: weight for old, _, weight in kinds.get("lost", [])},
        re.compile(f"(?=({'|'.join(olds) or '(?!)'}))"),
        {one: [(len(old), new, weight) for old, new, weight in near if one.startswith(old)] for one in olds},
    )


class _Error(NamedTuple):
    """An error that may be made: its place, new text, weight, kind, and how many words are wrong then."""

    start: int
    stop: int
    text: str
    weight: float
    kind: str
    cost: int


def _transcribed(
    text: str, spoken: Sequence[Edit], wer: float, table: _Table, drawn: tuple[Rng, Callable[[int, int], bool]]
) -> Iterator[Change]:
    """Yield the changes of one text.

    Args:
        text: the text.
        spoken: the edits that write its numbers in words.
        wer: the expected word error rate.
        table: the dictionary.
        drawn: the random draws of the text, and a function that tells whether a range has no protected characters.
    """
    rng, is_free = drawn
    if not LETTERS_AND_DIGITS.search(text):
        return
    base: list[Edit] = []
    taken = bytearray(len(text))
    for edit in spoken:
        _add(base, taken, edit)
    for match in table.spoken.finditer(text):
        _add(base, taken, Edit(match.start(), match.end(), table.said[match[0].lower()]))
    words = list(LETTERS_AND_DIGITS.finditer(text))
    plain = []
    for word in words:
        new = _spoken(word[0], table)
        if new is not None:
            _add(base, taken, Edit(word.start(), word.end(), new))
        elif is_free(*word.span()) and not any(taken[word.start() : word.end()]):
            plain.append(word)
    costs = [max(len(one.text.split()), len(LETTERS_AND_DIGITS.findall(text[one.start : one.stop]))) for one in base]
    for edit in base:
        yield Change(rng.uniform() * _BASE, (_padded(text, edit),))
    found = ([one for one in _errors(text, plain, at, table) if is_free(*one[:2])] for at in range(len(plain)))
    budget = max(wer * len(words) - sum(costs), 0.0) / (1.0 - _REFUSED)
    for one in _drawn([errors for errors in found if errors], budget, rng):
        taken[one.start : one.stop] = bytes([1]) * (one.stop - one.start)
        yield Change(
            max(rng.uniform(), _BASE),
            (Edit(one.start, one.stop, one.text, Note(text[one.start : one.stop] if one.text else None, one.kind)),),
        )
    yield from _lowered(text, taken, rng)


def _drawn(words: Sequence[Sequence[_Error]], budget: float, rng: Rng) -> Iterator[_Error]:
    """Draw at most one error of each word, so that as many words as `budget` are expected to be wrong; none overlap."""
    weights = [fsum(one.weight for one in errors) for errors in words]
    costs = [fsum(one.weight * one.cost for one in errors) for errors in words]
    scale, left, rare = 0.0, budget, list(zip(weights, costs, strict=True))
    while rare:
        scale = left / fsum(cost for _, cost in rare)
        full = [(weight, cost) for weight, cost in rare if weight * scale > _HIGHEST]
        if not full:
            break
        left -= fsum(_HIGHEST * cost / weight for weight, cost in full)
        rare = [one for one in rare if one not in full]
    done = 0
    for errors, weight in zip(words, weights, strict=True):
        share = min(weight * scale, _HIGHEST)
        point = rng.uniform()
        if point < share and errors[0].start >= done:
            bounds = accumulate(one.weight for one in errors)
            pairs = zip(errors, bounds, strict=True)
            error = next((one for one, bound in pairs if point * weight < bound * share), errors[-1])
            done = error.stop
            yield error


def _add(base: list[Edit], taken: bytearray, edit: Edit) -> None:
    """Add an edit whose range none has taken."""
    if not any(taken[edit.start : edit.stop]):
        base.append(edit)
        taken[edit.start : edit.stop] = bytes([1]) * (edit.stop - edit.start)


def _padded(text: str, edit: Edit) -> Edit:
    """Return an edit with spaces where words would stick together: «5%» is «пять процентов»."""
    before = " " if edit.start and text[edit.start - 1].isalnum() else ""
    after = " " if text[edit.stop : edit.stop + 1].isalnum() else ""
    return Edit(
        edit.start, edit.stop, f"{before}{edit.text}{after}".lower(), Note(text[edit.start : edit.stop], "spoken")
    )


def _spoken(word: str, table: _Table) -> str | None:
    """Return a number, a Latin word or an abbreviation as it is spoken; None for other words."""
    if _DIGITS.fullmatch(word) and len(word) <= len(str(LARGEST)) and int(word) <= LARGEST:
        return cardinal(int(word), "nomn")
    if word.isascii() and word.isalpha():
        return _latin(word.lower(), table.name)
    if _ABBREVIATION.fullmatch(word):
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


def _errors(text: str, plain: Sequence[re.Match[str]], at: int, table: _Table) -> Iterator[_Error]:
    """Yield the errors that may be made in a word, or between it and the next one."""
    word = plain[at]
    low, (start, stop) = same_word(word[0]), word.span()
    if low in table.lost:
        after = stop + (text[stop : stop + 1] == " ")
        yield _Error(start, after, "", table.lost[low] * _SHARES["lost"], "lost", 1)
    following = plain[at + 1] if at + 1 < len(plain) else None
    if low in _JOINED and following is not None and text[stop : following.start()] == " ":
        joint = low + same_word(following[0])
        if _is_common(joint):
            yield _Error(start, following.end(), joint, _SHARES["join"], "join", 2)
    for new, weight, kind in _heard(low, table.name):
        yield _Error(start, stop, new, weight, kind, 1 + new.count(" "))


def _is_common(word: str) -> bool:
    """Tell whether a word is one that a recogniser knows: a frequent word of the dictionary."""
    return word_counts()[0].get(word, 0) >= _LEAST_COUNT and has_form(word)


@lru_cache(maxsize=200_000)
def _heard(word: str, name: str) -> tuple[tuple[str, float, str], ...]:
    """Return what may be heard instead of a word, each with its weight and kind: at most the three likeliest."""
    if not (_SHORTEST <= len(word) <= _LONGEST) or not word.isalpha():
        return ()
    table, counts = _table(name), word_counts()[0]
    found: dict[str, tuple[float, str]] = {}
    for match in table.heard.finditer(word):
        start = match.start()
        for width, new, weight in table.near[match[1]]:
            stop = start + width
            other = word[:start] + new + word[stop:]
            if counts.get(other, 0) < _LEAST_COUNT or other in found or not (start or new) or not has_form(other):
                continue
            ends = stop >= len(word) and not set(lemmas_of(word)).isdisjoint(lemmas_of(other))
            kind = "same" if transcription(other) == transcription(word) else "ending" if ends else "near"
            found[other] = (weight * _SHARES[kind], kind)
    for first in _JOINED:
        rest = word.removeprefix(first)
        if rest != word and len(rest) >= _SHORTEST and _is_common(rest):
            found.setdefault(f"{first} {rest}", (_SHARES["split"] * 0.3, "split"))
    best = sorted(found.items(), key=lambda one: (-one[1][0], one[0]))[:3]
    return tuple((new, weight, kind) for new, (weight, kind) in best)


def _lowered(text: str, taken: bytearray, rng: Rng) -> Iterator[Change]:
    """Yield the changes that write small letters and no punctuation outside what is written otherwise."""
    for match in re.finditer(r"[A-ZА-ЯЁ]+|[^\w\s]", text):
        start, stop = match.span()
        if any(taken[start:stop]):
            continue
        joins = text[start - 1 : start].isalnum() and text[stop : stop + 1].isalnum()
        if match[0][0].isalpha():
            yield Change(rng.uniform() * _BASE, (Edit(start, stop, match[0].lower()),))
        elif not (joins and match[0] in "-‑'’"):
            apart = text[start - 1 : start] == text[stop : stop + 1] == " "
            yield Change(rng.uniform() * _BASE, (Edit(start, stop + apart, " " if joins else ""),))
