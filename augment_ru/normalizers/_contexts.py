"""What the words around a piece say of it: runs of Latin words, letters apart, words in parts, sentences in other tongues."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from augment_ru.edits import Edit, Note
from augment_ru.language.morphology import CASES, GENDERS, Reading, readings
from augment_ru.language.prepositions import cases_behind
from augment_ru.normalizers._lattice import RUSSIAN, Found
from augment_ru.normalizers._lexicon import is_form, is_hidden, is_known, is_listed, weight
from augment_ru.normalizers._pieces import cased, core, fold, only_alike, swings

if TYPE_CHECKING:
    from augment_ru.normalizers._reading import Piece, Reader

_PIECE = re.compile(r"\S+")


_Chosen = tuple[int, int, str, int]
"""Where an edit starts and stops, its new text, and the bits of the normalizers."""


def edits_of(reader: "Reader", text: str, odd: Mapping[str, "Piece"]) -> Iterator[Edit]:
    """Return the edits that lead from a text to what was meant."""
    places = [match.span() for match in _PIECE.finditer(text)]
    pieces = [text[start:stop] for start, stop in places]
    judged = [odd.get(piece) for piece in pieces]
    chosen: dict[int, tuple[int, int, str, int]] = {}  # by the first piece: start, stop, new text, bits
    taken: set[int] = set()
    if reader.joins:
        _apart(reader, text, places, pieces, chosen, taken)
        _parts(reader, text, places, pieces, judged, chosen, taken)
    strange, plain = _strange(pieces, judged)
    latin = _latin(reader, text, places, pieces, judged)
    mended = _mended(reader, pieces, judged, taken, strange, plain, others=len(chosen) + len(latin))
    for at, one in enumerate(judged):
        if one is None or at in taken:
            continue
        start = places[at][0]
        initial = _is_initial(pieces, at)
        if one.kind == "sure" or (one.kind == "foreign" and strange * 6 <= plain) or at in mended:
            best = mended.get(at) or one.found[0]
            chosen[at] = _edit(one, best, start, pieces[at], initial=initial)
        elif one.kind == "several":
            if (agreeing := _agreeing(one.found, pieces, at)) is not None:
                chosen[at] = _edit(one, agreeing, start, pieces[at], initial=initial)
        elif at in latin:
            chosen[at] = latin[at]
    for _, (start, stop, new, bits) in sorted(chosen.items()):
        if text[start:stop] != new:
            yield Edit(start, stop, new, Note(kind=reader.names_of(bits)))


def _mended(
    reader: "Reader",
    pieces: Sequence[str],
    judged: Sequence["Piece | None"],
    taken: Collection[int],
    strange: int,
    plain: int,
    *,
    others: int,
) -> dict[int, Found]:
    """Return how the unknown Russian words of a text are to be mended.

    They are forms of words that people hide; if the text hides words in other ways, too, they are any words. A capital
    inside a sentence is one of a name, and a text with many unknown words is of another language.
    """
    if (strange - 1) * 4 > plain and not (reader.eager and _is_mendable(judged)):
        return {}
    found: dict[int, Found] = {}
    unknown = []
    for at, one in enumerate(judged):
        if one is None or at in taken or one.kind not in {"spelt", "part"}:
            continue
        if one.written[0].isupper() and not one.written.isupper() and not _is_initial(pieces, at):
            continue
        words = one.found[0].word.split() if one.found else []
        if words and (reader.eager or len(words) > 2 or any(map(is_hidden, words))):
            found[at] = one.found[0]
        elif one.written[0].islower() and (one.found or not is_listed(one.written)):
            unknown.append(at)
    others += len(found) + sum(one is not None and one.kind == "sure" for one in judged)
    for at in unknown if others else ():
        one = judged[at]
        if (made := one.found or reader.mend(one.written)) and (not is_known(one.written) or reader.mends(one.written, made[0])):
            found[at] = made[0]
    return found


def _agreeing(found: Sequence[Found], pieces: Sequence[str], at: int) -> Found | None:
    """Return the reading that agrees clearly better than others with the words before and after; None if none does."""
    before = pieces[at - 1].lower() if at and pieces[at - 1][-1].isalpha() else ""
    after = pieces[at + 1].lower().strip(",.!?;:…»)\"") if at + 1 < len(pieces) and pieces[at][-1] not in ",.!?;:…»)" else ""
    scored = sorted(((one.score + _GAIN * _agreement(before, one.word, after), one) for one in found), key=lambda one: (-one[0], one[1].word))
    return scored[0][1] if scored[0][0] - scored[1][0] >= _GAIN / 2 else None


_GAIN = 2.0
"""What agreement with a neighbour adds to the score."""


def _agreement(before: str, word: str, after: str) -> int:
    """Return how many of a word's neighbours agree with it, less those that speak against it."""
    kinds = [one for one in readings(word) if one.known]
    found = 0
    if cases := cases_behind(before):
        found += 1 if any(cases & one.grammemes for one in kinds) else -1
    for other, others in ((before, readings(before)), (after, readings(after))):
        if other and any(_agree(one, each) for one in kinds for each in others if each.known):
            found += 1
    return found


