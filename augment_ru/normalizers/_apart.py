"""Joins words with white space inside («к а з и н о», «ка зино»), and divides words written together («вличку»)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import log

from augment_ru.edits import Edit
from augment_ru.language.frequency import word_counts
from augment_ru.language.morphology import has_reading, readings
from augment_ru.language.prepositions import cases_behind, fitting
from augment_ru.normalizers import _bits as by
from augment_ru.normalizers._context import Pieces, are_agreed
from augment_ru.normalizers._lattice import RUSSIAN, WordReading
from augment_ru.normalizers._lexicon import count, has_prefix, is_function, is_hidden, is_listed, joinable, weight
from augment_ru.normalizers._pieces import ENDS, cased, core, fold
from augment_ru.normalizers._reader import Reader

_SIGNS = "-–—.·•,|/\\_*~+:;=>"
"""The signs that may stand beside each of the letters apart."""
_SIGN, _GAP = f"[{re.escape(_SIGNS)}]", "[ \u00a0\u2009\t\n]"
_RUN = re.compile(
    rf"(?<![^\s«\"(])[^\s.,|/\\]\ufe0f?"
    rf"(?:(?:-|{_GAP}*{_SIGN}?{_GAP}+{_SIGN}?)\S\ufe0f?(?![^\s{re.escape(_SIGNS)}!?…)»\"])){{2,}}"
)
"""Letters apart: with white space between them, and perhaps a sign beside the space."""
_FEWEST = 3
"""The fewest letters of a word that is read from letters apart."""
_LEAST = {3: 8.0, 4: 6.0}
"""The least score of a word that is read from letters apart, by its length; 2 for longer ones."""
_SHORT, _MOST_PARTS = 3, 5
"""The most letters of a short part of a word, and the most parts that are joined on either side of it."""
_CHANCE, _UNKNOWN = 20.9, 2.0
"""The logarithm of the number of words in the news, and the weight of an unknown word."""
_GAIN, _GAIN_HIDDEN, _GAIN_KNOWN = 9.0, 10.0, 12.2
"""Parts are joined if the whole word is likelier than they are by this logarithm: if a part is no word, if the whole is
a hidden word, and if all are words."""


def joined_pieces(context: Pieces) -> tuple[dict[int, Edit], set[int]]:
    """Find words that white space divides («к а з и н о», «ка зино»), and return the edits that join them.

    Args:
        context: the text, split at white space into pieces.

    Returns:
        The edits, each by the index of the first piece (part between white space) that it changes; and the indices of
        all changed pieces.
    """
    chosen: dict[int, Edit] = {}
    taken: set[int] = set()
    for run in _RUN.finditer(context.text) if not context.spells else ():
        for start, stop in _words_of(run):
            _letters(context, start, stop, chosen, taken)
    cores = [core(piece) for piece in context.pieces]
    for at, one in enumerate(context.judged):
        if one is None or one.kind not in {"part", "spelt", "name"}:
            continue
        for first, last in _windows(context.pieces, at):
            fits = first >= 0 and last < len(cores) and taken.isdisjoint(range(first, last + 1))
            if fits and (made := _joined(context, cores, first, last)):
                chosen[first] = made
                taken.update(range(first, last + 1))
                break
    return chosen, taken


def _words_of(run: re.Match[str]) -> list[tuple[int, int]]:
    """Divide a run of letters apart at its wider gaps and lone commas: «з а й м  б е з»; return the places of words."""
    gaps = [gap.span() for gap in re.finditer(r"\s+", run[0])]
    widths = [stop - start for start, stop in gaps]
    usual = max(sorted(set(widths)), key=widths.count, default=1)
    is_lone = run[0].find(",") > 2 * (_FEWEST - 1)
    wide = (gap for gap in gaps if gap[1] - gap[0] > usual or (is_lone and run[0][gap[0] - 1] == ","))
    edges = [0, *(place for gap in wide for place in gap), len(run[0])]
    return [(run.start() + one, run.start() + other) for one, other in zip(edges[::2], edges[1::2], strict=True)]


def _letters(context: Pieces, begin: int, end: int, chosen: dict[int, Edit], taken: set[int]) -> None:
    """Read a run of letters apart: «к а з и н о», «к. а. з. и. н. о».

    Its edit is added to `chosen`, by its first piece, and its pieces to `taken`.
    If the whole run is no word, it is read without its first or its last letter, which may be a word of its own.
    Capitals with marks behind them («Э. Т. А.», «А, С, Е, К») are read only as a word that people hide.
    """
    starts = [start for start, _ in context.places]
    first, last = bisect_right(starts, begin) - 1, bisect_left(starts, end)
    pieces = context.text[begin:end].split()
    letters = [piece.strip(_SIGNS) for piece in pieces]
    if len({piece for piece in pieces if piece in _SIGNS}) > 1:
        return  # «a + b = 7»
    tails = [piece.replace("\ufe0f", "")[1:2].replace("-", "") for piece in pieces]
    cut = next((at for at, tail in enumerate(tails) if tail != tails[0] and letters[at]), len(tails))
    cells = [(at, fold(letter)) for at, letter in enumerate(letters) if letter and at <= cut]  # «к а з и н о, а»
    doubled = len(cells) > 1 and cells[0][1] == cells[1][1] and cells[0][1] in _ALONE  # «в в а т с а п е»
    size, lows = len(cells), (1, 0) if doubled else (0, 1)
    windows = [(low, high) for low in lows for high in (size, size - 1) if high - low >= _FEWEST]
    for low, high in windows:
        found = _read_apart(context.reader, "".join(cell for _, cell in cells[low:high]))
        listed = tails[0] == "," and not "".join(letters)[1:].islower()  # «С, О, С, и»
        if found and not listed and (is_hidden(found.word) or not (tails[0] and "".join(letters).isupper())):
            start, final = cells[low][0] + first, cells[high - 1][0] + first
            inner = _SIGNS if final + 1 < last else ""
            stop = starts[final] + len(context.pieces[final].rstrip(ENDS + inner))
            place = max(starts[start], begin)  # after a quotation mark
            initial, alike = context.is_initial(start), not found.bits & by.SPELT
            new = cased(found.word, context.text[place:stop], initial=initial, alike=alike)
            chosen[start] = by.read_as(place, stop, new, found.bits | by.SEPARATORS)
            taken.update(range(first, last))
            return


def _read_apart(reader: Reader, letters: str) -> WordReading | None:
    """Return the reading of letters as a word, or as several glued words; None if they form none."""
    if sum(map(str.isalpha, letters)) * 2 < len(letters):
        return None
    found = reader.lattice.words(letters, within=0.0)
    if found and not found[0].bits & by.WEAK and found[0].score >= _LEAST.get(len(letters), 2.0):
        return found[0]
    words = glued(letters.lower())
    return WordReading(0.0, words, 0.0, by.SEPARATORS) if words else None


def _joined(context: Pieces, cores: Sequence[tuple[int, int]], first: int, last: int) -> Edit | None:
    """Return the edit that joins pieces `first` to `last` to a word: «ка зино», «мо шенн ики»; None if they stay."""
    start, stop = context.places[first][0] + cores[first][0], context.places[last][0] + cores[last][1]
    words = context.text[start:stop].split(" ")
    raw = "".join(words)
    joined = raw.lower()
    is_whole = all(words) and len(words) == last - first + 1 and (raw.isupper() or raw[1:].islower())
    if not is_whole or not RUSSIAN.issuperset(joined) or joined.replace("ё", "е") not in joinable():
        return None
    small = [word.lower() for word in words]
    unknown = sum(not is_listed(word) for word in small)
    hidden = is_hidden(joined)
    few = len(words) > 2 and unknown < 2 and not hidden  # noqa: PLR2004
    cases = cases_behind(small[0])
    governs = len(words) == 2 and any(cases & one.grammemes for one in readings(small[1]))  # noqa: PLR2004
    if governs or (few and (not unknown or max(map(len, small)) > _SHORT + 1)):
        return None
    alone = sum(weight(word) if is_listed(word) else _UNKNOWN for word in small)
    least = _GAIN if unknown else _GAIN_HIDDEN if hidden else _GAIN_KNOWN
    if weight(joined) - alone + _CHANCE * (len(words) - 1) < least:
        return None
    return by.read_as(start, stop, cased(joined, raw, initial=context.is_initial(first)), by.SEPARATORS)


def _windows(pieces: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Return the runs of pieces around piece `at` that may form one word, as (first, last), in the order to try them.

    They may reach beyond the text.
    """
    near = [(at - 1, at + 1), (at - 1, at), (at, at + 1), (at, at + 2), (at - 2, at)]
    if len(pieces[at]) > _SHORT:
        return near
    low = high = at
    while low and at - low < _MOST_PARTS and len(pieces[low - 1]) <= _SHORT:
        low -= 1
    while high + 1 < len(pieces) and high - at < _MOST_PARTS and len(pieces[high + 1]) <= _SHORT + 1:
        high += 1
    long = [(one, other) for one in range(low, at + 1) for other in range(at, high + 1) if other - one > 2]  # noqa: PLR2004
    return sorted(long, key=lambda one: one[0] - one[1]) + near


