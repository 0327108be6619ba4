"""What became of each word of a text: kept, lost, damaged, moved, replaced, or written as a sign.

The fates follow from the edits. Two texts without edits are aligned by words first.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from augment_ru.edits import Edit
from augment_ru.language.frequency import information
from augment_ru.language.morphology import Kind, kind_of, lemmas_of

_WORD = re.compile(r"[^\W_]+(?:[-‑'’.,:/][^\W_]+)*")
"""Letters and digits of any alphabet; parts joined by a hyphen or an apostrophe, digits also by other signs."""
_NEAR = 0.5
"""A new word stands for an old one if it differs in at most this share of the letters of the longer one."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its place, and its form in lower case with е for ё."""

    start: int
    stop: int
    form: str

    @property
    def kind(self) -> Kind:
        """What the form is."""
        return kind_of(self.form)

    @property
    def information(self) -> float:
        """How much it tells, in (0, 1]."""
        return information(self.form)


def words_of(text: str) -> list[Word]:
    """The words of a text, in order."""
    return [Word(match.start(), match.end(), match.group().lower().replace("ё", "е")) for match in _WORD.finditer(text)]


class Source:
    """An original text with its words; what is computed for it serves all its candidates.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words_of(text)
        self.starts = [word.start for word in self.words]
        self.stops = [word.stop for word in self.words]

    @cached_property
    def total(self) -> float:
        """The information of all its words."""
        return sum(word.information for word in self.words)

    @cached_property
    def clauses(self) -> list[int]:
        """The number of the clause of each word: clauses are parted by marks."""
        numbers = [0] * len(self.words)
        for at in range(1, len(self.words)):
            between = self.text[self.words[at - 1].stop : self.words[at].start]
            numbers[at] = numbers[at - 1] + (not between.isspace() and between != "")
        return numbers


@dataclass(slots=True)
class Fates:
    """What became of the words of a text.

    Attributes:
        source: the text.
        lost: the words that are gone.
        damaged: the words that are misspelt, with the new form and the number of letters that differ.
        reshaped: the words that stand in another form of theirs.
        replaced: stretches of words in place of which other words stand.
        signs: the words that are written as signs, with their readings.
        moved: the words that stand at another place.
        inserted: the words that were added, with the number of the word in front of which they stand.
        order: the numbers of the words that are left, in their new order; None if no word moved.
    """

    source: Source
    lost: list[int] = field(default_factory=list)
    damaged: list[tuple[int, str, int]] = field(default_factory=list)
    reshaped: list[int] = field(default_factory=list)
    replaced: list[tuple[list[int], list[str]]] = field(default_factory=list)
    signs: list[int] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    inserted: list[tuple[int, str]] = field(default_factory=list)
    order: list[int] | None = None


@dataclass(slots=True)
class _Stretch:
    """Words of the source that edits touch together, and what stands in their place.

    Attributes:
        first, last: the words touched are first to last - 1.
        old: the numbers of the words that have no counterpart yet.
        new: the words in their place that have none yet, by their order.
        distance: how many letters the edits write or take.
    """

    first: int
    last: int
    old: list[int]
    new: dict[int, str]
    distance: int
    placed: dict[int, int] = field(default_factory=dict)
    """From the order of a new word to the old word that it is."""


def fates_of(source: Source, edits: Sequence[Edit]) -> Fates:
    """What became of the words of a text under these edits, which are in order."""
    fates = Fates(source)
    stretches = list(_stretches(source, edits, fates))
    for stretch in stretches:
        _match_inside(source, stretch)
    if any(stretch.old for stretch in stretches) and any(stretch.new for stretch in stretches):
        _match_across(source, stretches, fates)
    for stretch in stretches:
        _match_near(source, stretch, fates)
        if stretch.old and stretch.new:
            fates.replaced.append((stretch.old, list(stretch.new.values())))
        elif stretch.old:
            fates.lost += stretch.old
        else:
            fates.inserted += ((stretch.first, word) for word in stretch.new.values())
    if fates.moved:
        fates.order = list(_order(source, stretches))
    return fates


def aligned(source: Source, text: str) -> list[Edit]:
    """Edits that lead from a text to another one, word by word."""
    new = words_of(text)
    matcher = SequenceMatcher(None, [word.form for word in source.words], [word.form for word in new], autojunk=False)
    edits = []
    for what, first, last, begin, end in matcher.get_opcodes():
        if what == "equal":
            continue
        start = source.words[first].start if first < len(source.words) else len(source.text)
        stop = source.words[last - 1].stop if last > first else start
        written = text[new[begin].start : new[end - 1].stop] if end > begin else ""
        edits.append(Edit(start, stop, written if last > first else f" {written} "))
    return edits


def _stretches(source: Source, edits: Sequence[Edit], fates: Fates) -> Iterator[_Stretch]:
    """The stretches of the edits; words written as signs are noted at once."""
    held: list[Edit] = []
    first = last = 0
    for edit in edits:
        begin = bisect_right(source.stops, edit.start)
        end = bisect_left(source.starts, edit.stop)
        if edit.start == edit.stop:
            # an insertion touches a word if it stands inside it, or beside it and begins or ends with its letters
            begin = bisect_left(source.stops, edit.start) if edit.text[:1].isalnum() else begin
            end = bisect_right(source.starts, edit.stop) if edit.text[-1:].isalnum() else end
        end = max(begin, end)
        if edit.note is not None and edit.note.reading is not None and end == begin + 1:
            if edit.note.reading.lower().replace("ё", "е") == source.words[begin].form:
                fates.signs.append(begin)
                continue
        if held and begin < last:
            held.append(edit)
            last = max(last, end)
            continue
        if held:
            yield _stretch(source, held, first, last)
        held, first, last = [edit], begin, end
    if held:
        yield _stretch(source, held, first, last)


def _stretch(source: Source, edits: Sequence[Edit], first: int, last: int) -> _Stretch:
    words = source.words
    start = min(words[first].start if first < last else edits[0].start, edits[0].start)
    stop = max(words[last - 1].stop if first < last else edits[-1].stop, edits[-1].stop)
    pieces = []
    at = start
    distance = 0
    for edit in edits:
        pieces += (source.text[at : edit.start], edit.read)
        at = edit.stop
        distance += max(edit.stop - edit.start, len(edit.read))
    pieces.append(source.text[at:stop])
    new = [match.group().lower().replace("ё", "е") for match in _WORD.finditer("".join(pieces))]
    return _Stretch(first, last, list(range(first, last)), dict(enumerate(new)), distance)


def _match_inside(source: Source, stretch: _Stretch) -> None:
    """Take out the words that stand unchanged in their stretch, in their order."""
    if len(stretch.old) == len(stretch.new) == 1:
        ((at, word),) = stretch.new.items()
        if source.words[stretch.old[0]].form == word:
            stretch.placed[at] = stretch.old.pop()
            stretch.new.clear()
        return
    forms = [source.words[number].form for number in stretch.old]
    numbers, new = list(stretch.old), list(stretch.new.values())
    for block in SequenceMatcher(None, forms, new, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            stretch.placed[block.b + step] = numbers[block.a + step]
            stretch.old.remove(numbers[block.a + step])
            del stretch.new[block.b + step]


def _match_across(source: Source, stretches: Sequence[_Stretch], fates: Fates) -> None:
    """Take out the words that stand in another stretch, or in another order: as they were, else in another form."""
    for same in (_same_form, _same_lemma):
        waiting: dict[str, list[tuple[_Stretch, int]]] = {}
        for stretch in stretches:
            for number in stretch.old:
                for key in same(source.words[number].form):
                    waiting.setdefault(key, []).append((stretch, number))
        for stretch in stretches:
            for at, word in list(stretch.new.items()):
                found = next((one for key in same(word) for one in waiting.get(key, ()) if one[1] in one[0].old), None)
                if found is None:
                    continue
                home, number = found
                home.old.remove(number)
                del stretch.new[at]
                stretch.placed[at] = number
                if home is not stretch or same is _same_form:
                    fates.moved.append(number)
                if same is _same_lemma:
                    fates.reshaped.append(number)


def _same_form(word: str) -> Sequence[str]:
    return (word,)


def _same_lemma(word: str) -> Sequence[str]:
    return lemmas_of(word)


def _match_near(source: Source, stretch: _Stretch, fates: Fates) -> None:
    """Take out the words that are misspelt."""
    if not (stretch.old and stretch.new):
        return
    if len(stretch.old) == 1 and len(stretch.new) > 1:  # a word with a space in it
        joined = "".join(stretch.new.values())
        if joined == source.words[stretch.old[0]].form:
            _damage(stretch, fates, stretch.old[0], joined, list(stretch.new), 1)
            return
    if len(stretch.new) == 1 and len(stretch.old) > 1:  # two words written as one
        ((at, word),) = stretch.new.items()
        if word == "".join(source.words[number].form for number in stretch.old):
            for number in list(stretch.old):
                _damage(stretch, fates, number, source.words[number].form, [], 1)
            stretch.new.clear()
            return
    single = len(stretch.old) == len(stretch.new) == 1
    for number in list(stretch.old):
        form = source.words[number].form
        best: tuple[int, int] | None = None
        for at, word in stretch.new.items():
            longest = max(len(form), len(word))
            if abs(len(form) - len(word)) > _NEAR * longest:
                continue
            apart = distance(form, word)
            if apart <= _NEAR * longest or (single and stretch.distance < longest):
                best = min(best or (apart, at), (apart, at))
        if best is not None:
            apart, at = best
            _damage(stretch, fates, number, stretch.new[at], [at], apart)


def _damage(stretch: _Stretch, fates: Fates, number: int, form: str, new: Sequence[int], apart: int) -> None:
    stretch.old.remove(number)
    for at in new:
        del stretch.new[at]
        stretch.placed[at] = number
    fates.damaged.append((number, form, apart))


@lru_cache(maxsize=100_000)
def distance(one: str, other: str) -> int:
    """How many letters have to be replaced, added or taken away between two words (Levenshtein 1966)."""
    if len(one) == len(other):
        differing = sum(left != right for left, right in zip(one, other, strict=True))
        if differing <= 1:
            return differing
    row = list(range(len(other) + 1))
    for at, left in enumerate(one, start=1):
        before, row[0] = row[0], at
        for place, right in enumerate(other, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (left != right))
    return row[-1]


def _order(source: Source, stretches: Sequence[_Stretch]) -> Iterator[int]:
    """The numbers of the words that are left, in their new order."""
    at = 0
    for stretch in stretches:
        yield from range(at, stretch.first)
        yield from (stretch.placed[place] for place in sorted(stretch.placed))
        at = stretch.last
    yield from range(at, len(source.words))