def _agree(one: Reading, other: Reading) -> bool:
    """Tell whether two readings agree: an adjective and its noun, a subject and its verb."""
    nominal = {"NOUN", "NPRO"}
    shared = one.grammemes & other.grammemes
    if {one.pos, other.pos} & {"ADJF", "PRTF"} and {one.pos, other.pos} & {"NOUN"}:
        return bool(shared & CASES) and ("plur" in shared or ("sing" in shared and bool(shared & GENDERS)))
    verb, noun = (one, other) if one.pos in {"VERB", "PRTS", "ADJS"} else (other, one)
    if verb.pos in {"VERB", "PRTS", "ADJS"} and noun.pos in nominal and "nomn" in noun.grammemes:
        return "plur" in shared or ("sing" in shared and (bool(shared & GENDERS) or not verb.grammemes & GENDERS))
    return False


def _edit(one: "Piece", found: Found, start: int, piece: str, *, initial: bool) -> _Chosen:
    """Return the edit that writes a reading in place of the word of a piece, which starts at `start`."""
    new = cased(found.word, piece[one.start : one.stop], initial=initial, alike=not found.bits & 16)
    return start + one.start, start + one.stop, new, found.bits


def _is_mendable(judged: Sequence["Piece | None"]) -> bool:
    """Tell whether most unknown words of a text can be mended, so that it is Russian."""
    unknown = [one for one in judged if one is not None and (one.kind == "spelt" or (one.kind == "part" and not is_known(one.written.lower())))]
    return sum(one.kind == "spelt" for one in unknown) * 2 >= len(unknown)


def _is_initial(pieces: Sequence[str], at: int) -> bool:
    """Tell whether a sentence starts with a piece."""
    return at == 0 or pieces[at - 1][-1] in ".!?…" or (at == 1 and pieces[0] in {"—", "-", "–"})


def _strange(pieces: Sequence[str], judged: Sequence["Piece | None"]) -> tuple[int, int]:
    """Return how many Cyrillic words of a text are not Russian, and how many words are."""
    strange = plain = 0
    for at, (piece, one) in enumerate(zip(pieces, judged, strict=True)):
        start, stop = core(piece)
        word = piece[start:stop].lower()
        if not any("\u0400" <= char <= "\u052f" for char in word):
            continue
        if word in _SISTERS or not RUSSIAN.issuperset(word):
            strange += word in _SISTERS or one is None or one.kind == "part"
        elif one is not None and one.kind == "part" and not is_known(word) and (
            not piece[start].isupper() or _is_initial(pieces, at)
        ):
            strange += 1
        else:
            plain += 1
    return strange, plain


_SISTERS = frozenset("і є це що як від він вона вони бо чи дуже аз съм са се или на за от е да де ти ми як та й із ще".split()) & frozenset(
    "і є це що як від він вона вони бо чи дуже аз съм са се е та й із ще".split()
)
"""Words of Ukrainian and Bulgarian that Russian texts do not have."""


class _Grade(NamedTuple):
    """How a piece without Russian letters can be read in one way.

    Attributes:
        word: the reading; "" if there is none.
        is_sure: whether it is clear by itself.
        may: whether it is clear among words that are read in the same way.
        bits: the bits of the normalizers.
        stop: where the word ends in the piece.
    """

    word: str = ""
    is_sure: bool = False
    may: bool = False
    bits: int = 0
    stop: int = 0