_GLUED = 8
_ALONE = frozenset("вскуи")
_TOTAL = log(1.2e9)
_LONGEST = 16
_EACH, _BASE, _HIDES, _INSULTS = 1.35, 12.0, 2.0, 7.0
"""A word is divided into glued words only if their log-probability is at least -(`_BASE` + `_EACH` · letters); a hidden
word among them lowers this by `_HIDES`, one that news hardly have by `_INSULTS`."""


@lru_cache(maxsize=100_000)
def glued(word: str) -> str:
    """Return the words that a string without spaces is made of, with spaces between; "" if it is not made of several.

    >>> glued("пишитевличку")
    'пишите в личку'
    """
    if len(word) < _GLUED:
        return ""
    rests = [len(word)]  # where a rest begins that is made of words
    for start in range(len(word) - 1, -1, -1):
        if any(_may_be_part(word[start:stop]) for stop in rests):
            rests.append(start)
    if rests.pop():
        return ""
    best: dict[int, tuple[float, tuple[str, ...]]] = {0: (0.0, ())}
    for stop in reversed(rests):
        begun = [(*one, word[start:stop]) for start, one in best.items() if _may_be_part(word[start:stop])]
        if begun:
            best[stop] = max((score + weight(part) - _TOTAL, (*parts, part)) for score, parts, part in begun)
    score, parts = best[len(word)]
    is_short = len("".join(parts[1:])) < _SHORT or len(parts[-1]) < _SHORT
    base = _BASE + max((_HIDES if count(part) > _OFTEN else _INSULTS for part in parts if is_hidden(part)), default=0)
    if is_short or score < -(base + _EACH * len(word)) or has_prefix(word):
        return ""
    fits = all(goes_before(one, other) for one, other in pairwise(parts))
    if not fits or not all(map(is_listed, parts)) or parts[0] in _NEVER_FIRST or parts[-1] in _NEVER_LAST:
        return ""
    return " ".join(parts)


