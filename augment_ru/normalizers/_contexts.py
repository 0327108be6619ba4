"""What the words around a piece say of it: runs of Latin words, letters apart, words in parts, sentences in other tongues."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from augment_ru.edits import Edit, Note
from augment_ru.normalizers._lattice import RUSSIAN, Found
from augment_ru.normalizers._lexicon import is_form, is_hidden, is_known, is_listed, weight
from augment_ru.normalizers._pieces import cased, core, fold, swings

if TYPE_CHECKING:
    from augment_ru.normalizers._reading import Piece, Reader

_PIECE = re.compile(r"\S+")
_BITS = ("skeleton", "masks", "separators", "layout", "transliteration", "stretching", "spelling")


def edits_of(reader: "Reader", text: str, odd: Mapping[str, "Piece"]) -> Iterator[Edit]:
    """Return the edits that lead from a text to what was meant."""
    places = [match.span() for match in _PIECE.finditer(text)]
    pieces = [text[start:stop] for start, stop in places]
    judged = [odd.get(piece) for piece in pieces]
    chosen: dict[int, tuple[int, int, str, int]] = {}  # by the first piece: start, stop, new text, bits
    taken: set[int] = set()
    if reader.joins:
        _apart(reader, text, places, pieces, judged, chosen, taken)
        _parts(reader, text, places, pieces, judged, chosen, taken)
    strange, plain = _strange(pieces, judged)
    latin = _latin(reader, pieces, judged)
    for at, one in enumerate(judged):
        if one is None or at in taken:
            continue
        start = places[at][0]
        initial = _is_initial(pieces, at)
        if one.kind == "sure" or (one.kind == "foreign" and strange * 4 <= plain) or (
            one.kind == "spelt" and (strange - 1) * 4 <= plain and (initial or not one.written[0].isupper() or is_hidden(one.found[0].word))
        ):
            best = one.found[0]
            chosen[at] = (start + one.start, start + one.stop, cased(best.word, one.written, initial=initial), best.bits)
        elif at in latin:
            chosen[at] = latin[at](start, initial)
    for _, (start, stop, new, bits) in sorted(chosen.items()):
        if text[start:stop] != new:
            names = [name for place, name in enumerate(_BITS) if bits >> place & 1]
            yield Edit(start, stop, new, Note(kind="+".join(names) or "skeleton"))


def _is_initial(pieces: Sequence[str], at: int) -> bool:
    """Tell whether a sentence starts with a piece."""
    return at == 0 or pieces[at - 1][-1] in ".!?…" or (at == 1 and pieces[0] in {"—", "-", "–"})


def _strange(pieces: Sequence[str], judged: Sequence["Piece | None"]) -> tuple[int, int]:
    """Return how many Cyrillic words of a text are not Russian, and how many words are."""
    strange = plain = 0
    for piece, one in zip(pieces, judged, strict=True):
        start, stop = core(piece)
        word = piece[start:stop].lower()
        if not any("\u0400" <= char <= "\u052f" for char in word):
            continue
        if word in _SISTERS or not RUSSIAN.issuperset(word):
            strange += word in _SISTERS or one is None or one.kind == "part"
        elif one is not None and one.kind in {"part", "spelt"} and not is_known(word) and not piece[start].isupper():
            strange += 1
        else:
            plain += 1
    return strange, plain


_SISTERS = frozenset("і є це що як від він вона вони бо чи дуже аз съм са се или на за от е да де ти ми як та й із ще".split()) & frozenset(
    "і є це що як від він вона вони бо чи дуже аз съм са се е та й із ще".split()
)
"""Words of Ukrainian and Bulgarian that Russian texts do not have."""


def _latin(reader, pieces, judged):
    """Return a function for each piece without Russian letters that is to be read: from its place to the edit."""
    found = {}
    index = [at for at, one in enumerate(judged) if one is not None and one.kind == "latin"]
    if not index:
        return found
    russian = sum(any(char in RUSSIAN for char in piece) for piece in pieces)
    runs: list[list[int]] = []
    for at in index:
        if runs and all(not any(map(str.isalpha, piece)) for piece in pieces[runs[-1][-1] + 1 : at]):
            runs[-1].append(at)
        else:
            runs.append([at])
    spelt = {at for at in index if _is_spelt(judged[at], _is_initial(pieces, at))}
    keyed = {at for at in index if _is_keyed(judged[at], _is_initial(pieces, at))}
    strong_spelt = {at for at in spelt if len(judged[at].written) >= 4}
    strong_keyed = {at for at in keyed if len(judged[at].keyed.word) >= 4}
    for run in runs:
        here_spelt, here_keyed = [at for at in run if at in spelt], [at for at in run if at in keyed]
        by_keys = sum(judged[at].keyed.score for at in here_keyed) > sum(judged[at].found[0].score for at in here_spelt)
        good = here_keyed if by_keys else here_spelt
        weak = [at for at in run if at not in good and len(judged[at].written) > 2]
        strange = [at for at in weak if (judged[at].is_english and not by_keys) or not (judged[at].keyed if by_keys else judged[at].found)]
        if not good and not (strong_keyed or strong_spelt):
            continue
        if len(strange) > len(good) * (0.6 if russian else 0.8):
            continue
        strong = strong_keyed if by_keys else strong_spelt
        if not good:
            by_keys = len(strong_keyed) > len(strong_spelt)
            strong = strong_keyed if by_keys else strong_spelt
        for at in run:
            one = judged[at]
            if at not in good:
                short = len(one.written) <= 2
                others = len(strong - {at})
                if by_keys and not (one.keyed and others):
                    continue
                if not by_keys:
                    if not one.found or not others:
                        continue
                    if short and (one.written.isupper() or one.found[0].score < 9):
                        continue
                    if one.written[:1].isupper() and not _is_initial(pieces, at) and russian:
                        continue
                    if one.is_english and not short and len(good) < 2:
                        continue
            found[at] = _typed(one, pieces[at], alone=not russian) if by_keys else _spelt(one)
    return found


def _spelt(one):
    best = one.found[0]
    return lambda start, initial: (start + one.start, start + one.stop, cased(best.word, one.written, initial=initial), best.bits or 16)


def _typed(one, piece, *, alone):
    best = one.keyed
    stop = int(best.cost)
    tail = "".join(_SIGNS.get(sign, sign) for sign in piece[stop:]) if alone else piece[stop:]
    return lambda start, initial: (start, start + len(piece), best.word + tail, 8)


_SIGNS = {"?": ",", "/": ".", "&": "?", "^": ":", "$": ";", "@": '"'}


def _is_spelt(one, initial) -> bool:
    """Tell whether a piece is clearly a Russian word in Latin letters."""
    if not one.found or one.is_english:
        return False
    best = one.found[0]
    size = len(one.written)
    if one.written[:1].isupper() and not initial and not is_hidden(best.word) and (size < 6 or not one.written.isupper()):
        return False
    if one.written.isupper() and size < 5 and not is_hidden(best.word):
        return False
    if swings(one.written) and not best.bits & 2 or not one.written.replace("'", "").replace("`", "").isalnum() and not is_hidden(best.word) and "-" not in best.word:
        return False
    if len(one.found) > 1 and best.score - one.found[1].score < 0.5:
        return False
    if any(map(str.isdigit, one.written)) and (one.written.upper() == one.written or (size < 4 and not is_hidden(best.word))):
        return False
    return best.score >= {1: 99, 2: 99, 3: 9.5, 4: 8.0, 5: 6.0}.get(size, 1.0)


def _is_keyed(one, initial) -> bool:
    """Tell whether a piece is clearly a Russian word typed in the wrong layout."""
    if one.keyed is None or (one.is_english and one.written.isalpha()):
        return False
    size = len(one.keyed.word)
    return one.keyed.score >= {1: 99, 2: 15.0, 3: 9.0, 4: 7.0, 5: 5.0}.get(size, 2.0)


def _is_single(piece: str) -> bool:
    return len(fold(piece.rstrip(",.!?;:…»)\"'"))) == 1 or (len(piece) == 3 and piece[1] == "-")


def _apart(reader, text, places, pieces, judged, chosen, taken) -> None:
    """Read words whose letters stand apart: «к а з и н о»."""
    at = 0
    while at < len(pieces):
        stop = at
        while stop < len(pieces) and _is_single(pieces[stop]) and (stop == at or text[places[stop - 1][1] : places[stop][0]].strip(" ") == ""):
            stop += 1
            if pieces[stop - 1][-1] in ",.!?;:…»)":
                break
        if stop - at >= 3:
            windows = [(first, last) for first in (at, at + 1) for last in (stop, stop - 1) if last - first > 2]
            written = {one: " ".join(map(fold, pieces[slice(*one)])).rstrip(",.!?;:…»)") for one in windows}
            for whole in (True, False):
                for first, last in windows:
                    letters = written[first, last]
                    found = _one_word(reader, letters.replace(" ", "")) if whole else _several(reader, letters)
                    if found and first not in taken:
                        start, end = places[first][0], places[last - 1][0] + len(pieces[last - 1].rstrip(",.!?;:…»)"))
                        new = cased(found.word, letters, initial=_is_initial(pieces, first))
                        chosen[first] = (start, end, new, found.bits | 4)
                        taken.update(range(at, stop))
                        break
        at = max(stop, at + 1)


def _one_word(reader, letters: str) -> Found | None:
    found = reader.lattice.words(letters)
    if not found or sum(map(str.isalpha, letters)) * 2 < len(letters):
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
        for first, last in ((at - 1, at + 1), (at - 1, at), (at, at + 1), (at, at + 2), (at - 2, at)):
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
            if len(words) > 2 and unknown < 2 and not (unknown and all(len(word) < 5 for word in words)):
                continue
            gain = weight(joined) - sum(weight(word.lower()) if is_listed(word.lower()) else 2.0 for word in words) + 20.9 * (len(words) - 1)
            if gain < (9.0 if unknown else 12.2) or any(word[0].isupper() for word in words[1:]) and not words[0].isupper():
                continue
            start, end = places[first][0] + cores[first][0], places[last][0] + cores[last][1]
            chosen[first] = (start, end, cased(joined, "".join(words), initial=_is_initial(pieces, first)), 4)
            taken.update(range(first, last + 1))
            break


def is_form_any(word: str) -> bool:
    """Tell whether a word with е or ё is Russian and not too rare."""
    return is_known(word) and weight(word) > 5