def _latin(reader: "Reader", text: str, places, pieces: Sequence[str], judged: Sequence["Piece | None"]) -> dict[int, _Chosen]:
    """Return what is to be read of the pieces without Russian letters: in Latin, in look-alikes, in the wrong layout."""
    index = [at for at, one in enumerate(judged) if one is not None and one.kind == "latin"]
    found: dict[int, _Chosen] = {}
    if not index:
        return found
    russian = sum(any(char in RUSSIAN for char in piece) for piece in pieces)
    alike = sum(one is not None and one.kind == "sure" and _ASCII.search(one.written) is not None for one in judged)
    ways = {True: {at: _keyed(judged[at]) for at in index}, False: {at: _spelt(judged[at], _is_initial(pieces, at)) for at in index}}
    sure = {by_keys: {at for at, one in grades.items() if one.is_sure} for by_keys, grades in ways.items()}
    runs: list[list[int]] = []
    for at in index:
        if runs and not any(any(map(str.isalpha, piece)) for piece in pieces[runs[-1][-1] + 1 : at]):
            runs[-1].append(at)
        else:
            runs.append([at])
    for run in runs:
        by_keys = max((True, False), key=lambda one: (sum(at in sure[one] for at in run), len(sure[one]), not one))
        grades = ways[by_keys]
        good = sum(at in sure[by_keys] or (grades[at].may and not judged[at].is_english) for at in run)
        strange = sum(_is_strange(judged[at], grades[at], by_keys) for at in run)
        if len(run) == 1 and strange + 1 > good * _STRANGE:
            (at,) = run
            one = judged[at]
            words = [*_SINGLE.get(one.written, _SINGLE.get(one.written.lower(), ())), *(ways[way][at].word.lower() for way in (False, True))]
            word = next((each for each in words if each and _stands(one, each, pieces, at, index)), "")
            if word and not ways[by_keys][at].is_sure:
                start = places[at][0] + one.start
                new = word.capitalize() if one.written[0].isupper() else word
                found[at] = (start, start + len(one.written), new, ways[by_keys][at].bits or 16)
                continue
        if strange > good * _STRANGE:
            continue
        for at in run:
            one, grade = judged[at], grades[at]
            evidence = len(sure[by_keys] - {at}) + (0 if by_keys else alike)
            start = places[at][0]
            initial = _is_initial(pieces, at)
            capital = one.written[:1].isupper() and not initial and russian > 0 and len(run) < _LONG_RUN
            if grade.is_sure or (grade.may and evidence and not (capital and (one.is_english or len(one.written) < 3))):
                if by_keys:
                    tail = pieces[at][grade.stop :]
                    tail = tail if russian else "".join(_SIGNS.get(sign, sign) for sign in tail)
                    found[at] = (start, start + len(pieces[at]), grade.word + tail, grade.bits)
                else:
                    made = cased(grade.word, one.written, initial=initial, alike=not grade.bits & 16)
                    found[at] = (start + one.start, start + one.stop, made, grade.bits)
            elif evidence > 1 and not one.is_english and not capital:
                word = reader.typed(pieces[at]) if by_keys else reader.spelled(one.written)
                if word and len(one.written) > 2:
                    stop = start + len(pieces[at]) if by_keys else start + one.stop
                    found[at] = (start if by_keys else start + one.start, stop, word, 8 if by_keys else 16)
    return found


_STRANGE = 0.6
"""How many strange words a run may have for each word that can be read."""
_LONG_RUN = 4
_ASCII = re.compile("[A-Za-z]")
_SIGNS = {"?": ",", "/": ".", "&": "?", "^": ":", "$": ";", "@": '"'}
"""What the signs behind a word mean in a message that is typed in the wrong layout."""


def _is_strange(one: "Piece", grade: _Grade, by_keys: bool) -> bool:
    """Tell whether a piece speaks against reading the words beside it."""
    if grade.is_sure or len(one.written) < 3:
        return False
    if by_keys:
        return not grade.word
    return one.is_english or (not grade.may and not one.written[0].isupper())


def _stands(one: "Piece", word: str, pieces: Sequence[str], at: int, index: Sequence[int]) -> bool:
    """Tell whether a short word stands in a Russian sentence as its reading would: «v доме», «He надо».

    A preposition must govern a case of the next word; other words must be frequent ones.
    """
    following = pieces[at + 1] if at + 1 < len(pieces) else ""
    start, stop = core(following)
    initial = _is_initial(pieces, at)
    capital = one.written[0].isupper()
    before = pieces[at - 1] if at else ""
    if (
        sum(len(pieces[each]) == 1 for each in index) > 1
        or not RUSSIAN.issuperset(following[start:stop] or "-")
        or not (initial or before[:1] in RUSSIAN or before[1:2] in RUSSIAN)
        or (capital and not (initial and (following[start].islower() or cases_behind(word))))
        or (len(one.written) > 1 and one.written.isupper())
        or pieces[at].strip("«\"(") != one.written
        or not one.written.isascii()
    ):
        return False
    behind_noun = bool(before) and before[-1].isalpha() and any(one.pos == "NOUN" for one in readings(before.lower())[:1])
    if cases := cases_behind(word):
        if len(one.written) == 1 and before and readings(before.lower())[0].lemma in _SYMBOLS:
            return False
        return any(cases & reading.grammemes for reading in readings(following[start:stop]))
    if len(word) == 1:
        return (word == "и" and not behind_noun) or (word == "а" and (initial or before[-1:] == ","))
    return weight(word) >= (_OFTEN if len(word) > 2 else _OFTENER)