def _may_be_part(part: str) -> bool:
    """Tell whether a part of a word may be one of several words that are glued together."""
    return part in _short() if len(part) <= _SHORT else len(part) <= _LONGEST and (count(part) > 0 or is_hidden(part))


@cache
def _short() -> frozenset[str]:
    """Return the short words that may be glued to others."""
    often = (word for word, found in word_counts().items() if found >= _OFTEN and RUSSIAN.issuperset(word))
    return _ALONE.union(one for one in often if len(one) == _SHORT or (len(one) == _SHORT - 1 and is_function(one)))


_NEVER_FIRST = frozenset(["и", "ли", "же", "бы", "то", "ка", "ж", "б"])
_NEVER_LAST = frozenset(["или", "что", "как", "чем", "кого", "чего"])
_OFTEN = 4_000


def goes_before(one: str, other: str) -> bool:
    """Tell whether one word may follow another in a text, so that a string made of both may be divided.

    It may if one of the two words governs the other or agrees with it, or if one of them is a function word.

    Args:
        one: the first word, in lower case.
        other: the word after it, in lower case.
    """
    kinds = [reading for reading in readings(other) if reading.known]
    if cases := cases_behind(one):
        fits = len(other) > 1 and fitting(one, other) in {one, None}
        return fits and (any(cases & reading.grammemes for reading in kinds) or (not kinds and is_hidden(other)))
    if any(has_reading(word, "PREP", "CONJ", "PRCL", "NPRO") for word in (one, other)):
        return one not in _PRONOUNS or is_hidden(other) or has_reading(other, "VERB", "PRTS", "ADJS", "ADJF")
    is_long = len(one) + len(other) >= _LONG
    hidden = is_hidden(one) + is_hidden(other)
    if hidden > 1 or (is_long and hidden):
        return True
    known = [reading for reading in readings(one) if reading.known]
    if (len(one) > _SHORT or hidden) and any(are_agreed(each, reading) for each in known for reading in kinds):
        return True
    if any(reading.pos in {"VERB", "INFN", "ADVB"} for reading in known):
        return any(reading.pos in {"VERB", "ADVB"} or reading.grammemes & {"accs", "gent"} for reading in kinds)
    return is_long and any("gent" in reading.grammemes for reading in kinds)


_LONG = 11
"""The fewest letters that two glued nouns have together."""
_PRONOUNS = frozenset(["я", "ты", "вы", "мы", "он", "она", "оно", "они"])