_SYMBOLS = frozenset(
    "скорость радиус заряд индекс масса высота длина ширина сила ток угол координата ось точка вектор переменная параметр "
    "число буква коэффициент ускорение время путь энергия давление температура объём площадь напряжение функция элемент "
    "множитель множество строка столбец вершина сторона прямая отрезок плоскость класс группа категория вариант пункт тип "
    "витамин гепатит нота клавиша кнопка язык диск план серия этап фаза сорт марка модель уровень волна диаметр период "
    "значение показатель основание степень корень аргумент предел сумма ряд".split()
)
"""Nouns behind which a letter stands for a quantity or a kind."""
_OFTEN, _OFTENER = 11.0, 10.5
_SINGLE = {
    letter: tuple(words)
    for words, letters in {"и": "bi", "в": "dv", "с": "cs", "к": "rk", "о": "oj", "у": "euyY", "а": "af", "я": "z", "ви": "B"}.items()
    for letter in letters
}
"""The words of one letter that a single Latin letter may be: alike, in Latin, or in the wrong layout."""


_ALIKE = frozenset("aeopcyxAEOPCYXKMTHB")


def _keyed(one: "Piece") -> _Grade:
    """Return how a piece can be read as typed in the wrong layout."""
    best = one.keyed
    if best is None:
        return _Grade()
    size, english = len(best.word), one.is_english and len(best.word) == len(one.written)
    sure = not english and best.score >= {1: 99.0, 2: 14.0, 3: 7.0, 4: 6.0, 5: 3.0}.get(size, 1.0)
    return _Grade(best.word, sure, best.score >= {1: 13.0, 2: 9.0}.get(size, 3.0), best.bits, int(best.cost))


def _spelt(one: "Piece", initial: bool) -> _Grade:
    """Return how a piece can be read as Russian in Latin letters or in look-alikes."""
    if not one.found:
        return _Grade()
    best = one.found[0]
    size = len(one.written)
    hidden = is_hidden(best.word)
    plain = one.written.replace("'", "").replace("`", "")
    close = [other for other in one.found[1:3] if best.score - other.score < 0.5]
    sure = (
        not one.is_english
        and not close
        and best.score >= {1: 99.0, 2: 99.0, 3: 9.5, 4: 8.0, 5: 6.0}.get(size, 1.0)
        and (hidden or initial or not one.written[:1].isupper() or (size > 5 and one.written.isupper()))
        and (hidden or size > 4 or not one.written.isupper())
        and (best.bits & 2 or not swings(one.written) or (not best.bits & 16 and only_alike(one.written)) or (hidden and swings(one.written) > 1))
        and (hidden or plain.isalnum() or "-" in best.word)
        and (plain.isalpha() or "-" in plain or hidden or (plain.upper() != plain and size > 3))
    )
    may = best.score >= {1: 13.0, 2: 9.0, 3: 7.0}.get(size, 1.0) and plain.isalnum()
    return _Grade(best.word, bool(sure), may, best.bits or 16)


_SIGNS_APART = "-–—.·•,|/\\_*~+:;=>"
_RUN = re.compile(
    rf"(?<![^\s«\"(])[^\s.,|/\\]\ufe0f?(?:(?:-|[ \u00a0\u2009\t]*[{re.escape(_SIGNS_APART)}]?[ \u00a0\u2009\t]+[{re.escape(_SIGNS_APART)}]?)\S\ufe0f?(?![^\s{re.escape(_SIGNS_APART)}!?…)»\"])){{2,}}"
)
"""Letters apart, with white space between, and perhaps a sign beside it."""


def _apart(reader: "Reader", text: str, places, pieces, chosen: dict[int, _Chosen], taken: set[int]) -> None:
    """Read words whose letters stand apart: «к а з и н о», «к. а. з. и. н. о»."""
    starts = [start for start, _ in places]
    for run in _RUN.finditer(text):
        first = bisect_left(starts, run.start())
        last = bisect_left(starts, run.end())
        hyphen = re.search(r"\S-\S", run[0])
        letters = [piece.strip(_SIGNS_APART) for piece in run[0].split()]
        cells = [(at, fold(letter)) for at, letter in enumerate(letters) if letter]
        tails = [piece.replace("\ufe0f", "")[1:2].replace("-", "") for piece in run[0].split()]
        cut = next((at for at, tail in enumerate(tails) if tail != tails[0] and letters[at]), len(tails))
        cells = [cell for cell in cells if cell[0] <= cut]  # «к а з и н о, а»
        windows = [(low, high) for low in (0, 1) for high in (len(cells), len(cells) - 1) if high - low > 2]
        found, window = None, (0, 0)
        for whole in (True, False):
            for low, high in windows:
                written = " ".join(cell for _, cell in cells[low:high])
                found = _one_word(reader, written.replace(" ", "")) if whole else _several(reader, written)
                if found:
                    window = (low, high)
                    break
            if found:
                break
        if found is None or hyphen and " " not in found.word and "-" not in found.word:
            continue
        low, high = cells[window[0]][0] + first, cells[window[1] - 1][0] + first
        end = places[high][0] + len(pieces[high].rstrip(",.!?;:…»)\"" + (_SIGNS_APART if high + 1 < last else "")))
        raw = text[starts[low] : end]
        new = cased(found.word, raw, initial=_is_initial(pieces, low), alike=not found.bits & 16)
        chosen[low] = (starts[low], end, new, found.bits | 4)
        taken.update(range(first, last))


def _one_word(reader, letters: str) -> Found | None:
    found = reader.lattice.words(letters)
    if not found or found[0].bits & reader.weak or sum(map(str.isalpha, letters)) * 2 < len(letters):
        return None
    return found[0] if found[0].score >= {3: 8.0, 4: 6.0}.get(len(letters), 2.0) else None


def _several(reader, letters: str) -> Found | None:
    """Return the words of a run of letters; a hyphen in it stays."""
    if "-" in letters:
        both = [_one_word(reader, half.replace(" ", "")) for half in letters.split("-")]
        if all(both):
            return Found(0.0, "-".join(one.word for one in both), 0.0, 4)
    return reader.several(letters)


def _parts(reader, text, places, pieces, judged, chosen, taken) -> None:
    """Read words of which parts stand apart: «ка зино», «мо шенн ики»."""
    cores = [core(piece) for piece in pieces]
    for at, one in enumerate(judged):
        if one is None or one.kind not in {"part", "spelt"} or at in taken:
            continue
        for first, last in _windows(pieces, at):
            if first < 0 or last >= len(pieces) or any(place in taken for place in range(first, last + 1)):
                continue
            words = [pieces[place][slice(*cores[place])] for place in range(first, last + 1)]
            inner = all(
                cores[place][1] == len(pieces[place]) and cores[place + 1][0] == 0
                and text[places[place][1] : places[place + 1][0]] == " "
                for place in range(first, last)
            )
            if not inner or not all(RUSSIAN.issuperset(word) and word for word in words):
                continue
            joined = "".join(words).lower()
            if not is_form_any(joined):
                continue
            unknown = sum(not is_listed(word.lower()) for word in words)
            if len(words) > 2 and unknown < 2 and not (is_hidden(joined) and max(map(len, words)) < 4) and not (unknown and all(len(word) < 5 for word in words)):
                continue
            gain = weight(joined) - sum(weight(word.lower()) if is_listed(word.lower()) else 2.0 for word in words) + 20.9 * (len(words) - 1)
            if gain < (9.0 if unknown else 12.2) or any(word[0].isupper() and not words[0].isupper() or word[0].isupper() and not word.isupper() for word in words[1:]):
                continue
            start, end = places[first][0] + cores[first][0], places[last][0] + cores[last][1]
            chosen[first] = (start, end, cased(joined, "".join(words), initial=_is_initial(pieces, first)), 4)
            taken.update(range(first, last + 1))
            break


def _windows(pieces: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Return the runs of pieces around one that may be parts of a word, the first and the last of each."""
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


_SHORT, _MOST_PARTS = 3, 5


def is_form_any(word: str) -> bool:
    """Tell whether a word with е or ё is Russian and not too rare."""
    return is_known(word) and weight(word) > 5
